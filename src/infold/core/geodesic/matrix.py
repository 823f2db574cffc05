"""Distances between many rows of one forest, for those who ask for them: trees apart, d_G, and the nearest rows."""

from __future__ import annotations

import numpy as np

from infold.parallel.scheduler import blocks, run

from ..jit import kernel
from .apart import fill_apart
from .distance import EVERYWHERE, LocalPart, refine

ROWS_PER_TASK = 64


def apart_matrix(leaves: np.ndarray, rows: np.ndarray, n_fitted: int) -> np.ndarray:
    """Return (rows, n_fitted): in how many trees each row ends in another leaf than each of the first n_fitted rows."""
    out = np.empty((len(rows), leaves.shape[1]))
    fill_apart(leaves, rows, out)
    return out[:, :n_fitted]


@kernel
def refine_rows(columns, rows, local, near):
    """Add the local part of d_G to the trees apart `near` (rows, n_fitted), of a single block of `columns`."""
    level = -1.0 if local.variant == EVERYWHERE else 0.0
    for q in range(rows.size):
        refine(columns, rows[q], level, local, 0, near[q])


def geodesic_matrix(
    leaves: np.ndarray, columns: np.ndarray, rows: np.ndarray, n_fitted: int, local: LocalPart
) -> np.ndarray:
    """Return d_G (rows, n_fitted) between `rows` and the first n_fitted rows of `columns` (d, n). Sec. 5.3."""
    near = np.ascontiguousarray(apart_matrix(leaves, rows, n_fitted))
    refine_rows(columns, rows, local, near)
    near /= local.n_trees
    return near


def geodesic_neighbors(
    leaves: np.ndarray,
    columns: np.ndarray,
    rows: np.ndarray,
    n_fitted: int,
    local: LocalPart,
    k: int,
    *,
    n_jobs: int | None,
    verbose: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (distances, neighbours) of the k nearest of the first n_fitted rows; none is its own neighbour."""
    distances, neighbors = np.empty((len(rows), k)), np.empty((len(rows), k), np.intp)

    def work(start: int, stop: int) -> None:
        near = geodesic_matrix(leaves, columns, rows[start:stop], n_fitted, local)
        fitted = np.flatnonzero(rows[start:stop] < n_fitted)
        near[fitted, rows[start:stop][fitted]] = np.inf
        order = np.argsort(near, axis=1, kind="stable")[:, :k]
        neighbors[start:stop], distances[start:stop] = order, np.take_along_axis(near, order, axis=1)

    run(work, blocks(len(rows), ROWS_PER_TASK), n_jobs=n_jobs, label="finding neighbours", verbose=verbose)
    return distances, neighbors
