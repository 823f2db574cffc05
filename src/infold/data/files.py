"""Files to named columns: which table formats are read, and how.

A format has one opener, which returns a `Reader`: the names of its columns, in file order, and functions
that load the columns at given positions as float64, or one column as text.  Every complaint is a one-line ValueError.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import zipfile
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from .binary_files import open_numpy, open_parquet
from .selectors import Header, Reader, select

SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".parquet", ".npy", ".npz")


@dataclass(frozen=True)
class Columns:
    """The columns that one selector picked: their names and values, shape (n_samples, n_columns)."""

    names: tuple[str, ...]
    values: NDArray[np.float64]


@dataclass(frozen=True)
class TableFile:
    """A table file that was read: its path, the SHA-256 of its bytes, and how to get at its columns."""

    path: Path
    sha256: str
    reader: Reader


def read_columns(file: str | Path | TableFile, selectors: Mapping[str, str]) -> dict[str, Columns]:
    """Read the columns that each selector picks from a table file.

    Parameters
    ----------
    file : str, Path or TableFile
        What `open_table` returns, or a path; it ends in .csv, .tsv, .txt, .csv.gz, .tsv.gz, .parquet, .npy or .npz.
    selectors : mapping of str to str
        What to pick, by the name of the parameter that asked for it, such as
        ``{"--x": "a,b", "--y": "c*"}``.  A selector is a comma-separated list of column names, ranges
        ``first:last`` (both ends included, by name or 0-based position) and patterns with ``*`` and ``?``.
        An exact name wins.  A name with a comma is put in double quotes: ``'"a,b",c'``.

    Returns
    -------
    dict of str to Columns
        The picked columns, under the same keys; no column is picked by two selectors.

    Raises
    ------
    ValueError
        If the file is not a readable table, a selector does not fit it, or a picked cell is no number.
    """
    opened = open_table(file)
    path, reader = opened.path, opened.reader
    picked = {parameter: select(reader.header, text, parameter) for parameter, text in selectors.items()}
    owner: dict[int, str] = {}
    for parameter, positions in picked.items():
        for position in positions:
            if position in owner:
                raise ValueError(
                    f"{owner[position]} and {parameter} both pick column {reader.header.names[position]!r}, "
                    "but a column belongs to one side; take it out of one of them."
                )
            owner[position] = parameter
    positions = sorted(owner)
    values = reader.load(positions)
    _check_finite(path, [reader.header.names[p] for p in positions], values)
    return {
        parameter: Columns(
            tuple(reader.header.names[p] for p in chosen),
            np.ascontiguousarray(values[:, np.searchsorted(positions, chosen)]),
        )
        for parameter, chosen in picked.items()
    }


def read_labels(file: str | Path | TableFile, text: str, parameter: str) -> list[str]:
    """Read one column, of numbers or text, as a label for each row.

    Raises
    ------
    ValueError
        If `text` picks no column, or several, or if a cell is empty.
    """
    opened = open_table(file)
    path, reader = opened.path, opened.reader
    positions = select(reader.header, text, parameter)
    if len(positions) > 1:
        raise ValueError(
            f"{parameter}={text!r} picks {len(positions)} columns, but labels come from one; name a single column."
        )
    labels, name = reader.labels(positions[0]), reader.header.names[positions[0]]
    if "" in labels:
        raise ValueError(
            f"{path}: column {name!r}, row {labels.index('') + 1} is empty, but {parameter} needs a label in each row; "
            "fill it or drop the row."
        )
    return labels


def open_table(file: str | Path | TableFile) -> TableFile:
    """Read a table file by its suffix, once: its column names are known, no column is turned into numbers yet."""
    if isinstance(file, TableFile):
        return file
    path = Path(file)
    suffix = next((s for s in sorted(SUFFIXES, key=len, reverse=True) if path.name.lower().endswith(s)), None)
    if path.is_dir():
        raise ValueError(f"{path} is a directory, but a table file is needed; name a file in it.")
    if not path.exists():
        raise ValueError(f"{path}: no such file; check the path.")
    if suffix is None:
        raise ValueError(
            f"{path} has an unknown suffix {path.suffix!r}, but the suffix tells the format; "
            f"save the table as one of {', '.join(SUFFIXES)}."
        )
    with _readable(path):
        content = path.read_bytes()
        if not content:
            raise ValueError(f"{path} is empty; it needs a header and at least one row.")
        match suffix:
            case ".parquet":
                reader = open_parquet(path, content)
            case ".npy" | ".npz":
                reader = open_numpy(path, content)
            case _:
                reader = _open_text(path, content, suffix)
    repeated = [name for name, count in Counter(reader.header.names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{path} has more than one column named {repeated[0]!r}, but names must be unique; rename the columns."
        )
    return TableFile(path, hashlib.sha256(content).hexdigest(), reader)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn what the readers raise on a damaged file into one line."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text; save it as UTF-8 (in Excel: 'CSV UTF-8').") from error
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, csv.Error) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is damaged or not what its suffix says ({reason}); save it again.") from error
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror or error}); check the file and its permissions."
        ) from error


def _open_text(path: Path, content: bytes, suffix: str) -> Reader:
    """Return delimited text as a table.

    A first row of numbers is data, unless it counts 0, 1, 2, … as pandas names columns.
    """
    with _text(path, content) as file:
        line = next((line for line in file if line.strip()), "")
        if "\0" in line:
            raise ValueError(f"{path} is not text, whatever its suffix says; give it the suffix of its format.")
        if not line:
            raise ValueError(f"{path} is empty; it needs a header and at least one row.")
    delimiter = "\t" if suffix.startswith(".tsv") else _delimiter(line, suffix)
    with _text(path, content) as file:
        _, _, first = next(_rows(file, delimiter, suffix))
    cells = [cell.strip() for cell in first]
    counted = [str(i) for i in range(len(cells))]
    headless = all(_number(cell) is not None for cell in cells) and cells != counted
    names = counted if headless else cells
    names = [name or f"Unnamed: {i}" for i, name in enumerate(names)]  # as pandas calls the index it wrote

    def load(positions: list[int]) -> NDArray[np.float64]:
        with _readable(path), _text(path, content) as file:
            return _load_text(path, _rows(file, delimiter, suffix), names, positions, headless)

    def labels(position: int) -> list[str]:
        with _readable(path), _text(path, content) as file:
            rows = _rows(file, delimiter, suffix)
            return [cells[position].strip() for row, _, cells in rows if (headless or row) and position < len(cells)]

    note = " (the first row is all numbers, so columns are named by position)" if headless else ""
    return Reader(Header(names, note=note), load, labels)


def _text(path: Path, content: bytes) -> IO[str]:
    """Open text, through gzip if the suffix says so, without a byte-order mark."""
    file = io.BytesIO(content)
    if path.name.lower().endswith(".gz"):
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    return io.TextIOWrapper(file, encoding="utf-8-sig", newline="")


def _delimiter(line: str, suffix: str) -> str:
    """The most frequent of comma, semicolon and tab outside quotes; a .txt may use blanks ('')."""
    bare = re.sub(r'"[^"]*"', "", line)
    best = max(",;\t", key=bare.count)
    if suffix == ".txt" and best not in bare:
        return ""
    return best


def _rows(file: IO[str], delimiter: str, suffix: str) -> Iterator[tuple[int, int, list[str]]]:
    """(Row number from 0, line number, cells) of each row that is not blank."""
    lines: Iterator[str] = iter(file)
    if suffix == ".txt":
        lines = _uncommented(lines)
    if delimiter:
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != "\t", strict=True)
    else:
        reader = csv.reader((" ".join(line.split()) for line in lines), delimiter=" ", strict=True)
    number = 0
    for cells in reader:
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield number, reader.line_num, cells
            number += 1


def _uncommented(lines: Iterator[str]) -> Iterator[str]:
    """Lines with '# ' taken from the header, where numpy.savetxt puts it, and later comments blanked."""
    is_first = True
    for line in lines:
        if line.startswith("#"):
            line = line.lstrip("# ") if is_first else "\n"
        is_first = is_first and not line.strip()
        yield line


def _load_text(
    path: Path,
    rows: Iterator[tuple[int, int, list[str]]],
    names: list[str],
    positions: list[int],
    headless: bool,
) -> NDArray[np.float64]:
    """Numbers of the picked columns; a row with cells too many or too few would shift them."""
    numbers = array("d")
    if not headless:
        next(rows)
    for row, line, cells in rows:
        if len(cells) != len(names):
            raise ValueError(
                f"{path}: line {line} has {len(cells)} cells, but there are {len(names)} columns; "
                "quote cells that hold the delimiter, and name every column in the header."
            )
        for position in positions:
            value = _number(cells[position])
            if value is None:
                raise ValueError(_bad_cell(path, names[position], row + headless, line, cells[position]))
            numbers.append(value)
    if not numbers:
        raise ValueError(f"{path} has a header but no rows; add rows, or check that it is the right file.")
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(positions))


def _number(cell: str) -> float | None:
    """The number in a cell, or None; 2024_01 is a label, though Python reads it as a number."""
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _bad_cell(path: Path, name: str, row: int, line: int, cell: str) -> str:
    """Say which cell is not a number, and what to do about it."""
    where = f"{path}: column {name!r}, row {row} (line {line})"
    if not cell.strip():
        return f"{where} is empty, but every picked cell must be a number; fill it or drop the row."
    remedy = "clean the cell, or pick numeric columns only"
    if re.fullmatch(r"\s*[-+]?\d+,\d+\s*", cell):
        remedy = "write numbers with a decimal point"
    elif cell.strip().lower() in {"na", "n/a", "null", "none", "-", "."}:
        remedy = "fill the missing value or drop the row"
    shown = cell if len(cell) <= 40 else cell[:39] + "…"
    return f"{where} is {shown!r}, which is not a number; {remedy}."


def _check_finite(path: Path, names: list[str], values: NDArray[np.float64]) -> None:
    """Name the first missing or infinite cell by column and row, which the estimators could not."""
    if len(values) == 0:
        raise ValueError(f"{path} has no rows; add rows, or check that it is the right file.")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{path}: column {names[column]!r}, row {row + 1} is {values[row, column]}, but picked cells "
            "must be finite numbers; fill it or drop the row."
        )
