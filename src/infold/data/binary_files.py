"""Files with typed columns (Parquet, Arrow, NDJSON, Excel, NumPy) to named columns."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .labels import encoded, mostly_numbers
from .selectors import Header, Reader
from .tables import Table

if TYPE_CHECKING:
    import polars


def open_typed(path: Path, content: bytes, suffix: str) -> Reader:
    """Return a file in one of polars' formats as a table; where the format allows, only picked columns are decoded."""
    import polars

    match suffix:
        case ".parquet":
            frame = polars.scan_parquet(content)
        case ".ndjson" | ".jsonl":
            frame = polars.scan_ndjson(content, infer_schema_length=None)
        case ".xlsx":
            frame = _excel(path, content)
        case _:
            is_stream = content.startswith(b"\xff\xff\xff\xff")
            frame = polars.read_ipc_stream(BytesIO(content)).lazy() if is_stream else polars.scan_ipc(content)
    # pandas keeps an unnamed index in such a column: it is not data.
    names = [name for name in frame.collect_schema().names() if not re.fullmatch(r"__index_level_\d+__", name)]
    return _reader(path, Header(names), lambda positions: _columns(frame, [names[p] for p in positions]))


def _columns(frame: polars.LazyFrame, names: list[str]) -> list[polars.Series]:
    return frame.select(names).collect().get_columns()


def _excel(path: Path, content: bytes) -> polars.LazyFrame:
    import polars

    try:
        return polars.read_excel(BytesIO(content), infer_schema_length=None).lazy()
    except ModuleNotFoundError as error:
        raise ImportError(
            f"reading {path} needs fastexcel; install it with: pip install 'infold[excel]'", name="fastexcel"
        ) from error
    except Exception as error:  # fastexcel raises its own exceptions
        raise ValueError(
            f"{path} is damaged or not an Excel file ({str(error).splitlines()[0]}); save it again."
        ) from error


def _reader(path: Path, header: Header, columns: Callable[[list[int]], list[polars.Series]]) -> Reader:
    """Return the reader of typed columns."""

    def load(positions: list[int], discrete: set[int], missing: str) -> Table:
        found = [_values(path, one, p in discrete) for p, one in zip(positions, columns(positions), strict=True)]
        return Table(
            np.column_stack([values for values, _ in found]),
            tuple(header.names[p] for p in positions),
            tuple(i for i, (_, is_nominal) in enumerate(found) if is_nominal),
        )

    def labels(position: int) -> list[str]:
        (column,) = columns([position])
        return ["" if value is None else str(value) for value in column.to_list()]

    return Reader(header, load, labels)


def _values(path: Path, column: polars.Series, is_declared: bool) -> tuple[np.ndarray, bool]:
    """Return a column as numbers, or as codes of its labels, and whether they are labels."""
    import polars

    is_empty = column.null_count() == len(column)
    if is_empty or (column.dtype.is_numeric() and not is_declared):
        return column.cast(polars.Float64).to_numpy() if not is_empty else np.full(len(column), np.nan), False
    where = f"{path}: column {column.name!r}"
    if not is_declared and column.dtype not in (polars.Boolean, polars.String, polars.Categorical, polars.Enum):
        raise ValueError(
            f"{where} holds {column.dtype}, neither numbers nor classes; convert it, or pick other columns."
        )
    labels = column.to_list()
    if not is_declared and column.dtype == polars.String and mostly_numbers(labels):
        raise ValueError(
            f"{where} holds numbers as text; convert them to numbers or, if they are classes, pass --discrete."
        )
    return encoded(labels, where), True


def open_numpy(path: Path, content: bytes) -> Reader:
    """Return an array with numbered columns, or named arrays: the fields of records, the members of an .npz."""
    with BytesIO(content) as file:
        try:
            loaded = np.load(file, allow_pickle=False)
        except ValueError as error:
            raise ValueError(
                f"{path} is not an array that can be read without running its code (a pickle, or damaged); "
                "save it with numpy.save from a numeric array."
            ) from error
        if not isinstance(loaded, np.ndarray):
            return _named_arrays(path, {name: _member(loaded, name) for name in loaded.files})
    if loaded.dtype.names is not None:
        return _named_arrays(path, {name: loaded[name] for name in loaded.dtype.names})
    if loaded.ndim not in (1, 2):
        raise ValueError(f"{path} has shape {loaded.shape}, but rows and columns are needed; make it 2-D.")
    matrix = loaded.reshape(len(loaded), -1) if loaded.size else loaded.reshape(0, 1)
    return _named_arrays(path, {str(i): matrix[:, i] for i in range(matrix.shape[1])})


def _member(archive: Any, name: str) -> Any:
    """Return one array of an archive, or None if reading it would run code stored in it."""
    try:
        return archive[name]
    except ValueError:
        return None


def _named_arrays(path: Path, members: dict[str, Any]) -> Reader:
    """Return a table of 1-D and 2-D arrays; a wide array `X` gives the columns X[0], X[1], … and the group X."""
    names: list[str] = []
    sources: list[tuple[str, int | None]] = []
    groups: dict[str, list[int]] = {}
    for name, values in members.items():
        wide = values is not None and values.ndim == 2 and values.shape[1] > 1
        if wide:
            groups[name] = list(range(len(names), len(names) + values.shape[1]))
        for i in range(values.shape[1]) if wide else [None]:
            names.append(name if i is None else f"{name}[{i}]")
            sources.append((name, i))

    def columns(positions: list[int]) -> list[polars.Series]:
        arrays: list[np.ndarray] = []
        for name, i in (sources[p] for p in positions):
            values = members[name]
            if values is None or values.dtype.kind not in "biufU":
                kind = "object" if values is None else str(values.dtype)
                raise ValueError(
                    f"{path}: column {name!r} holds {kind}, neither numbers nor classes; convert it, or pick other "
                    f"columns."
                )
            if values.ndim not in (1, 2):
                raise ValueError(f"{path}: {name!r} has shape {values.shape}, but 1-D or 2-D is needed; reshape it.")
            arrays.append(values.reshape(len(values), -1)[:, i or 0] if values.size else values.ravel())
            if len(arrays[-1]) != len(arrays[0]):
                raise ValueError(
                    f"{path}: {name!r} has {len(arrays[-1])} rows, but {sources[positions[0]][0]!r} has "
                    f"{len(arrays[0])}; pick arrays with the same rows."
                )
        return [_series(names[p], values) for p, values in zip(positions, arrays, strict=True)]

    return _reader(path, Header(names, groups), columns)


def _series(name: str, values: np.ndarray) -> polars.Series:
    import polars

    as_float = values.dtype.kind == "f"
    return polars.Series(name, values.astype(float) if as_float else values.tolist(), nan_to_null=False)
