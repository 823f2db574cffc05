"""Leaf ids in one byte each, also where a tree has more than 256 leaves: a third of the time to compare them.

The smallest leaves share bytes. Rows that meet in a byte but not in a leaf are few, and are put right one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .distance import trees_apart
from .jit import FIRST, kernel, part

ALONE = 128  # bytes below this stand for one leaf only, the largest ones


class Folded(NamedTuple):
    """Leaf ids of T trees and n rows, as they are and folded into bytes."""

    leaves: np.ndarray  # (T, n) leaf ids; empty if they are bytes anyway
    folded: np.ndarray  # (T, n) one byte each
    start: np.ndarray  # (T, 257 − ALONE) where the rows of each byte from ALONE on begin
    rows: np.ndarray  # rows whose byte stands for several leaves, by tree and byte


@kernel
def fold(leaves, n_leaves):
    """Return the fields of Folded, from `leaves` (T, n) whose ids are below `n_leaves`."""
    n_trees, n = leaves.shape
    folded, start = np.empty((n_trees, n), np.uint8), np.zeros((n_trees, 257 - ALONE), np.int64)
    byte, is_shared = np.empty(n_leaves, np.uint8), np.empty(256, np.bool_)
    total = 0
    for t in range(n_trees):
        order = np.argsort(-np.bincount(leaves[t], minlength=n_leaves))
        is_shared[:] = False
        for rank in range(n_leaves):
            to = rank if rank < 256 else 255 - (rank - 256) % (256 - ALONE)
            byte[order[rank]] = to
            is_shared[to] |= rank >= 256
        for i in range(n):
            b = byte[leaves[t, i]]
            folded[t, i] = b
            if b >= ALONE and is_shared[b]:
                start[t, b - ALONE + 1] += 1
        start[t, 0] = total
        for b in range(256 - ALONE):
            start[t, b + 1] += start[t, b]
        total = start[t, 256 - ALONE]
    rows, filled = np.empty(total, np.int32), start.copy()
    for t in range(n_trees):
        for i in range(n):
            b = folded[t, i]
            if b >= ALONE and start[t, b - ALONE] < start[t, b - ALONE + 1]:
                rows[filled[t, b - ALONE]] = i
                filled[t, b - ALONE] += 1
    return leaves, folded, start, rows


@part
def folded_apart(side, queries, out):
    """Fill out[q, j] as `trees_apart` does for all rows j."""
    n_trees, n = side.folded.shape
    trees_apart(side.folded, queries, (FIRST, n), out)
    if side.rows.size == 0:
        return
    for i in range(queries[0], queries[1]):
        apart = out[i - queries[0]]
        for t in range(n_trees):
            b = side.folded[t, i]
            if b >= ALONE:
                leaf = side.leaves[t, i]
                for place in range(side.start[t, b - ALONE], side.start[t, b - ALONE + 1]):
                    j = side.rows[place]
                    apart[j] += np.uint16(side.leaves[t, j] != leaf)


def folded_side(leaves: np.ndarray) -> Folded:
    """Return leaf ids (T, n) ready for `folded_apart`; those of one byte stay as they are."""
    if leaves.dtype == np.uint8:
        return Folded(np.empty((0, 0), np.uint16), leaves, np.empty((0, 0), np.int64), np.empty(0, np.int32))
    return Folded(*fold(leaves, int(leaves.max()) + 1))
