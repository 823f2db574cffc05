"""Columns into comparable units, without a trace of row order or offset in the result."""

from __future__ import annotations

import numpy as np


def column_scales(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (means, standard deviations) of the rows of `columns` (d, n).

    Values are sorted before they are summed, so that the order of samples cannot change a bit, and brought to unit
    size before they are squared, so that 1e200 does not overflow.
    """
    means, deviations = np.empty(len(columns)), np.empty(len(columns))
    for f, column in enumerate(columns):
        ordered = np.sort(column)
        size = max(abs(ordered[0]), abs(ordered[-1]))
        exponent = np.frexp(size)[1]
        ordered = np.ldexp(ordered, -exponent)
        centre = ordered.mean()
        means[f] = np.ldexp(centre, exponent)
        deviations[f] = np.ldexp(np.sqrt(np.mean((ordered - centre) ** 2)), exponent)
    return means, deviations


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
