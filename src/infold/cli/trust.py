"""The commands `infold test`, `diagnose`, `relevance` and `report`: can the number be trusted?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from .answers import check_output, print_json, print_results, write_file
from .messages import in_options, working
from .options import Arrays, Block, Groups, Json, Level, Permutations
from .request import Request, given, with_request


@with_request
def independence(
    request: Request,
    permutations: Permutations = None,
    groups: Groups = None,
    block: Block = None,
    early_stop: Annotated[
        bool, typer.Option("--early-stop", help="Stop as soon as the answer is clear; the p-value stays valid.")
    ] = False,
    as_json: Json = False,
    arrays: Arrays = False,
) -> None:
    """Test whether columns of a table are independent, optionally given others."""
    with working() as warned:
        import infold

        result = infold.independence_test(
            request.x,
            request.y,
            request.z,
            **given(n_permutations=permutations, early_stop=early_stop or None),
            **request.shuffle(groups, block),
            **request.options,
        )
        result = warned.shown_by(result, as_json)
    _print(request, result, warned, as_json, arrays)


@with_request
def diagnose(
    request: Request, groups: Groups = None, block: Block = None, as_json: Json = False, arrays: Arrays = False
) -> None:
    """Judge whether an estimate can be trusted, from drift, ceiling, ties, other methods and planted MI."""
    with working() as warned:
        import infold

        result = infold.diagnose(request.x, request.y, request.z, **request.shuffle(groups, block), **request.options)
        result = warned.shown_by(result, as_json)
    _print(request, result, warned, as_json, arrays)


@with_request
def relevance(
    request: Request,
    together: Annotated[
        bool,
        typer.Option("--together", help="Score a column by what is lost without it."),
    ] = False,
    permutations: Annotated[
        int | None,
        typer.Option("--permutations", help="Number of permutations. (default: auto's own p-values, or 199 for KSG)"),
    ] = None,
    groups: Groups = None,
    block: Block = None,
    as_json: Json = False,
    arrays: Arrays = False,
) -> None:
    """Find the columns that carry the information, with p-values corrected for their number."""
    with working() as warned:
        import infold

        result = infold.relevance(
            request.x,
            request.y,
            **given(n_permutations=permutations, kind="together" if together else None, given=request.z),
            **request.shuffle(groups, block),
            **request.options,
        )
        result = warned.shown_by(result, as_json)
    _print(request, result, warned, as_json, arrays)


@with_request
def report(
    ctx: typer.Context,
    request: Request,
    output: Annotated[Path, typer.Option("--output", "-o", help="Page to write: .html.")] = Path("infold-report.html"),
    title: Annotated[str | None, typer.Option("--title", help="Title of the page.")] = None,
    permutations: Permutations = None,
    groups: Groups = None,
    block: Block = None,
    level: Level = None,
    as_json: Json = False,
    arrays: Arrays = False,
) -> None:
    """Write a self-contained HTML page with verdict, estimate, interval, test, plots and settings."""
    check_output(output, (".html", ".htm"))
    request.check_keeps_data("--output", output)
    with working() as warned:
        from infold.report import make_report

        made = make_report(
            request.x,
            request.y,
            request.z,
            **given(n_permutations=permutations, level=level, title=title),
            **request.shuffle(groups, block),
            **request.options,
            source=request.file.path,
            sha256=request.file.sha256,
            command=_command(ctx),
        )
        page = made.html()
    write_file(output, page)
    if as_json:
        print_json(request.to_dict({"output": str(output), **made.to_dict(arrays=arrays)}), warned)
        return
    typer.echo(request.heading())
    typer.echo(in_options(made.summary()))
    typer.echo(f"Report: {output}")


def _print(request: Request, result: Any, warned: list[str], as_json: bool, arrays: bool) -> None:
    if as_json:
        print_json(request.to_dict(result.to_dict(arrays=arrays)), warned)
        return
    print_results(request.heading(), [result])


def _command(ctx: typer.Context) -> str:
    """Return the command that gives the same page again: the seed, and every option that is not at its default."""
    words = ["infold", "report"]
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        if parameter.param_type_name == "argument":
            words.append(str(value))
        elif parameter.name in _NO_EFFECT or (value == parameter.default and parameter.name != "seed"):
            continue
        else:
            words += [parameter.opts[0]] + ([] if value is True else [str(value)])
    return shlex.join(words)


_NO_EFFECT = ("as_json", "arrays", "jobs")  # the page is the same whatever they are
