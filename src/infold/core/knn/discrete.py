"""Information of discrete columns, from counts of equal rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .information import Spaces

FEW = 20  # rows for each distinct one, on average, from which on numbers are taken as labels
BIASES = ("miller-madow", "none")


def is_discrete(columns: np.ndarray, nominal: np.ndarray | None) -> bool:
    """Return whether all columns (d, n) are nominal, or so few of their rows are distinct that they might be."""
    if nominal is not None and nominal.all():
        return True
    most = columns.shape[1] // FEW
    # Mostly a column's first values say no.
    if any(len(set(column[: most + 1].tolist())) > most for column in columns):
        return False
    return int(row_codes(columns).max()) < most


def row_codes(columns: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """Return numbers 0, 1, … that are equal for equal rows of columns (d, n)."""
    codes = np.unique(columns[0], return_inverse=True)[1]
    for column in columns[1:]:
        own = np.unique(column, return_inverse=True)[1]
        codes = np.unique(codes * (own.max() + 1) + own, return_inverse=True)[1]
    return codes


def label_codes(column: np.ndarray) -> np.ndarray:
    """Return the codes of a nominal column (n,) as they are if they are 0, 1, … and below n, else new ones."""
    if column.min() >= 0 and column.max() < column.size:
        codes = column.astype(np.int64)
        if np.array_equal(codes, column):
            return codes
    return row_codes([column])


def local_discrete(columns: np.ndarray, sizes: Sequence[int], spaces: Spaces, bias: str) -> np.ndarray:
    """Return the local values (n,), whose mean is the plug-in estimate, in blocks and spaces as `local_ksg` has them.

    With `bias` "miller-madow" the entropy of each space gets (m − 1) / (2 n) more, m being its number of distinct rows.
    """
    n, members = columns.shape[1], list(pairwise(np.concatenate(([0], np.cumsum(sizes))).tolist()))
    local, excess = np.zeros(n), 0.0
    for space, sign in ((1 << len(sizes)) - 1, 1), *zip(spaces.masks, spaces.signs, strict=True):
        codes = row_codes([columns[f] for b, (i, j) in enumerate(members) if space >> b & 1 for f in range(i, j)])
        counts = np.bincount(codes)
        local += sign * np.log(counts / n)[codes]
        excess += sign * (counts.size - 1) / (2 * n)
    return local - excess if bias == "miller-madow" else local
