"""Each point's offsets to its nearest neighbours, block by block, and what their users had to work around."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from infold.parallel.scheduler import blocks, run

from ..jit import kernel

BLOCK_ROWS = 256  # long enough to hide a task's start, short enough to share out 500 samples
BLOCK_VALUES = 1 << 17  # in an array of a block, 1 MB, as fits a cache: with very many columns it has fewer rows
TREE_COLUMNS = 4  # beyond, a search in a k-d tree looks at most rows, and brute force does that faster


class Status(NamedTuple):
    """What local entropies had to work around; all zero for data in general position."""

    zero_distance: int
    """Points that coincide with their k nearest neighbours."""
    singular: int
    """Points whose neighbourhood is flat: widened by gKNN, left out by LNN."""
    unseen: int
    """Dimensions in excess of what the neighbours can span: where not zero, the entropy has no meaning."""
    set_to_zero: bool = False
    """Whether the rule of rmi replaced the entropy by zero."""
    widened: int = 0
    """Points that LNN widened, because all of them were flat and none would have been left."""


def unit_sized(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return (points / unit, log unit), the unit a power of two: squares can neither overflow nor vanish."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    exponent = int(np.frexp(np.max(np.abs(points)))[1])
    return np.ldexp(points, -exponent), exponent * math.log(2.0)


@kernel
def nearest_by_brute_force(columns, start, stop, m, max_norm):
    """Return (rows, m) the m < n nearest others, nearest first, of the rows start to stop of `columns` (d, n)."""
    d, n = columns.shape
    found = np.zeros((stop - start, m), np.int64)
    distances, nearest = np.empty(n), np.empty(m)
    for i in range(start, stop):
        distances[:] = 0.0
        for f in range(d):
            values, centre = columns[f], columns[f, i]
            if max_norm:
                for j in range(n):
                    distances[j] = max(distances[j], abs(values[j] - centre))
            else:
                for j in range(n):
                    distances[j] += (values[j] - centre) ** 2
        distances[i] = np.inf
        nearest[:] = np.inf
        row = found[i - start]
        for j in range(n):
            distance = distances[j]
            if distance < nearest[m - 1]:  # of equally near rows the earlier stays
                place = m - 1
                while place > 0 and nearest[place - 1] > distance:
                    nearest[place], row[place] = nearest[place - 1], row[place - 1]
                    place -= 1
                nearest[place], row[place] = distance, j
    return found


def nearest_in_tree(tree: cKDTree, start: int, stop: int, m: int, max_norm: bool) -> np.ndarray:
    """Return the same from a k-d tree."""
    _, found = tree.query(tree.data[start:stop], m + 1, p=np.inf if max_norm else 2)
    itself = found == np.arange(start, stop)[:, None]
    # Among more than m copies of a point the tree may not list the point itself: any copy will do instead.
    itself[~itself.any(axis=1), -1] = True
    return found[~itself].reshape(stop - start, m)


def over_neighbourhoods(
    task: Callable[[np.ndarray], tuple[np.ndarray, ...]],
    points: np.ndarray,
    m: int,
    *,
    max_norm: bool = False,
    n_jobs: int | None,
) -> tuple[np.ndarray, ...]:
    """Return the arrays that `task` makes of offsets (rows, m + 1, d): to each point itself, then its m nearest."""
    n, d = points.shape
    tree = cKDTree(points) if d <= TREE_COLUMNS else None
    columns = np.ascontiguousarray(points.T)

    def block(start: int, stop: int) -> tuple[np.ndarray, ...]:
        if tree is None:
            found = nearest_by_brute_force(columns, start, stop, m, max_norm)
        else:
            found = nearest_in_tree(tree, start, stop, m, max_norm)
        offsets = points[np.column_stack((np.arange(start, stop), found))]
        offsets -= points[start:stop, None]
        return task(offsets)

    rows = min(BLOCK_ROWS, max(1, BLOCK_VALUES // (d * max(d, m))))
    parts = run(block, blocks(n, rows), n_jobs=n_jobs, label="entropy", verbose=0)
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
