"""How much of the past to condition on: as much as helps to predict (Ragwitz & Kantz 2002)."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .embedding import MAX_HISTORY, embed, same_lags
from .grid import Grid

PREDICTORS = 4  # neighbours whose successors predict
STANDARD_ERRORS = 1.0  # a longer past must be better by this many


def chosen_histories(grid: Grid, delay: int, theiler: int) -> tuple[int, int]:
    """Return (source_history, target_history): the shortest pasts that predict the target about as well as any.

    First the target's own past, up to five steps; then the source's, in addition to it.
    """
    d_source, d_target = (grid[name].values.shape[1] for name in ("source", "target"))
    times = _common_times(grid, delay)

    def errors(source_history: int, target_history: int) -> np.ndarray:
        known = [same_lags("target", d_target, range(1, target_history + 1))]
        if source_history:
            known.append(same_lags("source", d_source, range(delay, delay + source_history)))
        rows = embed(grid, (tuple(known), (same_lags("target", d_target, [0]),)), times)
        return prediction_errors(rows.columns[: rows.sizes[0]].T, rows.columns[rows.sizes[0] :].T, rows.times, theiler)

    target = shortest([errors(0, history) for history in range(1, MAX_HISTORY + 1)])
    source = shortest([errors(history, target) for history in range(1, MAX_HISTORY + 1)])
    return source, target


def _common_times(grid: Grid, delay: int) -> np.ndarray:
    """Return the times at which the longest pasts are available, so that all candidates predict the same rows."""
    d_source, d_target = (grid[name].values.shape[1] for name in ("source", "target"))
    everything = (
        same_lags("target", d_target, range(MAX_HISTORY + 1)),
        same_lags("source", d_source, range(delay, delay + MAX_HISTORY)),
    )
    return embed(grid, (everything,)).times


def prediction_errors(known: np.ndarray, wanted: np.ndarray, times: np.ndarray, theiler: int) -> np.ndarray:
    """Return the squared error of each row (n,) when predicted by the mean of its neighbours' successors."""
    n, k = len(known), min(PREDICTORS, len(known) - 1)
    near = cKDTree(known).query(known, min(n, k + 1 + 2 * theiler), p=np.inf)[1]
    allowed = np.abs(times[near] - times[:, None]) > theiler
    first = np.cumsum(allowed, axis=1)
    weights = (allowed & (first <= k))[:, :, None]
    predicted = (wanted[near] * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return ((wanted - predicted) ** 2).sum(axis=1)


def shortest(errors: list[np.ndarray]) -> int:
    """Return the first of some pasts, 1, 2, …, that is no worse than the best by a standard error of the difference."""
    best = errors[int(np.argmin([own.mean() for own in errors]))]
    for history, own in enumerate(errors, 1):
        worse = own - best
        if worse.mean() <= STANDARD_ERRORS * worse.std() / np.sqrt(worse.size):
            return history
    return len(errors)
