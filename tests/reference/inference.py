"""Slow definitions for inference; imports nothing of infold."""

import math

import numpy as np
from scipy.stats import norm

from .neighbors import block_distance, counts, mutual_information


def ksg(x, y, k):
    """KSG's estimate in max norm, columns divided by their standard deviation."""
    distances = [block_distance((side / side.std(axis=0)).T) for side in (x, y)]
    return float(np.mean(mutual_information(counts(distances, [(0,), (1,)], k), len(x))))


def pvalue(observed, null, enough):
    """(p, permutations looked at) by Besag & Clifford; with `enough` > len(null), the usual p with the + 1."""
    above = 0
    for looked_at, value in enumerate(null, start=1):
        if value >= observed:
            above += 1
        if above == enough:
            return above / looked_at, looked_at
    return (above + 1) / (len(null) + 1), len(null)


def ljung_box(column, lags):
    """The statistic, and the lag-1 autocorrelation, of a column's normal scores (no ties)."""
    n = len(column)
    z = [norm.ppf((1 + sum(other < value for other in column)) / (n + 1)) for value in column]
    mean = sum(z) / n
    z = [value - mean for value in z]
    r = [sum(z[i] * z[i + lag] for i in range(n - lag)) / sum(v * v for v in z) for lag in range(1, lags + 1)]
    return n * (n + 2) * sum(r[lag - 1] ** 2 / (n - lag) for lag in range(1, lags + 1)), r[0]


def intrinsic_dimension(points, k):
    """Levina & Bickel's estimate, averaged over points as 1 / dimension, of standardised columns."""
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    inverse = []
    for p in points:
        away = sorted(math.dist(p, q) for q in points)[1 : k + 1]
        inverse.append(sum(math.log(away[-1] / d) for d in away[:-1]) / (k - 2))
    return 1 / (sum(inverse) / len(inverse))
