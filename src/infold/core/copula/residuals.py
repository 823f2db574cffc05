"""What is left of columns once others are known: less a smooth function of them, and divided by one.

Given Z both can be undone, so I(X; Y | Z) is that of the residuals, which tell little of Z by themselves. Rows are
samples, (n, p).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .screen import ORDERS, pair_pvalues, rank_waves

ALPHA_USED = 0.3  # columns of z that may matter: to smooth over one in vain costs little, to miss one fakes dependence
ALPHA_SCALE = 0.005  # of a scale that changes with a column: dividing by a noisy one adds noise
N_KNOTS, MAX_CENTRES = 10, 150  # bumps along each column, and around rows
ALONE, TOGETHER = (0.35, 0.7, 1.4), (0.5, 1.0, 2.0)  # widths of bumps, in standard deviations
RIDGES = 10.0 ** np.arange(-2, 2.6, 0.5)
ROUGHER = 10.0**0.5  # of a test's ridge: a ridge takes too little of Z off both sides, and that looks like dependence
MOST_LEVERAGE = 0.95  # of a row: beyond, leaving it out would blow it up
LEAST_GAIN = 0.03  # of the variance of log |residual|, for a scale to be worth its noise
FLAT = 1e-8  # eigenvalues below, beside the largest, are rounding noise


class Basis(NamedTuple):
    """Orthonormal directions u (n, m) of some features, and their squared lengths."""

    u: np.ndarray
    squares: np.ndarray


class Smoother(NamedTuple):
    """Ridge regression: the basis, the share of each direction that is kept, and how much each row predicts itself."""

    u: np.ndarray  # (n, m)
    kept: np.ndarray  # (m,)
    leverages: np.ndarray  # (n,)

    def fitted(self, targets: np.ndarray) -> np.ndarray:
        """Return what is predicted of targets (..., n)."""
        return np.asarray((targets @ self.u * self.kept) @ self.u.T)

    def left_of(self, targets: np.ndarray) -> np.ndarray:
        """Return targets (..., n) less what other rows predict of each."""
        return (targets - self.fitted(targets)) / (1 - self.leverages)


class Left(NamedTuple):
    """Residuals (n, p) of standard size, the scale (n, p) that they were divided by, and what took Z off."""

    residuals: np.ndarray
    scales: np.ndarray
    fits: np.ndarray  # (n, p), smooth functions of Z
    smoothers: tuple[Smoother | None, ...]  # None for a column that nothing was taken off


def kernel_features(z: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Return features (n, m) whose inner products are Gaussian bumps, as far as the centres (m, q) show them."""
    reach = 2 * width**2 * z.shape[1]

    def bumps(rows: np.ndarray) -> np.ndarray:
        squared = (rows**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * rows @ centres.T
        return np.exp(-np.maximum(squared, 0) / reach)

    w, v = np.linalg.eigh(bumps(centres))
    kept = w > FLAT * w[-1]
    return bumps(z) @ (v[:, kept] / np.sqrt(w[kept]))


def as_basis(features: Sequence[np.ndarray]) -> Basis:
    """Return the basis of features side by side."""
    table = np.hstack(features)
    squares, v = np.linalg.eigh(table.T @ table)
    kept = squares > FLAT * squares[-1]
    return Basis(table @ (v[:, kept] / np.sqrt(squares[kept])), squares[kept])


def smooth_bases(z: np.ndarray, rng: np.random.Generator) -> list[Basis]:
    """Return bases of smooth functions of z (n, q): sums over single columns, and of all columns together."""
    n, q = z.shape
    lines = [np.ones((n, 1)), z / math.sqrt(q)]
    knots = np.quantile(z, (np.arange(N_KNOTS) + 0.5) / N_KNOTS, axis=0)
    sums = {
        width: [kernel_features(z[:, [j]], knots[:, [j]], width) / math.sqrt(q) for j in range(q)] for width in ALONE
    }
    bases = [as_basis(lines + parts) for parts in sums.values()]
    if q > 1:
        centres = z[rng.permutation(n)[:MAX_CENTRES]]
        bases += [as_basis([*lines, *sums[ALONE[1]], kernel_features(z, centres, width)]) for width in TOGETHER]
    return bases


def smoother_of(basis: Basis, ridge: float) -> Smoother:
    """Return ridge regression on a basis."""
    kept = basis.squares / (basis.squares + ridge)
    return Smoother(basis.u, kept, np.minimum(basis.u**2 @ kept, MOST_LEVERAGE))


def best_smoother(targets: np.ndarray, bases: Sequence[Basis], *, rough: bool = False) -> Smoother | None:
    """Return the smoother that predicts left-out rows of targets (..., n), of mean 0, best; None if none predicts any.

    A `rough` one has the next smaller ridge.
    """
    targets = np.atleast_2d(targets)
    best, smallest = None, float((targets**2).sum())
    for basis in bases:
        kept = basis.squares[:, None] / (basis.squares[:, None] + RIDGES)  # all ridges at once
        unpredicted = 1 - np.minimum(basis.u**2 @ kept, MOST_LEVERAGE)
        errors = np.zeros(RIDGES.size)
        for target in targets:
            fitted = basis.u @ (kept * (basis.u.T @ target)[:, None])
            errors += (((target[:, None] - fitted) / unpredicted) ** 2).sum(axis=0)
        if errors.min() < smallest:
            best, smallest = (basis, float(RIDGES[errors.argmin()])), float(errors.min())
    return None if best is None else smoother_of(best[0], best[1] / (ROUGHER if rough else 1))


def left_over(target: np.ndarray, bases: Sequence[Basis]) -> np.ndarray:
    """Return what is left of target (n,), of mean 0, by the best smoother, each row left out of its own prediction."""
    smoother = best_smoother(target, bases)
    return target if smoother is None else smoother.left_of(target)


class Known:
    """What is known, z (n, q) as normal scores and indicators, and the bases of those columns that others depend on."""

    def __init__(self, z: np.ndarray, rng: np.random.Generator) -> None:
        self.z, self._waves = z, rank_waves(z, max(ORDERS))
        self._seed, self._bases = int(rng.integers(2**62)), dict[tuple[int, ...], list[Basis]]()

    def bases(self, columns: np.ndarray, level: float) -> list[Basis]:
        """Return bases for the columns of z that any of `columns` (n, p) seems to depend on; none if none does."""
        pvalues = pair_pvalues(rank_waves(columns, max(ORDERS)), self._waves).min(axis=0)
        chosen = tuple(np.flatnonzero(pvalues < level).tolist())
        if chosen and chosen not in self._bases:
            # The same centres whoever asks, so that what is left of one column does not depend on others.
            self._bases[chosen] = smooth_bases(self.z[:, chosen], np.random.default_rng(self._seed))
        return self._bases[chosen] if chosen else []


def residuals(table: np.ndarray, known: Known, *, rough: bool = False) -> Left:
    """Return what is left of the columns of `table` (n, p), normal scores, once z is known.

    A column is compared with those columns of z that it seems to depend on, first by its mean, then by its scale.
    `rough` smoothers leave less of Z, and more noise: what a test wants.
    """
    out, fits, scales = np.empty(table.shape), np.zeros(table.shape), np.ones(table.shape)
    smoothers = []
    for j, column in enumerate(table.T):
        left = column - column.mean()
        smoother = best_smoother(left, known.bases(column[:, None], ALPHA_USED), rough=rough)
        if smoother is not None:
            fits[:, j], left = smoother.fitted(left), smoother.left_of(left)
        size = np.abs(left)
        logs = np.log(size + 1e-3 * size.mean())
        logs -= logs.mean()
        unexplained = left_over(logs, known.bases(size[:, None], ALPHA_SCALE))
        if (unexplained**2).sum() < (1 - LEAST_GAIN) * (logs**2).sum():
            scales[:, j] = np.exp(logs - unexplained)
        out[:, j] = left / scales[:, j]
        smoothers.append(smoother)
    return Left(out, scales, fits, tuple(smoothers))
