"""Time G-KSG against a KSG that looks at all pairs of samples, as straightforward code does.

    python experiments/naive_ksg.py

Prints a Markdown table of processor seconds (median of 5 data sets, one core) on the uniform task without noise.
"""

import time
from statistics import median

import numpy as np
from scipy.special import digamma

import infold

SIZES = (100, 200, 500, 1000, 2000)


def naive_ksg(X, Y, k=3):
    """KSG from whole n × n matrices of distances."""
    n = len(X)
    d_x, d_y = (np.max(np.abs(side[:, None] - side[None]), axis=2) for side in (X, Y))
    joint = np.maximum(d_x, d_y)
    np.fill_diagonal(joint, np.inf)
    radius = np.partition(joint, k - 1, axis=1)[:, k - 1 : k]
    n_x, n_y = (np.count_nonzero(d < radius, axis=1) - 1 for d in (d_x, d_y))
    return digamma(k) + digamma(n) - np.mean(digamma(n_x + 1) + digamma(n_y + 1))


def seconds(estimate, data):
    """Processor time, and the estimate."""
    start = time.process_time()
    value = estimate(data.X, data.Y)
    return time.process_time() - start, float(value)


def main():
    """Print the table."""
    ways = {
        "all pairs": naive_ksg,
        "KSG": lambda X, Y: infold.KSG(standardize=False, n_jobs=1).fit(X, Y).mi_,
        "G-KSG": lambda X, Y: infold.GeodesicKSG(**infold.paper_settings, random_state=0, n_jobs=1).fit(X, Y).mi_,
    }
    print("| n |", " | ".join([*ways, "G-KSG / all pairs", "G-KSG / KSG"]), "|")
    print("|---:" * (len(ways) + 3) + "|")
    for n in SIZES:
        samples = [infold.datasets.make_uniform(n, random_state=seed) for seed in range(6)]
        found = {name: [seconds(estimate, data) for data in samples][1:] for name, estimate in ways.items()}
        assert np.allclose([v for _, v in found["all pairs"]], [v for _, v in found["KSG"]])
        times = {name: median(s for s, _ in pairs) for name, pairs in found.items()}
        ratios = (times["G-KSG"] / times[name] for name in ("all pairs", "KSG"))
        print(
            f"| {n} |", " | ".join(f"{t:.4f}" for t in times.values()), "|", " | ".join(f"{r:.0f}" for r in ratios), "|"
        )


if __name__ == "__main__":
    main()
