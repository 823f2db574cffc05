"""How often the independence test rejects independent data at 5 %: it should be between 3 % and 7 %.

    python experiments/level.py [--methods ksg,gksg,auto] [--sets 1000] [--jobs 1]

1,000 independent data sets over 18 cells (columns × samples × law), 199 permutations (auto: 99) with early stopping,
which changes no decision at 5 %. Writes experiments/results/level.csv; what is there already is not computed again.
"""

import argparse
import csv
import itertools
from pathlib import Path

import numpy as np

import infold

RESULTS = Path(__file__).parent / "results" / "level.csv"
COLUMNS, SAMPLES, LAWS = (1, 10, 50), (100, 500), ("normal", "uniform", "cauchy")
CELLS = list(itertools.product(COLUMNS, SAMPLES, LAWS))
# A tenth of the trees: the level does not depend on how good the estimate is, and the forest is what takes time.
OPTIONS = {"gksg": {"n_estimators": 30}, "auto": {"n_permutations": 99}}
FIELDS = ["method", "columns", "samples", "law", "seed", "pvalue", "permutations"]


def sample(columns: int, samples: int, law: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two independent tables."""
    rng = np.random.default_rng([columns, samples, LAWS.index(law), seed])
    draw = {"normal": rng.standard_normal, "uniform": rng.random, "cauchy": rng.standard_cauchy}[law]
    return draw((samples, columns)), draw((samples, columns))


def main() -> None:
    """Compute what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="ksg")
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=10**6, help="leave out cells with more samples × columns")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    rows = list(csv.DictReader(RESULTS.open())) if RESULTS.exists() else []
    known = {tuple(row[f] for f in FIELDS[:5]) for row in rows}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for method in arguments.methods.split(","):
            cells = [cell for cell in CELLS if cell[0] * cell[1] <= arguments.largest]
            for i in range(arguments.sets):
                cell, seed = cells[i % len(cells)], i // len(cells)
                if (method, *map(str, (*cell, seed))) in known:
                    continue
                X, Y = sample(*cell, seed)
                found = infold.independence_test(
                    X,
                    Y,
                    method=method,
                    early_stop=True,
                    random_state=seed,
                    n_jobs=arguments.jobs,
                    verbose=0,
                    **OPTIONS.get(method, {}),
                )
                values = (method, *cell, seed, round(found.pvalue, 6), found.n_permutations)
                writer.writerow(dict(zip(FIELDS, values, strict=True)))
                file.flush()
    print(table())


def table() -> str:
    """The share of p ≤ 0.05 by method and cell, as markdown."""
    rows = list(csv.DictReader(RESULTS.open()))
    lines = ["| method | data sets | rejected | " + " | ".join(f"{c}+{c}" for c in COLUMNS)]
    lines[0] += " | " + " | ".join(f"n = {n}" for n in SAMPLES) + " | " + " | ".join(LAWS) + " |"
    lines.append("|---" * (3 + len(COLUMNS) + len(SAMPLES) + len(LAWS)) + "|")
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        groups = [mine]
        for field, values in (("columns", COLUMNS), ("samples", SAMPLES), ("law", LAWS)):
            groups += [[row for row in mine if row[field] == str(value)] for value in values]
        cells = [share(group) for group in groups]
        lines.append(f"| {method} | {len(mine)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def share(rows: list[dict[str, str]]) -> str:
    """The share of p ≤ 0.05."""
    return f"{np.mean([float(row['pvalue']) <= 0.05 for row in rows]):.1%}" if rows else "–"


if __name__ == "__main__":
    main()
