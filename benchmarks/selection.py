"""Select 10 of 500 columns at 1,000 rows, beside mrmr-selection with KSG scores (those of scikit-learn).

    python benchmarks/selection.py

Needs mrmr-selection and pandas. Processor seconds on one thread, all on the same table, in one run; `true` is how many
of the ten true columns are among the ten. mrmr-selection with its own F statistics and correlations, which see straight
lines only, and one call of mutual_info_regression are there for comparison.
"""

import time
import warnings

import mrmr
import numpy as np
import pandas as pd
from sklearn.feature_selection import mutual_info_regression

from infold.selection import InformationSelector, mutual_info_scores

N_SAMPLES, N_COLUMNS, N_TRUE = 1_000, 500, 10


def sample():
    """Return ten columns of unequal weight, half of them bent, among 500."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_SAMPLES, N_COLUMNS))
    true = np.hstack((X[:, :5], np.abs(X[:, 5:10]) * 1.7))
    return X, true @ np.linspace(1, 0.7, N_TRUE) + rng.normal(size=N_SAMPLES)


def relevance(X, y):
    return pd.Series(mutual_info_regression(X, y, random_state=0), index=X.columns)


def redundancy(target_column, features, X, n_jobs=1):
    shared = mutual_info_regression(X[features], X[target_column], random_state=0)
    return pd.Series(shared, index=features)


def main():
    """Time all, and print a table."""
    warnings.simplefilter("ignore")
    X, y = sample()
    frame, target, quiet = pd.DataFrame(X), pd.Series(y), {"n_jobs": 1, "show_progress": False}

    def infold(criterion, **limits):
        return InformationSelector(criterion, random_state=0, **limits).fit(X, y).get_support(indices=True)

    ten = {"n_features_to_select": N_TRUE, "min_features_to_select": N_TRUE}
    tasks = {
        "mrmr-selection, KSG": lambda: mrmr.mrmr_regression(frame, target, N_TRUE, relevance, redundancy, **quiet),
        "mrmr-selection, F and correlation": lambda: mrmr.mrmr_regression(frame, target, N_TRUE, **quiet),
        "mutual_info_regression, the ten highest": lambda: np.argsort(-mutual_info_regression(X, y))[:N_TRUE],
        "mutual_info_scores, the ten highest": lambda: np.argsort(-mutual_info_scores(X, y)[0])[:N_TRUE],
        "InformationSelector, jmi, ten": lambda: infold("jmi", **ten),
        "InformationSelector, mrmr, ten": lambda: infold("mrmr", **ten),
        "InformationSelector, jmi, as many as are significant": lambda: infold("jmi"),
    }
    InformationSelector(random_state=0).fit(X[:200, :20], y[:200])  # load kernels
    first = None
    print("| 500 columns, 1,000 rows | processor s | ratio | selected | true |\n|---|--:|--:|--:|--:|")
    for name, task in tasks.items():
        start = time.process_time()
        found = task()
        seconds = time.process_time() - start
        first = first or seconds
        true = sum(int(c) < N_TRUE for c in found)
        print(f"| {name} | {seconds:.1f} | {seconds / first:.2f} | {len(found)} | {true} |", flush=True)


if __name__ == "__main__":
    main()
