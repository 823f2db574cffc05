"""Distances from one row to all others → the k-th smallest, and how many are smaller in each space."""

from __future__ import annotations

import numpy as np

from ..jit import kernel, kernel_without_nan

ATOM = 5e-324  # the smallest positive number: only copies are nearer


@kernel
def clear(best, q):
    """Fill best[q] with inf: a loop, as numba takes seconds to compile the errors of a slice assignment."""
    for i in range(best.shape[1]):
        best[q, i] = np.inf


@kernel
def insert(best, q, value):
    """Put `value`, smaller than the last of the sorted best[q], in its place, and drop the last."""
    place = best.shape[1] - 1
    while place > 0 and best[q, place - 1] > value:
        best[q, place] = best[q, place - 1]
        place -= 1
    best[q, place] = value


@kernel
def keep_smallest(values, best, q):
    """Insert the `values` that are among the k smallest so far, best[q], in their places."""
    worst = best[q, -1]
    for j in range(values.size):
        if values[j] < worst:
            insert(best, q, values[j])
            worst = best[q, -1]


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
def joint_radius(near, q, row, scratch, best):
    """Return the distance to the k-th neighbour of query q, given its distances near (blocks, queries, n) to all rows.

    The query is `row` itself, which is no neighbour. `scratch` (n,) keeps the joint distances; `best` (1, k) is
    scratch, too.
    """
    joint = space_distances(near, q, (1 << near.shape[0]) - 1, scratch)
    if near.shape[0] == 1:
        for j in range(scratch.size):
            scratch[j] = joint[j]
    scratch[row] = np.inf
    clear(best, 0)
    keep_smallest(scratch, best, 0)
    return best[0, -1]


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
