"""Can this number be trusted? Drift, ceiling, ties, other methods and a planted truth; the verdict is in `verdict`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._tasks import in_order
from ._validation import Table, check_choice, check_count, check_pair
from .estimators import MutualInformationEstimator
from .inference import described
from .measures import DEFAULT_METHOD, as_result, make_estimator
from .notes import (
    ALPHA_MEMORY,
    ceiling,
    ceiling_note,
    copies_note,
    few_samples_note,
    memory_note,
    suggested_block,
    tied_columns,
    ties_note,
    told,
)
from .resampling import Outcome, Shuffle, make_shuffle, partition_tasks, refitted, seeds_for
from .results import NATS_PER_UNIT, Diagnosis, IndependenceTest
from .verdict import Evidence, verdict

N_NULL = 19  # random pairings: a value above all 19 is a test at exactly 5 %
SMALL, MIDDLE, LARGE = 0.1, 0.3, 1.0  # further planted MI, in nats; the estimate itself takes the place of LARGE
NEIGHBORS = (1, 2, 3, 5, 10, 20)
ROUNDS = {4: 5, 2: 8}  # times that the rows are dealt into quarters, and into halves
COMPARED = ("ksg", "gksg", "auto")


def diagnose(
    X: Any,
    Y: Any,
    *,
    method: str = DEFAULT_METHOD,
    n_simulations: int = 8,
    groups: Any = None,
    block: int | None = None,
    test: IndependenceTest | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    **options: Any,
) -> Diagnosis:
    """Say whether an estimate can be trusted, and why.

    Parameters
    ----------
    X, Y, method, n_neighbors, units, options
        As in :func:`mutual_information`.
    n_simulations : int, default=8
        Simulated data sets for each planted MI but 0, which has 19.
    groups, block
        As in :func:`independence_test`.
    test : IndependenceTest or None, default=None
        A test of the same data, by the same method, if there is one already: the verdict then begins with its p-value
        instead of 19 pairings of its own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of everything.
    n_jobs : int or None, default=-1
        Parallel fits; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.

    Returns
    -------
    Diagnosis
        `verdict` has two or three plain sentences; the attributes have what they rest on.

    Notes
    -----
    About 85 fits of `method`. A planted MI keeps both tables as they are and re-pairs their rows: ranks along the
    first principal components of X and of Y get a Gaussian copula with just that MI, and nothing else is shared. What
    the method answers there says which bias and which power to expect at this n, with these columns, for a dependence
    of that simple kind; a more intricate one is harder.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, random_state=4)
    >>> found = infold.diagnose(data.X, data.Y, method="ksg", random_state=0)
    >>> print(found.verdict[0])
    X and Y are dependent: ...
    >>> sorted(found.methods)
    ['auto', 'cca', 'gksg', 'ksg']
    """
    from .core.rows import copied_share, intrinsic_dimension, memory

    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    check_count("n_simulations", n_simulations, minimum=2)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    x, y = check_pair(X, Y, n_neighbors=estimator.n_neighbors)
    shuffle = make_shuffle(len(x.values), groups, block)
    estimator.fit(X, Y)
    n, k, mi = len(x.values), estimator.n_neighbors, estimator.mi_

    levels = (0.0, SMALL, MIDDLE, mi if mi > MIDDLE + SMALL else LARGE)
    # Where rows may change places freely, what is planted with MI 0 are random pairings.
    own_pairings = test is None and (groups is not None or block is not None)
    work = _planned(estimator, x, y, method, levels, n_simulations, shuffle, own_pairings, random_state)
    answers = in_order(_call, [task for _, task in work], n_jobs=n_jobs, label="diagnosis", verbose=verbose)
    found: dict[tuple[str, Any], list[Outcome]] = {}
    for (name, _), answer in zip(work, answers, strict=True):
        found.setdefault(name, []).append(answer)
    values = {name: np.array([one.mi for one in outcomes]) / unit for name, outcomes in found.items()}

    def of(kind: str) -> dict[Any, np.ndarray]:
        return {key: each for (family, key), each in values.items() if family == kind}

    over_size = {size: (float(each.mean()), _within_rounds(each, n // size)) for size, each in of("size").items()}
    over_neighbors = {**{key: float(each[0]) for key, each in of("neighbors").items()}, k: mi / unit}
    methods = {
        method: mi / unit,
        **{name: float(each[0]) for name, each in of("method").items()},
        "cca": cca(x, y) / unit,
    }
    if method not in (*COMPARED, "cca"):
        del methods[method]
    planted = _planted_rows(levels, found, unit)
    ties, both = tied_columns(x, y), np.hstack([x.values, y.values])
    copied = copied_share(both)
    within = shuffle.groups if groups is not None else ()
    memories = memory(x.values, within), memory(y.values, within)
    remembers = max(m.pvalue for m in memories) <= ALPHA_MEMORY
    advised = suggested_block(memories[0].length, memories[1].length) if remembers and block is None else None
    notes = told(
        (
            few_samples_note(n, len(both[0])),
            memory_note(x, y, block, within),
            ceiling_note(mi, n, k),
            ties_note(ties),
            copies_note(copied),
        )
    )
    if test is None:
        kind = ("pairing", 0) if own_pairings else ("planted", 0.0)
        null = found[kind]
        pvalue = (1 + sum(one.statistic >= estimator.test_statistic_ for one in null)) / (1 + len(null))
        beside = len(null), *mean_and_deviation(values[kind])
    else:
        # Where the test compares something else than MI, 19 free pairings say what the method answers to nothing.
        told_mi = test.null if test.statistic_name == "mi" else values["planted", 0.0]
        pvalue, beside = test.pvalue, (test.n_permutations, *mean_and_deviation(told_mi))
    evidence = Evidence(
        mi=mi / unit,
        units=units,
        n_samples=n,
        n_columns=both.shape[1],
        pvalue=pvalue,
        null=beside,
        error=over_size[n // 2][1] / math.sqrt(2) if n // 2 in over_size else math.nan,
        over_size=[mean for mean, _ in over_size.values()] + [mi / unit],
        over_neighbors=[over_neighbors[key] for key in sorted(over_neighbors)],
        smallest=min(over_size, default=n),
        own=sorted(over_neighbors).index(k),
        methods=methods,
        method=method,
        planted=planted,
        near_ceiling=ceiling_note(mi, n, k) is not None,
        mostly_tied=ties_note(ties) is not None or copies_note(copied) is not None,
        block=advised,
    )
    return Diagnosis(
        estimate=as_result(estimator, method, units),
        over_neighbors=dict(sorted(over_neighbors.items())),
        over_size={**over_size, n: (mi / unit, 0.0)},
        ceiling=ceiling(n, k) / unit,
        log_n=math.log(n) / unit,
        tied_columns=ties,
        duplicate_rows=copied,
        intrinsic_dimension={
            "x": intrinsic_dimension(x.values),
            "y": intrinsic_dimension(y.values),
            "joint": intrinsic_dimension(both),
        },
        methods=methods,
        planted=planted,
        autocorrelation={
            "x": (memories[0].lag_1, memories[0].pvalue),
            "y": (memories[1].lag_1, memories[1].pvalue),
            "block": advised,
        },
        verdict=verdict(evidence),
        notes=notes,
        **described(estimator, method, units),
    )


def _planned(
    estimator: MutualInformationEstimator,
    x: Table,
    y: Table,
    method: str,
    levels: tuple[float, ...],
    n_simulations: int,
    shuffle: Shuffle,
    own_pairings: bool,
    random_state: Any,
) -> list[tuple[tuple[str, Any], tuple[Any, ...]]]:
    """Return all fits as ((kind, key), task), long ones first."""
    n, k = len(x.values), estimator.n_neighbors
    seeds = iter(seeds_for(random_state, 120 + len(levels) * n_simulations))
    work: list[tuple[tuple[str, Any], tuple[Any, ...]]] = []
    for other in COMPARED:
        if other != method:
            work.append(
                (("method", other), (refitted, make_estimator(other, None, 0, 1, 0, {}), x, y, None, None, next(seeds)))
            )
    for other_k in NEIGHBORS:
        if other_k != k and other_k < n // 2:
            work.append((("neighbors", other_k), (refitted, estimator, x, y, None, None, next(seeds), other_k)))
    along = main_direction(x.values), main_direction(y.values)
    for level in levels:
        for _ in range(n_simulations if level else N_NULL):
            work.append((("planted", level), (planted_fit, estimator, x, y, along, level, next(seeds))))
    if own_pairings:
        for seed in (next(seeds) for _ in range(N_NULL)):
            work.append((("pairing", 0), (refitted, estimator, x, y, None, shuffle.draw(seed), seed)))
    for parts, rounds in ROUNDS.items():
        if n // parts > k:
            for _ in range(rounds):
                for rows, seed in partition_tasks(shuffle, parts, next(seeds)):
                    work.append((("size", n // parts), (refitted, estimator, x, y, rows, rows, seed)))
    return work


def mean_and_deviation(values: np.ndarray) -> tuple[float, float]:
    """Return both, the deviation as 0 where it is but rounding."""
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return float(values.mean()), deviation if deviation > 1e-12 else 0.0


def _call(task: Any, *arguments: Any) -> Any:
    return task(*arguments)


def _within_rounds(values: np.ndarray, parts: int) -> float:
    """Return the standard deviation of estimates from parts that share no row."""
    deviation = float(math.sqrt(values.reshape(-1, parts).var(axis=1, ddof=1).mean()))
    return deviation if deviation > 1e-12 else 0.0


def _planted_rows(
    levels: tuple[float, ...], found: dict[tuple[str, Any], list[Outcome]], unit: float
) -> tuple[Mapping[str, float], ...]:
    """Return what the method made of each planted MI."""
    threshold = max(one.statistic for one in found["planted", 0.0])
    rows = []
    for level in levels:
        values = np.array([one.mi for one in found["planted", level]]) / unit
        mean, true = float(values.mean()), level / unit
        power = float(np.mean([one.statistic > threshold for one in found["planted", level]])) if level else 0.05
        rows.append({"true": true, "mean": mean, "sd": float(values.std(ddof=1)), "bias": mean - true, "power": power})
    return tuple(rows)


def main_direction(table: np.ndarray) -> np.ndarray:
    """Return the position of each row along the first principal component of the standardised columns."""
    varying = table[:, table.min(axis=0) < table.max(axis=0)]
    if varying.shape[1] == 0:
        return np.zeros(len(table))
    z = varying / np.abs(varying).max(axis=0)  # so that squares can neither overflow nor vanish
    z = z - z.mean(axis=0)
    z /= z.std(axis=0)
    return np.linalg.svd(z, full_matrices=False)[0][:, 0]


def planted_rows(along: tuple[np.ndarray, np.ndarray], true: float, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return an order of the rows of X, one of the rows of Y, and a seed, such that I(X; Y) = `true` nats.

    The ranks of the rows of X along X's main direction are those of a normal variable, Y's those of another with the
    right correlation. Given these ranks the rest of X knows nothing of Y, so their MI is that of the two variables.
    """
    rng = np.random.default_rng(seed)
    n = len(along[0])
    rho = math.sqrt(-math.expm1(-2 * true))
    u = rng.standard_normal(n)
    v = rho * u + math.exp(-true) * rng.standard_normal(n)
    orders = []
    for latent, position in zip((u, v), along, strict=True):
        shuffled = rng.permutation(n)  # ties take a random order
        rows = np.empty(n, np.intp)
        rows[np.argsort(latent)] = shuffled[np.argsort(position[shuffled], kind="stable")]
        orders.append(rows)
    return orders[0], orders[1], int(rng.integers(2**62))


def planted_fit(
    estimator: MutualInformationEstimator,
    x: Table,
    y: Table,
    along: tuple[np.ndarray, np.ndarray],
    true: float,
    seed: int,
) -> Outcome:
    """Fit re-paired rows with I(X; Y) = `true` nats."""
    return refitted(estimator, x, y, *planted_rows(along, true, seed))


def cca(x: Table, y: Table) -> float:
    """Return the Gaussian MI of the columns' normal scores, less its bias, in nats; NaN with more columns than rows."""
    from .core.copula.gaussian import gaussian_part
    from .core.copula.scores import copula_columns

    rng = np.random.default_rng(0)  # for the order within ties
    varying = [t.values[:, t.values.min(axis=0) < t.values.max(axis=0)] for t in (x, y)]
    if not all(values.shape[1] for values in varying):
        return 0.0
    a, b = (copula_columns(values, rng)[0] for values in varying)
    return gaussian_part(a, b).mi if a.shape[1] + b.shape[1] < len(a) - 1 else math.nan
