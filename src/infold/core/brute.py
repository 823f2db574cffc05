"""KSG counts by brute force: every row against every other, for many columns, where trees do not pay.

A block of queries shares each tile while it is in the cache. Rows of float32 distances are kept until the k-th
neighbour is known, then counted.
"""

from __future__ import annotations

import numpy as np

from .jit import FIRST, kernel
from .tiles import (
    ATOM,
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
    sift,
    smaller,
    tile_distances,
)

STRIP = 256  # a tile is one or more strips
LANES = 16  # groups in a strip: row j belongs to group j mod LANES, so that their minima are found side by side
NARROW, WIDE = STRIP, 2 * STRIP  # a wide tile has fewer loops to start, but pads the rows with more
WIDE_FROM = 4096
QUERIES = 8  # rows that share a tile; their distances to all others then stay in the cache up to n = 30,000


def brute_tiles(scaled: np.ndarray) -> np.ndarray:
    """Return all rows of the columns `scaled` (d, n) in tiles, in their order."""
    n = scaled.shape[1]
    width = WIDE if n >= WIDE_FROM else NARROW
    starts = np.arange(0, n + width, width)
    starts[-1] = n
    return cut_tiles(scaled, np.arange(n), starts, width)


@piece
def group_minima(in_x, in_y, out):
    """Fill out[s · LANES + l] with the smallest joint distance in group l of strip s."""
    for strip in range(in_x.size // STRIP):
        for lane in range(LANES):
            j = strip * STRIP + lane
            low = larger(in_x[j], in_y[j])
            for step in range(LANES, STRIP, LANES):
                low = smaller(low, larger(in_x[j + step], in_y[j + step]))
            out[strip * LANES + lane] = low


@piece
def kth_minimum(minima, k, few, best):
    """Return the k-th smallest of `minima`, infinite if they are fewer; `few` and `best` are scratch."""
    if k > FEW:
        for j in range(k):
            best[j] = np.inf
        for g in range(minima.size):
            if minima[g] < best[k - 1]:
                insert(best, np.float64(minima[g]))
        return np.float32(best[k - 1])
    for j in range(FEW):
        few[j] = -FAR if j < FEW - k else FAR
    for first in range(0, minima.size, LANES):
        hits = np.int32(0)
        for g in range(first, first + LANES):
            hits = np.int32(hits + np.int32(minima[g] < few[FEW - 1]))
        if hits > 0:
            sift(few, minima, first, first + LANES)
    return few[FEW - 1]


@piece
def brute_radius(in_x, in_y, minima, rows, weights, i, k, few, best, nearest):
    """Return (radius, copies) of row i from float32 distances, and leave the k neighbours in `nearest`.

    `copies` has a meaning if the radius is 0. The k-th smallest of the minima of groups bounds the k-th smallest of
    all.
    """
    n, d = rows.shape
    reach = np.float32(kth_minimum(minima, k, few, best) + 2 * BAND)
    for j in range(k):
        best[j] = np.inf
    copies = 1
    for g in range(minima.size):
        if minima[g] <= reach:
            first = g // LANES * STRIP + g % LANES
            for j in range(first, first + STRIP, LANES):
                if max(in_x[j], in_y[j]) <= reach and j != i and j < n:
                    distance = exact_distance(rows, weights, FIRST, d, i, j, max(best[k - 1], ATOM))
                    copies += distance == 0
                    if distance < best[k - 1]:
                        place = k - 1
                        while place > 0 and best[place - 1] > distance:
                            best[place], nearest[place] = best[place - 1], nearest[place - 1]
                            place -= 1
                        best[place], nearest[place] = distance, j
    return best[k - 1], copies


@piece
def count_row(distances, rows, weights, first, stop, i, neighbour, bound, unit):
    """Return how many of all rows, at float32 `distances` from row i, are nearer than `bound`.

    The k-th neighbour is as far as the bound on one side, so it is in doubt there: mostly it alone.
    """
    below, doubtful = count_roughly(distances, bound, unit)
    if doubtful == 0 or (doubtful == 1 and exact_distance(rows, weights, first, stop, i, neighbour, bound) >= bound):
        return below
    return below + count_doubtful(distances, rows, weights, first, stop, i, FIRST, bound, unit)


@kernel
def brute_counts(tiles, n_x, rows, weights, units, k, start, stop, counts):
    """Fill counts[b, :, start:stop] with (k or copies, rows near in X, rows near in Y), each row one of its own.

    That is for every table b: tiles (B, n_tiles, d, width), rows (B, n, d), weights (B, d), a unit for each, counts
    (B, 3, n). The first `n_x` columns are X. A row with k others at distance 0 has copies.
    """
    n_tiles, d, width = tiles.shape[1:]
    near = np.empty((2, QUERIES, n_tiles * width), np.float32)
    minima = np.empty((QUERIES, n_tiles * width // STRIP * LANES), np.float32)
    centres = np.empty((QUERIES, d), np.float32)
    best, nearest, few = np.empty(k), np.empty(k, np.intp), np.empty(FEW, np.float32)
    per_tile = width // STRIP * LANES
    for b in range(tiles.shape[0]):
        own_tiles, own_rows, own_weights, own_counts = tiles[b], rows[b], weights[b], counts[b]
        for block in range(start, stop, QUERIES):
            n_queries = min(QUERIES, stop - block)
            for q in range(n_queries):
                for f in range(d):
                    centres[q, f] = own_tiles[(block + q) // width, f, (block + q) % width]
            for t in range(n_tiles):
                begin, end = t * width, (t + 1) * width
                for q in range(n_queries):
                    for side in range(2):
                        first, last = (0, n_x) if side == 0 else (n_x, d)
                        tile_distances(own_tiles, t, first, last, centres[q], near[side, q, begin:end])
                    own = block + q
                    if begin <= own < end:
                        near[0, q, own] = FAR  # a row is not its own neighbour
                    lows = minima[q, t * per_tile : (t + 1) * per_tile]
                    group_minima(near[0, q, begin:end], near[1, q, begin:end], lows)
                    if begin <= own < end:
                        near[0, q, own] = 0.0
            for q in range(n_queries):
                i = block + q
                radius, copies = brute_radius(
                    near[0, q], near[1, q], minima[q], own_rows, own_weights, i, k, few, best, nearest
                )
                own_counts[0, i] = k if radius > 0 else copies
                for side in range(2):
                    first, last = (0, n_x) if side == 0 else (n_x, d)
                    bound, neighbour = max(radius, ATOM), nearest[k - 1]
                    own_counts[1 + side, i] = count_row(
                        near[side, q], own_rows, own_weights, first, last, i, neighbour, bound, units[b]
                    )
