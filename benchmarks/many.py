"""Many small estimates: 1,000 of n = 500 rows, on two workers, beside the time spent in compiled kernels.

    python benchmarks/many.py             # KSG 1,000 and G-KSG 100 estimates a way
    python benchmarks/many.py --estimates 200 20
    python benchmarks/many.py --only refits

First single calls of `fit` as tasks of joblib, then what infold takes together by itself: permutations, subsamples (of
250 and 125 rows) and relevance of columns. Rates of the latter count everything that the call does, once or often.

`overhead` is what an estimate takes beyond its kernels, on one core. `of two cores` is the rate of finished estimates
beside two cores' worth of kernels (1 would mean that nothing but kernels took time), and beside two cores' worth of
whole estimates. Rates are by the clock: run it on a quiet machine.
"""

import argparse
import cProfile
import math
import os
import pstats
import time

import joblib
import numpy as np

import infold

WORKERS = 2


def kernel_seconds(estimator, pairs):
    """Return (seconds in kernels, seconds in all) of the processor per estimate."""
    start = time.process_time()
    for X, Y in pairs:
        estimator.fit(X, Y)
    whole = time.process_time() - start
    own = profiled_kernels(lambda: [estimator.fit(X, Y) for X, Y in pairs])
    return own / len(pairs), whole / len(pairs)


def profiled_kernels(task, *arguments):
    """Return the processor's seconds that `task` spends in kernels: a profile slows Python down, but no kernel."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(task, *arguments)
    return sum(entry[2] for place, entry in pstats.Stats(profile).stats.items() if _is_kernel(place[0], place[2]))


def _is_kernel(path, name):
    import importlib

    from numba.core.dispatcher import Dispatcher

    folder, file = os.path.split(path)
    if not folder.endswith(os.path.join("infold", "core")):
        return False
    module = importlib.import_module(f"infold.core.{file.removesuffix('.py')}")
    return isinstance(getattr(module, name, None), Dispatcher)


def fitted(estimator, X, Y):
    return estimator.fit(X, Y).mi_


def rate(estimator, pairs, **backend):
    """Return estimates a second by the clock; a first, smaller round starts workers and loads kernels."""
    with joblib.Parallel(n_jobs=WORKERS, **backend) as parallel:
        parallel(joblib.delayed(fitted)(estimator, X, Y) for X, Y in pairs[:20])
        start = time.perf_counter()
        found = parallel(joblib.delayed(fitted)(estimator, X, Y) for X, Y in pairs)
        return len(found) / (time.perf_counter() - start)


def refits(X, Y, count):
    """Return functions of (n_jobs, count) that estimate from X and Y about `count` times, and how often exactly."""
    options = {"method": "ksg", "random_state": 0, "verbose": 0}
    columns = X.shape[1] + Y.shape[1]
    rounds = max(20, count // columns)  # of all columns; fewer cannot give a threshold
    halves = count // 8  # rounds of two halves, and half as many of four quarters
    return {
        "permutations": (
            lambda n_jobs: infold.independence_test(X, Y, n_permutations=count, n_jobs=n_jobs, **options),
            1 + count,
        ),
        "subsamples": (
            lambda n_jobs: infold.confidence_interval(X, Y, n_subsamples=2 * halves, n_jobs=n_jobs, **options),
            3 + 2 * halves + 4 * math.ceil(halves / 2),
        ),
        "columns alone": (
            lambda n_jobs: infold.relevance(X, Y, n_permutations=rounds - 1, n_jobs=n_jobs, **options),
            1 + rounds * columns,
        ),
        "columns together": (
            lambda n_jobs: infold.relevance(X, Y, kind="together", n_permutations=rounds, n_jobs=n_jobs, **options),
            1 + rounds * columns,
        ),
    }


def time_refits(rng, count, turns):
    """Print a line for each kind of refits; the best of several turns, in which one and two threads alternate."""
    print("\n| KSG refits | columns | kernels ms | whole ms | overhead | a second | of two cores' kernels | whole |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for d in (1, 5):
        X = rng.normal(size=(500, d))
        for name, (task, times) in refits(X, X + rng.normal(size=X.shape), count).items():
            task(WORKERS)
            kernels, whole, clock = math.inf, math.inf, math.inf
            for _ in range(turns):
                kernels = min(kernels, profiled_kernels(task, 1) / times)
                start = time.process_time()
                task(1)
                whole = min(whole, (time.process_time() - start) / times)
                start = time.perf_counter()
                task(WORKERS)
                clock = min(clock, (time.perf_counter() - start) / times)
            print(
                f"| {name} | {d}+{d} | {1e3 * kernels:.3f} | {1e3 * whole:.3f} | {whole / kernels - 1:.0%} "
                f"| {1 / clock:.0f} | {kernels / clock / WORKERS:.2f} | {whole / clock / WORKERS:.2f} |",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--estimates", type=int, nargs=2, default=[1000, 100], metavar=("KSG", "G-KSG"))
    parser.add_argument("--only", choices=["fits", "refits"])
    parser.add_argument("--turns", type=int, default=5, help="of refits, of which the best counts")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
    if options.only != "refits":
        time_fits(rng, options)
    if options.only != "fits":
        time_refits(rng, options.estimates[0], options.turns)


def time_fits(rng, options):
    """Print a line for each method, number of columns and kind of workers."""
    print(
        "| method | columns | kernels ms | whole ms | overhead | workers | a second | of two cores' kernels | whole |"
    )
    print("|---|---|--:|--:|--:|---|--:|--:|--:|")
    methods = (("KSG", infold.KSG(n_jobs=-1)), ("G-KSG", infold.GeodesicKSG(random_state=0, n_jobs=-1)))
    for (name, estimator), count in zip(methods, options.estimates, strict=True):
        for d in (1, 5):
            pairs = [(X, X + rng.normal(size=X.shape)) for X in rng.normal(size=(count, 500, d))]
            one = estimator.__class__(**(estimator.get_params() | {"n_jobs": 1})).fit(*pairs[0])
            kernels, whole = kernel_seconds(one, pairs[: max(10, count // 10)])
            for workers, backend in (("threads", {"backend": "threading"}), ("processes", {"backend": "loky"})):
                each = rate(estimator, pairs, **backend)
                print(
                    f"| {name} | {d}+{d} | {1e3 * kernels:.2f} | {1e3 * whole:.2f} | {whole / kernels - 1:.0%} "
                    f"| {workers} | {each:.0f} | {each * kernels / WORKERS:.2f} | {each * whole / WORKERS:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
