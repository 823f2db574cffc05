"""How often the test given Z rejects where Z explains everything.

    python experiments/given_level.py --sets 40     write results/given-level.csv, a row for each cell
    python experiments/given_level.py --table       print the table of docs/given.md from it

X and Y are 2 g(Z) and normal noise, g being the sum over the columns of Z, of variance 1; the noise of X and of Y is
independent. "heavy tails": Z is Student's t with two degrees, the noise is cubed. "classes": a column of three classes,
which say whether |Z| of the other comes with a plus or a minus. "mixed": a class, a count and a number.
Every data set has random numbers of its own.
"""

import argparse
import csv
import math
import warnings
import zlib
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
RESULTS = Path(__file__).parent / "results" / "given-level.csv"


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
    common = 2 * SHAPES[case](z).sum(axis=1) / math.sqrt(columns)
    return common + e, common + f, z


def judged(case: str, columns: int, n: int, sets: int) -> tuple[int, int]:
    """How many data sets have p ≤ .05, and how many a warning that Z has too many columns."""
    found = []
    for seed in range(sets):
        tables = draw(case, columns, n, np.random.default_rng([seed, columns, n, zlib.crc32(case.encode())]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = infold.independence_test(
                *tables, discrete_z=LABELS.get(case), n_permutations=99, random_state=seed, n_jobs=1, verbose=0
            )
        found.append((test.pvalue <= 0.05, any("too many columns" in note for note in test.notes)))
    return tuple(np.sum(found, axis=0).tolist())


def table() -> None:
    """Print how often the test rejects by columns, causes and rows."""
    with RESULTS.open() as file:
        rows = list(csv.DictReader(file))
    margins = [("all", rows)]
    for key, label in (("columns", "columns of Z: {}"), ("n", "n = {}"), ("case", "{}")):
        for value in (
            sorted({row[key] for row in rows}, key=int) if key != "case" else dict.fromkeys(r[key] for r in rows)
        ):
            margins.append((label.format(value), [row for row in rows if row[key] == value]))
    for n in ("200", "500", "1000"):
        margins.append((f"8 columns, n = {n}", [row for row in rows if row["columns"] == "8" and row["n"] == n]))
    print("| | data sets | rejected | one standard error | warned |")
    print("|---|--:|--:|--:|--:|")
    for name, some in margins:
        sets, rejected, warned = (sum(int(row[key]) for row in some) for key in ("sets", "rejected", "warned"))
        share = rejected / sets
        error = math.sqrt(share * (1 - share) / sets)
        print(f"| {name} | {sets} | {share:.1%} | {error:.1%} | {warned / sets:.0%} |")


def main() -> None:
    """Write the cells, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[200, 500, 1000])
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--table", action="store_true")
    chosen = parser.parse_args()
    if chosen.table:
        table()
        return
    with RESULTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "columns", "n", "sets", "rejected", "warned"])
        for n in chosen.n:
            for case, columns in CELLS:
                writer.writerow([case, columns, n, chosen.sets, *judged(case, columns, n, chosen.sets)])
                file.flush()


if __name__ == "__main__":
    main()
