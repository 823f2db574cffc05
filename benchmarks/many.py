"""Many small estimates: 1,000 of n = 500 rows, on two workers, beside the time spent in compiled kernels.

    python benchmarks/many.py             # KSG 1,000 and G-KSG 100 estimates a way
    python benchmarks/many.py --estimates 200 20
    python benchmarks/many.py --only refits

First single calls of `fit` as tasks of joblib, then what infold takes together by itself: permutations, subsamples (of
250 and 125 rows) and relevance of columns. Rates of the latter count everything that the call does, once or often.

`overhead` is what an estimate takes beyond its kernels, on one core. `of two cores` is the rate of finished estimates
beside two cores' worth of kernels (1 would mean that nothing but kernels took time), and beside two cores' worth of
whole estimates. Rates are by the clock: run it on a quiet machine.

Kernels of single fits are all compiled code, by a profile. Those of refits are the counting of neighbours alone, in a
bare loop over tables of the same shapes that were gathered, scaled and sorted before: what is done around it, compiled
or not, is overhead. `of two threads'` is the rate beside that of the bare loop on two threads, taken in turns (the
median of their ratios): on a machine that is not quiet, two cores' worth is not there to be had.
"""

import argparse
import cProfile
import math
import os
import pstats
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from typing import NamedTuple

import joblib
import numpy as np

import infold
from infold.core.brute import brute_counts, brute_tiles
from infold.core.scaling import column_scales
from infold.core.sweep import sweep_columns, sweep_counts
from infold.core.tiles import scaled_columns

WORKERS = 2
DISTINCT = 100  # tables of a bare loop: branches of a few would be learnt by heart


def kernel_seconds(estimator, pairs):
    """Return (seconds in kernels, seconds in all) of the processor per estimate."""
    start = time.process_time()
    for X, Y in pairs:
        estimator.fit(X, Y)
    whole = time.process_time() - start
    own = profiled_kernels(lambda: [estimator.fit(X, Y) for X, Y in pairs])
    return own / len(pairs), whole / len(pairs)


def profiled_kernels(task):
    """Return the processor's seconds that `task` spends in kernels: a profile slows Python down, but no kernel."""
    profile = cProfile.Profile(time.process_time)
    profile.runcall(task)
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


class Refits(NamedTuple):
    """A task, and the estimates that it makes."""

    task: Callable[[int], object]  # of n_jobs
    shapes: Sequence[tuple[int, int, int, int, int]]  # (how many, rows, columns of X, of Y, k)

    @property
    def times(self):
        return sum(count for count, *_ in self.shapes)


def refits(X, Y, count):
    """Return tasks that estimate from X and Y about `count` times."""
    options = {"method": "ksg", "random_state": 0, "verbose": 0}
    n, d = X.shape
    rounds = max(20, count // (2 * d))  # of all columns; fewer cannot give a threshold
    halves = count // 4  # rounds of two halves, and half as many of four quarters
    whole = (1, n, d, d, 3)
    return {
        "permutations": Refits(
            lambda n_jobs: infold.independence_test(X, Y, n_permutations=count, n_jobs=n_jobs, **options),
            [whole, (count, n, d, d, 3)],
        ),
        "subsamples": Refits(
            lambda n_jobs: infold.confidence_interval(X, Y, n_subsamples=2 * halves, n_jobs=n_jobs, **options),
            [
                whole,
                (1, n, d, d, 6),
                (1, n, d, d, 12),
                (2 * halves, n // 2, d, d, 3),
                (4 * math.ceil(halves / 2), n // 4, d, d, 3),
            ],
        ),
        "columns alone": Refits(
            lambda n_jobs: infold.relevance(X, Y, n_permutations=rounds - 1, n_jobs=n_jobs, **options),
            [whole, (rounds * d, n, 1, d, 3), (rounds * d, n, d, 1, 3)],
        ),
        "columns together": Refits(
            lambda n_jobs: infold.relevance(X, Y, kind="together", n_permutations=rounds, n_jobs=n_jobs, **options),
            [whole, (2 * rounds * d, n, d, d, 3)],
        ),
    }


def counting(rng, X, Y, times, n, d_x, d_y, k):
    """Return a function that counts neighbours in so many tables of a shape: Y paired anew, or rows of both drawn."""
    tables = []
    for _ in range(min(times, DISTINCT)):
        order = rng.permutation(len(X))
        points = np.hstack([X[:, :d_x] if n == len(X) else X[order[:n], :d_x], Y[order[:n], :d_y]]).T.copy()
        weights, counts = 1 / column_scales(points)[1], np.empty((3, n), np.intp)
        if d_x + d_y == 2:
            tables.append((sweep_counts, (*sweep_columns(*points), weights, k, 0, n, counts)))
        else:
            scaled, unit = scaled_columns(points, weights)
            many = brute_tiles(scaled)[None], d_x, np.ascontiguousarray(points.T)[None], weights[None], np.array([unit])
            tables.append((brute_counts, (*many, k, 0, n, counts[None])))

    def count():
        for kernel, arguments in islice(cycle(tables), times):
            kernel(*arguments)

    return count


def seconds(clock, task, *arguments):
    start = clock()
    task(*arguments)
    return clock() - start


def each(tasks):
    for task in tasks:
        task()


def on_threads(tasks):
    """Do all tasks once on every one of the threads."""
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(each, [tasks] * WORKERS))


def time_refits(rng, count, turns):
    """Print a line for each kind of refits; the best of several turns, in which one and two threads alternate."""
    print("\n| KSG refits | columns | kernels ms | whole ms | overhead | a second | of two cores' | of two threads' |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for d in (1, 5):
        X = rng.normal(size=(500, d))
        Y = X + rng.normal(size=X.shape)
        for name, some in refits(X, Y, count).items():
            bare = [counting(rng, X, Y, *shape) for shape in some.shapes]
            some.task(WORKERS)
            found = []
            for _ in range(turns):
                found.append(
                    (
                        seconds(time.process_time, each, bare),
                        seconds(time.process_time, some.task, 1),
                        seconds(time.perf_counter, on_threads, bare),
                        seconds(time.perf_counter, some.task, WORKERS),
                    )
                )
            kernels, whole, _, clock = np.min(found, axis=0) / some.times
            beside = np.median([bare_clock / own / WORKERS for *_, bare_clock, own in found])
            print(
                f"| {name} | {d}+{d} | {1e3 * kernels:.3f} | {1e3 * whole:.3f} | {whole / kernels - 1:.0%} "
                f"| {1 / clock:.0f} | {kernels / clock / WORKERS:.2f} | {beside:.2f} |",
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
