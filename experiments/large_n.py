"""G-KSG with more and more rows: the paper's distance or ties broken, trees on all rows or on at most 10,000.

    python experiments/large_n.py                                # 500 to 100,000 rows, five samples each; half an hour
    python experiments/large_n.py --rows 3000 --repetitions 2

Prints a markdown table of means ± standard errors over samples, averaged over 2,000 queries of each; every estimate
goes into experiments/results/large_n.csv.
"""

import argparse
import csv
import itertools
import warnings
from pathlib import Path

import numpy as np

import infold

HERE = Path(__file__).parent
FIRST_SEED = 100
DATA = (("uniform", 0), ("gaussian", 0), ("independent", 0), ("uniform", 8), ("gaussian", 8))
VARIANTS = list(itertools.product(("paper", "everywhere"), (None, 10_000)))  # local_distance, max_samples
QUERIES = 2_000
MOST_CELLS = 300_000  # rows × columns up to which trees are grown on all rows: Gaussian columns take minutes beyond


def estimates(data, seed):
    """Return the estimate of each variant, NaN where 10,000 rows are all rows, or where all rows take too long."""
    found, (n, d_x), d_y = [], data.X.shape, data.Y.shape[1]
    for local_distance, max_samples in VARIANTS:
        if max_samples >= n if max_samples else n * (d_x + d_y) > MOST_CELLS:
            found.append(np.nan)
            continue
        model = infold.GeodesicKSG(
            local_distance=local_distance, max_samples=max_samples, max_queries=QUERIES, random_state=seed, n_jobs=-1
        )
        found.append(model.fit(data.X, data.Y).mi_)
    return found


def cells(found):
    """Return the means and standard errors of the columns of `found`, as cells of a table."""
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    both = zip(means, errors, strict=True)
    return " | ".join(f"{mean:.3f} ± {error:.3f}" if np.isfinite(mean) else "–" for mean, error in both)


def main():
    """Print the table, and write the estimates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 3_000, 10_000, 30_000, 100_000])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "large_n.csv")
    options = parser.parse_args()
    warnings.simplefilter("ignore", infold.DataWarning)  # of the paper's distance with many rows
    labels = [f"{distance}, {'at most 10,000' if size else 'all'}" for distance, size in VARIANTS]
    print(f"| data | noise columns | truth | n | samples | {' | '.join(labels)} |")
    print("|---|--:|--:|--:|--:|" + "--:|" * len(labels))
    with options.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "noise", "truth", "n", "seed", "local_distance", "max_samples", "estimate"])
        for (name, noise), n in itertools.product(DATA, options.rows):
            found = []
            for seed in range(FIRST_SEED, FIRST_SEED + options.repetitions):
                data = getattr(infold.datasets, f"make_{name}")(n, noise, random_state=seed)
                found.append(estimates(data, seed))
                for (distance, size), value in zip(VARIANTS, found[-1], strict=True):
                    if np.isfinite(value):
                        row = [name, noise, f"{data.best_mi:.6f}", n, seed, distance, size or "all", f"{value:.6f}"]
                        writer.writerow(row)
            head = f"| {name} | {noise} | {data.best_mi:.2f} | {n:,} | {len(found)}"
            print(f"{head} | {cells(found)} |", flush=True)


if __name__ == "__main__":
    main()
