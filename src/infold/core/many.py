"""KSG of many tables of one shape: what they have in common is done once, and what is done to each is done to all.

An estimate from 500 rows takes a tenth of a millisecond, about as long as the Python around it; and Python runs on one
core at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .neighbors import exact_ksg, joined_norms, local_of_counts
from .scaling import column_scales, joined, usual, weighted
from .search import SWEEP_BELOW, Job, ksg_counts
from .sweep import STEP, sweep_columns, sweep_counts

ONE_THREAD = Job(1, 0)
IN_ORDER = np.arange(SWEEP_BELOW)


def mean_of_sorted(local: np.ndarray) -> np.ndarray:
    """Return the means of local values (…, n): sorted, so that the order of samples cannot change a bit."""
    return np.add.reduce(np.sort(local, axis=-1), axis=-1) / local.shape[-1]  # math.fsum takes five times as long


class Shared(NamedTuple):
    """What all pairings of the rows of some columns (d, n) have in common; the first `n_x` of them are X."""

    points: np.ndarray
    n_x: int
    weights: np.ndarray
    metrics: tuple[str, str]
    k: int
    sweep: tuple[np.ndarray, ...] | None  # of one column a side: X sorted, in the form that a sweep takes


def share(x: np.ndarray, y: np.ndarray, metrics: tuple[str, str], k: int, *, standardize: bool) -> Shared | None:
    """Return what pairings of columns x (d_x, n) and y (d_y, n), none of them constant, have in common.

    None for columns of extreme size, if they are taken as they are: their unit then depends on which are used.
    """
    points = joined(x, y)
    if not standardize and not usual(np.maximum(points.max(axis=1), -points.min(axis=1))):
        return None
    points, weights = weighted(points, standardize)
    sweep = sweep_columns(*points) if len(points) == 2 and points.shape[1] < SWEEP_BELOW else None
    return Shared(points, len(x), weights, metrics, k, sweep)


def paired_anew(
    shared: Shared, columns: Sequence[int], moved: Sequence[int], orders: Iterable[np.ndarray]
) -> np.ndarray:
    """Return the MI of each pairing of some `columns`: those `moved` are in the pairing's order, the others stay.

    Those moved stand side by side among the columns.
    """
    if shared.sweep is not None and list(columns) == [0, 1] and list(moved) == [1]:
        return mean_of_sorted(local_of_counts(np.array([_swept(shared, order) for order in orders])))
    n_x = sum(column < shared.n_x for column in columns)
    points, weights = shared.points, shared.weights
    if list(columns) != list(range(len(points))):  # else no copy: `_moved` makes one
        points, weights = points.take(columns, axis=0), weights.take(columns)
    first = columns.index(moved[0]) if moved else 0
    changed = slice(first, first + len(moved))
    tables = ((_moved(points, changed, order), weights) for order in orders)
    return _means(tables, n_x, joined_norms(shared.metrics, n_x, len(columns) - n_x), shared.k)


def ksg_of_tables(
    tables: np.ndarray, n_x: int, metrics: tuple[str, str], k: int, *, standardize: bool
) -> np.ndarray | None:
    """Return the MI of each of the tables (B, d, n), the first `n_x` columns of each X.

    None if a column of one is constant, or of extreme size.
    """
    count, d, n = tables.shape
    if (tables.min(axis=2) == tables.max(axis=2)).any():
        return None
    weights = np.ones((count, d))
    if standardize:
        deviations = column_scales(tables.reshape(-1, n))[1]
        if not usual(deviations):
            return None
        np.divide(1.0, deviations.reshape(count, d), out=weights)
    elif not usual(np.abs(tables).max(axis=(1, 2))):
        return None
    return _means(zip(tables, weights, strict=True), n_x, joined_norms(metrics, n_x, d - n_x), k)


def _means(tables: Iterable[tuple[np.ndarray, np.ndarray]], n_x: int, norms: tuple[int, int], k: int) -> np.ndarray:
    """Return the MI of each (points, weights)."""
    if any(norms):
        return mean_of_sorted(np.array([exact_ksg(points, n_x, w, norms, k, ONE_THREAD) for points, w in tables]))
    return mean_of_sorted(
        local_of_counts(np.array([ksg_counts(points, n_x, w, k, ONE_THREAD) for points, w in tables]))
    )


def _moved(points: np.ndarray, moved: slice, order: np.ndarray) -> np.ndarray:
    table = points.copy()
    table[moved] = points[moved].take(order, axis=1)
    return table


def _swept(shared: Shared, order: np.ndarray) -> np.ndarray:
    """Return counts (3, n) with Y paired anew; rows are in the order of X, which no mean depends on."""
    assert shared.sweep is not None
    n = shared.points.shape[1]
    padded_x, padded_y, order_x, ordered_y = shared.sweep
    padded_y, counts = padded_y.copy(), np.empty((3, n), np.intp)
    padded_y[STEP : n + STEP] = shared.points[1].take(order.take(order_x))
    sweep_counts(padded_x, padded_y, IN_ORDER[:n], ordered_y, shared.weights, shared.k, 0, n, counts)
    return counts
