"""Is there any dependence, and how sure is the number: permutation test and subsampling interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student_t

from ._tasks import in_order
from ._validation import check_choice, check_count, check_pair, check_share
from .estimators import MutualInformationEstimator
from .measures import DEFAULT_METHOD, make_estimator
from .notes import (
    Note,
    ceiling_note,
    few_rows_note,
    fixed_rows_note,
    memory_note,
    resolution_note,
    silence_note,
    tied_columns,
    ties_note,
    told,
)
from .resampling import Deal, Pairings, Shuffle, make_pairings, make_shuffle, refitted_parts, seeds_for
from .results import NATS_PER_UNIT, ConfidenceInterval, IndependenceTest

# Standard errors by which n / 4 → n, or 4 k → k, may move an estimate whose bias counts as small. Without any bias the
# moves have a deviation of about .8: one in five is told in vain, in careful words, but few beyond SURE_DRIFT. They go
# with the estimate's own error (too high by chance, it has come from below): smaller ones tell no direction.
DRIFT, SURE_DRIFT = 1.0, 3.0
FEWEST_BLOCKS = 8  # fewer can be dealt into halves in too few ways to show a spread


def independence_test(
    X: Any,
    Y: Any,
    *,
    method: str = DEFAULT_METHOD,
    n_permutations: int = 199,
    early_stop: bool = False,
    alpha: float = 0.05,
    groups: Any = None,
    block: int | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    **options: Any,
) -> IndependenceTest:
    """Test whether X and Y are independent, by re-pairing their rows.

    Parameters
    ----------
    X, Y, method, n_neighbors, units, options
        As in :func:`mutual_information`.
    n_permutations : int, default=199
        Random pairings. The smallest p-value is 1 / (n_permutations + 1).
    early_stop : bool, default=False
        Stop when `alpha` · (n_permutations + 1) pairings, rounded up to h, were at least as dependent as the data. Then
        p = h / (pairings looked at), which is a valid p-value (Besag & Clifford 1991), and p ≤ alpha holds exactly when
        it would without stopping. On independent data this saves most of the time.
    alpha : float, default=0.05
        The level that you mean to judge p by: for `early_stop`, and for a warning if p cannot be as small.
    groups : array of shape (n_samples,) or None, default=None
        Rows change places only with rows of the same label: subjects, batches, sites.
    block : int or None, default=None
        Consecutive rows that stay together, for time series and trials: whole blocks change places. Blocks should be
        several times as long as rows remember each other; with blocks that are trials the test is exact.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the pairings and of the method.
    n_jobs : int or None, default=-1
        Parallel pairings; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.

    Returns
    -------
    IndependenceTest
        `float(result)` or `result.pvalue`; `result.mi`, `result.null`, its mean and spread, and `result.notes`.

    Notes
    -----
    The estimator is fitted again on every pairing, since it saw the true one. With independent rows (or groups or
    blocks that are exchangeable) P(p ≤ a) ≤ a for every a, whatever the method and the data: equal statistics count
    against dependence. `method="auto"` answers exactly 0 on most independent data, so its own p-value is what is
    compared.

    References
    ----------
    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 1991.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, rho=0.7, random_state=4)
    >>> infold.independence_test(data.X, data.Y, method="ksg", random_state=0).pvalue
    0.005
    """
    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    check_count("n_permutations", n_permutations)
    check_share("alpha", alpha)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    x, y = check_pair(X, Y, n_neighbors=estimator.n_neighbors)
    shuffle = make_shuffle(len(x.values), groups, block)
    estimator.fit(X, Y)
    enough = math.ceil(alpha * (n_permutations + 1) - 1e-9) if early_stop else n_permutations + 1

    observed, null, above = estimator.test_statistic_, [], 0
    pairings = make_pairings(estimator, x, y)
    tasks = [(pairings, shuffle, seed) for seed in seeds_for(random_state, n_permutations)]
    answers = in_order(_repaired, tasks, n_jobs=n_jobs, label="permutations", verbose=verbose, together=True)
    with closing(answers):
        for statistic in answers:
            null.append(statistic)
            above += statistic >= observed
            if above >= enough:
                break
    # Stopped by `enough`, the pairing that did it is not one more: it is the last of those looked at.
    pvalue = above / len(null) if above >= enough else (above + 1) / (len(null) + 1)
    smallest = not above and Note(
        f"p is the smallest that {len(null)} permutations can show; a larger n_permutations shows how small it is."
    )
    notes = told(
        (
            resolution_note(n_permutations, shuffle.log_count, alpha),
            fixed_rows_note(shuffle.n_blocks),
            memory_note(x, y, block, shuffle.groups),
            ceiling_note(estimator.mi_, len(x.values), estimator.n_neighbors),
            smallest or None,
        )
    )
    scale = unit if estimator.test_statistic_name == "mi" else 1.0
    return IndependenceTest(
        mi=estimator.mi_ / unit,
        pvalue=pvalue,
        statistic=observed / scale,
        statistic_name=estimator.test_statistic_name,
        null=np.array(null) / scale,
        n_permutations_asked=n_permutations,
        stopped_early=len(null) < n_permutations,
        notes=notes,
        **described(estimator, method, units),
    )


def _repaired(jobs: Sequence[tuple[Pairings, Shuffle, int]]) -> list[float]:
    """Return the statistic of each random pairing."""
    pairings, shuffle, _ = jobs[0]
    seeds, (columns_x, columns_y) = [seed for *_, seed in jobs], pairings.sides
    found = pairings.outcomes(columns_x + columns_y, columns_y, shuffle.draw_all(seeds), seeds)
    return [one.statistic for one in found]


def described(estimator: MutualInformationEstimator, method: str, units: str) -> dict[str, Any]:
    """Return what all results tell of the data and the estimator."""
    return {
        "units": units,
        "method": method,
        "n_samples": estimator.n_samples_,
        "n_features": (estimator.n_features_in_, estimator.n_features_y_),
        "settings": estimator.get_params(),
        "names": estimator._names,
    }


def confidence_interval(
    X: Any,
    Y: Any,
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
    **options: Any,
) -> ConfidenceInterval:
    """Give an interval for the estimate, from subsamples without replacement, and say whether its bias looks small.

    Parameters
    ----------
    X, Y, method, n_neighbors, units, options
        As in :func:`mutual_information`.
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
        `low`, `high`, `mi`, `standard_error`; `bias_is_small` and, if not, why in `notes`; the drifts.

    Notes
    -----
    Rows are dealt at random into two halves, again and again. Two halves share no row, so the spread between them is
    that of independent samples of n / 2 rows, with no correction for overlap; the variance for n rows is half of it.
    The same with quarters says how n times the variance changes with n: where it grows, it is taken to go on growing
    in the same way. (The bootstrap will not do: copies have distance 0, and break every kNN estimate.)

    The interval is for the estimator's own expectation at this n. Its bias is not in it: a kNN estimate in many columns
    can be surely wrong. Bias changes with the number of rows and of neighbours, so both drifts are looked at; where one
    of them is larger than the standard error, `bias_is_small` is False. A small drift is no proof of a small bias:
    an estimate that has lost nearly all of the signal does not drift either. :func:`diagnose` looks further.

    Where `method="auto"` answers exactly 0, most subsamples do so too, and their spread says nothing. Its own standard
    error, of what it would have answered, is the least that counts then.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=500, random_state=4)  # truth: 0.830
    >>> interval = infold.confidence_interval(data.X, data.Y, method="ksg", random_state=0)
    >>> interval.low < data.mi < interval.high
    True
    """
    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    check_share("level", level)
    check_count("n_subsamples", n_subsamples, minimum=4)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    k = estimator.n_neighbors
    x, y = check_pair(X, Y, n_neighbors=k)
    n = len(x.values)
    if n // 4 <= k:
        raise ValueError(
            f"n_neighbors={k} needs at least {4 * k + 4} samples for quarters, but X has {n}; lower n_neighbors or add "
            f"samples."
        )
    shuffle = make_shuffle(n, None, block)
    n_blocks = int(shuffle.n_blocks.sum())
    if n_blocks < FEWEST_BLOCKS:
        raise ValueError(
            f"block={block} leaves {n_blocks} blocks of the {n} rows, but an interval needs at least {FEWEST_BLOCKS}; "
            f"pass a shorter block or add samples."
        )
    estimator.fit(X, Y)

    sizes = [2, 4]
    rounds = [math.ceil(n_subsamples / parts) for parts in sizes]
    ks = [2 * k, 4 * k] if 4 * k < n // 2 else []
    *seeds, last = seeds_for(random_state, sum(rounds) + 1)
    pairings = make_pairings(estimator, x, y)
    tasks: list[tuple[Pairings, Any, int]] = [(pairings, other, last) for other in ks]
    for parts, count in zip(sizes, rounds, strict=True):
        deal = Deal(shuffle, parts)
        tasks += [(pairings, deal, seeds.pop()) for _ in range(count)]
    found = in_order(refitted_parts, tasks, n_jobs=n_jobs, label="subsamples", verbose=verbose, together=True)
    values = np.array([one.mi for each in found for one in each]) / unit
    over_k, *split = np.split(values, len(ks) + np.cumsum([0, *(p * c for p, c in zip(sizes, rounds, strict=True))]))[
        :-1
    ]
    spread = [part.reshape(-1, parts) for part, parts in zip(split, sizes, strict=True)]

    # n times the variance, as subsamples of each size show it; `grown` is what it may add from n / 2 to n.
    scaled = [part.var(axis=1, ddof=1).mean() * n / parts for part, parts in zip(spread, sizes, strict=True)]
    grown = max(0.0, scaled[0] - scaled[-1])
    error, silent = math.sqrt((scaled[0] + grown) / n), estimator.silent_error_ / unit
    degrees = min(rounds[0], n_blocks - 1)  # of freedom: differences of halves know the error, but not beyond the data
    half = max(float(student_t.ppf((1 + level) / 2, degrees)) * error, float(norm.ppf((1 + level) / 2)) * silent)
    error = max(error, silent)
    mi = estimator.mi_ / unit
    means = [float(part.mean()) for part in spread[::-1]] + [mi]
    over_neighbors = dict(zip([k, *ks], [mi, *(float(v) for v in over_k)], strict=True))
    drifting = drift_note(means, list(over_neighbors.values()), error, units)
    notes = told(
        (
            drifting,
            silence_note(half, units) if silent else None,
            few_rows_note(n),
            ceiling_note(estimator.mi_, n, k),
            ties_note(tied_columns(x, y)),
            memory_note(x, y, block),
        )
    )
    return ConfidenceInterval(
        mi=mi,
        low=mi - half,
        high=mi + half,
        level=level,
        standard_error=error,
        subsample_size=n // 2,
        subsamples=spread[0].ravel(),
        sizes=(*(n // parts for parts in sizes[::-1]), n),
        means=tuple(means),
        over_neighbors=over_neighbors,
        bias_is_small=drifting is None and math.isfinite(half),
        notes=notes,
        **described(estimator, method, units),
    )


def drift_note(over_size: list[float], over_neighbors: list[float], error: float, units: str) -> Note | None:
    """Say in words that an estimate moves, with more rows or fewer neighbours, by more than its error."""
    by_rows, by_neighbors = over_size[-1] - over_size[0], over_neighbors[0] - over_neighbors[-1]
    moves = []
    if abs(by_rows) > DRIFT * error:
        moves.append(f"by {by_rows:+.2g} {units} from a part of the rows to all of them")
    if abs(by_neighbors) > DRIFT * error:
        moves.append(f"by {by_neighbors:+.2g} from four times as many neighbours to these")
    if not moves:
        return None
    rising = by_rows + by_neighbors > 0
    sure = max(abs(by_rows), abs(by_neighbors)) > SURE_DRIFT * error
    said = f"the estimate moves {' and '.join(moves)}, beside a standard error of {error:.2g}."
    if not sure:
        return Note(f"The bias may not be small: {said} Chance alone does this in one data set of five.")
    return Note(
        f"The bias is not small: {said} The truth is probably {'higher' if rising else 'lower'}; the interval does not "
        f"count this."
    )
