"""By how much KSG on a view exceeds KSG on Gaussian surrogates; rows are samples, (n, p).

What KSG loses or gains for reasons of dimension, sample size or overfitted coordinates, it loses or gains on surrogates
as well; what is left over is the *excess*.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.stats import norm
from scipy.stats import t as student_t

from infold.parallel.scheduler import run

from . import views
from .gaussian import FLAT, gaussian_part
from .scores import normal_scores
from .screen import either
from .views import COLUMNS, RADII, SHARP, SMOOTH, TURNED, Pair, Plan, View

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


def proven_by_either(usual: Excess, smooth: Excess) -> Excess:
    """Return the usual excess, as sure as the surer of the two."""
    pvalue = either(min(usual.pvalue, smooth.pvalue), 2)
    return usual._replace(z=max(usual.z, smooth.z), pvalue=float(pvalue))


def without_loss(excess: Excess, shown: float) -> Excess:
    """Return an excess divided by the share of it that KSG shows: `shown`, on surrogates that have it."""
    share = min(1.0, max(shown / excess.value, LEAST_SHARE))
    return excess._replace(value=excess.value / share, deviation=excess.deviation / share, share=share)


def with_own_part(view: View, above: Excess) -> Excess:
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
        return views.ksg_values(views.all_views(pair._replace(b=pair.b[rows], rest_b=pair.rest_b[rows]), plan))

    tasks = [(None,), *((int(seed),) for seed in seeds)]
    data, *null = run(values, tasks, n_jobs=n_jobs, label="pairings", verbose=verbose)
    pvalues = [excess_over(np.array([row[view] for row in null]), value).pvalue for view, value in data.items()]
    return float(either(min(pvalues), len(pvalues)))


class GaussianTwin(NamedTuple):
    """How to draw surrogates of two tables: from the root of their correlations, and from that of their radii's."""

    pair: Pair
    plan: Plan
    root: np.ndarray
    radii_root: np.ndarray | None

    def sample(self, rng: np.random.Generator) -> Pair:
        """Return Gaussian tables in place of the pair's, as normal scores."""
        n, p = self.pair.a.shape
        z = normal_scores(gaussian_sample(self.root, n, rng))
        return self.pair._replace(a=z[:, :p], b=z[:, p:])

    def values(self, seed: int) -> dict[str, float]:
        """Return KSG's estimates of all views of one surrogate."""
        rng = np.random.default_rng(seed)
        found = views.column_views(self.sample(rng), self.plan)
        if self.radii_root is not None:
            z = normal_scores(gaussian_sample(self.radii_root, len(self.pair.a), rng))
            found[RADII] = (z[:, :1], z[:, 1:]), views.RADII_NEIGHBORS
        return views.ksg_values(found)

    def turned_value(self, name: str, seed: int) -> float:
        """Return KSG's estimate of one turned view of one surrogate."""
        found = views.learned_views(TURNED, self.sample(np.random.default_rng(seed)), self.plan)
        return float(views.ksg_local(*found[name]).mean())


def judged(data: dict[str, float], null: dict[str, np.ndarray], two_radii: View | None) -> dict[str, Excess]:
    """Return by how much each view's value exceeds those of the surrogates; one for the columns' usual and smooth k."""
    found = {view: excess_over(null[view], value) for view, value in data.items()}
    usual = found[COLUMNS]
    if SHARP in found:
        # The nearest neighbour alone is noisy: taken by itself it would show an excess where there is none. It is as
        # sure as the weaker of two, the usual excess and the gain over it.
        gain = excess_over(null[SHARP] - null[COLUMNS], data[SHARP] - data[COLUMNS])
        found[SHARP] = found[SHARP]._replace(z=min(usual.z, gain.z), pvalue=max(usual.pvalue, gain.pvalue))
    if SMOOTH in found:
        found[COLUMNS] = proven_by_either(usual, found.pop(SMOOTH))
    if two_radii:
        found[RADII] = with_own_part(two_radii, found[RADII])
    return found


def excesses(pair: Pair, plan: Plan, seeds: Sequence[int], *, n_jobs: int | None, verbose: int) -> dict[str, Excess]:
    """Return the excess of every view of a pair of tables; batches of surrogates until they are settled."""
    n, p = pair.a.shape
    correlations = np.corrcoef(np.hstack([pair.a, pair.b]).T)
    own_views = views.all_views(pair, plan)
    two_radii = own_views[RADII][0] if RADII in own_views else None
    radii_root = symmetric_root(np.corrcoef(np.hstack(two_radii).T)) if two_radii else None
    twin = GaussianTwin(pair, plan, symmetric_root(correlations), radii_root)

    def values(seed: int | None) -> dict[str, float]:
        return views.ksg_values(own_views) if seed is None else twin.values(seed)

    compute = partial(run, n_jobs=n_jobs, label="surrogates", verbose=verbose)
    tasks = [(None,), *((int(seed),) for seed in seeds)]
    batch = BATCH if n <= MANY_ROWS else SMALL_BATCH
    rows: list[dict[str, float]] = []
    for stop in range(1 + batch, 2 + len(seeds), batch):
        rows += compute(values, tasks[len(rows) : stop])
        null = {view: np.array([row[view] for row in rows[1:]]) for view in rows[0]}
        found = judged(rows[0], null, two_radii)
        if n > MANY_ROWS or settled(found.values()):
            break
    for view, e in found.items():
        if view.startswith(TURNED) and view != f"{TURNED} 1" and e.value > 0 and e.pvalue < UNCLEAR[0]:
            more = raised(correlations, p, int(view.split()[1]), e.value)
            with_excess = twin._replace(root=symmetric_root(more))
            shown = compute(with_excess.turned_value, [(view, int(seed)) for seed in seeds[:batch]])
            found[view] = without_loss(e, float(np.mean(shown - null[view][:batch])))
    return found
