"""Tests given Z: what Z leaves of X and Y, the statistic of draws under the null, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infold.data.question import Question
from infold.data.tables import Table
from infold.estimators import MutualInformationEstimator
from infold.parallel.scheduler import progress_bar

from .notes import Note
from .resampling import Outcome, Settings, refit, refits

if TYPE_CHECKING:
    from infold.core.copula.null_given import Unconfounded

GIVEN_METHOD = "ksg"  # what tests given Z take by default
GIVEN_NEIGHBORS, MOST_NEIGHBORS = 10, 200  # of 100 rows: a test needs little noise, and its null has the same bias
AT_A_TIME = 25  # draws that are computed together
ALPHA_CONFOUNDED = 0.001
NEAR, NEAR_LABELS = 0.4, 0.2  # of the distance between any two rows: beyond, rows of near Z are not near


class LeftByZ(NamedTuple):
    """The question about what Z leaves of X and Y, and how to draw Y anew."""

    question: Question
    found: Unconfounded


def left_by_z(question: Question, seed: int) -> LeftByZ:
    """Return what Z leaves of X and Y."""
    from infold.core.copula.null_given import unconfounded

    x, y, z = (np.ascontiguousarray(question.columns(block).T, np.float64) for block in ("X", "Y", "Z"))
    masks = question.nominal("X"), question.nominal("Y"), question.nominal("Z")
    found = unconfounded(x, y, z, masks, seed)
    tables = {
        name: Table(values, None, tuple(np.flatnonzero(mask).tolist()))
        for name, values, mask in zip(("X", "Y", "Z"), (found.x.values, found.y.values, z), masks, strict=True)
    }
    return LeftByZ(Question(tables), found)


def with_more_neighbors(estimator: MutualInformationEstimator, n_samples: int) -> None:
    """Give an estimator the number of neighbours that a test given Z takes by default."""
    share = min(GIVEN_NEIGHBORS * n_samples // 100, MOST_NEIGHBORS)
    estimator.n_neighbors = max(estimator.n_neighbors, share)


def statistics_given(
    estimator: MutualInformationEstimator, left: LeftByZ, seeds: Sequence[int], own: int, settings: Settings
) -> Generator[float, None, None]:
    """Yield the statistic of what Z leaves, and then that of Y drawn anew for each seed."""
    measure = estimator.versions_measure(left.question, left.found.y.redraws)
    if measure is None:
        yield refit(estimator, left.question, own).statistic
        jobs: list[tuple[Any, ...]] = [(refit_drawn, estimator, left, seed) for seed in seeds]
        with closing(refits(jobs, settings, "permutations", n_samples=left.question.n_samples)) as outcomes:
            for outcome in outcomes:
                yield outcome.statistic
        return
    yield float(measure(left.found.y.values.T[None], 1)[0])
    bar = progress_bar(len(seeds), "permutations", settings.verbose)
    with closing(bar):
        for start in range(0, len(seeds), AT_A_TIME):
            drawn = left.found.draw(np.array(seeds[start : start + AT_A_TIME], np.uint64))
            yield from measure(drawn, settings.n_jobs).tolist()
            bar.update(len(drawn))


def refit_drawn(estimator: MutualInformationEstimator, left: LeftByZ, seed: int) -> Outcome:
    """Fit Y drawn anew."""
    drawn = left.found.draw(np.array([seed], np.uint64))[0].T
    return refit(estimator, with_values(left.question, Y=np.ascontiguousarray(drawn)), seed)


def with_values(question: Question, **tables: np.ndarray) -> Question:
    """Return the question with other values in some blocks."""
    changed = {name: question.blocks[name]._replace(values=values) for name, values in tables.items()}
    return Question({**question.blocks, **changed})


def given_notes(left: LeftByZ) -> tuple[Note | None, ...]:
    """Tell where p may be too small, since Z may not be gone."""
    found, columns = left.found, left.question.n_features[2]
    share, told = f"{found.apart:.0%}", None
    if found.apart > NEAR_LABELS and not found.x.smooth.all() and not found.y.smooth.all():
        told = Note(
            f"Rows of near Z ({columns} columns) are {share} as far apart as any two rows, and Z cannot be taken off "
            f"labels and counts, which are on both sides: p may be too small. Take fewer columns into Z, or more rows.",
            urgent=True,
        )
    elif found.apart > NEAR:
        told = Note(
            f"Rows of near Z ({columns} columns) are {share} as far apart as any two rows, so p rests on smooth "
            f"functions of Z alone: if Z acts on both X and Y otherwise, by steps or products of many columns, p is "
            f"too small."
        )
    confounded = found.pvalue <= ALPHA_CONFOUNDED and Note(
        "Z still tells of what is left of X and of Y once a smooth function of Z is taken off, so p may be too small; "
        "it is more reliable with more rows, or fewer columns in Z.",
        urgent=True,
    )
    return told, confounded or None


def refuse_with_given(groups: Any, block: Any) -> None:
    """Refuse what only says how rows may change places freely."""
    if groups is not None:
        raise ValueError(
            "groups is for tests without Z; make the labels a nominal column of Z instead (discrete_z), to the same "
            "end."
        )
    if block is not None:
        raise ValueError(f"block={block} is for tests without Z; leave it out, and thin rows that are autocorrelated.")
