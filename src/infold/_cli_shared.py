"""What the commands share: options, reading the table, complaints, warnings, files that appear whole."""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from infold.data.tables import Table

OPTIONAL = {"jinja2", "matplotlib", "pandas", "polars", "pyarrow"}

File = Annotated[Path, typer.Argument(help="Table: .csv, .tsv, .txt, .csv.gz, .tsv.gz, .parquet, .npy or .npz.")]
X = Annotated[
    str | None, typer.Option("--x", help="Columns of X: names, ranges first:last and patterns with * and ?, by commas.")
]
Y = Annotated[str | None, typer.Option("--y", help="Columns of Y, in the same way.")]
Method = Annotated[str | None, typer.Option("--method", help="Estimator: auto (the default), gksg, ksg, gknn or lnn.")]
Neighbors = Annotated[int | None, typer.Option("--neighbors", "-k", help="Number of neighbours.")]
Trees = Annotated[int | None, typer.Option("--trees", help="Number of trees in the forest of gksg.")]
LocalDistance = Annotated[
    str | None,
    typer.Option("--local-distance", help="Of gksg: paper (the default), released or everywhere, which breaks ties."),
]
MaxQueries = Annotated[
    int | None, typer.Option("--max-queries", help="Average of gksg over so many random rows: for large tables.")
]
Units = Annotated[str | None, typer.Option("--units", help="nats or bits.")]
NoStandardize = Annotated[bool, typer.Option("--no-standardize", help="Take the columns as they are, without scaling.")]
Paper = Annotated[bool, typer.Option("--paper", help="The paper's settings, where no other option says otherwise.")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed; the same seed gives the same answer.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 uses all cores.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Permutations = Annotated[int | None, typer.Option("--permutations", help="Number of permutations. [default: 199]")]
Level = Annotated[float | None, typer.Option("--level", help="Level of the interval. [default: 0.95]")]
Groups = Annotated[
    str | None, typer.Option("--groups", help="Column of labels; rows change places within a group only.")
]
Block = Annotated[
    int | None, typer.Option("--block", help="Rows that stay together when rows change places: for time series.")
]


class UserError(Exception):
    """A mistake that the user can mend: shown as one line, without a traceback."""


@dataclass(frozen=True)
class Question:
    """What every command about a table starts from: the columns of both sides and the estimator's options."""

    file: Path
    x: Table
    y: Table
    options: dict[str, Any]

    @property
    def sides(self) -> dict[str, list[str]]:
        """Names of the columns of both sides."""
        return {"x": list(self.x.names or ()), "y": list(self.y.names or ())}

    def shuffle(self, groups: str | None, block: int | None) -> dict[str, Any]:
        """Return which rows may change places, as the library's options; labels come from the same file."""
        with user_errors():
            from infold.data.files import read_labels

            return given(groups=groups and read_labels(self.file, groups, "--groups"), block=block)

    def told(self, answer: dict[str, Any], **parts: dict[str, Any]) -> dict[str, Any]:
        """Return the answer for JSON with the question in front, so that names are there once."""
        found = {key: _unnamed(value) for key, value in {**answer, **parts}.items()}
        return {"file": str(self.file), **self.sides, "seed": self.options["random_state"], **_unnamed(found)}

    def heading(self) -> str:
        """Return which columns the sides are, for people."""
        from infold.data.selectors import listing

        return "\n".join(f"{side.upper()}: {listing(names)}" for side, names in self.sides.items())


def ask(
    file: File,
    x: X = None,
    y: Y = None,
    method: Method = None,
    neighbors: Neighbors = None,
    trees: Trees = None,
    local_distance: LocalDistance = None,
    max_queries: MaxQueries = None,
    units: Units = None,
    no_standardize: NoStandardize = False,
    paper: Paper = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
) -> Question:
    """Read the table and gather the options; those not given are the library's defaults."""
    for name, value in (("--x", x), ("--y", y)):
        if value is None:
            raise UserError(f"{name} is missing: say which columns to take, such as {name} a,b.")
    with user_errors():
        from infold.data.files import read_columns

        columns = read_columns(file, {"--x": x or "", "--y": y or ""})
    asked: dict[str, Any] = {
        "method": method,
        "n_neighbors": neighbors,
        "units": units,
        "n_estimators": trees,
        "local_distance": local_distance,
        "max_queries": max_queries,
        "standardize": False if no_standardize else None,
    }
    from infold.data.tables import Table

    options: dict[str, Any] = {}
    if paper:
        from infold import paper_settings

        options = {"method": "gksg", **paper_settings}
    options |= given(**asked)
    return Question(
        file=file,
        x=Table(columns["--x"].values, columns["--x"].names),
        y=Table(columns["--y"].values, columns["--y"].names),
        options={"random_state": seed, "n_jobs": jobs, **options},
    )


def about_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `ask` before its own; it is called with the Question that they make."""
    asked = inspect.signature(ask, eval_str=True).parameters
    own = {name: p for name, p in inspect.signature(command, eval_str=True).parameters.items() if name != "question"}

    def run(**values: Any) -> None:
        question = ask(**{name: values.pop(name) for name in asked})
        command(question=question, **values)

    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*asked.values(), *own.values())]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


@contextmanager
def working() -> Iterator[list[str]]:
    """Work for the user: mistakes are one line, warnings are collected, waiting for the compiler is explained."""
    with user_errors(), heard_warnings() as heard:
        from infold.core.jit import announce_compilation

        announce_compilation()
        yield heard


def _unnamed(answer: Any) -> Any:
    return {k: v for k, v in answer.items() if k not in _NAMES} if isinstance(answer, dict) else answer


_NAMES = ("x_names", "y_names")


def installed_version() -> str:
    """Return the version of the package that is installed."""
    from importlib.metadata import version

    return version("infold")


def print_json(answer: dict[str, Any], heard: list[str]) -> None:
    """Print one object, with the version in front and the warnings at the end."""
    typer.echo(json.dumps({"version": installed_version(), **answer, "warnings": heard}, indent=2))


@contextmanager
def user_errors() -> Iterator[None]:
    """What the library says about bad input, or a missing extra, is for the user."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error
    except ImportError as error:
        if error.name not in OPTIONAL:
            raise
        raise UserError(str(error)) from error


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Collect Python warnings, each once, and show them as one line each when the work is done."""
    heard: list[str] = []

    def hear(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(str(message).split())
        if line not in heard:
            heard.append(line)

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("always")
            for quiet in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                warnings.simplefilter("ignore", quiet)
        warnings.showwarning = hear
        try:
            yield heard
        finally:
            for line in heard:
                typer.echo(f"warning: {line}", err=True)


def check_output(path: Path, suffixes: tuple[str, ...] = ()) -> None:
    """Refuse, before any work is done, a file that could not be written afterwards."""
    if suffixes and path.suffix.lower() not in suffixes:
        raise UserError(f"{path} has the suffix {path.suffix!r}, but it must be one of {', '.join(suffixes)}.")
    if path.is_dir():
        raise UserError(f"{path} is a directory; name a file in it.")
    if not path.parent.is_dir():
        raise UserError(f"{path} cannot be written, as {path.parent} is not a directory; create it first.")
    if not os.access(path.parent, os.W_OK):
        raise UserError(f"{path} cannot be written, as {path.parent} is not writable; name another place.")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` only when it is whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}); name another place.") from error
    finally:
        temporary.unlink(missing_ok=True)
