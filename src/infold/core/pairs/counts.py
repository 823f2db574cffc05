"""Two columns with few distinct values as a contingency table: its null distribution, exact if there are few tables.

Given how often each value occurs in either column, the table follows the hypergeometric distribution.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .null import StepLaw, step_law
from .smooth import Basis, nested_scores

MOST_TABLES = 50_000  # more than this are not enumerated
CELLS_AT_A_TIME = 2**20  # of the tables whose scores are computed together

Counts = tuple[int, ...]


def all_tables(rows: Counts, columns: Counts) -> np.ndarray | None:
    """Return all tables (t, r, c) with these margins; None if there are too many."""
    tables = np.zeros((1, len(rows), len(columns)), np.int64)
    free = np.array([columns])  # what is left of each column's total
    for i, row in enumerate(rows[:-1]):
        left = np.full(len(tables), row)
        for j in range(len(columns)):
            # At most what both margins have left, and at least what later columns cannot hold.
            most = np.minimum(left, free[:, j])
            least = np.maximum(left - free[:, j + 1 :].sum(axis=1), 0)
            choices = most - least + 1
            if choices.sum() > MOST_TABLES:
                return None
            own = np.repeat(np.arange(len(tables)), choices)
            cell = least[own] + np.arange(own.size) - np.repeat(np.cumsum(choices) - choices, choices)
            tables, free, left = tables[own], free[own], left[own] - cell
            tables[:, i, j] = cell
            free[:, j] -= cell
    tables[:, -1] = free
    return tables


def drawn_tables(rows: Counts, columns: Counts, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return random tables (draws, r, c) with these margins."""
    tables = np.empty((draws, len(rows), len(columns)), np.int64)
    free = np.tile(columns, (draws, 1))
    for i, row in enumerate(rows[:-1]):
        left = np.full(draws, row)
        for j in range(len(columns)):
            tables[:, i, j] = rng.hypergeometric(free[:, j], free[:, j + 1 :].sum(axis=1), left)
            left -= tables[:, i, j]
        free -= tables[:, i]
    tables[:, -1] = free
    return tables


def exact_law(x: Basis, y: Basis, rows: Counts, columns: Counts) -> StepLaw | None:
    """Return the law of two columns sorted by value; None if there are too many tables."""
    tables = all_tables(rows, columns)
    if tables is None:
        return None
    margins = gammaln(np.array(rows) + 1.0).sum() + gammaln(np.array(columns) + 1.0).sum() - gammaln(sum(rows) + 1.0)
    chances = np.exp(margins - gammaln(tables + 1.0).sum(axis=(1, 2)))
    return step_law(_scores(x, y, rows, columns, tables), chances)


def drawn_scores(x: Basis, y: Basis, rows: Counts, columns: Counts, draws: int, seed: int) -> np.ndarray:
    """Return scores (draws,) of two columns sorted by value, from random tables."""
    rng = np.random.default_rng(seed)
    sizes = np.diff([*range(0, draws, max(1, CELLS_AT_A_TIME // (len(rows) * len(columns)))), draws])
    parts = [_scores(x, y, rows, columns, drawn_tables(rows, columns, size, rng)) for size in sizes.tolist()]
    return np.concatenate(parts)


def _scores(x: Basis, y: Basis, rows: Counts, columns: Counts, tables: np.ndarray) -> np.ndarray:
    # Columns are sorted by value, so each value begins where the previous one ends.
    of_x, of_y = (b.functions[:, np.cumsum(c) - c] for b, c in ((x, np.array(rows)), (y, np.array(columns))))
    products = np.einsum("ir,trc,jc->tij", of_x, tables.astype(np.float64), of_y, optimize=True)
    return nested_scores(products, sum(rows), x.sizes, y.sizes)
