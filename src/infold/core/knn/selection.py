"""Distances from one row to all others → the k-th smallest, and how many are smaller in each space."""

from __future__ import annotations

import numpy as np

from ..jit import kernel, kernel_without_nan


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
def keep_smallest(values, best, q, ties):
    """Insert the `values` that are among the k smallest so far, best[q], in their places.

    ties[q] is the number of further values that equal the largest of them.
    """
    worst, equal = best[q, -1], ties[q]
    for j in range(values.size):
        if values[j] <= worst:
            if values[j] == worst:
                equal += 1
                continue
            insert(best, q, values[j])
            equal = equal + 1 if best[q, -1] == worst else 0
            worst = best[q, -1]
    ties[q] = equal


@kernel
def neighborhood(best, q, ties, far):
    """Return (k, radius, nearer, within) of query q, from its nearest rows as `keep_smallest` left them.

    The radius is the distance to the k-th neighbour, where k is smaller than asked for if fewer rows are nearer than
    `far`. Then come the rows that are nearer than it and those that are no farther, the query itself included. Without
    any neighbour, k is 0 and the radius is `far`.
    """
    k = best.shape[1]
    while k > 0 and best[q, k - 1] >= far:
        k -= 1
    if k == 0:
        return k, far, 1, 1
    radius, nearer = best[q, k - 1], k - 1
    while nearer > 0 and best[q, nearer - 1] == radius:
        nearer -= 1
    within = 1 + k + (ties[q] if k == best.shape[1] else 0)
    return k, radius, nearer + (1 if radius > 0.0 else 0), within


@kernel
def count_below(values, bound):
    """Return how many `values` are below `bound`."""
    count = 0
    for j in range(values.size):
        count += values[j] < bound
    return count


@kernel
def count_up_to(values, bound):
    """Return how many `values` are below `bound`, and how many are not above it."""
    below, up_to = 0, 0
    for j in range(values.size):
        below += values[j] < bound
        up_to += values[j] <= bound
    return below, up_to


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
def find_nearest(near, q, row, scratch, best, ties):
    """Fill best (1, k) with the distances of query q to its nearest rows, from those to all: near (blocks, queries, n).

    The query is `row` itself, which is no neighbour. `scratch` (n,) keeps the joint distances. For `ties`, see
    `keep_smallest`.
    """
    joint = space_distances(near, q, (1 << near.shape[0]) - 1, scratch)
    if near.shape[0] == 1:
        for j in range(scratch.size):
            scratch[j] = joint[j]
    scratch[row] = np.inf
    clear(best, 0)
    ties[0] = 0
    keep_smallest(scratch, best, 0, ties)


@kernel
def count_in_spaces(near, q, radius, spaces, scratch, nearer, within):
    """Fill nearer[1:] and within[1:] with the rows nearer than `radius` to query q in each space, and no farther."""
    for s in range(spaces.size):
        nearer[1 + s], within[1 + s] = count_up_to(space_distances(near, q, spaces[s], scratch), radius)
