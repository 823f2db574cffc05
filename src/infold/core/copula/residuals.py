"""What is left of columns once others are known: less a function of them, and divided by one.

Given Z both can be undone, so I(X; Y | Z) is that of the residuals, which by themselves carry little information
about Z. Rows are samples, (n, p).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from ..scaling import comparable
from .labels import with_indicators
from .scores import untied_scores
from .screen import pair_pvalues, product_pvalues, rank_waves

ALPHA_USED = 0.3  # columns of z that may matter: to smooth over one in vain costs little, to miss one fakes dependence
ALPHA_SCALE = 0.005  # of a scale that changes with a column: dividing by a noisy one adds noise
N_WAVES = 4  # of a column's ranks: what is faster than that, bumps could not take off
N_KNOTS, MAX_CENTRES = 10, 150  # bumps along each column, and around rows
ALONE, TOGETHER = (0.35, 0.7, 1.4), (0.5, 1.0, 2.0)  # widths of bumps, in standard deviations
TENT_KNOTS, TENT_CENTRES, TENT_ALONE, TENT_TOGETHER = 40, 300, 0.5, 0.25  # the same of tents: rough functions need more
RIDGES = 10.0 ** np.arange(-2, 2.6, 0.5)
LESS_RIDGE = 10.0  # of a test's ridge: a ridge leaves a little of Z on both sides, and that looks like dependence
MOST_LEVERAGE = 0.95  # of a row: beyond, leaving it out would blow it up
LEAST_GAIN = 0.03  # of the variance of log |residual|, for a scale to be worth its noise
NORMAL_SPREAD = 1.349  # between the quartiles of a normal distribution, in standard deviations
TAIL = 3.0  # units of spread: numbers farther out are those of heavy tails, and would leave no room to the others
ROUNDING = 1e-6  # of what other rows cannot tell of a row
MOST_VALUES = 20  # of a count; columns with more are smooth, ties in random order, which leaves the MI as it is
FLAT = 1e-8  # of the largest eigenvalue: those below are rounding noise


T = TypeVar("T")
Kernel = Callable[[np.ndarray, np.ndarray, float], np.ndarray]  # of rows, centres and a width


class Basis(NamedTuple):
    """Orthonormal directions u (n, m) of some features, their squared lengths, and whether these can make steps."""

    u: np.ndarray
    squares: np.ndarray
    rough: bool = False


class Smoother(NamedTuple):
    """Ridge regression: the basis, the share of each direction that is kept, and how much each row predicts itself."""

    u: np.ndarray  # (n, m)
    kept: np.ndarray  # (m,)
    leverages: np.ndarray  # (n,)
    error: float  # of left-out rows, as a share of their variance
    roughness: float  # share of the error of the best smooth function that rough ones do not make

    def fitted(self, targets: np.ndarray) -> np.ndarray:
        """Return what is predicted of targets (..., n)."""
        return np.asarray((targets @ self.u * self.kept) @ self.u.T)

    def left_of(self, targets: np.ndarray) -> np.ndarray:
        """Return targets (..., n) less what other rows predict of each."""
        return (targets - self.fitted(targets)) / (1 - self.leverages)

    def studentized(self, targets: np.ndarray) -> np.ndarray:
        """Return targets (..., n) less what is predicted of them, in the size that the noise has."""
        return (targets - self.fitted(targets)) / np.sqrt(1 - self.leverages)


class Left(NamedTuple):
    """Residuals (n, p) of standard size, the scale (n, p) that they were divided by, and what removed Z."""

    residuals: np.ndarray
    scales: np.ndarray
    fits: np.ndarray  # (n, p), smooth functions of Z
    smoothers: tuple[Smoother | None, ...]  # None for a column from which nothing was removed


def bumps(rows: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Return the heights (n, m) at rows (n, q) of round bumps around centres (m, q)."""
    squared = (rows**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2 * rows @ centres.T
    return np.exp(np.maximum(squared, 0) / (-2 * width**2 * rows.shape[1]))


def tents(rows: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Return the heights (n, m) of tents, pointed and with edges along the columns: sums of them can make steps."""
    apart = np.zeros((len(rows), len(centres)))
    for column, places in zip(rows.T, centres.T, strict=True):
        apart += np.abs(column[:, None] - places)
    return np.exp(apart / (-width * rows.shape[1]))


def kernel_features(kernel: Kernel, z: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Return features (n, m) whose inner products are bumps or tents, as far as the centres (m, q) show them."""
    heights = kernel(centres, centres, width)
    heights[np.diag_indices(len(centres))] += FLAT * len(centres)
    return solve_triangular(cholesky(heights, lower=True), kernel(z, centres, width).T, lower=True).T


def as_basis(features: Sequence[np.ndarray], *, rough: bool = False) -> Basis:
    """Return the basis of features side by side."""
    table = np.hstack(features)
    n, m = table.shape
    squares, v = np.linalg.eigh(table.T @ table if m <= n else table @ table.T)
    kept = squares > FLAT * squares[-1]
    u = table @ (v[:, kept] / np.sqrt(squares[kept])) if m <= n else v[:, kept]
    return Basis(u, squares[kept], rough)


def bases_of(z: np.ndarray, rng: np.random.Generator, *, rough: bool = False) -> list[Basis]:
    """Return bases of functions of z (n, q), smooth and maybe rough: sums over columns, and of all together."""
    n, q = z.shape
    lines = [np.ones((n, 1)), z / math.sqrt(q)]

    def sums(kernel: Kernel, count: int, width: float) -> list[np.ndarray]:
        knots = np.quantile(z, (np.arange(count) + 0.5) / count, axis=0)
        return [kernel_features(kernel, z[:, [j]], knots[:, [j]], width) / math.sqrt(q) for j in range(q)]

    parts = {width: sums(bumps, N_KNOTS, width) for width in ALONE}
    bases = [as_basis(lines + part) for part in parts.values()]
    if rough:
        bases.append(as_basis(lines + sums(tents, TENT_KNOTS, TENT_ALONE), rough=True))
    if q > 1:
        order, main = rng.permutation(n), lines + parts[ALONE[1]]
        bases += [as_basis([*main, kernel_features(bumps, z, z[order[:MAX_CENTRES]], w)]) for w in TOGETHER]
        if rough:
            corners = kernel_features(tents, z, z[order[:TENT_CENTRES]], TENT_TOGETHER)
            bases.append(as_basis([*main, corners], rough=True))
    return bases


def best_smoother(targets: np.ndarray, bases: Sequence[Basis], *, less_ridge: bool = False) -> Smoother | None:
    """Return the smoother that predicts left-out rows of targets (..., n), of mean 0, best; None if none predicts any.

    With `less_ridge` it has a tenth of the ridge.
    """
    targets = np.atleast_2d(targets)
    variance = float((targets**2).sum())
    best, smallest = None, {False: variance, True: np.inf}  # of smooth bases, and of rough ones
    for basis in bases:
        kept = basis.squares[:, None] / (basis.squares[:, None] + RIDGES)  # all ridges at once
        # No cap here: a basis that can pass through all rows would seem to predict them.
        unpredicted = np.maximum(1 - basis.u**2 @ kept, ROUNDING)
        errors = np.zeros(RIDGES.size)
        for target in targets:
            fitted = basis.u @ (kept * (basis.u.T @ target)[:, None])
            errors += (((target[:, None] - fitted) / unpredicted) ** 2).sum(axis=0)
        error = float(errors.min())
        if error < min(smallest.values()):
            best = basis, float(RIDGES[errors.argmin()])
        smallest[basis.rough] = min(smallest[basis.rough], error)
    if best is None:
        return None
    basis, ridge = best
    kept = basis.squares / (basis.squares + (ridge / LESS_RIDGE if less_ridge else ridge))
    leverages = np.minimum(basis.u**2 @ kept, MOST_LEVERAGE)
    error = min(smallest.values()) / variance
    return Smoother(basis.u, kept, leverages, error, 1 - smallest[True] / smallest[False])


def left_over(target: np.ndarray, bases: Sequence[Basis]) -> np.ndarray:
    """Return what is left of target (n,), of mean 0, by the best smoother, each row left out of its own prediction."""
    smoother = best_smoother(target, bases)
    return target if smoother is None else smoother.left_of(target)


class Known:
    """What is known, z (n, q) as normal scores and indicators, and the bases of those columns that others depend on."""

    def __init__(self, z: np.ndarray, rng: np.random.Generator, *, rough: bool = False) -> None:
        self.rough = rough  # whether steps, corners and columns that tell only together are looked for: a test's wish
        self.z, self._waves = z, rank_waves(z, N_WAVES)
        self._seed, self._bases = int(rng.integers(2**62)), dict[tuple[int, ...], list[Basis]]()

    def telling_of(self, columns: np.ndarray, level: float) -> np.ndarray:
        """Return a mask of the columns of z that any of `columns` (n, p) seems to depend on."""
        waves = rank_waves(columns, N_WAVES)
        found = pair_pvalues(waves, self._waves).min(axis=0) < level
        if self.rough and found.size > 1:
            pvalues, i, j = product_pvalues(self._waves, waves)
            for pair in np.flatnonzero(pvalues.min(axis=1) * len(i) < level):
                found[[i[pair], j[pair]]] = True
        return found

    def bases(self, mask: np.ndarray) -> list[Basis]:
        """Return bases for some columns of z; none if there are none."""
        chosen = tuple(np.flatnonzero(mask).tolist())
        if chosen and chosen not in self._bases:
            # The same centres whoever asks, so that what is left of one column does not depend on others.
            self._bases[chosen] = bases_of(self.z[:, chosen], np.random.default_rng(self._seed), rough=self.rough)
        return self._bases[chosen] if chosen else []

    def taken_off(
        self, columns: np.ndarray, take_off: Callable[[list[Basis]], tuple[np.ndarray, T]]
    ) -> tuple[np.ndarray, T]:
        """Return what `take_off` leaves (n,), and more, given bases for those columns of z that tell of `columns`.

        What is left is asked again: where many columns of z matter, one can be hidden by the others, and if it is
        missed on both sides, it looks like dependence.
        """
        used = self.telling_of(columns, ALPHA_USED)
        while True:
            left, found = take_off(self.bases(used))
            more = used | self.telling_of(left[:, None], ALPHA_USED)
            if (more == used).all():
                return left, found
            used = more


def is_smooth(table: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Return which columns have many values: subtracting a function of Z from a label or small count would reveal Z."""
    most = min(MOST_VALUES, (len(table) - 1) // 2)
    return ~nominal & np.array([np.unique(column).size > most for column in table.T], bool)


def as_smooth_columns(z: np.ndarray, nominal: np.ndarray, units: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return z as columns that a smooth function may depend on: numbers in some units, an indicator for each label."""
    table, origin = with_indicators(z, nominal, most=None)
    if not table.size:
        return np.zeros((len(z), 1))
    return np.where(origin.label, 2 * table - 1, units(table))


def like_units(table: np.ndarray) -> np.ndarray:
    """Return columns less their median, in units of their spread; beyond `TAIL` of these, logarithms.

    Not ranks: these follow the gaps between the outermost values, so that the square of a number, say, is no smooth
    function of its rank.
    """
    varies = table.min(axis=0) < table.max(axis=0)
    table = np.where(varies, table, 0.0)
    table[:, varies] = comparable(table.T[varies], standardize=True).T  # no square of it overflows
    low, middle, high = np.quantile(table, (0.25, 0.5, 0.75), axis=0)
    units = (table - middle) / np.where(high > low, (high - low) / NORMAL_SPREAD, 1.0)
    size = np.abs(units)
    return np.where(size <= TAIL, units, np.sign(units) * TAIL * (1 + np.log(np.maximum(size, TAIL) / TAIL)))


def untied(values: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return values (n,) with ties spread as far as the next values, in the order of scores (n,) without ties."""
    distinct, counts = np.unique(values, return_counts=True)
    middles = np.cumsum(counts) - (counts + 1) / 2  # mean ranks, from 0
    return np.interp(np.argsort(np.argsort(scores)), middles, distinct)


def _without_mean(
    versions: Sequence[np.ndarray], bases: Sequence[Basis], *, for_test: bool
) -> tuple[np.ndarray, tuple[Smoother | None, np.ndarray]]:
    """Return what is left (n,) of that version of a column of which most is predicted, what predicts it, and what."""
    found = [(best_smoother(column, bases, less_ridge=for_test), column) for column in versions]
    smoother, column = min(found, key=lambda one: 1.0 if one[0] is None else one[0].error)
    if smoother is None:
        return column, (None, np.zeros(column.size))
    left = smoother.studentized(column) if for_test else smoother.left_of(column)
    return left, (smoother, smoother.fitted(column))


def residuals(table: np.ndarray, known: Known, rng: np.random.Generator, *, for_test: bool = False) -> Left:
    """Return what is left of the columns of `table` (n, p) once z is known.

    A column, as normal scores, is compared with those columns of z that it seems to depend on, first by its mean, then
    by its scale. For a test, as little of Z as can be must be left, at the price of more noise: smoothers have less
    ridge, and a column may be in its own units, if z tells more of it so.
    """
    out, fits, scales = np.empty(table.shape), np.zeros(table.shape), np.ones(table.shape)
    smoothers = []
    for j, (scores, own) in enumerate(zip(untied_scores(table, rng).T, like_units(table).T, strict=True)):
        versions = [scores, untied(own, scores)] if for_test else [scores]
        left, (smoother, fits[:, j]) = known.taken_off(
            scores[:, None], partial(_without_mean, [column - column.mean() for column in versions], for_test=for_test)
        )
        size = np.abs(left)
        logs = np.log(size + 1e-3 * size.mean())
        logs -= logs.mean()
        unexplained = left_over(logs, known.bases(known.telling_of(size[:, None], ALPHA_SCALE)))
        if (unexplained**2).sum() < (1 - LEAST_GAIN) * (logs**2).sum():
            scales[:, j] = np.exp(logs - unexplained)
        out[:, j] = left / scales[:, j]
        smoothers.append(smoother)
    return Left(out, scales, fits, tuple(smoothers))
