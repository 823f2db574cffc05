"""The command `infold network`: all pairs of the columns of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .answers import check_output, print_json, write_file
from .lags import read_times
from .messages import UserError, user_errors, working
from .options import DecimalComma, Discrete, Encoding, File, Jobs, Json, Neighbors, NoHeader, Seed, Separator, Units
from .request import given as those_given

if TYPE_CHECKING:
    from infold.data.files import TableFile

ALL = "*"


def network(
    file: File,
    columns: Annotated[
        str, typer.Option("--columns", help="Columns to pair: names, ranges first:last, patterns. (default: all)")
    ] = ALL,
    others: Annotated[
        str | None, typer.Option("--with", help="Columns to pair these with, instead of with each other.")
    ] = None,
    given: Annotated[
        str | None, typer.Option("--given", help="Confounders, to regress out of all columns first.")
    ] = None,
    node: Annotated[
        list[str] | None, typer.Option("--node", help="A group of columns as one node: name=a,b. Repeat for each node.")
    ] = None,
    discrete: Discrete = None,
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="Rows with missing values: error (the default), drop, or pairwise (per pair)."),
    ] = None,
    method: Annotated[str | None, typer.Option("--method", help="ksg (the default) or auto.")] = None,
    neighbors: Neighbors = None,
    units: Units = None,
    fdr: Annotated[float, typer.Option("--fdr", help="Expected share of false edges (FDR).")] = 0.05,
    prune: Annotated[
        str | None, typer.Option("--prune", help="Remove edges that others explain: conditional or dpi.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Keep results in this folder, and resume from it.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the edges: .csv, .graphml, .json or .html."),
    ] = None,
    transfer_entropy: Annotated[
        bool,
        typer.Option("--transfer-entropy", help="Treat columns as series: transfer entropy of all pairs, both ways."),
    ] = False,
    time: Annotated[
        str | None,
        typer.Option("--time", help="With --transfer-entropy: column of times, to sort rows and find gaps."),
    ] = None,
    delay: Annotated[
        int | None, typer.Option("--delay", help="With --transfer-entropy: steps from source to target. (default: 1)")
    ] = None,
    surrogates: Annotated[
        int | None, typer.Option("--surrogates", help="With --transfer-entropy: surrogates per source. (default: 199)")
    ] = None,
    difference: Annotated[
        bool, typer.Option("--difference", help="With --transfer-entropy: use changes from row to row.")
    ] = False,
    separator: Separator = None,
    decimal_comma: DecimalComma = False,
    encoding: Encoding = None,
    no_header: NoHeader = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """Find which columns of a table share information, with MI, p- and q-values of all pairs."""
    suffixes: tuple[str, ...] | None = None
    if transfer_entropy:
        refused = {"--with": others, "--given": given, "--node": node, "--prune": prune}
        _refuse_for_series({**refused, "--folder": folder, "--missing": missing})
        suffixes = (".csv",)
    elif own := those_given(
        **{"--time": time, "--delay": delay, "--surrogates": surrogates, "--difference": difference or None}
    ):
        name = next(iter(own))
        raise UserError(f"{name} is for --transfer-entropy, which is not given; add it, or leave {name} out.")
    dialect = those_given(
        separator=separator, decimal_comma=decimal_comma, encoding=encoding, header=False if no_header else None
    )
    with user_errors():
        from infold.networks.files import SUFFIXES

        if output is not None:
            check_output(output, suffixes or SUFFIXES)
            if output.exists() and file.exists() and output.samefile(file):
                raise UserError(f"--output={output} would overwrite the data; name another file.")
        holes = "drop" if transfer_entropy else missing
        opened, tables = _tables(
            file, columns, {"--with": others, "--given": given, "--time": time}, dialect, discrete, holes
        )
    with working() as warned:
        import infold

        if transfer_entropy:
            options = those_given(method=method, n_neighbors=neighbors, units=units, n_surrogates=surrogates)
            options |= those_given(
                time=time and read_times(opened, time), difference=int(difference) or None, delay=delay
            )
            series = infold.transfer_entropy_matrix(tables["--columns"], random_state=seed, n_jobs=jobs, **options)
            series = warned.shown_by(series, as_json)
            if output is not None:
                write_file(output, series.to_csv(fdr=fdr))
            _tell(file, series.to_dict(fdr=fdr), series.summary(fdr=fdr), warned, output, as_json)
            return
        found = infold.network(
            tables["--columns"],
            tables.get("--with"),
            given=tables.get("--given"),
            nodes=_nodes(node),
            random_state=seed,
            n_jobs=jobs,
            folder=folder,
            **those_given(method=method, n_neighbors=neighbors, units=units, missing=missing),
        )
        if prune is not None:
            found = found.prune(prune, fdr=fdr, n_jobs=jobs)
        answer = found.to_dict(fdr)
        if output is not None:
            from infold.networks.files import edge_file

            write_file(output, edge_file(found, output, fdr))
    _tell(file, answer, found.summary(fdr), warned, output, as_json)


def _tell(
    file: Path, answer: dict[str, Any], summary: str, warned: list[str], output: Path | None, as_json: bool
) -> None:
    """Print the answer."""
    if as_json:
        print_json({"file": str(file), **answer}, warned)
        return
    typer.echo(summary)
    if output is not None:
        typer.echo(f"Edges: {output}")


def _refuse_for_series(options: dict[str, Any]) -> None:
    """Refuse what transfer entropies of all pairs do not take."""
    for name, value in options.items():
        if value:
            raise UserError(f"{name} does not go with --transfer-entropy; leave one of them out.")


def _tables(
    file: Path,
    columns: str,
    others: dict[str, str | None],
    dialect: dict[str, Any],
    discrete: str | None,
    missing: str | None,
) -> tuple[TableFile, dict[str, Any]]:
    """Return the file and the columns that each option picks; all that no other picks, unless --columns says."""
    from infold.data.files import open_table, read_columns
    from infold.data.selectors import select
    from infold.data.text_files import Dialect

    opened = open_table(file, Dialect(**dialect))
    picked = those_given(**others)
    if columns == ALL:
        taken = {c for option, text in picked.items() for c in select(opened.reader.header, text, option)}
        columns = ",".join(_quoted(name) for c, name in enumerate(opened.reader.header.names) if c not in taken)
    holes = "error" if missing in (None, "error") else "drop"
    wanted = {"--columns": columns, **{option: text for option, text in picked.items() if option != "--time"}}
    return opened, read_columns(opened, wanted, **those_given(discrete=discrete), missing=holes)


def _quoted(name: str) -> str:
    """Return a name as a selector takes it, whatever is in it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '""') + '"'


def _nodes(groups: list[str] | None) -> dict[str, list[str]] | None:
    """Return the groups of columns by name."""
    if not groups:
        return None
    out = {}
    for group in groups:
        name, equals, members = group.partition("=")
        if not (name.strip() and equals and members.strip()):
            raise UserError(f"--node={group!r} must be a name, = and columns, as in --node weather=rain,wind.")
        out[name.strip()] = [one.strip() for one in members.split(",")]
    return out
