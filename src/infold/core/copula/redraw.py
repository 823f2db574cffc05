"""X drawn anew given Z: the null of conditional independence. Rows are samples, (n, p).

Rows with near Z change places (Runge 2018). With several columns in Z no rows are near, so of a continuous column only
what Z leaves of it changes places, which need not be near in Z to be alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..jit import kernel
from ..random import draw_seeds
from .conditional import is_smooth, with_z
from .residuals import residuals
from .scores import normal_scores

NEAREST = 5  # rows, the row itself among them, that one may take the place of
LABEL_APART = 10.0  # standard deviations: rows with other labels in Z are near only if there are no others


@kernel
def local_permutation(neighbors, order, out):
    """Fill `out` with the row that takes each row's place: the first of its `neighbors` (n, k) that is still free.

    Rows choose in the given order; the last neighbour is taken again if all are taken.
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


@dataclass(frozen=True)
class ConditionalSampler:
    """How to draw X anew given Z."""

    x: np.ndarray  # (n, p)
    neighbors: np.ndarray  # (n, k): rows with near Z
    smooth: np.ndarray  # positions of continuous columns
    scores: np.ndarray  # (n, c): their normal scores,
    left: np.ndarray  # (n, c): what Z leaves of them,
    scales: np.ndarray  # (n, c): and its scale

    def draw(self, seed: int) -> np.ndarray:
        """Return a table (n, p) in place of X that tells of Y no more than Z does."""
        n, k = self.neighbors.shape
        rng = np.random.default_rng(seed)
        shuffled = np.take_along_axis(self.neighbors, rng.random((n, k)).argsort(axis=1), axis=1)
        order = np.empty(n, np.int64)
        local_permutation(shuffled, rng.permutation(n), order)
        out = self.x[order]
        drawn = self.scores + self.scales * (self.left[order] - self.left)
        for column, scores, new in zip(self.smooth, self.scores.T, drawn.T, strict=True):
            ranks = np.argsort(scores)
            out[:, column] = np.interp(new, scores[ranks], self.x[ranks, column])
        return out


def conditional_sampler(
    x: np.ndarray, z: np.ndarray, nominal: tuple[np.ndarray, np.ndarray], random_state: object
) -> ConditionalSampler:
    """Return how to draw x (n, p) anew given z (n, r); `nominal` says which columns of either are nominal."""
    rng = np.random.default_rng(draw_seeds(random_state, 1)[0])
    known = with_z(z, nominal[1])
    two_valued = np.array([np.unique(column).size <= 2 for column in known.T])
    places = np.where(two_valued, LABEL_APART * known, known)
    neighbors = cKDTree(places).query(places, min(NEAREST, len(x)))[1].reshape(len(x), -1).astype(np.int64)
    smooth = np.flatnonzero(is_smooth(x, nominal[0]))
    scores = normal_scores(x[:, smooth])
    left = residuals(scores, known, rng)
    return ConditionalSampler(x, neighbors, smooth, scores, left.residuals, left.scales)
