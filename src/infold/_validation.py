"""The only judge of user input: shapes, types, NaN, constants, counts.

Every complaint gives the parameter, its value, the rule and the remedy, in one line.
"""

from __future__ import annotations

import hashlib
import math
import numbers
import operator
import threading
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np

SMALL = 10_000  # values of a table for which the number of calls counts, and not the work of each
MANY_ROWS = 10_000  # from here on ties of trees apart add .1 nats or more to G-KSG on all data that were tried


class DataWarning(UserWarning):
    """The data have a property that makes an estimate less than it seems; the message says which, and what was done."""


class _WithoutDataWarnings:
    """Hides data warnings while any thread is inside; Python's filters belong to the process, not to a thread."""

    def __init__(self) -> None:
        self._lock, self._depth = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._before = warnings.catch_warnings()
                self._before.__enter__()
                warnings.simplefilter("ignore", DataWarning)
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._before.__exit__(None, None, None)


without_data_warnings = _WithoutDataWarnings()


class Table(NamedTuple):
    """Validated samples: values (n, d), float64 in C order unless they were to stay, and names if columns had any."""

    values: np.ndarray
    names: tuple[str, ...] | None


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


def check_pair(X: Any, Y: Any, *, n_neighbors: int, as_it_is: bool = False) -> tuple[Table, Table]:
    """Return X and Y as Tables of one length, with more rows than `n_neighbors` and no column in common."""
    if Y is None:
        raise ValueError("Y is None: fit requires y to be passed, but the target y is None; call fit(X, Y).")
    x, y = (check_table(data, name, as_it_is=as_it_is) for data, name in ((X, "X"), (Y, "Y")))
    n = len(x.values)
    if len(y.values) != n:
        raise ValueError(
            f"X has {n} rows and Y has {len(y.values)}, but row i of both must be the same sample; pass equal lengths."
        )
    if n <= n_neighbors:
        raise ValueError(
            f"n_neighbors={n_neighbors} needs at least {n_neighbors + 1} samples, but X has {n} (n_samples = {n}); "
            f"lower n_neighbors or add samples."
        )
    _refuse_shared_columns(x, y)
    return x, y


def drop_constant(table: Table, name: str) -> Table:
    """Return `table` without constant columns, which tell nothing; warn if there were any."""
    values = table.values
    # Mostly true, and then nothing else needs a look.
    if all(map(operator.ne, values[0].tolist(), values[-1].tolist())):
        return table
    varies = values.min(axis=0) < values.max(axis=0)
    if varies.all():
        return table
    what = _named(np.flatnonzero(~varies), table.names)
    rest = "the MI with it is 0" if not varies.any() else "the others are used"
    _warn(f"{name} has constant columns ({what}), which carry no information; {rest}.")
    names = tuple(c for c, keep in zip(table.names, varies, strict=True) if keep) if table.names else None
    return Table(np.ascontiguousarray(values[:, varies]), names)


def warn_repeated_rows(*values: np.ndarray) -> None:
    """Warn if whole rows repeat: kNN formulas are for continuous data."""
    n, ordered = len(values[0]), values[0][:, 0].copy()
    ordered.sort()
    if np.logical_and.reduce(ordered[1:] != ordered[:-1]):
        return
    n_repeats = _count_repeats([column for table in values for column in table.T])
    if n_repeats:
        _warn(
            f"{n_repeats} of {n} rows repeat another row in every column: kNN estimates are for continuous data. "
            f"A row with n_neighbors or more copies counts as an atom of a discrete distribution; drop copies that "
            f"are no new measurements, or read the estimate with care."
        )


def warn_tied_trees(n: int) -> None:
    """Warn that G-KSG rises with n where rows equally many trees apart are left tied."""
    if n >= MANY_ROWS:
        _warn(
            f"G-KSG as in the paper rises with the number of rows, also past the truth: the more there are, the more "
            f"of them are equally many trees apart. With {n} rows, pass local_distance='everywhere', which breaks "
            f"ties; where that was tried it took off .1 to .5 nats at 10,000 rows, and .4 to .6 at 100,000."
        )


def _count_repeats(columns: Sequence[np.ndarray]) -> int:
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


def check_count(name: str, value: Any, *, minimum: int = 1) -> int:
    """Return `value` as an int of at least `minimum`."""
    if type(value) is not int and (isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral)):
        raise TypeError(f"{name}={value!r} must be a whole number; pass an int of at least {minimum}.")
    if value < minimum:
        raise ValueError(f"{name}={value} must be at least {minimum}; pass a larger number.")
    return int(value)


def check_share(name: str, value: Any) -> float:
    """Return `value` as a float strictly between 0 and 1."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}={value!r} must be a number; pass one between 0 and 1.")
    if not 0 < float(value) < 1:
        raise ValueError(f"{name}={value} must be between 0 and 1, both excluded; pass such a number.")
    return float(value)


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name}={value!r} is not known; choose one of {listed}.")
    return value


def check_bootstrap_size(value: Any, n: int) -> int:
    """Return how many rows a tree draws: None means n, a float a part of n, an int a number."""
    if value is None:
        return n
    if isinstance(value, float | np.floating):
        if not 0 < value <= 1:
            raise ValueError(
                f"max_samples={value} as a part of the samples must be in (0, 1]; pass such a number or an int."
            )
        return max(2, round(float(value) * n))
    return check_count("max_samples", value, minimum=2)


def check_random_state(value: Any) -> Any:
    """Return `value` if randomness can start from it."""
    if value is None or isinstance(value, np.random.Generator | np.random.RandomState):
        return value
    if value is np.random:
        return np.random.mtrand._rand
    return check_count("random_state", value, minimum=0)


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
        f"{_named([column], names)}, but distances need finite numbers; drop those rows or fill them in."
    )


def _refuse_shared_columns(x: Table, y: Table) -> None:
    # A value or three tell columns apart, mostly; a digest of the whole column does without keeping copies.
    if set(x.values[0].tolist()).isdisjoint(y.values[0].tolist()) or _heads(x.values).isdisjoint(_heads(y.values)):
        return
    in_x = {_digest(column): i for i, column in enumerate(x.values.T)}
    for j, column in enumerate(y.values.T):
        i = in_x.get(_digest(column))
        if i is not None and np.ptp(column) > 0:
            raise ValueError(
                f"column {_named([i], x.names)} of X equals column {_named([j], y.names)} of Y, so the MI is infinite; "
                f"leave it out on one side."
            )


def _heads(values: np.ndarray) -> set[tuple[float, ...]]:
    return set(zip(*(values[row].tolist() for row in (0, len(values) // 2, -1)), strict=True))


def _digest(column: np.ndarray) -> bytes:
    return hashlib.blake2b((np.asarray(column, np.float64) + 0.0).tobytes(), digest_size=16).digest()


def _named(columns: Iterable[int], names: tuple[str, ...] | None) -> str:
    labels = [repr(names[c]) if names else str(c) for c in columns]
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=4)  # the line that called fit
