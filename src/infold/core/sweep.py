"""One column on a side: sorted values, searched outwards for neighbours and by halves for counts.

Differences are computed as everywhere, |x_i − x_j| · w. Rounding keeps their order, so a search may rely on it.
"""

from __future__ import annotations

import numpy as np

from .jit import FIRST, kernel
from .tiles import ATOM, FEW, insert, larger, piece, sift

STEP = 16  # values that a sweep looks at together


@piece
def negative(value):
    """Return −1 (all bits set) if `value` is below 0, else 0: from its sign bit, since a comparison makes a branch.

    A difference of two floats is negative exactly if the first is smaller, and +0 if they are equal.
    """
    return np.float64(value).view(np.int64) >> 63


@piece
def count_two(values, weight, value, bound, others, other_weight, other, other_bound):
    """Return how many of the sorted `values` are nearer than `bound`, above 0, to `value`; and the same of `others`.

    Four searches by halves go side by side, without a branch: each would mostly wait for its own last step. `low`
    passes what is too small, `high` also what is near; `values` and `others` are equally many.
    """
    low, high, other_low, other_high, size = 0, 0, 0, 0, values.size
    while size > 0:
        half = max(size // 2, 1)
        low += half & ~negative((value - values[low + half - 1]) * weight - bound)
        high += half & negative((values[high + half - 1] - value) * weight - bound)
        other_low += half & ~negative((other - others[other_low + half - 1]) * other_weight - other_bound)
        other_high += half & negative((others[other_high + half - 1] - other) * other_weight - other_bound)
        size -= half
    return high - low, other_high - other_low


@kernel
def sorted_counts(ordered, weight, values, order, bounds, start, stop, counts):
    """Fill `counts` with how many of `ordered`, the sorted `values`, are nearer than its bound to each.

    Only for the rows order[start:stop].
    """
    for at in range(start, stop, 2):
        i, j = order[at], order[min(at + 1, stop - 1)]
        counts[i], counts[j] = count_two(ordered, weight, values[i], bounds[i], ordered, weight, values[j], bounds[j])


@piece
def look(x, y, at_x, at_y, weight_x, weight_y, first, distances, few, best):
    """Return the k-th smallest distance to (at_x, at_y), after STEP more rows: `few` or `best` keeps the k."""
    k = best.size
    worst = few[FEW - 1] if k <= FEW else best[k - 1]
    hits = 0
    for j in range(STEP):
        distances[j] = larger(abs(x[first + j] - at_x) * weight_x, abs(y[first + j] - at_y) * weight_y)
    for j in range(STEP):
        hits += distances[j] < worst
    if hits == 0:
        return worst
    if k <= FEW:
        sift(few, distances, FIRST, FIRST + STEP)
        return few[FEW - 1]
    for j in range(STEP):
        if distances[j] < best[k - 1]:
            insert(best, distances[j])
    return best[k - 1]


@piece
def count_copies(x, y, i, weight_x, weight_y):
    """Return how many rows are at distance 0 from row i, itself one of them; x is sorted, infinite at both ends."""
    left, right, copies = i - 1, i + 1, 1
    while (x[i] - x[left]) * weight_x == 0:
        copies += abs(y[left] - y[i]) * weight_y == 0
        left -= 1
    while (x[right] - x[i]) * weight_x == 0:
        copies += abs(y[right] - y[i]) * weight_y == 0
        right += 1
    return copies


@kernel
def sweep_counts(x, y, order, ordered_y, weights, k, start, stop, counts):
    """Fill counts (3, n) with (k or copies, rows near in X, rows near in Y) for ranks start … stop − 1 of x.

    x is sorted, with STEP infinite values before and after; y is in the same order of rows, which is `order`, padded
    likewise. Each row counts itself.
    """
    ordered_x, weight_x, weight_y = x[STEP : x.size - STEP], weights[0], weights[1]
    best, few, distances = np.empty(k), np.empty(FEW), np.empty(STEP)
    for i in range(start, stop):
        at_x, at_y, worst = x[i + STEP], y[i + STEP], np.inf
        for j in range(k):
            best[j] = np.inf
        for j in range(FEW):
            few[j] = -np.inf if j < FEW - k else np.inf
        left, right = i + STEP, i + STEP + 1  # rows left … right − 1 have been looked at
        going = True
        while going:
            going = False
            if (at_x - x[left - 1]) * weight_x < worst:
                left -= STEP
                worst = look(x, y, at_x, at_y, weight_x, weight_y, left, distances, few, best)
                going = True
            if (x[right] - at_x) * weight_x < worst:
                worst = look(x, y, at_x, at_y, weight_x, weight_y, right, distances, few, best)
                right += STEP
                going = True
        bound, row = max(worst, ATOM), order[i]
        counts[0, row] = k if worst > 0 else count_copies(x, y, i + STEP, weight_x, weight_y)
        counts[1, row], counts[2, row] = count_two(ordered_x, weight_x, at_x, bound, ordered_y, weight_y, at_y, bound)


def sweep_columns(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the first four arguments of `sweep_counts` for two columns."""
    n, order = x.size, x.argsort()
    padded_x, padded_y, ordered_y = np.empty(n + 2 * STEP), np.zeros(n + 2 * STEP), y.copy()
    padded_x[:STEP], padded_x[n + STEP :] = -np.inf, np.inf
    padded_x[STEP : n + STEP], padded_y[STEP : n + STEP] = x.take(order), y.take(order)
    ordered_y.sort()
    return padded_x, padded_y, order, ordered_y
