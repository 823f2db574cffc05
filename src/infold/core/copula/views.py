"""Views of two tables, on which KSG runs: their columns, two radii, learned coordinates; rows are samples, (n, p).

A view is a pair of tables computed from a pair. By the data processing inequality it has no more MI than the pair; KSG
sees more of it in a few coordinates than in many columns.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.special import ndtr

from ..knn.ksg import local_ksg
from .scores import normal_scores

SHARP, SMOOTH, COLUMNS = "sharp columns", "smooth columns", "columns"
RADII, TURNED, CURVED = "radii", "turned", "curved"
SHARP_NEIGHBORS = 1  # above 2 nats KSG loses about .1 nat for each further neighbour
SMOOTH_NEIGHBORS = 10  # half the noise of three: enough to prove an excess, though not to measure it
RADII_NEIGHBORS = 10  # the density of two radii is smooth: ten neighbours halve the noise of three

N_COORDINATES = 3  # learned coordinates per side: KSG loses what a fourth would add
ROWS_PER_FEATURE_COLUMN = 20  # coordinates learned from fewer rows a column are mostly noise
TURNING_DEGREE = 2  # a turn by an angle that grows with the squared radius, to second order
RIDGE_ROWS = 5  # ridge of the learned coordinates: the weight of five rows
CENTRES_PER_SQRT_N, MAX_CENTRES = 2.2, 100  # 49 bumps at n = 500

View = tuple[np.ndarray, np.ndarray]


class Pair(NamedTuple):
    """Normal scores a (n, p) and b (n, q) of some columns, and what the other columns add to the squared radii."""

    a: np.ndarray
    b: np.ndarray
    rest_a: np.ndarray
    rest_b: np.ndarray


class Plan(NamedTuple):
    """What data and surrogates share: KSG's k, the rows that are centres of bumps, whether to try a sharp k."""

    n_neighbors: int
    centres: np.ndarray
    sharp: bool


def draw_centres(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the rows that are centres of bumps."""
    return rng.choice(n, min(n, MAX_CENTRES, round(CENTRES_PER_SQRT_N * math.sqrt(n))), replace=False)


def ksg_local(view: View, k: int) -> np.ndarray:
    """Return KSG's local values of a view, (n,); its columns are normal scores, so all have one scale."""
    columns = np.ascontiguousarray(np.hstack(view).T)
    return local_ksg(columns, [side.shape[1] for side in view], min(k, columns.shape[1] - 1))


def radii(a: np.ndarray, b: np.ndarray) -> View:
    """Return the radii of the two sides after whitening them jointly and symmetrically, as normal scores.

    For every elliptical law with scatter R, such as Student's t, MI is the Gaussian part of R plus the MI of these two
    radii, exactly; on Gaussian data they are independent. Normal scores have lost the tails, so coordinates are taken
    as quantiles of Student's t with two degrees, whose tails need a radius most.
    """
    z = np.hstack([a, b])
    z = z - z.mean(axis=0)
    w, v = np.linalg.eigh(z.T @ z / len(z))
    white = z @ (v / np.sqrt(np.where(w > 1e-8 * w[-1], w, np.inf))) @ v.T
    white = white.clip(-30, 30)  # far from underflow
    below = ndtr(white)
    squared = (below - 0.5) ** 2 / (below * ndtr(-white))  # twice this is the square of Student's quantile
    p = a.shape[1]
    both = normal_scores(np.column_stack([squared[:, :p].sum(axis=1), squared[:, p:].sum(axis=1)]))
    return both[:, :1], both[:, 1:]


def turned(a: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return the columns times polynomials of the squared radius, which are orthonormal over the rows.

    Linear maps of these are linear maps of `a` that change with the radius, as in a spiral. The radius is that of the
    whole side: a few columns may turn with the radius of all.
    """
    squared = (a**2).sum(axis=1) + rest
    powers = np.vander(squared / squared.mean(), TURNING_DEGREE + 1, increasing=True)
    polynomials = np.linalg.qr(powers)[0] * math.sqrt(len(a))
    return np.hstack([a * column[:, None] for column in polynomials.T])


def curved(a: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the columns, and Gaussian bumps around some rows; in float32, which takes a quarter of the time."""
    a = a.astype(np.float32)
    squared = (a**2).sum(axis=1)
    scale = np.float32(1 / a.shape[1])
    exponents = a @ (scale * a[centres].T)
    exponents -= (scale / 2 * squared)[:, None]
    exponents -= scale / 2 * squared[centres]
    return np.hstack([a, np.exp(exponents, out=exponents)])


def standardized(columns: np.ndarray) -> np.ndarray:
    """Return the columns with mean 0 and mean square 1."""
    columns = columns - columns.mean(axis=0)
    deviation = np.sqrt(np.einsum("ij,ij->j", columns, columns) / len(columns))
    columns /= np.where(deviation > 0, deviation, 1)
    return columns


def learned_coordinates(features_a: np.ndarray, features_b: np.ndarray, count: int) -> View:
    """Return the leading coordinates of a ridge CCA on features of the two sides, as normal scores."""
    f, g = standardized(features_a), standardized(features_b)
    n = len(f)
    roots = []
    for side in (f, g):
        square = (side.T @ side).astype(float) / n
        square[np.diag_indices_from(square)] += RIDGE_ROWS / n
        roots.append(cholesky(square, lower=True, check_finite=False))
    shared = solve_triangular(roots[0], (f.T @ g).astype(float) / n, lower=True, check_finite=False)
    shared = solve_triangular(roots[1], shared.T, lower=True, check_finite=False).T
    size = len(shared)
    leading = eigh(shared @ shared.T, subset_by_index=[size - count, size - 1], check_finite=False)[1][:, ::-1]
    found = []
    for side, root, directions in ((f, roots[0], leading), (g, roots[1], shared.T @ leading)):
        weights = solve_triangular(root, directions, lower=True, trans="T", check_finite=False)
        found.append(normal_scores(side @ weights.astype(side.dtype)))
    return found[0], found[1]


def learned_views(kind: str, pair: Pair, plan: Plan) -> dict[str, tuple[View, int]]:
    """Return the coordinates of one kind, the first, the first two … , by name; none if there are too few rows.

    No more coordinates than a side has columns: functions of one column can be many, but are not independent.
    """
    a, b = pair.a, pair.b
    if ROWS_PER_FEATURE_COLUMN * max(a.shape[1], b.shape[1]) > len(a):
        return {}
    if kind == TURNED:
        features = turned(a, pair.rest_a), turned(b, pair.rest_b)
    else:
        features = curved(a, plan.centres), curved(b, plan.centres)
    count = min(N_COORDINATES, a.shape[1], b.shape[1])
    u, v = learned_coordinates(*features, count)
    return {f"{kind} {r}": ((u[:, :r], v[:, :r]), plan.n_neighbors) for r in range(1, count + 1)}


def column_views(pair: Pair, plan: Plan) -> dict[str, tuple[View, int]]:
    """Return the columns and what is learned from them, by name, each with KSG's k.

    The columns come again with a sharp k if that is in the plan, and with a smooth one if there is one per side, where
    no other view can prove a weak excess.
    """
    columns = pair.a, pair.b
    found = {COLUMNS: (columns, plan.n_neighbors)}
    found |= learned_views(TURNED, pair, plan) | learned_views(CURVED, pair, plan)
    if plan.sharp:
        found[SHARP] = columns, SHARP_NEIGHBORS
    if pair.a.shape[1] == pair.b.shape[1] == 1:
        found[SMOOTH] = columns, SMOOTH_NEIGHBORS
    return found


def all_views(pair: Pair, plan: Plan) -> dict[str, tuple[View, int]]:
    """Return the same and the radii, which of one column per side would be the columns' sizes."""
    found = column_views(pair, plan)
    if pair.a.shape[1] + pair.b.shape[1] > 2:
        found[RADII] = radii(pair.a, pair.b), RADII_NEIGHBORS
    return found


def ksg_values(views: dict[str, tuple[View, int]]) -> dict[str, float]:
    """Return KSG's estimate of every view's MI."""
    return {name: float(ksg_local(view, k).mean()) for name, (view, k) in views.items()}


def view_local(name: str, pair: Pair, plan: Plan) -> np.ndarray:
    """Return KSG's local values for the view `name`."""
    return ksg_local(*all_views(pair, plan)[name])
