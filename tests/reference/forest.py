"""Slow definitions of cuts, trees and geodesic distances, straight from the paper."""

import math

import numpy as np


def bic_cut(values):
    """Best two-Gaussian cut of sorted values by two passes over each side, and its BIC."""
    m = len(values)
    best, cut = math.inf, math.nan
    total = variance(values)
    for s in range(1, m):
        sides = values[:s], values[s:]
        if values[s - 1] == values[s] or min(variance(side) for side in sides) <= 1e-10 * total:
            continue
        bic = m + 5 * math.log(m)
        for side in sides:
            bic += len(side) * math.log(2 * math.pi * variance(side)) - 2 * len(side) * math.log(len(side) / m)
        if bic < best:
            best, cut = bic, midpoint(values[s - 1], values[s])
    return cut, best


def variance(values):
    """Two passes, about a value near the middle: at a large offset the mean itself would be rounded."""
    return np.var(values - values[len(values) // 2])


def two_means_cut(values):
    """Cut of sorted values with the smallest sum of squared deviations on both sides, and that sum."""
    best, cut = math.inf, math.nan
    for s in range(1, len(values)):
        spread = sum(np.sum((side - np.mean(side)) ** 2) for side in (values[:s], values[s:]))
        if values[s - 1] < values[s] and spread < best:
            best, cut = spread, midpoint(values[s - 1], values[s])
    return cut, best


def midpoint(low, high):
    middle = low + (high - low) / 2
    return middle if middle > low else high


def leaf(tree, row, used):
    """Node where one row ends, columns outside `used` counting as 0. `tree` is a dict of a tree's arrays."""
    node = 0
    while tree["left"][node] >= 0:
        terms = range(tree["proj_start"][node], tree["proj_stop"][node])
        value = sum(tree["proj_sign"][t] * row[tree["proj_feature"][t]] * used[tree["proj_feature"][t]] for t in terms)
        node = tree["left"][node] if value < tree["cut"][node] else tree["right"][node]
    return node


def trees_apart(leaves):
    """(n, n) number of trees in which two rows differ in leaf; leaves is (T, n)."""
    return np.sum(leaves[:, :, None] != leaves[:, None, :], axis=0)


def geodesic_distance(leaves, points, variant):
    """(n, n) d_G; leaves is (T, n), points (n, d)."""
    n_trees, n = leaves.shape
    forest = trees_apart(leaves) / n_trees
    flat = np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=2))
    out = forest.copy()
    for i in range(n):
        same = forest[i] == 0
        if variant == "released":
            size = flat[i, same].max()
            unit = (forest[i, ~same].min() if not same.all() else 1.0) * (1 - 0.001)
        else:
            size, unit = flat.max(), 1 / (n_trees + 1e-3)
        local = same | (variant == "everywhere")
        out[i, local] += flat[i, local] / (size if size > 0 else 1.0) * unit
    return out
