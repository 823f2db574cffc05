"""Plain sentences about what may be wrong; those that call for action are also issued as warnings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from infold.data.checks import warn
from infold.data.order import alike_rows
from infold.data.question import Question

from .resampling import Shuffle

MOSTLY = 0.5  # a column with a larger share of tied values is "mostly tied"
NEAR_CEILING = 0.8  # share of the ceiling above which the bias is plain in simulations


class Note(NamedTuple):
    """A sentence, and whether the user must act on it."""

    text: str
    urgent: bool = False


def tell(notes: Iterable[Note | None]) -> tuple[str, ...]:
    """Return the sentences there are, and issue those that are urgent as warnings."""
    found = [note for note in notes if note]
    for note in found:
        if note.urgent:
            warn(note.text)
    return tuple(note.text for note in found)


def autocorrelation_note(question: Question, shuffle: Shuffle) -> Note | None:
    """Warn of rows that are autocorrelated on both sides, unless they are kept together in blocks."""
    found = alike_rows(question, shuffle.groups) if shuffle.length == 1 else None
    return found and Note(found.note(given="Z" in question.blocks), urgent=not found.by_class)


def tied_columns(question: Question) -> dict[str, float]:
    """Return column → share of its values that another row has too, for columns with ties."""
    from infold.inference.rows import tied_share

    shares = {}
    for block, table in question.blocks.items():
        for c, column in enumerate(table.values.T):
            if c in table.nominal:  # classes are there to be shared
                continue
            share = tied_share(column) if column.min() < column.max() else 0.0  # `ask` warns of constants
            if share:
                shares[table.names[c] if table.names else f"{block}[{c}]"] = share
    return shares


def ties_note(ties: dict[str, float]) -> Note | None:
    """Point out columns that are mostly tied."""
    worst = [name for name, share in ties.items() if share > MOSTLY]
    if not worst:
        return None
    more = f" and {len(worst) - 5} more" if len(worst) > 5 else ""
    return Note(
        f"Most values are tied in {', '.join(worst[:5])}{more}: nearest-neighbour estimates are made for continuous "
        f"data, and may be too low or too high here."
    )


def ceiling(n: int, k: int) -> float:
    """Return ψ(n) − ψ(k), in nats: the most that counts of neighbours can say."""
    return float(digamma(n) - digamma(k))


def ceiling_note(mi: float, n: int, k: int) -> Note | None:
    """Point out an estimate (nats) so high that n samples can hardly show it."""
    most = ceiling(n, k)
    if mi < NEAR_CEILING * most:
        return None
    where = f"{mi / most:.0%} of" if mi < most else "beyond"
    return Note(
        f"The estimate is {where} the maximum that {k} neighbours among {n} samples can show ({most:.2f} nats, "
        f"{most / math.log(2):.2f} bits): the truth may be far higher; add samples.",
        urgent=True,
    )


def silence_note(most: float, units: str) -> Note:
    """Say what an answer of exactly 0 may have missed."""
    return Note(
        f"The answer is 0 because none of auto's tests rejects independence at its strict level of 0.001; a "
        f"dependence of up to about {most:.2g} {units} may have gone unnoticed."
        if math.isfinite(most)
        else "The answer is 0 because there are too many columns for so few rows to be estimated jointly: how large "
        "the dependence is remains unknown."
    )


def resolution_note(n_permutations: int, log_count: float, alpha: float) -> Note | None:
    """Say whether p-values as small as alpha are out of reach."""
    if 1 / (n_permutations + 1) > alpha + 1e-12:
        return Note(
            f"n_permutations={n_permutations} cannot give p ≤ {alpha:g}, only {1 / (n_permutations + 1):.2g} at best; "
            f"pass at least {math.ceil(1 / alpha - 1e-9) - 1}.",
            urgent=True,
        )
    if log_count < math.log(1 / alpha) - 1e-9:
        ways = round(math.exp(log_count))
        return Note(
            f"The rows can be re-paired in only {ways} {'way' if ways == 1 else 'ways'}, so p ≤ {alpha:g} is out of "
            f"reach; add samples, or allow more permutations (larger groups, shorter blocks).",
            urgent=True,
        )
    if log_count < math.log(n_permutations + 1):
        return Note(f"The rows can be re-paired in only {round(math.exp(log_count))} ways, fewer than n_permutations.")
    return None


def fixed_rows_note(n_blocks: np.ndarray) -> Note | None:
    """Point out groups of a single row or block, which permuting within groups leaves where they are."""
    alone = int(np.sum(n_blocks == 1))
    if not alone:
        return None
    return Note(
        f"{alone} of {n_blocks.size} groups have only one row or block, which cannot change places: they contribute "
        f"nothing to the test."
    )


def copies_note(share: float) -> Note | None:
    """Point out rows that are copies of others."""
    if share <= 0.05:
        return None
    return Note(
        f"{share:.0%} of the rows repeat another row in every column: drop copies that are not separate measurements, "
        f"since they look like perfect neighbours."
    )


def few_rows_note(n: int) -> Note | None:
    """Point out too few rows for the interval to cover as often as its level says."""
    if n >= 30:
        return None
    return Note(f"{n} rows are few for an interval: below 30 it covers less often than its level says.")


def few_samples_note(n: int, d: int) -> Note | None:
    """Point out too few rows for a good estimate."""
    if n >= 100 and n > d:
        return None
    return Note(
        f"{n} samples of {d} columns are few: only a strong dependence can be detected, and its size is uncertain."
    )
