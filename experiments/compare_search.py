"""Do the fast and the exact split search give the same estimates? Prints a markdown table.

python experiments/compare_search.py [REPETITIONS]
"""

import sys

import joblib
import numpy as np

import infold

MAKERS = {
    name: getattr(infold.datasets, f"make_{name}") for name in ("uniform", "gaussian", "helix", "sphere", "independent")
}
CELLS = [(name, n, noise) for n in (500, 2000) for name in MAKERS for noise in ((0, 4, 20) if n == 500 else (0, 10))]


def both(name: str, n: int, noise: int, seed: int) -> tuple[float, float]:
    """Return the estimate by fast and by exact search on one sample, with the same seed."""
    data = MAKERS[name](n, noise, random_state=seed)
    found = [
        infold.GeodesicKSG(split_search=search, random_state=seed).fit(data.X, data.Y).mi_
        for search in ("fast", "exact")
    ]
    return found[0], found[1]


def main(repetitions: int) -> None:
    """Print the table."""
    print(f"| data | n | noise columns | exact | fast − exact | standard error |  ({repetitions} samples)")
    print("|---|---|---|---|---|---|")
    for name, n, noise in CELLS:
        tasks = (joblib.delayed(both)(name, n, noise, seed) for seed in range(100, 100 + repetitions))
        values = np.array(joblib.Parallel(-1)(tasks))
        gap = values[:, 0] - values[:, 1]
        error = gap.std(ddof=1) / np.sqrt(repetitions)
        print(f"| {name} | {n} | {noise} | {values[:, 1].mean():.3f} | {gap.mean():+.4f} | {error:.4f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
