"""Two looks inside the forest, for docs/reproduction.md.

    python experiments/causes.py

Prints how G-KSG on many samples depends on the number of trees and on the size of leaves, and where a forest cuts
columns of signal, of normal and of uniform noise.
"""

from statistics import fmean, median

import numpy as np

import infold
from infold.core.forest.forest import grow_forest
from infold.datasets import make_gaussian, make_uniform
from infold.estimators.geodesic import forest_plan

CHANGES = (
    {},
    {"n_estimators": 1000},
    {"n_estimators": 3000},
    {"min_samples_split": 20},
    {"min_samples_split": 300},
    {"min_samples_split": 900},
)


def many_samples():
    """Print G-KSG on 4000 samples of the uniform task, truth 4.61, for five seeds; every change that was tried."""
    for change in CHANGES:
        found = []
        for seed in range(5):
            data = make_uniform(4000, random_state=seed)
            settings = infold.paper_settings | change
            found.append(infold.GeodesicKSG(**settings, random_state=seed, n_jobs=-1).fit(data.X, data.Y).mi_)
        each = ", ".join(f"{mi:.2f}" for mi in found)
        print(f"uniform, n = 4000, {change or 'paper settings'}: mean {fmean(found):.2f} ({each})", flush=True)


def where_cuts_fall(make, noise, seed):
    """Print, for cuts that look at a signal column and those that do not, how many and their smaller side's share."""
    data = make(500, 4, noise=noise, random_state=seed)
    points = np.ascontiguousarray(np.hstack([data.X, data.Y]).T)
    signal = {0, data.X.shape[1]}
    plan = forest_plan(infold.GeodesicKSG(**infold.paper_settings, random_state=seed), 500)
    shares = {"signal": [], "noise": []}
    for tree in grow_forest(points, plan, n_jobs=-1, verbose=0):
        waiting = [(0, np.arange(500))]
        while waiting:
            node, rows = waiting.pop()
            if tree.left[node] < 0 or len(rows) < 20:
                continue
            used = slice(tree.proj_start[node], tree.proj_stop[node])
            features, signs = tree.proj_feature[used], tree.proj_sign[used]
            left = signs @ points[features][:, rows] < tree.cut[node]
            kind = "signal" if signal & set(features.tolist()) else "noise"
            shares[kind].append(min(left.mean(), 1 - left.mean()))
            waiting += [(tree.left[node], rows[left]), (tree.right[node], rows[~left])]
    for kind, found in shares.items():
        print(
            f"{make.__name__[5:]} + 4 {noise}, seed {seed}: {len(found)} cuts on {kind}, "
            f"smaller side {median(found):.1%} of rows"
        )


if __name__ == "__main__":
    many_samples()
    for make in (make_gaussian, make_uniform):
        for noise in ("normal", "uniform"):
            for seed in range(3):
                where_cuts_fall(make, noise, seed)
