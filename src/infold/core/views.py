"""KSG on several views of two tables, and by how much it exceeds KSG on Gaussian surrogates; rows are samples, (n, p).

A view is a pair of tables computed from the pair (a, b): the columns themselves, two radii, learned coordinates. What
KSG loses or gains for reasons of dimension, sample size or overfitted coordinates, it loses or gains on the
surrogates as well; what is left over is the *excess*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student_t

from .copula import normal_scores, orthonormal
from .jit import kernel, kernel_without_nan
from .neighbors import count_below, digammas, kth_smallest
from .parallel import run

SHARP, COLUMNS, RADII = "sharp columns", "columns", "radii"
SHARP_NEIGHBORS = 1  # above 2 nats KSG loses about .1 nat for each further neighbour
BATCH, MAX_SURROGATES = 10, 30  # ten settle a clear case, their mean being off by sd / 3; thirty an unclear one
UNCLEAR = (1e-4, 5e-2)  # an excess with such a p deserves another batch

N_COORDINATES = 3  # learned coordinates a side: KSG loses what a fourth would add
N_RADIAL_WAVES = 2  # linear maps that turn with the radius: half a wave and a whole one over its ranks
RIDGE_ROWS = 5  # ridge of the learned coordinates: the weight of five rows
CENTRES_PER_SQRT_N, MAX_CENTRES = 2.2, 100  # 49 bumps at n = 500
MAX_QUERIES = 2000  # rows whose neighbours are counted; of more rows a sample, so that cost grows like n, not n²

View = tuple[np.ndarray, np.ndarray]


class Plan(NamedTuple):
    """What data and surrogates share: KSG's k, the rows queried, the rows that are centres of bumps."""

    n_neighbors: int
    queries: np.ndarray
    centres: np.ndarray


class Excess(NamedTuple):
    """How far one view of the data lies above the same view of its surrogates."""

    value: float
    deviation: float  # of one surrogate
    z: float
    pvalue: float


def make_plan(n: int, n_neighbors: int, rng: np.random.Generator) -> Plan:
    """Draw the rows that data and surrogates share."""
    queries = np.sort(rng.choice(n, min(n, MAX_QUERIES), replace=False))
    n_centres = min(n, MAX_CENTRES, round(CENTRES_PER_SQRT_N * math.sqrt(n)))
    return Plan(n_neighbors, queries, rng.choice(n, n_centres, replace=False))


# KSG at some of the rows. Views are normal scores: no ties, sizes of a few units, so float32 does.


@kernel_without_nan
def max_norm_row(points, i, away):
    """Fill `away` with the max-norm distances of row i to all rows; points (d, n), contiguous.

    Four coordinates a sweep: `away` is read and written a quarter as often.
    """
    d, n = points.shape
    away[:] = 0
    whole = d - d % 4
    for f in range(0, whole, 4):
        r0, r1, r2, r3 = points[f], points[f + 1], points[f + 2], points[f + 3]
        c0, c1, c2, c3 = r0[i], r1[i], r2[i], r3[i]
        for j in range(n):
            front = max(abs(r0[j] - c0), abs(r1[j] - c1))
            back = max(abs(r2[j] - c2), abs(r3[j] - c3))
            away[j] = max(away[j], max(front, back))
    for f in range(whole, d):
        row, centre = points[f], points[f, i]
        for j in range(n):
            away[j] = max(away[j], abs(row[j] - centre))


@kernel
def ksg_rows(x, y, queries, ks, psi, out):
    """Fill out[t, m] with the local MI of row queries[m] by KSG, k = ks[t]; x (d_x, n), y (d_y, n), no equal rows."""
    n = x.shape[1]
    in_x, in_y, joint = np.empty(n, x.dtype), np.empty(n, x.dtype), np.empty(n, x.dtype)
    for m in range(queries.size):
        i = queries[m]
        max_norm_row(x, i, in_x)
        max_norm_row(y, i, in_y)
        for j in range(n):
            joint[j] = max(in_x[j], in_y[j])
        joint[i] = np.inf
        for t in range(ks.size):
            radius = kth_smallest(joint, ks[t])
            # The row itself is at distance 0: it is the "+ 1" of the formula.
            n_x, n_y = count_below(in_x, radius), count_below(in_y, radius)
            out[t, m] = psi[ks[t]] + psi[n] - psi[n_x] - psi[n_y]


def ksg_local(view: View, plan: Plan, *ks: int) -> np.ndarray:
    """Return KSG's local values of a view at the plan's rows, (len(ks), queries)."""
    x, y = (np.ascontiguousarray(side.T, dtype=np.float32) for side in view)
    out = np.empty((len(ks), plan.queries.size))
    ksg_rows(x, y, plan.queries, np.array(ks), digammas(x.shape[1]), out)
    return out


# Views.


def radii(a: np.ndarray, b: np.ndarray) -> View:
    """Return the radii of the two sides after whitening them jointly and symmetrically, as normal scores.

    For every elliptical law with scatter R, such as Student's t, MI is the Gaussian part of R plus the MI of these two
    radii, exactly; on Gaussian data they are independent.
    """
    z = np.hstack([a, b])
    z = z - z.mean(axis=0)
    w, v = np.linalg.eigh(z.T @ z / len(z))
    white = z @ (v / np.sqrt(np.where(w > 1e-8 * w[-1], w, np.inf))) @ v.T
    squared = white**2
    p = a.shape[1]
    both = normal_scores(np.column_stack([squared[:, :p].sum(axis=1), squared[:, p:].sum(axis=1)]))
    return both[:, :1], both[:, 1:]


def features(a: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the columns, Gaussian bumps around some rows, and the columns times waves of the radius."""
    n, p = a.shape
    squared = (a**2).sum(axis=1)
    bumps = np.exp((2 * a @ a[centres].T - squared[:, None] - squared[centres]) / (2 * p))
    radius = np.empty(n)
    radius[np.argsort((orthonormal(a) ** 2).sum(axis=1), kind="stable")] = (np.arange(n) + 0.5) / n
    turning = [a * np.cos(np.pi * m * radius)[:, None] for m in range(1, N_RADIAL_WAVES + 1)]
    return np.hstack([a, bumps, *turning])


def ridge_whitened(columns: np.ndarray) -> np.ndarray:
    """Return standardised columns in uncorrelated directions, the weak ones damped."""
    columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    w, v = np.linalg.eigh(columns.T @ columns / len(columns))
    return columns @ (v / np.sqrt(np.maximum(w, 0) + RIDGE_ROWS / len(columns)))


def learned_coordinates(a: np.ndarray, b: np.ndarray, centres: np.ndarray) -> View:
    """Return the leading coordinates of a ridge kernel CCA on `features`, as normal scores."""
    white_a, white_b = ridge_whitened(features(a, centres)), ridge_whitened(features(b, centres))
    u, _, vt = np.linalg.svd(white_a.T @ white_b, full_matrices=False)
    return normal_scores(white_a @ u[:, :N_COORDINATES]), normal_scores(white_b @ vt[:N_COORDINATES].T)


def views(a: np.ndarray, b: np.ndarray, plan: Plan) -> dict[str, View]:
    """Return every view of the normal scores a and b, by name."""
    found = {COLUMNS: (a, b)}
    if a.shape[1] + b.shape[1] > 2:
        found[RADII] = radii(a, b)
    u, v = learned_coordinates(a, b, plan.centres)
    for r in range(1, u.shape[1] + 1):
        found[f"learned {r}"] = u[:, :r], v[:, :r]
    return found


def view_values(a: np.ndarray, b: np.ndarray, plan: Plan) -> dict[str, float]:
    """Return KSG's estimate for every view, and first for a sharp look at the columns, with the nearest neighbour."""
    found = views(a, b, plan)
    sharp, usual = ksg_local(found.pop(COLUMNS), plan, SHARP_NEIGHBORS, plan.n_neighbors).mean(axis=1)
    others = {name: float(ksg_local(view, plan, plan.n_neighbors).mean()) for name, view in found.items()}
    return {SHARP: float(sharp), COLUMNS: float(usual), **others}


def view_local(name: str, a: np.ndarray, b: np.ndarray, plan: Plan) -> np.ndarray:
    """Return KSG's local values for the view `name`, at the plan's rows."""
    k = SHARP_NEIGHBORS if name == SHARP else plan.n_neighbors
    return ksg_local(views(a, b, plan)[COLUMNS if name == SHARP else name], plan, k)[0]


# Surrogates.


def correlation_root(z: np.ndarray) -> np.ndarray:
    """Return the symmetric square root of the columns' correlation matrix."""
    w, v = np.linalg.eigh(np.corrcoef(z.T))
    return (v * np.sqrt(np.maximum(w, 0))) @ v.T


def gaussian_sample(root: np.ndarray, n: int, seed: int) -> np.ndarray:
    """Return n > len(root) Gaussian rows, conditioned to have exactly the sample correlations root @ root.

    Given its sample correlations, the law of a Gaussian sample does not depend on the true ones: Gaussian data and
    such a sample are exchangeable, whatever the view and however it overfits.
    """
    z = np.random.default_rng(seed).standard_normal((n, len(root)))
    q, _ = np.linalg.qr(z - z.mean(axis=0))
    return q @ root


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


def excesses(
    a: np.ndarray, b: np.ndarray, plan: Plan, seeds: Sequence[int], *, sharp: bool, n_jobs: int | None, verbose: int
) -> dict[str, Excess]:
    """Return the excess of every view of the normal scores a and b; batches of surrogates until no p is unclear.

    `sharp` says whether the sharp look at the columns is among them.
    """
    root = correlation_root(np.hstack([a, b]))
    n, p = a.shape

    def surrogate(seed):
        z = normal_scores(gaussian_sample(root, n, seed))
        return view_values(z[:, :p], z[:, p:], plan)

    tasks = [(view_values, a, b, plan), *((surrogate, int(seed)) for seed in seeds)]
    rows: list[dict[str, float]] = []
    found: dict[str, Excess] = {}
    for stop in range(1 + BATCH, 2 + len(seeds), BATCH):
        batch = tasks[len(rows) : stop]
        rows += run(lambda task, *given: task(*given), batch, n_jobs=n_jobs, label="surrogates", verbose=verbose)
        null = {view: np.array([row[view] for row in rows[1:]]) for view in rows[0]}
        found = {view: excess_over(null[view], value) for view, value in rows[0].items()}
        gain = excess_over(null[SHARP] - null[COLUMNS], rows[0][SHARP] - rows[0][COLUMNS])
        found[SHARP] = sharpened(found[SHARP], found[COLUMNS], gain)
        if not sharp:
            del found[SHARP]
        if not any(UNCLEAR[0] < e.pvalue < UNCLEAR[1] for e in found.values()):
            break
    return found
