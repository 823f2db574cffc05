"""Slow definitions of the certified bound's steps; they import nothing of infold."""

import math

import numpy as np
from scipy.special import ndtri


def score_among(fitted, value):
    """The normal score of a value by its rank among fitted values, averaged within ties."""
    below, equal = sum(v < value for v in fitted), sum(v == value for v in fitted)
    return ndtri((below + equal / 2 + 0.5) / (len(fitted) + 1))


def kernel_weights(row, fitted, k):
    """Gaussian weights of fitted rows, as wide as the distance to the k-th of them."""
    squared = [sum((u - v) ** 2 for u, v in zip(row, other, strict=True)) for other in fitted]
    width = max(sorted(squared)[min(k, len(fitted)) - 1], 1e-300)
    weights = [math.exp(-(s - min(squared)) / width) for s in squared]
    return np.array(weights) / sum(weights)


def kernel_log_ratio(row_a, row_b, a, b, k, independent):
    """Log of the ratio of kernel densities at one pair of rows, mixed with independence."""
    u, v = kernel_weights(row_a, a, k), kernel_weights(row_b, b, k)
    return math.log((1 - independent) * len(a) * sum(u * v) + independent)


def gaussian_log_ratio(row_a, row_b, a, b):
    """Log of the ratio of normal densities, joint to product, up to a constant, by the covariances of fitted rows."""
    p, joint = a.shape[1], np.hstack([a, b])
    mean, covariance = joint.mean(axis=0), np.cov(joint.T, ddof=0)
    z = np.r_[row_a, row_b] - mean
    own = z[:p] @ np.linalg.solve(covariance[:p, :p], z[:p]) + z[p:] @ np.linalg.solve(covariance[p:, p:], z[p:])
    return 0.5 * (own - z @ np.linalg.solve(covariance, z))


def infonce(values, guess=0.0):
    """Mean over rows of the log of the own candidate's share, part of which is a mere guess, times their number."""
    n = len(values)
    shares = [math.exp(values[i][i]) / sum(math.exp(v) for v in values[i]) for i in range(n)]
    return sum(math.log(n * ((1 - guess) * share + guess / n)) for share in shares) / n


def jackknife_variance(values, guess):
    """Of `infonce`: leave out each row, with its x and its y."""
    n = len(values)
    without = [infonce(np.delete(np.delete(values, r, 0), r, 1), guess) for r in range(n)]
    return (n - 1) / n * sum((t - np.mean(without)) ** 2 for t in without)


def log_loss(weights, trials):
    """How badly weighted opinions tell which y belongs to each x, over all trials."""
    return -np.mean([infonce(np.tensordot(weights, values, 1)) - math.log(values.shape[1]) for values in trials])
