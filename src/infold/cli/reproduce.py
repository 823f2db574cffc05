"""The command `infold reproduce`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import print_json
from .messages import UserError, check_processes, user_errors
from .options import Json, Processes

if TYPE_CHECKING:
    from infold.reproduce import Outcome


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments to run, or all; without a name, list them."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few repetitions of each: a minute or two.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for CSV files and figures (default: experiments/results where that exists, "
            "else infold-results; with --quick its subfolder quick).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Recompute existing results.")] = False,
    jobs: Processes = -1,
    as_json: Json = False,
) -> None:
    """Run the paper's experiments, and write a CSV file and a figure for each.

    Finished repetitions are kept, so an interrupted run continues where it stopped.
    """
    from infold import reproduce as library

    known = library.experiments()
    if not names:
        _list(known, as_json)
        return
    for name in names:
        if name not in {*known, "all"}:
            raise UserError(f"{name!r} is not an experiment; choose one of {', '.join(known)}, or all.")
    chosen = [one for one in known.values() if one.name in names or "all" in names]
    folder = library.default_output(quick=quick) if output is None else output
    if folder.exists() and not folder.is_dir():
        raise UserError(f"--output={folder} is a file; name a folder.")
    check_processes(jobs)
    outcomes = library.run(chosen, folder, quick=quick, n_jobs=jobs, force=force)
    done = _run(outcomes, folder, silent=as_json)
    if as_json:
        print_json({"output": str(folder), "quick": quick, "experiments": done}, [])


def _run(outcomes: Iterator[Outcome], folder: Path, *, silent: bool) -> list[dict[str, Any]]:
    """Run the experiments, print a summary of each unless `silent`, and return their outcomes for JSON."""
    done: list[dict[str, Any]] = []
    try:
        start = time.perf_counter()
        with user_errors():
            for outcome in outcomes:
                seconds, start = time.perf_counter() - start, time.perf_counter()
                done.append(_to_dict(outcome, seconds))
                if not silent:
                    typer.echo(_summary(outcome, seconds))
    except KeyboardInterrupt:
        typer.echo("infold: finished repetitions are kept; the same command continues from there.", err=True)
        raise
    except BrokenPipeError:  # the reader left, which ends any command quietly
        raise
    except OSError as error:
        raise UserError(f"--output={folder} cannot be written ({error.strerror or error}); name another.") from error
    return done


def _list(known: dict[str, Any], as_json: bool) -> None:
    """Print the experiments and what they are about."""
    if as_json:
        found = [
            {"name": one.name, "title": one.title, "about": one.about, "n_rows": len(one.settings())}
            for one in known.values()
        ]
        print_json({"experiments": found}, [])
        return
    from rich.console import Console
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for one in known.values():
        table.add_row(one.name, one.about)
    Console(highlight=False).print(table)
    typer.echo(
        "\nRun one with: infold reproduce NAME; all of them with: infold reproduce all (--quick for a first look)."
    )


def _to_dict(outcome: Outcome, seconds: float) -> dict[str, Any]:
    """Return an outcome for JSON."""
    files = {name: None if path is None else str(path) for name, path in vars(outcome).items() if name in _FILES}
    return {**vars(outcome), **files, "seconds": round(seconds, 2)}


_FILES = ("csv", "figure")


def _summary(outcome: Outcome, seconds: float) -> str:
    """Return an outcome as a few lines of text."""
    if outcome.n_computed:
        kept = outcome.n_rows - outcome.n_computed
        what = f"{outcome.n_rows} rows in {seconds:.0f} s" + (f", {kept} of them kept from before" if kept else "")
    elif outcome.n_rows:
        what = f"complete already ({outcome.n_rows} rows; --force computes them again), figure redrawn"
    else:
        what = "drawn"
    paths = "".join(f"\n  {path}" for path in (outcome.csv, outcome.figure) if path is not None)
    note = "" if outcome.figure else "\n  no figure: it needs matplotlib; install it with: pip install 'infold[plot]'"
    return f"{outcome.name}: {what}{paths}{note}"
