"""What an estimate by auto, the default, takes beside plain KSG on the same data: python benchmarks/adaptive.py."""

import statistics
import time

import numpy as np

import infold

CASES = ((500, 1), (500, 25), (2_000, 1), (2_000, 25), (20_000, 3), (20_000, 10))  # rows, columns per side


def seconds(method: str, X: np.ndarray, Y: np.ndarray, runs: int) -> float:
    """Median time by the clock, on all cores."""
    taken = []
    for seed in range(runs):
        start = time.perf_counter()
        infold.mutual_information(
            X, Y, method=method, verbose=0, **({"random_state": seed} if method == "auto" else {})
        )
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(0)
    print("| rows | columns | auto, s | KSG, s |\n|--:|--:|--:|--:|")
    for n, d in CASES:
        X, Y = rng.standard_normal((2, n, d))
        Y[:, 0] = 0.8 * X[:, 0] + 0.6 * Y[:, 0]
        for method in ("auto", "ksg"):  # compile, or load what is compiled
            seconds(method, X[:300], Y[:300], 1)
        runs = 3 if n < 10_000 else 1
        print(
            f"| {n:,} | {d} + {d} | {seconds('auto', X, Y, runs):.2f} | {seconds('ksg', X, Y, runs):.4f} |", flush=True
        )


if __name__ == "__main__":
    main()
