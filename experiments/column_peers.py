"""Estimates of other packages on mixed columns; runs in an environment of its own, which `columns.py` sets up.

    python experiments/column_peers.py SAMPLES.npz ESTIMATES.csv

SAMPLES has arrays <i>_x (n, d), <i>_y (n,) and <i>_how: k, whether x is discrete, whether y is. A line of ESTIMATES is:
i, name of the peer, estimate in nats.
"""

import csv
import math
import sys
import warnings

import numpy as np

MOST_BYTES = 4e9  # knncmi keeps all distances in every column
FAR = 100.0  # between labels, for knncmi; with its default, 1, labels mix where numbers are farther apart than that


def sklearn(x, y, k, discrete_x, discrete_y):
    """Return the largest MI of a single column; scikit-learn has nothing for several. It never says less than 0."""
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    discrete_x, discrete_y = discrete_x or few(x), discrete_y or few(y)
    options = {"n_neighbors": k, "random_state": 0}
    if discrete_y:
        return mutual_info_classif(x, codes(y), discrete_features=discrete_x, **options).max()
    if discrete_x:
        return max(mutual_info_classif(y[:, None], codes(z), discrete_features=False, **options)[0] for z in x.T)
    return mutual_info_regression(x, y, discrete_features=False, **options).max()


def ennemi(x, y, k, discrete_x, discrete_y):
    """Return the largest MI of a single column: several are taken one by one there."""
    from ennemi import estimate_mi

    return float(np.max(estimate_mi(y, x, k=k, discrete_x=discrete_x or few(x), discrete_y=discrete_y or few(y))))


def knncmi(x, y, k, discrete_x, discrete_y):
    """Return the MI of all columns, numbers scaled to standard deviation 1, other labels far away."""
    import pandas as pd
    from knncmi import cmi

    if (x.shape[1] + 1) * len(x) ** 2 * 8 > MOST_BYTES:
        return math.nan
    table = pd.DataFrame({c: column(z, discrete_x) for c, z in enumerate(x.T)})
    table[x.shape[1]] = column(y, discrete_y)
    return float(cmi(list(range(x.shape[1])), [x.shape[1]], [], k, table, discrete_dist=FAR, minzero=0))


def column(values, discrete):
    """Return classes as text, numbers with standard deviation 1."""
    return [f"class {v:g}" for v in values] if discrete else values / values.std()


def few(values):
    """Return whether there are so few values that a user would call them discrete."""
    return len(np.unique(values)) <= 20


def codes(values):
    """Return classes as 0, 1, 2 …"""
    return np.unique(values, return_inverse=True)[1]


def main():
    """Estimate."""
    warnings.simplefilter("ignore")
    samples = np.load(sys.argv[1])
    with open(sys.argv[2], "w", newline="") as file:
        for i in range(len(samples.files) // 3):
            x, y, (k, *discrete) = (samples[f"{i}_{part}"] for part in ("x", "y", "how"))
            for name, estimate in {"scikit-learn": sklearn, "ennemi": ennemi, "knncmi": knncmi}.items():
                try:
                    value = estimate(x, y, int(k), *map(bool, discrete))
                except Exception as error:
                    print(f"{name}: {type(error).__name__} {error}"[:200], file=sys.stderr)
                    value = math.nan
                csv.writer(file).writerow([i, name, value])


if __name__ == "__main__":
    main()
