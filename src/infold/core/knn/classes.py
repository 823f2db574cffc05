"""Neighbour counts of one column of numbers within classes: by sorting it in each class, in any number of spaces."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from ..jit import kernel
from .boxes import new_found
from .discrete import label_codes, row_codes
from .information import settle_counts
from .sorted import run_length, sorted_counts


@kernel
def sorted_in_groups(order, codes):
    """Return (order, starts): rows sorted by their code, then as in `order`; code c has those from starts[c] on."""
    starts = np.zeros(codes.max() + 2, np.int64)
    for i in range(codes.size):
        starts[codes[i] + 1] += 1
    for c in range(starts.size - 1):
        starts[c + 1] += starts[c]
    out, place = np.empty_like(order), starts.copy()
    for i in range(order.size):
        out[place[codes[order[i]]]] = order[i]
        place[codes[order[i]]] += 1
    return out, starts


@kernel
def fill_neighborhoods(values, order, starts, k, found):
    """Fill in k, radius and the joint space's counts of each row, from rows sorted by class, then by value."""
    for c in range(starts.size - 1):
        rows = order[starts[c] : starts[c + 1]]
        ordered = values[rows]
        for i in range(rows.size):
            row, value = rows[i], ordered[i]
            low, high, radius, nearer = i - 1, i + 1, np.inf, 0
            for taken in range(min(k, rows.size - 1)):  # the nearest is the next one below or above
                below = value - ordered[low] if low >= 0 else np.inf
                above = ordered[high] - value if high < rows.size else np.inf
                if taken == 0 or min(below, above) > radius:
                    radius, nearer = min(below, above), taken
                if below < above:
                    low -= 1
                else:
                    high += 1
            found.k[row], found.radius[row] = min(k, rows.size - 1), radius
            found.nearer[row, 0] = nearer + (1 if radius > 0.0 else 0)
            found.within[row, 0] = high - low - 1
            found.within[row, 0] += run_length(ordered, low, -1, value, radius)
            found.within[row, 0] += run_length(ordered, high, 1, value, radius)


@kernel
def fill_space(values, order, starts, found, s):
    """Fill in the counts in a space with the numbers, from rows sorted by their class in it, then by value."""
    nearer, within = found.nearer[:, s], found.within[:, s]
    for c in range(starts.size - 1):
        rows = order[starts[c] : starts[c + 1]]
        sorted_counts(values[rows], values, rows, found.radius, nearer, within, 0, rows.size)


@kernel
def fill_space_of_classes(codes, starts, found, s):
    """Fill in the counts in a space without the numbers: rows of a class are copies, and all others far away."""
    for i in range(codes.size):
        size = starts[codes[i] + 1] - starts[codes[i]]
        found.nearer[i, s], found.within[i, s] = size if found.radius[i] > 0.0 else 0, size


def class_counts(
    columns: np.ndarray, sizes: Sequence[int], spaces: Sequence[int], k: int, nominal: list[bool]
) -> np.ndarray:
    """Return what `neighbor_counts` returns for columns (d, n) of codes but for one, which is not `nominal`."""
    n, block_of = columns.shape[1], [b for b, size in enumerate(sizes) for _ in range(size)]
    number = nominal.index(False)
    values, found = columns[number], new_found(n, len(spaces))
    order = np.argsort(values)

    @functools.cache
    def groups(members: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        codes = label_codes(columns[members[0]]) if len(members) == 1 else row_codes([columns[f] for f in members])
        return codes, *sorted_in_groups(order, codes)

    for s, space in enumerate(((1 << len(sizes)) - 1, *spaces)):
        members = tuple(f for f, b in enumerate(block_of) if f != number and space >> b & 1)
        codes, rows, starts = groups(members) if members else (order, order, np.array([0, n]))
        if s == 0:
            fill_neighborhoods(values, rows, starts, k, found)
        elif space >> block_of[number] & 1:
            fill_space(values, rows, starts, found, s)
        else:
            fill_space_of_classes(codes, starts, found, s)
    counts = np.empty((n, 1 + len(spaces)))
    settle_counts(found.k, found.nearer, found.within, False, counts)
    return counts.T
