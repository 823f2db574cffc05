"""Neighbours by brute force: each row is compared with all others. Best for many columns or few rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel, kernel_without_nan
from .information import expected_counts, forget_ties
from .selection import count_in_spaces, find_nearest, neighborhood

CHEBYSHEV, EUCLIDEAN = 0, 1
TILE, QUERIES = 512, 8  # so many rows stay in the cache while so many queries look at them


class Geometry(NamedTuple):
    """How columns make distances."""

    starts: np.ndarray  # (blocks + 1,): block b has the columns starts[b] to starts[b + 1]
    metrics: np.ndarray  # (blocks,): and this norm
    spaces: np.ndarray  # bit masks of blocks
    far: float  # rows at this distance or beyond, of another class, are nobody's neighbours
    strict: bool  # rows exactly as far as the k-th neighbour never count


@kernel_without_nan
def chebyshev_distances(columns, first, stop, center, begin, out):
    """Fill out[j] with the distance between `center` (d,) and row begin + j of `columns` (d, n) in the maximum norm.

    Only the columns first to stop count.
    """
    end, single = begin + out.size, first + (stop - first) % 2
    for f in range(first, single):
        values, at = columns[f, begin:end], center[f]
        for j in range(out.size):
            out[j] = abs(values[j] - at)
    for f in range(single, stop, 2):  # two columns per pass, so that distances are loaded and stored less often
        a, b, at_a, at_b = columns[f, begin:end], columns[f + 1, begin:end], center[f], center[f + 1]
        if f == first:
            for j in range(out.size):
                out[j] = max(abs(a[j] - at_a), abs(b[j] - at_b))
        else:
            for j in range(out.size):
                out[j] = max(out[j], max(abs(a[j] - at_a), abs(b[j] - at_b)))


@kernel_without_nan
def euclidean_distances(columns, first, stop, center, begin, out):
    """Fill out[j] with the Euclidean distance of the same rows."""
    end = begin + out.size
    for f in range(first, stop):
        values, at = columns[f, begin:end], center[f]
        for j in range(out.size):
            square = (values[j] - at) * (values[j] - at)
            out[j] = square if f == first else out[j] + square
    for j in range(out.size):
        out[j] = np.sqrt(out[j])


@kernel
def scan_counts(columns, geometry, k, counts, begin, stop):
    """Fill counts[begin:stop] (n, 1 + spaces) for the rows begin to stop of `columns` (d, n)."""
    starts, metrics, spaces, far, strict = geometry
    (d, n), n_blocks = columns.shape, metrics.size
    near, scratch = np.empty((n_blocks, QUERIES, n)), np.empty(n)
    best, ties, center = np.empty((1, k)), np.empty(1, np.int64), np.empty((QUERIES, d))
    nearer, within = np.empty(1 + spaces.size, np.int64), np.empty(1 + spaces.size, np.int64)
    for first in range(begin, stop, QUERIES):
        m = min(QUERIES, stop - first)
        for q in range(m):
            for f in range(d):
                center[q, f] = columns[f, first + q]
        for tile in range(0, n, TILE):
            end = min(tile + TILE, n)
            for q in range(m):
                for b in range(n_blocks):
                    out = near[b, q, tile:end]
                    if metrics[b] == EUCLIDEAN:
                        euclidean_distances(columns, starts[b], starts[b + 1], center[q], tile, out)
                    else:
                        chebyshev_distances(columns, starts[b], starts[b + 1], center[q], tile, out)
        for q in range(m):
            find_nearest(near, q, first + q, scratch, best, ties)
            used, radius, nearer[0], within[0] = neighborhood(best, 0, ties, far)
            count_in_spaces(near, q, radius, spaces, scratch, nearer, within)
            if strict:
                forget_ties(nearer, within)
            expected_counts(used, nearer, within, counts[first + q])
