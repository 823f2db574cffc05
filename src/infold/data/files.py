"""Turn files into named columns: which table formats are read, and how.

Each format has one opener, which returns a `Reader`: the names of its columns, in file order, and functions
that load the columns at given positions as a table, or one column as text.  Every error is a one-line ValueError.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .binary_files import open_numpy, open_typed
from .selectors import Reader, select
from .tables import Table
from .text_files import ZSTD, Dialect, open_text

TEXT = tuple(suffix + packed for suffix in (".csv", ".tsv", ".txt") for packed in ("", ".gz", ".zst"))
TYPED = (".parquet", ".arrow", ".feather", ".ipc", ".ndjson", ".jsonl", ".xlsx")
SUFFIXES = (*TEXT, *TYPED, ".npy", ".npz")
STDIN = Path("-")
# First bytes of content from stdin, which has no suffix; anything else is text.
MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow", b"{": ".ndjson", b"PK": ".xlsx"}
MAGIC |= {b"\x93NUMPY": ".npy", b"\x1f\x8b": ".csv.gz", ZSTD: ".csv.zst"}


@dataclass(frozen=True)
class TableFile:
    """A table file that was read: its path, the SHA-256 of its bytes, and how to access its columns."""

    path: Path
    sha256: str
    reader: Reader


def read_columns(
    file: str | Path | TableFile,
    selectors: Mapping[str, str],
    *,
    discrete: str | None = None,
    missing: str = "error",
    shared: bool = False,
) -> dict[str, Table]:
    """Read the columns that each selector picks from a table file.

    Parameters
    ----------
    file : str, Path or TableFile
        What `open_table` returns, or a path with one of `SUFFIXES`.
    selectors : mapping of str to str
        What to pick, by the name of the parameter that asked for it, such as
        ``{"--x": "a,b", "--y": "c*"}``.  A selector is a comma-separated list of column names, ranges
        ``first:last`` (both ends included, by name or 0-based position) and patterns with ``*`` and ``?``.
        An exact name wins.  A name with a comma is put in double quotes: ``'"a,b",c'``.
    discrete : str, optional
        Selector of the picked columns that are nominal, in addition to those with text, categories or booleans.
    missing : {"error", "drop"}, default="error"
        Whether a missing value is refused, or becomes NaN in the table.
    shared : bool, default=False
        Whether a column may be picked by two selectors, as a series and its own past.

    Returns
    -------
    dict of str to Table
        The picked columns, under the same keys.

    Raises
    ------
    ValueError
        If the file is not a readable table, a selector does not match it, or a picked cell has no usable value.
    """
    opened = open_table(file)
    path, reader = opened.path, opened.reader
    picked = {parameter: select(reader.header, text, parameter) for parameter, text in selectors.items()}
    owner: dict[int, str] = {}
    for parameter, positions in picked.items():
        for position in positions:
            if position in owner and not shared:
                raise ValueError(
                    f"{owner[position]} and {parameter} both pick column {reader.header.names[position]!r}, "
                    "but a column belongs to one side; take it out of one of them."
                )
            owner[position] = parameter
    positions = sorted(owner)
    declared = set() if discrete is None else set(select(reader.header, discrete, "--discrete"))
    if discrete is not None and declared.isdisjoint(positions):
        raise ValueError(
            f"--discrete={discrete!r} names none of the columns that {' and '.join(selectors)} pick; name some of them."
        )
    with _readable(path):
        table = reader.load(positions, declared, missing)
    _check_finite(path, table, missing)
    return {parameter: _part(table, np.searchsorted(positions, chosen)) for parameter, chosen in picked.items()}


def _part(table: Table, columns: np.ndarray) -> Table:
    names = table.names or ()
    nominal = np.flatnonzero(np.isin(columns, table.nominal))
    values = np.ascontiguousarray(table.values[:, columns])
    return Table(values, tuple(names[c] for c in columns), tuple(nominal.tolist()))


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
    with _readable(path):
        labels, name = reader.labels(positions[0]), reader.header.names[positions[0]]
    if "" in labels:
        raise ValueError(
            f"{path}: column {name!r}, row {labels.index('') + 1} is empty, but {parameter} needs a label in each row; "
            "fill it or drop the row."
        )
    return labels


def open_table(file: str | Path | TableFile, dialect: Dialect = Dialect()) -> TableFile:  # noqa: B008
    """Open a table file by its suffix, or stdin as "-", once: this reads the column names, but no column yet."""
    if isinstance(file, TableFile):
        return file
    path = Path(file)
    suffix = next((s for s in sorted(SUFFIXES, key=len, reverse=True) if path.name.lower().endswith(s)), None)
    if path != STDIN:
        _check_path(path, suffix)
    with _readable(path):
        content = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
        if not content:
            raise ValueError(f"{path} is empty; it needs a header and at least one row.")
        suffix = suffix or next((s for start, s in MAGIC.items() if content.startswith(start)), ".csv")
        if suffix not in TEXT and dialect != Dialect():
            raise ValueError(
                f"{path} is not text, so --separator, --decimal-comma, --encoding and --no-header do not apply; "
                f"leave them out."
            )
        if suffix in TEXT:
            reader = open_text(path, content, suffix, dialect)
        elif suffix in TYPED:
            reader = open_typed(path, content, suffix)
        else:
            reader = open_numpy(path, content)
    repeated = [name for name, count in Counter(reader.header.names).items() if count > 1]
    if repeated:
        raise ValueError(
            f"{path} has more than one column named {repeated[0]!r}, but names must be unique; rename the columns."
        )
    return TableFile(path, hashlib.sha256(content).hexdigest(), reader)


def _check_path(path: Path, suffix: str | None) -> None:
    if path.is_dir():
        raise ValueError(f"{path} is a directory, but a table file is needed; name a file in it.")
    if not path.exists():
        raise ValueError(f"{path}: no such file; check the path.")
    if suffix is None:
        raise ValueError(
            f"{path} has an unknown suffix {path.suffix!r}, but the suffix tells the format; "
            f"save the table as one of {', '.join(SUFFIXES)}."
        )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn the exceptions that readers raise on a damaged file into a one-line error."""
    from polars.exceptions import PolarsError

    try:
        yield
    except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile, csv.Error, PolarsError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is damaged or not what its suffix says ({reason}); save it again.") from error
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror or error}); check the file and its permissions."
        ) from error


def _check_finite(path: Path, table: Table, missing: str) -> None:
    """Report the first missing or infinite cell by its column and row in the file, which estimators do not know."""
    values, names, nominal = table
    if len(values) == 0:
        raise ValueError(f"{path} has no rows; add rows, or check that it is the right file.")
    bad = np.argwhere(np.isinf(values) if missing == "drop" else ~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        found = "empty" if column in nominal else values[row, column]
        remedy = "fill it or drop the row" + (" (--missing drop)" if np.isnan(values[row, column]) else "")
        raise ValueError(
            f"{path}: column {(names or ())[column]!r}, row {row + 1} is {found}, but picked cells "
            f"must be finite numbers or labels; {remedy}."
        )
