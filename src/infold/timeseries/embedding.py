"""Rows made of one series' present and other series' pasts, and their information by KSG or any other method."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from infold.data.kinds import count_distinct
from infold.data.question import Question
from infold.data.tables import Table
from infold.measures import make_estimator
from infold.parallel.scheduler import interruptible

from .grid import Grid, Series

NEIGHBORS = 4  # what JIDT, infomeasure and most published transfer entropies use
MAX_HISTORY = 5  # of `embedding="auto"`: neighbours carry little information in more columns


class Term(NamedTuple):
    """Columns of a series, each at some lags: the value at time t is that of step t − lag."""

    series: str
    lags: tuple[tuple[int, ...], ...]  # of each column

    @property
    def reach(self) -> int:
        """The largest lag, forwards or backwards."""
        return max(abs(lag) for lags in self.lags for lag in lags)


def same_lags(series: str, n_columns: int, lags: Sequence[int]) -> Term:
    """Return a term in which all columns have the same lags."""
    return Term(series, (tuple(lags),) * n_columns)


Blocks = tuple[tuple[Term, ...], ...]  # the terms of X, of Y and, if something is given, of Z


@dataclass(frozen=True)
class Embedded:
    """Blocks of columns (d, n) side by side, and the steps of the grid that the rows belong to."""

    columns: np.ndarray
    sizes: tuple[int, ...]
    nominal: np.ndarray
    times: np.ndarray

    def question(self) -> Question:
        """Return the same rows as a question of X, Y and, if something is given, Z."""
        edges = np.cumsum([0, *self.sizes])
        tables = {
            name: Table(
                np.ascontiguousarray(self.columns[i:j].T), None, tuple(np.flatnonzero(self.nominal[i:j]).tolist())
            )
            for name, i, j in zip("XYZ", edges[:-1], edges[1:], strict=False)
        }
        return Question(tables)


def embed(grid: Grid, blocks: Blocks, times: np.ndarray | None = None) -> Embedded:
    """Return the rows of `blocks` at all `times` at which every value is present."""
    at = grid.times if times is None else times
    columns: list[np.ndarray] = []
    nominal: list[bool] = []
    sizes: list[int] = []
    for block in blocks:
        before = len(columns)
        for term in block:
            series = grid[term.series]
            for c, lags in enumerate(term.lags):
                columns += [series.values[:, c].take(at - lag) for lag in lags]
                nominal += [bool(series.nominal[c])] * len(lags)
        sizes.append(len(columns) - before)
    table = np.array(columns)
    there = np.flatnonzero(np.isfinite(np.add.reduce(table, axis=0)))
    if there.size < at.size:
        table, at = table.take(there, axis=1), at[there]
    return Embedded(table, tuple(sizes), np.array(nominal), at)


def standardized(grid: Grid, *, exact_ties: bool) -> Grid:
    """Return the grid with every column of numbers in units of its standard deviation over all its values.

    With `exact_ties` equal differences stay equal, at the cost of the last digits of the deviation.
    """
    from infold.core.scaling import comparable

    changed = {}
    for name, series in grid.series.items():
        values = series.values.copy()
        for c in series.numbers:
            column, there = values[:, c], series.present[c]
            own = column[there]
            low, high = float(own.min()), float(own.max())
            if low == high:
                column[there] = 0.0
            elif exact_ties:
                column[there] = comparable(own[None, :].copy(), standardize=True)[0]
            else:
                own = np.ldexp(own, -math.frexp(max(-low, high))[1])  # exact, and far from overflow and underflow
                own -= np.add.reduce(own) / own.size
                column[there] = own / math.sqrt(np.add.reduce(own * own) / (own.size - 1))
        changed[name] = values
    return grid.with_values(**changed)


def has_many_ties(series: Series) -> bool:
    """Return whether a column is of classes, or of numbers with fewer distinct values than half of its rows."""
    columns = (column[there] for column, there in zip(series.values.T, series.present, strict=True))
    return len(series.numbers) < series.nominal.size or any(2 * count_distinct(own) < own.size for own in columns)


class Method(NamedTuple):
    """How the information of embedded rows is estimated."""

    name: str
    n_neighbors: int
    theiler: int = 0
    strict: bool = False  # rows at exactly the distance of the k-th neighbour never count
    random_state: Any = None

    def local(self, rows: Embedded) -> np.ndarray:
        """Return the local values (n,), in nats."""
        if self.name != "ksg":
            return self._by_estimator(rows)
        from infold.core.knn.information import CONDITIONAL, local_information, shared_spaces
        from infold.core.knn.ksg import local_ksg
        from infold.core.knn.theiler import distant_counts

        columns, sizes, nominal = _varying(rows)
        if not all(sizes[:2]):
            return np.zeros(rows.times.size)
        sizes = [size for size in sizes if size]
        spaces = CONDITIONAL if len(sizes) == 3 else shared_spaces(2)
        if self.theiler == 0:
            mask, bias = (nominal, "miller-madow") if nominal.any() else (None, None)
            return local_ksg(
                columns, sizes, self.n_neighbors, spaces=spaces, nominal=mask, discrete_bias=bias, strict=self.strict
            )
        counts = distant_counts(
            columns, sizes, spaces.masks, self.n_neighbors, rows.times, self.theiler, strict=self.strict
        )
        return local_information(counts, spaces, rows.times.size)

    def value(self, rows: Embedded) -> float:
        """Return the estimate: the mean of the local values, whatever their order."""
        return float(np.add.reduce(np.sort(self.local(rows)))) / rows.times.size

    def _by_estimator(self, rows: Embedded) -> np.ndarray:
        estimator = make_estimator(self.name, self.n_neighbors, self.random_state, 1, 0, {})
        interruptible(estimator._fit, rows.question())
        local: np.ndarray = estimator.local_mi_
        return local


def _varying(rows: Embedded) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Return a copy of the columns that vary, how many of them each block has, and which are nominal."""
    varies = np.minimum.reduce(rows.columns, axis=1) < np.maximum.reduce(rows.columns, axis=1)
    if varies.all():
        return rows.columns.copy(), list(rows.sizes), rows.nominal
    sizes = [int(np.count_nonzero(own)) for own in np.split(varies, np.cumsum(rows.sizes)[:-1])]
    return rows.columns[varies], sizes, rows.nominal[varies]


def check_rows(rows: Embedded, method: Method, what: str) -> None:
    """Refuse too few rows for the neighbours."""
    n, needed = rows.times.size, method.n_neighbors + 1
    if n < needed:
        raise ValueError(
            f"n_neighbors={method.n_neighbors} needs at least {needed} rows, but {what} has {n} in which every value "
            f"is there; lower n_neighbors, take shorter lags or add rows."
        )
    if method.theiler:
        first = np.searchsorted(rows.times, rows.times - method.theiler, side="left")
        last = np.searchsorted(rows.times, rows.times + method.theiler, side="right")
        left = n - int((last - first).max())
        if left < method.n_neighbors:
            raise ValueError(
                f"theiler={method.theiler} leaves a row only {left} of {n} others to be neighbours, but "
                f"n_neighbors={method.n_neighbors} are needed; lower theiler."
            )


def given_term(grid: Grid, given_lags: Any) -> Term:
    """Return the given series at their own lags: one lag or several for all columns, or by column."""
    series = grid["given"]
    d = series.values.shape[1]
    if not isinstance(given_lags, Mapping):
        return same_lags("given", d, _several("given_lags", given_lags))
    names: Sequence[Any] = series.names or range(d)
    unknown = [key for key in given_lags if key not in names and key not in range(d)]
    if unknown:
        raise ValueError(
            f"given_lags={unknown[0]!r} is no column of given; name some of {', '.join(map(str, names[:8]))}."
        )
    lags = [given_lags.get(name, given_lags.get(c)) for c, name in enumerate(names)]
    absent = [str(name) for name, own in zip(names, lags, strict=True) if own is None]
    if absent:
        raise ValueError(f"given_lags has no lag for column {absent[0]} of given; name one for each column.")
    return Term("given", tuple(_several("given_lags", own) for own in lags))


def _several(name: str, lags: Any) -> tuple[int, ...]:
    several = lags if np.ndim(lags) else [lags]
    wrong = [lag for lag in several if not isinstance(lag, int | np.integer) or isinstance(lag, bool)]
    if wrong:
        raise TypeError(f"{name}={wrong[0]!r} must be whole numbers; pass such as 3, [0, 3] or range(-5, 6).")
    checked = tuple(map(int, several))
    if not checked or len(set(checked)) < len(checked):
        raise ValueError(f"{name}={lags!r} must be one or more different lags; pass whole numbers, each once.")
    return checked


def check_lags(name: str, lags: Any) -> tuple[int, ...]:
    """Return lags as distinct whole numbers, in the given order."""
    if type(lags) is int:
        return (lags,)
    return _several(name, list(lags) if not np.ndim(lags) and hasattr(lags, "__iter__") else lags)
