"""Rows of distances: trees apart, and the geodesic distance d_G (Sec. 5.3)."""

from __future__ import annotations

import math

import numpy as np

from .jit import FIRST, kernel, part
from .parallel import blocks, run

PAPER, RELEASED, EVERYWHERE = 0, 1, 2
LOCAL_DISTANCES = {"paper": PAPER, "released": RELEASED, "everywhere": EVERYWHERE}

RELEASED_SHRINK = 1 - 0.001  # the released code's factor that keeps local distances below the smallest d_F

TILE = 2048  # columns of leaf ids at a time: with 300 trees of one byte, what the second-level cache holds
FLUSH = 255  # trees that a byte can count
ROWS_PER_TASK = 64
OUTERMOST = 16_384  # points among which the diameter is sought first


@part
def add_apart(leaves, first, begin, own, count, out):
    """Add to out[j] for how many t leaves[first + t, begin + j] is not own[t]; `count` is scratch, as long."""
    n_trees, end = own.size, begin + out.size
    t = 0
    while t < n_trees:
        flush = min(t + FLUSH, n_trees)
        count[:] = 0
        while t + 5 <= flush:  # five trees a pass, so that the counts are loaded and stored less often
            a, b, c, d, e = own[t], own[t + 1], own[t + 2], own[t + 3], own[t + 4]
            row = first + t
            row_a, row_b = leaves[row, begin:end], leaves[row + 1, begin:end]
            row_c, row_d = leaves[row + 2, begin:end], leaves[row + 3, begin:end]
            row_e = leaves[row + 4, begin:end]
            for j in range(out.size):
                count[j] += (
                    np.uint8(row_a[j] != a)
                    + np.uint8(row_b[j] != b)
                    + np.uint8(row_c[j] != c)
                    + np.uint8(row_d[j] != d)
                    + np.uint8(row_e[j] != e)
                )
            t += 5
        while t < flush:
            a, row_a = own[t], leaves[first + t, begin:end]
            for j in range(out.size):
                count[j] += np.uint8(row_a[j] != a)
            t += 1
        for j in range(out.size):
            out[j] += count[j]


@kernel
def trees_apart(leaves, queries, others, out):
    """Fill out[q, j] with the number of trees in which row q of `queries` and row j of `others` differ in leaf.

    `queries` and `others` are ranges (start, stop) of the columns of `leaves` (T, n); `out` counts in uint16.
    """
    n_trees = leaves.shape[0]
    own, count = np.empty(n_trees, leaves.dtype), np.empty(TILE, np.uint8)
    for tile in range(others[0], others[1], TILE):
        width = min(TILE, others[1] - tile)
        for q in range(queries[1] - queries[0]):
            for t in range(n_trees):
                own[t] = leaves[t, queries[0] + q]
            to = out[q, tile - others[0] : tile - others[0] + width]
            to[:] = 0
            add_apart(leaves, FIRST, tile, own, count, to)


@part
def euclidean(points, i, j):
    """Return the L2 distance of columns i and j of `points` (d, n)."""
    total = 0.0
    for f in range(points.shape[0]):
        difference = points[f, i] - points[f, j]
        total += difference * difference
    return math.sqrt(total)


@part
def farthest_from(points, i, end):
    """Return the largest squared L2 distance of column i to columns 0 … end − 1 of `points` (d, n)."""
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
    """Return the largest L2 distance between two columns of `points` (d, n), sorted by falling distance from a centre.

    Two points are no farther apart than the sum of their radii, so the walk ends early in few dimensions.
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
    """Return c of the paper's local distance: the largest L2 distance between two columns of `points` (d, n)."""
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


@part
def local_scale(variant, apart, rows, points, i, n_trees, diameter):
    """Return (size, unit): the L2 distance of row i to `rows` with `apart` = 0 counts as L2 / size × unit. Sec. 5.3.

    Dividing first keeps ties: the farthest pair counts as exactly `unit` on either side.
    """
    if variant != RELEASED:
        return diameter if diameter > 0.0 else 1.0, 1.0 / (n_trees + 1e-3)
    nearest, farthest = n_trees, 0.0
    for j in range(apart.size):
        if apart[j] > 0:
            nearest = min(nearest, np.int64(apart[j]))
        elif rows[j] != i:
            farthest = max(farthest, euclidean(points, i, rows[j]))
    return farthest if farthest > 0.0 else 1.0, nearest / n_trees * RELEASED_SHRINK


@part
def fill_geodesic_row(apart, rows, points, i, n_trees, variant, diameter, out):
    """Fill out[j] with d_G between rows i and rows[j] of `points` (d, n), `apart`[j] trees apart. Sec. 5.3."""
    size, unit = local_scale(variant, apart, rows, points, i, n_trees, diameter)
    for j in range(apart.size):
        out[j] = apart[j] / n_trees
        if apart[j] == 0 or variant == EVERYWHERE:
            out[j] += euclidean(points, i, rows[j]) / size * unit


@kernel
def geodesic_block(leaves, points, queries, n_fitted, variant, diameter, out):
    """Fill out[q, j] with d_G between rows queries[0] + q and j < n_fitted of `points` (d, n). Sec. 5.3."""
    apart, rows = np.empty((queries[1] - queries[0], n_fitted), np.uint16), np.empty(n_fitted, np.int32)
    trees_apart(leaves, queries, (FIRST, n_fitted), apart)
    for j in range(n_fitted):
        rows[j] = j
    for q in range(apart.shape[0]):
        fill_geodesic_row(apart[q], rows, points, queries[0] + q, leaves.shape[0], variant, diameter, out[q])


def geodesic_rows(
    leaves: np.ndarray, points: np.ndarray, queries: tuple[int, int], n_fitted: int, local_distance: str
) -> np.ndarray:
    """Return d_G between the rows in the range `queries` and the first n_fitted rows."""
    out = np.empty((queries[1] - queries[0], n_fitted))
    c = diameter(points[:, :n_fitted])
    geodesic_block(leaves, points, queries, n_fitted, LOCAL_DISTANCES[local_distance], c, out)
    return out


def geodesic_neighbors(
    leaves: np.ndarray,
    points: np.ndarray,
    queries: tuple[int, int],
    n_fitted: int,
    local_distance: str,
    k: int,
    *,
    n_jobs: int | None,
    verbose: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (distances, rows) of the k nearest fitted rows; a query that is a fitted row is not its own neighbour."""
    n_queries = queries[1] - queries[0]
    distances, rows = np.empty((n_queries, k)), np.empty((n_queries, k), np.intp)
    variant, c = LOCAL_DISTANCES[local_distance], diameter(points[:, :n_fitted])

    def work(start: int, stop: int) -> None:
        block = np.empty((stop - start, n_fitted))
        first, end = queries[0] + start, queries[0] + stop
        geodesic_block(leaves, points, (first, end), n_fitted, variant, c, block)
        if first < n_fitted:
            block[np.arange(stop - start), np.arange(first, end)] = np.inf
        order = np.argsort(block, axis=1, kind="stable")[:, :k]
        rows[start:stop] = order
        distances[start:stop] = np.take_along_axis(block, order, axis=1)

    run(work, blocks(n_queries, ROWS_PER_TASK), n_jobs=n_jobs, label="finding neighbours", verbose=verbose)
    return distances, rows
