"""The options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    Path,
    typer.Argument(
        help="Table: .csv, .tsv or .txt (also .gz, .zst), .parquet, .arrow, .feather, .ndjson, .xlsx, .npy or .npz; "
        "- reads stdin."
    ),
]
X = Annotated[
    str | None,
    typer.Option("--x", help="Columns of X, separated by commas: names, ranges first:last, patterns with * and ?."),
]
Y = Annotated[str | None, typer.Option("--y", help="Columns of Y, selected in the same way.")]
Given = Annotated[
    str | None,
    typer.Option("--given", help="Columns of Z, to condition on, selected in the same way."),
]
Discrete = Annotated[
    str | None,
    typer.Option("--discrete", help="Selected columns whose numbers are class codes. Text is always classes."),
]
Missing = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="Rows with missing values: error (the default), drop or, for relevance, pairwise (per column).",
    ),
]
Separator = Annotated[
    str | None, typer.Option("--separator", help="Separator of a text file: a character, tab or space.")
]
DecimalComma = Annotated[bool, typer.Option("--decimal-comma", help="Read 1,5 as a number.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Encoding of a text file. (default: utf-8)")]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first row holds data; columns are named by position, from 0.")
]
Method = Annotated[
    str | None,
    typer.Option(
        "--method", help="Estimator: auto, gksg, ksg, gknn or lnn. (default: auto; ksg for a test with --given)"
    ),
]
Neighbors = Annotated[int | None, typer.Option("--neighbors", "-k", help="Number of neighbours.")]
Trees = Annotated[int | None, typer.Option("--trees", help="For gksg: number of trees.")]
LocalDistance = Annotated[
    str | None,
    typer.Option("--local-distance", help="For gksg: auto (the default), paper, released, or everywhere."),
]
MaxQueries = Annotated[
    int | None,
    typer.Option("--max-queries", help="For gksg: average over at most this many random rows. (default: 10000)"),
]
Units = Annotated[str | None, typer.Option("--units", help="nats or bits.")]
NoStandardize = Annotated[bool, typer.Option("--no-standardize", help="Use columns as they are, without scaling.")]
Paper = Annotated[bool, typer.Option("--paper", help="Use the paper's settings unless another option overrides them.")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed; the same seed gives the same answer.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 uses all cores.")]
Processes = Annotated[int, typer.Option("--jobs", help="Number of processes; -1 uses all cores.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Arrays = Annotated[
    bool, typer.Option("--arrays", help="With --json: include long arrays, with a value per row or permutation.")
]
Permutations = Annotated[int | None, typer.Option("--permutations", help="Number of permutations. (default: 199)")]
Level = Annotated[float | None, typer.Option("--level", help="Confidence level of the interval. (default: 0.95)")]
Groups = Annotated[str | None, typer.Option("--groups", help="Column of labels; rows are permuted within groups only.")]
Block = Annotated[
    int | None, typer.Option("--block", help="Permute blocks of this many consecutive rows, for time series.")
]
