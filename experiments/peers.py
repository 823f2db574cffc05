"""Estimates of other packages; runs in an environment of its own, which `accuracy.py --peers` sets up.

    python experiments/peers.py SAMPLES.npz ESTIMATES.csv

SAMPLES has arrays <i>_x and <i>_y; a line of ESTIMATES is: i, name of the peer, estimate in nats.
"""

import csv
import math
import sys
import warnings

import numpy as np
from frites.core import gcmi_nd_cc
from npeet_plus import mi as npeet_mi
from sklearn.feature_selection import mutual_info_regression


def frites(x, y):
    """Gaussian copula, with frites' bias correction; in bits there."""
    return float(gcmi_nd_cc(x.T, y.T, mvaxis=-2, traxis=-1)) * math.log(2)


def npeet(x, y):
    """KSG, k = 3, columns as they come; in bits there."""
    return float(npeet_mi(x, y, k=3)) * math.log(2)


def sklearn(x, y):
    """KSG for one column a side, scaled, k = 3; scikit-learn has nothing for more."""
    return float(mutual_info_regression(x, y[:, 0], random_state=0)[0]) if x.shape[1] == y.shape[1] == 1 else math.nan


def cca(x, y):
    """Gaussian MI from canonical correlations of the columns as they come; no package, a textbook's formula."""
    bases = [np.linalg.qr(z - z.mean(axis=0))[0] for z in (x, y)]
    s = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    return float(-0.5 * np.log1p(-(np.minimum(s, 1 - 1e-12) ** 2)).sum())


PEERS = {"npeet_plus": npeet, "scikit-learn": sklearn, "frites": frites, "CCA": cca}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    samples = np.load(sys.argv[1])
    with open(sys.argv[2], "w", newline="") as file:
        for i in range(len(samples.files) // 2):
            for name, estimate in PEERS.items():
                csv.writer(file).writerow([i, name, estimate(samples[f"{i}_x"], samples[f"{i}_y"])])
