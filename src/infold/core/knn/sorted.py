"""Counts of neighbours in a space of one column: by binary search, once its values are sorted."""

from __future__ import annotations

import numpy as np

from ..jit import kernel

TOGETHER = 16  # searches whose steps are taken in turns: none then waits for the other's memory


@kernel
def sorted_counts(ordered, values, order, bounds, counts, begin, stop):
    """Fill counts[row] with how many of the `ordered` values are nearer than its bound to that of the row.

    Rows are order[begin:stop]: an order that keeps neighbours together keeps the search in the cache. What is compared
    is the difference itself, as in the other searches: neither value + bound nor value − bound is exact.
    """
    too_low, not_too_high = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    value, bound = np.empty(TOGETHER), np.empty(TOGETHER)
    for first in range(begin, stop, TOGETHER):
        m = min(TOGETHER, stop - first)
        for i in range(m):
            value[i], bound[i] = values[order[first + i]], bounds[order[first + i]]
            too_low[i] = not_too_high[i] = 0  # values that are, as far as is known
        n = ordered.size  # values that are left to look at
        while n > 0:
            half = (n + 1) // 2
            for i in range(m):
                too_low[i] += half * (value[i] - ordered[too_low[i] + half - 1] >= bound[i])
                not_too_high[i] += half * (ordered[not_too_high[i] + half - 1] - value[i] < bound[i])
            n -= half
        for i in range(m):
            counts[order[first + i]] = not_too_high[i] - too_low[i]
