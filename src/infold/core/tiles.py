"""Rows in tiles of float32: Chebyshev distances several at a time, and the exact ones for the few that are in doubt.

A tile holds some rows column by column, so that one instruction serves eight rows. Its values are centred, multiplied
by their column's weight and by one power of two, `unit`, that brings the largest below 1. A distance of two such
rows is then off by at most 2⁻²⁴ for rounding the values and 2⁻²⁴ for rounding their difference. Whatever lies within
BAND of a bound is decided by the definition, |x_i − x_j| · w in float64, so that every answer is exact, ties too.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

from .jit import fragment, kernel

BAND = 2.0**-22  # twice the error of a distance: room for rounding the bounds themselves
FEW = 4  # so many smallest values are kept in registers, without a branch that could be mispredicted
ATOM = 5e-324  # the smallest positive number: "below ATOM" means "equal to 0"
FAR = np.float32(np.inf)

piece = fragment(forceinline=True, fastmath={"nnan"})
"""A part of a kernel that is called for a few values at a time: a real call would count references to its arrays."""


def _one_instruction(name):
    """Return an intrinsic of two floats that are not NaN.

    Python's min and max are branches, which LLVM turns into a masked store where the result goes back to its place:
    three times slower.
    """

    @intrinsic
    def function(typing_context, a, b):
        def generate(context, builder, signature, arguments):
            kind = arguments[0].type
            callee = builder.module.declare_intrinsic(name, [kind], ir.FunctionType(kind, [kind, kind]))
            return builder.call(callee, arguments, fastmath=("nnan",))

        return a(a, a), generate

    return function


larger, smaller = _one_instruction("llvm.maxnum"), _one_instruction("llvm.minnum")


@kernel
def scaled_columns(points, weights):
    """Return (float32 columns below 1 in size, unit), from `points` (d, n) whose differences count times `weights`."""
    d, n = points.shape
    centres, size = np.empty(d), 0.0
    for f in range(d):
        low, high = points[f, 0], points[f, 0]
        for j in range(n):
            low, high = min(low, points[f, j]), max(high, points[f, j])
        centres[f] = low / 2 + high / 2
        size = max(size, (high / 2 - low / 2) * weights[f])
    unit = math.ldexp(1.0, -math.frexp(size)[1])
    scaled = np.empty((d, n), np.float32)
    for f in range(d):
        centre, factor = centres[f], weights[f] * unit
        for j in range(n):
            scaled[f, j] = (points[f, j] - centre) * factor
    return scaled, unit


@kernel
def cut_tiles(scaled, order, starts, width):
    """Return tiles (n_tiles, d, width): tile t holds rows order[starts[t]:starts[t + 1]], padded with infinity."""
    d, n_tiles = scaled.shape[0], starts.size - 1
    tiles = np.empty((n_tiles, d, width), np.float32)
    for t in range(n_tiles):
        size = starts[t + 1] - starts[t]
        for f in range(d):
            for j in range(size):
                tiles[t, f, j] = scaled[f, order[starts[t] + j]]
            for j in range(size, width):
                tiles[t, f, j] = FAR
    return tiles


@piece
def tile_distances(tiles, t, first, stop, centre, out):
    """Fill out[j] with the distance of row j of tile t to `centre`, over columns first … stop − 1.

    Four columns a pass, so that `out` is loaded and stored less often; the first pass takes what four leaves over.
    """
    f = first
    a, b, c, e = centre[f], centre[min(f + 1, stop - 1)], centre[min(f + 2, stop - 1)], centre[min(f + 3, stop - 1)]
    left_over = (stop - first) % 4
    if left_over == 1:
        for j in range(out.size):
            out[j] = abs(tiles[t, f, j] - a)
    elif left_over == 2:
        for j in range(out.size):
            out[j] = larger(abs(tiles[t, f, j] - a), abs(tiles[t, f + 1, j] - b))
    elif left_over == 3:
        for j in range(out.size):
            pair = larger(abs(tiles[t, f, j] - a), abs(tiles[t, f + 1, j] - b))
            out[j] = larger(pair, abs(tiles[t, f + 2, j] - c))
    else:
        left_over = 4
        for j in range(out.size):
            pair = larger(abs(tiles[t, f, j] - a), abs(tiles[t, f + 1, j] - b))
            out[j] = larger(pair, larger(abs(tiles[t, f + 2, j] - c), abs(tiles[t, f + 3, j] - e)))
    for f in range(first + left_over, stop, 4):
        a, b, c, e = centre[f], centre[f + 1], centre[f + 2], centre[f + 3]
        for j in range(out.size):
            pair = larger(abs(tiles[t, f, j] - a), abs(tiles[t, f + 1, j] - b))
            four = larger(pair, larger(abs(tiles[t, f + 2, j] - c), abs(tiles[t, f + 3, j] - e)))
            out[j] = larger(out[j], four)


@piece
def exact_distance(rows, weights, first, stop, i, j, enough):
    """Return the distance of rows i and j of `rows` (n, d) over columns first … stop − 1, or a value ≥ `enough`."""
    distance = 0.0
    for f in range(first, stop):
        distance = max(distance, abs(rows[i, f] - rows[j, f]) * weights[f])
        if distance >= enough:
            break
    return distance


@piece
def insert(best, value):
    """Put `value`, smaller than the last of the sorted `best`, in its place, and drop the last."""
    place = best.size - 1
    while place > 0 and best[place - 1] > value:
        best[place] = best[place - 1]
        place -= 1
    best[place] = value


@piece
def sift(few, values, first, stop):
    """Keep in `few`, sorted, the FEW smallest of itself and values[first:stop]; −∞ in front makes room for fewer."""
    a, b, c, d = few[0], few[1], few[2], few[3]
    for j in range(first, stop):
        value = values[j]
        a, value = smaller(a, value), larger(a, value)
        b, value = smaller(b, value), larger(b, value)
        c, value = smaller(c, value), larger(c, value)
        d = smaller(d, value)
    few[0], few[1], few[2], few[3] = a, b, c, d


@piece
def count_roughly(distances, bound, unit):
    """Return (how many float32 `distances` are below `bound` for sure, how many are in doubt)."""
    sure, maybe = np.float32(bound * unit - BAND), np.float32(bound * unit + BAND)
    below, in_reach = np.int32(0), np.int32(0)  # the sum of two int32 is an int64 unless it is told not to be
    for j in range(distances.size):
        below = np.int32(below + np.int32(distances[j] < sure))
        in_reach = np.int32(in_reach + np.int32(distances[j] <= maybe))
    return below, in_reach - below


@piece
def count_doubtful(distances, rows, weights, first, stop, i, offset, bound, unit):
    """Return how many of the rows offset … in doubt, at float32 `distances` from row i, are nearer than `bound`."""
    sure, maybe = np.float32(bound * unit - BAND), np.float32(bound * unit + BAND)
    nearer = 0
    for j in range(distances.size):
        if sure <= distances[j] <= maybe:
            nearer += exact_distance(rows, weights, first, stop, i, offset + j, bound) < bound
    return nearer
