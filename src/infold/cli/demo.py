"""The command `infold demo`: a helix among noise columns, a control, and a verdict on a number that is far off."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from .answers import check_output, print_json, write_file
from .messages import OPTIONAL, working
from .options import Jobs, Json, Seed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

N_SAMPLES = 500
HELIX_NOISE = (0, 4, 10, 20)
CONTROL_NOISE = (0, 20)
DOUBTFUL_NOISE = 10  # with so many noise columns KSG is far off, and the verdict should say so
DOUBTFUL_PERMUTATIONS = 99
LABELS = {"ksg": "KSG", "gksg": "G-KSG", "auto": "auto"}
PICTURES = (".png", ".pdf", ".svg")


class Row(TypedDict):
    """One sample: its name, number of noise columns, true mutual information and estimates, in nats."""

    data: str
    noise_dims: int
    truth: float
    ksg: float
    gksg: float
    auto: float


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Picture to write: .png, .pdf or .svg.")] = Path(
        "infold-demo.png"
    ),
    no_plot: Annotated[bool, typer.Option("--no-plot", help="Write no picture and no report.")] = False,
    open_report: Annotated[bool, typer.Option("--open", help="Open the report in a browser.")] = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: Json = False,
) -> None:
    """See infold at work: three methods on a helix among noise columns, and a verdict on one answer.

    The picture goes to --output, and an HTML report of the same name next to it.
    """
    page = output.with_suffix(".html")
    if not no_plot:
        check_output(output, PICTURES)
        check_output(page)
    with working() as warned:
        rows = run(seed, jobs)
        estimate, verdict, html = doubt(seed, jobs, with_page=not no_plot)
    saved = not no_plot and _save_picture(rows, seed, output)
    if html is not None:
        write_file(page, html)
    if as_json:
        answer = {
            "n_samples": N_SAMPLES,
            "seed": seed,
            "rows": rows,
            "verdict": verdict,
            "picture": str(output) if saved else None,
            "report": str(page) if html is not None else None,
        }
        print_json(answer, warned)
    else:
        _print(rows, estimate, verdict)
        if saved:
            typer.echo(f"\nPicture: {output}")
        if html is not None:
            typer.echo(f"{'' if saved else chr(10)}Report:  {page}")
        typer.echo("\nOn your own data: infold report data.csv --x a,b --y c,d -o report.html")
    if open_report and html is not None:
        typer.launch(str(page))


def run(seed: int, n_jobs: int) -> list[Row]:
    """Estimate by every method on every sample."""
    from tqdm import tqdm

    import infold
    from infold.datasets import make_helix, make_independent

    samples = [("helix", d, make_helix(N_SAMPLES, d, random_state=seed)) for d in HELIX_NOISE]
    for d in CONTROL_NOISE:
        samples.append(("independent", d, make_independent(N_SAMPLES, d, like="helix", random_state=seed)))
    rows = []
    for name, d, sample in tqdm(samples, desc="demo", leave=False, disable=None):
        ksg, gksg, auto = (
            infold.mutual_information(
                sample.X, sample.Y, method=method, random_state=seed, n_jobs=n_jobs, verbose=False
            ).mi
            for method in LABELS
        )
        rows.append(Row(data=name, noise_dims=d, truth=float(sample.best_mi), ksg=ksg, gksg=gksg, auto=auto))
    return rows


def doubt(seed: int, n_jobs: int, *, with_page: bool) -> tuple[float, list[str], str | None]:
    """Return KSG's estimate on a noisy helix, the verdict on it, and the report as HTML if it can be made."""
    import infold
    from infold.datasets import make_helix

    sample = make_helix(N_SAMPLES, DOUBTFUL_NOISE, random_state=seed)
    settings: dict[str, Any] = {"method": "ksg", "random_state": seed, "n_jobs": n_jobs, "verbose": 0}
    if with_page:
        try:
            report = infold.report.make_report(
                sample.X,
                sample.Y,
                n_permutations=DOUBTFUL_PERMUTATIONS,
                title=f"A helix among {DOUBTFUL_NOISE} noise columns, by KSG",
                command=f"infold demo --seed {seed}",
                **settings,
            )
            return float(report.diagnosis.estimate), list(report.diagnosis.verdict), report.html()
        except ImportError as error:
            if error.name not in OPTIONAL:
                raise
            typer.echo(f"infold: no report: {error}", err=True)
    found = infold.diagnose(sample.X, sample.Y, **settings)
    return float(found.estimate), list(found.verdict), None


def table(rows: list[Row]) -> Table:
    """Return the rows as a table for the terminal."""
    from rich.table import Table

    table = Table(title=f"Mutual information in nats, {N_SAMPLES} rows each", title_justify="left", title_style="bold")
    table.add_column("data")
    for heading in ("noise columns", "truth", *LABELS.values()):
        table.add_column(heading, justify="right")
    for row, following in zip(rows, [*rows[1:], rows[-1]], strict=True):
        numbers = (f"{value:.2f}" for value in (row["truth"], row["ksg"], row["gksg"], row["auto"]))
        last_of_kind = following["data"] != row["data"]
        table.add_row(row["data"], str(row["noise_dims"]), *numbers, end_section=last_of_kind)
    return table


def summary(rows: list[Row]) -> list[str]:
    """Return what the numbers say, whatever they are, in two sentences."""
    helix, controls = _by_kind(rows)
    noisy = helix[-1]
    is_low = all(max(row["ksg"], row["gksg"], row["auto"]) < row["truth"] for row in helix)
    nearest = sum(
        abs(row["auto"] - row["truth"]) < min(abs(row["ksg"] - row["truth"]), abs(row["gksg"] - row["truth"]))
        for row in helix
    )
    off = [max(abs(value) for value in values) for values in _estimates(controls).values()]
    return [
        f"Noise columns do not change the truth, {noisy['truth']:.2f}; with {noisy['noise_dims']} of them "
        f"KSG finds {noisy['ksg']:.2f}, G-KSG {noisy['gksg']:.2f} and auto, the default, {noisy['auto']:.2f}. Auto is "
        f"nearest to the truth on {nearest} of {len(helix)} helices"
        f"{'; every estimate is too low' if is_low else ''}.",
        f"Where X and Y are independent the truth is 0; KSG is off by at most {off[0]:.2f} there, "
        f"G-KSG by {off[1]:.2f}, auto by {off[2]:.2f}.",
    ]


def picture(rows: list[Row], seed: int) -> Figure:
    """Draw the helix, and what the methods find on it."""
    from infold.datasets import make_helix
    from infold.plotting import plot_demo

    helix, _ = _by_kind(rows)
    estimates = {LABELS[method]: values for method, values in _estimates(helix).items()}
    sample = make_helix(N_SAMPLES, random_state=seed)
    return plot_demo(sample, [row["noise_dims"] for row in helix], estimates, helix[0]["truth"])


def _save_picture(rows: list[Row], seed: int, output: Path) -> bool:
    """Write the picture; without matplotlib say so and return False."""
    try:
        figure = picture(rows, seed)
    except ImportError as error:
        if error.name != "matplotlib":
            raise
        typer.echo(f"infold: no picture: {error}", err=True)
        return False
    image = io.BytesIO()
    figure.savefig(image, format=output.suffix[1:].lower(), dpi=150)
    write_file(output, image.getvalue())
    return True


def _print(rows: list[Row], estimate: float, verdict: list[str]) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.print(table(rows))
    for sentence in summary(rows):
        console.print("", sentence, sep="\n")
    question = f"Suppose you had only KSG's {estimate:.2f}, with {DOUBTFUL_NOISE} noise columns. Can you trust it?"
    console.print("", f"[bold]{question}[/bold] The verdict:", sep="\n")
    for sentence in verdict:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)))


def _estimates(rows: list[Row]) -> dict[str, list[float]]:
    return {
        "ksg": [row["ksg"] for row in rows],
        "gksg": [row["gksg"] for row in rows],
        "auto": [row["auto"] for row in rows],
    }


def _by_kind(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    helix = [row for row in rows if row["data"] == "helix"]
    return helix, [row for row in rows if row["data"] != "helix"]
