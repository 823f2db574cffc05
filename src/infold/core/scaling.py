"""Columns in comparable units; neither the order of rows nor an offset changes a bit of the result."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .jit import kernel

EXTREME = 300  # binary exponents from which on squares may overflow or vanish
AT_A_TIME = 1 << 21  # values that are sorted together: whole columns, and few copies of a large table
STEP_BITS = 26  # significant bits of the scale of a lattice: multiples up to 2**27 of it are exact
LARGEST_DECIMAL, LARGEST_POWER = 2.0**20, 1e6  # decimals have up to six digits
ROUNDING = 2.0**-51  # of a decimal, relative to it: two roundings


def joined(blocks: Sequence[np.ndarray]) -> np.ndarray:
    """Return the columns of all blocks (d, n), float32 or float64 in any memory layout, as one float64 table."""
    columns = np.empty((sum(map(len, blocks)), blocks[0].shape[1]))
    first = 0
    for block in blocks:
        columns[first : first + len(block)] = block
        first += len(block)
    return columns


def column_scales(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (means, standard deviations) of the rows of `columns` (d, n)."""
    # In C order, whatever order `columns` has: numpy adds up values in another order where they are far apart.
    parts = [_sorted_scales(np.sort(np.ascontiguousarray(some), axis=1)) for some in _chunks(columns)]
    return np.concatenate([means for means, _ in parts]), np.concatenate([deviations for _, deviations in parts])


def _chunks(columns: np.ndarray) -> list[np.ndarray]:
    """Return the columns a few at a time, so that a copy of them stays small."""
    step = max(1, AT_A_TIME // columns.shape[1])
    return [columns[first : first + step] for first in range(0, len(columns), step)]


def _sorted_scales(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (means, standard deviations) of sorted columns, which are overwritten.

    Sums of sorted values do not depend on the order of samples. Values are brought to unit size before they are
    squared, so that 1e200 does not overflow.
    """
    n, exponents = ordered.shape[1], _extreme_exponents(ordered)
    if exponents.any():
        ordered = np.ldexp(ordered, -exponents[:, None])
    # A sum over n, which is what `mean` computes after a longer look at its arguments.
    means = np.add.reduce(ordered, axis=1) / n
    ordered -= means[:, None]
    ordered *= ordered
    deviations = np.sqrt(np.add.reduce(ordered, axis=1) / n)
    return np.ldexp(means, exponents), np.ldexp(deviations, exponents)


def _extreme_exponents(ordered: np.ndarray) -> np.ndarray:
    """Return the binary exponent of each sorted column's largest value, 0 if its square is an ordinary number."""
    exponents = np.frexp(np.maximum(-ordered[:, 0], ordered[:, -1]))[1]
    return exponents * (np.abs(exponents) >= EXTREME)


def standardized(columns: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return `columns` (d, n), each with mean 0 and standard deviation 1; none may be constant."""
    means, deviations = column_scales(columns)
    out = np.subtract(columns, means[:, None], out=out)
    out /= deviations[:, None]
    return out


def comparable(columns: np.ndarray, *, standardize: bool) -> np.ndarray:
    """Return `columns` (d, n) in units in which their differences may be compared. May overwrite them.

    With `standardize` these are standard deviations, else columns are taken as they are. Equal differences must stay
    equal, since ties mean something: decimals become whole numbers of their last digit, and the scale of a column of
    whole numbers, or of few binary digits, is rounded a little, so that products are exact.
    """
    if not standardize:
        return unit_sized(columns)
    for some in _chunks(columns):
        make_decimals_whole(some)
        ordered = np.sort(some, axis=1)
        exponents = _extreme_exponents(ordered)[:, None]
        if exponents.any():
            np.ldexp(some, -exponents, out=some)
            np.ldexp(ordered, -exponents, out=ordered)
        # Differences from a value amid the column are exact even if all values are large; those from a mean are not.
        middles = ordered[:, ordered.shape[1] // 2, None]
        some -= middles
        ordered -= middles
        widest = np.maximum(ordered[:, -1], -ordered[:, 0])
        scales = 1.0 / _sorted_scales(ordered)[1]
        round_scales(some, widest, scales)
        some *= scales[:, None]
    return columns


def one_unit(columns: np.ndarray, *, decimals: bool) -> np.ndarray:
    """Return `columns` (d, n) of one unit, which are never compared with others; may overwrite them.

    With `decimals` these become whole numbers of their last digit.
    """
    columns = unit_sized(columns)
    if decimals:
        make_decimals_whole(columns)
    return columns


@kernel
def make_decimals_whole(columns):
    """Multiply columns (d, n) of decimals by the power of ten that makes them whole."""
    for f in range(columns.shape[0]):
        whole, power = False, 0.1  # the first power is 1
        while not whole and power < LARGEST_POWER:
            whole, power, i = True, 10.0 * power, 0
            while whole and i < columns.shape[1]:
                # Large values have no digits left to tell: every one is near a whole number.
                value = columns[f, i] * power
                rounding = abs(value - np.rint(value))
                whole = rounding <= ROUNDING * abs(value) and abs(columns[f, i]) <= LARGEST_DECIMAL
                i += 1
        if whole and power > 1.0:
            for i in range(columns.shape[1]):
                columns[f, i] = np.rint(columns[f, i] * power)


@kernel
def round_scales(columns, widest, scales):
    """Round the scale of each column (d, n) that has few binary digits, so that products with it are exact.

    `widest` (d,) are the largest absolute values.
    """
    for f in range(columns.shape[0]):
        step = math.ldexp(1.0, math.frexp(widest[f])[1] - STEP_BITS)
        whole, i = True, 0
        while whole and i < columns.shape[1]:
            value = columns[f, i] / step
            whole = value == np.rint(value)
            i += 1
        if whole:
            mantissa, exponent = math.frexp(scales[f])
            scales[f] = math.ldexp(np.rint(math.ldexp(mantissa, STEP_BITS)), exponent - STEP_BITS)


def unit_sized(columns: np.ndarray) -> np.ndarray:
    """Return `columns` divided by one power of two, such that squares can neither overflow nor vanish.

    Ratios of distances, all that the estimators use, are the same to the bit.
    """
    unit = unit_of(columns)
    return columns if unit == 1.0 else columns / unit


def unit_of(columns: np.ndarray) -> float:
    """Return the power of two that brings the largest value of `columns` to about 1; 1 if it is an ordinary number."""
    largest = max(float(np.maximum.reduce(columns, axis=None)), -float(np.minimum.reduce(columns, axis=None)), 0.0)
    exponent = math.frexp(largest)[1]
    return 1.0 if abs(exponent) < EXTREME else math.ldexp(1.0, exponent - 1)
