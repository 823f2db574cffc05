"""How many trees tell two rows apart: one row against all others."""

from __future__ import annotations

import numpy as np

from ..jit import kernel

TILE = 2048  # rows at a time: with 300 trees, what the second-level cache holds of their leaf ids
FLUSH = 255  # trees that a byte can count


@kernel
def trees_apart(leaves, own, begin, count, out):
    """Fill out[j] with the number of trees t for which leaves[t, begin + j] is not own[t]; `count` is scratch."""
    n_trees, end = own.size, begin + out.size
    for j in range(out.size):
        out[j] = 0.0
    for first in range(0, n_trees, FLUSH):
        for j in range(out.size):
            count[j] = 0
        t, last = first, min(first + FLUSH, n_trees)
        while t + 4 <= last:  # four trees per pass, so that counts are loaded and stored less often
            a, b = leaves[t, begin:end], leaves[t + 1, begin:end]
            c, d = leaves[t + 2, begin:end], leaves[t + 3, begin:end]
            own_a, own_b, own_c, own_d = own[t], own[t + 1], own[t + 2], own[t + 3]
            for j in range(out.size):
                two = np.uint8(a[j] != own_a) + np.uint8(b[j] != own_b)
                count[j] += two + np.uint8(c[j] != own_c) + np.uint8(d[j] != own_d)
            t += 4
        while t < last:
            a, own_a = leaves[t, begin:end], own[t]
            for j in range(out.size):
                count[j] += np.uint8(a[j] != own_a)
            t += 1
        for j in range(out.size):
            out[j] += count[j]


@kernel
def fill_apart(leaves, rows, near):
    """Fill near[q, j] with the number of trees between rows[q] and row j, of leaf ids `leaves` (T, n)."""
    n_trees, n = leaves.shape
    own, count = np.empty((rows.size, n_trees), leaves.dtype), np.empty(TILE, np.uint8)
    for q in range(rows.size):
        for t in range(n_trees):
            own[q, t] = leaves[t, rows[q]]
    for tile in range(0, n, TILE):
        end = min(tile + TILE, n)
        for q in range(rows.size):
            trees_apart(leaves, own[q], tile, count, near[q, tile:end])


@kernel
def leaf_ends(leaves, order):
    """Return (T, leaves + 1): where each leaf, an interval of a block of one column, ends along its order of rows."""
    n_trees, n = leaves.shape
    n_leaves = np.int64(leaves[:, order[n - 1]].max()) + 1  # they are numbered along the order
    ends = np.zeros((n_trees, n_leaves + 1), np.int32)
    for t in range(n_trees):
        for i in range(n):
            ends[t, leaves[t, order[i]] + 1] = i + 1
    return ends


@kernel
def fill_apart_along(leaves, ends, order, rows, near):
    """Fill near[q, j] as `fill_apart` does, for a block of one column: by running sums along its order."""
    n_trees, n = leaves.shape
    changes = np.empty(n + 1, np.int32)
    for q in range(rows.size):
        for i in range(n + 1):
            changes[i] = 0
        for t in range(n_trees):
            leaf = leaves[t, rows[q]]
            changes[ends[t, leaf]] -= 1
            changes[ends[t, leaf + 1]] += 1
        apart = n_trees
        for i in range(n):
            apart += changes[i]
            near[q, order[i]] = apart
