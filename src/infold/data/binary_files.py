"""Parquet and NumPy files to named columns."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .selectors import Header, Reader


def open_parquet(path: Path, content: bytes) -> Reader:
    """Return a Parquet file as a table; columns are decoded one by one."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            f"reading {path} needs pyarrow; install it with: pip install 'infold[parquet]'", name="pyarrow"
        ) from error
    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{path} is damaged or not a Parquet file; write it again.") from error
    # pandas keeps an unnamed index in such a column: it is not data.
    names = [name for name in file.schema_arrow.names if not re.fullmatch(r"__index_level_\d+__", name)]

    def load(positions: list[int]) -> NDArray[np.float64]:
        columns = []
        for name in (names[p] for p in positions):
            kind = file.schema_arrow.field(name).type
            try:
                (column,) = file.read(columns=[name]).columns
                if (
                    pyarrow.types.is_string(kind)
                    or pyarrow.types.is_large_string(kind)
                    or pyarrow.types.is_temporal(kind)
                ):
                    raise pyarrow.ArrowInvalid("text and times are not numbers, even if they can be cast")
                columns.append(column.cast(pyarrow.float64()).to_numpy())
            except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
                raise ValueError(_not_numeric(path, name, str(kind))) from error
        return np.column_stack(columns)

    def labels(position: int) -> list[str]:
        (column,) = file.read(columns=[names[position]]).columns
        return ["" if value is None else str(value) for value in column.to_pylist()]

    return Reader(Header(names), load, labels)


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
    """One array of an archive, or None if it cannot be read without running its code."""
    try:
        return archive[name]
    except ValueError:
        return None


def _named_arrays(path: Path, members: dict[str, Any]) -> Reader:
    """A table of 1-D and 2-D arrays; a wide array `X` gives the columns X[0], X[1], … and the group X."""
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

    def load(positions: list[int]) -> NDArray[np.float64]:
        columns: list[NDArray[np.float64]] = []
        for name, i in (sources[p] for p in positions):
            values = members[name]
            if values is None or values.dtype.kind not in "biuf":
                raise ValueError(_not_numeric(path, name, "object" if values is None else str(values.dtype)))
            if values.ndim not in (1, 2):
                raise ValueError(f"{path}: {name!r} has shape {values.shape}, but 1-D or 2-D is needed; reshape it.")
            columns.append(
                (values.reshape(len(values), -1)[:, i or 0] if values.size else values.ravel()).astype(float)
            )
            if len(columns[-1]) != len(columns[0]):
                raise ValueError(
                    f"{path}: {name!r} has {len(columns[-1])} rows, but {sources[positions[0]][0]!r} has "
                    f"{len(columns[0])}; pick arrays with the same rows."
                )
        return np.column_stack(columns)

    def labels(position: int) -> list[str]:
        name, i = sources[position]
        values = members[name]
        if values is None:
            raise ValueError(_not_numeric(path, name, "object"))
        return [str(value) for value in values.reshape(len(values), -1)[:, i or 0].tolist()]

    return Reader(Header(names, groups), load, labels)


def _not_numeric(path: Path, name: str, kind: str) -> str:
    return f"{path}: column {name!r} holds {kind}, not numbers; convert it, or pick numeric columns only."
