"""The null distribution of a test given Z: Y is resampled from its estimated law given Z.

Rows with similar Z are exchanged (Runge 2018), which is enough in one or two columns. In more, their Z is not similar
enough. So what a function of Z predicts is first removed from both sides: what is missed on one side does no harm
unless it is missed on the other as well. For labels and counts, the predicted chances of their values are removed
(chances.py). Residuals are not independent: regression left a little of Z in them, and removed a part of the noise. A
draw therefore adds re-paired residuals to the fitted function, and puts the sum through the same regression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.stats import norm

from ..jit import kernel
from ..random import random_below
from .chances import Chances, chances
from .residuals import (
    MOST_VALUES,
    Basis,
    Known,
    Left,
    Smoother,
    as_smooth_columns,
    is_smooth,
    like_units,
    residuals,
)
from .screen import either

GIVEN_NEIGHBORS, MOST_NEIGHBORS = 10, 200  # of 100 rows: a test needs little noise, and its null has the same bias
NEAREST = 5  # rows, the row itself among them, whose place a row may take
NEAR_LABELS = 0.2  # of the distance between any two rows: up to this, rows of near Z are near
VERY_NEAR = 0.05  # up to this, as in one column, labels change places as they are
LABEL_APART = 10.0  # standard deviations: rows with another label in Z are near only if there are no others
JITTER = 1e-6  # so that of many rows with the same Z any may be near
TINY = 1e-300
LIKENESS_DRAWS = 30  # enough for a mean and a standard deviation
MOST_ROWS = 1_000  # that tell how far apart rows are


@kernel
def local_orders(neighbors, seeds):
    """Return (B, n): for each seed, which row takes each row's place, one of its `neighbors` (n, k).

    Rows choose in random order among neighbours that are still free; if all are taken, any is taken once more.
    """
    n, k = neighbors.shape
    orders, turn, state = np.empty((seeds.size, n), np.int64), np.empty(n, np.int64), np.empty(1, np.uint64)
    for b in range(seeds.size):
        state[0] = seeds[b]
        taken = np.zeros(n, np.bool_)
        for i in range(n):  # Fisher and Yates
            j = random_below(state, i + 1)
            turn[i] = turn[j]
            turn[j] = i
        for i in turn:
            n_free = 0
            for j in range(k):
                n_free += not taken[neighbors[i, j]]
            place = random_below(state, n_free if n_free > 0 else k)
            for j in range(k):
                row = neighbors[i, j]
                if n_free == 0 or not taken[row]:
                    if place == 0:
                        taken[row] = True
                        orders[b, i] = row
                        break
                    place -= 1
    return orders


class Side(NamedTuple):
    """A block of columns (n, q), with what Z leaves of some in place of them."""

    values: np.ndarray
    smooth: np.ndarray  # (q,), a mask of continuous columns
    left: Left | None  # of the smooth columns, if there are any
    chances: dict[int, Chances]  # of other columns from which Z was removed

    def redrawn(self, orders: np.ndarray) -> np.ndarray:
        """Return (B, q, n): the columns with their noise in each of the `orders` (B, n)."""
        out = np.ascontiguousarray(self.values.T[:, orders].swapaxes(0, 1))
        for j, column in self.chances.items():
            out[:, j] = column.redrawn(orders)
        for place, j in enumerate(np.flatnonzero(self.smooth).tolist()):
            assert self.left is not None
            smoother, scale = self.left.smoothers[place], self.left.scales[:, place]
            if smoother is not None:
                noise = self.left.residuals[:, place]
                out[:, j] = smoother.studentized(self.left.fits[:, place] + scale * noise[orders]) / scale
        return out

    @property
    def redraws(self) -> np.ndarray:
        """Whether `redrawn` gives a column new values, and not only another order (q,)."""
        mask = self.smooth.copy()
        if self.left is not None:
            mask[self.smooth] = [smoother is not None for smoother in self.left.smoothers]
        mask[list(self.chances)] = True
        return mask

    @property
    def taken_off(self) -> np.ndarray:
        """The columns (q,) that are replaced by what Z leaves of them, which is continuous."""
        mask = self.smooth.copy()
        mask[list(self.chances)] = True
        return mask

    @property
    def smoothers(self) -> list[Smoother]:
        """The smoothers that removed Z."""
        own = self.left.smoothers if self.left is not None else ()
        return [one for one in (*own, *(column.smoother for column in self.chances.values())) if one is not None]

    def with_noise(self, rows: np.ndarray) -> np.ndarray:
        """Return the columns (n, q) with the noise of other rows, before Z is removed."""
        out = self.values[rows]
        if self.left is not None:
            out[:, self.smooth] = self.left.fits + self.left.scales * self.left.residuals[rows]
        return out


class Unconfounded(NamedTuple):
    """What Z leaves of x and of y, and how to resample y."""

    x: Side
    y: Side
    neighbors: np.ndarray  # (n, k), rows of near Z
    pvalue: float  # that rows of near Z are not alike in what it leaves of both x and y
    apart: float  # how far rows of near Z are, relative to any two rows

    def draw(self, seeds: np.ndarray) -> np.ndarray:
        """Return (B, q, n): a version of y for each seed."""
        return self.y.redrawn(local_orders(self.neighbors, np.asarray(seeds, np.uint64)))


def neighbors_of_test(n_samples: int) -> int:
    """Return how many neighbours a test given Z takes by default, of so many rows."""
    return max(3, min(GIVEN_NEIGHBORS * n_samples // 100, MOST_NEIGHBORS))


def unconfounded(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    nominal: tuple[np.ndarray, np.ndarray, np.ndarray],
    seed: int,
    *,
    labels: bool = True,
) -> Unconfounded:
    """Return the tables that a test of independence given z (n, r) compares.

    Without `labels`, and where rows of near Z are very near, columns of few values stay as they are.
    """
    # A stream of its own for each side and for Z: what is drawn of Y is the same whatever X is.
    n, (of_x, of_y, rng) = len(x), (np.random.default_rng([seed, part]) for part in range(3))
    z = as_smooth_columns(z, nominal[2], like_units)
    known = Known(z, rng, rough=True)
    two_valued = np.array([np.unique(column).size <= 2 for column in z.T])
    places = np.where(two_valued, LABEL_APART * z, z) + JITTER * rng.standard_normal(z.shape)
    distances, neighbors = cKDTree(places).query(places, min(NEAREST, n))
    neighbors = neighbors.reshape(n, -1).astype(np.int64)
    apart = _apart(places, distances, rng)
    labels = labels and apart > VERY_NEAR  # else chances only add noise, and follow no steep change
    sides = _side(x, nominal[0], known, of_x, labels), _side(y, nominal[1], known, of_y, labels)
    pvalue = _alike_pvalue(sides, neighbors, places, rng)
    return Unconfounded(*sides, neighbors, pvalue, apart)


def _side(table: np.ndarray, nominal: np.ndarray, known: Known, rng: np.random.Generator, labels: bool) -> Side:
    smooth, values, left, places = is_smooth(table, nominal), table.copy(), None, {}
    if smooth.any():
        left = residuals(table[:, smooth], known, rng, for_test=True)
        values[:, smooth] = left.residuals
    for j in np.flatnonzero(~smooth) if labels else ():
        known_values, codes = np.unique(table[:, j], return_inverse=True)
        if known_values.size > MOST_VALUES:
            continue  # chances of so many labels are known too roughly
        each = codes[:, None] == np.arange(known_values.size)
        values[:, j], places[int(j)] = known.taken_off(each.astype(float), partial(_scores_of_chances, codes, rng))
    return Side(values, smooth, left, places)


def _scores_of_chances(
    codes: np.ndarray, rng: np.random.Generator, bases: Sequence[Basis]
) -> tuple[np.ndarray, Chances]:
    found = chances(codes, bases, rng)
    return found.scores, found


def _alike_pvalue(sides: Sequence[Side], neighbors: np.ndarray, z: np.ndarray, rng: np.random.Generator) -> float:
    """Return the p-value that on no two sides rows of near Z are alike: by all of Z, or a column.

    Only what Z tells of both sides can be mistaken for dependence.
    """
    if not all(side.taken_off.any() for side in sides):
        return 1.0
    near = [neighbors, *(_next_rows(column)[:, None] for column in z.T)]
    found = zip(*(_excess_likeness(side, near, rng) for side in sides), strict=True)
    pvalues = [norm.sf(sum(pair) / math.sqrt(2)) for pair in found if min(pair) > 0]
    return float(either(min(pvalues), len(near))) if pvalues else 1.0


def _excess_likeness(side: Side, near: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    """Return for each way to be near how much more alike rows are than with noise in any order, in standard deviations.

    Regression makes what it leaves of near rows less alike, and does so with that noise as well.
    """
    n, taken = len(side.values), side.taken_off

    def alike(table: np.ndarray) -> list[float]:
        return [_alike(table, rows) for rows in near]

    null = [alike(side.redrawn(rng.permutation(n)[None])[0, taken].T) for _ in range(LIKENESS_DRAWS)]
    return (alike(side.values[:, taken]) - np.mean(null, axis=0)) / np.maximum(np.std(null, axis=0), TINY)


def _next_rows(column: np.ndarray) -> np.ndarray:
    """Return for each row the one with the next larger value, for the last the first."""
    order, out = np.argsort(column), np.empty(column.size, np.int64)
    out[order] = np.roll(order, -1)
    return out


def _alike(table: np.ndarray, near: np.ndarray) -> float:
    """Return how alike rows and those `near` (n, k) are, by the column that shows it most; standard normal if not."""
    centred = table - table.mean(axis=0)
    others = near != np.arange(len(near))[:, None]
    products = centred * (centred[near] * others[:, :, None]).sum(axis=1)
    return float(np.max(products.sum(axis=0) / np.sqrt(np.maximum((products**2).sum(axis=0), TINY))))


def _apart(places: np.ndarray, distances: np.ndarray, rng: np.random.Generator) -> float:
    """Return the median distance to the last neighbour, relative to that between any two rows."""
    some = rng.permutation(len(places))[:MOST_ROWS]
    any_two = float(np.median(np.sqrt(((places[some] - places[np.roll(some, 1)]) ** 2).sum(axis=1))))
    return float(np.median(distances.reshape(len(places), -1)[:, -1])) / any_two if any_two > 0 else 0.0
