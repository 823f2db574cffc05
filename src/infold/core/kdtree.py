"""A balanced k-d tree of tiles: radii and counts where most rows are too far away to be looked at.

Nodes are numbered as in a heap (node v has children 2v + 1 and 2v + 2), all leaves are at one depth, and every leaf is
a tile. The rows of a leaf are searched for together: nodes are opened or passed over for all of them at once, by boxes.
Boxes and distances are float32, so a bound is passed only by more than BAND; see tiles.py.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .jit import FIRST, kernel
from .parallel import run
from .tiles import (
    BAND,
    FAR,
    FEW,
    count_doubtful,
    count_roughly,
    cut_tiles,
    exact_distance,
    insert,
    larger,
    piece,
    scaled_columns,
    sift,
    smaller,
    tile_distances,
)

STACK = 64  # deeper than any tree
SAMPLE = 64  # rows of a node that tell which of its columns is widest
PARALLEL_FROM = 50_000  # rows: fewer are split sooner than threads start
SERIAL_LEVELS = 2  # levels that one thread splits, before its parts go to several
BELOW, AT_MOST = np.bool_(False), np.bool_(True)  # not Python's, for which numba would compile twice


class KDTree(NamedTuple):
    """Leaves as tiles (n_leaves, d, width), boxes of all nodes, and rows (n, d) in the order of the leaves."""

    tiles: np.ndarray
    low: np.ndarray
    high: np.ndarray
    starts: np.ndarray
    rows: np.ndarray
    weights: np.ndarray
    unit: float
    order: np.ndarray


@piece
def to_front(keys, order, first, stop, pivot, also_equal):
    """Bring keys below `pivot`, or equal if asked, to the front of keys[first:stop]; return where they end.

    Every element is swapped, wanted or not: that costs less than branches which cannot be predicted.
    """
    end = first
    for j in range(first, stop):
        key, row = keys[j], order[j]
        keys[j], order[j] = keys[end], order[end]
        keys[end], order[end] = key, row
        end += (key < pivot) | (also_equal & (key == pivot))
    return end


@piece
def select(keys, order, first, stop, middle):
    """Arrange keys[first:stop], and `order` with them, so that none before `middle` is larger than one after."""
    while stop - first > 1:
        a, b, c = keys[first], keys[(first + stop) // 2], keys[stop - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        end = to_front(keys, order, first, stop, pivot, BELOW)
        if middle < end:
            stop = end
        else:
            first = to_front(keys, order, end, stop, pivot, AT_MOST)
            if middle < first:
                break


@kernel
def split_nodes(scaled, order, keys, bounds, first_node, levels):
    """Split the node `first_node` of the rows `order` and its descendants, `levels` deep, each at its median.

    bounds[v] is (start, stop) of node v in `order`.
    """
    d = scaled.shape[0]
    node, width = first_node, 1
    for _ in range(levels):
        for v in range(node, node + width):
            start, stop = bounds[v, 0], bounds[v, 1]
            middle = (start + stop) // 2
            step = max(1, (stop - start) // SAMPLE)
            widest, column = np.float32(-1.0), 0
            for f in range(d):
                low, high = FAR, -FAR
                for j in range(start, stop, step):
                    value = scaled[f, order[j]]
                    low, high = smaller(low, value), larger(high, value)
                if high - low > widest:
                    widest, column = high - low, f
            for j in range(start, stop):
                keys[j] = scaled[column, order[j]]
            select(keys, order, start, stop, middle)
            bounds[2 * v + 1, 0], bounds[2 * v + 1, 1] = start, middle
            bounds[2 * v + 2, 0], bounds[2 * v + 2, 1] = middle, stop
        node, width = 2 * node + 1, 2 * width


@kernel
def boxes(tiles, starts):
    """Return (low, high), each (n_nodes, d): the smallest boxes around the rows of every node."""
    n_leaves, d, _ = tiles.shape
    low, high = np.empty((2 * n_leaves - 1, d), np.float32), np.empty((2 * n_leaves - 1, d), np.float32)
    for t in range(n_leaves):
        for f in range(d):
            a, b = FAR, -FAR
            for j in range(starts[t + 1] - starts[t]):
                a, b = smaller(a, tiles[t, f, j]), larger(b, tiles[t, f, j])
            low[n_leaves - 1 + t, f], high[n_leaves - 1 + t, f] = a, b
    for v in range(n_leaves - 2, -1, -1):
        for f in range(d):
            low[v, f] = smaller(low[2 * v + 1, f], low[2 * v + 2, f])
            high[v, f] = larger(high[2 * v + 1, f], high[2 * v + 2, f])
    return low, high


def grow_kdtree(points: np.ndarray, weights: np.ndarray, width: int, n_jobs: int | None) -> KDTree:
    """Return the tree of columns `points` (d, n), whose differences count times `weights`; `width` rows fill a leaf."""
    n = points.shape[1]
    scaled, unit = scaled_columns(points, weights)
    depth = max(0, math.ceil(math.log2(n / width)))
    n_leaves = 1 << depth
    order, keys = np.arange(n), np.empty(n, np.float32)
    bounds = np.empty((2 * n_leaves - 1, 2), np.intp)
    bounds[0] = 0, n
    top = depth if n < PARALLEL_FROM else min(depth, SERIAL_LEVELS)
    split_nodes(scaled, order, keys, bounds, 0, top)
    if top < depth:
        roots = [(root,) for root in range((1 << top) - 1, (2 << top) - 1)]

        def work(root: int) -> None:
            split_nodes(scaled, order, keys, bounds, root, depth - top)

        run(work, roots, n_jobs=n_jobs, label="growing a tree", verbose=0)
    starts = np.append(bounds[n_leaves - 1 :, 0], n)
    tiles = cut_tiles(scaled, order, starts, width)
    low, high = boxes(tiles, starts)
    return KDTree(tiles, low, high, starts, points.T[order], weights, unit, order)


@piece
def node_gap(low, high, a, b):
    """Return the distance of the boxes of nodes a and b, at most 0 if they touch."""
    gap = -FAR
    for f in range(low.shape[1]):
        gap = larger(gap, larger(low[b, f] - high[a, f], low[a, f] - high[b, f]))
    return gap


@piece
def node_span(low, high, a, b):
    """Return the largest distance of a point in the box of node a to one in the box of node b."""
    span = np.float32(0.0)
    for f in range(low.shape[1]):
        span = larger(span, larger(high[b, f] - low[a, f], high[a, f] - low[b, f]))
    return span


@piece
def row_gaps(tiles, t, low, high, node, gaps):
    """Fill gaps[q] with the distance of row q of tile t to the box of `node`, at most 0 inside."""
    for f in range(tiles.shape[1]):
        a, b = low[node, f], high[node, f]
        if f == 0:
            for q in range(gaps.size):
                gaps[q] = larger(a - tiles[t, f, q], tiles[t, f, q] - b)
        else:
            for q in range(gaps.size):
                gaps[q] = larger(gaps[q], larger(a - tiles[t, f, q], tiles[t, f, q] - b))


@piece
def row_spans(tiles, t, low, high, node, spans):
    """Fill spans[q] with the largest distance of row q of tile t to a point in the box of `node`."""
    for f in range(tiles.shape[1]):
        a, b = low[node, f], high[node, f]
        if f == 0:
            for q in range(spans.size):
                spans[q] = larger(b - tiles[t, f, q], tiles[t, f, q] - a)
        else:
            for q in range(spans.size):
                spans[q] = larger(spans[q], larger(b - tiles[t, f, q], tiles[t, f, q] - a))


@kernel
def tree_radii(tiles, low, high, starts, rows, weights, unit, order, k, first, stop, radii):
    """Fill `radii` with the distance to the k-th neighbour of the rows of leaves first … stop − 1.

    Return how many distances were computed.
    """
    n_leaves, d, width = tiles.shape
    gaps, distances, reach = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    best, few = np.empty((width, k)), np.empty((width, FEW), np.float32)
    centres = np.empty((width, d), np.float32)
    stack, stack_gap = np.empty(STACK, np.intp), np.empty(STACK, np.float32)
    work = 0
    for leaf in range(first, stop):
        size, own = starts[leaf + 1] - starts[leaf], n_leaves - 1 + leaf
        for q in range(size):
            reach[q] = FAR
            for j in range(k):
                best[q, j] = np.inf
            for j in range(FEW):
                few[q, j] = -FAR if j < FEW - k else FAR
            for f in range(d):
                centres[q, f] = tiles[leaf, f, q]
        widest = FAR
        # The row's own leaf comes first, for a good bound; it lies at the bottom of the stack again, and is skipped.
        top, stack[0], stack_gap[0] = 1, own, -FAR
        started = False
        while top > 0:
            top -= 1
            node = stack[top]
            if stack_gap[top] > widest:
                continue
            if node < n_leaves - 1:
                near, far = 2 * node + 1, 2 * node + 2
                near_gap, far_gap = node_gap(low, high, own, near), node_gap(low, high, own, far)
                if far_gap < near_gap:
                    near, far, near_gap, far_gap = far, near, far_gap, near_gap
                stack[top], stack_gap[top] = far, far_gap
                stack[top + 1], stack_gap[top + 1] = near, near_gap
                top += 2
                continue
            if node != own or not started:
                other = node - (n_leaves - 1)
                row_gaps(tiles, leaf, low, high, node, gaps)
                for q in range(size):
                    if gaps[q] > reach[q]:
                        continue
                    tile_distances(tiles, other, FIRST, d, centres[q], distances)
                    work += width
                    if node == own:
                        distances[q] = FAR
                    hits = np.int32(0)
                    for j in range(width):
                        hits = np.int32(hits + np.int32(distances[j] <= reach[q]))
                    if hits > 0:
                        if k <= FEW:
                            sift(few[q], distances, FIRST, width)
                            reach[q] = few[q, FEW - 1] + 2 * BAND
                        for j in range(starts[other + 1] - starts[other]):
                            if distances[j] <= reach[q] and (node != own or j != q):
                                i = starts[leaf] + q
                                exact = exact_distance(rows, weights, FIRST, d, i, starts[other] + j, best[q, k - 1])
                                if exact < best[q, k - 1]:
                                    insert(best[q], exact)
                                    if k > FEW:
                                        reach[q] = best[q, k - 1] * unit + BAND
                widest = reach[0]
                for q in range(size):
                    widest = larger(widest, reach[q])
            if not started:
                started = True
                top, stack[0], stack_gap[0] = 1, 0, -FAR
        for q in range(size):
            radii[order[starts[leaf] + q]] = best[q, k - 1]
    return work


@kernel
def tree_counts(tiles, low, high, starts, rows, weights, unit, order, bounds, first, stop, counts):
    """Fill `counts` with how many rows are nearer than its bound to each row of leaves first … stop − 1.

    A row counts itself; where the bound is 0, nothing is filled in.
    """
    n_leaves, d, width = tiles.shape
    gaps, spans, distances = np.empty(width, np.float32), np.empty(width, np.float32), np.empty(width, np.float32)
    sure, maybe = np.empty(width, np.float32), np.empty(width, np.float32)
    bound, found = np.empty(width), np.empty(width, np.intp)
    centres, stack = np.empty((width, d), np.float32), np.empty(STACK, np.intp)
    for leaf in range(first, stop):
        begin, size, own = starts[leaf], starts[leaf + 1] - starts[leaf], n_leaves - 1 + leaf
        widest, narrowest = -FAR, FAR
        for q in range(size):
            bound[q], found[q] = bounds[order[begin + q]], 0
            sure[q], maybe[q] = FAR, -FAR
            if bound[q] > 0:
                sure[q], maybe[q] = bound[q] * unit - BAND, bound[q] * unit + BAND
            widest, narrowest = larger(widest, maybe[q]), smaller(narrowest, sure[q])
            for f in range(d):
                centres[q, f] = tiles[leaf, f, q]
        top, stack[0] = 1, 0
        while top > 0:
            top -= 1
            node = stack[top]
            if node_gap(low, high, own, node) > widest:
                continue
            if node_span(low, high, own, node) < narrowest:
                left, right = node, node
                while left < n_leaves - 1:
                    left, right = 2 * left + 1, 2 * right + 2
                inside = starts[right - n_leaves + 2] - starts[left - n_leaves + 1]
                for q in range(size):
                    found[q] += inside
            elif node < n_leaves - 1:
                stack[top], stack[top + 1] = 2 * node + 1, 2 * node + 2
                top += 2
            else:
                other = node - (n_leaves - 1)
                row_gaps(tiles, leaf, low, high, node, gaps)
                row_spans(tiles, leaf, low, high, node, spans)
                for q in range(size):
                    if gaps[q] > maybe[q]:
                        continue
                    if spans[q] < sure[q]:
                        found[q] += starts[other + 1] - starts[other]
                        continue
                    tile_distances(tiles, other, FIRST, d, centres[q], distances)
                    below, doubtful = count_roughly(distances, bound[q], unit)
                    found[q] += below
                    if doubtful > 0:
                        at = starts[other]
                        found[q] += count_doubtful(distances, rows, weights, FIRST, d, begin + q, at, bound[q], unit)
        for q in range(size):
            if bound[q] > 0:
                counts[order[begin + q]] = found[q]
