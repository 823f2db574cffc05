"""How mistakes and warnings reach the user: one line each, on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

OPTIONAL = {"fastexcel", "jinja2", "matplotlib", "networkx", "pandas"}


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
        raise UserError(str(error)) from error
    except ImportError as error:
        if error.name not in OPTIONAL:
            raise
        raise UserError(str(error)) from error
    except Warning as warning:  # python -W error
        raise UserError(f"{warning} (a warning, which -W error or PYTHONWARNINGS makes an error)") from warning


@contextmanager
def working() -> Iterator[list[str]]:
    """Run the library: errors become one line, warnings are collected."""
    with user_errors(), collected_warnings() as warned:
        yield warned


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect Python warnings, each once, and print them as one line each at the end."""
    collected: list[str] = []

    def collect(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(str(message).split())
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
            for line in collected:
                typer.echo(f"warning: {line}", err=True)
