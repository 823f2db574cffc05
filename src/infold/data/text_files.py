"""Turn delimited text into named columns: CSV, TSV and TXT, plain or compressed.

polars reads the cells. What it would accept silently (rows with too few or too many cells, blank lines) is detected
first, and what it cannot read (a bad cell, quotes, runs of blanks) goes to the csv module, which knows line numbers.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .labels import as_number, encoded, mostly_numbers
from .selectors import Header, Reader
from .tables import Table

if TYPE_CHECKING:
    import polars

# What stands for a missing value: among numbers, in any case, and among labels, where "none" or "-" may be a class.
NO_VALUE = {"", "na", "n/a", "nan", "null", "none", "-", ".", "<na>"}
NO_LABEL = {"", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "<NA>"}
ZSTD = b"\x28\xb5\x2f\xfd"  # first bytes of such a file
CHUNK = 10_000  # rows split into Python strings at a time


class Dialect(NamedTuple):
    """How to read text where the file itself does not settle it."""

    separator: str | None = None
    decimal_comma: bool = False
    encoding: str = "utf-8"
    header: bool | None = None  # None: a first row of numbers is data


def open_text(path: Path, content: bytes, suffix: str, dialect: Dialect) -> Reader:
    """Return delimited text as a table.

    A first row of numbers is data, unless it counts 0, 1, 2, …, the names that pandas gives to columns.
    """
    content = _decoded(path, _decompressed(content, suffix), dialect.encoding)
    line = next((line for line in _lines(content) if line.strip()), "")
    if "\0" in line:
        raise ValueError(f"{path} is not text, whatever its suffix says; give it the suffix of its format.")
    if not line:
        raise ValueError(f"{path} is empty; it needs a header and at least one row.")
    is_txt = suffix.startswith(".txt")
    separator = _separator(line, suffix) if dialect.separator is None else check_separator(dialect.separator)
    _, line_number, first = next(_rows(content, separator, is_txt))
    cells = [cell.strip() for cell in first]
    counted = [str(i) for i in range(len(cells))]
    all_numbers = all(as_number(cell) is not None for cell in cells) and cells != counted
    headless = all_numbers if dialect.header is None else not dialect.header
    names = [name or f"Unnamed: {i}" for i, name in enumerate(counted if headless else cells)]  # as pandas does
    n_header_lines = 0 if headless else line_number
    text = Text(path, content, separator, is_txt, tuple(names), n_header_lines, dialect.decimal_comma)
    note = " (the first row is all numbers, so columns are named by position)" if all_numbers and headless else ""
    return Reader(Header(names, note=note), text.load, lambda position: text.cells([position])[0].to_list())


@dataclass(frozen=True)
class Text:
    """Delimited text: content in UTF-8, separator of cells ("" for blanks), names, and lines down to the names."""

    path: Path
    content: bytes
    separator: str
    has_comments: bool
    names: tuple[str, ...]
    n_header_lines: int
    decimal_comma: bool
    split: dict[str, polars.Series] = field(default_factory=dict)  # columns that the csv module has split already

    def load(self, positions: list[int], discrete: set[int], missing: str) -> Table:
        """Return the picked columns: numbers, or nominal where they are text or declared so."""
        numbers = self._numbers(positions)
        odd = [i for i, p in enumerate(positions) if p in discrete or numbers[i].null_count()]
        columns = [one.to_numpy() for one in numbers]
        nominal = []
        for i, cells in zip(odd, self.cells([positions[i] for i in odd]) if odd else [], strict=True):
            p = positions[i]
            repaired = None if p in discrete else self._repaired(p, numbers[i], cells, missing)
            columns[i] = self._classes(p, cells, missing) if repaired is None else repaired
            nominal += [i] if repaired is None else []
        return Table(np.column_stack(columns), tuple(self.names[p] for p in positions), tuple(nominal))

    def cells(self, positions: list[int]) -> list[polars.Series]:
        """Return the cells of the columns at `positions`, as text without blanks around it."""
        import polars

        return [one.fill_null("").str.strip_chars() for one in self._frame(positions, polars.String).get_columns()]

    def _numbers(self, positions: list[int]) -> list[polars.Series]:
        """Return the columns as numbers, null where a cell is not a number."""
        import polars

        if not self.decimal_comma:
            return self._frame(positions, polars.Float64).get_columns()
        # A point may separate thousands, so a cell that has one is not parsed on its own.
        return [
            one.set(one.str.contains(".", literal=True), None).str.replace(",", ".").cast(polars.Float64, strict=False)
            for one in self.cells(positions)
        ]

    def _repaired(self, position: int, numbers: Any, cells: Any, missing: str) -> np.ndarray | None:
        """Return numbers, NaN for what is missing, from cells that are not all numbers; None if they are text."""
        rows = numbers.is_null().to_numpy().nonzero()[0]
        odd = cells.gather(rows).to_list()
        bad = [i for i, cell in enumerate(odd) if cell.lower() not in NO_VALUE and self._number(cell) is None]
        n_good = len(cells) - len(rows)
        if bad and not mostly_numbers([*(odd[i] for i in bad), *["0"] * n_good]):
            return None
        empty = [i for i, cell in enumerate(odd) if cell.lower() in NO_VALUE]
        first = min([*bad, *([] if missing == "drop" else empty)], default=None)
        if first is not None:
            raise ValueError(self._bad_cell(position, int(rows[first]), odd[first]))
        values: np.ndarray = numbers.to_numpy(writable=True)
        values[rows] = [np.nan if cell.lower() in NO_VALUE else self._number(cell) for cell in odd]
        return values

    def _classes(self, position: int, cells: Any, missing: str) -> np.ndarray:
        """Return the codes of a column of classes, NaN where a class is missing."""
        labels = [None if cell in NO_LABEL else cell for cell in cells.to_list()]
        if missing != "drop" and None in labels:
            row = labels.index(None)
            raise ValueError(self._bad_cell(position, row, cells[row]))
        return encoded(labels, f"{self.path}: column {self.names[position]!r}")

    def _number(self, cell: str) -> float | None:
        if not self.decimal_comma:
            return as_number(cell)
        return None if "." in cell else as_number(cell.replace(",", "."))

    def _bad_cell(self, position: int, row: int, cell: str) -> str:
        """Say which cell is not a number, and what to do about it."""
        line = next(islice(self._body(), row, None))[1]
        where = f"{self.path}: column {self.names[position]!r}, row {row + 1} (line {line})"
        if not cell:
            return f"{where} is empty, but every picked cell needs a value; fill it or drop the row (--missing drop)."
        if cell.lower() in NO_VALUE:
            return f"{where} is {cell!r}, which is no value; fill the missing value or drop the row (--missing drop)."
        remedy = "clean the cell, or pass --discrete if the column holds classes"
        if re.fullmatch(r"[-+]?\d+,\d+", cell):
            remedy = "write numbers with a decimal point, or pass --decimal-comma"
        elif "." in cell and self.decimal_comma:
            remedy = "write numbers with a decimal comma and no other mark, or leave --decimal-comma out"
        shown = cell if len(cell) <= 40 else cell[:39] + "…"
        return f"{where} is {shown!r}, which is not a number; {remedy}."

    def _body(self) -> Iterator[tuple[int, int, list[str]]]:
        """Yield (row, line, cells) of each row below the header."""
        return islice(_rows(self.content, self.separator, self.has_comments), int(self.n_header_lines > 0), None)

    def _frame(self, positions: list[int], dtype: Any) -> polars.DataFrame:
        """Return the columns at `positions` as text, or as numbers with null where a cell is not a number."""
        import polars

        names = [str(p) for p in positions]
        if self._plain is None:
            if not self.split.keys() >= set(names):
                self.split.update(self._strings(positions))
            strings = polars.DataFrame([self.split[name] for name in names])
            return strings if dtype == polars.String else strings.cast(dtype, strict=False)
        return (
            polars.scan_csv(
                self._plain,
                has_header=False,
                skip_lines=self.n_header_lines,
                separator=self.separator,
                quote_char=None,
                schema={str(p): dtype for p in range(len(self.names))},
                ignore_errors=True,
            )
            .select(names)
            .collect()
        )

    @cached_property
    def _plain(self) -> bytes | None:
        """The rows below the header if each is one line and cells are simply split by separators; else None."""
        separator = self.separator.encode()
        # A lone \r also ends a line, but polars does not treat it so.
        if not separator or self.has_comments or self.content.count(b"\r") != self.content.count(b"\r\n"):
            return None
        lines = io.BytesIO(self.content)
        for _ in range(self.n_header_lines):
            lines.readline()
        if self.content.find(b'"', lines.tell()) >= 0:
            return None
        blanks, n_separators, n_rows, n_blank = b" \t\r\n".replace(separator, b""), len(self.names) - 1, 0, 0
        for line in lines:
            count = line.count(separator)
            if count == 0 and not line.strip(blanks):
                n_blank += 1
            elif count == n_separators:
                n_rows += 1
            else:
                raise ValueError(self._ragged(self.n_header_lines + n_rows + n_blank + 1, count + 1))
        if not n_rows:
            raise ValueError(self._no_rows())
        if n_blank:
            numbered = enumerate(io.BytesIO(self.content))
            return b"".join(x for i, x in numbered if i < self.n_header_lines or separator in x or x.strip(blanks))
        return self.content

    def _strings(self, positions: list[int]) -> dict[str, polars.Series]:
        """Return the columns at `positions` as text, split by the csv module."""
        import polars

        schema = {str(p): polars.String for p in positions}
        body, frames = self._body(), []
        while rows := list(islice(body, CHUNK)):
            for _, line, cells in rows:
                if len(cells) != len(self.names):
                    raise ValueError(self._ragged(line, len(cells)))
            columns = list(zip(*(cells for _, _, cells in rows), strict=True))
            frames.append(polars.DataFrame({str(p): columns[p] for p in positions}, schema=schema))
        if not frames:
            raise ValueError(self._no_rows())
        return polars.concat(frames).select(polars.all().str.strip_chars()).to_dict()

    def _ragged(self, line: int, n_cells: int) -> str:
        return (
            f"{self.path}: line {line} has {n_cells} cells, but there are {len(self.names)} columns; "
            "quote cells that hold the delimiter, and name every column in the header."
        )

    def _no_rows(self) -> str:
        return f"{self.path} has a header but no rows; add rows, or check that it is the right file."


def check_separator(text: str) -> str:
    """Return the separator that an option means: a character, or "tab"; "" for any number of blanks."""
    separator = {"tab": "\t", "\\t": "\t", " ": "", "space": ""}.get(text, text)
    if len(separator.encode()) > 1 or separator in ('"', "\n", "\r", "."):
        raise ValueError(f"--separator={text!r} cannot separate cells; pass one character, such as ';', tab or space.")
    return separator


def _decompressed(content: bytes, suffix: str) -> bytes:
    if suffix.endswith(".gz"):
        return gzip.decompress(content)
    if not suffix.endswith(".zst"):
        return content
    if not content.startswith(ZSTD):
        raise zlib.error("not a zstd file")
    import polars

    # Each line is one cell, as this separator occurs in no text.
    lines = polars.read_csv(
        content, has_header=False, separator="\x01", quote_char=None, schema={"line": polars.String}
    )
    return "\n".join(lines["line"].fill_null("").to_list()).encode()


def _decoded(path: Path, content: bytes, encoding: str) -> bytes:
    """Return text in UTF-8, without a byte-order mark."""
    try:
        is_utf8 = codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        raise ValueError(f"--encoding={encoding!r} is not known; pass one such as utf-8, latin-1 or utf-16.") from None
    try:
        if not is_utf8:
            return content.decode(encoding).removeprefix("\ufeff").encode()
        if not content.isascii():
            content.decode()
        return content.removeprefix(b"\xef\xbb\xbf")
    except UnicodeDecodeError as error:
        remedy = "save it as UTF-8 (in Excel: 'CSV UTF-8'), or " if is_utf8 else ""
        name = "UTF-8" if is_utf8 else encoding
        raise ValueError(f"{path} is not {name} text; {remedy}pass its encoding with --encoding.") from error


def _lines(content: bytes) -> Iterator[str]:
    return iter(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline=""))


def _separator(line: str, suffix: str) -> str:
    """Return the most frequent of comma, semicolon and tab outside quotes; a .txt may use blanks ('')."""
    if suffix.startswith(".tsv"):
        return "\t"
    bare = re.sub(r'"[^"]*"', "", line)
    best = max(",;\t", key=bare.count)
    if suffix.startswith(".txt") and best not in bare:
        return ""
    return best


def _rows(content: bytes, separator: str, has_comments: bool) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (row number from 0, line number, cells) of each row that is not blank."""
    lines = _uncommented(_lines(content)) if has_comments else _lines(content)
    if separator:
        reader = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    else:
        reader = csv.reader((" ".join(line.split()) for line in lines), delimiter=" ", strict=True)
    number = 0
    for cells in reader:
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield number, reader.line_num, cells
            number += 1


def _uncommented(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines with '# ' removed from the header, where numpy.savetxt puts it, and later comments blanked."""
    is_first = True
    for line in lines:
        if line.startswith("#"):
            line = line.lstrip("# ") if is_first else "\n"
        is_first = is_first and not line.strip()
        yield line
