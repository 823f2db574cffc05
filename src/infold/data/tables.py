"""Turn arrays, frames and series into tables of numbers; anything else, and NaN, is refused here."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np

from .checks import check_choice
from .labels import from_objects, recoded

EXACT = 2**53  # floating point numbers hold all whole numbers up to here
SMALL = 10_000  # in tables of at most this many values, the number of calls matters rather than the work in each
MISSING = ("error", "drop")


class Table(NamedTuple):
    """Validated samples: values (n, d), float64 in C order unless left as they were on request, and any column names.

    A nominal column has codes 0, 1, 2 … in the order in which its labels first appear: codes only tell labels apart.
    """

    values: np.ndarray
    names: tuple[str, ...] | None
    nominal: tuple[int, ...] = ()  # positions of nominal columns


def check_table(
    data: Any, name: str, *, as_it_is: bool = False, discrete: Any = None, missing: str | None = None
) -> Table:
    """Return `data` (array, nested list, pandas or polars table or series) as a Table; 1-D input is one column.

    Text, categories and booleans become nominal columns, and so do the columns that `discrete` names: True for all, or
    names, positions or a mask. With False nothing is nominal: a boolean is 0 or 1, and text is refused.

    With `missing="drop"` missing values are NaN in the table, for the caller to drop; None is for callers that do not
    let users choose. With `as_it_is` float32 stays float32, in any memory layout: for callers that convert one column
    at a time.
    """
    if missing is not None:
        check_choice("missing", missing, MISSING)
    table = _declared_too(data, name, discrete) if isinstance(data, Table) else _read(data, name, discrete, as_it_is)
    _refuse_non_finite(table, name, missing)
    return table


def _read(data: Any, name: str, discrete: Any, as_it_is: bool) -> Table:
    names: tuple[str, ...] | None = None
    nominal: tuple[int, ...] = ()
    if hasattr(data, "categories") and hasattr(data, "codes"):  # a bare pandas Categorical
        import pandas

        data = pandas.Series(data)
    if hasattr(data, "set_axis"):  # pandas lets names be numbers, tuples, or the same twice
        data, names = _renamed(data)
    # A plain array belongs to no table library: asking all of them takes longer than a small estimate.
    plain = type(data) is np.ndarray
    native = data if plain else nw.from_native(data, pass_through=True, eager_only=True, allow_series=True)
    if isinstance(native, nw.Series):
        names = (str(native.name),) if native.name not in (None, "") else ()
        native = native.to_frame()
    if isinstance(native, nw.DataFrame):
        labels = names or tuple(str(c) for c in native.columns)
        names = labels if names != () else None
        declared = positions(discrete, name, names, len(labels))
        values = None if declared else _in_one_piece(data)
        if values is None:
            values, nominal = _frame(native, name, labels, declared, discrete is False)
    elif plain and data.dtype == np.float64 and data.ndim:
        values = data
    else:
        values = _array(data, name)
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2:
        raise ValueError(
            f"{name} has {values.ndim} dimensions (shape {values.shape}), but samples are rows and variables columns; "
            f"reshape {name} to 2 dimensions."
        )
    n, d = values.shape
    if n == 0 or d == 0:
        raise ValueError(
            f"{name} is empty: {n} sample(s) and {d} feature(s) (shape=({n}, {d})) while a minimum of 1 is required; "
            f"pass at least one row and one column."
        )
    if not isinstance(native, nw.DataFrame):
        values, nominal = _coded_array(values, name, positions(discrete, name, None, d), discrete is False)
    if not (as_it_is and values.dtype in (np.float32, np.float64)):
        values = np.asarray(values, np.float64, order="C")
    return Table(values, names, nominal)


def positions(discrete: Any, name: str, names: tuple[str, ...] | None, d: int) -> set[int]:
    """Return which of d columns `discrete` names: all, or by name, by position, or by a mask."""
    if discrete is None or isinstance(discrete, bool | np.bool_):
        return set(range(d)) if discrete else set()
    parameter = f"discrete_{name.lower()}"
    picked = [discrete] if isinstance(discrete, str | numbers.Integral) else list(discrete)
    if picked and all(isinstance(one, bool | np.bool_) for one in picked):
        if len(picked) != d:
            raise ValueError(
                f"{parameter} is a mask of {len(picked)}, but {name} has {d} columns; pass one truth value for each."
            )
        return {i for i, one in enumerate(picked) if one}
    found: set[int] = set()
    for one in picked:
        if isinstance(one, numbers.Integral) and 0 <= int(one) < d:
            found.add(int(one))
        elif isinstance(one, str) and one in (names or ()):
            found |= {i for i, label in enumerate(names or ()) if label == one}
        else:
            known = listed(range(d), names) if names else f"0 to {d - 1}"
            raise ValueError(
                f"{parameter}={one!r} is not a column of {name}; pass True, or names or positions among {known}."
            )
    return found


def _declared_too(table: Table, name: str, discrete: Any) -> Table:
    """Return a table with further columns made nominal."""
    if discrete is False and table.nominal:
        raise TypeError(
            f"{name} has nominal columns ({listed(table.nominal, table.names)}), but only numbers are allowed "
            f"here; encode or drop them."
        )
    declared = positions(discrete, name, table.names, table.values.shape[1]) - set(table.nominal)
    if not declared:
        return table
    values = np.array(table.values, np.float64)
    for c in declared:
        values[:, c] = recoded(values[:, c])
    return table._replace(values=values, nominal=tuple(sorted(declared.union(table.nominal))))


def _frame(
    frame: nw.DataFrame[Any], name: str, labels: Sequence[str], declared: set[int], numbers_only: bool
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the values of a frame, and which of its columns are nominal."""
    series = [frame[c] for c in frame.columns]
    bad = [
        f"{label!r} ({one.dtype})"
        for i, (label, one) in enumerate(zip(labels, series, strict=True))
        if not (_has_numbers(one) or i in declared or (_has_classes(one) and not numbers_only))
    ]
    if bad:
        only = ", but only numbers are allowed here" if numbers_only else ""
        raise TypeError(f"{name} has columns that are not numbers: {', '.join(bad[:5])}{only}; encode or drop them.")
    columns, nominal = [], []
    for i, one in enumerate(series):
        if _has_numbers(one) and i not in declared and not (one.dtype == nw.Boolean and not numbers_only):
            columns.append(_column(one, f"column {labels[i]!r} of {name}", f"discrete_{name.lower()}"))
            continue
        is_categorical = one.dtype not in (nw.String, nw.Object) or i in declared
        values, is_nominal = from_objects(_objects(one), name, repr(labels[i]), is_categorical, numbers_only)
        columns.append(values)
        nominal += [i] if is_nominal else []
    return np.column_stack(columns) if columns else np.empty((0, 0)), tuple(nominal)


def _has_numbers(series: nw.Series[Any]) -> bool:
    return series.dtype.is_numeric() or series.dtype == nw.Boolean or series.null_count() == len(series)


def _has_classes(series: nw.Series[Any]) -> bool:
    return series.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)


def _objects(series: nw.Series[Any]) -> list[Any]:
    """Return the values of a series, None where there is none."""
    return [None if null else value for value, null in zip(series.to_list(), series.is_null().to_list(), strict=True)]


def _coded_array(
    values: np.ndarray, name: str, declared: set[int], numbers_only: bool
) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return an array with numbers for labels, and which of its columns are nominal."""
    if values.dtype.kind in "OUST":
        found = [
            from_objects(column, name, str(c), c in declared, numbers_only)
            for c, column in enumerate(values.astype(object).T.tolist())
        ]
        return np.column_stack([column for column, _ in found]), tuple(c for c, (_, yes) in enumerate(found) if yes)
    if values.dtype.kind == "b" and not numbers_only:
        declared = set(range(values.shape[1]))
    if values.dtype.kind in "iu":
        for c in set(range(values.shape[1])) - declared:
            _refuse_lost_digits(values[:, c], f"column {c} of {name}", f"discrete_{name.lower()}")
    if declared:
        labels, values = values, np.array(values, np.float64)
        for c in declared:
            values[:, c] = recoded(labels[:, c])
    return values, tuple(sorted(declared))


def _refuse_lost_digits(values: np.ndarray, where: str, parameter: str) -> None:
    """Refuse different whole numbers that would be equal as floating-point numbers."""
    if values.dtype.kind not in "iu" or not values.size:
        return
    if max(int(values.max()), -int(values.min())) <= EXACT:
        return
    if np.unique(values.astype(np.float64)).size < np.unique(values).size:
        raise ValueError(
            f"{where} has whole numbers beyond 2^53, such as {values.max()}, some of which become equal "
            f"as floating point numbers; subtract an offset or, if they are labels, pass {parameter}."
        )


def _array(data: Any, name: str) -> np.ndarray:
    if data is None:
        raise ValueError(f"{name} is None, but needs rows; pass an array or a table of samples.")
    if hasattr(data, "collect") and not hasattr(data, "__array__"):
        raise TypeError(f"{name} is a lazy table, but its rows are needed; pass {name}.collect().")
    if hasattr(data, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, but samples are dense here; pass {name}.toarray().")
    if isinstance(data, Mapping):
        raise TypeError(f"{name} is a dict, but needs rows; pass a table, such as pandas.DataFrame({name}).")
    if isinstance(data, np.ma.MaskedArray):
        mask, data = np.ma.getmaskarray(data), data.data
        if mask.any():
            data = data.astype(object)
            data[mask] = None
    try:
        values = np.asarray(data)
        if values.dtype.kind in "US" and not isinstance(data, np.ndarray):
            values = np.asarray(data, dtype=object)  # keeps numbers among text as numbers
    except ValueError as error:
        raise ValueError(f"{name} is not a table: {error}; pass rows of equal length.") from None
    if values.dtype.kind == "c":
        raise ValueError(
            f"{name} is complex: Complex data not supported; pass the real and imaginary parts as columns."
        )
    if values.dtype.kind not in "biufOUST":
        raise TypeError(
            f"{name} has type {values.dtype}, but columns are numbers or classes; encode or drop such columns."
        )
    if values.ndim == 0:
        raise ValueError(
            f"{name} is a single {type(data).__name__}, but needs rows. Reshape your data: pass an array or a table of "
            f"samples."
        )
    return values


def _renamed(data: Any) -> tuple[Any, tuple[str, ...]]:
    """Return a pandas table or series as a table with plain names, and the names it had; none if it had no name."""
    if data.ndim == 1:
        return data.to_frame("0"), () if data.name in (None, "") else (_label(data.name),)
    renamed = data.copy(deep=False)  # `set_axis` copies the values too, before pandas 3
    renamed.columns = [str(i) for i in range(data.shape[1])]
    return renamed, tuple(_label(c) for c in data.columns)


def _label(name: Any) -> str:
    return " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)


def _in_one_piece(data: Any) -> np.ndarray | None:
    """Return the values of a pandas table without a copy if it holds them in one piece; otherwise None."""
    dtypes = set(data.dtypes) if hasattr(data, "set_axis") else set()
    return data.to_numpy() if dtypes in ({np.dtype(np.float32)}, {np.dtype(np.float64)}) else None


def _column(series: nw.Series[Any], where: str, parameter: str) -> np.ndarray:
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    if series.null_count():
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    _refuse_lost_digits(values, where, parameter)
    return values if values.dtype == np.float32 else np.asarray(values, np.float64)


def _refuse_non_finite(table: Table, name: str, missing: str | None) -> None:
    values, names, nominal = table
    if values.size <= SMALL:
        if np.logical_and.reduce(np.isfinite(values), axis=None):
            return
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            # One pass without a boolean table; a sum that overflows is only a reason to check more closely.
            if math.isfinite(np.add.reduce(values, axis=None)):
                return
    bad = np.isinf(values) if missing == "drop" else ~np.isfinite(values)
    if not bad.any():
        return
    row, column = (int(i[0]) for i in np.nonzero(bad))
    remedy = "drop those rows (missing='drop') or " if missing == "error" else ""
    if column in nominal:
        raise ValueError(
            f"{name} has missing labels, the first in row {row}, column {listed([column], names)}; {remedy}give them a "
            f"label of their own."
        )
    kind = "infinity (inf)" if np.isinf(values[row, column]) else "NaN"
    raise ValueError(
        f"{name} contains {np.count_nonzero(bad)} NaN or infinite values, the first {kind} in row {row}, column "
        f"{listed([column], names)}, but distances need finite numbers; {remedy}fill them in."
    )


def listed(columns: Iterable[int], names: tuple[str, ...] | None) -> str:
    """Return columns by name, or by number, the first five of them."""
    labels = [repr(names[c]) if names else str(c) for c in columns]
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
