"""Estimates of other packages; runs in an environment of its own, which `accuracy.py --peers` sets up.

    python experiments/peers.py SAMPLES.npz ESTIMATES.csv

SAMPLES has arrays <i>_x and <i>_y; a line of ESTIMATES is: i, name of the peer, estimate in nats.
"""

import csv
import math
import os
import signal
import sys
import warnings

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"  # before jax is loaded

import numpy as np
from bmi.estimators import MINEEstimator
from ennemi import estimate_mi
from frites.core import gcmi_nd_cc
from npeet_plus import mi as npeet_mi
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

SECONDS = 20  # of CPU time for one estimate; whoever takes longer has none


def discrete(z):
    """Whether a table is one column of few values, which a user would call a label."""
    return len(np.unique(z)) <= 20


def frites(x, y):
    """Gaussian copula, with frites' bias correction; in bits there."""
    return float(gcmi_nd_cc(x.T, y.T, mvaxis=-2, traxis=-1)) * math.log(2)


def npeet(x, y):
    """KSG, k = 3, columns as they come; in bits there."""
    return float(npeet_mi(x, y, k=3)) * math.log(2)


def sklearn(x, y):
    """KSG for one column a side, scaled, k = 3, or Ross's for labels; scikit-learn has nothing for more columns."""
    if not x.shape[1] == y.shape[1] == 1:
        return math.nan
    estimate = mutual_info_classif if discrete(y) else mutual_info_regression
    return float(estimate(x, y[:, 0], discrete_features=discrete(x), random_state=0)[0])


def ennemi(x, y):
    """KSG for one column a side, scaled, k = 3, or Ross's for labels; more columns are taken one by one there."""
    if not x.shape[1] == y.shape[1] == 1:
        return math.nan
    kinds = {"discrete_x": discrete(x), "discrete_y": discrete(y)}
    return float(np.squeeze(estimate_mi(y[:, 0], x[:, 0], k=3, **kinds)))


def mine(x, y):
    """MINE of benchmark-mi, its settings, with batches that half of the rows suffice for."""
    return float(MINEEstimator(batch_size=min(256, len(x) // 2), verbose=False).estimate(x, y))


def cca(x, y):
    """Gaussian MI from canonical correlations of the columns as they come; no package, a textbook's formula."""
    bases = [np.linalg.qr(z - z.mean(axis=0))[0] for z in (x, y)]
    s = np.linalg.svd(bases[0].T @ bases[1], compute_uv=False)
    return float(-0.5 * np.log1p(-(np.minimum(s, 1 - 1e-12) ** 2)).sum())


def too_long(*_):
    """Give up."""
    raise TimeoutError


def estimate_in_time(estimate, x, y):
    """Return an estimate, or nan where a peer fails, or takes too long."""
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return estimate(x, y)
    except Exception as error:
        print(f"{estimate.__name__}: {type(error).__name__} {error}"[:200], file=sys.stderr)
        return math.nan
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


PEERS = {"npeet_plus": npeet, "scikit-learn": sklearn, "frites": frites, "CCA": cca, "ennemi": ennemi, "MINE": mine}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    samples = np.load(sys.argv[1])
    with open(sys.argv[2], "w", newline="") as file:
        for i in range(len(samples.files) // 2):
            for name, estimate in PEERS.items():
                csv.writer(file).writerow([i, name, estimate_in_time(estimate, samples[f"{i}_x"], samples[f"{i}_y"])])
