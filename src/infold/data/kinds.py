"""What kind of values a column holds: continuous, ordinal (numbers with many ties) or nominal (classes)."""

from __future__ import annotations

import numpy as np

from .tables import Table

CONTINUOUS, ORDINAL, NOMINAL = "continuous", "ordinal", "nominal"

MOST_LABELS = 20  # more distinct whole numbers than this are unlikely to be names of classes
ROWS_PER_LABEL = 5


def column_kinds(table: Table) -> tuple[str, ...]:
    """Return the kind of each column: nominal if declared, ordinal if distinct values are fewer than half the rows."""
    nominal = set(table.nominal)
    return tuple(
        NOMINAL if c in nominal else ORDINAL if 2 * count_distinct(column) < len(column) else CONTINUOUS
        for c, column in enumerate(table.values.T)
    )


def count_distinct(column: np.ndarray) -> int:
    """Return how many different values a column has."""
    ordered = np.sort(column)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def is_whole(column: np.ndarray) -> bool:
    """Return whether all values are whole numbers."""
    head = column[:64]  # enough for most columns
    return bool((head == np.floor(head)).all()) and bool((column == np.floor(column)).all())


def looks_like_labels(column: np.ndarray) -> bool:
    """Return whether numbers may be names of classes: only a few whole numbers, each of them frequent.

    The order of two values does not matter.
    """
    if not is_whole(column):
        return False
    _, counts = np.unique(column, return_counts=True)
    return 2 < counts.size <= min(MOST_LABELS, column.size / ROWS_PER_LABEL) and bool(counts.min() > 1)
