"""P-values of many columns, each compared with its own null distribution and corrected for their number."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .permutation import permutation_pvalue

NO_SPREAD = 1e-12  # nats: what is below is rounding
SAME = 1e-9  # relative; statistics that differ by less are equal but for rounding


class Judged(NamedTuple):
    """What permutations say about the statistics of some columns."""

    pvalues: np.ndarray  # (d,), corrected for the number of columns
    thresholds: np.ndarray  # (d,), what a statistic must pass


def holm(pvalues: np.ndarray) -> np.ndarray:
    """Return p-values corrected for their number, however they depend on each other (Holm 1979)."""
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted = np.empty(pvalues.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(stepped), 1.0)
    return adjusted


def benjamini_hochberg(pvalues: np.ndarray, n_tests: int | None = None) -> np.ndarray:
    """Return q-values: the smallest false discovery rate at which each test is a discovery.

    With `n_tests`, these are the smallest p-values of so many: q-values are right as far as they are below all others.
    """
    order = np.argsort(pvalues, kind="stable")
    stepped = pvalues[order] * ((n_tests or pvalues.size) / np.arange(1, pvalues.size + 1))
    adjusted = np.empty(pvalues.size)
    adjusted[order] = np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)
    return adjusted


def max_t(observed: np.ndarray, null: np.ndarray, level: float) -> Judged:
    """Return what the largest standardised statistic of all columns says (Westfall & Young's max-T).

    `observed` (d,) are the columns' statistics, `null` (B, d) the same after each permutation.
    """
    t, centers, spreads = standardized_draws(observed, null)
    largest = np.sort(t[1:].max(axis=1))
    above = largest.size - np.searchsorted(largest, t[0] - SAME * np.abs(t[0]), side="left")
    thresholds = centers + upper_quantile(largest, level) * spreads
    return Judged(permutation_pvalue(above, largest.size), thresholds)


def standardized_draws(observed: np.ndarray, null: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all statistics (1 + B, d), each by the law of the others, and the centre and spread of the observed."""
    draws = np.vstack((observed, null))
    centers, spreads = others_law(draws)
    return (draws - centers) / np.maximum(spreads, NO_SPREAD), centers[0], spreads[0]


def others_law(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the upper spread of all other draws of the same column, for each of `draws` (N, d).

    The upper spread is the root mean square distance from the mean of what is above it.
    """
    n = len(draws)
    shift = draws.mean(axis=0)
    centered = draws - shift
    means = -centered / (n - 1)  # of the others
    spreads = np.empty_like(draws)
    for column, (own, mean) in enumerate(zip(centered.T, means.T, strict=True)):
        down = np.sort(own)[::-1]
        sums, squares = (np.concatenate(([0.0], np.cumsum(down**power))) for power in (1, 2))
        above = n - np.searchsorted(down[::-1], mean, side="right")  # with the draw itself, where it is above
        self_too = own > mean
        total = squares[above] - 2 * mean * sums[above] + above * mean**2 - self_too * (own - mean) ** 2
        spreads[:, column] = np.sqrt(np.maximum(total, 0.0) / np.maximum(above - self_too, 1))
    return means + shift, spreads


def upper_quantile(null: np.ndarray, level: float) -> float:
    """Return the value that one more draw from the same law exceeds with probability `level` at most."""
    rank = null.size + 1 - math.floor(level * (null.size + 1) + 1e-9)
    return float(np.sort(null)[rank - 1])
