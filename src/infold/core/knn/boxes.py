"""Neighbours by boxes: rows in the leaves of a k-d tree, kept as a flat list. Best for few columns and many rows.

The distances from one box to all others are a single loop, so there is no tree to walk: boxes are visited outwards by
their number, and those too far away are passed over.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel, kernel_without_nan
from .scan import chebyshev_distances
from .selection import clear, count_up_to, keep_smallest, neighborhood


class Boxes(NamedTuple):
    """Rows of a table (d, n) in boxes of at most `width` rows."""

    tiles: np.ndarray  # (boxes, d, width): the rows of each box, padded with inf
    low: np.ndarray  # (d, boxes): where each box begins
    high: np.ndarray  # (d, boxes): and ends
    starts: np.ndarray  # (boxes + 1,): box b has the rows order[starts[b]:starts[b + 1]]
    order: np.ndarray  # (n,)


@kernel
def move_to_front(keys, order, first, stop, bound):
    """Move the keys[first:stop] up to `bound` to the front, and `order` with them; return where the others begin.

    Every key changes places, with itself if need be: a processor that guesses which ones do is mostly wrong.
    """
    place = first
    for j in range(first, stop):
        key, row = keys[j], order[j]
        keys[j], order[j] = keys[place], order[place]
        keys[place], order[place] = key, row
        place += key <= bound
    return place


@kernel
def select(keys, order, first, stop, middle):
    """Arrange keys[first:stop], and `order` with them, so that none before `middle` is larger than one after."""
    while stop - first > 1:
        a, b, c = keys[first], keys[(first + stop) // 2], keys[stop - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        below = move_to_front(keys, order, first, stop, np.nextafter(pivot, -np.inf))
        if middle < below:
            stop = below
            continue
        first = move_to_front(keys, order, below, stop, pivot)
        if middle < first:
            break


@kernel
def widest_column(table, rows):
    """Return the column of table (d, n) along which a sample of `rows` reaches farthest."""
    widest, found = -1.0, 0
    for f in range(table.shape[0]):
        low, high = np.inf, -np.inf
        for j in range(0, rows.size, max(1, rows.size // 64)):
            low, high = min(low, table[f, rows[j]]), max(high, table[f, rows[j]])
        if high - low > widest:
            widest, found = high - low, f
    return found


@kernel
def order_by_boxes(table, starts):
    """Return the rows of table (d, n) in an order in which box b has the rows starts[b] to starts[b + 1].

    The number of boxes is a power of two: rows are halved along their widest column, again and again.
    """
    n_boxes, n = starts.size - 1, table.shape[1]
    order, keys = np.arange(n), np.empty(n)
    step = n_boxes
    while step > 1:
        for box in range(0, n_boxes, step):
            begin, middle, stop = starts[box], starts[box + step // 2], starts[box + step]
            values = table[widest_column(table, order[begin:stop])]
            for j in range(begin, stop):
                keys[j] = values[order[j]]
            select(keys, order, begin, stop, middle)
        step //= 2
    return order


@kernel
def fill_boxes(table, starts, order, tiles, low, high):
    """Copy the rows of table (d, n) into tiles (boxes, d, width), and fill in where each box begins and ends."""
    for box in range(tiles.shape[0]):
        size = starts[box + 1] - starts[box]
        for f in range(table.shape[0]):
            a, b = np.inf, -np.inf
            for j in range(size):
                value = table[f, order[starts[box] + j]]
                tiles[box, f, j] = value
                a, b = min(a, value), max(b, value)
            for j in range(size, tiles.shape[2]):
                tiles[box, f, j] = np.inf
            low[f, box], high[f, box] = a, b


def make_boxes(table: np.ndarray, width: int) -> Boxes:
    """Return the rows of table (d, n) in boxes of at most `width` rows."""
    d, n = table.shape
    n_boxes = 1 << max(0, math.ceil(math.log2(n / width)))
    starts = np.arange(n_boxes + 1) * n // n_boxes
    order = order_by_boxes(table, starts)
    tiles, (low, high) = np.empty((n_boxes, d, width)), np.empty((2, d, n_boxes))
    fill_boxes(table, starts, order, tiles, low, high)
    return Boxes(tiles, low, high, starts, order)


@kernel_without_nan
def box_gaps(low, high, from_low, from_high, gaps):
    """Fill gaps[j] with the distance between box j and another box, at most 0 if they touch.

    With `low` and `high` exchanged everywhere it is the largest distance between a row of one and one of the other.
    """
    for f in range(low.shape[0]):
        a, b, here, there = from_low[f], from_high[f], low[f], high[f]
        if f == 0:
            for j in range(gaps.size):
                gaps[j] = max(here[j] - b, a - there[j])
        else:
            for j in range(gaps.size):
                gaps[j] = max(gaps[j], max(here[j] - b, a - there[j]))


@kernel
def copy_rows(tile, size, rows):
    """Copy the first `size` rows of a tile (d, width) into rows (width, d)."""
    for q in range(size):
        for f in range(tile.shape[0]):
            rows[q, f] = tile[f, q]


@kernel_without_nan
def keep_smallest_each(values, best, ties):
    """Insert each of `values` (m,) in its own column of best (k, m) if it is among the k smallest so far.

    For `ties`, see `keep_smallest`. All columns take the same steps, so that several go at a time.
    """
    last = best.shape[0] - 1
    for i in range(last):
        smallest = best[i]
        for q in range(values.size):
            value = values[q]
            values[q] = max(smallest[q], value)
            smallest[q] = min(smallest[q], value)
    worst = best[last]
    for q in range(values.size):
        before, value = worst[q], values[q]
        worst[q] = min(before, value)
        ties[q] = (ties[q] if worst[q] == before else 0) + (max(before, value) == worst[q])


@kernel
def nearest_within(tile, center, size, near, columns, best, ties):
    """Fill best (width, k) with the distances of each row of a box to its nearest rows in that box.

    The first `size` rows of the tile (d, width) are also in center (width, d); near (width,) and columns (k, width) are
    workspaces.
    """
    zero = size - size
    for i in range(columns.shape[0]):
        clear(columns, i)
    for q in range(ties.size):
        ties[q] = 0
    for j in range(size):
        chebyshev_distances(tile, zero, tile.shape[0], center[j], zero, near)
        near[j] = np.inf
        keep_smallest_each(near, columns, ties)
    for q in range(size):
        for i in range(columns.shape[0]):
            best[q, i] = columns[i, q]


class Found(NamedTuple):
    """What is known of the neighbourhood of each row; see `neighborhood`."""

    k: np.ndarray  # (n,)
    radius: np.ndarray  # (n,)
    nearer: np.ndarray  # (n, 1 + spaces): in the joint space, and in each space
    within: np.ndarray  # (n, 1 + spaces)


def new_found(n: int, n_spaces: int) -> Found:
    """Return arrays to be filled."""
    nearer, within = np.empty((2, n, 1 + n_spaces), np.int64)
    return Found(np.empty(n, np.int64), np.empty(n), nearer, within)


@kernel
def box_radii(boxes, k, far, found, first, stop):
    """Fill in k, radius and the joint space's counts of each row in the boxes first to stop; return the visits.

    Not all copies of an atom are sought. A visit is a row that looks at a box.
    """
    n_boxes, d, width = boxes.tiles.shape
    zero = boxes.starts[0]  # a written 0 would be a type of its own, and compiled for anew
    gaps, near, row_gaps = np.empty(n_boxes), np.empty(width), np.empty(width)
    best, center, ties = np.empty((width, k)), np.empty((width, d)), np.empty(width, np.int64)
    columns = np.empty((k, width))
    visits = 0
    for box in range(first, stop):
        tile, begin = boxes.tiles[box], boxes.starts[box]
        size = boxes.starts[box + 1] - begin
        copy_rows(tile, size, center)
        nearest_within(tile, center, size, near, columns, best, ties)
        visits += size
        box_gaps(boxes.low, boxes.high, boxes.low[:, box], boxes.high[:, box], gaps)
        widest = 0.0
        for q in range(size):
            widest = max(widest, best[q, -1])
        for turn in range(1, 2 * n_boxes):  # the boxes to its right and left, farther and farther
            other = box + (turn + 1) // 2 if turn % 2 else box - turn // 2
            if other < 0 or other >= n_boxes or gaps[other] > widest or gaps[other] == widest == 0.0:
                continue
            box_gaps(tile, tile, boxes.low[:, other], boxes.high[:, other], row_gaps)
            widest = 0.0
            for q in range(size):
                if row_gaps[q] < best[q, -1] or row_gaps[q] == best[q, -1] > 0.0:
                    visits += 1
                    chebyshev_distances(boxes.tiles[other], zero, d, center[q], zero, near)
                    keep_smallest(near, best, q, ties)
                widest = max(widest, best[q, -1])
        for q in range(size):
            row = boxes.order[begin + q]
            found.k[row], found.radius[row], found.nearer[row, 0], found.within[row, 0] = neighborhood(
                best, q, ties, far
            )
    return visits


@kernel
def box_counts(boxes, bounds, nearer, within, first, stop):
    """Fill nearer[row] with how many rows are nearer than its bound to each row in the boxes first to stop.

    Likewise within[row] with how many are no farther.
    """
    n_boxes, d, width = boxes.tiles.shape
    low, high, starts, zero = boxes.low, boxes.high, boxes.starts, boxes.starts[0]
    gaps, spans, row_gaps, row_spans = np.empty(n_boxes), np.empty(n_boxes), np.empty(width), np.empty(width)
    near, bound, center = np.empty(width), np.empty(width), np.empty((width, d))
    found, ties = np.empty(width, np.int64), np.empty(width, np.int64)
    for box in range(first, stop):
        tile, begin = boxes.tiles[box], starts[box]
        size = starts[box + 1] - begin
        copy_rows(tile, size, center)
        widest, narrowest = 0.0, np.inf
        for q in range(size):
            found[q] = ties[q] = 0
            bound[q] = bounds[boxes.order[begin + q]]
            widest, narrowest = max(widest, bound[q]), min(narrowest, bound[q])
        box_gaps(low, high, low[:, box], high[:, box], gaps)
        box_gaps(high, low, high[:, box], low[:, box], spans)
        inside = 0
        for other in range(n_boxes):
            n_other = starts[other + 1] - starts[other]
            if gaps[other] > widest:
                continue
            if spans[other] < narrowest:
                inside += n_other
                continue
            box_gaps(tile, tile, low[:, other], high[:, other], row_gaps)
            box_gaps(tile, tile, high[:, other], low[:, other], row_spans)
            for q in range(size):
                if row_gaps[q] > bound[q]:
                    continue
                if row_spans[q] < bound[q]:
                    found[q] += n_other
                elif row_spans[q] == bound[q] == 0.0:  # copies, all of them
                    ties[q] += n_other
                else:
                    chebyshev_distances(boxes.tiles[other], zero, d, center[q], zero, near)
                    below, up_to = count_up_to(near, bound[q])
                    found[q] += below
                    ties[q] += up_to - below
        for q in range(size):
            row = boxes.order[begin + q]
            nearer[row] = found[q] + inside
            within[row] = nearer[row] + ties[q]
