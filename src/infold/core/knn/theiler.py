"""Neighbours among rows that are not close in time (Theiler 1986), by brute force."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ..jit import kernel
from .information import expected_counts, forget_ties
from .scan import chebyshev_distances
from .selection import count_in_spaces, find_nearest, neighborhood


def distant_counts(
    columns: np.ndarray,
    sizes: Sequence[int],
    spaces: Sequence[int],
    k: int,
    times: np.ndarray,
    window: int,
    *,
    strict: bool,
) -> np.ndarray:
    """Return what `neighbor_counts` does, where rows up to `window` apart in time are neither neighbours nor counted.

    Every row needs k others that are farther in time.
    """
    starts, counts = np.array([0, *accumulate(sizes)]), np.empty((columns.shape[1], 1 + len(spaces)))
    scan_distant(columns, starts, np.array(spaces), k, times, window, strict, counts)
    return counts.T


@kernel
def scan_distant(columns, starts, spaces, k, times, window, strict, counts):
    """Fill counts (n, 1 + spaces) of all rows of `columns` (d, n), which were seen at `times` (n,)."""
    (d, n), n_blocks = columns.shape, starts.size - 1
    near, scratch = np.empty((n_blocks, 1, n)), np.empty(n)
    best, ties, center = np.empty((1, k)), np.empty(1, np.int64), np.empty(d)
    nearer, within = np.empty(1 + spaces.size, np.int64), np.empty(1 + spaces.size, np.int64)
    for i in range(n):
        for f in range(d):
            center[f] = columns[f, i]
        for b in range(n_blocks):
            chebyshev_distances(columns, starts[b], starts[b + 1], center, 0, near[b, 0])
            for j in range(n):
                if abs(times[j] - times[i]) <= window:
                    near[b, 0, j] = np.inf
        find_nearest(near, 0, i, scratch, best, ties)
        used, radius, nearer[0], within[0] = neighborhood(best, 0, ties, np.inf)
        count_in_spaces(near, 0, radius, spaces, scratch, nearer, within)
        for s in range(1, nearer.size):  # the row itself, which is in no distance here
            nearer[s] += radius > 0.0
            within[s] += 1
        if strict:
            forget_ties(nearer, within)
        expected_counts(used, nearer, within, counts[i])
