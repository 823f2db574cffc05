"""The command `infold estimate`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .answers import check_output, print_json, print_results, write_file
from .messages import UserError, working
from .options import Arrays, Block, Groups, Json, Level, Permutations
from .request import Request, given, with_request


@with_request
def estimate(
    request: Request,
    ci: Annotated[bool, typer.Option("--ci", help="Also give an interval and a certified lower bound.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Also test for independence.")] = False,
    permutations: Permutations = None,
    level: Level = None,
    groups: Groups = None,
    block: Block = None,
    local: Annotated[
        Path | None, typer.Option("--local", help="Also write the local value of every row to this CSV file.")
    ] = None,
    as_json: Json = False,
    arrays: Arrays = False,
) -> None:
    """Estimate the mutual information between columns of a table, optionally given others."""
    _check_needed("--test", test, permutations=permutations, groups=groups)
    _check_needed("--ci or --test", ci or test, block=block)
    _check_needed("--ci", ci, level=level)
    if local is not None:
        _check_local(request, local)
    shuffle = request.shuffle(groups, block)
    with working() as warned:
        import infold

        if request.z is None:
            result = infold.mutual_information(request.x, request.y, **request.options)
        else:
            result = infold.conditional_mutual_information(request.x, request.y, request.z, **request.options)
        parts: dict[str, Any] = {}
        if ci:
            own = given(level=level, block=block)
            parts["interval"] = infold.confidence_interval(request.x, request.y, request.z, **own, **request.options)
        if test:
            own = given(n_permutations=permutations, **shuffle)
            parts["test"] = infold.independence_test(request.x, request.y, request.z, **own, **request.options)
        result = warned.shown_by(result, as_json)
        parts = {name: warned.shown_by(part, as_json) for name, part in parts.items()}
    if local is not None:
        write_file(local, "local_mi\n" + "".join(f"{value}\n" for value in _local_cells(result)))
    if as_json:
        if ci:
            result = replace(result, certified=parts["interval"].certified)
        found = {name: part.to_dict(arrays=arrays) for name, part in parts.items()}
        print_json(request.to_dict(result.to_dict(arrays=arrays), **found), warned)
        return
    print_results(request.heading(), (result, *parts.values()))


def _local_cells(result: Any) -> list[str]:
    """Return the local value of every row of the file, nothing for a row that was dropped."""
    values = iter(result.local.tolist())
    dropped = set() if result.dropped_rows is None else set(result.dropped_rows.tolist())
    return ["" if row in dropped else repr(next(values)) for row in range(result.n_samples + result.n_dropped)]


def _check_needed(needs: str, is_given: bool, **options: Any) -> None:
    """Refuse options that would have no effect without `needs`."""
    for name, value in options.items():
        if value is not None and not is_given:
            raise UserError(f"--{name} is for {needs}, which is not given; add {needs}, or leave --{name} out.")


def _check_local(request: Request, local: Path) -> None:
    """Refuse a file for local values that cannot, or must not, be written."""
    check_output(local)
    request.check_keeps_data("--local", local)
    if "max_queries" in request.options:
        raise UserError(
            "--local writes a value for every row, but --max-queries takes only some rows; leave one of them out."
        )
