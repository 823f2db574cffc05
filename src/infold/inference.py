"""Is there any dependence, and how sure is the number: permutation test and subsampling interval."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from ._validation import DataWarning, check_choice, check_count, check_pair
from .measures import DEFAULT_METHOD, make_estimator
from .resampling import in_order, make_shuffle, refitted, seeds_for
from .results import NATS_PER_UNIT, ConfidenceInterval, IndependenceTest


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

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, rho=0.7, random_state=4)
    >>> infold.independence_test(data.X, data.Y, method="ksg", random_state=0).pvalue
    0.005
    """
    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    check_count("n_permutations", n_permutations)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options).fit(X, Y)
    x, y = check_pair(X, Y, n_neighbors=estimator.n_neighbors)
    shuffle = make_shuffle(len(x.values), groups, block)
    seeds = seeds_for(random_state, n_permutations)
    limit = math.ceil(alpha * (n_permutations + 1) - 1e-9) if early_stop else n_permutations + 1
    observed, null, above = estimator.test_statistic_, [], 0
    tasks = [(estimator, x, y, shuffle, seed) for seed in seeds]
    answers = in_order(_repaired, tasks, n_jobs=n_jobs, label="permutations", verbose=verbose, in_rounds=early_stop)
    for statistic in answers:
        null.append(statistic)
        above += statistic >= observed
        if above >= limit:
            answers.close()
            break
    stopped = len(null) < n_permutations
    pvalue = above / len(null) if above >= limit else (above + 1) / (len(null) + 1)
    scale = unit if estimator.test_statistic_name == "mi" else 1.0
    return IndependenceTest(
        mi=estimator.mi_ / unit,
        pvalue=pvalue,
        statistic=observed / scale,
        statistic_name=estimator.test_statistic_name,
        null=np.array(null) / scale,
        n_permutations_asked=n_permutations,
        stopped_early=stopped,
        units=units,
        method=method,
        n_samples=estimator.n_samples_,
        n_features=(estimator.n_features_in_, estimator.n_features_y_),
        settings=estimator.get_params(),
        names=estimator._names,
    )


def _repaired(estimator: Any, x: Any, y: Any, shuffle: Any, seed: int) -> float:
    """Return the statistic of a random pairing."""
    return refitted(estimator, x, y, None, shuffle.draw(seed), seed).statistic


def confidence_interval(
    X: Any,
    Y: Any,
    *,
    level: float = 0.95,
    method: str = DEFAULT_METHOD,
    n_subsamples: int = 100,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    **options: Any,
) -> ConfidenceInterval:
    """Give an interval for the estimate, from subsamples without replacement.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=500, random_state=4)  # truth: 0.830
    >>> interval = infold.confidence_interval(data.X, data.Y, method="ksg", random_state=0)
    >>> interval.low < data.mi < interval.high
    True
    """
    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options).fit(X, Y)
    x, y = check_pair(X, Y, n_neighbors=estimator.n_neighbors)
    n, k = len(x.values), estimator.n_neighbors
    parts = [2, 4]
    rounds = math.ceil(n_subsamples / 4)
    seeds = seeds_for(random_state, 2 * rounds + 1)
    tasks, owners = [], []
    for p, few in zip(seeds, [p for p in parts for _ in range(rounds)], strict=False):
        rng = np.random.default_rng(p)
        order = rng.permutation(n)
        for i in range(few):
            rows = order[i * (n // few) : (i + 1) * (n // few)]
            tasks.append((estimator, x, y, rows, rows, int(rng.integers(2**62))))
            owners.append(few)
    answers = list(in_order(refitted, tasks, n_jobs=n_jobs, label="subsamples", verbose=verbose))
    values = np.array([a.mi for a in answers]) / unit
    owner = np.array(owners)
    by_size = {few: values[owner == few].reshape(-1, few) for few in parts}
    variance = by_size[4].var(axis=1, ddof=1).mean() / 4
    error = math.sqrt(variance)
    mi = estimator.mi_ / unit
    ks = [j for j in (k, 2 * k, 4 * k) if j < n]
    over_k = {j: refitted(estimator, x, y, None, None, seeds[-1], j).mi / unit for j in ks}
    means = (float(by_size[4].mean()), float(by_size[2].mean()), mi)
    half = float(norm.ppf((1 + level) / 2)) * error
    small = abs(means[2] - means[1]) < error and abs(over_k[ks[1]] - over_k[k]) < 2 * error
    notes = () if small else ("The estimate drifts with the number of rows or neighbours: its bias is not small.",)
    return ConfidenceInterval(
        mi=mi,
        low=mi - half,
        high=mi + half,
        level=level,
        standard_error=error,
        subsample_size=n // 4,
        subsamples=by_size[4].ravel(),
        sizes=(n // 4, n // 2, n),
        means=means,
        over_neighbors=over_k,
        bias_is_small=bool(small),
        units=units,
        method=method,
        n_samples=n,
        n_features=(estimator.n_features_in_, estimator.n_features_y_),
        settings=estimator.get_params(),
        names=estimator._names,
        notes=notes,
    )


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=3)
