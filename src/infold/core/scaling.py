"""Columns into comparable units, without a trace of row order or offset in the result."""

from __future__ import annotations

import numpy as np

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
        return _scales(columns)
    parts = [_scales(columns[first : first + step]) for first in range(0, len(columns), step)]
    means, deviations = zip(*parts, strict=True)
    return np.concatenate(means), np.concatenate(deviations)


def _scales(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ordered = np.sort(columns, axis=1)
    exponents = np.frexp(np.maximum(np.abs(ordered[:, 0]), np.abs(ordered[:, -1])))[1]
    exponents[np.abs(exponents) < 300] = 0  # such squares neither overflow nor vanish: the bits are the same
    if exponents.any():
        ordered = np.ldexp(ordered, -exponents[:, None])
    centres = ordered.mean(axis=1)
    ordered -= centres[:, None]
    ordered *= ordered
    return np.ldexp(centres, exponents), np.ldexp(np.sqrt(ordered.mean(axis=1)), exponents)


def standardized(columns: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return `columns` (d, n), each with mean 0 and standard deviation 1; none may be constant."""
    means, deviations = column_scales(columns)
    out = np.subtract(columns, means[:, None], out=out)
    out /= deviations[:, None]
    return out


def unit_sized(columns: np.ndarray) -> np.ndarray:
    """Return `columns` times one power of two, such that squares can neither overflow nor vanish.

    Ratios of distances, all that the estimators use, are the same to the bit.
    """
    exponent = int(np.frexp(max(columns.max(initial=0.0), -columns.min(initial=0.0)))[1])
    return columns if abs(exponent) < 300 else np.ldexp(columns, -exponent)
