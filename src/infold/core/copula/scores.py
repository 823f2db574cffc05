"""Columns as normal scores: MI does not change under strictly increasing maps of single columns, so only ranks count.

Every column then has the same continuous margin, whatever its units, tails or ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from .labels import Origin

HAIR = 1e-7  # standard deviations by which ties are set apart
SAME = 1 - 1e-9  # correlation of two columns' ranks beyond which they are copies, up to rounding


def normal_scores(columns: np.ndarray) -> np.ndarray:
    """Return each column's ranks as standard normal quantiles; ties keep the order of the rows."""
    n = len(columns)
    quantiles = ndtri(np.arange(1, n + 1) / (n + 1))
    scores = np.empty(columns.shape)
    np.put_along_axis(scores, columns.argsort(axis=0, kind="stable"), quantiles[:, None], axis=0)
    return scores


def distinct_columns(table: np.ndarray) -> np.ndarray:
    """Return the indices of columns that are no monotone copy of an earlier one; none may be constant."""
    ranks = rankdata(table, axis=0)
    ranks -= ranks.mean(axis=0)
    ranks /= np.sqrt((ranks**2).sum(axis=0))
    copies = np.triu(np.abs(ranks.T @ ranks) > SAME, 1).any(axis=0)
    return np.flatnonzero(~copies)


def copula_columns(table: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return normal scores of the distinct columns, ties in random order, and the indices of these columns.

    Random order within a tie is noise that knows nothing of the other side: MI stays exactly what it was, and a tied
    column gets the continuous margin that its surrogates have. With average ranks a copied class label would be a
    straight line, of infinite Gaussian MI.
    """
    kept = distinct_columns(table)
    return untied_scores(table[:, kept], rng), kept


def untied_scores(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return normal scores of the columns, ties in random order."""
    scores = np.empty(table.shape)
    for j in range(table.shape[1]):
        order = rng.permutation(len(table))
        scores[order, j] = normal_scores(table[order, j : j + 1])[:, 0]
    return scores


def even_scores(table: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return normal scores of the columns by average ranks, ties set apart by a hair.

    For coordinates that mix columns, where random order within ties would be noise. Copies of a row stay together, and
    yet no two distances are equal: counts of strictly nearer rows would omit all ties, and KSG would be too high.
    """
    scores = ndtri(rankdata(table, axis=0) / (len(table) + 1))
    return scores / scores.std(axis=0) + HAIR * rng.standard_normal(table.shape)


def tied_ranks(scores: np.ndarray) -> np.ndarray:
    """Return each column's ranks, 1 … n, the average for values within a few hairs of each other."""
    ranks = np.empty(scores.shape)
    for column, out in zip(scores.T, ranks.T, strict=True):
        order = np.argsort(column)
        starts = np.flatnonzero(np.concatenate(([True], np.diff(column[order]) > 30 * HAIR)))
        sizes = np.diff(starts, append=column.size)
        out[order] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return ranks


class Scores(NamedTuple):
    """Normal scores of both sides: ties in random order, for Gaussian parts; and by average ranks, for neighbours."""

    x: np.ndarray
    y: np.ndarray
    even_x: np.ndarray
    even_y: np.ndarray
    origin_x: Origin
    origin_y: Origin

    @property
    def have_labels(self) -> bool:
        """Whether any column is a label."""
        return bool(self.origin_x.label.any() or self.origin_y.label.any())

    @property
    def are_labels(self) -> bool:
        """Whether both sides have labels alone."""
        return self.origin_x.all_label and self.origin_y.all_label

    @property
    def one_is_label(self) -> bool:
        """Whether one side has labels alone, and the other has not."""
        return self.origin_x.all_label != self.origin_y.all_label

    def rows(self, of_x: np.ndarray, of_y: np.ndarray) -> Scores:
        """Return the scores of some rows of x, paired with some rows of y."""
        x, y, even_x, even_y, *origins = self
        return Scores(x[of_x], y[of_y], even_x[of_x], even_y[of_y], *origins)
