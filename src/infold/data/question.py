"""A question: named blocks of columns, checked once, and questions derived from it by moving or leaving out rows."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .checks import warn
from .tables import Table, check_table, listed


@dataclass(frozen=True)
class Question:
    """Blocks of columns whose rows are the same samples; to derive another question checks nothing again.

    Attributes
    ----------
    blocks : mapping of str to Table
        The tables by name, such as "X" and "Y", constant columns included.
    """

    blocks: Mapping[str, Table]

    def __getitem__(self, block: str) -> np.ndarray:
        """Return the values (n, d) of a block."""
        return self.blocks[block].values

    @property
    def n_samples(self) -> int:
        """Rows of every block."""
        return len(next(iter(self.blocks.values())).values)

    @property
    def n_features(self) -> tuple[int, ...]:
        """Columns of each block."""
        return tuple(table.values.shape[1] for table in self.blocks.values())

    @property
    def names(self) -> tuple[tuple[str, ...] | None, ...]:
        """Names of the columns of each block; None where they have none."""
        return tuple(table.names for table in self.blocks.values())

    @property
    def joint(self) -> np.ndarray:
        """All columns side by side, (n, d)."""
        return np.hstack([table.values for table in self.blocks.values()])

    def columns(self, block: str) -> np.ndarray:
        """Return the columns (d, n) of a block that vary: constant ones carry no information."""
        values = self[block]
        return values[:, varying(values)].T

    def nominal(self, block: str) -> np.ndarray:
        """Return which of the columns that `columns` returns are nominal, as a mask."""
        table = self.blocks[block]
        mask = np.zeros(table.values.shape[1], bool)
        mask[list(table.nominal)] = True
        return mask[varying(table.values)]

    def with_rows(self, rows: np.ndarray) -> Question:
        """Return the question about some rows of every block."""
        return Question({name: _taken(table, rows) for name, table in self.blocks.items()})

    def with_columns(self, block: str, columns: Sequence[int]) -> Question:
        """Return the question about some columns of a block."""
        values, names, nominal = self.blocks[block]
        kept = tuple(i for i, c in enumerate(columns) if c in nominal)
        return Question(
            {**self.blocks, block: Table(values[:, columns], names and tuple(names[c] for c in columns), kept)}
        )

    def repaired(self, block: str, order: np.ndarray) -> Question:
        """Return the question with the rows of a block in another order: paired anew with those of the others."""
        return Question({**self.blocks, block: _taken(self.blocks[block], order)})

    def repaired_column(self, block: str, column: int, order: np.ndarray) -> Question:
        """Return the question with one column of a block in another order."""
        table = self.blocks[block]
        values = table.values.copy()
        values[:, column] = values[order, column]
        return Question({**self.blocks, block: table._replace(values=values)})


def ask(X: Any, Y: Any, *, min_samples: int = 1, as_it_is: bool = False) -> Question:
    """Return the question about X and Y: two tables of one length, with no column in common.

    Warns of constant columns and of rows that repeat. With `as_it_is` float32 stays float32, in any order of memory:
    for callers that convert it themselves, and need no copy before.
    """
    if Y is None:
        raise ValueError("Y is None: fit requires y to be passed, but the target y is None; call fit(X, Y).")
    tables = {name: check_table(data, name, as_it_is=as_it_is) for name, data in (("X", X), ("Y", Y))}
    _check_lengths(tables, min_samples)
    for one, other in combinations(tables, 2):
        _refuse_shared_columns(one, tables[one], other, tables[other])
    question = Question(tables)
    _warn_constant_columns(tables)
    _warn_repeated_rows([question.columns(name) for name in tables])
    return question


def varying(values: np.ndarray) -> np.ndarray | slice:
    """Return which columns of values (n, d) are not constant, as a mask or a slice of all."""
    # Mostly true, and then nothing else needs a look.
    if all(map(operator.ne, values[0].tolist(), values[-1].tolist())):
        return slice(None)
    return values.min(axis=0) < values.max(axis=0)


def _taken(table: Table, rows: np.ndarray) -> Table:
    return table._replace(values=table.values.take(rows, axis=0))


def _check_lengths(tables: Mapping[str, Table], min_samples: int) -> None:
    (first, n), *others = ((name, len(table.values)) for name, table in tables.items())
    for name, count in others:
        if count != n:
            raise ValueError(
                f"{first} has {n} rows and {name} has {count}, but row i of both must be the same sample; pass equal "
                f"lengths."
            )
    if n < min_samples:
        raise ValueError(
            f"n_neighbors={min_samples - 1} needs at least {min_samples} samples, but {first} has {n} "
            f"(n_samples = {n}); lower n_neighbors or add samples."
        )


def _refuse_shared_columns(name_x: str, x: Table, name_y: str, y: Table) -> None:
    # A value or three tell columns apart, mostly; a digest of the whole column does without keeping copies.
    if set(x.values[0].tolist()).isdisjoint(y.values[0].tolist()) or _heads(x.values).isdisjoint(_heads(y.values)):
        return
    in_x = {_digest(column): i for i, column in enumerate(x.values.T)}
    for j, column in enumerate(y.values.T):
        i = in_x.get(_digest(column))
        # A discrete column shares no more than its entropy with itself: nearly empty ones often agree.
        if i is not None and 2 * np.unique(column).size > len(column):
            raise ValueError(
                f"column {listed([i], x.names)} of {name_x} equals column {listed([j], y.names)} of {name_y}, so the "
                f"MI is infinite; leave it out on one side."
            )


def _heads(values: np.ndarray) -> set[tuple[float, ...]]:
    return set(zip(*(values[row].tolist() for row in (0, len(values) // 2, -1)), strict=True))


def _digest(column: np.ndarray) -> bytes:
    return hashlib.blake2b((np.asarray(column, np.float64) + 0.0).tobytes(), digest_size=16).digest()


def _warn_constant_columns(tables: Mapping[str, Table]) -> None:
    for name, table in tables.items():
        varies = varying(table.values)
        if isinstance(varies, slice) or varies.all():
            continue
        what = listed(np.flatnonzero(~varies), table.names)
        rest = "the others are used" if varies.any() else "the MI with it is 0"
        warn(f"{name} has constant columns ({what}), which carry no information; {rest}.")


def _warn_repeated_rows(blocks: Sequence[np.ndarray]) -> None:
    """Warn if whole rows of blocks (d, n) repeat: kNN formulas are for continuous data."""
    if not all(map(len, blocks)):  # the answer is 0
        return
    n, ordered = blocks[0].shape[1], np.sort(blocks[0][0])
    if np.logical_and.reduce(ordered[1:] != ordered[:-1]):
        return
    n_repeats = count_repeats([column for block in blocks for column in block])
    if n_repeats:
        warn(
            f"{n_repeats} of {n} rows repeat another row in every column: kNN estimates are for continuous data. "
            f"A row with n_neighbors or more copies counts as an atom of a discrete distribution; drop copies that "
            f"are no new measurements, or read the estimate with care."
        )


def count_repeats(columns: Sequence[np.ndarray]) -> int:
    """Return how many rows repeat an earlier one; columns are looked at one by one, and only where rows still agree."""
    rows = np.arange(len(columns[0]))
    group = np.zeros(len(rows), np.intp)
    for column in columns:
        values = column[rows]
        order = np.lexsort((values, group))
        values, group = values[order], group[order]
        as_before = np.zeros(len(order) + 1, bool)  # with a False at either end
        as_before[1:-1] = (values[1:] == values[:-1]) & (group[1:] == group[:-1])
        shared = as_before[1:] | as_before[:-1]
        if not shared.any():
            return 0
        rows, group = rows[order][shared], np.cumsum(~as_before[:-1])[shared]
    return len(rows) - np.unique(group).size
