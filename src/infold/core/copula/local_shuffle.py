"""Rows that change places with rows of near Z: the null of conditional independence (Runge 2018)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from ..jit import kernel
from .conditional import as_smooth_columns, without_z
from .screen import ORDERS, either, pair_pvalues, rank_waves

NEAREST = 5  # rows, the row itself among them, whose place a row may take
LABEL_APART = 10.0  # standard deviations: rows with another label in Z are near only if there are no others


@kernel
def local_permutation(neighbors, order, out):
    """Fill `out` with the row that takes each row's place: the first of its `neighbors` (n, k) that is still free.

    Rows choose in the given order; if all are taken, the last is taken once more.
    """
    taken = np.zeros(order.size, np.bool_)
    for i in order:
        chosen = neighbors[i, 0]
        for j in range(neighbors.shape[1]):
            chosen = neighbors[i, j]
            if not taken[chosen]:
                break
        taken[chosen] = True
        out[i] = chosen


class LocalShuffle(NamedTuple):
    """Draws of an order of the rows in which each is replaced by one with a near Z."""

    neighbors: np.ndarray  # (n, k)

    def draw(self, seed: int) -> np.ndarray:
        """Return the row that takes the place of each row."""
        n, k = self.neighbors.shape
        rng = np.random.default_rng(seed)
        shuffled = np.take_along_axis(self.neighbors, rng.random((n, k)).argsort(axis=1), axis=1)
        order = np.empty(n, np.int64)
        local_permutation(shuffled, rng.permutation(n), order)
        return order


class Unconfounded(NamedTuple):
    """What Z leaves of x and of y, how to pair their rows anew, and the p-value that it leaves nothing of itself."""

    x: np.ndarray
    y: np.ndarray
    shuffle: LocalShuffle
    pvalue: float


def unconfounded(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    nominal: tuple[np.ndarray, np.ndarray, np.ndarray],
    seed: int,
) -> Unconfounded:
    """Return the tables that a test of independence given z (n, r) compares.

    Rows of near Z are not near enough in several columns. What a smooth function of Z tells of a continuous column is
    therefore taken off on both sides first: what is missed on one side must be missed on the other as well to matter.
    """
    rng = np.random.default_rng(seed)
    known = as_smooth_columns(z, nominal[2])
    left = [without_z(side, mask, known, rng) for side, mask in zip((x, y), nominal, strict=False)]
    two_valued = np.array([np.unique(column).size <= 2 for column in known.T])
    places = np.where(two_valued, LABEL_APART * known, known)
    neighbors = cKDTree(places).query(places, min(NEAREST, len(x)))[1].reshape(len(x), -1)
    waves = rank_waves(known, max(ORDERS))
    pvalues = [pair_pvalues(rank_waves(side, max(ORDERS)), waves) for side in left]
    # Only what Z tells of both sides can be mistaken for dependence.
    pvalue = max(float(either(found.min(), found.size)) for found in pvalues)
    return Unconfounded(left[0], left[1], LocalShuffle(neighbors.astype(np.int64)), pvalue)
