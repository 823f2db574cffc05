"""What an estimate from a large table asks for in memory, beside the one float64 table that kernels take.

    python benchmarks/memory.py                  # 1,000,000 rows of 20 columns
    python benchmarks/memory.py --rows 200000

`peak` is what Python, numpy and the kernels allocate (tracemalloc), without the input. G-KSG has two trees and sixteen
queries here, so that the table is most of it.
"""

import argparse
import tracemalloc

import numpy as np

import infold

FORMS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "pandas": lambda table: _frame("pandas", table),
    "polars": lambda table: _frame("polars", table),
}


def _frame(library, table):
    import importlib

    return importlib.import_module(library).DataFrame({f"c{i}": column for i, column in enumerate(table.T)})


def peak(estimator, X, Y):
    """Return the largest number of bytes allocated while the estimator is fitted."""
    estimator.fit(X[:200], Y[:200])  # imports and kernels
    tracemalloc.start()
    try:
        estimator.fit(X, Y)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=10, help="on either side")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    estimator = infold.GeodesicKSG(n_estimators=2, max_samples=256, max_queries=16, random_state=0)
    table = 16 * options.rows * options.columns
    print("| table | type | input MB | table MB | peak MB | peak / table |\n|---|---|--:|--:|--:|--:|")
    for dtype in (np.float32, np.float64):
        X, Y = (rng.standard_normal((options.rows, options.columns), np.float32).astype(dtype) for _ in range(2))
        for form, make in FORMS.items():
            most = peak(estimator, make(X), make(Y))
            print(
                f"| {form} | {np.dtype(dtype)} | {2e-6 * X.nbytes:.0f} | {1e-6 * table:.0f} | {1e-6 * most:.0f} "
                f"| {most / table:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
