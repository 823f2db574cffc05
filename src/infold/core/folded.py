"""Leaf ids in one byte each, in blocks of similar rows: most pairs of rows then need not be compared.

Where a tree has more than 256 leaves the smallest ones share bytes. Rows that meet in a byte but not in a leaf are few,
and are put right one by one. A block knows which bytes its rows have in each tree, and so how many trees any of them is
away from a given row, at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .distance import add_apart
from .intervals import trees_between
from .jit import FIRST, kernel, part
from .neighbors import count_below
from .tiles import insert

ALONE = 128  # bytes below this stand for one leaf only, the largest ones
WIDTH = 256  # rows in a block, or a multiple: with fewer, a pass over a block would take less time than to set it up
MOST_BLOCKS = 512  # with more, it takes long to see which ones may be near
CROWDED = 8  # if one leaf in so many shares its byte, it takes less to make all rows FAR than to find who shares it
FAR = 1 << 30  # trees apart of rows that have not been compared


class Folded(NamedTuple):
    """Leaf ids of T trees and n rows, folded into bytes; a row's place is where it is in blocks of similar rows."""

    order: np.ndarray  # (n,) rows by place
    place: np.ndarray  # (n,) its inverse
    folded: np.ndarray  # (blocks · T, width) bytes of each block
    absent: np.ndarray  # (T, 256, blocks) 1 where a block has no row with that byte in that tree
    leaves: np.ndarray  # (T, n) leaf ids by row; empty if they are bytes anyway
    start: np.ndarray  # (T, 257 − ALONE) where the places of each byte from ALONE on begin
    shared: np.ndarray  # places whose byte stands for several leaves, by tree and byte
    leaf: np.ndarray  # their leaf ids


@kernel
def trees_to(rows, members, one):
    """Return in how many trees each of `members` differs from the row `one`, for leaf ids `rows` (n, T)."""
    out = np.empty(members.size, np.int32)
    for j in range(members.size):
        out[j] = trees_between(rows[members[j]], rows[one])
    return out


def similar_together(leaves: np.ndarray, width: int) -> np.ndarray:
    """Return all rows, each `width` of them similar: halved, again and again, by which of two far rows is nearer."""
    rows = np.ascontiguousarray(leaves.T)
    order = np.arange(len(rows), dtype=np.int32)
    parts = [(0, len(rows))]
    while parts:
        start, stop = parts.pop()
        if stop - start <= width:
            continue
        members = order[start:stop]
        nearer = trees_to(rows, members, members[0])
        nearer -= trees_to(rows, members, members[nearer.argmax()])
        order[start:stop] = members[np.argsort(nearer, kind="stable")]
        middle = start + (stop - start + width) // (2 * width) * width
        parts += [(start, middle), (middle, stop)]
    return order


@kernel
def fold(leaves, order, n_leaves, width):
    """Return `folded`, `absent`, `start`, `shared`, `leaf` of Folded; `leaves` (T, n) are below `n_leaves`."""
    n_trees, n = leaves.shape
    n_blocks = (n + width - 1) // width
    folded, absent = np.zeros((n_blocks * n_trees, width), np.uint8), np.ones((n_trees, 256, n_blocks), np.uint8)
    start = np.zeros((n_trees, 257 - ALONE), np.int64)
    size, byte, n_of_size = np.empty(n_leaves, np.int64), np.empty(n_leaves, np.int64), np.empty(n + 1, np.int64)
    total = 0
    for t in range(n_trees):
        size[:], byte[:], n_of_size[:] = 0, -1, 0
        for i in range(n):
            size[leaves[t, i]] += 1
        for i in range(n_leaves):
            n_of_size[size[i]] += 1
        n_present = n_leaves - n_of_size[0]
        n_bytes = 0 if n_present <= 256 else min(n_present - 256, 256 - ALONE)
        alone = 256 - n_bytes
        # Leaves larger than `limit`, and `spare` of those of this size, have a byte each; the others share n_bytes.
        limit, spare, n_small = n, min(alone, n_present), n
        while limit > 0 and n_of_size[limit] <= spare:
            spare -= n_of_size[limit]
            n_small -= limit * n_of_size[limit]
            limit -= 1
        n_small -= limit * spare
        n_alone, n_shared = 0, 0
        for block in range(n_blocks):
            to = folded[block * n_trees + t]
            for p in range(block * width, min((block + 1) * width, n)):
                i = leaves[t, order[p]]
                if byte[i] < 0 and (size[i] > limit or (size[i] == limit and spare > 0)):
                    spare -= 1 if size[i] == limit else 0
                    byte[i] = n_alone
                    n_alone += 1
                elif byte[i] < 0:  # small leaves that begin in the same block share a byte, so that few blocks have it
                    byte[i] = alone + n_shared * n_bytes // n_small
                    n_shared += size[i]
                to[p - block * width] = byte[i]
                absent[t, byte[i], block] = 0
                if byte[i] >= alone:
                    start[t, byte[i] - ALONE + 1] += 1
        start[t, 0] = total
        for b in range(256 - ALONE):
            start[t, b + 1] += start[t, b]
        total = start[t, 256 - ALONE]
    shared, leaf, filled = np.empty(total, np.int32), np.empty(total, leaves.dtype), start.copy()
    for t in range(n_trees):
        if start[t, 0] == start[t, 256 - ALONE]:
            continue
        for block in range(n_blocks):
            for p in range(block * width, min((block + 1) * width, n)):
                b = folded[block * n_trees + t, p - block * width]
                if b >= ALONE and start[t, b - ALONE] < start[t, b - ALONE + 1]:
                    shared[filled[t, b - ALONE]] = p
                    leaf[filled[t, b - ALONE]] = leaves[t, order[p]]
                    filled[t, b - ALONE] += 1
    return folded, absent, start, shared, leaf


def folded_side(leaves: np.ndarray) -> Folded:
    """Return leaf ids (T, n) ready for `look_from`."""
    n, are_bytes = leaves.shape[1], leaves.dtype == np.uint8
    leaves = leaves.astype(np.uint16) if are_bytes else leaves  # one type for both kinds: kernels are compiled once
    width = min(n, WIDTH * -(-n // (WIDTH * MOST_BLOCKS)))
    order = similar_together(leaves, width)
    place = np.empty_like(order)
    place[order] = np.arange(n, dtype=place.dtype)
    folded, absent, start, shared, leaf = fold(leaves, order, int(leaves.max()) + 1, width)
    leaves = np.empty((0, 0), np.uint16) if are_bytes else leaves
    return Folded(order, place, folded, absent, leaves, start, shared, leaf)


@part
def look_from(side, place, own, least, apart):
    """Prepare to compare the row at `place` with others: its bytes `own` (T,), and no row is compared yet.

    least[block] is how many trees the block's rows are away, at least; `apart` has a place for every row, all FAR.
    """
    n_trees, width = own.size, side.folded.shape[1]
    block = place // width
    for b in range(least.size):
        least[b] = 0
    for t in range(n_trees):
        own[t] = side.folded[block * n_trees + t, place - block * width]
        missing = side.absent[t, own[t]]
        for b in range(least.size):
            least[b] += missing[b]
    if side.shared.size == 0:
        return
    row = side.order[place]
    for t in range(n_trees):
        if own[t] >= ALONE:
            begin, end, leaf = side.start[t, own[t] - ALONE], side.start[t, own[t] - ALONE + 1], side.leaves[t, row]
            for i in range(begin, end):
                apart[side.shared[i]] += np.int32(side.leaf[i] != leaf)


@part
def look_away(side, own, least, apart):
    """Make all rows FAR again, for the next row to look from: those in blocks compared, if few leaves share a byte."""
    width = side.folded.shape[1]
    crowded = CROWDED * side.shared.size > own.size * side.order.size
    for block in range(least.size):
        if least[block] == FAR or crowded:
            for j in range(block * width, (block + 1) * width):
                apart[j] = FAR
    if side.shared.size == 0 or crowded:
        return
    for t in range(own.size):
        if own[t] >= ALONE:
            for i in range(side.start[t, own[t] - ALONE], side.start[t, own[t] - ALONE + 1]):
                apart[side.shared[i]] = FAR


@part
def count_nearer(radius, least, apart):
    """Return how many rows are fewer than `radius` trees apart, once all blocks that may have such were looked at."""
    width, count = apart.size // least.size, FIRST
    for block in range(least.size):
        if least[block] == FAR:
            count += count_below(apart[block * width : (block + 1) * width], radius)
    return count


@part
def list_same(side, least, apart, other_side, other_apart, unless, rows, n):
    """Append to `rows`, of which there are n, those 0 trees apart, `unless` they are so on the other side too.

    Return how many there are then.
    """
    width = side.folded.shape[1]
    for block in range(least.size):
        if least[block] == FAR:
            for place in range(block * width, min((block + 1) * width, side.order.size)):
                if apart[place] == 0:
                    rows[n] = side.order[place]
                    n += not (unless and other_apart[other_side.place[rows[n]]] == 0)
    return n


@part
def look_at(block, side, own, apart, other_side, other_apart, count, best):
    """Fill in how far `apart` the rows of a block are, and put those compared on both sides among the `best`."""
    n_trees, width = own.size, side.folded.shape[1]
    begin, end = block * width, min((block + 1) * width, side.order.size)
    here = apart[begin : begin + width]
    add_apart(side.folded, block * n_trees, FIRST, own, count, here)
    lowest = np.int32(FAR)
    for j in range(end - begin):
        here[j] -= FAR
        lowest = min(lowest, here[j])
    bound = np.int32(best[-1])
    if lowest >= bound:
        return
    for j in range(end - begin):
        if here[j] < bound:
            joint = max(here[j], other_apart[other_side.place[side.order[begin + j]]])
            if joint < bound:
                insert(best, joint)
                bound = np.int32(best[-1])


@part
def look_around(level, n_looking, side, own, least, apart, other_side, other_apart, count, best):
    """Look at all blocks that may have rows fewer than `level` trees away, and nearer than the last of the `best`.

    If `level` is FAR, at all. A block in the cache serves all rows that look from near by.
    """
    for block in range(least.shape[1]):
        for q in range(n_looking):
            if least[q, block] < level and (level == FAR or least[q, block] < max(best[q, -1], 1)):
                least[q, block] = FAR
                look_at(block, side, own[q], apart[q], other_side, other_apart[q], count, best[q])
