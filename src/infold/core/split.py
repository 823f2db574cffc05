"""A projected column → (cut, score): where two groups fit it best. The lowest score wins a node (Sec. 5.2)."""

from __future__ import annotations

import math

import numpy as np

from .jit import part

FAST_BIC, TWO_MEANS = 0, 1
CRITERIA = {"fast_bic": FAST_BIC, "two_means": TWO_MEANS}

VARIANCE_FLOOR = 1e-10
"""A side with less than this part of the column's variance is refused: it is rounding noise, or copies of one value,
and its log-likelihood would win every time."""

# Of natural logarithms: 2 (f + f³/3 + f⁵/5 + …), f = (m − 1) / (m + 1), with m between √½ and √2. The polynomial meets
# the series at six Chebyshev points of f²; between them it is off by 7e-16 of f at most.
_C0, _C1, _C2 = 0.3333333333333104, 0.20000000005603252, 0.14285712069162299
_C3, _C4, _C5 = 0.11111431140034304, 0.09070096902174023, 0.08310908566647643
# Unsigned: few processors shift several signed numbers at a time.
_BITS = np.uint64(52)
_SQRT_HALF_BITS = np.uint64(0x3FE6A09E667F3BCD)
_EXPONENT_BIAS = np.uint64(1024) << _BITS
_LN2 = math.log(2.0)

_REFUSED = 2.0**1000
_LOG_REFUSED = 1000 * _LN2


@part
def replace_by_logs(values):
    """Replace positive normal `values` by their logarithms: libm's but for the last digit, several at a time."""
    bits = values.view(np.uint64)
    for i in range(values.size):
        shifted = (bits[i] - _SQRT_HALF_BITS + _EXPONENT_BIAS) >> _BITS
        bits[i] -= (shifted << _BITS) - _EXPONENT_BIAS
        f = (values[i] - 1.0) / (values[i] + 1.0)
        s = f * f
        series = _C3 + s * (_C4 + s * _C5)
        series = _C0 + s * (_C1 + s * (_C2 + s * series))
        values[i] = (np.int32(shifted) - 1024.0) * _LN2 + 2.0 * (f + f * s * series)


@part
def squared_deviations(values, left, right):
    """Fill left[s], right[s] with the sums of squared deviations of values[:s + 1] and values[s + 1:].

    Running means (Welford) of distances from the middle value: neither an offset of the column nor its length can
    cancel the digits away.
    """
    m = values.size
    middle = values[m // 2]
    left_mean, left_sum = values[0] - middle, 0.0
    right_mean, right_sum = values[m - 1] - middle, 0.0
    left[0] = 0.0
    right[m - 1] = 0.0
    right[m - 2] = 0.0
    for s in range(1, m):
        weight = 1.0 / (s + 1.0)
        value = values[s] - middle
        delta = value - left_mean
        left_mean += delta * weight
        left_sum += delta * (value - left_mean)
        left[s] = left_sum
        if s < m - 1:
            value = values[m - 1 - s] - middle
            delta = value - right_mean
            right_mean += delta * weight
            right_sum += delta * (value - right_mean)
            right[m - 2 - s] = right_sum


@part
def between(low, high):
    """Return the midpoint of low < high, such that low < midpoint <= high whatever the rounding."""
    middle = low + (high - low) / 2
    return middle if middle > low else high


@part
def fast_bic_cut(values, n_log_n):
    """Return (cut, BIC) of the best two Gaussians for sorted `values`, (nan, inf) if no cut is sound. Sec. 5.2.

    `n_log_n` is the table 0, 1 log 1, 2 log 2, … up to the number of values at least.
    """
    m = values.size
    if m < 4 or values[0] == values[m - 1]:
        return np.nan, np.inf
    left, right = np.empty(m), np.empty(m)
    squared_deviations(values, left, right)
    floor = VARIANCE_FLOOR * left[m - 1] / m
    # A refused position gets a sum of squares that loses against any sound one, so the logs need no branch.
    for s in range(m - 1):
        sound = (values[s] < values[s + 1]) & (left[s] > floor * (s + 1)) & (right[s] > floor * (m - s - 1))
        left[s] = left[s] if sound else _REFUSED
        right[s] = right[s] if sound else _REFUSED
    replace_by_logs(left[: m - 1])
    replace_by_logs(right[: m - 1])
    best, position = np.inf, 0
    # n log(2π SS/n) − 2 n log(n/m) = n log SS − 3 n log n + n log 2π + 2 n log m
    for s in range(m - 1):
        n_left, n_right = s + 1, m - s - 1
        score = n_left * left[s] + n_right * right[s] - 3.0 * (n_log_n[n_left] + n_log_n[n_right])
        if score < best:
            best, position = score, s
    if left[position] > _LOG_REFUSED - 1:
        return np.nan, np.inf
    constant = m * (math.log(2.0 * math.pi) + 2.0 * math.log(m) + 1.0) + 5.0 * math.log(m)
    return between(values[position], values[position + 1]), best + constant


@part
def two_means_cut(values):
    """Return (cut, sum of the two sides' squared deviations) of the best cut of sorted `values`, or (nan, inf)."""
    m = values.size
    if m < 2 or values[0] == values[m - 1]:
        return np.nan, np.inf
    left, right = np.empty(m), np.empty(m)
    squared_deviations(values, left, right)
    best, position = np.inf, 0
    for s in range(m - 1):
        if values[s] < values[s + 1] and left[s] + right[s] < best:
            best, position = left[s] + right[s], s
    return between(values[position], values[position + 1]), best


@part
def best_cut(values, criterion, n_log_n):
    """Return (cut, score) of sorted `values` under one of CRITERIA."""
    if criterion == FAST_BIC:
        return fast_bic_cut(values, n_log_n)
    return two_means_cut(values)


def n_log_n_table(largest: int) -> np.ndarray:
    """Return n log n for n = 0 … largest, with 0 log 0 = 0."""
    n = np.arange(largest + 1.0)
    return n * np.log(np.maximum(n, 1.0))
