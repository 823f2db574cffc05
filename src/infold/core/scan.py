"""Every cut between weighted values that lie together: sorted by buckets, scored by running sums.

Copies of a row stay one value with a weight. Sums are about a centre of the column, so that differences of running
sums keep their digits: what rounding leaves of a sum of squares is far below `VARIANCE_FLOOR`.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import part, part_without_nan
from .split import FAST_BIC, VARIANCE_FLOOR, between, replace_by_logs

FEW = 12  # values that insertion sorts fastest, in whatever order
CROWDED = 24  # values in one bucket beyond which insertion is slower than a general sort
TINY, HUGE, LOG_HUGE = 1e-300, 1e300, 690.0  # squares in a logarithm: of nothing, and of a cut that is refused
N_WORK = 7  # rows of `work` that `sort_pairs` and `score_cuts` use


@part_without_nan
def range_of(values):
    """Return the smallest and the largest of the values."""
    low, high = values[0], values[0]
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@part_without_nan
def lowest_above(values, low):
    """Return the lowest of the values above `low`, inf if there is none."""
    lowest = np.inf
    for i in range(values.size):
        lowest = min(lowest, values[i] if values[i] > low else np.inf)
    return lowest


@part
def sort_by_insertion(values, carried):
    """Sort `values` and what each carries, in place: fast if they are few or almost in order."""
    for i in range(1, values.size):
        value, load, at = values[i], carried[i], i
        while at > 0 and values[at - 1] > value:
            values[at], carried[at] = values[at - 1], carried[at - 1]
            at -= 1
        values[at], carried[at] = value, load


@part
def sort_by_heap(values, carried):
    """Sort `values` and what each carries, in place: n log n steps whatever the values."""
    n = values.size
    for step in range(n // 2 + n - 1):
        # First make a heap, from its last parent on; then move the largest of what is left to the end.
        if step < n // 2:
            at, end = n // 2 - 1 - step, n
        else:
            at, end = 0, n - 1 - (step - n // 2)
            values[0], values[end] = values[end], values[0]
            carried[0], carried[end] = carried[end], carried[0]
        value, load = values[at], carried[at]
        while 2 * at + 1 < end:
            child = 2 * at + 1
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if not values[child] > value:
                break
            values[at], carried[at] = values[child], carried[child]
            at = child
        values[at], carried[at] = value, load


@part
def sort_pairs(values, carried, work, code):
    """Sort `values` and what each carries (int32); `work` and `code`, of 3 n + 1 at least, are scratch."""
    n = values.size
    if n <= FEW:
        sort_by_insertion(values, carried)
        return
    low, high = range_of(values)
    if not high - low < np.inf:
        sort_by_heap(values, carried)
        return
    scale = (n - 1) / (high - low) if high > low else 0.0
    if not scale < np.inf:
        scale = 0.0
    fill, spare, spare_carried = code[n : 2 * n + 1], work[0], code[2 * n + 1 :]
    fill[:] = 0
    for i in range(n):
        code[i] = np.int32((values[i] - low) * scale)  # rises with the value, and is below n
        fill[code[i] + 1] += 1
    most = 0
    for b in range(1, n + 1):
        most = max(most, fill[b])
        fill[b] += fill[b - 1]
    for i in range(n):
        at = fill[code[i]]
        fill[code[i]] += 1
        spare[at], spare_carried[at] = values[i], carried[i]
    for i in range(n):
        values[i], carried[i] = spare[i], spare_carried[i]
    if most > CROWDED:
        sort_by_heap(values, carried)
    else:
        sort_by_insertion(values, carried)


@part
def score_cuts(values, weights, low, scale, centre, before, after, floor, criterion, n_log_n, work):
    """Return (score, i) of the best cut after one of the sorted `values`, i = −1 if none is sound.

    Sums are of (value − low) × scale − centre; `before` and `after` are (weight, sum, sum of squares) of what lies to
    the left and right of the values. A side needs more than `floor` squares a unit of weight, or VARIANCE_FLOOR of what
    all have if that is nan. The score is without what all cuts share; of equal scores the leftmost counts.
    """
    n = values.size
    sums, squares, count, left, right = work[1], work[2], work[3], work[4], work[5]
    w, s, q = 0.0, 0.0, 0.0
    for i in range(n):
        at = (values[i] - low) * scale - centre
        w += weights[i]
        s += weights[i] * at
        q += weights[i] * at * at
        count[i], sums[i], squares[i] = w, s, q
    if math.isnan(floor):
        floor = VARIANCE_FLOOR * (q - s * s / w) / w
    last = n - 1 if after[0] == 0.0 else n
    for i in range(last):
        n_left, sum_left = before[0] + count[i], before[1] + sums[i]
        n_right, sum_right = after[0] + (w - count[i]), after[1] + (s - sums[i])
        of_left = before[2] + squares[i] - sum_left * sum_left / n_left
        of_right = after[2] + (q - squares[i]) - sum_right * sum_right / n_right
        # Refused squares lose against any sound ones, so that the logarithms need no branch.
        sound = (of_left > floor * n_left) & (of_right > floor * n_right)
        left[i] = max(of_left, TINY) if sound else HUGE
        right[i] = max(of_right, TINY) if sound else HUGE
    if criterion == FAST_BIC:
        replace_by_logs(left[:last])
        replace_by_logs(right[:last])
    limit = LOG_HUGE if criterion == FAST_BIC else HUGE
    best, found = np.inf, -1
    for i in range(last):
        score = left[i] + right[i]
        if criterion == FAST_BIC:
            n_left, n_right = np.uint32(before[0] + count[i]), np.uint32(after[0] + (w - count[i]))
            score = n_left * left[i] + n_right * right[i] - 3.0 * (n_log_n[n_left] + n_log_n[n_right])
        if score < best and left[i] < limit and (i == n - 1 or values[i] < values[i + 1]):
            best, found = score, i
    return best, found


@part
def best_of_sorted(values, weights, m, criterion, n_log_n, work):
    """Return (score, i) of the best cut after one of all the sorted `values`, of weight m; i = −1 if none is sound."""
    n = values.size
    if m < (4 if criterion == FAST_BIC else 2) or values[0] == values[n - 1]:
        return np.inf, -1
    floor, nothing = np.nan if criterion == FAST_BIC else -np.inf, (0.0, 0.0, 0.0)
    score, i = score_cuts(values, weights, values[n // 2], 1.0, 0.0, nothing, nothing, floor, criterion, n_log_n, work)
    if criterion == FAST_BIC:
        score += m * (math.log(2.0 * math.pi) + 2.0 * math.log(m) + 1.0) + 5.0 * math.log(m)
    return score, i


@part
def small_cut(values, weights, m, criterion, n_log_n, work, code):
    """Return (cut, score) of `values` with `weights`, m in all, as `split.best_cut` of all copies. Sorts both."""
    sort_pairs(values, weights, work, code)
    score, i = best_of_sorted(values, weights, m, criterion, n_log_n, work)
    if i < 0:
        return np.nan, np.inf
    return between(values[i], values[i + 1]), score
