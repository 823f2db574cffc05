"""A question: named blocks of columns, checked once, and questions derived from it by moving or dropping rows."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .checks import warn
from .kinds import CONTINUOUS, MOST_LABELS, column_kinds, count_distinct, is_whole, looks_like_labels
from .labels import recoded
from .tables import Table, check_table, listed

FEWEST_COPIES = 0.02  # share of the rows; each per cent of copies adds about .01 nats to independent columns' KSG
REPEATS_OF_ATOMS = 10  # of rows that repeat, on average: a few frequent rows, such as zeros, are no copies
MOST_COUNTS = 20  # values of a count or grade, which columns may have in common by chance
MOST_NOTED = 5  # a block with more columns of few whole numbers holds counts or grades rather than classes


@dataclass(frozen=True)
class Question:
    """Blocks of columns whose rows are the same samples; questions derived from it are not checked again.

    Attributes
    ----------
    blocks : mapping of str to Table
        The tables by name, "X", "Y" and, if something is given, "Z"; constant columns included.
    dropped : ndarray or None
        Rows of the input that were dropped because a value was missing; None if there were none.
    notes : tuple of str
        Plain sentences about the columns.
    index : pandas index or None
        The rows' labels in the input, where it had any.
    """

    blocks: Mapping[str, Table]
    dropped: np.ndarray | None = None
    notes: tuple[str, ...] = ()
    index: Any = None

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
    def given(self) -> tuple[str, ...] | int | None:
        """Names of the columns of Z, or their number if they have no names; None without Z."""
        table = self.blocks.get("Z")
        return None if table is None else table.names or table.values.shape[1]

    @property
    def is_conditional(self) -> bool:
        """Whether there is a Z that varies: a constant Z is the same as none."""
        return "Z" in self.blocks and self.columns("Z").size > 0

    @property
    def n_dropped(self) -> int:
        """Rows of the input that were left out."""
        return 0 if self.dropped is None else len(self.dropped)

    @cached_property
    def kinds(self) -> tuple[tuple[str, ...], ...]:
        """Kinds of the columns of each block: continuous, ordinal or nominal."""
        return tuple(column_kinds(table) for table in self.blocks.values())

    @property
    def is_discrete(self) -> bool:
        """Whether no column is continuous, so that rows may well repeat."""
        return not any(CONTINUOUS in kinds for kinds in self.kinds)

    def labels(self, groups: Any) -> np.ndarray | None:
        """Return labels, such as groups, given for each row of the input, for the rows that are left."""
        if groups is None:
            return None
        if self.index is not None and hasattr(groups, "set_axis") and len(groups) == len(self.index):
            groups = aligned(groups, "groups", self.index, next(iter(self.blocks)))
        labels, n_rows = np.asarray(groups), self.n_samples + self.n_dropped
        if labels.shape != (n_rows,):
            raise ValueError(
                f"groups has shape {labels.shape}, but needs one label for each of the {n_rows} rows; pass shape "
                f"({n_rows},)."
            )
        return labels if self.dropped is None else np.delete(labels, self.dropped)

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

    @property
    def all_columns(self) -> list[tuple[str, int]]:
        """All columns of X and Y, as (block, position)."""
        return [(block, column) for block in ("X", "Y") for column in range(self[block].shape[1])]

    def single(self, block: str, column: int) -> Question:
        """Return the question about one column of a block: this one, if the block has no other."""
        return self if self[block].shape[1] == 1 else self.with_columns(block, [column])

    def without(self, block: str) -> Question:
        """Return the question about the other blocks."""
        return Question({name: table for name, table in self.blocks.items() if name != block})

    def with_rows(self, rows: np.ndarray) -> Question:
        """Return the question about some rows of every block."""
        return Question({name: _taken(table, rows) for name, table in self.blocks.items()})

    def with_columns(self, block: str, columns: Sequence[int]) -> Question:
        """Return the question about some columns of a block."""
        return Question({**self.blocks, block: _picked(self.blocks[block], columns)})

    def repaired(self, block: str, order: np.ndarray) -> Question:
        """Return the question with the rows of a block in another order, and so re-paired with those of the others."""
        return Question({**self.blocks, block: _taken(self.blocks[block], order)})

    def repaired_column(self, block: str, column: int, order: np.ndarray) -> Question:
        """Return the question with one column of a block in another order."""
        table = self.blocks[block]
        values = table.values.copy()
        values[:, column] = values[order, column]
        return Question({**self.blocks, block: table._replace(values=values)})


def ask(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    min_samples: int = 1,
    as_it_is: bool = False,
    discrete_x: Any = None,
    discrete_y: Any = None,
    discrete_z: Any = None,
    missing: str = "error",
) -> Question:
    """Return the question about X and Y, given Z if there is one: tables of one length.

    X and Y have no column in common. Columns of X or Y that are also in Z are left out: given Z, they carry no
    information. Warns about these, about constant columns and about repeated rows. With `as_it_is` float32 stays
    float32, in any memory layout, for callers that convert it themselves and need no prior copy. `discrete_x`,
    `discrete_y`, `discrete_z` and `missing` are as in :func:`infold.conditional_mutual_information`.
    """
    if Z is None and discrete_z is not None:
        raise ValueError(f"discrete_z={discrete_z!r} names columns of Z, but there is no Z; pass Z or leave it out.")
    inputs = {"X": X, "Y": Y} if Z is None else {"X": X, "Y": Y, "Z": Z}
    declared = {"X": discrete_x, "Y": discrete_y, "Z": discrete_z}
    tables, index = _read(inputs, declared, min_samples, missing, as_it_is=as_it_is)
    dropped = None
    if missing == "drop":
        tables, dropped = _without_holes(tables, min_samples)
    return _checked(tables, dropped, index, declared)


def ask_pairwise(
    X: Any, Y: Any, *, min_samples: int = 1, discrete_x: Any = None, discrete_y: Any = None
) -> tuple[Question, list[Question]]:
    """Return the question about complete rows, and one about each column by itself with the whole other side.

    A column's question has all rows with a value in it and in the whole other side; these may be too few.
    """
    declared = {"X": discrete_x, "Y": discrete_y}
    tables, index = _read({"X": X, "Y": Y}, declared, min_samples, "drop")
    left, dropped = _without_holes(tables, 0)
    if dropped is None or len(dropped) + min_samples <= len(tables["X"].values):
        whole = _checked(left, dropped, index, declared)
    else:
        whole = Question(left, dropped, (), index)
    singles = []
    for block, column in whole.all_columns:
        if whole[block].shape[1] == 1:
            singles.append(whole)
        else:
            single = Question(tables).with_columns(block, [column])
            singles.append(Question(*_without_holes(single.blocks, 0), (), index))
    return whole, singles


def _read(
    inputs: Mapping[str, Any], declared: Mapping[str, Any], min_samples: int, missing: str, *, as_it_is: bool = False
) -> tuple[dict[str, Table], Any]:
    """Return tables of one length, and the labels of their rows, if there are any."""
    if inputs["Y"] is None:
        raise ValueError("Y is None: fit requires y to be passed, but the target y is None; call fit(X, Y).")
    labelled = [name for name, data in inputs.items() if hasattr(data, "set_axis")]
    index = inputs[labelled[0]].index if labelled else None
    if index is not None:
        inputs = {name: aligned(data, name, index, labelled[0]) for name, data in inputs.items()}
    tables = {
        name: check_table(data, name, as_it_is=as_it_is, discrete=declared[name], missing=missing)
        for name, data in inputs.items()
    }
    _check_lengths(tables, min_samples)
    return tables, index


def _checked(tables: dict[str, Table], dropped: np.ndarray | None, index: Any, declared: Mapping[str, Any]) -> Question:
    """Return the question about complete tables; warn about what is odd, and refuse a column that is on both sides."""
    if "Z" in tables:
        tables |= {name: _without_given(name, tables[name], tables["Z"]) for name in ("X", "Y")}
    _refuse_shared_columns("X", tables["X"], "Y", tables["Y"])
    notes = tuple(note for name in tables if declared[name] is None for note in _label_notes(name, tables[name]))
    question = Question(tables, dropped, notes, index)
    _warn_constant_columns(tables)
    for sentence in many_classes(tables):
        warn(sentence)
    _warn_repeated_rows(question)
    return question


def aligned(data: Any, name: str, index: Any, first: str) -> Any:
    """Return a pandas object with its rows in the order of `index`; anything else is paired by position."""
    if not hasattr(data, "set_axis") or len(data) != len(index) or data.index.equals(index):
        return data
    if index.is_unique and data.index.is_unique and bool(data.index.isin(index).all()):
        return data.loc[index]
    raise ValueError(
        f"{name} has other index labels than {first}, so it is not known which rows belong together; align them by "
        f"label or, to pair rows by position, pass {first}.reset_index(drop=True) and {name}.reset_index(drop=True)."
    )


def _without_holes(tables: Mapping[str, Table], min_samples: int) -> tuple[dict[str, Table], np.ndarray | None]:
    """Return the tables without the rows in which a value is missing, and the numbers of these rows."""
    holes = {name: np.isnan(table.values) for name, table in tables.items()}
    for name, where in holes.items():
        if where.all(axis=0).any():
            column = listed(np.flatnonzero(where.all(axis=0)), tables[name].names)
            raise ValueError(f"{name} has no value at all in column {column}; leave such columns out.")
    bad = np.logical_or.reduce([where.any(axis=1) for where in holes.values()])
    if not bad.any():
        return dict(tables), None
    n, left = bad.size, np.flatnonzero(~bad)
    if left.size < min_samples:
        raise ValueError(
            f"missing='drop' leaves {left.size} of {n} rows, but at least {min_samples} are needed; leave out "
            f"columns with many missing values, or fill them in."
        )
    return {name: _recoded(_taken(table, left)) for name, table in tables.items()}, np.flatnonzero(bad)


def _recoded(table: Table) -> Table:
    """Renumber the codes of a table after rows were dropped, as if those rows had never been there."""
    values = table.values
    for column in table.nominal:
        values[:, column] = recoded(values[:, column])
    return table


def _label_notes(name: str, table: Table) -> list[str]:
    """Point out numbers that may be names of classes, and how to declare them."""
    columns = [c for c, column in enumerate(table.values.T) if c not in table.nominal and looks_like_labels(column)]
    if not 0 < len(columns) <= MOST_NOTED:
        return []
    labels = [table.names[c] if table.names else c for c in columns]
    which = labels if len(labels) > 1 else labels[0] if table.names or table.values.shape[1] > 1 else True
    return [
        f"{name} has only a few whole numbers in {listed(columns, table.names)}, and their order counts; if they stand "
        f"for classes, pass discrete_{name.lower()}={which!r}."
    ]


def varying(values: np.ndarray) -> np.ndarray | slice:
    """Return which columns of values (n, d) are not constant, as a mask or a slice of all."""
    # True of most tables, which then need no further check.
    if all(map(operator.ne, values[0].tolist(), values[-1].tolist())):
        return slice(None)
    return values.min(axis=0) < values.max(axis=0)


def _taken(table: Table, rows: np.ndarray) -> Table:
    return table._replace(values=table.values.take(rows, axis=0))


def check_lengths(tables: Mapping[str, Table], row: str = "sample") -> tuple[str, int]:
    """Return the name of the first table, and the number of rows that all must have; `row` is the word for one."""
    (first, n), *others = ((name, len(table.values)) for name, table in tables.items())
    for name, count in others:
        if count != n:
            raise ValueError(
                f"{first} has {n} rows and {name} has {count}, but row i of both must be the same {row}; pass equal "
                f"lengths."
            )
    return first, n


def _check_lengths(tables: Mapping[str, Table], min_samples: int) -> None:
    first, n = check_lengths(tables)
    if n < min_samples:
        raise ValueError(
            f"n_neighbors={min_samples - 1} needs at least {min_samples} samples, but {first} has {n} "
            f"(n_samples = {n}); lower n_neighbors or add samples."
        )


def _without_given(name: str, table: Table, given: Table) -> Table:
    """Return a table without the columns that are also in Z; none may be left."""
    if set(table.values[0].tolist()).isdisjoint(given.values[0].tolist()):
        return table
    in_z = {(i in given.nominal, _digest(column)) for i, column in enumerate(given.values.T)}
    keys = [(i in table.nominal, _digest(column)) for i, column in enumerate(table.values.T)]
    kept = [i for i, key in enumerate(keys) if key not in in_z]
    if len(kept) == len(keys):
        return table
    left_out = listed([i for i, key in enumerate(keys) if key in in_z], table.names)
    rest = "the others are used" if kept else "the answer is 0"
    warn(f"{name} has columns that are in Z as well ({left_out}), and so carry no information given Z; {rest}.")
    return _picked(table, kept)


def _picked(table: Table, columns: Sequence[int]) -> Table:
    """Return some columns of a table."""
    names = table.names and tuple(table.names[c] for c in columns)
    return Table(table.values[:, columns], names, tuple(i for i, c in enumerate(columns) if c in table.nominal))


def _refuse_shared_columns(name_x: str, x: Table, name_y: str, y: Table) -> None:
    # One to three values usually suffice to tell columns apart; otherwise digests do, which need no copies.
    if set(x.values[0].tolist()).isdisjoint(y.values[0].tolist()) or _heads(x.values).isdisjoint(_heads(y.values)):
        return
    in_x = {_digest(column): i for i, column in enumerate(x.values.T) if i not in x.nominal}
    for j, column in enumerate(y.values.T):
        i = in_x.get(_digest(column)) if j not in y.nominal else None
        if i is None:
            continue
        # A discrete column shares no more than its entropy with itself, and nearly constant ones often agree.
        n_values = np.unique(column).size
        same = f"column {listed([i], x.names)} of {name_x} equals column {listed([j], y.names)} of {name_y}"
        if 2 * n_values > len(column):
            raise ValueError(f"{same}, so the MI is infinite; leave it out on one side.")
        if n_values > MOST_COUNTS:
            warn(f"{same[0].upper()}{same[1:]}, so they share all of its information; leave it out on one side.")


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
        alone = "the answer is that without Z" if name == "Z" else "the MI with it is 0"
        rest = "the others are used" if varies.any() else alone
        warn(f"{name} has constant columns ({what}), which carry no information; {rest}.")


def many_classes(tables: Mapping[str, Table]) -> Iterator[str]:
    """Report columns in which most rows have a class of their own."""
    for name, table in tables.items():
        most = max(MOST_LABELS, len(table.values) / 2)
        labels = {c: table.values[:, c] for c in table.nominal}
        columns = [c for c, own in labels.items() if count_distinct(own[~np.isnan(own)]) > most]
        if columns:
            yield (
                f"{name} has a separate class for most rows in {listed(columns, table.names)}: nothing can be learnt "
                f"of classes that are seen once; leave out what only names rows, and make dates or numbers numeric."
            )


def _warn_repeated_rows(question: Question) -> None:
    """Warn if entire rows repeat although columns are continuous."""
    blocks = [question.columns(name) for name in question.blocks]
    if not all(map(len, blocks[:2])):  # the answer is 0
        return
    n, ordered = question.n_samples, np.sort(blocks[0][0])
    if np.logical_and.reduce(ordered[1:] != ordered[:-1]):
        return
    columns = [column for block in blocks for column in block]
    counts = repeated_rows(columns)
    n_repeats = int(counts.sum()) - counts.size
    if n_repeats < FEWEST_COPIES * n or counts.mean() >= REPEATS_OF_ATOMS:
        return
    if not question.is_discrete or _are_copies(columns, n - n_repeats):
        warn(
            f"{n_repeats} of {n} rows repeat another row in every column, which pulls estimates up. Drop copies "
            f"that are not new measurements; if values are merely rounded, read the estimate with care."
        )


def _are_copies(columns: Sequence[np.ndarray], n_distinct: int) -> bool:
    """Return whether one column of measurements tells all distinct rows apart: then entire rows repeat."""
    return any(not is_whole(column) and count_distinct(column) == n_distinct for column in columns)


def repeated_rows(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return how often each row occurs that occurs more than once; columns are compared where rows still agree."""
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
            return np.array([], np.intp)
        rows, group = rows[order][shared], np.cumsum(~as_before[:-1])[shared]
    return np.unique(group, return_counts=True)[1]
