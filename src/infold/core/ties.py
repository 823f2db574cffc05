"""Rows equally many trees apart, put in order by their Euclidean distance: `local_distance="everywhere"`.

Trees apart are whole numbers. Of many rows, some are as many trees away as the k-th neighbour, so fewer than k − 1 are
nearer on both sides, and those at its distance are left out of n_x and n_y: KSG's formula comes out too high. Here the
local part of d_G, below 1/T, is added to all distances: it never changes which of two rows is fewer trees away, and no
ties are left.
"""

from __future__ import annotations

import numpy as np

from .distance import euclidean
from .folded import FAR, look_at
from .jit import FIRST, kernel, part
from .neighbors import count_below
from .tiles import insert

INSIDE = -1.0  # stands for any distance of a row that is fewer trees away than the k-th neighbour


@part
def look_at_border(radius, side, own, least, apart, other_side, other_apart, count, best):
    """Look at the blocks that may have rows exactly `radius` trees away, which the search for neighbours left out."""
    for block in range(least.size):
        if least[block] <= radius:
            least[block] = FAR
            look_at(block, side, own, apart, other_side, other_apart, count, best)


@part
def border_distances(radius, row, side, least, apart, points, size, rows, out):
    """List the `rows` exactly `radius` trees away, and L2 distances / `size`; return how many are nearer, listed."""
    width = side.folded.shape[1]
    n_nearer, n_listed = FIRST, FIRST
    for block in range(least.size):
        if least[block] == FAR:
            for place in range(block * width, min((block + 1) * width, side.order.size)):
                n_nearer += apart[place] < radius
                if apart[place] == radius:
                    rows[n_listed] = side.order[place]
                    out[n_listed] = euclidean(points, row, rows[n_listed]) / size
                    n_listed += 1
    return n_nearer, n_listed


@part
def untied_counts(radius, row, k, side_x, least_x, apart_x, side_y, least_y, apart_y, x, y, size_x, size_y, best, room):
    """Return (n_x, n_y), the row itself among them, if its k-th neighbour is `radius` > 0 trees away, ties broken.

    All blocks with rows up to `radius` trees away were looked at. `best` are the row's trees to its nearest, itself
    first; `room` has two arrays for row numbers, and three for distances.
    """
    rows_x, rows_y, in_x, in_y, joint = room
    n_x, listed_x = border_distances(radius, row, side_x, least_x, apart_x, x, size_x, rows_x, in_x)
    n_y, listed_y = border_distances(radius, row, side_y, least_y, apart_y, y, size_y, rows_y, in_y)
    few = np.full(k, np.inf)
    for i in range(k):
        if best[i + 1] < radius:
            few[i] = INSIDE
    for i in range(listed_y):
        joint[rows_y[i]] = in_y[i]
    for i in range(listed_x):
        in_other = apart_y[side_y.place[rows_x[i]]]
        if in_other <= radius:
            distance = in_x[i] if in_other < radius else max(in_x[i], joint[rows_x[i]])
            if distance < few[k - 1]:
                insert(few, distance)
    for i in range(listed_y):
        if apart_x[side_x.place[rows_y[i]]] < radius and in_y[i] < few[k - 1]:
            insert(few, in_y[i])
    return n_x + count_below(in_x[:listed_x], few[k - 1]), n_y + count_below(in_y[:listed_y], few[k - 1])


@part
def widened(values, order, place, nearer, within, size, distance):
    """Return how many places are in the window `nearer`, or in `within` and less than `distance` from `place`."""
    first, last = nearer[0], nearer[1] - 1
    here = values[order[place]]
    while first > within[0] and abs(values[order[first - 1]] - here) / size < distance:
        first -= 1
    while last < within[1] - 1 and abs(values[order[last + 1]] - here) / size < distance:
        last += 1
    return last + 1 - first


@kernel
def fill_untied(
    radius, runs_x, runs_y, nearer_x, nearer_y, within_x, within_y, x, y, size_x, size_y, k, psi, start, stop, out
):
    """Fill out[row] with local MI, ties broken, for one column a side and the rows start to stop with radius > 0.

    `nearer` has the windows of places that are fewer than radius[row] trees away, `within` those up to as many: see
    `intervals.find_windows`. Along a sorted column both trees and distances only grow, so the walk stops early.
    """
    n, few = x.size, np.empty(k)
    for row in range(start, stop):
        if radius[row] == 0:
            continue
        few[:] = np.inf
        place, place_y = runs_x.rank[row], runs_y.rank[row]
        before, after = place - 1, place + 1
        begin, end = within_x[row, 0], within_x[row, 1]
        while True:
            to_before, to_after = np.inf, np.inf
            if before >= begin:
                to_before = INSIDE
                if before < nearer_x[row, 0]:
                    to_before = abs(x[runs_x.order[before]] - x[row]) / size_x
            if after < end:
                to_after = INSIDE
                if after >= nearer_x[row, 1]:
                    to_after = abs(x[runs_x.order[after]] - x[row]) / size_x
            distance = min(to_before, to_after)
            if distance >= few[k - 1]:
                break
            if to_before <= to_after:
                other, before = runs_x.order[before], before - 1
            else:
                other, after = runs_x.order[after], after + 1
            other_y = runs_y.rank[other]
            if within_y[row, 0] <= other_y < within_y[row, 1]:
                if not nearer_y[row, 0] <= other_y < nearer_y[row, 1]:
                    distance = max(distance, abs(y[other] - y[row]) / size_y)
                if distance < few[k - 1]:
                    insert(few, distance)
        n_x = widened(x, runs_x.order, place, nearer_x[row], within_x[row], size_x, few[k - 1])
        n_y = widened(y, runs_y.order, place_y, nearer_y[row], within_y[row], size_y, few[k - 1])
        out[row] = psi[k] + psi[n] - (psi[n_x] + psi[n_y])
