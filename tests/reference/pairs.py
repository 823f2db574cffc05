"""Slow definitions of what is computed for all pairs of columns; they import nothing of infold."""

import math

import numpy as np
from scipy.special import digamma, ndtri
from scipy.stats import chi2


def rank_ksg(x, y, k):
    """KSG's first estimate of two columns' normal scores; rows at the distance of the k-th neighbour do not count."""
    n = len(x)
    a, b = (ndtri((np.argsort(np.argsort(column)) + 1) / (n + 1)) for column in (x, y))
    total = 0.0
    for i in range(n):
        apart = sorted(max(abs(a[i] - a[j]), abs(b[i] - b[j])) for j in range(n) if j != i)
        n_x = sum(abs(a[i] - a[j]) < apart[k - 1] for j in range(n))
        n_y = sum(abs(b[i] - b[j]) < apart[k - 1] for j in range(n))
        total += digamma(n_x) + digamma(n_y)
    return digamma(k) + digamma(n) - total / n


def smooth_score(x, y, orders=(1, 2, 4)):
    """−log of the smallest p of nested smooth tests of two columns without ties."""
    n = len(x)
    u, v = ((np.argsort(np.argsort(column)) + 0.5) / n for column in (x, y))

    def correlation(i, j):
        return np.corrcoef(np.cos(math.pi * i * u), np.cos(math.pi * j * v))[0, 1]

    smallest = 1.0
    for m in orders:
        total = sum(correlation(i, j) ** 2 for i in range(1, m + 1) for j in range(1, m + 1))
        smallest = min(smallest, chi2.sf((n - 1) * total, m * m))
    return -math.log(smallest)


def class_score(x, codes):
    """−log p of the sums of squares between classes of the first, two and four cosines of ranks."""
    n = len(x)
    u = (np.argsort(np.argsort(x)) + 0.5) / n
    classes = sorted(set(codes.tolist()))
    smallest, between = 1.0, []
    for j in range(1, 5):
        wave = np.cos(math.pi * j * u)
        wave = (wave - wave.mean()) / math.sqrt(((wave - wave.mean()) ** 2).sum())
        between.append(sum((codes == c).sum() * wave[codes == c].mean() ** 2 for c in classes))
    for m in (1, 2, 4):
        smallest = min(smallest, chi2.sf((n - 1) * sum(between[:m]), m * (len(classes) - 1)))
    return -math.log(smallest)


def benjamini_hochberg(pvalues):
    """The smallest level at which the step-up procedure rejects each."""
    m = len(pvalues)
    ordered = sorted(pvalues)
    return [min(1.0, min(ordered[j] * m / (j + 1) for j in range(m) if ordered[j] >= p)) for p in pvalues]


def dpi(mi, edges, tolerance):
    """The edges that are weaker than both others of some triangle."""
    known = {frozenset(edge) for edge in edges}
    gone = set()
    for a, b in edges:
        for c in range(len(mi)):
            is_triangle = frozenset((a, c)) in known and frozenset((b, c)) in known
            if is_triangle and mi[a, b] < (1 - tolerance) * min(mi[a, c], mi[b, c]):
                gone.add((a, b))
    return gone
