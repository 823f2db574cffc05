"""The command line: parse, call the public API, print.

Answers go to stdout; complaints, warnings and progress to stderr.  A user's mistake is one line and exit
code 2; Ctrl-C is exit code 130.  Heavy imports happen inside commands, so that help comes at once.
"""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from .question import (
    Block,
    Groups,
    Jobs,
    Json,
    Level,
    Permutations,
    Question,
    Seed,
    UserError,
    about_a_table,
    check_output,
    given,
    installed_version,
    print_json,
    working,
    write,
)
from .reproduce import reproduce
from .trust import diagnose, independence, relevance, report

PICTURES = (".png", ".pdf", ".svg")

# The class of all complaints about usage: click's own in older versions of typer, typer's in newer ones.
_UsageProblem: Any = typer.BadParameter.__mro__[2]


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


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Mutual information between multi-dimensional variables, on the manifold the data lie on."""
    if version:
        typer.echo(f"infold {installed_version()}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command()
@about_a_table
def estimate(
    question: Question,
    ci: Annotated[bool, typer.Option("--ci", help="Also give a confidence interval.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Also test for independence.")] = False,
    permutations: Permutations = None,
    level: Level = None,
    groups: Groups = None,
    block: Block = None,
    local: Annotated[
        Path | None, typer.Option("--local", help="Also write the local value of every row to this CSV file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate the mutual information between columns of a table."""
    for name, value, needs, there in (
        ("--permutations", permutations, "--test", test),
        ("--groups", groups, "--test", test),
        ("--block", block, "--ci or --test", ci or test),
        ("--level", level, "--ci", ci),
    ):
        if value is not None and not there:
            raise UserError(f"{name} is for {needs}, which is not given; add {needs}, or leave {name} out.")
    if local is not None:
        check_output(local)
        question.check_keeps_data("--local", local)
        if "max_queries" in question.options:
            raise UserError("--local is for all rows, of which --max-queries takes some; leave one of them out.")
    shuffle = question.shuffle(groups, block)
    with working() as heard:
        import infold

        result = infold.mutual_information(question.x, question.y, **question.options)
        more: dict[str, Any] = {}
        if ci:
            own = given(level=level, block=block)
            more["interval"] = infold.confidence_interval(question.x, question.y, **own, **question.options)
        if test:
            more["test"] = infold.independence_test(
                question.x, question.y, **given(n_permutations=permutations), **shuffle, **question.options
            )
    if local is not None:
        write(local, "local_mi\n" + "".join(f"{value!r}\n" for value in result.local.tolist()))
    if as_json:
        print_json(question.told(result.to_dict(), **{name: one.to_dict() for name, one in more.items()}), heard)
        return
    for part in (question.heading(), result, *more.values()):
        typer.echo(str(part))


@app.command("demo")
def show_demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .png, .pdf or .svg.")] = Path(
        "infold-demo.png"
    ),
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Write no picture.")] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """See what infold does: a helix among noise columns, measured by KSG, G-KSG and auto."""
    if not no_plot:
        check_output(output, PICTURES)
    from . import demo

    with working() as heard:
        rows = demo.run(seed, jobs)
    picture = None
    if not no_plot:
        try:
            figure = demo.picture(rows, seed)
        except ImportError as error:
            if error.name != "matplotlib":
                raise
            typer.echo(f"infold: no picture: {error}", err=True)
        else:
            drawn = io.BytesIO()
            figure.savefig(drawn, format=output.suffix[1:].lower(), dpi=150)
            write(output, drawn.getvalue())
            picture = str(output)
    if as_json:
        print_json({"n_samples": demo.N_SAMPLES, "seed": seed, "rows": rows, "picture": picture}, heard)
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(demo.table(rows))
    for sentence in demo.reading(rows):
        console.print("", sentence, sep="\n")
    if picture is not None:
        typer.echo(f"\nPicture: {picture}")
    typer.echo("\nWith your own data: infold estimate data.csv --x a,b --y c,d")


@app.command("compile")
def compile_kernels(
    jobs: Annotated[int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")] = -1,
) -> None:
    """Compile all kernels now, so that no later run has to wait; for images of containers."""
    if jobs == 0:
        raise UserError("--jobs=0 must not be 0; pass a number of processes, or -1 for all cores.")
    from .kernels import compile_all, folder

    if folder() is None:
        raise UserError("no folder for compiled kernels can be written; set NUMBA_CACHE_DIR to one that can.")
    start = time.perf_counter()
    compile_all(jobs)
    typer.echo(f"All kernels are compiled ({time.perf_counter() - start:.0f} s) and kept in {folder()}.")


app.command("test")(independence)
for command in (diagnose, relevance, report, reproduce):
    app.command()(command)


def _complain(message: str) -> int:
    """One line on stderr; returns the exit code of a user's mistake."""
    typer.echo(f"infold: error: {' '.join(message.split())}", err=True)
    return 2


def _help_command(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'infold'} --help"


def main() -> None:
    """Run the command `infold`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no failure
    app(prog_name="infold")


if __name__ == "__main__":
    main()
