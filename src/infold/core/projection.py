"""Sparse ±1 directions for a node to try, and rows projected on one of them (Sec. 5.2)."""

from __future__ import annotations

import numpy as np

from .jit import inlined, next_random, part, random_below

FEW = 4  # features below which sums of two are few enough to be kept along a chain of nodes
BYTES = 32e6  # room for the rows of kept projections, a thread
MOST_KEPT = 256  # projections without room for their rows that are kept


@part
def draw_projections(n_features, n_candidates, state, column, feature, sign):
    """Fill `column`, `feature`, `sign` with the non-zeros of a random sparse matrix, sorted by column, then feature.

    The matrix has n_features × n_candidates cells, of which n_candidates distinct ones, drawn uniformly, are ±1: as
    many as the density 1 / n_features makes on average. A column may stay empty.
    """
    for i in range(n_candidates):
        while True:
            cell = random_below(state, n_features * n_candidates)
            c = np.int64(np.uint32(cell) // np.uint32(n_features))  # half the digits, and no sign: a faster division
            f = cell - c * n_features
            # Insertion keeps the list sorted; the walk to the place also meets an equal cell.
            place = i
            while place > 0 and (column[place - 1] > c or (column[place - 1] == c and feature[place - 1] > f)):
                place -= 1
            if place == 0 or column[place - 1] != c or feature[place - 1] != f:
                break
        for j in range(i, place, -1):
            column[j], feature[j], sign[j] = column[j - 1], feature[j - 1], sign[j - 1]
        column[place], feature[place] = c, f
        sign[place] = 1 if next_random(state) >> np.uint64(63) else -1
    # A direction and its opposite make the same cut: the first feature of a column always counts plus.
    for i in range(n_candidates):
        if i == 0 or column[i] != column[i - 1]:
            flip = sign[i]
        sign[i] *= flip


@part
def project(points, rows, feature, sign, out):
    """Fill out[i] with the signed sum of the given features (at least one) of rows[i]; `points` is (d, n)."""
    first, first_sign = points[feature[0]], np.float64(sign[0])
    if feature.size == 1:
        for i in range(rows.size):
            out[i] = first_sign * first[rows[i]]
        return
    second, second_sign = points[feature[1]], np.float64(sign[1])
    for i in range(rows.size):
        out[i] = first_sign * first[rows[i]] + second_sign * second[rows[i]]
    for t in range(2, feature.size):
        values, its_sign = points[feature[t]], np.float64(sign[t])
        for i in range(rows.size):
            out[i] += its_sign * values[rows[i]]


@inlined
def value_at(points, row, feature, sign, first, end):
    """Return the signed sum of features first to end (at least one) of a row, as `project` adds them up."""
    value = points[feature[first], row] if sign[first] > 0 else -points[feature[first], row]
    for t in range(first + 1, end):
        value += points[feature[t], row] if sign[t] > 0 else -points[feature[t], row]
    return value


def room_for(n_features: int, size: int) -> tuple[int, int]:
    """Return how many columns to keep along a chain, and how many with their rows.

    These are single features, and sums of two where these are few.
    """
    n_projections = n_features**2 if n_features <= FEW else n_features
    n_grouped = int(max(2, min(n_projections, BYTES / (12 * size))))
    return max(n_grouped, min(n_projections, MOST_KEPT)), n_grouped


@part
def projection_key(feature, sign, n_features):
    """Return a number for the projection, up to its sign, or −1 if it is not kept along a chain."""
    if feature.size == 1:
        return np.int64(feature[0])
    if feature.size == 2 and n_features <= FEW:
        pair = np.int64(feature[0]) * n_features + feature[1]
        return n_features + 2 * pair + (1 if sign[0] == sign[1] else 0)
    return np.int64(-1)


def n_keys(n_features: int) -> int:
    """Return a number above all keys."""
    return n_features + (2 * n_features * n_features if n_features <= FEW else 0)
