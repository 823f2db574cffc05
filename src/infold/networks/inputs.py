"""What users hand over for a network: one table or two, groups of columns, confounders, holes → arrays and names."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from infold.data.checks import check_choice
from infold.data.kinds import CONTINUOUS, NOMINAL, ORDINAL, count_distinct
from infold.data.question import aligned, check_lengths
from infold.data.tables import MISSING, Table, check_table, listed

PAIRWISE = "pairwise"


class Columns(NamedTuple):
    """All columns of all nodes, side by side, and which belong to which node."""

    values: np.ndarray  # (columns, n), NaN where missing
    kinds: tuple[str, ...]
    nodes: tuple[tuple[int, int], ...]  # the first column of each node, and where it ends
    names: tuple[str, ...]  # of nodes
    n_rows: int  # nodes from here on are those of Y; as many as there are nodes if there is one table
    given: np.ndarray | None  # (n, r)
    given_kinds: tuple[str, ...]
    given_names: tuple[str, ...]
    n_dropped: int

    @property
    def is_square(self) -> bool:
        """Whether there is one table."""
        return self.n_rows == len(self.nodes)


def gather(X: Any, Y: Any, given: Any, nodes: Any, discrete_x: Any, discrete_y: Any, missing: str) -> Columns:
    """Return the columns that the arguments of `network` mean."""
    check_choice("missing", missing, (*MISSING, PAIRWISE))
    if Y is None and discrete_y is not None:
        raise ValueError(f"discrete_y={discrete_y!r} names columns of Y, but there is no Y; pass Y or leave it out.")
    if Y is not None and nodes is not None:
        raise ValueError("nodes groups the columns of one table, but there are two; join them, or leave Y out.")
    holes = "error" if missing == "error" else "drop"
    inputs = {"X": X, "Y": Y} if Y is not None else {"X": X}
    names_given = _names_of(given)
    if given is not None and names_given is None:
        inputs["given"] = given
    labelled = [name for name, data in inputs.items() if hasattr(data, "set_axis")]
    if labelled:
        index = inputs[labelled[0]].index
        inputs = {name: aligned(data, name, index, labelled[0]) for name, data in inputs.items()}
    declared = {"X": discrete_x, "Y": discrete_y, "given": None}
    tables = {name: check_table(data, name, discrete=declared[name], missing=holes) for name, data in inputs.items()}
    check_lengths(tables)
    tables = {name: _named(name, table, Y is not None) for name, table in tables.items()}
    if names_given is not None:
        tables = _split(tables, names_given)
    tables, n_dropped = _without_holes(tables, missing)
    table_z = tables.pop("given", None)
    return _joined(tables, table_z, nodes, n_dropped)


def _names_of(given: Any) -> list[str | int] | None:
    """Return `given` as a list of columns if it names some; None if it is a table."""
    if isinstance(given, str | numbers.Integral):
        return [given if isinstance(given, str) else int(given)]
    if isinstance(given, Sequence) and given and all(isinstance(one, str | numbers.Integral) for one in given):
        return [one if isinstance(one, str) else int(one) for one in given]
    return None


def _named(name: str, table: Table, prefixed: bool) -> Table:
    """Return a table whose columns have names: their numbers if they had none."""
    prefix = name.lower() if prefixed and name != "given" else ""
    names = table.names or tuple(f"{prefix}{c}" for c in range(table.values.shape[1]))
    repeated = [one for one, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{name} has more than one column named {repeated[0]!r}, but nodes need names of their own; rename them."
        )
    return table._replace(names=names)


def _split(tables: dict[str, Table], wanted: list[str | int]) -> dict[str, Table]:
    """Return the tables with the columns that `given` names in a table of their own."""
    out, parts, found = {}, [], set()
    for name, table in tables.items():
        names = table.names or ()
        here = [c for c, one in enumerate(names) if one in wanted or (name == "X" and c in wanted)]
        found |= {names[c] for c in here} | set(here)
        parts.append(_picked(table, here))
        out[name] = _picked(table, [c for c in range(len(names)) if c not in here])
        if not out[name].names:
            raise ValueError(f"given={wanted!r} names all columns of {name}, so none is left; name fewer.")
    absent = [one for one in wanted if one not in found]
    if absent:
        known = ", ".join(listed(range(len(t.names or ())), t.names) for t in tables.values())
        raise ValueError(f"given={absent[0]!r} is not a column; name some of {known}, or pass a table.")
    nominal, start = [], 0
    for part in parts:
        nominal += [start + c for c in part.nominal]
        start += part.values.shape[1]
    names = tuple(one for part in parts for one in part.names or ())
    out["given"] = Table(np.hstack([part.values for part in parts]), names, tuple(nominal))
    return out


def _picked(table: Table, columns: Sequence[int]) -> Table:
    names = tuple((table.names or ())[c] for c in columns)
    return Table(table.values[:, columns], names, tuple(i for i, c in enumerate(columns) if c in table.nominal))


def _without_holes(tables: dict[str, Table], missing: str) -> tuple[dict[str, Table], int]:
    """Return the tables without rows in which a value is missing, unless holes may stay, and how many these are."""
    holes = np.logical_or.reduce([np.isnan(table.values).any(axis=1) for table in tables.values()])
    if not holes.any():
        return tables, 0
    if missing == PAIRWISE:
        if "given" in tables:
            raise ValueError(
                "missing='pairwise' does not work with given, since confounders are regressed out once, on all rows; "
                "pass missing='drop'."
            )
        return tables, 0
    left = np.flatnonzero(~holes)
    if left.size == 0:
        raise ValueError(
            "missing='drop' leaves no row; pass missing='pairwise', or leave out columns with many missing values."
        )
    return {name: table._replace(values=table.values[left]) for name, table in tables.items()}, int(holes.sum())


def _joined(tables: dict[str, Table], table_z: Table | None, nodes: Any, n_dropped: int) -> Columns:
    values = np.ascontiguousarray(np.hstack([table.values for table in tables.values()]).T)
    names = [one for table in tables.values() for one in table.names or ()]
    width = tables["X"].values.shape[1]
    nominal = set(tables["X"].nominal)
    if "Y" in tables:
        nominal |= {width + c for c in tables["Y"].nominal}
    if nodes is not None:
        values, names, nominal, bounds = _grouped(values, names, nominal, nodes)
    else:
        bounds = tuple((c, c + 1) for c in range(len(names)))
    if len(names) < 2:
        raise ValueError(f"a network needs at least two nodes, but there is only {names[0]!r}; pass more columns.")
    repeated = [one for one, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{repeated[0]!r} is a column of X and of Y, but nodes need names of their own; rename it.")
    kinds = tuple(_kind(column, c in nominal) for c, column in enumerate(values))
    z = None if table_z is None else table_z.values
    z_kinds = () if z is None else tuple(_kind(c, i in table_z.nominal) for i, c in enumerate(z.T))  # type: ignore[union-attr]
    z_names = () if table_z is None else table_z.names or ()
    n_rows = width if "Y" in tables else len(bounds)
    return Columns(values, kinds, bounds, tuple(names), n_rows, z, z_kinds, z_names, n_dropped)


def _grouped(
    values: np.ndarray, names: list[str], nominal: set[int], nodes: Any
) -> tuple[np.ndarray, list[str], set[int], tuple[tuple[int, int], ...]]:
    """Return the columns of the named groups, group after group."""
    if not isinstance(nodes, Mapping) or not nodes:
        raise TypeError(
            f"nodes={nodes!r} must map names to columns, as in {{'weather': ['rain', 'wind']}}; pass a dict."
        )
    order: list[int] = []
    bounds = []
    for node, columns in nodes.items():
        picked = [columns] if isinstance(columns, str | numbers.Integral) else list(columns)
        start = len(order)
        for one in picked:
            if isinstance(one, str) and one in names:
                order.append(names.index(one))
            elif isinstance(one, numbers.Integral) and 0 <= int(one) < len(names):
                order.append(int(one))
            else:
                known = listed(range(len(names)), tuple(names))
                raise ValueError(f"nodes[{node!r}] has {one!r}, which is not a column; name some of {known}.")
        if len(order) == start:
            raise ValueError(f"nodes[{node!r}] is empty, but a node needs a column; name one.")
        bounds.append((start, len(order)))
    twice = [c for c, count in Counter(order).items() if count > 1]
    if twice:
        raise ValueError(
            f"column {names[twice[0]]!r} is in more than one node, which then share it; leave it out of all but one."
        )
    return values[order], [str(node) for node in nodes], {i for i, c in enumerate(order) if c in nominal}, tuple(bounds)


def _kind(column: np.ndarray, is_nominal: bool) -> str:
    if is_nominal:
        return NOMINAL
    there = column[~np.isnan(column)]
    return ORDINAL if not there.size or 2 * count_distinct(there) < there.size else CONTINUOUS
