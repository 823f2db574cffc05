"""Transfer entropy beside infomeasure and ennemi, and 41 lags with 199 surrogates.

    python benchmarks/series.py

All take k = 4 and the maximum norm. Processor seconds on one thread, in turns on the same series; medians. infomeasure
and ennemi must be installed; ennemi has no transfer entropy, and is asked for the conditional MI of the embedded rows.
"""

import statistics
import time
import warnings

import ennemi
import infomeasure
import numpy as np

import infold

TURNS = 7
SHORTEST = 0.02  # seconds of a turn: shorter tasks are repeated


def series(n):
    """Return two series, of which the first drives the second."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, n))
    for t in range(1, n):
        x[t] += 0.6 * x[t - 1]
        y[t] += 0.5 * y[t - 1] + 0.4 * x[t - 1]
    return x, y


def seconds(task, repeats=1):
    """Return the processor time of one run, the mean of several."""
    start = time.process_time()
    for _ in range(repeats):
        task()
    return (time.process_time() - start) / repeats


def medians(tasks):
    """Return each task's median time, taken in turns."""
    for task in tasks.values():
        task()
    repeats = {name: max(1, round(SHORTEST / seconds(task))) for name, task in tasks.items()}
    times = {name: [] for name in tasks}
    for _ in range(TURNS):
        for name, task in tasks.items():
            times[name].append(seconds(task, repeats[name]))
    return {name: statistics.median(own) for name, own in times.items()}


def transfer_tasks(x, y, history):
    """Return one estimate by each package."""
    ask = {"n_surrogates": 0, "n_jobs": 1, "verbose": 0}
    theirs = {"approach": "ksg", "k": 4, "noise_level": 0, "dest_hist_len": history}
    pasts = np.column_stack([y[history - j : -j] for j in range(1, history + 1)])
    return {
        "infold": lambda: infold.transfer_entropy(x, y, target_history=history, **ask),
        "infomeasure": lambda: infomeasure.transfer_entropy(x, y, **theirs),
        "ennemi": lambda: ennemi.estimate_mi(y[history:], x[history - 1 : -1], cond=pasts, k=4, preprocess=False),
    }


def tested_tasks(x, y):
    """Return an estimate with a p-value from 99 surrogates by the packages that have one."""
    estimator = {"approach": "ksg", "k": 4, "noise_level": 0, "measure": "te"}
    return {
        "infold": lambda: infold.transfer_entropy(x, y, n_surrogates=99, random_state=0, n_jobs=1, verbose=0),
        "infomeasure": lambda: infomeasure.estimator(x, y, **estimator).statistical_test(99, method="permutation_test"),
    }


def main():
    """Time all, and print tables."""
    warnings.simplefilter("ignore")
    print("| transfer entropy | infold, ms | infomeasure, ms | ratio | ennemi, ms | ratio |\n|---|--:|--:|--:|--:|--:|")
    for n in (500, 2000, 10_000):
        for history in (1, 2):
            ours, theirs, ennemis = medians(transfer_tasks(*series(n), history)).values()
            print(
                f"| n = {n:,}, target's past {history} | {1e3 * ours:.1f} | {1e3 * theirs:.1f} | {theirs / ours:.1f} | "
                f"{1e3 * ennemis:.1f} | {ennemis / ours:.1f} |"
            )
    for n in (500, 2000):
        ours, theirs = medians(tested_tasks(*series(n))).values()
        print(f"| n = {n:,}, with 99 surrogates | {1e3 * ours:.0f} | {1e3 * theirs:.0f} | {theirs / ours:.1f} | | |")
    x, y = series(2000)
    start = time.process_time()
    infold.lagged_mutual_information(x, y, n_jobs=1, verbose=0)
    used = time.process_time() - start
    print(f"\n41 lags with 199 surrogates, n = 2,000, one thread: {used:.1f} processor seconds.")


if __name__ == "__main__":
    main()
