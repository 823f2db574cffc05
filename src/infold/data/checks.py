"""Checks of parameters, and the warning about data.

Every complaint gives the parameter, its value, the rule and the remedy, in one line.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Collection
from typing import Any

import numpy as np


class DataWarning(UserWarning):
    """The data have a property that makes an estimate less reliable; the message says which, and what was done."""


def warn(message: str) -> None:
    """Issue a DataWarning that points at the line outside this package that led to it."""
    depth = 1
    while sys._getframe(depth).f_globals.get("__name__", "").partition(".")[0] == "infold":
        depth += 1
    warnings.warn(message, DataWarning, stacklevel=depth + 1)


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


def check_most(name: str, value: Any, *, minimum: int = 1) -> None:
    """Refuse anything but a number, "auto", or None for no limit."""
    if isinstance(value, str):
        if value != "auto":
            raise ValueError(f"{name}={value!r} must be a number, 'auto' or None; pass one of these.")
    elif value is not None:
        check_count(name, value, minimum=minimum)


def check_bootstrap_size(value: Any, n: int, *, most: int) -> int:
    """Return how many rows a tree draws: "auto" is n, but at most `most`; None is n; a float is a share of n."""
    if value is None:
        return n
    if isinstance(value, str):
        check_most("max_samples", value)
        return min(n, most)
    if isinstance(value, float | np.floating):
        if not 0 < value <= 1:
            raise ValueError(
                f"max_samples={value} as a share of the samples must be in (0, 1]; pass such a number or an int."
            )
        return max(2, round(float(value) * n))
    return check_count("max_samples", value, minimum=2)


def check_random_state(value: Any) -> Any:
    """Return `value` if it can seed a random generator."""
    if value is None or isinstance(value, np.random.Generator | np.random.RandomState):
        return value
    if value is np.random:
        return np.random.mtrand._rand
    return check_count("random_state", value, minimum=0)
