"""How cost grows: time and peak memory of G-KSG in the number of rows, columns, trees and neighbours.

    python benchmarks/growth.py                 # all, about ten minutes on two cores
    python benchmarks/growth.py --only rows     # or queries, columns, trees, neighbors, samples

Every case runs in a process of its own. Memory is told as Linux counts it: `base` is what the process has before the
estimate, once all that was freed is handed back, and `peak` the most that it has from then on.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

CHILD = """
import ctypes, gc, json, sys, time
import numpy as np
import infold
from worker import forget_peak, memory

case = json.loads(sys.argv[1])
make = getattr(infold.datasets, "make_" + case["data"])
options = {"random_state": 0, "n_jobs": -1, **case["options"]}
small = make(300, case["noise"], random_state=1)
infold.GeodesicKSG(**{**options, "n_estimators": 20, "max_queries": 100}).fit(small.X, small.Y)
infold.GeodesicKSG(**{**options, "n_estimators": 20, "max_queries": None}).fit(small.X, small.Y)
data = make(case["n"], case["noise"], random_state=0)
gc.collect()
ctypes.CDLL(None).malloc_trim(0)  # freed memory of imports would else serve the estimate, uncounted
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


def case(data: str, n: int, noise: int = 0, **options) -> dict:
    return {"data": data, "n": n, "noise": noise, "options": options}


CASES = {
    "rows": [
        case("uniform", 10_000),
        case("uniform", 100_000),
        case("uniform", 10_000, 18),
        case("uniform", 100_000, 18),
        case("gaussian", 10_000),
        case("gaussian", 100_000),
    ],
    "queries": [
        case("uniform", 100_000, 8, max_queries=1000),
        case("uniform", 1_000_000, 8, max_queries=1000),
    ],
    "columns": [case("uniform", 2000, d - 2) for d in (2, 10, 50, 250)],
    "trees": [case("uniform", 2000, 8, n_estimators=t) for t in (100, 300, 1000)],
    "neighbors": [case("uniform", 2000, 8, n_neighbors=k) for k in (3, 10, 50)],
    "samples": [
        case("uniform", 10_000, 8),
        case("uniform", 10_000, 8, max_samples=3000),
        case("uniform", 10_000, 8, max_samples=1000),
        case("gaussian", 10_000, 8),
        case("gaussian", 10_000, 8, max_samples=3000),
        case("gaussian", 10_000, 8, max_samples=1000),
    ],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CASES, help="one question")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "growth.csv")
    options = parser.parse_args()
    rows = []
    for question in [options.only] if options.only else CASES:
        print(f"\n| {question} | columns | n | options | seconds | CPU s | MB more | peak MB | estimate |")
        print("|---|---|---|---|---|---|---|---|---|")
        for one in CASES[question]:
            command = [sys.executable, "-c", CHILD, json.dumps(one)]
            done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            extra = ", ".join(f"{k}={v}" for k, v in one["options"].items())
            row = {"question": question, **{k: one[k] for k in ("data", "n", "noise")}, "options": extra, **found}
            rows.append(row)
            print(
                f"| {one['data']} | {2 + one['noise']} | {one['n']:,} | {extra} | {found['seconds']:.2f} "
                f"| {found['cpu_seconds']:.2f} | {found['peak_mb'] - found['base_mb']:.0f} | {found['peak_mb']:.0f} "
                f"| {found['estimate']:.3f} |",
                flush=True,
            )
    options.output.parent.mkdir(exist_ok=True)
    with options.output.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
