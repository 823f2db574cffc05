"""Given Z beside peers, in one run and on one core: a test with 199 permutations, and an estimate.

    OMP_NUM_THREADS=1 python benchmarks/given.py      print a table as Markdown; needs tigramite and ennemi

1,000 rows, one column each in X and Y, three in Z. Processor seconds, the smallest of some repetitions; everybody is
called once before on fewer rows, so that nobody's first call counts.
"""

import time

import ennemi
import numpy as np
from tigramite.independence_tests.cmiknn import CMIknn

import infold

N, COLUMNS, PERMUTATIONS, SHARE = 1000, 3, 199, 0.1


def sample(n):
    """X and Y that share three causes."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, COLUMNS))
    x, y = z.sum(axis=1) + rng.normal(size=(2, n))
    return x, y, z


def infold_test(x, y, z):
    return infold.independence_test(x, y, z, n_permutations=PERMUTATIONS, random_state=0, n_jobs=1, verbose=0).pvalue


def tigramite_test(x, y, z):
    test = CMIknn(knn=SHARE, shuffle_neighbors=5, sig_samples=PERMUTATIONS, workers=1, seed=0)
    return test.run_test_raw(x[:, None], y[:, None], z=z)[1]


def infold_estimate(x, y, z):
    return infold.KSG(3).fit(x, y, z).mi_


def ennemi_estimate(x, y, z):
    return float(ennemi.estimate_mi(y, x, cond=z, k=3)[0, 0])


def tigramite_estimate(x, y, z):
    return CMIknn(knn=3, workers=1).get_dependence_measure_raw(x[:, None], y[:, None], z=z)


def seconds(function, tables, repetitions):
    """The smallest processor time, and the answer."""
    function(*sample(100))
    times = []
    for _ in range(repetitions):
        started = time.process_time()
        answer = function(*tables)
        times.append(time.process_time() - started)
    return min(times), answer


def main():
    tables = sample(N)
    rows = [
        ("test, infold", infold_test, 3),
        ("test, tigramite's CMIknn", tigramite_test, 1),
        ("estimate, infold's KSG", infold_estimate, 20),
        ("estimate, ennemi", ennemi_estimate, 5),
        ("estimate, tigramite's CMIknn", tigramite_estimate, 5),
    ]
    print(f"| {N:,} rows, 1 + 1 given {COLUMNS} | processor s | times infold's | answer |\n|---|--:|--:|--:|")
    own = 1.0
    for name, function, repetitions in rows:
        took, answer = seconds(function, tables, repetitions)
        own = took if "infold" in name else own
        print(f"| {name} | {took:.4f} | {took / own:.1f} | {answer:.4f} |", flush=True)


if __name__ == "__main__":
    main()
