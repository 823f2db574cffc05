"""Fill the tables of docs/reproduction.md from the committed results.

    python experiments/tables.py                      write the tables into the page
    python experiments/tables.py --check              complain if the page has other tables
    python experiments/tables.py --reference FOLDER   first summarise the authors' estimates, FOLDER/estimates.csv

A table stands between `<!-- table NAME -->` and `<!-- end -->`; NAME is a function below.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

from infold.reproduce import read_rows
from infold.reproduce.figures import mean_estimate, mean_squared_error, median_seconds, only

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reproduction.md"
REFERENCE = HERE / "reference_means.csv"
TASKS = ("uniform", "gaussian", "helix", "sphere")

PAPER_KSG = {"method": "ksg", "standardize": False}
PAPER_GKSG = {"method": "gksg", "variant": "paper", "standardize": False}
DEFAULT_GKSG = {"method": "gksg", "variant": "paper", "standardize": True}
GKNN = {"method": "gknn"}
LNN = {"method": "lnn", "variant": "defined"}
RMI = {"method": "lnn", "variant": "rmi"}
NAMED = {
    "KSG 3": PAPER_KSG | {"k": 3},
    "G-KSG 3": PAPER_GKSG | {"k": 3},
    "G-KSG 3, default": DEFAULT_GKSG | {"k": 3},
    "gKNN 20": GKNN | {"k": 20},
    "gKNN 30": GKNN | {"k": 30},
    "LNN 5": LNN | {"k": 5},
    "rmi 5": RMI | {"k": 5},
}


def results(name):
    """Rows of an experiment."""
    return read_rows(HERE / "results" / f"{name}.csv")


def number(value, digits=2):
    """A number for people: −0.00 is 0.00, nothing is a dash."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", "−")


def table(heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    lines = [" | ".join(heads), "|".join("---:" for _ in heads), *(" | ".join(row) for row in body)]
    return "\n".join(f"| {line} |" if "---" not in line else f"|{line}|" for line in lines)


def cell(rows, summary=mean_estimate, digits=2, **wanted):
    """The summary of the wanted rows; a star where the method warned on most of them."""
    found = only(rows, **wanted)
    if not found:
        return "–"
    star = "\\*" if fmean(row["warned"] for row in found) > 0.5 else ""
    return number(summary(found), digits) + star


def reference(generator, method, k, n=500, noise_dims=0):
    """Mean of the authors' estimates, or None."""
    with REFERENCE.open(newline="") as file:
        for row in csv.DictReader(file):
            key = (row["generator"], row["method"], int(row["k"]), int(row["n"]), int(row["noise_dims"]))
            if key == (generator.capitalize(), method, k, n, noise_dims):
                return float(row["mean"])
    return None


def summarise(folder: Path) -> None:
    """Write means of the authors' estimates: small, and all that the tables need."""
    cells = defaultdict(list)
    with (folder / "estimates.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            cells[tuple(row[name] for name in ("generator", "n", "noise_dims", "method", "k"))].append(
                float(row["estimate"])
            )
    with REFERENCE.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["generator", "n", "noise_dims", "method", "k", "mean", "sd", "data_sets"])
        for key, values in cells.items():
            mean = sum(values) / len(values)
            sd = stdev(values) if mean > float("-inf") else float("nan")
            out.writerow([*key, f"{mean:.4f}", f"{sd:.4f}", len(values)])


# The tables, by name.


def efficiency():
    """Mean estimate by number of samples."""
    rows = only(results("sample-efficiency"), task="uniform")
    named = {**NAMED, "G-KSG 5": PAPER_GKSG | {"k": 5}, "KSG 5": PAPER_KSG | {"k": 5}}
    order = ("KSG 3", "KSG 5", "G-KSG 3", "G-KSG 5", "gKNN 20", "gKNN 30", "LNN 5", "rmi 5")
    body = [
        [
            str(n),
            *(cell(rows, n=n, **named[name]) for name in order),
            number(reference("Uniform", "KSG", 3, n)),
            number(reference("Uniform", "G-KSG", 3, n)),
        ]
        for n in sorted({row["n"] for row in rows})
    ]
    return table(["n", *order, "R: KSG 3", "R: G-KSG 3"], body)


def efficiency_error():
    """Mean squared error by number of samples."""
    rows = only(results("sample-efficiency"), task="uniform")
    best = {
        f"{name} {k}": shared | {"k": k}
        for name, shared in (("KSG", PAPER_KSG), ("G-KSG", PAPER_GKSG))
        for k in (3, 5, 10)
    }
    order = {**best, "gKNN 20": NAMED["gKNN 20"], "gKNN 30": NAMED["gKNN 30"], "LNN 5": NAMED["LNN 5"]}
    body = []
    for n in sorted({row["n"] for row in rows}):
        errors = {name: mean_squared_error(only(rows, n=n, **wanted)) for name, wanted in best.items()}
        body.append(
            [
                str(n),
                *(cell(rows, mean_squared_error, 3, n=n, **wanted) for wanted in order.values()),
                number(errors["KSG 3"] / errors["G-KSG 3"], 1),
                number(errors["KSG 5"] / errors["G-KSG 5"], 1),
            ]
        )
    return table(["n", *order, "KSG 3 / G-KSG 3", "KSG 5 / G-KSG 5"], body)


def times():
    """Seconds of one estimate on one core, and the ratio."""
    rows = only(results("sample-efficiency"), task="uniform")
    order = ("KSG 3", "G-KSG 3", "G-KSG 3, default", "gKNN 20", "LNN 5")
    body = []
    for n in sorted({row["n"] for row in rows}):
        plain, geodesic, default = (median_seconds(only(rows, n=n, **NAMED[name])) for name in order[:3])
        body.append(
            [
                str(n),
                *(cell(rows, median_seconds, 4, n=n, **NAMED[name]).removesuffix("\\*") for name in order),
                number(geodesic / plain, 0),
                number(default / plain, 0),
            ]
        )
    return table(["n", *order, "G-KSG / KSG", "default / KSG"], body)


def _by_noise(task, authors=True):
    rows = only(results(task), task=task)
    body = []
    for d in sorted({row["noise_dims"] for row in rows}):
        row = [str(d), *(cell(rows, noise_dims=d, **wanted) for wanted in NAMED.values())]
        if authors:
            row += [number(reference(task, name, 3, 500, d)) for name in ("KSG", "G-KSG")]
        body.append(row)
    return table(["noise columns", *NAMED, *(["R: KSG 3", "R: G-KSG 3"] if authors else [])], body)


def uniform():
    """Means by number of noise columns."""
    return _by_noise("uniform")


def gaussian():
    """Means by number of noise columns."""
    return _by_noise("gaussian")


def helix():
    """Means by number of noise columns; the authors' data are of the released form."""
    return _by_noise("helix", authors=False)


def sphere():
    """Means by number of noise columns; the authors' data are of the released form."""
    return _by_noise("sphere", authors=False)


def controls():
    """Means on independent data."""
    body = []
    order = [name for name in NAMED if name != "gKNN 30"]
    for task in TASKS:
        rows = only(results(task), task=f"independent-{task}")
        for d in (0, 4, 12, 20):
            body.append([task, str(d), *(cell(rows, noise_dims=d, **NAMED[name]) for name in order)])
    return table(["marginals of", "noise columns", *order], body)


def nearest():
    """Root mean squared error of every method against the true value, in the paper's settings and k."""
    order = ("KSG 3", "G-KSG 3", "gKNN 20", "gKNN 30", "LNN 5", "rmi 5")
    body = []
    for task in TASKS:
        rows = only(results(task), task=task)
        for row in rows:
            row["truth"] = row["truth_monte_carlo"] or row["truth"]
        for d in (0, 2, 4, 6, 10, 16, 20):
            errors = {n: mean_squared_error(only(rows, noise_dims=d, **NAMED[n])) ** 0.5 for n in order}
            least = min(errors, key=errors.__getitem__)
            shown = [f"**{number(e)}**" if name == least else number(e) for name, e in errors.items()]
            body.append([task, str(d), *shown])
    return table(["task", "noise columns", *order], body)


def high():
    """Means with hundreds of noise columns."""
    rows, body = results("high-dimensions"), []
    for task in ("uniform", "sphere"):
        for d in sorted({row["noise_dims"] for row in rows}):
            here = only(rows, task=task, form="paper", noise_dims=d)
            control = only(rows, task=f"independent-{task}", noise_dims=d)
            body.append(
                [
                    task,
                    str(d),
                    *(cell(here, **NAMED[name]) for name in ("KSG 3", "G-KSG 3", "G-KSG 3, default")),
                    *(cell(control, **NAMED[name]) for name in ("KSG 3", "G-KSG 3", "G-KSG 3, default")),
                    *(cell(here, **NAMED[name]) for name in ("gKNN 20", "LNN 5")),
                    cell(only(rows, task="sphere", form="released"), noise_dims=d, **NAMED["G-KSG 3"])
                    if task == "sphere"
                    else "–",
                    number(reference(task, "G-KSG", 3, 500, d)) if d >= 100 or task == "uniform" else "–",
                ]
            )
    heads = ["KSG 3", "G-KSG 3", "default", "control: KSG", "control: G-KSG", "control: default", "gKNN 20", "LNN 5"]
    return table(["task", "noise columns", *heads, "released: G-KSG 3", "R: G-KSG 3"], body)


def _compared(name, column, values, label):
    rows, body = results(name), []
    for task in (*TASKS, *(f"independent-{task}" for task in TASKS)):
        for d in (4, 20):
            here = only(rows, task=task, noise_dims=d, k=3)
            body.append(
                [
                    task,
                    str(d),
                    *(
                        cell(here, method=method, standardize=standardize, **{column: value})
                        for method in ("ksg", "gksg")
                        for standardize in (False, True)
                        for value in values
                    ),
                ]
            )
    heads = [
        f"{method}{', standardised' if standardize else ''} {label.format(value)}"
        for method in ("KSG", "G-KSG")
        for standardize in (False, True)
        for value in values
    ]
    return table(["task", "noise columns", *heads], body)


def units():
    """Means with noise columns in other units."""
    return _compared("units", "noise_scale", (0.1, 1.0, 10.0), "× {:g}")


def shape():
    """Means with normal and with uniform noise."""
    return _compared("noise-shape", "noise", ("normal", "uniform"), "{}")


def released():
    """Means on the released generators beside the paper's and the authors'."""
    rows, body = results("released"), []
    for task in ("helix", "sphere"):
        for d in (0, 2, 4, 10, 20):
            here = only(rows, task=task, form="released", noise_dims=d)
            printed = only(rows, task=task, form="paper", noise_dims=d)
            cells = []
            for name, theirs, k in (
                ("KSG 3", "KSG", 3),
                ("G-KSG 3", "G-KSG", 3),
                ("gKNN 30", "gKNN", 30),
                ("rmi 5", "LNN_rmi", 5),
            ):
                cells += [cell(here, **NAMED[name]), number(reference(task, theirs, k, 500, d))]
            plain = [cell(printed, **NAMED[name]) for name in ("KSG 3", "G-KSG 3")]
            body.append([task, str(d), *cells, cell(here, **NAMED["LNN 5"]), *plain])
    heads = [f"{who}{name}" for name in ("KSG 3", "G-KSG 3", "gKNN 30", "rmi 5") for who in ("", "R: ")]
    return table(["task", "noise columns", *heads, "LNN 5", "printed: KSG 3", "printed: G-KSG 3"], body)


def filled(page: str) -> str:
    """The page with its tables made anew."""

    def fill(match):
        return f"<!-- table {match[1]} -->\n{globals()[match[1]]()}\n<!-- end -->"

    return re.sub(r"<!-- table (\w+) -->\n.*?<!-- end -->", fill, page, flags=re.DOTALL)


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    if arguments[:1] == ["--reference"]:
        summarise(Path(arguments[1]))
    old = PAGE.read_text(encoding="utf-8")
    new = filled(old)
    if "--check" in arguments:
        if new != old:
            print(f"{PAGE.name} has old tables; run: python experiments/tables.py", file=sys.stderr)
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
