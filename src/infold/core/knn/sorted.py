"""Counts of neighbours in a space of one column: by binary search, once it is sorted."""

from __future__ import annotations

from ..jit import kernel


@kernel
def sorted_counts(ordered, order, bounds, counts, begin, stop):
    """Fill counts[order[i]] with how many of the `ordered` values are nearer than its bound to the i-th of them.

    order[i] is the row of the i-th value; i runs from begin to stop. What is compared is the difference itself, as in
    the other searches: neither value + bound nor value − bound is exact.
    """
    for i in range(begin, stop):
        value, bound = ordered[i], bounds[order[i]]
        low, high = i, ordered.size  # the first value above that is not nearer
        while low < high:
            middle = (low + high) // 2
            if ordered[middle] - value < bound:
                low = middle + 1
            else:
                high = middle
        above = low
        low, high = 0, i  # the first value that is nearer
        while low < high:
            middle = (low + high) // 2
            if value - ordered[middle] < bound:
                high = middle
            else:
                low = middle + 1
        counts[order[i]] = above - low
