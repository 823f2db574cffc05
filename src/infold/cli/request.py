"""What every command about a table starts from: its columns and the options of the estimator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .messages import UserError, user_errors
from .options import (
    DecimalComma,
    Discrete,
    Encoding,
    File,
    Given,
    Jobs,
    LocalDistance,
    MaxQueries,
    Method,
    Missing,
    Neighbors,
    NoHeader,
    NoStandardize,
    Paper,
    Seed,
    Separator,
    Trees,
    Units,
    X,
    Y,
)

if TYPE_CHECKING:
    from infold.data.files import TableFile
    from infold.data.tables import Table


@dataclass(frozen=True)
class Request:
    """The columns of X, Y and, if given, Z, the file that they come from, and the estimator's options."""

    file: TableFile
    x: Table
    y: Table
    z: Table | None
    options: dict[str, Any]

    @property
    def sides(self) -> dict[str, list[str]]:
        """Names of the columns of X and Y, and of Z if something is given, as JSON calls them."""
        tables = {"x_names": self.x, "y_names": self.y, "z_names": self.z}
        return {name: list(table.names or ()) for name, table in tables.items() if table is not None}

    def shuffle(self, groups: str | None, block: int | None) -> dict[str, Any]:
        """Return how rows may be permuted, as options of the library; labels come from the same file."""
        with user_errors():
            from infold.data.files import read_labels

            return given(groups=groups and read_labels(self.file, groups, "--groups"), block=block)

    def check_keeps_data(self, option: str, path: Path) -> None:
        """Refuse to write an answer over the data that it is about."""
        if path.exists() and self.file.path.exists() and path.samefile(self.file.path):
            raise UserError(f"{option}={path} would overwrite the data; name another file.")

    def to_dict(self, answer: dict[str, Any], **parts: dict[str, Any]) -> dict[str, Any]:
        """Return request and answer for JSON, with what is true of all parts once, in front."""
        found = {key: _without_names(value) for key, value in {**answer, **parts}.items()}
        asked = {"file": str(self.file.path), **self.sides, "seed": self.options["random_state"]}
        return {"schema_version": answer["schema_version"], **asked, **_without_names(found)}

    def heading(self) -> str:
        """Return a line for X, Y and, if given, Z that names its columns."""
        from infold.data.selectors import listing

        return "\n".join(f"{side}: {listing(names)}" for side, names in zip("XYZ", self.sides.values(), strict=False))


# A parameter for each option: typer makes the command line from them.
def read_request(
    file: File,
    x: X = None,
    y: Y = None,
    given_columns: Given = None,
    discrete: Discrete = None,
    missing: Missing = None,
    separator: Separator = None,
    decimal_comma: DecimalComma = False,
    encoding: Encoding = None,
    no_header: NoHeader = False,
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
    shared: bool = False,
) -> Request:
    """Read the table and gather the options; those not given are the library's defaults.

    Columns may be `shared` by sides in questions about series: at another lag a column is another variable.
    """
    for name, value in (("--x", x), ("--y", y)):
        if value is None:
            raise UserError(f"{name} is missing: say which columns to use, for example {name} a,b.")
    dialect = given(
        separator=separator, decimal_comma=decimal_comma, encoding=encoding, header=False if no_header else None
    )
    if missing not in (None, "error", "drop", "pairwise"):
        raise UserError(f"--missing={missing!r} is not known; choose error, drop or, for relevance, pairwise.")
    read_as = given(discrete=discrete, missing="drop" if missing == "pairwise" else missing)  # NaN in the tables
    read_as["shared"] = shared
    picked = {"--x": x or "", "--y": y or "", **({} if given_columns is None else {"--given": given_columns})}
    table, columns = _read_table(file, picked, dialect, read_as)
    options = _paper_options() if paper else {}
    options |= given(
        missing=missing,
        method=method,
        n_neighbors=neighbors,
        units=units,
        n_estimators=trees,
        local_distance=local_distance,
        max_queries=max_queries,
        standardize=False if no_standardize else None,
    )
    options = {"random_state": seed, "n_jobs": jobs, **options}
    return Request(table, columns["--x"], columns["--y"], columns.get("--given"), options)


def with_request(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_request` in front of its own, and call it with the Request that they make."""
    return _with_request(command, ("shared",))


def with_series_request(command: Callable[..., None]) -> Callable[..., None]:
    """Do the same for a command about series: what is missing is left out, and only the method's name is its own."""
    without = ("missing", "method", "trees", "local_distance", "max_queries", "paper", "shared")
    return _with_request(command, without, missing="drop", shared=True)


def _with_request(command: Callable[..., None], without: Collection[str] = (), **fixed: Any) -> Callable[..., None]:
    parameters_asked = inspect.signature(read_request, eval_str=True).parameters
    asked = {name: p for name, p in parameters_asked.items() if name not in without}
    own = {name: p for name, p in inspect.signature(command, eval_str=True).parameters.items() if name != "request"}

    def run(**values: Any) -> None:
        request = read_request(**{name: values.pop(name) for name in asked}, **fixed)
        command(request=request, **values)

    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*asked.values(), *own.values())]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def _read_table(
    path: Path, picked: dict[str, str], dialect: dict[str, Any], options: dict[str, Any]
) -> tuple[TableFile, dict[str, Table]]:
    """Return the file, which is read once, and the columns that each option picks."""
    with user_errors():
        from infold.data.files import open_table, read_columns
        from infold.data.text_files import Dialect

        file = open_table(path, Dialect(**dialect))
        columns = read_columns(file, picked, **options)
    return file, columns


def _paper_options() -> dict[str, Any]:
    from infold import paper_settings

    return {"method": "gksg", **paper_settings}


def _without_names(answer: Any) -> Any:
    return {k: v for k, v in answer.items() if k not in _NAMES} if isinstance(answer, dict) else answer


_NAMES = ("x_names", "y_names", "z_names", "schema_version")
