"""Rank 30 columns by what they tell about a class, with p-values, beside ten calls of mutual_info_classif.

    python benchmarks/relevance.py

Ten calls of scikit-learn give no p-value yet, only an idea of what shuffled labels would give. Processor seconds on one
thread, all tasks on the same table, in turns; medians.
"""

import statistics
import time

from sklearn.datasets import make_classification
from sklearn.feature_selection import mutual_info_classif

import infold

N_SAMPLES, N_COLUMNS, N_CLASSES, CALLS, TURNS = 500, 30, 3, 10, 5


def seconds(task):
    """Return the processor time of one run."""
    start = time.process_time()
    task()
    return time.process_time() - start


def main():
    """Time all tasks in turns, and print a table."""
    X, y = make_classification(
        N_SAMPLES, N_COLUMNS, n_informative=8, n_redundant=4, n_classes=N_CLASSES, random_state=0
    )
    ask = {"discrete_y": True, "random_state": 0, "n_jobs": 1, "verbose": 0}
    tasks = {
        f"scikit-learn, {CALLS} calls": lambda: [mutual_info_classif(X, y, random_state=i) for i in range(CALLS)],
        "relevance, ksg, 99 permutations": lambda: infold.relevance(X, y, n_permutations=99, **ask),
        "relevance, ksg, 199 permutations": lambda: infold.relevance(X, y, n_permutations=199, **ask),
        "relevance, auto, its own p-values": lambda: infold.relevance(X, y, **ask),
    }
    for task in tasks.values():  # load kernels
        task()
    times = {name: [] for name in tasks}
    for _ in range(TURNS):
        for name, task in tasks.items():
            times[name].append(seconds(task))
    peer, *_ = times.values()
    print("| ranking of 30 columns | processor s | ratio |\n|---|--:|--:|")
    for name, own in times.items():
        ratio = statistics.median(a / b for a, b in zip(own, peer, strict=True))
        print(f"| {name} | {statistics.median(own):.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
