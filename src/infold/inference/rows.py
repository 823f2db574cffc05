"""What rows have that makes an estimate less than it seems: order in time, ties, copies, few dimensions; (n, d)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import ndtri
from scipy.stats import chi2, rankdata

from infold.parallel.scheduler import blocks

LAGS = 10
BLOCK_LAGS = 2  # a block holds so many times the rows over which neighbours remember each other
DIMENSION_NEIGHBORS = 10
ROWS_AT_A_TIME = 1_000  # a search of all rows may take minutes, in which nothing can be interrupted


class Memory(NamedTuple):
    """How the rows of one table remember those before them."""

    lag_1: float  # of the column that remembers most
    pvalue: float  # of no memory in any column
    length: int  # rows until it is forgotten


def memory(table: np.ndarray, groups: Sequence[np.ndarray] = ()) -> Memory:
    """Return the autocorrelation of each column's normal scores, tested by Ljung and Box over ten lags.

    Tied values share their mean rank: any order within a tie that follows the rows would look like memory.

    Independent rows give a p-value that is uniform for one column; for several, the smallest times their number. With
    groups of rows, each is centred first: that groups differ, one after the other, is no memory.
    """
    varying = table[:, table.min(axis=0) < table.max(axis=0)]
    n, d = varying.shape
    if n < 4 * LAGS or d == 0:
        return Memory(0.0, 1.0, 1)
    scores = ndtri(rankdata(varying, axis=0) / (n + 1))
    for rows in groups or [np.arange(n)]:
        scores[rows] -= scores[rows].mean(axis=0)
    scores = scores[:, (scores**2).sum(axis=0) > 1e-9]  # not what is constant within groups
    if not scores.size:
        return Memory(0.0, 1.0, 1)
    power, d = (scores**2).sum(axis=0), scores.shape[1]
    lags = np.arange(1, n // 2)
    shown = lags[:LAGS]
    r = np.array([(scores[:-lag] * scores[lag:]).sum(axis=0) for lag in shown]) / power
    box = n * (n + 2) * (r**2 / (n - shown[:, None])).sum(axis=0)
    worst = int(np.argmax(box))
    column, length = scores[:, worst], 1
    for lag in lags:
        if abs(column[:-lag] @ column[lag:]) < 2 * power[worst] / np.sqrt(n):
            break
        length = int(lag) + 1
    return Memory(float(r[0, worst]), float(min(1.0, d * chi2.sf(box[worst], LAGS))), length)


def tied_share(column: np.ndarray) -> float:
    """Return the share of values that some other row has too."""
    _, counts = np.unique(column, return_counts=True)
    return float(counts[counts > 1].sum() / column.size)


def copied_share(table: np.ndarray) -> float:
    """Return the share of rows that repeat another row."""
    return 1.0 - len(np.unique(table, axis=0)) / len(table)


def intrinsic_dimension(table: np.ndarray) -> float:
    """Return the dimension by maximum likelihood (Levina & Bickel 2004, averaged as by MacKay & Ghahramani).

    Distances to the first ten neighbours grow like the power 1 / dimension of their number. Copies of rows are dropped.
    """
    rows = np.unique(table, axis=0)
    rows = rows[:, rows.min(axis=0) < rows.max(axis=0)]
    k = min(DIMENSION_NEIGHBORS, len(rows) - 1)
    if k < 3 or rows.shape[1] == 0:
        return 0.0
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    tree = cKDTree(rows)
    parts = [tree.query(rows[begin:stop], k + 1)[0] for begin, stop in blocks(len(rows), ROWS_AT_A_TIME)]
    distances = np.concatenate(parts)[:, 1:]
    logs = np.log(distances[:, -1:] / distances[:, :-1])
    return float((k - 2) / logs.sum(axis=1).mean())
