"""What a table (n, d) may have that makes an estimate less than it seems: ties, copies, few dimensions."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from infold.data.question import REPEATS_OF_ATOMS
from infold.parallel.scheduler import blocks

DIMENSION_NEIGHBORS = 10
ROWS_AT_A_TIME = 1_000  # a search of all rows may take minutes, in which nothing can be interrupted


def tied_share(column: np.ndarray) -> float:
    """Return the share of values that some other row has too."""
    _, counts = np.unique(column, return_counts=True)
    return float(counts[counts > 1].sum() / column.size)


def copied_share(table: np.ndarray) -> float:
    """Return the share of rows that repeat another; 0 if these are a few that occur again and again, as zeros do."""
    counts = np.unique(table, axis=0, return_counts=True)[1]
    repeated = counts[counts > 1]
    return 0.0 if repeated.size and repeated.mean() >= REPEATS_OF_ATOMS else 1.0 - len(counts) / len(table)


def intrinsic_dimension(table: np.ndarray) -> float:
    """Return the dimension by maximum likelihood (Levina & Bickel 2004, averaged as by MacKay & Ghahramani).

    Distances to the first ten neighbours grow like the power 1 / dimension of their number. Copies of rows are dropped.
    """
    rows = np.unique(table, axis=0)
    rows = rows[:, rows.min(axis=0) < rows.max(axis=0)]
    k = min(DIMENSION_NEIGHBORS, len(rows) - 1)
    if k < 3 or rows.shape[1] == 0:
        return 0.0
    rows = rows / np.abs(rows).max(axis=0)  # so that squares can neither overflow nor vanish
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    tree = cKDTree(rows)
    parts = [tree.query(rows[begin:stop], k + 1)[0] for begin, stop in blocks(len(rows), ROWS_AT_A_TIME)]
    distances = np.concatenate(parts)[:, 1:]
    logs = np.log(distances[:, -1:] / distances[:, :-1])
    return float((k - 2) / logs.sum(axis=1).mean())
