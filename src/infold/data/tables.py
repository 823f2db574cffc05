"""Arrays, frames and series to tables of numbers; what is no such table, or has NaN in it, is refused here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np

SMALL = 10_000  # values of a table for which the number of calls counts, and not the work of each


class Table(NamedTuple):
    """Validated samples: values (n, d), float64 in C order unless they were to stay, and names if columns had any.

    A nominal column has codes 0, 1, 2 … in the order in which its labels first appear: they can be told apart, and mean
    nothing else.
    """

    values: np.ndarray
    names: tuple[str, ...] | None
    nominal: tuple[int, ...] = ()  # positions of nominal columns


def check_table(data: Any, name: str, *, as_it_is: bool = False) -> Table:
    """Return `data` (array, nested list, pandas or polars table or series) as a Table; 1-D input is one column.

    With `as_it_is` float32 stays float32, in any order of memory: for callers that convert a column at a time.
    """
    if isinstance(data, Table):
        _refuse_non_finite(data.values, name, data.names)
        return data
    names: tuple[str, ...] | None = None
    if hasattr(data, "set_axis"):  # pandas lets names be numbers, tuples, or the same twice
        data, names = _renamed(data)
    # A plain array is no table of any library: asking all of them takes longer than a small estimate.
    plain = type(data) is np.ndarray
    native = data if plain else nw.from_native(data, pass_through=True, eager_only=True, allow_series=True)
    if isinstance(native, nw.Series):
        names = (str(native.name),) if native.name not in (None, "") else None
        native = native.to_frame()
    if isinstance(native, nw.DataFrame):
        labels = names or tuple(str(c) for c in native.columns)
        _refuse_text(native, name, labels)
        names = labels if names != () else None
        values = _in_one_piece(data)
        if values is None:
            columns = [_column(native[c]) for c in native.columns]
            values = np.column_stack(columns) if columns else np.empty((0, 0))
    elif isinstance(native, nw.LazyFrame):
        raise TypeError(f"{name} is a lazy table, but its rows are needed; call .collect() first.")
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
    if not (as_it_is and values.dtype in (np.float32, np.float64)):
        values = np.asarray(values, np.float64, order="C")
    _refuse_non_finite(values, name, names)
    return Table(values, names)


def _array(data: Any, name: str) -> np.ndarray:
    if hasattr(data, "toarray"):
        raise TypeError(f"{name} is a sparse matrix, but samples are dense here; pass {name}.toarray().")
    if isinstance(data, np.ma.MaskedArray):
        data = data.filled(np.nan) if data.mask.any() else data.data
    try:
        values = np.asarray(data)
    except ValueError as error:
        raise ValueError(f"{name} is not a table: {error}; pass rows of equal length.") from None
    if values.dtype == object:
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name} holds values that are not numbers ({error}); encode or drop them.") from None
    if values.dtype.kind == "c":
        raise ValueError(
            f"{name} is complex: Complex data not supported; pass the real and imaginary parts as columns."
        )
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} has type {values.dtype}, but MI here is between numbers; encode or drop such columns.")
    if values.ndim == 0:
        raise ValueError(f"{name} is a single number, but needs rows. Reshape your data: pass an array of samples.")
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


def _refuse_text(frame: nw.DataFrame[Any], name: str, labels: Sequence[str]) -> None:
    dtypes = zip(labels, frame.schema.values(), strict=True)
    bad = [f"{c!r} ({dtype})" for c, dtype in dtypes if not (dtype.is_numeric() or dtype == nw.Boolean)]
    if bad:
        raise TypeError(f"{name} has columns that are not numbers: {', '.join(bad[:5])}; encode or drop them.")


def _in_one_piece(data: Any) -> np.ndarray | None:
    """Return the values of a pandas table that keeps them together, which is no copy; None for any other."""
    dtypes = set(data.dtypes) if hasattr(data, "set_axis") else set()
    return data.to_numpy() if dtypes in ({np.dtype(np.float32)}, {np.dtype(np.float64)}) else None


def _column(series: nw.Series[Any]) -> np.ndarray:
    if series.null_count():
        series = series.cast(nw.Float64)
    values = series.to_numpy()
    return values if values.dtype == np.float32 else np.asarray(values, np.float64)


def _refuse_non_finite(values: np.ndarray, name: str, names: tuple[str, ...] | None) -> None:
    if values.size <= SMALL:
        if np.logical_and.reduce(np.isfinite(values), axis=None):
            return
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            # One pass, and no table of truth values; a sum that overflows is only a reason to look closer.
            if math.isfinite(np.add.reduce(values, axis=None)):
                return
    finite = np.isfinite(values)
    if finite.all():
        return
    row, column = (int(i[0]) for i in np.nonzero(~finite))
    kind = "NaN" if np.isnan(values[row, column]) else "infinity (inf)"
    raise ValueError(
        f"{name} contains {np.count_nonzero(~finite)} NaN or infinite values, the first {kind} in row {row}, column "
        f"{listed([column], names)}, but distances need finite numbers; drop those rows or fill them in."
    )


def listed(columns: Iterable[int], names: tuple[str, ...] | None) -> str:
    """Return columns by name, or by number, the first five of them."""
    labels = [repr(names[c]) if names else str(c) for c in columns]
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
