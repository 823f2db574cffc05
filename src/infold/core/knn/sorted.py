"""Counts of neighbours in a space of one column: by binary search, once its values are sorted."""

from __future__ import annotations

import numpy as np

from ..jit import kernel

TOGETHER = 16  # searches whose steps are taken in turns: none then waits for the other's memory


@kernel
def run_length(ordered, first, step, value, bound):
    """Return how many values from ordered[first] on, in steps of ±1, are exactly `bound` away from `value`.

    No value before is as far. Steps double until they go too far, then halve: runs are mostly of one value, or long.
    """
    most = ordered.size - first if step > 0 else first + 1
    if most <= 0 or abs(ordered[first] - value) != bound:
        return 0
    length, jump = 1, 1  # values that are known to be in the run
    while length + jump <= most and abs(ordered[first + step * (length + jump - 1)] - value) == bound:
        length += jump
        jump *= 2
    while jump > 1:
        jump //= 2
        if length + jump <= most and abs(ordered[first + step * (length + jump - 1)] - value) == bound:
            length += jump
    return length


@kernel
def sorted_counts(ordered, values, order, bounds, nearer, within, begin, stop):
    """Fill nearer[row] with how many `ordered` values are nearer than its bound to that of the row; within: no farther.

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
            row, low, high = order[first + i], too_low[i], not_too_high[i]
            if bound[i] > 0.0:
                nearer[row] = high - low
                within[row] = (
                    nearer[row]
                    + run_length(ordered, high, 1, value[i], bound[i])
                    + run_length(ordered, low - 1, -1, value[i], bound[i])
                )
            else:  # `low` values are not above, and `high` below
                nearer[row], within[row] = 0, low - high
