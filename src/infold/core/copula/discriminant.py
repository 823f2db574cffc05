"""Gaussian classes: the log ratio of densities where one side is a label, by a linear discriminant.

Each class is a Gaussian of its own mean and the covariance that all share. Of rows that nothing was learned from, the
mean log ratio is at most the MI, whatever the columns are like, but for (classes − 1) / 2n: shares of classes are
estimated as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from .crossfit import Split

RIDGE = 0.01  # relative to variances of 1: without it, the covariance of copied columns has no inverse


def class_ratios(
    a: np.ndarray, labels: np.ndarray, of_a: np.ndarray, of_labels: np.ndarray, n_classes: int
) -> np.ndarray:
    """Return log p(x | class) − log p(x) of some rows, by Gaussian classes learned from a (n, d) and their labels."""
    counts = np.bincount(labels, minlength=n_classes)
    sums = np.zeros((n_classes, a.shape[1]))
    np.add.at(sums, labels, a)
    means = sums / np.maximum(counts, 1)[:, None]
    within = a - means[labels]
    covariance = within.T @ within / len(a) + RIDGE * np.eye(a.shape[1])
    weights = np.linalg.solve(covariance, means.T)
    # A label that was not seen is taken to be anywhere: its ratio is 1.
    density = np.where(counts > 0, of_a @ weights - 0.5 * (means.T * weights).sum(axis=0), -np.inf)
    total = logsumexp(density, b=counts / counts.sum(), axis=1)
    own = density[np.arange(len(of_a)), of_labels]
    return np.where(np.isfinite(own), own - total, 0.0)


def discriminant_local(a: np.ndarray, labels: np.ndarray, splits: Sequence[Split]) -> np.ndarray:
    """Return the local values of columns a (n, d) and a label, NaN for rows not judged.

    To first order, the mean over training rows is as much too high as that over other rows is too low: both errors are
    the number of coefficients over twice the number of rows. So half of the difference is added back. (In fact other
    rows lose more, so the mean of both still falls short.)
    """
    n_classes, local, seen = int(labels.max()) + 1, np.full(len(a), np.nan), []
    for fit, use in splits:
        rows = np.concatenate([fit, use])
        ratios = class_ratios(a[fit], labels[fit], a[rows], labels[rows], n_classes)
        local[use] = ratios[fit.size :]
        seen.append(ratios[: fit.size].mean())
    return local + (np.mean(seen) - np.nanmean(local)) / 2
