"""Nominal columns as indicators, so that no label comes before another; rows are samples, (n, p)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MOST_LABELS = 50  # of a column; rarer ones are one label together, which loses what they tell apart
FEWEST_ROWS = 5  # of a label: what is seen less often tells next to nothing


class Origin(NamedTuple):
    """Where the columns of a side come from."""

    owner: np.ndarray  # (d,): the column that it is, or that it is an indicator of
    label: np.ndarray  # (d,): whether it is an indicator

    def take(self, columns: np.ndarray) -> Origin:
        """Return the origin of some columns."""
        return Origin(self.owner[columns], self.label[columns])

    def with_siblings(self, columns: np.ndarray) -> np.ndarray:
        """Return columns with all other indicators of the same nominal columns, ascending."""
        return np.flatnonzero(np.isin(self.owner, self.owner[columns]))

    @property
    def all_label(self) -> bool:
        """Whether all columns are indicators."""
        return bool(self.label.all())

    @property
    def n_columns(self) -> int:
        """How many columns they are, a nominal one counting once."""
        return np.unique(self.owner).size


def plain(n_columns: int) -> Origin:
    """Return the origin of columns none of which is nominal."""
    return Origin(np.arange(n_columns), np.zeros(n_columns, bool))


def with_indicators(
    table: np.ndarray, nominal: np.ndarray | None, most: int | None = MOST_LABELS
) -> tuple[np.ndarray, Origin]:
    """Return the columns of table (n, d), each nominal one as `indicators`, and where they come from."""
    if nominal is None or not nominal.any():
        return table, plain(table.shape[1])
    parts = [
        indicators(column, most) if is_nominal else column[:, None]
        for column, is_nominal in zip(table.T, nominal, strict=True)
    ]
    owner = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    return np.hstack(parts), Origin(owner, nominal[owner])


def indicators(codes: np.ndarray, most: int | None = MOST_LABELS) -> np.ndarray:
    """Return (n, m) indicators of the `most` frequent labels that several rows have; m may be 0.

    A single one of two labels.
    """
    values, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:most]
    kept = np.sort(values[order[counts[order] >= FEWEST_ROWS]])
    if kept.size == values.size <= 2:
        kept = kept[1:]
    return (codes[:, None] == kept).astype(float)


def has_common_labels(table: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Return which rows (n,) of a table have no rare label in any nominal column."""
    own = np.ones(len(table), bool)
    for column in table[:, nominal].T:
        _, codes, counts = np.unique(column, return_inverse=True, return_counts=True)
        own &= counts[codes] >= FEWEST_ROWS
    return own


def label_entropy(codes: np.ndarray) -> float:
    """Return the entropy of labels, with Miller and Madow's correction; no more than so many labels can have."""
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    corrected = float(-(shares * np.log(shares)).sum()) + (shares.size - 1) / (2 * len(codes))
    return min(corrected, float(np.log(shares.size)))
