"""Columns into comparable units, without a trace of row order or offset in the result."""

from __future__ import annotations

import math

import numpy as np

SMALLEST = 2.0**-300
AT_A_TIME = 1 << 21  # values that are sorted together: whole columns, and few copies of a large table


def joined(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the columns of x (d_x, n) and y (d_y, n), float32 or float64 in any order, as one float64 table."""
    points = np.empty((len(x) + len(y), x.shape[1]))
    points[: len(x)], points[len(x) :] = x, y
    return points


def column_scales(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (means, standard deviations) of the rows of `columns` (d, n).

    Values are sorted before they are summed, so that the order of samples cannot change a bit, and brought to unit
    size before they are squared, so that 1e200 does not overflow.
    """
    step = max(1, AT_A_TIME // columns.shape[1])
    if step >= len(columns):
        return sorted_scales(np.sort(columns, axis=1))
    parts = [sorted_scales(np.sort(columns[first : first + step], axis=1)) for first in range(0, len(columns), step)]
    means, deviations = zip(*parts, strict=True)
    return np.concatenate(means), np.concatenate(deviations)


def sorted_scales(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of columns that are sorted, and may be changed."""
    n = ordered.shape[1]
    largest = np.maximum(-ordered[:, 0], ordered[:, -1])
    extreme = not usual(largest)
    if extreme:
        exponents = np.frexp(largest)[1]
        exponents *= np.abs(exponents) >= 300  # others' squares neither overflow nor vanish: the bits are the same
        ordered = np.ldexp(ordered, -exponents[:, None])
    # A sum over n, which is what `mean` computes after a longer look at its arguments.
    centres = np.add.reduce(ordered, axis=1) / n
    ordered -= centres[:, None]
    ordered *= ordered
    deviations = np.sqrt(np.add.reduce(ordered, axis=1) / n)
    return (np.ldexp(centres, exponents), np.ldexp(deviations, exponents)) if extreme else (centres, deviations)


def standardized(columns: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return `columns` (d, n), each with mean 0 and standard deviation 1; none may be constant."""
    means, deviations = column_scales(columns)
    out = np.subtract(columns, means[:, None], out=out)
    out /= deviations[:, None]
    return out


def weighted(columns: np.ndarray, standardize: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (columns, weights): differences of rows count times their column's weight.

    Columns may be changed in place, by powers of two: where their scale, or its inverse, is too large for a float's
    square. Ratios of weighted distances are the same to the bit.
    """
    if not standardize:
        return unit_sized(columns), np.ones(len(columns))
    deviations = column_scales(columns)[1]
    if not usual(deviations):
        exponents = np.frexp(np.maximum(columns.max(axis=1), -columns.min(axis=1)))[1]
        np.ldexp(columns, -exponents[:, None], out=columns)
        deviations = column_scales(columns)[1]
    return columns, 1.0 / deviations


def usual(deviations: np.ndarray) -> bool:
    """Return whether squares of these numbers, and of their inverses, are far from what a float can hold."""
    each = deviations.tolist()  # mostly a few: numpy takes longer to start than Python to look at them
    return min(each) > SMALLEST and max(each) < 1 / SMALLEST


def unit_sized(columns: np.ndarray) -> np.ndarray:
    """Return `columns` times one power of two, such that squares can neither overflow nor vanish.

    Ratios of distances, all that the estimators use, are the same to the bit.
    """
    largest = max(float(np.maximum.reduce(columns, axis=None)), -float(np.minimum.reduce(columns, axis=None)), 0.0)
    exponent = math.frexp(largest)[1]
    return columns if abs(exponent) < 300 else np.ldexp(columns, -exponent)
