"""Where answers go: text or one JSON object on stdout, or a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from infold.data import output

from .messages import UserError, user_errors


def installed_version() -> str:
    """Return the version of the package that is installed."""
    from importlib.metadata import version

    return version("infold")


def print_json(answer: dict[str, Any], warned: list[str]) -> None:
    """Print one object, with the version in front and the warnings at the end."""
    typer.echo(json.dumps({"version": installed_version(), **answer, "warnings": warned}, indent=2))


def print_results(heading: str, results: Iterable[Any]) -> None:
    """Print results one after the other, without the rows that an earlier one has shown."""
    from infold.display import as_text

    parts, shown = list[str](), set[tuple[str, str]]()
    for result in results:
        rows = list(result._rows())
        parts.append(as_text(result._headline(), [row for row in rows if row not in shown], result._items()))
        shown.update(rows)
    typer.echo(f"{heading}\n" + "\n\n".join(parts))


def check_output(path: Path, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse, before any work is done, a file that could not be written afterwards."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise UserError(f"{path} has the suffix {path.suffix!r}, but it must be one of {', '.join(suffixes)}.")
    with user_errors():
        output.check_output(path)


def write_file(path: Path, content: str | bytes) -> None:
    """Write an answer to a file; if that fails, the user gets one line."""
    try:
        output.write_output(path, content)
    except BrokenPipeError:  # the reader left, which ends any command quietly
        raise
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}); name another place.") from error
