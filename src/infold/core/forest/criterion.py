"""What a cut of a projected column is worth: two Gaussians that fit (fast-BIC), or two groups of small spread.

A column is known by weights (how often the bootstrap drew a row), sums and sums of squares to the left of each cut. The
lowest score wins (Sec. 5.2 of the paper).
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel

FAST_BIC, TWO_MEANS = 0, 1
CRITERIA = {"fast_bic": FAST_BIC, "two_means": TWO_MEANS}

VARIANCE_FLOOR = 1e-10
"""A side with less than this part of the column's variance is refused: it is rounding noise, or copies of one value,
and its log-likelihood would win every time."""
HUGE, LOG_HUGE = 1e300, 690.0  # squares of a cut that is refused lose against any sound ones
LN2 = math.log(2.0)


def n_log_n_table(largest: int) -> np.ndarray:
    """Return n log n for n = 0 … largest, with 0 log 0 = 0."""
    n = np.arange(largest + 1.0)
    return n * np.log(np.maximum(n, 1.0))


@kernel
def replace_by_logs(values):
    """Replace positive normal `values` by their logarithms: libm's but for the last digit, several at a time.

    With m between √½ and √2 and f = (m − 1) / (m + 1), log m = 2 (f + f³/3 + f⁵/5 + …). The polynomial meets the series
    at six Chebyshev points of f²; between them it is off by 7e-16 of f at most.
    """
    bits = values.view(np.uint64)  # unsigned: few processors shift several signed numbers at a time
    for i in range(values.size):
        shifted = (bits[i] - np.uint64(0x3FE6A09E667F3BCD) + np.uint64(1024 << 52)) >> np.uint64(52)
        bits[i] -= (shifted << np.uint64(52)) - np.uint64(1024 << 52)
        f = (values[i] - 1.0) / (values[i] + 1.0)
        s = f * f
        series = 0.11111431140034304 + s * (0.09070096902174023 + s * 0.08310908566647643)
        series = 0.3333333333333104 + s * (0.20000000005603252 + s * (0.14285712069162299 + s * series))
        values[i] = (np.int32(shifted) - 1024.0) * LN2 + 2.0 * (f + f * s * series)


@kernel
def score(criterion, n_left, left, n_right, right, n_log_n):
    """Return the score of a cut less what all cuts of a column share; squares come as logarithms for fast_bic."""
    if criterion == TWO_MEANS:
        return left + right
    # n log(2π SS/n) − 2 n log(n/m) = n log SS − 3 n log n + n log 2π + 2 n log m
    return n_left * left + n_right * right - 3.0 * (n_log_n[np.uint32(n_left)] + n_log_n[np.uint32(n_right)])


@kernel
def whole_score(criterion, partial, m, scale):
    """Return a column's score from a cut's, of weight m in all and values that had been multiplied by `scale`."""
    if criterion == TWO_MEANS:
        return partial / (scale * scale)
    return partial + m * (math.log(2.0 * math.pi) + 2.0 * math.log(m / scale) + 1.0) + 5.0 * math.log(m)


@kernel
def best_position(criterion, begin, n, sums, total, floor, n_log_n):
    """Return (score, i) of the best of the cuts begin to n, the leftmost of equals; i = −1 if none is sound.

    sums[:3, i] are weight, sum and squares to the left of cut i, `total` those of all. A side of weight w needs more
    than `floor` w squares about its mean. Fills sums[3:5, i] with these squares on either side, as `score` takes them.
    """
    m, s, q = total
    weight, linear, squares, left, right = sums[0, :n], sums[1, :n], sums[2, :n], sums[3, :n], sums[4, :n]
    for i in range(n):
        n_left, n_right, s_right = weight[i], m - weight[i], s - linear[i]
        of_left = squares[i] - linear[i] * linear[i] / n_left
        of_right = (q - squares[i]) - s_right * s_right / n_right
        left[i] = of_left if of_left > floor * n_left else HUGE  # also if it is NaN, of an empty side
        right[i] = of_right if of_right > floor * n_right else HUGE
    if criterion == FAST_BIC:
        replace_by_logs(left)
        replace_by_logs(right)
    limit = LOG_HUGE if criterion == FAST_BIC else HUGE
    best, found = np.inf, -1
    for i in range(begin, n):
        value = score(criterion, weight[i], left[i], m - weight[i], right[i], n_log_n)
        if value < best and max(left[i], right[i]) < limit:
            best, found = value, i
    return best, found


@kernel
def variance_floor(criterion, total):
    """Return the least squares per unit of weight that a side needs; `total` is (weight, sum, squares) of a column."""
    m, s, q = total
    if criterion == TWO_MEANS:
        return -1.0
    return VARIANCE_FLOOR * max(q - s * s / m, 1e-300) / m


@kernel
def between(low, high):
    """Return the midpoint of low < high, such that low < midpoint <= high whatever the rounding."""
    middle = low + (high - low) / 2
    return middle if middle > low else high
