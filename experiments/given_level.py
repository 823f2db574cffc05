"""How often the test given Z rejects where Z explains everything.

    python experiments/given_level.py --sets 21             write results/given-level.csv, a row for each cell
    python experiments/given_level.py --rough --sets 20     write results/given-level-rough.csv
    python experiments/given_level.py --first 1000 --sets 100 --n 200 --columns 8      print other samples of some
    python experiments/given_level.py --table               print the table of docs/given.md from the first
    python experiments/given_level.py --rough --table       print that from the second

X and Y are 2 g(Z) and normal noise, g being the sum over the columns of Z, of variance 1; the noise of X and of Y is
independent. "heavy tails": Z is Student's t with two degrees, the noise is cubed. "classes": a column of three classes,
which say whether |Z| of the other comes with a plus or a minus. "mixed": a class, a count and a number.
Every data set has random numbers of its own.

With --rough, causes that are steps, corners, products or fast waves; "labels" turns X and Y into two classes each,
"counts" into five ordered values.
"""

import argparse
import csv
import math
import sys
import warnings
import zlib
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import infold

SHAPES = {
    "line": lambda z: z,
    "square": lambda z: (z**2 - 1) / math.sqrt(2),
    "sine": lambda z: math.sqrt(2) * np.sin(2 * z),
    "absolute value": lambda z: (np.abs(z) - 0.798) / 0.603,
}
CELLS = [(case, columns) for case in SHAPES for columns in (1, 3, 8)]
CELLS += [("heavy tails", 1), ("heavy tails", 3), ("classes", 2), ("mixed", 3)]
LABELS = {"classes": [0], "mixed": [0]}
ROUGH = {
    "stairs": lambda z: np.floor(1.5 * z).sum(axis=1),
    "sawtooth": lambda z: np.mod(1.5 * z, 1).sum(axis=1),
    "fast wave": lambda z: np.cos(6 * z).sum(axis=1),
    "larger of two": lambda z: np.maximum(z[:, 0], z[:, 1]),
    "product": lambda z: z[:, 0] * z[:, 1],
    "quadrants": lambda z: (z[:, 0] > 0.3) ^ (z[:, 1] > -0.3),
    "switched slopes": lambda z: z[:, 0] * (z[:, 1] > 0),
    "line, labels": lambda z: z.sum(axis=1),
    "sine, labels": lambda z: np.sin(2 * z).sum(axis=1),
    "line, counts": lambda z: z.sum(axis=1),
    "stairs, labels": lambda z: np.floor(1.5 * z).sum(axis=1),
}
ROUGH_CELLS = [(case, columns) for case in ROUGH for columns in (2, 3)]
RESULTS = Path(__file__).parent / "results"
MAYBE_SMALL = ("p may be too small", "p is too small more often")  # what a warning says


def draw(case: str, columns: int, n: int, rng: np.random.Generator) -> tuple:
    """One data set: X, Y and Z."""
    e, f = rng.standard_normal((2, n))
    if case == "heavy tails":
        z = rng.standard_t(2, (n, columns))
        common = z.sum(axis=1)
        return common + e**3, common + f**3, z
    if case == "classes":
        label, z = rng.integers(0, 3, n), rng.standard_normal(n)
        common = 2 * (label - 1) * np.abs(z)
        return common + e, common + f, np.column_stack([label, z])
    if case == "mixed":
        label, count, z = rng.integers(0, 2, n), rng.poisson(3, n), rng.standard_normal(n)
        common = 2 * label + 0.7 * count + np.sin(2 * z)
        return common + e, common + f, np.column_stack([label, count, z])
    z = rng.standard_normal((n, columns))
    if case in ROUGH:
        cause = ROUGH[case](z).astype(float)
        common = 2 * (cause - cause.mean()) / cause.std()
        return *(as_kind(case, common + noise) for noise in (e, f)), z
    common = 2 * SHAPES[case](z).sum(axis=1) / math.sqrt(columns)
    return common + e, common + f, z


def as_kind(case: str, column: np.ndarray) -> np.ndarray:
    """The column as it is, as two classes, or as five ordered values."""
    if "labels" in case:
        return column > 0
    return np.digitize(column, [-2, -0.7, 0.7, 2]) if "counts" in case else column


def judged(case: str, columns: int, n: int, seeds: range) -> tuple[int, int, int]:
    """How many data sets have p ≤ .05, how many a warning that p may be too small, and how many the first alone."""
    found = []
    for seed in seeds:
        tables = draw(case, columns, n, np.random.default_rng([seed, columns, n, zlib.crc32(case.encode())]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = infold.independence_test(
                *tables, discrete_z=LABELS.get(case), n_permutations=99, random_state=seed, n_jobs=1, verbose=0
            )
        rejected, warned = test.pvalue <= 0.05, any(words in note for note in test.notes for words in MAYBE_SMALL)
        found.append((rejected, warned, rejected and not warned))
    return tuple(np.sum(found, axis=0).tolist())


def table(path: Path) -> None:
    """Print how often the test rejects by columns, causes and rows."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    margins = [("all", rows)]
    for key, label in (("columns", "columns of Z: {}"), ("n", "n = {}"), ("case", "{}")):
        for value in (
            sorted({row[key] for row in rows}, key=int) if key != "case" else dict.fromkeys(r[key] for r in rows)
        ):
            margins.append((label.format(value), [row for row in rows if row[key] == value]))
    for n in ("200", "500", "1000"):
        margins.append((f"8 columns, n = {n}", [row for row in rows if row["columns"] == "8" and row["n"] == n]))
    print("| | data sets | rejected | one standard error | warned | rejected without a warning |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, some in margins:
        if not some:
            continue
        sets, *counts = (sum(int(row[key]) for row in some) for key in ("sets", "rejected", "warned", "unwarned"))
        share, warned, unwarned = (count / sets for count in counts)
        error = math.sqrt(share * (1 - share) / sets)
        print(f"| {name} | {sets} | {share:.1%} | {error:.1%} | {warned:.0%} | {unwarned:.1%} |")


def main() -> None:
    """Write the cells, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--sets", type=int, default=21)
    parser.add_argument("--rough", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="seed of the first data set")
    parser.add_argument("--columns", type=int, nargs="+", help="cells with so many columns in Z")
    parser.add_argument("--case", nargs="+", help="cells of these cases")
    chosen = parser.parse_args()
    path = RESULTS / ("given-level-rough.csv" if chosen.rough else "given-level.csv")
    if chosen.table:
        table(path)
        return
    cells = [
        (case, columns)
        for case, columns in (ROUGH_CELLS if chosen.rough else CELLS)
        if (not chosen.columns or columns in chosen.columns) and (not chosen.case or case in chosen.case)
    ]
    seeds = range(chosen.first, chosen.first + chosen.sets)
    is_whole = not (chosen.first or chosen.columns or chosen.case)
    with path.open("w", newline="") if is_whole else nullcontext(sys.stdout) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "columns", "n", "sets", "rejected", "warned", "unwarned"])
        for n in chosen.n:
            for case, columns in cells:
                writer.writerow([case, columns, n, chosen.sets, *judged(case, columns, n, seeds)])
                file.flush()


if __name__ == "__main__":
    main()
