"""How sure is the number: the interval from subsamples, and whether the bias looks small."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student_t

from infold.data.checks import check_count, check_share
from infold.data.question import Question, ask
from infold.estimators import MutualInformationEstimator
from infold.measures import DEFAULT_METHOD
from infold.results import ConfidenceInterval

from .certificate import Certificate, certify
from .notes import Note, autocorrelation_note, ceiling_note, few_rows_note, silence_note, tell, tied_columns, ties_note
from .resampling import (
    Settings,
    Shuffle,
    described,
    prepared,
    refit,
    refit_parts,
    refits,
    seeds_for,
    shuffle_of,
)

# How far, in standard errors, an estimate may move from n / 4 to n rows, or from 4 k to k neighbours, for its bias to
# count as small. Without bias such moves have a standard deviation of about 0.8: one in five is a false positive,
# reported in careful words, but few exceed SURE_DRIFT. They are correlated with the estimate's own error (an estimate
# that is too high by chance has come from below), so smaller moves say nothing about the direction of the bias.
DRIFT, SURE_DRIFT = 1.0, 3.0
FEWEST_BLOCKS = 8  # fewer can be split into halves in too few ways to show a spread
PARTS = (2, 4)  # the rows are split into halves and quarters


def confidence_interval(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    level: float = 0.95,
    method: str = DEFAULT_METHOD,
    n_subsamples: int = 100,
    block: int | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    discrete_x: Any = None,
    discrete_y: Any = None,
    discrete_z: Any = None,
    missing: str = "error",
    **options: Any,
) -> ConfidenceInterval:
    """Give an interval for the estimate, from subsamples without replacement, and say whether its bias looks small.

    Parameters
    ----------
    X, Y, Z, method, n_neighbors, units, discrete_x, discrete_y, discrete_z, missing, options
        As in :func:`conditional_mutual_information`. Without Z the interval is for I(X; Y).
    level : float, default=0.95
        Confidence level.
    n_subsamples : int, default=100
        Subsamples of n / 2 rows, and again as many of n / 4.
    block : int or None, default=None
        Consecutive rows that stay together, for time series; at least eight blocks.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the subsamples and of the method.
    n_jobs : int or None, default=-1
        Parallel subsamples; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.

    Returns
    -------
    ConfidenceInterval
        `low`, `high`, `mi`, `standard_error`; `bias_is_small` and, if not, why in `notes`; the drifts; without Z also
        `certified`, a lower bound on the MI itself.

    Notes
    -----
    Rows are split at random into two halves, many times. Two halves share no row, so the spread between them is that of
    independent samples of n / 2 rows, with no correction for overlap; the variance for n rows is half of it. Quarters
    show how n times the variance changes with n: where it grows, it is assumed to keep growing in the same way. (The
    bootstrap will not do: copies have distance 0, and break every kNN estimate.)

    The interval is for the estimator's own expectation at this n. It does not include bias: a kNN estimate in many
    columns can be precise and wrong. Bias changes with the number of rows and of neighbours, so both drifts are
    examined; where one of them is larger than the standard error, `bias_is_small` is False. A small drift is no proof
    of a small bias: an estimate that has lost nearly all of the signal does not drift either. :func:`diagnose` collects
    more evidence. `certified`, a lower bound at 95 % for any method and `level`, holds whatever the bias.

    `method="auto"` has a standard error of its own, which includes bias as far as halves of the rows show it. The error
    here is never smaller; where the answer is exactly 0, most subsamples say 0 too, and their spread says nothing.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=500, random_state=4)  # truth: 0.830
    >>> interval = infold.confidence_interval(data.X, data.Y, method="ksg", random_state=0)
    >>> interval.low < data.mi < interval.high
    True
    """
    settings = Settings(method, units, random_state, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_share("level", level)
    check_count("n_subsamples", n_subsamples, minimum=4)
    question = ask(
        X,
        Y,
        Z,
        min_samples=estimator.n_neighbors + 1,
        discrete_x=discrete_x,
        discrete_y=discrete_y,
        discrete_z=discrete_z,
        missing=missing,
    )
    shuffle = shuffle_of(question, None, block)
    check_parts(shuffle, estimator.n_neighbors)
    estimator.fit_question(question)
    certificate = certify(question, settings, shuffle)
    return subsampling_interval(
        question, estimator, settings, shuffle, certificate, level=level, n_subsamples=n_subsamples
    )


def check_parts(shuffle: Shuffle, k: int) -> None:
    """Refuse too few rows, or blocks of rows, to be split into parts."""
    n, n_blocks = shuffle.n_samples, int(shuffle.n_blocks.sum())
    if n // 4 <= k:
        raise ValueError(
            f"n_neighbors={k} needs at least {4 * k + 4} samples for quarters, but X has {n}; lower n_neighbors or add "
            f"samples."
        )
    if n_blocks < FEWEST_BLOCKS:
        raise ValueError(
            f"block={shuffle.length} leaves {n_blocks} blocks of the {n} rows, but an interval needs at least "
            f"{FEWEST_BLOCKS}; pass a shorter block or add samples."
        )


def subsampling_interval(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    certificate: Certificate,
    *,
    level: float = 0.95,
    n_subsamples: int = 100,
) -> ConfidenceInterval:
    """Return the interval of a fitted estimator, from subsamples and other numbers of neighbours."""
    n, unit, mi = question.n_samples, settings.unit, estimator.mi_ / settings.unit
    over_k, spread = _subsamples(question, estimator, settings, shuffle, n_subsamples)
    error, known = _standard_error(spread, n), estimator.known_error_ / unit
    # Degrees of freedom: one per pair of halves, but no more than the data have.
    degrees = min(len(spread[2]), int(shuffle.n_blocks.sum()) - 1)
    half = max(float(student_t.ppf((1 + level) / 2, degrees)) * error, float(norm.ppf((1 + level) / 2)) * known)
    means = [float(spread[parts].mean()) for parts in PARTS[::-1]] + [mi]
    over_neighbors = {estimator.n_neighbors: mi, **over_k}
    # Where all subsamples answer 0, only the method itself knows how much it may have missed.
    beside = error if mi else max(error, known)
    drifting = drift_note(means, list(over_neighbors.values()), beside, settings.units)
    notes = tell(
        (
            drifting,
            silence_note(half, settings.units) if known and mi == 0 else None,
            few_rows_note(n),
            ceiling_note(estimator.mi_, n, estimator.n_neighbors),
            ties_note(tied_columns(question)),
            autocorrelation_note(question, shuffle),
            certificate.note,
        )
    )
    return ConfidenceInterval(
        mi=mi,
        low=mi - half,
        high=mi + half,
        level=level,
        standard_error=max(error, known),
        subsample_size=n // 2,
        subsamples=spread[2].ravel(),
        sizes=(*(n // parts for parts in PARTS[::-1]), n),
        means=tuple(means),
        over_neighbors=over_neighbors,
        bias_is_small=drifting is None and math.isfinite(half),
        certified=certificate.low,
        notes=question.notes + notes,
        **described(estimator, settings),
    )


def _subsamples(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    n_subsamples: int,
) -> tuple[dict[int, float], dict[int, np.ndarray]]:
    """Return the MI with other numbers of neighbours, and of the parts of each round, (rounds, parts), by parts."""
    k = estimator.n_neighbors
    ks = [2 * k, 4 * k] if 4 * k < question.n_samples // 2 else []
    rounds = {parts: math.ceil(n_subsamples / parts) for parts in PARTS}
    *seeds, last = seeds_for(settings.random_state, sum(rounds.values()) + 1)
    jobs: list[tuple[Any, ...]] = [(refit, estimator, question, last, other) for other in ks]
    for parts, count in rounds.items():
        jobs += [(refit_parts, estimator, question, shuffle, parts, seeds.pop()) for _ in range(count)]
    found = iter(list(refits(jobs, settings, "subsamples", n_samples=question.n_samples)))
    over_k = {other: next(found).mi / settings.unit for other in ks}
    spread = {
        parts: np.array([[one.mi for one in next(found)] for _ in range(count)]) / settings.unit
        for parts, count in rounds.items()
    }
    return over_k, spread


def _standard_error(spread: dict[int, np.ndarray], n: int) -> float:
    """Return the standard error for n rows.

    Subsamples of each size show n times the variance; if that grows from n / 4 to n / 2, it is assumed to grow by as
    much again from n / 2 to n.
    """
    halves, quarters = (spread[parts].var(axis=1, ddof=1).mean() * n / parts for parts in PARTS)
    return math.sqrt((halves + max(0.0, halves - quarters)) / n)


def drift_note(over_size: list[float], over_neighbors: list[float], error: float, units: str) -> Note | None:
    """Say in words that an estimate moves by more than its error with fewer rows or more neighbours."""
    by_rows, by_neighbors = over_size[-1] - over_size[0], over_neighbors[0] - over_neighbors[-1]
    moves = []
    if abs(by_rows) > DRIFT * error:
        moves.append(f"{_signed(-by_rows)} with a quarter of the rows")
    if abs(by_neighbors) > DRIFT * error:
        moves.append(f"{_signed(-by_neighbors)} with four times as many neighbours")
    if not moves:
        return None
    rising = by_rows + by_neighbors > 0
    sure = max(abs(by_rows), abs(by_neighbors)) > SURE_DRIFT * error
    said = f"the estimate is {' and '.join(moves)}, where its standard error is {error:.2g} {units}."
    if not sure:
        return Note(f"The bias may not be small: {said} This happens by chance in one data set of five.")
    return Note(
        f"The bias is not small: {said} The truth is probably {'higher' if rising else 'lower'}; the interval does not "
        f"include this."
    )


def _signed(difference: float) -> str:
    return f"{abs(difference):.2g} {'higher' if difference > 0 else 'lower'}"
