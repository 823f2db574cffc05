"""How mistakes and warnings reach the user: one line each, on stderr."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import typer

OPTIONAL = {"fastexcel", "jinja2", "matplotlib", "networkx", "pandas"}


# What the library calls its parameters, and the command line its options.
OPTIONS = {
    "block": "--block",
    "delay": "--delay",
    "difference": "--difference",
    "discrete_[xyz]": "--discrete",
    "groups": "--groups",
    "how": "--prune",
    "level": "--level",
    "local_distance": "--local-distance",
    "max_queries": "--max-queries",
    "method": "--method",
    "missing": "--missing",
    "n_estimators": "--trees",
    "n_jobs": "--jobs",
    "n_neighbors": "--neighbors",
    "n_permutations": "--permutations",
    "n_surrogates": "--surrogates",
    "random_state": "--seed",
    "units": "--units",
}
_WHOLE = {"prune(how='conditional')": "--prune conditional", "kind='together'": "--together"}
_WHOLE |= {"lagged_mutual_information": "infold lags", "transfer_entropy_matrix": "infold network --transfer-entropy"}
_WHOLE |= {"kind='alone'": "columns alone", "difference=1": "--difference"}
_VALUE = r"\[[^\]]*\]|'[^']*'|-?\w+(?:\.\d+)?"


def in_options(message: str) -> str:
    """Return a message of the library with the names that the command line uses.

    >>> in_options("n_neighbors=10 needs at least 11 samples; lower n_neighbors, or pass missing='drop'.")
    '--neighbors 10 needs at least 11 samples; lower --neighbors, or pass --missing drop.'
    >>> in_options("if they stand for classes, pass discrete_x=['a', 'b c'].")
    'if they stand for classes, pass --discrete "a,b c".'
    """
    message = re.sub(r"; it takes [^.]*\.", ".", message)  # parameters, not all of which have an option
    for text, option in _WHOLE.items():
        message = message.replace(text, option)
    for name, option in OPTIONS.items():
        parts = re.split(rf"(?<![\w'-]){name}=({_VALUE})", message)  # text, value, text, value, ..., text
        parts[1::2] = [f"{option} {_word(value)}" for value in parts[1::2]]
        message = "".join(parts)
        if "_" in name:  # other names are words of the language
            message = re.sub(rf"(?<![\w'-]){name}(?![\w=])", option, message)
    return message


def _word(value: str) -> str:
    """Return the value of a parameter as a command takes it."""
    word = ",".join(part.strip(" '") for part in value.strip("[]").split(","))
    return f'"{word}"' if " " in word else word


class UserError(Exception):
    """A mistake that the user can fix: shown as one line, without a traceback."""


def check_processes(jobs: int) -> None:
    """Refuse a number of processes that means nothing."""
    if jobs == 0:
        raise UserError("--jobs=0 must not be 0; pass a number of processes, or -1 for all cores.")


@contextmanager
def user_errors() -> Iterator[None]:
    """Turn what the library says about bad input, or a missing extra, into a UserError; likewise under -W error."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise UserError(in_options(str(error))) from error
    except ImportError as error:
        if error.name not in OPTIONAL:
            raise
        raise UserError(str(error)) from error
    except Warning as warning:  # python -W error
        said = in_options(str(warning))
        raise UserError(f"{said} (a warning, which -W error or PYTHONWARNINGS makes an error)") from warning


class Warned(list[str]):
    """The warnings of a command, and which of them its answer will show: those need not be printed twice."""

    shown: tuple[str, ...] = ()

    def shown_by(self, result: Any, as_json: bool) -> Any:
        """Return a result with notes in the words of the command line; as text it shows them itself."""
        said = [name for name in ("notes", "verdict") if hasattr(result, name)]
        result = replace(result, **{name: tuple(map(in_options, getattr(result, name))) for name in said})
        if not as_json:
            self.shown += result.notes
        return result


@contextmanager
def working() -> Iterator[Warned]:
    """Run the library: errors become one line, warnings are collected."""
    with user_errors(), collected_warnings() as warned:
        yield warned


@contextmanager
def collected_warnings() -> Iterator[Warned]:
    """Collect Python warnings, each once, and print them as one line each at the end."""
    collected = Warned()

    def collect(message: Warning | str, *_: Any, **__: Any) -> None:
        line = in_options(" ".join(str(message).split()))
        if line not in collected:
            collected.append(line)

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("always")
            for hidden in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", hidden)
        warnings.showwarning = collect
        try:
            yield collected
        finally:
            for line in (one for one in collected if one not in collected.shown):
                typer.echo(f"warning: {line}", err=True)
