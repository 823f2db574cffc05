"""By how much KSG on a view exceeds KSG on Gaussian surrogates; rows are samples, (n, p).

What KSG loses or gains for reasons of dimension, sample size or overfitted coordinates, it loses or gains on surrogates
as well; what is left over is the *excess*.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.stats import norm
from scipy.stats import t as student_t

from .copula import FLAT, either, gaussian_part, normal_scores
from .parallel import run
from .views import (
    COLUMNS,
    RADII,
    RADII_NEIGHBORS,
    SHARP,
    SMOOTH,
    TURNED,
    Pair,
    Plan,
    View,
    guided_values,
    ksg_local,
    learned_views,
    radii,
)

BATCH, MAX_SURROGATES = 10, 30  # ten settle a clear case, their mean being off by sd / 3; thirty an unclear one
MANY_ROWS, SMALL_BATCH = 5000, 5  # with many rows sd is small beside any excess that matters: five do
UNCLEAR = (1e-4, 2e-2)  # p of an excess that deserves another batch: it may come to count, and does not for sure
LEAST_SHARE = 0.75  # what KSG is taken to show of an excess, at least: a larger loss is no small correction
CERTAIN = 1 - 1e-9  # canonical correlations beyond are 1 up to rounding


class Excess(NamedTuple):
    """How far one view of the data lies above the same view of its surrogates."""

    value: float
    deviation: float  # of one surrogate
    z: float
    pvalue: float
    share: float = 1.0  # what KSG shows of it; `value` is after the division by it


def symmetric_root(matrix: np.ndarray) -> np.ndarray:
    """Return the symmetric square root of a correlation matrix."""
    w, v = np.linalg.eigh(matrix)
    return (v * np.sqrt(np.maximum(w, 0))) @ v.T


def raised(correlations: np.ndarray, p: int, n_pairs: int, nats: float) -> np.ndarray:
    """Return correlations of p + q columns with `nats` more, shared equally by the first canonical pairs.

    All else stays: the correlations within either side, the canonical directions, the other pairs.
    """
    root_x, root_y = symmetric_root(correlations[:p, :p]), symmetric_root(correlations[p:, p:])
    inverse_x, inverse_y = (np.linalg.pinv(root, rcond=FLAT, hermitian=True) for root in (root_x, root_y))
    u, s, vt = np.linalg.svd(inverse_x @ correlations[:p, p:] @ inverse_y, full_matrices=False)
    more = -0.5 * np.log1p(-(np.minimum(s, CERTAIN) ** 2))
    more[:n_pairs] += nats / n_pairs
    across = root_x @ (u * np.sqrt(-np.expm1(-2 * more))) @ vt @ root_y
    return np.block([[correlations[:p, :p], across], [across.T, correlations[p:, p:]]])


def gaussian_sample(root: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return n > len(root) Gaussian rows, conditioned to have exactly the sample correlations root @ root.

    Given its sample correlations, the law of a Gaussian sample does not depend on the true ones: Gaussian data and
    such a sample are exchangeable, whatever the view and however it overfits.
    """
    z = rng.standard_normal((n, len(root)))
    z -= z.mean(axis=0)
    # z times the inverse of its Cholesky factor is orthonormal, and as random as z allows.
    return z @ solve_triangular(cholesky(z.T @ z), root)


def excess_over(null: np.ndarray, value: float) -> Excess:
    """Return the one-sided t-test of one new value against the values of the surrogates."""
    deviation = max(float(null.std(ddof=1)), 1e-6)  # equal surrogates: only with a handful of rows
    above = value - float(null.mean())
    z = above / (deviation * math.sqrt(1 + 1 / null.size))
    return Excess(above, deviation, z, float(student_t.sf(z, null.size - 1)))


def sharpened(sharp: Excess, usual: Excess, gain: Excess) -> Excess:
    """Return the sharp look's excess, as sure as the weaker of two: the usual look's, and the gain over it.

    The nearest neighbour alone is noisy: taken by itself it would show an excess where there is none.
    """
    return sharp._replace(z=min(usual.z, gain.z), pvalue=max(usual.pvalue, gain.pvalue))


def proven_by_either(usual: Excess, smooth: Excess) -> Excess:
    """Return the usual look's excess, as sure as the surer of the two."""
    pvalue = either(min(usual.pvalue, smooth.pvalue), 2)
    return usual._replace(z=max(usual.z, smooth.z), pvalue=float(pvalue))


def without_loss(excess: Excess, shown: float) -> Excess:
    """Return an excess divided by the share of it that KSG shows: `shown`, on surrogates that have it."""
    share = min(1.0, max(shown / excess.value, LEAST_SHARE))
    return excess._replace(value=excess.value / share, deviation=excess.deviation / share, share=share)


def with_guide(view: View, above: Excess) -> Excess:
    """Return a view's own Gaussian part plus its excess over surrogates with the view's own correlations.

    Right for radii, which have no correlation if the data are Gaussian: nothing is counted twice.
    """
    own = gaussian_part(*view)
    pvalue = either(min(above.pvalue, own.pvalue), 2)
    error = math.hypot(above.deviation, own.standard_error if own.n_pairs else 0.0)
    return Excess(own.mi + above.value, error, float(norm.isf(max(pvalue, 1e-300))), pvalue)


def settled(found: Collection[Excess]) -> bool:
    """Return whether more surrogates would change little: no unclear excess is larger than all clear ones."""
    clear, unclear = UNCLEAR
    largest = max((e.value for e in found if e.pvalue <= clear), default=0.0)
    return not any(clear < e.pvalue < unclear and e.value > largest for e in found)


def pairing_pvalue(pair: Pair, plan: Plan, seeds: Sequence[int], *, n_jobs: int | None, verbose: int) -> float:
    """Return the p-value of no dependence, by the views of rows that are paired at random.

    Surrogates have Gaussian sides. Sides of another shape, such as columns that share a scale, can move KSG more than
    surrogates show although they are independent of each other; random pairings keep the sides as they are.
    """

    def values(seed: int | None) -> dict[str, float]:
        rows = np.arange(len(pair.a)) if seed is None else np.random.default_rng(seed).permutation(len(pair.a))
        own = pair._replace(b=pair.b[rows], rest_b=pair.rest_b[rows])
        found = guided_values(own, plan)
        if pair.a.shape[1] + pair.b.shape[1] > 2:
            found[RADII] = float(ksg_local(radii(own.a, own.b), RADII_NEIGHBORS).mean())
        return found

    tasks = [(None,), *((int(seed),) for seed in seeds)]
    data, *null = run(values, tasks, n_jobs=n_jobs, label="pairings", verbose=verbose)
    pvalues = [excess_over(np.array([row[view] for row in null]), value).pvalue for view, value in data.items()]
    return float(either(min(pvalues), len(pvalues)))


def excesses(pair: Pair, plan: Plan, seeds: Sequence[int], *, n_jobs: int | None, verbose: int) -> dict[str, Excess]:
    """Return the excess of every view of a pair of tables; batches of surrogates until they are settled."""
    n, p = pair.a.shape
    correlations = np.corrcoef(np.hstack([pair.a, pair.b]).T)
    root = symmetric_root(correlations)
    two = radii(pair.a, pair.b) if len(root) > 2 else None  # of one column a side, radii are the columns' sizes
    root_two = symmetric_root(np.corrcoef(np.hstack(two).T)) if two else None

    def values(own: Pair, own_radii: View | None) -> dict[str, float]:
        far = {RADII: float(ksg_local(own_radii, RADII_NEIGHBORS).mean())} if own_radii else {}
        return guided_values(own, plan) | far

    def sample(own_root: np.ndarray, rng: np.random.Generator) -> Pair:
        z = normal_scores(gaussian_sample(own_root, n, rng))
        return pair._replace(a=z[:, :p], b=z[:, p:])

    def surrogate(seed: int) -> dict[str, float]:
        rng = np.random.default_rng(seed)
        own, far = sample(root, rng), None
        if root_two is not None:
            both = normal_scores(gaussian_sample(root_two, n, rng))
            far = both[:, :1], both[:, 1:]
        return values(own, far)

    def turned_value(view: str, own_root: np.ndarray, seed: int) -> float:
        own = sample(own_root, np.random.default_rng(seed))
        return float(ksg_local(learned_views(TURNED, own, plan)[view], plan.n_neighbors).mean())

    def compute(tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        return run(lambda task, *given: task(*given), tasks, n_jobs=n_jobs, label="surrogates", verbose=verbose)

    tasks = [(values, pair, two), *((surrogate, int(seed)) for seed in seeds)]
    batch = BATCH if n <= MANY_ROWS else SMALL_BATCH
    rows: list[dict[str, float]] = []
    found: dict[str, Excess] = {}
    null: dict[str, np.ndarray] = {}
    for stop in range(1 + batch, 2 + len(seeds), batch):
        rows += compute(tasks[len(rows) : stop])
        null = {view: np.array([row[view] for row in rows[1:]]) for view in rows[0]}
        found = {view: excess_over(null[view], value) for view, value in rows[0].items()}
        if plan.sharp:
            gain = excess_over(null[SHARP] - null[COLUMNS], rows[0][SHARP] - rows[0][COLUMNS])
            found[SHARP] = sharpened(found[SHARP], found[COLUMNS], gain)
        if SMOOTH in found:
            found[COLUMNS] = proven_by_either(found[COLUMNS], found.pop(SMOOTH))
        if two:
            found[RADII] = with_guide(two, found[RADII])
        if n > MANY_ROWS or settled(found.values()):
            break
    for view, e in found.items():
        if view.startswith(TURNED) and view != f"{TURNED} 1" and e.value > 0 and e.pvalue < UNCLEAR[0]:
            own_root = symmetric_root(raised(correlations, p, int(view.split()[1]), e.value))
            shown = compute([(turned_value, view, own_root, int(seed)) for seed in seeds[:batch]])
            found[view] = without_loss(e, float(np.mean(shown - null[view][:batch])))
    return found
