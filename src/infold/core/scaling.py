"""Columns into comparable units, without a trace of row order or offset in the result."""

from __future__ import annotations

import numpy as np


def column_scales(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (means, standard deviations) of the rows of `columns` (d, n).

    Values are sorted before they are summed, so that the order of samples cannot change a bit, and brought to unit
    size before they are squared, so that 1e200 does not overflow.
    """
    ordered = np.sort(columns, axis=1)
    exponents = np.frexp(np.maximum(np.abs(ordered[:, 0]), np.abs(ordered[:, -1])))[1]
    exponents[np.abs(exponents) < 300] = 0  # such squares neither overflow nor vanish: the bits are the same
    if exponents.any():
        ordered = np.ldexp(ordered, -exponents[:, None])
    centres = ordered.mean(axis=1)
    ordered -= centres[:, None]
    ordered *= ordered
    return np.ldexp(centres, exponents), np.ldexp(np.sqrt(ordered.mean(axis=1)), exponents)


def standardized(columns: np.ndarray) -> np.ndarray:
    """Return `columns` (d, n), each with mean 0 and standard deviation 1; none may be constant."""
    means, deviations = column_scales(columns)
    return (columns - means[:, None]) / deviations[:, None]


def unit_sized(columns: np.ndarray) -> np.ndarray:
    """Return `columns` times one power of two, such that squares can neither overflow nor vanish.

    Ratios of distances, all that the estimators use, are the same to the bit.
    """
    exponent = int(np.frexp(np.max(np.abs(columns), initial=0.0))[1])
    return columns if abs(exponent) < 300 else np.ldexp(columns, -exponent)
