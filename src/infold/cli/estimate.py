"""The command `infold estimate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .answers import check_output, print_json, write_file
from .messages import UserError, working
from .options import Block, Groups, Json, Level, Permutations
from .question import Question, given, with_question


@with_question
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
    _check_needed("--test", test, permutations=permutations, groups=groups)
    _check_needed("--ci or --test", ci or test, block=block)
    _check_needed("--ci", ci, level=level)
    if local is not None:
        _check_local(question, local)
    shuffle = question.shuffle(groups, block)
    with working() as warned:
        import infold

        result = infold.mutual_information(question.x, question.y, **question.options)
        parts: dict[str, Any] = {}
        if ci:
            own = given(level=level, block=block)
            parts["interval"] = infold.confidence_interval(question.x, question.y, **own, **question.options)
        if test:
            own = given(n_permutations=permutations, **shuffle)
            parts["test"] = infold.independence_test(question.x, question.y, **own, **question.options)
    if local is not None:
        write_file(local, "local_mi\n" + "".join(f"{value!r}\n" for value in result.local.tolist()))
    if as_json:
        print_json(question.to_dict(result.to_dict(), **{name: part.to_dict() for name, part in parts.items()}), warned)
        return
    for part in (question.heading(), result, *parts.values()):
        typer.echo(str(part))


def _check_needed(needs: str, is_given: bool, **options: Any) -> None:
    """Refuse options that would have no effect without `needs`."""
    for name, value in options.items():
        if value is not None and not is_given:
            raise UserError(f"--{name} is for {needs}, which is not given; add {needs}, or leave --{name} out.")


def _check_local(question: Question, local: Path) -> None:
    """Refuse a file for local values that cannot, or must not, be written."""
    check_output(local)
    question.check_keeps_data("--local", local)
    if "max_queries" in question.options:
        raise UserError(
            "--local writes a value for every row, but --max-queries takes only some rows; leave one of them out."
        )
