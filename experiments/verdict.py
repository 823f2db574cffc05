"""Is the verdict of `diagnose` worth its words? Data with known MI; how often each verdict is given, and is right.

    python experiments/verdict.py [--methods ksg,auto] [--samples 300] [--sets 20]

Writes experiments/results/verdict.csv; what is there already is not computed again.
"""

import argparse
import csv
import math
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import tasks

import infold

RESULTS = Path(__file__).parent / "results" / "verdict.csv"
FIELDS = ["method", "task", "samples", "seed", "truth", "mi", "verdict", "within", "direction"]
NOTHING, SOUND, CARE = "nothing", "sound", "care"
FIRST_SEED = 100  # the rule was set on samples with smaller ones


def with_noise(rng: np.random.Generator, n: int) -> tasks.Sample:
    """A correlated pair, five noise columns beside either."""
    return tasks.pairs(rng, n, p=6, k=1, rho=0.9)


TASKS: dict[str, tuple[Callable[[np.random.Generator, int], tasks.Sample], float]] = {
    "independent, 1 + 1": (partial(tasks.pairs, p=1, k=0, rho=0.0), 0.0),
    "independent, 5 + 5": (partial(tasks.pairs, p=5, k=0, rho=0.0), 0.0),
    "normal, 1 + 1": (partial(tasks.pairs, p=1, k=1, rho=0.75), tasks.pairs_mi(1, 0.75)),
    "normal, 1 + 1, weak": (partial(tasks.pairs, p=1, k=1, rho=0.3), tasks.pairs_mi(1, 0.3)),
    "normal, 3 + 3, two pairs": (partial(tasks.pairs, p=3, k=2, rho=0.8), tasks.pairs_mi(2, 0.8)),
    "normal pair in 6 + 6": (with_noise, tasks.pairs_mi(1, 0.9)),
    "additive .1, 1 + 1": (partial(tasks.additive, width=0.1), 0.1 - math.log(0.2)),
    "Student, 2 degrees, 2 + 2": (partial(tasks.pairs, p=2, k=0, rho=0.0, nu=2), tasks.student_excess(2, 2, 2)),
    "sign of a product, 2 + 1": tasks.shapes()["sign of a product, 2 + 1 columns"],
    "x² plus noise, 3 + 1": tasks.shapes()["x² plus noise, 3 + 1 columns"],
    "additive .01, 1 + 1": (partial(tasks.additive, width=0.01), 0.01 - math.log(0.02)),
}


def measured(method: str, task: str, n: int, seed: int) -> dict[str, object]:
    """One diagnosis as a row."""
    make, truth = TASKS[task]
    X, Y = make(np.random.default_rng([n, seed, *task.encode()]), n)
    found = infold.diagnose(X, Y, method=method, random_state=seed, n_jobs=1, verbose=0)
    said = " ".join(found.verdict)
    width = re.search(r"looks sound, to about ± ([\d.e-]+):", said)
    direction = re.search(r"truth is probably (higher|lower)", said)
    values = (
        method,
        task,
        n,
        seed,
        round(truth, 6),
        round(found.estimate.mi, 6),
        SOUND if width else NOTHING if "show no clear dependence" in said or "so weakly" in said else CARE,
        int(abs(found.estimate.mi - truth) <= float(width[1])) if width else "",
        direction[1] if direction else "",
    )
    return dict(zip(FIELDS, values, strict=True))


def table() -> str:
    """What was said, and how often it was right, as markdown."""
    rows = list(csv.DictReader(RESULTS.open()))
    lines = [
        "| method | data | n | sets | truth | estimate | no dependence | sound | … and the truth within its ± "
        "| with care | a direction | … the right one |",
        "|---" * 12 + "|",
    ]
    for cell in dict.fromkeys((row["method"], row["task"], row["samples"]) for row in rows):
        mine = [row for row in rows if (row["method"], row["task"], row["samples"]) == cell]
        truth = float(mine[0]["truth"])
        sound = [row for row in mine if row["verdict"] == SOUND]
        directed = [row for row in mine if row["direction"]]
        right = sum((row["direction"] == "higher") == (truth > float(row["mi"])) for row in directed)
        counts = [sum(row["verdict"] == kind for row in mine) for kind in (NOTHING, SOUND, CARE)]
        lines.append(
            f"| {' | '.join(cell)} | {len(mine)} | {truth:.2f} | {np.mean([float(row['mi']) for row in mine]):.2f} "
            f"| {counts[0]} | {counts[1]} | {sum(int(row['within']) for row in sound) if sound else '–'} | {counts[2]} "
            f"| {len(directed)} | {right if directed else '–'} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Compute what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="ksg,auto")
    parser.add_argument("--samples", default="300")
    parser.add_argument("--sets", type=int, default=20)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", infold.DataWarning)
    rows = list(csv.DictReader(RESULTS.open())) if RESULTS.exists() else []
    known = {tuple(row[f] for f in FIELDS[:4]) for row in rows}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for method in arguments.methods.split(","):
            for n in arguments.samples.split(","):
                for task in TASKS:
                    for seed in range(FIRST_SEED, FIRST_SEED + arguments.sets):
                        if (method, task, n, str(seed)) not in known:
                            writer.writerow(measured(method, task, int(n), seed))
                            file.flush()
    print(table())


if __name__ == "__main__":
    main()
