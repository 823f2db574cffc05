"""Critics: log ratios of densities, joint to product, learned on some rows and asked about others; rows are samples.

A critic takes tables a (N, p) and b (N, q) and returns (c, N, N) in float32: c opinions of how well row i of a goes
with row j of b. Any critic gives a valid bound, a good one a high bound. All work on normal scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from ..copula.gaussian import FLAT
from ..copula.ratios import Critic, kernel_critic, squared_distances
from ..copula.screen import rank_waves, screen_columns

MAX_COLUMNS = 40  # screened, per side
ROWS_PER_COLUMN = 3  # with fewer a Gaussian critic is mostly noise
NEIGHBORS = (5, 15, 50)  # fitted rows within the width of a kernel: many columns want few of them, one column many
BLOCK_NEIGHBORS = (30,)
MAX_CENTRES = 100  # of bumps
RIDGE = 0.05  # of the learned coordinates, beside features of mean square 1
MAX_COORDINATES = 10
MAX_CORRELATION = 0.999  # of learned coordinates: a sharper one would drown the others
EXTREME = 15.0  # nats beyond which all opinions are the same: along a direction that hardly varied one row can be all

Map = Callable[[np.ndarray], np.ndarray]


class Plan(NamedTuple):
    """Which columns the critics look at, by the tests of a screen."""

    x: np.ndarray
    y: np.ndarray
    blocks: list[tuple[np.ndarray, np.ndarray]]  # of these columns; empty if there are fewer than two
    gaussian: bool  # whether there are rows enough for a Gaussian critic of these columns
    gaussian_of_all: bool  # whether there are others, and rows enough for one of all columns


def scores_among(fitted: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the normal scores of rows (N, p) by their ranks among the fitted rows (m, p), averaged within ties."""
    out = np.empty(rows.shape)
    for c in range(rows.shape[1]):
        ordered = np.sort(fitted[:, c])
        below, up_to = (np.searchsorted(ordered, rows[:, c], side) for side in ("left", "right"))
        out[:, c] = ndtri(((below + up_to) / 2 + 0.5) / (len(fitted) + 1))
    return out


def make_plan(a: np.ndarray, b: np.ndarray) -> Plan:
    """Return the dependent columns of the scores a and b, or all columns if no test shows any."""
    p, q = a.shape[1], b.shape[1]

    def enough(n_columns: int) -> bool:
        return ROWS_PER_COLUMN * n_columns < len(a)

    found = screen_columns(a, b, MAX_COLUMNS)
    if not found.x.size or not found.y.size:
        return Plan(np.arange(p), np.arange(q), [], enough(p + q), False)
    blocks = linked_blocks(a[:, found.x], b[:, found.y])
    n_columns = found.x.size + found.y.size
    others = n_columns < p + q
    return Plan(found.x, found.y, blocks if len(blocks) > 1 else [], enough(n_columns), others and enough(p + q))


def linked_blocks(a: np.ndarray, b: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return blocks of columns: each column goes with its strongest partner on the other side."""
    correlations = np.einsum("inp,jnq->ijpq", rank_waves(a, 4), rank_waves(b, 4), optimize=True)
    strength = (correlations**2).sum(axis=(0, 1))
    p, q = strength.shape
    from_a, from_b = np.r_[np.arange(p), strength.argmax(axis=0)], np.r_[strength.argmax(axis=1), np.arange(q)]
    places = from_a.astype(np.int32), (p + from_b).astype(np.int32)  # SciPy 1.11 answers nonsense for others
    links = coo_array((np.ones(p + q), places), shape=(p + q, p + q))
    n_blocks, block = connected_components(links, directed=False)
    return [(np.flatnonzero(block[:p] == i), np.flatnonzero(block[p:] == i)) for i in range(n_blocks)]


def fit_critics(a: np.ndarray, b: np.ndarray, plan: Plan, rng: np.random.Generator) -> Critic:
    """Return all critics as one, fitted on the scores a (m, p) and b (m, q)."""
    few_a, few_b = a[:, plan.x], b[:, plan.y]
    critics = [kernel_critic(few_a, few_b, NEIGHBORS)]
    if plan.gaussian:
        critics.append(gaussian_critic(few_a, few_b))
    if plan.x.size + plan.y.size > 2:
        critics.append(learned_critic(few_a, few_b, rng))
    if plan.blocks:
        critics.append(sum_over_blocks(few_a, few_b, plan.blocks))
    on_all = gaussian_critic(a, b) if plan.gaussian_of_all else None

    def critic(rows_a: np.ndarray, rows_b: np.ndarray) -> np.ndarray:
        few = rows_a[:, plan.x], rows_b[:, plan.y]
        found = [one(*few) for one in critics]
        if on_all:
            found.append(on_all(rows_a, rows_b))
        return np.concatenate(found).clip(-EXTREME, EXTREME)

    return critic


def gaussian_critic(a: np.ndarray, b: np.ndarray) -> Critic:
    """Return the Gaussian log ratio over the canonical pairs, correlations less what chance gives them."""
    m = len(a)
    means = a.mean(axis=0), b.mean(axis=0)
    (basis_a, map_a), (basis_b, map_b) = (whitened(side) for side in (a - means[0], b - means[1]))
    u, s, vt = np.linalg.svd(basis_a.T @ basis_b, full_matrices=False)
    surplus = basis_a.shape[1] + basis_b.shape[1] - 2
    # As R² is adjusted; and m ranks do not tell a line from a copy.
    squared = 1 - np.maximum(1 - s**2, 1 / m**2) * (m - 1) / max(m - 1 - surplus, 1)
    kept = int(np.sum(squared > 2 / m))
    squared = squared[:kept]
    map_a, map_b = map_a @ u[:, :kept], map_b @ vt[:kept].T
    cross, own = np.sqrt(squared) / (1 - squared), squared / (2 * (1 - squared))

    def critic(rows_a: np.ndarray, rows_b: np.ndarray) -> np.ndarray:
        u, v = (rows_a - means[0]) @ map_a, (rows_b - means[1]) @ map_b
        return ((u * cross) @ v.T - (u**2 @ own)[:, None] - v**2 @ own)[None].astype(np.float32)

    return critic


def whitened(centred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an orthonormal basis of centred columns, and the map from columns to coordinates of mean square 1."""
    u, s, vt = np.linalg.svd(centred, full_matrices=False)
    kept = s > FLAT * s[0]
    return u[:, kept], vt[kept].T / s[kept] * math.sqrt(len(centred))


def learned_critic(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> Critic:
    """Return a kernel critic on coordinates that a ridge CCA of Gaussian bumps finds to go together."""
    map_a, map_b = learned_maps(a, b, draw_bumps(a, rng), draw_bumps(b, rng))
    critic = kernel_critic(map_a(a), map_b(b), NEIGHBORS)
    return lambda rows_a, rows_b: critic(map_a(rows_a), map_b(rows_b))


def draw_bumps(side: np.ndarray, rng: np.random.Generator) -> Map:
    """Return Gaussian bumps around some of the rows."""
    centres = side[rng.choice(len(side), min(len(side), MAX_CENTRES), replace=False)]
    squared = squared_distances(side, centres)
    width = float(np.median(squared)) or float(squared.mean()) or 1.0
    return lambda rows: np.exp(-squared_distances(rows, centres) / width)


def learned_maps(a: np.ndarray, b: np.ndarray, features_a: Map, features_b: Map) -> tuple[Map, Map]:
    """Return the maps to the leading coordinates of a ridge CCA on features of the two sides.

    A coordinate is as wide as its partner tells it sharply, so that kernels look most at what counts most.
    """
    standard_a, standard_b = standardizer(a, features_a), standardizer(b, features_b)
    f, g = standard_a(a), standard_b(b)
    roots = []
    for side in (f, g):
        square = side.T @ side / len(a)
        square[np.diag_indices_from(square)] += RIDGE
        roots.append(cholesky(square, lower=True))
    shared = solve_triangular(roots[0], f.T @ g / len(a), lower=True)
    shared = solve_triangular(roots[1], shared.T, lower=True).T
    u, s, vt = np.linalg.svd(shared, full_matrices=False)
    s = np.minimum(s[:MAX_COORDINATES], MAX_CORRELATION)
    maps = []
    for side, standard, root, directions in ((f, standard_a, roots[0], u), (g, standard_b, roots[1], vt.T)):
        weights = solve_triangular(root, directions[:, :MAX_COORDINATES], lower=True, trans="T")
        deviation = (side @ weights).std(axis=0)
        weights *= s / np.sqrt(1 - s**2) / np.where(deviation > 0, deviation, 1)
        maps.append(lambda rows, standard=standard, weights=weights: standard(rows) @ weights)
    return maps[0], maps[1]


def standardizer(side: np.ndarray, features: Map) -> Map:
    """Return the map to features with mean 0 and deviation 1 over the rows of `side`."""
    values = features(side)
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1)
    return lambda rows: (features(rows) - mean) / deviation


def sum_over_blocks(a: np.ndarray, b: np.ndarray, blocks: list[tuple[np.ndarray, np.ndarray]]) -> Critic:
    """Return the sum of the blocks' kernel critics: the log ratio of blocks that are independent of each other."""
    critics = [(i, j, kernel_critic(a[:, i], b[:, j], BLOCK_NEIGHBORS)) for i, j in blocks]

    def critic(rows_a: np.ndarray, rows_b: np.ndarray) -> np.ndarray:
        total = np.zeros((len(BLOCK_NEIGHBORS), len(rows_a), len(rows_b)), np.float32)
        for i, j, one in critics:
            total += one(rows_a[:, i], rows_b[:, j])
        return total

    return critic
