"""What trees on fewer rows (`max_samples`) cost in accuracy and save in time. Prints a markdown table.

python experiments/subsamples.py [REPETITIONS]
"""

import sys
import time

import numpy as np

import infold

N, NOISE = 10_000, 8
SIZES = (None, 3000, 1000, 300)
MAKERS = {
    name: getattr(infold.datasets, f"make_{name}") for name in ("uniform", "gaussian", "helix", "sphere", "independent")
}


def main(repetitions: int) -> None:
    """Print a row for each data set and size: truth, mean and standard error of the estimates, processor time."""
    print(f"{N:,} rows, {NOISE} noise columns, 300 trees, 1,000 queries, {repetitions} samples\n")
    print("| data | truth | max_samples | estimate | standard error | processor time, relative |")
    print("|---|--:|--:|--:|--:|--:|")
    small = MAKERS["uniform"](500, NOISE, random_state=0)
    infold.GeodesicKSG(n_estimators=5, random_state=0, verbose=0).fit(small.X, small.Y)  # compiles kernels
    for name, make in MAKERS.items():
        whole = 0.0
        for size in SIZES:
            found, start = [], time.process_time()
            for seed in range(200, 200 + repetitions):
                data = make(N, NOISE, random_state=seed)
                model = infold.GeodesicKSG(max_samples=size, max_queries=1000, random_state=seed, verbose=0)
                found.append(model.fit(data.X, data.Y).mi_)
            spent = time.process_time() - start
            whole = whole or spent
            error = np.std(found, ddof=1) / np.sqrt(repetitions)
            print(
                f"| {name} | {data.best_mi:.2f} | {size or 'all'} | {np.mean(found):.3f} | {error:.3f} "
                f"| {spent / whole:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
