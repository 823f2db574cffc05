"""The command line: parse, call the public API, print.

Answers go to stdout; errors, warnings and progress to stderr. A user's mistake is one line and exit code 2; Ctrl-C is
exit code 130. Heavy imports happen inside commands, so that help appears at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from . import compile, demo, estimate, lags, network, reproduce, trust
from .answers import installed_version
from .group import Commands

app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """How much do the columns of a table tell you about each other, and can you trust the number?"""
    if version:
        typer.echo(f"infold {installed_version()}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


app.command("estimate")(estimate.estimate)
app.command("demo")(demo.demo)
app.command("compile")(compile.compile_kernels)
app.command("test")(trust.independence)
app.command("diagnose")(trust.diagnose)
app.command("relevance")(trust.relevance)
app.command("lags")(lags.lags)
app.command("report")(trust.report)
app.command("network")(network.network)
app.command("reproduce")(reproduce.reproduce)


def main() -> None:
    """Run the command `infold`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no failure
    app(prog_name="infold")
