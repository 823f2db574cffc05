"""The command `infold reproduce`: parse, run, tell."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .question import UserError, print_json, user_errors


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Experiments to run, or all; none lists them.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few repetitions of each: a minute or two for all.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Folder for CSV files and figures. [default: experiments/results where that exists, "
            "else infold-results; with --quick its subfolder quick]",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Compute again what is there already.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")] = -1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")] = False,
) -> None:
    """Run the paper's experiments: a CSV file and a figure each.

    Finished repetitions are kept, so that a run that was stopped goes on where it was.
    """
    from infold import reproduce as library

    known = library.experiments()
    if not names:
        _list(known, as_json)
        return
    for name in names:
        if name not in {*known, "all"}:
            raise UserError(f"{name!r} is no experiment; choose among {', '.join(known)}, or all.")
    chosen = [one for one in known.values() if one.name in names or "all" in names]
    place = library.default_output(quick=quick) if output is None else output
    if place.exists() and not place.is_dir():
        raise UserError(f"--output={place} is a file; name a folder.")
    if jobs == 0:
        raise UserError("--jobs=0 must not be 0; pass a number of processes, or -1 for all cores.")
    from infold.core.jit import announce_compilation

    announce_compilation()
    done: list[dict[str, Any]] = []
    try:
        start = time.perf_counter()
        with user_errors():
            for outcome in library.run(chosen, place, quick=quick, n_jobs=jobs, force=force):
                seconds, start = time.perf_counter() - start, time.perf_counter()
                done.append(_plain(outcome, seconds))
                if not as_json:
                    typer.echo(_told(outcome, seconds))
    except KeyboardInterrupt:
        typer.echo("infold: what is finished is kept; the same command goes on from there.", err=True)
        raise
    except BrokenPipeError:  # the reader of stdout left: for the group of commands to handle
        raise
    except OSError as error:
        raise UserError(f"--output={place} cannot be written ({error.strerror or error}); name another.") from error
    if as_json:
        print_json({"output": str(place), "quick": quick, "experiments": done}, [])


def _list(known: dict[str, Any], as_json: bool) -> None:
    """Print what there is."""
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


def _plain(outcome: Any, seconds: float) -> dict[str, Any]:
    """The outcome for JSON."""
    files = {name: None if path is None else str(path) for name, path in vars(outcome).items() if name in _FILES}
    return {**vars(outcome), **files, "seconds": round(seconds, 2)}


_FILES = ("csv", "figure")


def _told(outcome: Any, seconds: float) -> str:
    """The outcome for people."""
    if outcome.n_computed:
        kept = outcome.n_rows - outcome.n_computed
        what = f"{outcome.n_rows} rows in {seconds:.0f} s" + (f", {kept} of them kept from before" if kept else "")
    elif outcome.n_rows:
        what = f"complete already ({outcome.n_rows} rows; --force computes them again), figure drawn anew"
    else:
        what = "drawn"
    paths = "".join(f"\n  {path}" for path in (outcome.csv, outcome.figure) if path is not None)
    note = "" if outcome.figure else "\n  no figure: it needs matplotlib; install it with: pip install 'infold[plot]'"
    return f"{outcome.name}: {what}{paths}{note}"
