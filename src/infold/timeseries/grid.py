"""Series on one regular grid of times: gaps, missing values and borders of groups are NaN, which no lag can bridge."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from infold.data.question import check_lengths, many_classes
from infold.data.tables import Table, check_table, listed

ZONE = re.compile(r":\d\d.*(Z|[+-]\d\d:?(\d\d)?)$")  # of an ISO date with a time
OFF_GRID = 0.25  # of a step: months have 28 to 31 days, but each is one step

Segments = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Series:
    """Columns (T, d) on the grid; NaN where there is no value."""

    values: np.ndarray
    names: tuple[str, ...] | None
    nominal: np.ndarray  # (d,), which columns are classes

    @cached_property
    def numbers(self) -> list[int]:
        """Which columns are no classes."""
        return [c for c, nominal in enumerate(self.nominal.tolist()) if not nominal]

    @cached_property
    def present(self) -> list[np.ndarray]:
        """The steps at which each column has a value."""
        return [np.flatnonzero(there) for there in np.isfinite(self.values).T]


@dataclass(frozen=True)
class Grid:
    """Several series on one grid, group after group, with empty steps before, between and after them."""

    series: Mapping[str, Series]
    segments: Segments  # where each group starts and stops
    rows: np.ndarray  # (T,): the row of the input, −1 where there is none
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Series:
        """Return a series."""
        return self.series[name]

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a series."""
        return name in self.series

    @property
    def times(self) -> np.ndarray:
        """The steps of the grid that have a row of the input."""
        return np.flatnonzero(self.rows >= 0)

    def with_values(self, **values: np.ndarray) -> Grid:
        """Return the grid with other values of some series."""
        changed = {name: Series(new, self[name].names, self[name].nominal) for name, new in values.items()}
        return Grid({**self.series, **changed}, self.segments, self.rows, self.notes)


def read_series(inputs: Mapping[str, Any], *, groups: Any, time: Any, reach: int) -> Grid:
    """Return series of one length on a grid with as many empty steps as lags, windows and the like can `reach`."""
    absent = [name for name, data in inputs.items() if data is None and name != "given"]
    if absent:
        raise TypeError(f"{absent[0]} is None, but must be a series; pass an array or a table.")
    tables = {name: _table(name, data) for name, data in inputs.items() if data is not None}
    n = check_lengths(tables, "time")[1]
    _refuse_other_index(inputs)
    order, positions, segments, notes = _places(groups, time, n, reach + 1)
    length = int(positions[-1]) + reach + 2
    rows = np.full(length, -1)
    rows[positions] = order
    series = {name: _on_grid(name, table, order, positions, length) for name, table in tables.items()}
    return Grid(series, segments, rows, (*notes, *_constants(tables), *many_classes(tables)))


def _table(name: str, data: Any) -> Table:
    """Return a series as a table; there is no parameter that declares classes, so errors offer another remedy."""
    try:
        return check_table(data, name, missing="drop")
    except (TypeError, ValueError) as error:
        told = str(error).replace(f"pass discrete_{name}", "make the column categorical, as pandas and polars do")
        raise type(error)(told) from None


def _refuse_other_index(inputs: Mapping[str, Any]) -> None:
    """Refuse pandas objects whose labels differ: it would be unclear which rows belong together."""
    labelled = [(name, data.index) for name, data in inputs.items() if hasattr(data, "set_axis")]
    for name, index in labelled[1:]:
        if not index.equals(labelled[0][1]):
            raise ValueError(
                f"{name} has other index labels than {labelled[0][0]}, but row i of both must be the same time; align "
                f"them, for example with pandas.concat(axis=1)."
            )


def _places(groups: Any, time: Any, n: int, empty: int) -> tuple[np.ndarray, np.ndarray, Segments, tuple[str, ...]]:
    """Return the rows group by group in order of time, the position of each, where groups are, and notes."""
    if groups is None and time is None:
        return np.arange(n), np.arange(empty, empty + n), ((empty, empty + n),), ()
    labels = _labels(groups, n)
    order, steps, notes = _in_time(time, labels, n)
    return order, *_placed(labels[order], steps, empty), notes


def _labels(groups: Any, n: int) -> np.ndarray:
    """Return the number of the group of each row."""
    if groups is None:
        return np.zeros(n, int)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups has shape {labels.shape}, but needs one label for each of the {n} rows; pass these.")
    if any(label is None or label != label for label in labels.tolist()):
        raise ValueError("groups has missing labels (None or NaN), but each row needs one; label or drop those rows.")
    return np.unique(labels, return_inverse=True)[1]


def _in_time(time: Any, labels: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return the rows group by group in order of time, and how many steps each comes after the previous one."""
    if time is None:
        return np.argsort(labels, kind="stable"), np.ones(n, int), ()
    moments = _as_numbers(time, n)
    order = np.lexsort((moments, labels))
    within = np.diff(labels[order], prepend=-1) == 0
    apart = np.diff(moments[order], prepend=0.0)
    if not within.any():
        return order, np.ones(n, int), ()
    if (apart[within] <= 0).any():
        row = int(order[np.flatnonzero(within & (apart <= 0))[0]])
        raise ValueError(
            f"time has the same value twice in one group (row {row}), but a series has one row per time; average such "
            f"rows, or pass groups that say which series they belong to."
        )
    steps = apart / np.median(apart[within])
    whole = np.where(within, np.maximum(np.rint(steps), 1), 1).astype(int)
    off = within & (np.abs(steps - whole) > OFF_GRID)
    if off.any():
        raise ValueError(
            f"time is irregular: {np.count_nonzero(off)} of {np.count_nonzero(within)} distances are no multiple of "
            f"the usual one, but lags count steps; resample the series to a regular grid, or leave the times out."
        )
    gaps = np.count_nonzero(whole > 1)
    note = f"time has {gaps} {'gap' if gaps == 1 else 'gaps'}; no lag reaches across."
    return order, whole, (note,) if gaps else ()


def _as_numbers(time: Any, n: int) -> np.ndarray:
    """Return times as numbers, dates in nanoseconds."""
    moments = np.asarray(time)
    if any(isinstance(moment, str) and ZONE.search(moment) for moment in moments.flat):
        moments = np.array([_parsed(moment) for moment in moments.flat], object)
    if moments.dtype.kind == "O" and any(getattr(moment, "tzinfo", None) for moment in moments.flat):
        if not all(getattr(moment, "tzinfo", None) and moment == moment for moment in moments.flat):  # NaT is no number
            raise ValueError(
                "time mixes values with and without a time zone, or lacks some; give all of them a zone, or none."
            )
        moments = np.array([moment.astimezone(UTC).replace(tzinfo=None) for moment in moments.flat])
    if moments.dtype.kind in "OUST" or moments.dtype.kind == "M":
        try:
            moments = moments.astype("datetime64[ns]").astype(np.int64).astype(float)
        except ValueError:
            raise ValueError(
                f"time has values such as {str(moments.ravel()[0])!r}, which are neither numbers nor ISO dates; pass "
                f"one of these."
            ) from None
    moments = moments.astype(float)
    if moments.shape != (n,):
        raise ValueError(f"time has shape {moments.shape}, but needs one value for each of the {n} rows; pass these.")
    if not np.isfinite(moments).all():
        raise ValueError("time has missing values, but each row needs one; drop those rows.")
    return moments


def _parsed(moment: Any) -> Any:
    """Return a date and time in ISO format with its time zone, or what it was."""
    try:
        return datetime.fromisoformat(moment)
    except (TypeError, ValueError):
        return moment


def _placed(labels: np.ndarray, steps: np.ndarray, empty: int) -> tuple[np.ndarray, Segments]:
    """Return the position of each row, and where groups start and stop; a gap is no wider than necessary."""
    new = np.ones(labels.size, bool)
    new[1:] = labels[1:] != labels[:-1]
    positions = np.cumsum(np.where(new, empty + 1, np.minimum(steps, empty + 1))) - 1
    first = np.flatnonzero(new)
    last = np.append(first[1:], labels.size) - 1
    return positions, tuple(zip(positions[first].tolist(), (positions[last] + 1).tolist(), strict=True))


def _on_grid(name: str, table: Table, order: np.ndarray, positions: np.ndarray, length: int) -> Series:
    missing = np.isnan(table.values).all(axis=0)
    if missing.any():
        raise ValueError(
            f"{name} has no value at all in column {listed(np.flatnonzero(missing), table.names)}; leave it out."
        )
    values = np.full((length, table.values.shape[1]), np.nan)
    values[positions] = table.values[order]
    return Series(values, table.names, np.array([c in table.nominal for c in range(values.shape[1])]))


def _constants(tables: Mapping[str, Table]) -> Iterator[str]:
    """Report columns that never change."""
    for name, table in tables.items():
        same = np.fmin.reduce(table.values, axis=0) == np.fmax.reduce(table.values, axis=0)  # ignores NaN
        if same.any():
            yield f"{name} never changes in column {listed(np.flatnonzero(same), table.names)}, which tells nothing."


def differenced(grid: Grid, columns: Mapping[str, Sequence[int]] | None = None) -> Grid:
    """Return the grid with the changes from step to step of some columns of some series, or of all that are numbers."""
    chosen = columns or {name: np.flatnonzero(~series.nominal).tolist() for name, series in grid.series.items()}
    changed = {}
    for name, own in chosen.items():
        changed[name] = grid[name].values.copy()
        changed[name][1:, own] -= grid[name].values[:-1, own]
        changed[name][0, own] = np.nan
    # The first step of a group has no change, so all series lose it.
    segments = tuple((min(start + 1, stop - 1), stop) for start, stop in grid.segments)
    return replace(grid.with_values(**changed), segments=segments)
