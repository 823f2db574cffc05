"""Turn class labels into codes, and decide which objects are labels at all."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

MOSTLY_NUMBERS = 0.5  # a text column with at least this share of numbers is not a column of classes
NUMBER_LIKE = re.compile(r"\s*[-+]?\d[\d.,]*\s*%?\s*")


def from_objects(
    objects: list[Any], name: str, column: str, is_categorical: bool, numbers_only: bool
) -> tuple[np.ndarray, bool]:
    """Return Python objects as numbers or as codes of labels, and whether they are labels."""
    rows = {type(value): row for row, value in reversed(list(enumerate(objects))) if not _is_missing(value)}
    are_numbers = all(issubclass(one, numbers.Number) and not issubclass(one, bool) for one in rows)
    are_truths = all(issubclass(one, bool | np.bool_) for one in rows)
    are_text = all(issubclass(one, str | bytes) for one in rows)
    where = f"{name}, column {column}"
    if (are_numbers and not is_categorical) or (are_truths and numbers_only):
        try:
            values = np.array([math.nan if _is_missing(value) else float(value) for value in objects])
        except TypeError:
            raise ValueError(
                f"{where} is complex: Complex data not supported; pass the real and imaginary parts as columns."
            ) from None
        except OverflowError:
            raise ValueError(f"{where} has numbers beyond 1e308; subtract an offset, or take logarithms.") from None
        huge = {one for one in objects if isinstance(one, int) and abs(one) > 2**53}
        if len(huge) > len(set(map(float, huge))):
            raise ValueError(
                f"{where} has whole numbers beyond 2^53, such as {max(huge)}, some of which become equal "
                f"as floating point numbers; subtract an offset or, if they are labels, pass discrete_{name.lower()}."
            )
        return values, False
    if not (are_numbers or are_truths or are_text or is_categorical):
        first = ", ".join(f"{one.__name__} in row {row}" for one, row in sorted(rows.items(), key=lambda i: i[1])[:3])
        raise TypeError(
            f"{where} holds neither numbers nor text alone ({first}), but an argument must be a string or a number in "
            f"every row, not both; make it one of them."
        )
    if numbers_only:
        raise TypeError(f"{where} holds text, but only numbers are allowed here; encode or drop it.")
    if are_text and not is_categorical and mostly_numbers(objects):
        raise TypeError(
            f"{where} holds numbers as text ({next(one for one in objects if not _is_missing(one))!r}); convert them "
            f"to numbers or, if they are classes, pass discrete_{name.lower()}."
        )
    return encoded(objects, where), True


def mostly_numbers(labels: Sequence[Any]) -> bool:
    """Return whether at least half of the labels present parse as numbers, allowing a comma or percent sign."""
    there = [one for one in labels if not _is_missing(one)]
    known = {one: as_number(one) is not None or bool(NUMBER_LIKE.fullmatch(str(one))) for one in set(there)}
    return sum(known[one] for one in there) >= MOSTLY_NUMBERS * len(there)


def as_number(cell: Any) -> float | None:
    """Return the number in a cell, or None; 2024_01 is a label, though Python reads it as a number."""
    try:
        return None if "_" in str(cell) else float(cell)
    except ValueError:
        return None


def encoded(labels: Iterable[Any], where: str) -> np.ndarray:
    """Return codes 0, 1, 2 … of labels in the order of their first appearance, NaN where there is no label."""
    codes: dict[Any, int] = {}
    try:
        return np.array([math.nan if _is_missing(one) else codes.setdefault(one, len(codes)) for one in labels], float)
    except TypeError as error:
        raise TypeError(f"{where} holds values that cannot be labels ({error}); make them text.") from None


def recoded(column: np.ndarray) -> np.ndarray:
    """Return codes 0, 1, 2 … of numbers in the order of their first appearance; NaN stays."""
    codes = np.full(len(column), np.nan)
    there = ~np.isnan(column)
    _, first, which = np.unique(column[there], return_index=True, return_inverse=True)
    codes[there] = np.argsort(np.argsort(first))[which]
    return codes


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, an empty string, or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value == "" if isinstance(value, str) else isinstance(value, float) and value != value
