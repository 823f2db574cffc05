"""KSG on pairs of tables whose columns have one scale; rows are samples, (n, p)."""

from __future__ import annotations

import math

import numpy as np

from ..knn.ksg import local_ksg

Tables = tuple[np.ndarray, np.ndarray]

FINER, SURELY_FINER = 8.0, 3.0  # stretch of one side relative to the other; standard errors of the difference
MOST_ROWS = 1000  # to choose a stretch by: it is chosen where it matters much
ERROR_FACTOR = 1.5  # local values of neighbours are related: their deviation / √n is too small for the mean's error


def ksg_local(tables: Tables, k: int, n_queries: int | None = None) -> np.ndarray:
    """Return KSG's local values of a pair of tables; of the first `n_queries` rows only."""
    columns = np.ascontiguousarray(np.hstack(tables).T)
    sizes = [side.shape[1] for side in tables]
    return local_ksg(columns, sizes, min(k, columns.shape[1] - 1), n_queries=n_queries)


def judged_local(tables: Tables, rows: np.ndarray, k: int, most: int | None = None) -> np.ndarray:
    """Return KSG's local values of some rows, from neighbours among all; among these and some others if `most` says."""
    others = np.ones(len(tables[0]), bool)
    others[rows] = False
    step = 1 if most is None else -(-len(others) // most)
    order = np.concatenate([rows, np.flatnonzero(others)[::step]])
    return ksg_local((tables[0][order], tables[1][order]), k, n_queries=rows.size)


def mean_error(local: np.ndarray) -> float:
    """Return the standard error of the mean of local values."""
    return ERROR_FACTOR * float(local.std()) / math.sqrt(local.size)


def stretched(tables: Tables, k: int) -> Tables:
    """Return the tables, one side stretched relative to the other where that surely raises KSG's estimate.

    MI does not change, but fast waves need finer neighbourhoods along one side than along the other.
    """
    u, v = tables
    step = -(-len(u) // MOST_ROWS)  # not the first rows: they may be sorted
    usual, best = ksg_local((u[::step], v[::step]), k), 1.0
    for scale in (FINER, 1 / FINER):
        values = ksg_local((scale * u[::step], v[::step]), k)
        more = values - usual
        if more.mean() > SURELY_FINER * mean_error(more):
            usual, best = values, scale
    return best * u, v
