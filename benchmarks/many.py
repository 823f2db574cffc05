"""Many small estimates: 1,000 of n = 500 rows, on two workers of joblib, beside the time spent in compiled kernels.

    python benchmarks/many.py             # KSG 1,000 and G-KSG 100 estimates a way
    python benchmarks/many.py --estimates 200 20

`overhead` is what an estimate takes beyond its kernels, on one core. `of two cores` is the rate of finished estimates
beside two cores' worth of kernels (1 would mean that nothing but kernels took time), and beside two cores' worth of
whole estimates. Rates are by the clock: run it on a quiet machine.
"""

import argparse
import cProfile
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
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    for X, Y in pairs:
        estimator.fit(X, Y)
    profile.disable()
    own = sum(
        entry[2] for place, entry in pstats.Stats(profile).stats.items() if _is_kernel(place[0], place[2])
    )  # a profile slows Python down, but no kernel
    return own / len(pairs), whole / len(pairs)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--estimates", type=int, nargs=2, default=[1000, 100], metavar=("KSG", "G-KSG"))
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
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
