"""Many columns: how processor time grows with the number of columns at 500 rows.

    python benchmarks/columns.py                     # up to 5,000 columns, a minute or two
    python benchmarks/columns.py --columns 50 500    # these only

Gaussian columns, half of them X and half Y; one pair is dependent (correlation 0.9). Processor time on one thread, the
least of several runs. A node of G-KSG tries ⌈√d⌉ projections, so its time should grow about as √d.
"""

import argparse
import math
import time

import numpy as np

import infold

N_SAMPLES = 500


def sample(n_columns):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, N_SAMPLES, n_columns // 2))
    Y[:, 0] = 0.9 * X[:, 0] + math.sqrt(1 - 0.81) * Y[:, 0]
    return X, Y


def seconds(estimator, X, Y, repeats):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        estimator.fit(X, Y)
        times.append(time.process_time() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, nargs="+", default=[50, 500, 5000])
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    estimators = {"KSG": infold.KSG(n_jobs=1), "G-KSG": infold.GeodesicKSG(random_state=0, n_jobs=1)}
    first = {}
    print("| columns | method | processor s | × the first | √ of columns × the first | estimate |")
    print("|--:|---|--:|--:|--:|--:|")
    for d in options.columns:
        X, Y = sample(d)
        for name, estimator in estimators.items():
            estimator.fit(X[:100], Y[:100])  # kernels
            found = seconds(estimator, X, Y, options.repeats)
            base_d, base = first.setdefault(name, (d, found))
            growth = f"{found / base:.1f} | {math.sqrt(d / base_d):.1f}"
            print(f"| {d:,} | {name} | {found:.3f} | {growth} | {estimator.mi_:.3f} |", flush=True)


if __name__ == "__main__":
    main()
