"""How cost grows: time and peak memory of G-KSG in the number of rows, columns, trees and neighbours.

    python benchmarks/growth.py                 # all, about ten minutes on two cores
    python benchmarks/growth.py --only rows     # or queries, million, columns, trees, neighbors, samples

Every case runs in a process of its own. Memory is what Linux reports: `base` is the resident size before the estimate,
once freed memory has been returned, and `peak` the largest from then on.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

CHILD = """
import ctypes, gc, json, sys, time, types
import numpy as np
import infold
from worker import forget_peak, memory

def correlated(n, d, random_state):
    rng = np.random.default_rng(random_state)
    X = rng.standard_normal((n, d // 2))
    return types.SimpleNamespace(X=X, Y=0.6 * X + 0.8 * rng.standard_normal(X.shape))

case = json.loads(sys.argv[1])
make = correlated if case["data"] == "correlated" else getattr(infold.datasets, "make_" + case["data"])
size = case["columns"] if make is correlated else case["columns"] - 2  # make_*: the number of noise columns
options = {"random_state": 0, "n_jobs": -1, **case["options"]}
small = make(300, size, random_state=1)
for local_distance in ("paper", "everywhere"):  # compiles kernels, or loads them
    warm = {**options, "n_estimators": 20, "max_samples": 100, "max_queries": 100, "local_distance": local_distance}
    infold.GeodesicKSG(**warm).fit(small.X, small.Y)
data = make(case["n"], size, random_state=0)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)  # or the estimate would reuse, uncounted, what imports have freed
forget_peak()
base = memory("VmRSS")
start, cpu = time.perf_counter(), time.process_time()
model = infold.GeodesicKSG(**options).fit(data.X, data.Y)
print(json.dumps({
    "seconds": time.perf_counter() - start,
    "cpu_seconds": time.process_time() - cpu,
    "base_mb": base,
    "peak_mb": memory("VmHWM"),
    "estimate": model.mi_,
    "query_error": model.query_error_,
}))
"""


def case(data: str, n: int, columns: int = 2, **options) -> dict:
    return {"data": data, "n": n, "columns": columns, "options": options}


CASES = {
    "rows": [
        case("uniform", 10_000),
        case("uniform", 100_000),
        case("uniform", 10_000, 20),
        case("uniform", 100_000, 20),
        case("gaussian", 10_000),
        case("gaussian", 100_000),
        case("correlated", 10_000, 10),
        case("correlated", 100_000, 10),
    ],
    "queries": [  # each pair is to take at most 12 times as long on ten times the rows
        case("gaussian", 20_000, max_queries=1000),
        case("gaussian", 200_000, max_queries=1000),
        case("gaussian", 20_000, 4, max_queries=1000),
        case("gaussian", 200_000, 4, max_queries=1000),
        case("uniform", 20_000, 10, max_queries=1000),
        case("uniform", 200_000, 10, max_queries=1000),
    ],
    "million": [case("correlated", 1_000_000, 10)],  # in minutes, and under 4 GB
    "columns": [case("uniform", 2000, d) for d in (2, 10, 50, 250)],
    "trees": [case("uniform", 2000, 10, n_estimators=t) for t in (100, 300, 1000)],
    "neighbors": [case("uniform", 2000, 10, n_neighbors=k) for k in (3, 10, 50)],
    "samples": [case(data, 10_000, 10, max_samples=m) for data in ("uniform", "gaussian") for m in (None, 3000, 1000)],
}


def time_of(one: dict) -> dict:
    """Return what a child process finds for a case."""
    command = [sys.executable, "-c", CHILD, json.dumps(one)]
    done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CASES, help="one question")
    parser.add_argument("--divide", type=int, default=1, help="number of rows by this, for a quick look")
    parser.add_argument("--output", type=Path, help="also write a CSV file")
    options = parser.parse_args()
    rows = []
    for question in [options.only] if options.only else CASES:
        print(f"\n| {question} | columns | n | options | seconds | CPU s | MB more | peak MB | estimate |")
        print("|---|--:|--:|---|--:|--:|--:|--:|--:|")
        for one in CASES[question]:
            one["n"] //= options.divide
            found = time_of(one)
            extra = ", ".join(f"{k}={v}" for k, v in one["options"].items())
            rows.append({"question": question, **one, "options": extra, **found})
            print(
                f"| {one['data']} | {one['columns']} | {one['n']:,} | {extra} | {found['seconds']:.2f} "
                f"| {found['cpu_seconds']:.2f} | {found['peak_mb'] - found['base_mb']:.0f} | {found['peak_mb']:.0f} "
                f"| {found['estimate']:.3f} |",
                flush=True,
            )
    if options.output is not None:
        with options.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
