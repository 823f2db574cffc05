"""Sort values together with what each carries."""

from __future__ import annotations

import numpy as np

from ..jit import kernel, kernel_without_nan

FEW = 12  # values that insertion sorts fastest
CROWDED = 24  # values in one bucket beyond which insertion alone would be slow


@kernel_without_nan
def range_of(values):
    """Return the smallest and the largest of the values."""
    low, high = values[0], values[0]
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@kernel
def sort_pairs(values, carried, spare_values, spare_carried, code):
    """Sort `values` and what each carries, in place. The others are scratch; `code` has 2 n + 1 entries.

    Values go into as many buckets as there are values, then Shell's sort finishes: by insertion alone, unless many
    values share a bucket.
    """
    n, step = values.size, 1
    if n > FEW:
        low, high = range_of(values)
        scale = (n - 1) / (high - low)
        if not scale < np.inf:
            scale = 0.0
        fill, most = code[n : 2 * n + 1], 0
        for b in range(n + 1):
            fill[b] = 0
        for i in range(n):
            code[i] = np.int32((values[i] - low) * scale)
            fill[code[i] + 1] += 1
        for b in range(1, n + 1):
            most = max(most, fill[b])
            fill[b] += fill[b - 1]
        for i in range(n):
            at = fill[code[i]]
            fill[code[i]] += 1
            spare_values[at], spare_carried[at] = values[i], carried[i]
        for i in range(n):
            values[i], carried[i] = spare_values[i], spare_carried[i]
        while most > CROWDED and 9 * step < 4 * n:
            step = 9 * step // 4 + 1
    while step > 0:
        for i in range(step, n):
            value, load, at = values[i], carried[i], i
            while at >= step and values[at - step] > value:
                values[at], carried[at] = values[at - step], carried[at - step]
                at -= step
            values[at], carried[at] = value, load
        step = 4 * step // 9 if step > 2 else step - 1
