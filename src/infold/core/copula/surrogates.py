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
from scipy.stats import t as student_t

from infold.parallel.scheduler import run

from .gaussian import FLAT
from .scores import normal_scores
from .views import Pair, turned_locals

BATCH, MAX_SURROGATES = 10, 30  # ten settle a clear case, their mean being off by sd / 3; thirty an unclear one
MANY_ROWS, SMALL_BATCH = 5000, 5  # with many rows sd is small compared with any excess that matters: five suffice
UNCLEAR = (1e-4, 2e-2)  # p of an excess that deserves another batch: it may come to count, and does not for sure
LEAST_SHARE = 0.75  # what KSG is taken to show of an excess, at least: a larger loss is no small correction
CERTAIN = 1 - 1e-9  # canonical correlations beyond are 1 up to rounding


class Excess(NamedTuple):
    """How far one view of the data lies above the same view of its surrogates."""

    value: float
    deviation: float  # of one surrogate
    pvalue: float
    local: np.ndarray  # KSG's local values of the data's view


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


def gaussian_twin(pair: Pair, root: np.ndarray, seed: int) -> Pair:
    """Return Gaussian tables in place of the pair's, with the correlations root @ root, as normal scores."""
    n, p = pair.a.shape
    z = normal_scores(gaussian_sample(root, n, np.random.default_rng(seed)))
    return pair._replace(a=z[:, :p], b=z[:, p:])


def excess_over(null: np.ndarray, local: np.ndarray) -> Excess:
    """Return the one-sided t-test of the mean of local values against the values of the surrogates."""
    deviation = max(float(null.std(ddof=1)), 1e-6)  # equal surrogates: only with a handful of rows
    above = float(local.mean() - null.mean())
    z = above / (deviation * math.sqrt(1 + 1 / null.size))
    return Excess(above, deviation, float(student_t.sf(z, null.size - 1)), local)


def without_loss(excess: Excess, shown: float) -> Excess:
    """Return an excess divided by the share of it that KSG shows: `shown`, on surrogates that have it."""
    share = min(1.0, max(shown / excess.value, LEAST_SHARE))
    return excess._replace(value=excess.value / share, deviation=excess.deviation / share)


def settled(found: Collection[Excess]) -> bool:
    """Return whether more surrogates would change little: no unclear excess is larger than all clear ones."""
    clear, unclear = UNCLEAR
    largest = max((e.value for e in found if e.pvalue <= clear), default=0.0)
    return not any(clear < e.pvalue < unclear and e.value > largest for e in found)


def turned_excesses(pair: Pair, k: int, seeds: Sequence[int], *, n_jobs: int | None) -> list[Excess]:
    """Return the excess of each turned view; batches of surrogates until they are settled.

    Turned coordinates of two or three columns are, once turned, in a linear dependence. What KSG loses on it can be
    asked of Gaussian samples whose leading canonical pairs have been raised by the excess.
    """
    own = turned_locals(pair, k)
    if not own:
        return []
    n, p = pair.a.shape
    correlations = np.corrcoef(np.hstack([pair.a, pair.b]).T)
    compute = partial(run, n_jobs=n_jobs, label="surrogates", verbose=0)

    def values(root: np.ndarray, seed: int) -> list[float]:
        return [float(local.mean()) for local in turned_locals(gaussian_twin(pair, root, seed), k)]

    root, batch = symmetric_root(correlations), BATCH if n <= MANY_ROWS else SMALL_BATCH
    rows: list[list[float]] = []
    for stop in range(batch, 1 + len(seeds), batch):
        rows += compute(values, [(root, int(seed)) for seed in seeds[len(rows) : stop]])
        null = np.array(rows)
        found = [excess_over(null[:, i], local) for i, local in enumerate(own)]
        if n > MANY_ROWS or settled(found):
            break
    for i, e in enumerate(found):
        if i > 0 and e.value > 0 and e.pvalue < UNCLEAR[0]:
            larger = symmetric_root(raised(correlations, p, i + 1, e.value))
            with_excess = np.array(compute(values, [(larger, int(seed)) for seed in seeds[:batch]]))
            found[i] = without_loss(e, float(np.mean(with_excess[:, i] - null[:batch, i])))
    return found
