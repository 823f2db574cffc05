"""How often confidence intervals hold what they should: the estimator's own expectation, and the truth.

    python experiments/interval.py [--methods ksg,gksg,auto] [--samples 200,500,2000] [--sets 200]

Data sets with known MI, one interval each; the expectation is the mean over REFERENCE further data sets. Writes
experiments/results/interval.csv; what is there already is not computed again.
"""

import argparse
import csv
import math
import warnings
from pathlib import Path

import numpy as np

import infold

RESULTS = Path(__file__).parent / "results" / "interval.csv"
FIELDS = [
    "method",
    "task",
    "samples",
    "seed",
    "mi",
    "error",
    "low",
    "high",
    "by_rows",
    "by_neighbors",
    "small",
    "truth",
]
# Fewer trees and subsamples where a fit is slow: wider intervals (Student's t with fewer degrees), same coverage.
SETTINGS = {"gksg": {"n_estimators": 50, "n_subsamples": 20}, "auto": {"n_subsamples": 20}, "ksg": {}}
REFERENCE = {"ksg": 1000, "gksg": 200, "auto": 60}


def sample(task: str, n: int, seed: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """X, Y and the true MI in nats."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, 6))

    def partner(rho: float) -> np.ndarray:
        return rho * z[:, :1] + math.sqrt(1 - rho**2) * z[:, 3:4]

    def truth(rho: float) -> float:
        return -0.5 * math.log(1 - rho**2)

    if task == "uniform":
        u, noise = rng.random((2, n, 1))
        return u, u + 0.1 * (noise - 0.5), 0.05 - math.log(0.1)
    return {
        "gaussian .9": (z[:, :1], partner(0.9), truth(0.9)),
        "gaussian .5": (z[:, :1], partner(0.5), truth(0.5)),
        "gaussian .7, 3+3": (z[:, :3], np.hstack([partner(0.7), z[:, 4:]]), truth(0.7)),
        "lognormal .7": (np.exp(z[:, :1]), np.exp(partner(0.7)), truth(0.7)),
        "independent": (z[:, :1], z[:, 3:4], 0.0),
    }[task]


TASKS = ("gaussian .9", "gaussian .5", "gaussian .7, 3+3", "lognormal .7", "uniform", "independent")


def expectation(method: str, task: str, n: int) -> float:
    """The estimator's mean over further data sets."""
    options = {key: value for key, value in SETTINGS[method].items() if key != "n_subsamples"}
    found = []
    for seed in range(REFERENCE[method] if n < 1000 else REFERENCE[method] // 4):
        X, Y, _ = sample(task, n, [1, n, seed])
        found.append(
            infold.mutual_information(X, Y, method=method, random_state=seed, n_jobs=1, verbose=0, **options).mi
        )
    return float(np.mean(found))


def main() -> None:
    """Compute what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="ksg")
    parser.add_argument("--samples", default="200,500,2000")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--tasks", default=";".join(TASKS))
    parser.add_argument("--table", action="store_true", help="only print the table")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", infold.DataWarning)
    rows = list(csv.DictReader(RESULTS.open())) if RESULTS.exists() else []
    known = {tuple(row[f] for f in FIELDS[:4]) for row in rows}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for method in [] if arguments.table else arguments.methods.split(","):
            for n in map(int, arguments.samples.split(",")):
                for task in arguments.tasks.split(";"):
                    if (method, task, str(n), "expectation") not in known:
                        mean = expectation(method, task, n)
                        writer.writerow(
                            {"method": method, "task": task, "samples": n, "seed": "expectation", "mi": mean}
                        )
                    for seed in range(arguments.sets):
                        if (method, task, str(n), str(seed)) not in known:
                            writer.writerow(measured(method, task, n, seed))
                            file.flush()
    print(table())


def measured(method: str, task: str, n: int, seed: int) -> dict[str, object]:
    """One interval as a row."""
    X, Y, truth = sample(task, n, [0, n, seed])
    found = infold.confidence_interval(X, Y, method=method, random_state=seed, n_jobs=1, verbose=0, **SETTINGS[method])
    over_k = list(found.over_neighbors.values())
    numbers = {
        "mi": found.mi,
        "error": found.standard_error,
        "low": found.low,
        "high": found.high,
        "by_rows": found.means[-1] - found.means[0],
        "by_neighbors": over_k[0] - over_k[-1],
        "truth": truth,
    }
    rounded = {key: round(value, 6) for key, value in numbers.items()}
    return {"method": method, "task": task, "samples": n, "seed": seed, **rounded, "small": int(found.bias_is_small)}


def table() -> str:
    """Coverage by method, task and n, as markdown."""
    rows = list(csv.DictReader(RESULTS.open()))
    lines = [
        "| method | task | n | intervals | truth | expectation | bias / error | holds the expectation "
        "| holds the truth | says bias is small |",
        "|---" * 10 + "|",
    ]
    for method, task, n in dict.fromkeys((row["method"], row["task"], row["samples"]) for row in rows):
        mine = [row for row in rows if (row["method"], row["task"], row["samples"]) == (method, task, n)]
        mean = next(float(row["mi"]) for row in mine if row["seed"] == "expectation")
        found = [{key: float(row[key]) for key in FIELDS[4:]} for row in mine if row["seed"] != "expectation"]
        if not found:
            continue
        truth = found[0]["truth"]
        error = np.mean([row["error"] for row in found])
        holds = [np.mean([row["low"] <= value <= row["high"] for row in found]) for value in (mean, truth)]
        small = np.mean([row["small"] for row in found])
        lines.append(
            f"| {method} | {task} | {n} | {len(found)} | {truth:.3f} | {mean:.3f} | {(mean - truth) / error:+.1f} "
            f"| {holds[0]:.0%} | {holds[1]:.0%} | {small:.0%} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
