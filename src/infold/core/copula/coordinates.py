"""Coordinates of two sides that are most informative about each other, by ridge CCA on features; rows are samples."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

TURNING_DEGREE = 2  # a turn by an angle that grows with the squared radius, to second order
CENTRES_PER_SQRT_N, MAX_CENTRES = 2.2, 100  # 49 bumps at n = 500
FLAT_DIRECTION = 1e-3  # directions narrower than this, relative to the widest, are copies of columns up to noise
FLAT_VARIANCE = 1e-12  # likewise, rounding noise


class LinearMap(NamedTuple):
    """A map of features to coordinates: (features − mean) / scale @ weights."""

    mean: np.ndarray
    scale: np.ndarray
    weights: np.ndarray

    def __call__(self, features: np.ndarray) -> np.ndarray:
        """Return the coordinates of some rows."""
        return ((features - self.mean) / self.scale) @ self.weights


def ridge_cca(f: np.ndarray, g: np.ndarray, count: int, ridge: float) -> tuple[LinearMap, LinearMap]:
    """Return maps of the features f (n, p) and g (n, q) to the leading `count` canonical coordinates.

    Features are standardised; `ridge` is added to their variances, 1.
    """
    n, sides, roots, scales = len(f), [], [], []
    for side in (f, g):
        mean, scale = side.mean(axis=0), side.std(axis=0)
        scale = np.where(scale > 0, scale, 1.0)
        standardized = (side - mean) / scale
        square = standardized.T @ standardized / n
        square[np.diag_indices_from(square)] += ridge
        roots.append(cholesky(square, lower=True, check_finite=False))
        sides.append(standardized)
        scales.append((mean, scale))
    shared = solve_triangular(roots[0], sides[0].T @ sides[1] / n, lower=True, check_finite=False)
    shared = solve_triangular(roots[1], shared.T, lower=True, check_finite=False).T
    size = len(shared)
    count = min(count, *shared.shape)
    leading = eigh(shared @ shared.T, subset_by_index=[size - count, size - 1], check_finite=False)[1][:, ::-1]
    maps = []
    for (mean, scale), root, directions in zip(scales, roots, (leading, shared.T @ leading), strict=True):
        weights = solve_triangular(root, directions, lower=True, trans="T", check_finite=False)
        maps.append(LinearMap(mean, scale, weights))
    return maps[0], maps[1]


def draw_centres(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return those of the given rows that are centres of bumps."""
    n = len(rows)
    return rng.choice(rows, min(n, MAX_CENTRES, round(CENTRES_PER_SQRT_N * math.sqrt(n))), replace=False)


def curved(a: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the columns, and Gaussian bumps around some rows."""
    squared = (a**2).sum(axis=1)
    scale = 1 / a.shape[1]
    exponents = a @ (scale * a[centres].T)
    exponents -= (scale / 2 * squared)[:, None]
    exponents -= scale / 2 * squared[centres]
    return np.hstack([a, np.exp(exponents, out=exponents)])


def turned(a: np.ndarray, squared: np.ndarray) -> np.ndarray:
    """Return the columns times polynomials of a squared radius, which are orthonormal over the rows.

    Linear maps of these are linear maps of `a` that change with the radius, as in a spiral. A few columns may turn with
    the radius of a whole side. The radius is that of whitened rows: where one factor moves all columns, the squared
    lengths of the rows as they are have heavy tails, and a few rows would decide what is learned.
    """
    powers = np.vander(squared / squared.mean(), TURNING_DEGREE + 1, increasing=True)
    polynomials = np.linalg.qr(powers)[0] * math.sqrt(len(a))
    return np.hstack([a * column[:, None] for column in polynomials.T])


def whitened_lengths(table: np.ndarray) -> np.ndarray:
    """Return the squared lengths (n,) of the rows once the columns are uncorrelated and have variance 1.

    With as many columns as rows, all rows have the same length.
    """
    n, p = table.shape
    if p >= n:
        return np.full(n, n - 1.0)
    centred = table - table.mean(axis=0)
    variances, directions = np.linalg.eigh(centred.T @ centred / n)
    kept = variances > FLAT_VARIANCE * variances[-1]
    return np.asarray(((centred @ (directions[:, kept] / np.sqrt(variances[kept]))) ** 2).sum(axis=1))


def whitened(table: np.ndarray, fit: np.ndarray) -> np.ndarray:
    """Return the table rotated and scaled so that its rows `fit` have uncorrelated columns of variance 1."""
    mean = table[fit].mean(axis=0)
    _, s, vt = np.linalg.svd(table[fit] - mean, full_matrices=False)
    kept = s > FLAT_DIRECTION * s[0]
    return (table - mean) @ (vt[kept].T / s[kept]) * math.sqrt(len(fit))
