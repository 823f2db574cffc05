"""Can this number be trusted? Everything that says so, and a verdict in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import digamma

from ._validation import Table, check_choice, check_pair
from .estimators import MutualInformationEstimator
from .measures import DEFAULT_METHOD, as_result, make_estimator
from .resampling import Outcome, in_order, refitted, seeds_for
from .results import NATS_PER_UNIT, Diagnosis

PLANTED = (0.0, 0.1, 0.3, 1.0)  # nats
N_PLANTED = 19  # 19 independent ones: a value above all of them is a test at exactly 5 %
NEIGHBORS = (1, 2, 3, 5, 10, 20)
N_ROUNDS = 5  # partitions of the rows into halves, and into quarters


def diagnose(
    X: Any,
    Y: Any,
    *,
    method: str = DEFAULT_METHOD,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    **options: Any,
) -> Diagnosis:
    """Say whether an estimate can be trusted, and why.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, random_state=0)
    >>> found = infold.diagnose(data.X, data.Y, method="ksg", random_state=0)
    >>> sorted(found.methods)
    ['auto', 'cca', 'gksg', 'ksg']
    """
    from .core.rows import copied_share, intrinsic_dimension, memory, tied_share

    unit = NATS_PER_UNIT[check_choice("units", units, NATS_PER_UNIT)]
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options).fit(X, Y)
    x, y = check_pair(X, Y, n_neighbors=estimator.n_neighbors)
    n, k = len(x.values), estimator.n_neighbors
    seeds = seeds_for(random_state, 1000)
    drawn = iter(seeds)

    tasks: list[tuple[Any, ...]] = []
    names: list[tuple[Any, ...]] = []
    for few in sorted({*NEIGHBORS, k}):
        if few < n // 2:
            names.append(("k", few))
            tasks.append((refitted, estimator, x, y, None, None, next(drawn), few))
    for parts in (4, 2):
        for _ in range(N_ROUNDS):
            order = np.random.default_rng(next(drawn)).permutation(n)
            for i in range(parts):
                rows = order[i * (n // parts) : (i + 1) * (n // parts)]
                if len(rows) > k:
                    names.append(("n", n // parts))
                    tasks.append((refitted, estimator, x, y, rows, rows, next(drawn)))
    for true in PLANTED:
        for _ in range(N_PLANTED):
            names.append(("planted", true))
            tasks.append((planted, estimator, x, y, true, next(drawn)))
    for other in ("ksg", "gksg", "auto"):
        names.append(("method", other))
        tasks.append((refitted, make_estimator(other, None, 0, 1, 0, {}), x, y, None, None, next(drawn)))
    answers = list(in_order(_call, tasks, n_jobs=n_jobs, label="diagnosis", verbose=verbose))
    found: dict[tuple[Any, ...], list[Outcome]] = {}
    for name, answer in zip(names, answers, strict=True):
        found.setdefault(name, []).append(answer)

    def mis(name: tuple[Any, ...]) -> np.ndarray:
        return np.array([a.mi for a in found[name]]) / unit

    over_size = {s: (float(mis(("n", s)).mean()), float(mis(("n", s)).std(ddof=1))) for kind, s in found if kind == "n"}
    over_size[n] = (estimator.mi_ / unit, 0.0)
    methods = {name: float(mis((kind, name))[0]) for kind, name in found if kind == "method"}
    methods["cca"] = cca(x, y) / unit
    threshold = max(a.statistic for a in found["planted", 0.0])
    plants = tuple(
        _plant_row(true / unit, mis(("planted", true)), found["planted", true], threshold) for true in PLANTED
    )
    memories = memory(x.values), memory(y.values)
    columns = [(t, side, c) for side, t in (("X", x), ("Y", y)) for c in range(t.values.shape[1])]
    ties = {(t.names[c] if t.names else f"{side}[{c}]"): tied_share(t.values[:, c]) for t, side, c in columns}
    both = np.hstack([x.values, y.values])
    return Diagnosis(
        estimate=as_result(estimator, method, units),
        over_neighbors={s: float(mis(("k", s))[0]) for kind, s in found if kind == "k"},
        over_size=over_size,
        ceiling=float(digamma(n) - digamma(k)) / unit,
        log_n=math.log(n) / unit,
        tied_columns={name: share for name, share in ties.items() if share},
        duplicate_rows=copied_share(both),
        intrinsic_dimension={
            name: intrinsic_dimension(t) for name, t in (("x", x.values), ("y", y.values), ("joint", both))
        },
        methods=methods,
        planted=plants,
        autocorrelation={
            "x": (memories[0].lag_1, memories[0].pvalue),
            "y": (memories[1].lag_1, memories[1].pvalue),
            "block": None,
        },
        verdict=("To be written.",),
        units=units,
        method=method,
        n_samples=n,
        n_features=(estimator.n_features_in_, estimator.n_features_y_),
        settings=estimator.get_params(),
        names=estimator._names,
    )


def _call(task: Any, *arguments: Any) -> Any:
    return task(*arguments)


def _plant_row(true: float, found: np.ndarray, outcomes: list[Outcome], threshold: float) -> Mapping[str, float]:
    power = float(np.mean([a.statistic > threshold for a in outcomes]))
    mean = float(found.mean())
    return {"true": true, "mean": mean, "sd": float(found.std(ddof=1)), "bias": mean - true, "power": power}


def main_direction(table: np.ndarray) -> np.ndarray:
    """Return the position of each row along the first principal component of the standardised columns."""
    varying = table[:, table.min(axis=0) < table.max(axis=0)]
    if varying.shape[1] == 0:
        return np.zeros(len(table))
    z = (varying - varying.mean(axis=0)) / varying.std(axis=0)
    u, s, _ = np.linalg.svd(z, full_matrices=False)
    return u[:, 0] * s[0]


def planted(estimator: MutualInformationEstimator, x: Table, y: Table, true: float, seed: int) -> Outcome:
    """Re-pair the rows such that I(X; Y) = `true` nats and both margins stay what they are, and fit.

    The ranks of X and of Y along their first principal components are those of two normal variables with the right
    correlation; given these, the rest of X knows nothing of Y.
    """
    rng = np.random.default_rng(seed)
    n = len(x.values)
    rho = math.sqrt(-math.expm1(-2 * true))
    u = rng.standard_normal(n)
    v = rho * u + math.sqrt(1 - rho**2) * rng.standard_normal(n)
    rows_x, rows_y = np.empty(n, np.intp), np.empty(n, np.intp)
    for rows, table, latent in ((rows_x, x, u), (rows_y, y, v)):
        shuffled = rng.permutation(n)  # ties take a random order
        rows[np.argsort(latent)] = shuffled[np.argsort(main_direction(table.values)[shuffled], kind="stable")]
    return refitted(estimator, x, y, rows_x, rows_y, int(rng.integers(2**62)))


def cca(x: Table, y: Table) -> float:
    """Return the bias-corrected Gaussian MI of normal scores, in nats."""
    from .core.copula import copula_columns, gaussian_part

    rng = np.random.default_rng(0)
    varying = (t.values[:, t.values.min(axis=0) < t.values.max(axis=0)] for t in (x, y))
    a, b = (copula_columns(values, rng)[0] if values.shape[1] else values for values in varying)
    if a.shape[1] == 0 or b.shape[1] == 0 or a.shape[1] + b.shape[1] >= len(a) - 1:
        return math.nan
    return gaussian_part(a, b).mi
