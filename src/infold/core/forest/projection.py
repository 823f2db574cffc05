"""Sparse ±1 directions for a node to try, and rows projected on one of them (Sec. 5.2)."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..random import next_random, random_below


@kernel
def draw_projections(n_features, state, column, feature, sign):
    """Fill `column`, `feature`, `sign` with the non-zeros of a random sparse matrix, sorted by column, then feature.

    The matrix has as many columns as there are non-zeros, and n_features rows; distinct cells, drawn uniformly, are ±1.
    A column may stay empty.
    """
    n_cells = n_features * column.size
    for i in range(column.size):
        while True:
            cell = random_below(state, n_cells)
            c, f = cell // n_features, cell % n_features
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
    for i in range(column.size):
        if i == 0 or column[i] != column[i - 1]:
            flip = sign[i]
        sign[i] *= flip


@kernel
def project(points, rows, feature, sign, out):
    """Fill out[i] with the signed sum of the given features (at least one) of rows[i]; `points` is (d, n)."""
    for t in range(feature.size):
        values, its_sign = points[feature[t]], np.float64(sign[t])
        for i in range(rows.size):
            term = its_sign * values[rows[i]]
            out[i] = term if t == 0 else out[i] + term
