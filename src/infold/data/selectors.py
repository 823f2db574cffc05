"""Selectors: how a user names columns on the command line, in one string.

A selector is a comma-separated list of exact names, 0-based positions, ranges ``first:last`` (both ends
included) and patterns with ``*`` and ``?``.  An exact name wins over all else.
"""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .tables import Table


@dataclass(frozen=True)
class Header:
    """Column names in file order, names that stand for several columns, and a remark for error messages."""

    names: list[str]
    groups: dict[str, list[int]] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Reader:
    """A header, how to load columns as a table, and one column as text.

    `load` takes the positions of columns, those among them that are nominal, and "error" or "drop": with the latter,
    missing values become NaN.
    """

    header: Header
    load: Callable[[list[int], set[int], str], Table]
    labels: Callable[[int], list[str]]


def select(header: Header, text: str, parameter: str) -> list[int]:
    """Positions of the columns that the selector `text` picks, in the order asked for, each once."""
    try:
        parts = next(csv.reader([text], skipinitialspace=True, escapechar="\\", strict=True), [])
    except csv.Error as error:
        raise ValueError(
            f"{parameter}={text!r} has an unmatched quote or a stray backslash; "
            "close the quote, or double the backslash."
        ) from error
    if not parts or not all(part.strip() for part in parts):
        raise ValueError(
            f"{parameter}={text!r} names no column, or has an empty name between commas; "
            f"the columns are {listing(header.names)}."
        )
    positions: dict[int, None] = {}
    for part in parts:
        found = _match(header, part, parameter) or _match(header, part.strip(), parameter)
        if not found:
            raise ValueError(_no_match(header, part.strip(), text, parameter))
        positions.update(dict.fromkeys(found))
    return list(positions)


def _match(header: Header, part: str, parameter: str) -> list[int]:
    """Positions that one part of a selector picks: a name, a group, a position, a range or a pattern."""
    single = _position(header, part)
    if single is not None:
        return [single]
    if part in header.groups:
        return header.groups[part]
    for colon in (i for i, character in enumerate(part) if character == ":"):
        first, last = _position(header, part[:colon].strip()), _position(header, part[colon + 1 :].strip())
        if first is not None and last is not None:
            if first > last:
                raise ValueError(
                    f"{parameter}={part!r} runs backwards, but a range goes in file order; "
                    f"write {part[colon + 1 :]}:{part[:colon]}."
                )
            return list(range(first, last + 1))
    if "*" in part or "?" in part:
        pattern = re.compile(re.escape(part).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
        return [i for i, name in enumerate(header.names) if pattern.fullmatch(name)]
    return []


def _position(header: Header, name: str) -> int | None:
    """Position of one column by exact name, or else by 0-based number."""
    if name in header.names:
        return header.names.index(name)
    if name.isascii() and name.isdigit() and int(name) < len(header.names):
        return int(name)
    return None


def _no_match(header: Header, part: str, text: str, parameter: str) -> str:
    """Say why a part of a selector picks nothing, and what would."""
    names = [*header.names, *header.groups]
    known = f"columns are {listing(header.names)}{header.note}."
    if text.strip() in names:
        return (
            f"{parameter}={text!r} is read as a list, but it is one column's name; "
            f"put it in double quotes: {parameter} '\"{text.strip()}\"'."
        )
    if "*" in part or "?" in part:
        return f"{parameter}={part!r} matches no column (case counts); the {known}"
    # A range fails at one of its ends: name that end.
    ends = [end.strip() for end in part.split(":")] if part.count(":") == 1 else [part]
    missing = next((end for end in ends if _position(header, end) is None), part)
    alike = {name.casefold(): name for name in reversed(names)}
    close = [alike[key] for key in difflib.get_close_matches(missing.casefold(), alike, n=3, cutoff=0.5)]
    hint = f"did you mean {' or '.join(map(repr, close))}? The " if close else "the "
    where = f" (in {part!r})" if missing != part else ""
    return f"{parameter}={missing!r}{where} is not a column; {hint}{known}"


def listing(names: Sequence[str], most: int = 8) -> str:
    """Format names for people: all, or the first few and how many there are."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])}, … {names[-1]} ({len(names)} in all)"
