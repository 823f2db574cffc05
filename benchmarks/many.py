"""Many small estimates: what permutations, subsamples and relevance take, and single fits on threads and in processes.

    python benchmarks/many.py                    # 1,000 refits of KSG and 100 of G-KSG, at n = 500, on two workers
    python benchmarks/many.py --only refits
    python benchmarks/many.py --estimates 200 20

Times are by the clock, the least of several runs. A refit counts everything that the call does, once or often.
"""

import argparse
import os
import time

import joblib
import numpy as np

import infold

N_SAMPLES, WORKERS = 500, 2
OPTIONS = {"random_state": 0, "verbose": 0}


def seconds(task, runs):
    """Return the least time of several runs, after one that loads kernels."""
    task()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def sample(d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_SAMPLES, d))
    return X, X + rng.normal(size=X.shape)


def refits(method, X, Y, count):
    """Return {name: (task of n_jobs, how many estimates it makes)}."""
    d = X.shape[1]
    rounds = max(20, count // (2 * d))  # fewer cannot give a threshold
    ask = {"method": method, **OPTIONS}
    out = {
        "permutations": (
            lambda jobs: infold.independence_test(X, Y, n_permutations=count, n_jobs=jobs, **ask),
            1 + count,
        )
    }
    if method == "ksg":
        out["subsamples"] = (
            lambda jobs: infold.confidence_interval(X, Y, n_subsamples=count // 2, n_jobs=jobs, **ask),
            3 + count,
        )
        out["relevance"] = (
            lambda jobs: infold.relevance(X, Y, n_permutations=rounds - 1, n_jobs=jobs, **ask),
            1 + 2 * rounds * d,
        )
    return out


def time_refits(counts, runs):
    """Print a line for each kind of refit."""
    print(f"| refits | method | columns | estimates | 1 thread, s | {WORKERS} threads, s | ms per estimate |")
    print("|---|---|---|--:|--:|--:|--:|")
    for method, count in zip(("ksg", "gksg"), counts, strict=True):
        for d in (1, 5):
            for name, (task, times) in refits(method, *sample(d), count).items():
                one, several = (seconds(lambda jobs=jobs, task=task: task(jobs), runs) for jobs in (1, WORKERS))
                found = f"{one:.3f} | {several:.3f} | {1e3 * several / times:.3f}"
                print(f"| {name} | {method} | {d}+{d} | {times:,} | {found} |", flush=True)


def fitted(estimator, X, Y):
    return estimator.fit(X, Y).mi_


def time_fits(counts, runs):
    """Print a line for single fits as tasks of joblib."""
    print(f"\n| single fits | columns | 1 thread, ms per estimate | {WORKERS} threads | {WORKERS} processes |")
    print("|---|---|--:|--:|--:|")
    estimators = (infold.KSG(), infold.GeodesicKSG(random_state=0))
    for estimator, count in zip(estimators, counts, strict=True):
        for d in (1, 5):
            tasks = [joblib.delayed(fitted)(estimator, *sample(d))] * count
            times = []
            for options in ({"n_jobs": 1}, {"n_jobs": WORKERS, "backend": "threading"}, {"n_jobs": WORKERS}):
                with joblib.Parallel(**options) as parallel:
                    times.append(1e3 * seconds(lambda run=parallel, tasks=tasks: run(tasks), runs) / count)
            cells = " | ".join(f"{ms:.3f}" for ms in times)
            print(f"| {type(estimator).__name__} | {d}+{d} | {cells} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--estimates", type=int, nargs=2, default=[1000, 100], metavar=("KSG", "G-KSG"))
    parser.add_argument("--only", choices=["fits", "refits"])
    parser.add_argument("--runs", type=int, default=5, help="of which the fastest counts")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}\n")
    if options.only != "fits":
        time_refits(options.estimates, options.runs)
    if options.only != "refits":
        time_fits(options.estimates, options.runs)


if __name__ == "__main__":
    main()
