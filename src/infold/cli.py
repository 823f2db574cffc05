"""The command line: parse, call the public API, print.

Answers go to stdout; complaints, warnings and progress to stderr.  A user's mistake is one line and exit
code 2; Ctrl-C is exit code 130.  Heavy imports happen inside commands, so that help comes at once.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from infold._cli_reproduce import reproduce

OPTIONAL = {"matplotlib", "pandas", "polars", "pyarrow"}
PICTURES = (".png", ".pdf", ".svg")

# The class of all complaints about usage: click's own in older versions of typer, typer's in newer ones.
_UsageProblem: Any = typer.BadParameter.__mro__[2]


class UserError(Exception):
    """A mistake that the user can mend: shown as one line, without a traceback."""


class Commands(typer.core.TyperGroup):
    """Commands that all end in the same way, whoever runs them."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; Ctrl-C and a reader that left the pipe end it quietly."""
        try:
            answer = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            typer.echo("infold: interrupted", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # Python flushes stdout once more as it ends; let that go nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        return answer

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Parse and run; every complaint is one line on stderr."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except UserError as error:
            code = _complain(str(error))
        except _UsageProblem as error:
            code = _complain(f"{error.format_message().rstrip('.')} (see: {_help_command(error)})")
        sys.exit(code if isinstance(code, int) else 0)


app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)

Seed = Annotated[int, typer.Option("--seed", help="Random seed; the same seed gives the same answer.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 uses all cores.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Mutual information between multi-dimensional variables, on the manifold the data lie on."""
    if version:
        typer.echo(f"infold {_version()}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command()
def estimate(
    file: Annotated[Path, typer.Argument(help="Table: .csv, .tsv, .txt, .csv.gz, .tsv.gz, .parquet, .npy or .npz.")],
    x: Annotated[
        str | None,
        typer.Option("--x", help="Columns of X: names, ranges first:last and patterns with * and ?, by commas."),
    ] = None,
    y: Annotated[str | None, typer.Option("--y", help="Columns of Y, in the same way.")] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="Estimator: auto (the default), gksg, ksg, gknn or lnn.")
    ] = None,
    neighbors: Annotated[int | None, typer.Option("--neighbors", "-k", help="Number of neighbours.")] = None,
    trees: Annotated[int | None, typer.Option("--trees", help="Number of trees in the forest of gksg.")] = None,
    units: Annotated[str | None, typer.Option("--units", help="nats or bits.")] = None,
    no_standardize: Annotated[
        bool, typer.Option("--no-standardize", help="Take the columns as they are, without scaling.")
    ] = False,
    paper: Annotated[
        bool, typer.Option("--paper", help="The paper's settings, where no other option says otherwise.")
    ] = False,
    local: Annotated[
        Path | None, typer.Option("--local", help="Also write the local value of every row to this CSV file.")
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Estimate the mutual information between columns of a table."""
    for name, value in (("--x", x), ("--y", y)):
        if value is None:
            raise UserError(f"{name} is missing: say which columns to take, such as {name} a,b.")
    if local is not None:
        _check_output(local)
        if local.exists() and file.exists() and local.samefile(file):
            raise UserError(f"--local={local} would overwrite the data; name another file.")
    with _user_errors():
        from infold._tables import read_columns

        columns = read_columns(file, {"--x": x or "", "--y": y or ""})
    asked: dict[str, Any] = {
        "method": method,
        "n_neighbors": neighbors,
        "units": units,
        "n_estimators": trees,
        "standardize": False if no_standardize else None,
    }
    with _user_errors(), _warnings() as heard:
        import infold
        from infold.core.jit import announce_compilation

        options = {"method": "gksg", **infold.paper_settings} if paper else {}
        options |= {name: value for name, value in asked.items() if value is not None}
        announce_compilation()
        result = infold.mutual_information(
            columns["--x"].values, columns["--y"].values, random_state=seed, n_jobs=jobs, **options
        )
    if local is not None:
        with _replacing(local) as temporary:
            temporary.write_text("local_mi\n" + "".join(f"{value!r}\n" for value in result.local.tolist()))
    sides = {"x": list(columns["--x"].names), "y": list(columns["--y"].names)}
    if as_json:
        found = {key: value for key, value in result.to_dict().items() if key not in ("x_names", "y_names")}
        _print_json({"file": str(file), **sides, "seed": seed, **found}, heard)
        return
    from infold._selectors import listing

    for side, names in sides.items():
        typer.echo(f"{side.upper()}: {listing(names)}")
    typer.echo(str(result))


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .png, .pdf or .svg.")] = Path(
        "infold-demo.png"
    ),
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Write no picture.")] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """See what infold does: a helix among noise columns, measured by KSG and G-KSG."""
    if not no_plot:
        _check_output(output, PICTURES)
    from infold import _demo

    with _user_errors(), _warnings() as heard:
        from infold.core.jit import announce_compilation

        announce_compilation()
        rows = _demo.run(seed, jobs)
    picture = None
    if not no_plot:
        try:
            figure = _demo.picture(rows, seed)
        except ImportError as error:
            if error.name != "matplotlib":
                raise
            typer.echo(f"infold: no picture: {error}", err=True)
        else:
            with _replacing(output) as temporary:
                figure.savefig(temporary, format=output.suffix[1:].lower(), dpi=150)
            picture = str(output)
    if as_json:
        _print_json({"n_samples": _demo.N_SAMPLES, "seed": seed, "rows": rows, "picture": picture}, heard)
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(_demo.table(rows))
    for sentence in _demo.reading(rows):
        console.print("", sentence, sep="\n")
    if picture is not None:
        typer.echo(f"\nPicture: {picture}")
    typer.echo("\nWith your own data: infold estimate data.csv --x a,b --y c,d")


app.command()(reproduce)


def _version() -> str:
    from importlib.metadata import version

    return version("infold")


def _complain(message: str) -> int:
    """One line on stderr; returns the exit code of a user's mistake."""
    typer.echo(f"infold: error: {' '.join(message.split())}", err=True)
    return 2


def _help_command(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'infold'} --help"


def _print_json(answer: dict[str, Any], heard: list[str]) -> None:
    typer.echo(json.dumps({"version": _version(), **answer, "warnings": heard}, indent=2))


@contextmanager
def _user_errors() -> Iterator[None]:
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
def _warnings() -> Iterator[list[str]]:
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


def _check_output(path: Path, suffixes: tuple[str, ...] = ()) -> None:
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
def _replacing(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` only when it is whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error}); name another place.") from error
    finally:
        temporary.unlink(missing_ok=True)


def main() -> None:
    """Run the command `infold`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no failure
    app(prog_name="infold")


if __name__ == "__main__":
    main()
