"""Slow definitions, straight from the paper; they import nothing of infold."""

import math

import numpy as np
from scipy.special import digamma


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
        terms = range(tree["proj_start"][node], tree["proj_start"][node + 1])
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


def norm_distance(points, metric, weights):
    """(n, n) distances of the rows of points (n, d), each difference times its column's weight."""
    difference = np.abs(points[:, None] - points[None]) * weights
    return difference.max(axis=2) if metric == "chebyshev" else np.sqrt(np.sum(difference**2, axis=2))


def ksg_local(d_x, d_y, k):
    """Local MI from two (n, n) distance matrices: KSG, Eq. ksg-estimator; a row with k copies is an atom."""
    n = len(d_x)
    out = np.empty(n)
    for i in range(n):
        others = np.arange(n) != i
        x, y = d_x[i, others], d_y[i, others]
        z = np.maximum(x, y)
        radius = np.sort(z)[k - 1]
        if radius > 0:
            n_x, n_y = np.sum(x < radius), np.sum(y < radius)
            out[i] = digamma(k) + digamma(n) - digamma(n_x + 1) - digamma(n_y + 1)
        else:
            copies, in_x, in_y = np.sum(z == 0), np.sum(x == 0), np.sum(y == 0)
            out[i] = digamma(copies + 1) + digamma(n) - digamma(in_x + 1) - digamma(in_y + 1)
    return out


def deviations(points):
    """Standard deviation of each column."""
    return np.sqrt(np.mean((points - points.mean(axis=0)) ** 2, axis=0))


def splitmix64(seed):
    """Yield the 64-bit numbers of Steele, Lea & Flood's generator."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        bits = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % 2**64
        yield bits ^ (bits >> 31)


def random_order(seed, groups, length):
    """Which row takes the place of each: blocks of `length` rows change places within each of the groups."""
    numbers, order = splitmix64(seed), {}
    for rows in groups:
        blocks = [rows[first : first + length] for first in range(0, len(rows), length)]
        for last in range(len(blocks) - 1, 0, -1):
            other = (next(numbers) >> 32) * (last + 1) >> 32
            blocks[last], blocks[other] = blocks[other], blocks[last]
        order |= dict(zip(rows, [row for block in blocks for row in block], strict=True))
    return [order[row] for row in range(len(order))]
