"""Distances from one row to all others → the k-th smallest, and how many are smaller in each space."""

from __future__ import annotations

import numpy as np

from ..jit import kernel, kernel_without_nan

GROUP = 16  # values whose minimum is taken at once: most groups hold no neighbour, and are passed over
ATOM = 5e-324  # the smallest positive number: only copies are nearer


@kernel
def clear(best):
    """Fill `best` with inf: a loop, as numba takes seconds to compile the errors of a slice assignment."""
    for i in range(best.size):
        best[i] = np.inf


@kernel
def insert(best, value):
    """Put `value`, smaller than the last of the sorted `best`, in its place, and drop the last."""
    place = best.size - 1
    while place > 0 and best[place - 1] > value:
        best[place] = best[place - 1]
        place -= 1
    best[place] = value


@kernel_without_nan
def group_minima(values, lows):
    """Fill lows[g] with the minimum of the values g, g + lows.size, g + 2 lows.size …; GROUP of them."""
    n_groups = lows.size
    for g in range(n_groups):
        lows[g] = values[g]
    for step in range(1, GROUP):
        others = values[step * n_groups : (step + 1) * n_groups]
        for g in range(n_groups):
            lows[g] = min(lows[g], others[g])


@kernel
def kth_smallest(values, lows, best):
    """Return the k-th smallest of `values`, whose number is a multiple of GROUP; k = best.size.

    `lows` (one for each group) and `best` are scratch.
    """
    n_groups = lows.size
    group_minima(values, lows)
    clear(best)
    for g in range(n_groups):
        if lows[g] < best[-1]:
            insert(best, lows[g])
    reach = best[-1]  # no group with a larger minimum holds one of the k smallest
    clear(best)
    for g in range(n_groups):
        if lows[g] <= reach:
            for step in range(GROUP):
                value = values[step * n_groups + g]
                if value < best[-1]:
                    insert(best, value)
    return best[-1]


@kernel
def count_below(values, bound):
    """Return how many `values` are below `bound`."""
    count = 0
    for j in range(values.size):
        count += values[j] < bound
    return count


@kernel_without_nan
def space_distances(near, q, space, scratch):
    """Return the distances of query q to all rows in a space, from those in its blocks: near (blocks, queries, n).

    They are in `scratch` if the space has several blocks.
    """
    n_found, found = 0, near[0, q]
    for b in range(near.shape[0]):
        if space >> b & 1:
            other = near[b, q]
            if n_found > 0:
                for j in range(scratch.size):
                    scratch[j] = max(found[j], other[j])
                other = scratch
            found = other
            n_found += 1
    return found


@kernel
def joint_radius(near, q, row, scratch, lows, best):
    """Return the distance to the k-th neighbour of query q, given its distances near (blocks, queries, n) to all rows.

    The query is `row` itself, which is no neighbour. n is a multiple of GROUP: rows that are only padding are at
    distance inf. `scratch` (n,), `lows` and `best` are as in `kth_smallest`; `scratch` keeps the joint distances.
    """
    joint = space_distances(near, q, (1 << near.shape[0]) - 1, scratch)
    if near.shape[0] == 1:
        for j in range(scratch.size):
            scratch[j] = joint[j]
    scratch[row] = np.inf
    return kth_smallest(scratch, lows, best)


@kernel
def count_in_spaces(near, q, radius, k, spaces, scratch, counts):
    """Fill `counts` with k and the number of rows nearer than `radius` to query q in each space.

    If `radius` is 0, the number of copies, the row itself included, takes the place of k. `scratch` is as
    `joint_radius` left it.
    """
    bound = max(radius, ATOM)
    counts[0] = k if radius > 0.0 else 1 + count_below(scratch, bound)
    for s in range(spaces.size):
        counts[1 + s] = count_below(space_distances(near, q, spaces[s], scratch), bound)
