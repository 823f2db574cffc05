"""Log ratios of densities, joint to product, that can be asked of any pairing of rows, and their normalisation.

For any f(x, y), I(X; Y) ≥ E f − log Z, where Z is the mean of exp f over re-paired rows (Donsker and Varadhan). A log
ratio of densities has Z = 1; where log Z is surely above 0, f counts something twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

INDEPENDENT = 0.05  # weight of independence in a kernel's ratio: its logarithm cannot fall below log 0.05
NARROWEST = 1e-9  # squared width of a kernel, in mean squared distances: between copies there is none of their own
BEYOND_DOUBT = 2.0  # standard errors

Critic = Callable[[np.ndarray, np.ndarray], np.ndarray]


def log_normalisation(log_ratios: np.ndarray) -> tuple[float, float]:
    """Return log Z of log ratios (m, m) over all pairings of different rows, and its standard error."""
    m = len(log_ratios)
    largest = log_ratios.max(initial=-np.inf, where=~np.eye(m, dtype=bool))
    # Before exp, since a row with itself may be far above all others.
    ratios = np.minimum(log_ratios - largest, 0.0)
    np.exp(ratios, out=ratios)
    np.fill_diagonal(ratios, 0.0)
    by_row, by_column = ratios.sum(axis=1), ratios.sum(axis=0)
    total = float(by_row.sum())
    # Rows and columns are the units of sampling: the projection of a two-sample U-statistic.
    influence = m / total * (by_row + by_column)
    return float(largest + math.log(total / (m * (m - 1)))), float(influence.std()) / math.sqrt(m)


def counted_twice(log_ratios: np.ndarray) -> float:
    """Return log Z if it is surely above 0, else 0."""
    log_z, error = log_normalisation(log_ratios)
    return log_z if log_z > BEYOND_DOUBT * error else 0.0


def kernel_critic(a: np.ndarray, b: np.ndarray, neighbors: Sequence[int]) -> Critic:
    """Return the critic m Σ_l u(i, l) v(j, l), l over fitted rows, u and v being the `kernel_weights` of either side.

    One opinion for each number of neighbours that sets the widths.
    """

    def critic(rows_a: np.ndarray, rows_b: np.ndarray) -> np.ndarray:
        weights_a = kernel_weights(squared_distances(rows_a, a), neighbors)
        weights_b = kernel_weights(squared_distances(rows_b, b), neighbors)
        ratios = (1 - INDEPENDENT) * len(a) * (weights_a @ weights_b.transpose(0, 2, 1)) + INDEPENDENT
        return np.log(ratios, out=ratios)

    return critic


def squared_distances(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return squared Euclidean distances (N, m)."""
    squares = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.maximum(squares - 2 * rows @ others.T, 0)


def kernel_weights(squared: np.ndarray, neighbors: Sequence[int]) -> np.ndarray:
    """Return Gaussian weights of m fitted rows for each of N rows, from squared distances (N, m); their sum is 1.

    (c, N, m): one table for each number of neighbours. A row's width is its distance to the fitted row of that rank.
    Copies have no distance, so they share all weight. Widths and weights are float32, which takes half the time;
    differences of distances keep all digits.
    """
    ranks = [min(k, squared.shape[1]) - 1 for k in neighbors]
    widths = np.partition(squared.astype(np.float32), ranks, axis=1)[:, ranks]
    narrowest = max(NARROWEST * float(squared.mean()), float(np.finfo(np.float32).tiny))
    above = squared.min(axis=1, keepdims=True) - squared
    weights = np.empty((len(ranks), *squared.shape), np.float32)
    for table, width in zip(weights, widths.T, strict=True):
        np.divide(above, np.maximum(width, narrowest)[:, None], out=table, casting="same_kind")
        np.exp(table, out=table)
        table /= table.sum(axis=1)[:, None]
    return weights
