"""The geodesic distance d_G of one row to others: trees apart, and the locally Euclidean part (Sec. 5.3)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel

PAPER, RELEASED, EVERYWHERE = 0, 1, 2
LOCAL_DISTANCES = {"paper": PAPER, "released": RELEASED, "everywhere": EVERYWHERE}
RELEASED_SHRINK = 1 - 0.001  # the released code's factor that keeps local distances below the smallest d_F
OUTERMOST = 16_384  # points among which the diameter is sought first


@kernel
def euclidean(columns, i, j):
    """Return the L2 distance between rows i and j of `columns` (d, n)."""
    total = 0.0
    for f in range(columns.shape[0]):
        difference = columns[f, i] - columns[f, j]
        total += difference * difference
    return math.sqrt(total)


class LocalPart(NamedTuple):
    """The locally Euclidean part of d_G."""

    variant: int  # one of LOCAL_DISTANCES
    n_trees: int
    sizes: np.ndarray  # (blocks,): the largest L2 distance between two rows of each block


@kernel
def add_local_part(columns, row, level, size, unit, near):
    """Add the locally Euclidean part, L2 / size × unit, to the distances `near` of a row that are `level` trees.

    A negative level stands for all of them. Dividing first keeps ties: the farthest pair is exactly `unit` apart in
    every block.
    """
    for j in range(near.size):
        if near[j] == level or level < 0.0:
            near[j] += euclidean(columns, row, j) / size * unit


@kernel
def released_scale(columns, row, n_trees, near):
    """Return (size, unit) of the released code's local part: both depend on the row, so it is not symmetric."""
    nearest, farthest = np.float64(n_trees), 0.0
    for j in range(near.size):
        if near[j] > 0.0:
            nearest = min(nearest, near[j])
        else:
            farthest = max(farthest, euclidean(columns, row, j))
    return farthest if farthest > 0.0 else 1.0, nearest * RELEASED_SHRINK


@kernel
def refine(columns, row, level, local, b, near):
    """Add the local part to the distances `near` of a row, in block b, that are `level` trees; it is below one tree.

    `columns` (d, n) are those of the block; for `level`, see `add_local_part`. The unit is the paper's 1 / (T + ε), in
    trees.
    """
    size, unit = local.sizes[b], local.n_trees / (local.n_trees + 1e-3)
    if local.variant == RELEASED:
        size, unit = released_scale(columns, row, local.n_trees, near)
    add_local_part(columns, row, level, size, unit, near)


@kernel
def farthest_from(points, i, end):
    """Return the largest squared L2 distance of row i to the rows 0 … end − 1 of `points` (d, n)."""
    total = np.zeros(end)
    for f in range(points.shape[0]):
        values, centre = points[f], points[f, i]
        for j in range(end):
            difference = values[j] - centre
            total[j] += difference * difference
    largest = 0.0
    for j in range(end):
        largest = max(largest, total[j])
    return largest


@kernel
def diameter_of(points, radius):
    """Return the largest L2 distance between two rows of `points` (d, n), sorted by falling distance from a centre.

    Two points are no farther apart than the sum of their radii, so the search ends early in few dimensions.
    """
    largest = 0.0
    for i in range(1, points.shape[1]):
        if radius[0] + radius[i] <= math.sqrt(largest):
            break
        end = i
        while end > 0 and radius[end - 1] + radius[i] <= math.sqrt(largest):
            end -= 1
        largest = max(largest, farthest_from(points, i, end))
    return math.sqrt(largest)


def diameter(points: np.ndarray) -> float:
    """Return c of the paper's local distance: the largest L2 distance between two rows of `points` (d, n)."""
    if len(points) == 1:
        return float(np.ptp(points))
    squares = np.zeros(points.shape[1])
    for column in points:  # one at a time: no second table
        squares += (column - column.mean()) ** 2
    radius = np.sqrt(squares)
    order = np.argsort(-radius, kind="stable")
    radius = radius[order] * (1 + 1e-9)  # it is rounded, so it is taken a little larger: the bound must hold
    # The outermost points mostly have the farthest pair among them; all of them would be a second table.
    n, some = points.shape[1], OUTERMOST
    while True:
        largest = float(diameter_of(points.take(order[:some], axis=1), radius[:some]))
        if some >= n or radius[0] + radius[some] <= largest:
            return largest
        some *= 4


def local_part(local_distance: str, n_trees: int, blocks: list[np.ndarray]) -> LocalPart:
    """Return the local part of d_G in `blocks` of columns, each (d, n)."""
    return LocalPart(LOCAL_DISTANCES[local_distance], n_trees, np.array([diameter(block) or 1.0 for block in blocks]))
