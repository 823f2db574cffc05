"""The command `infold lags`."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import check_output, print_json, write_file
from .messages import UserError, user_errors, working
from .options import Json
from .request import Request, given, with_series_request

if TYPE_CHECKING:
    from infold.data.files import TableFile


@with_series_request
def lags(
    request: Request,
    method: Annotated[str | None, typer.Option("--method", help="Estimator: ksg (the default), auto or gksg.")] = None,
    max_lag: Annotated[int, typer.Option("--max-lag", help="Largest lag, in both directions.")] = 20,
    given_lags: Annotated[
        str | None, typer.Option("--given-lags", help="Lags of the --given columns: 0, 1,2 or 1:3. (default: 0)")
    ] = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Column of times (numbers or ISO dates), to sort rows and find gaps.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", help="Column of labels, such as trials or subjects; no lag crosses them."),
    ] = None,
    surrogates: Annotated[
        int | None, typer.Option("--surrogates", help="Number of surrogates; 0 for no test. (default: 199)")
    ] = None,
    difference: Annotated[bool, typer.Option("--difference", help="Use changes from row to row.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also draw the plot to this file: .png, .svg or .pdf.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what two series share at each lag, with p-values that allow for autocorrelation."""
    if max_lag < 0:
        raise UserError(f"--max-lag={max_lag} must be at least 0; pass the largest lag.")
    if output is not None:
        check_output(output, (".png", ".svg", ".pdf"))
        request.check_keeps_data("--output", output)
    options = {name: value for name, value in request.options.items() if name != "missing"}
    with working() as warned:
        import infold

        found = infold.lagged_mutual_information(
            request.x,
            request.y,
            range(-max_lag, max_lag + 1),
            request.z,
            **given(
                method=method,
                given_lags=None if given_lags is None else _numbers(given_lags),
                time=time and read_times(request.file, time),
                groups=groups and _labels(request.file, groups, "--groups"),
                n_surrogates=surrogates,
                difference=int(difference) or None,
            ),
            **options,
        )
        found = warned.shown_by(found, as_json)
        picture = None if output is None else _picture(found, output.suffix)
    if output is not None and picture is not None:
        write_file(output, picture)
    if as_json:
        print_json(request.to_dict(found.to_dict()), warned)
        return
    typer.echo(request.heading())
    typer.echo(str(found))
    typer.echo(_table(found))


def _picture(found: Any, suffix: str) -> bytes:
    """Return the plot, in the format of the suffix."""
    from infold.plotting import new_figure

    figure, image = new_figure(6.0, 3.8), io.BytesIO()
    found.plot(ax=figure.add_subplot())
    figure.savefig(image, format=suffix[1:].lower())
    return image.getvalue()


def _numbers(text: str) -> list[int]:
    """Return whole numbers, and ranges with both ends, separated by commas."""
    found: list[int] = []
    try:
        for part in text.split(","):
            first, *last = (int(number) for number in part.split(":", 1))
            numbers = range(first, max(last, default=first) + 1)
            if not numbers:
                raise ValueError(part)
            found += numbers
    except ValueError:
        found = []
    if not found:
        raise UserError(f"--given-lags={text!r} must be whole numbers or ranges, such as 1,2 or 1:3.")
    return found


def _labels(file: TableFile, column: str, option: str) -> list[str]:
    with user_errors():
        from infold.data.files import read_labels

        return read_labels(file, column, option)


def read_times(file: TableFile, column: str) -> list[Any]:
    """Return a column of times: numbers if all cells are, else text, which must be dates."""
    cells = _labels(file, column, "--time")
    try:
        return [float(cell) for cell in cells]
    except ValueError:
        return cells


def _table(found: Any) -> str:
    """Return a line for each lag."""
    tested = found.n_surrogates > 0
    lines = [f"{'lag':>6} {'mi':>9}" + (f" {'p':>7} {'p, all':>7}" if tested else "")]
    for i, lag in enumerate(found.lags):
        line = f"{lag:6d} {found.mi[i]:9.4f}"
        lines.append(line + (f" {found.pvalues[i]:7.3f} {found.corrected_pvalues[i]:7.3f}" if tested else ""))
    return "\n".join(lines)
