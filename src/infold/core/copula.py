"""Tables as normal scores, and the part of their MI that a Gaussian copula explains; rows are samples, (n, p).

MI does not change under strictly increasing maps of single columns, so only ranks count. A table enters as
`copula_columns`: every column then has the same continuous margin, whatever its units, tails or ties.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, ndtri
from scipy.stats import chi2, gamma, rankdata

ALPHA_RANK = 0.01  # level of each step of the test for the number of canonical pairs
SAME = 1 - 1e-9  # correlation of two columns' ranks beyond which they are copies, up to rounding
FLAT = 1e-6  # a direction this narrow beside the widest is rounding noise


class GaussianPart(NamedTuple):
    """Gaussian MI of normal scores over the canonical pairs that a test keeps, less its bias."""

    mi: float
    standard_error: float
    n_pairs: int
    pvalue: float  # of no correlation at all, by `pairing_test`


def either(pvalue: float | np.ndarray, n_tests: int) -> Any:
    """Return the p-value of the smallest of `n_tests` p-values (Šidák): below 1, so that no two data sets tie at 1."""
    return -np.expm1(n_tests * np.log1p(-np.minimum(pvalue, 1 - 1e-16)))


@lru_cache(maxsize=4)  # a table and its surrogates have the same rows
def normal_quantiles(n: int) -> np.ndarray:
    """Return the standard normal quantiles of 1 / (n + 1) … n / (n + 1)."""
    return ndtri(np.arange(1, n + 1) / (n + 1))


def normal_scores(columns: np.ndarray) -> np.ndarray:
    """Return each column's ranks as standard normal quantiles; ties keep the order of the rows."""
    quantiles = normal_quantiles(len(columns))
    scores = np.empty(columns.shape)
    for j, column in enumerate(columns.T):
        scores[np.argsort(column, kind="stable"), j] = quantiles
    return scores


def distinct_columns(table: np.ndarray) -> np.ndarray:
    """Return the indices of columns that are no monotone copy of an earlier one; none may be constant."""
    ranks = rankdata(table, axis=0)
    ranks -= ranks.mean(axis=0)
    ranks /= np.sqrt((ranks**2).sum(axis=0))
    copies = np.triu(np.abs(ranks.T @ ranks) > SAME, 1).any(axis=0)
    return np.flatnonzero(~copies)


def copula_columns(table: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return normal scores of the distinct columns, ties in random order, and the indices of these columns.

    Random order within a tie is noise that knows nothing of the other side: MI stays exactly what it was, and a tied
    column gets the continuous margin that its surrogates have. With average ranks a copied class label would be a
    straight line, of infinite Gaussian MI.
    """
    kept = distinct_columns(table)
    scores = np.empty((len(table), kept.size))
    for c, j in enumerate(kept):
        order = rng.permutation(len(table))
        scores[order, c] = normal_scores(table[order, j : j + 1])[:, 0]
    return scores, kept


def orthonormal(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the centred columns, without directions of rounding noise."""
    u, s, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return u[:, s > FLAT * s[0]]


def plugin_bias(p: int, q: int, n: int) -> float:
    """Return by how much the plug-in Gaussian MI exceeds the truth in the mean, for n rows of p + q normal columns.

    Exact, whatever the correlations: log-determinants of Wishart matrices have known means. Needs n > p + q.
    """

    def half_log_det_bias(d):
        return 0.5 * digamma((n - np.arange(1, d + 1)) / 2).sum() + 0.5 * d * math.log(2 / (n - 1))

    return float(half_log_det_bias(p) + half_log_det_bias(q) - half_log_det_bias(p + q))


def canonical_pairs(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return canonical correlations, largest first, and all canonical variates (orthonormal) of a and of b."""
    basis_a, basis_b = orthonormal(a), orthonormal(b)
    u, s, vt = np.linalg.svd(basis_a.T @ basis_b)
    # One pair can certify at most log n nats: beyond it, n ranks do not tell a line from a copy.
    s = np.minimum(s, math.sqrt(1 - 1 / len(a) ** 2))
    return s, basis_a @ u, basis_b @ vt.T


def pairing_moments(leverages_a: np.ndarray, leverages_b: np.ndarray) -> tuple[float, float]:
    """Return mean and variance of the sum of squared canonical correlations over all pairings of the rows.

    Exact (Kazi-Aoual et al. 1995). What counts of either side is how far its rows stand out: with columns that share a
    scale a few rows do on both sides, and where such rows meet by chance, correlations are large.
    """
    n = len(leverages_a)
    p, q = leverages_a.sum(), leverages_b.sum()

    def uneven(h: np.ndarray, d: float) -> float:
        return float(n * (n + 1) * (h**2).sum() - (n - 1) * (d**2 + 2 * d))

    variance = 2 * p * q * (n - 1 - p) * (n - 1 - q) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    variance += uneven(leverages_a, p) * uneven(leverages_b, q) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return float(p * q / (n - 1)), float(variance)


def pairing_test(s: np.ndarray, variates_a: np.ndarray, variates_b: np.ndarray) -> float:
    """Return the p-value of no correlation: a gamma law with the moments that random pairings of the rows have."""
    mean, variance = pairing_moments((variates_a**2).sum(axis=1), (variates_b**2).sum(axis=1))
    return float(gamma.sf((s**2).sum(), mean**2 / variance, scale=variance / mean))


def gaussian_part(a: np.ndarray, b: np.ndarray) -> GaussianPart:
    """Return the Gaussian part of the normal scores a (n, p) and b (n, q), n > p + q.

    Bartlett's test, pair after pair, says how many canonical pairs there are. The bias of the kept ones is that of all
    pairs less that of the rest, which are p − r and q − r columns without correlation, in r rows fewer.
    """
    n = len(a)
    s, variates_a, variates_b = canonical_pairs(a, b)
    p, q = variates_a.shape[1], variates_b.shape[1]
    nats = -0.5 * np.log1p(-(s**2))
    kept = 0
    for k in range(s.size):
        scale = max(n - 1 - k - (p + q + 1 - 2 * k) / 2, 1.0)
        pvalue = float(chi2.sf(2 * scale * nats[k:].sum(), (p - k) * (q - k)))
        if pvalue >= ALPHA_RANK:
            break
        kept = k + 1
    mi = nats[:kept].sum() - plugin_bias(p, q, n) + plugin_bias(p - kept, q - kept, n - kept) if kept else 0.0
    # Delta method for the pairs kept; p q / 2 n² is the variance of the noise whose mean the correction takes away.
    error = math.sqrt((s[:kept] ** 2).sum() / n + p * q / (2 * n**2))
    return GaussianPart(float(mi), error, kept, pairing_test(s, variates_a, variates_b))


def gaussian_local(a: np.ndarray, b: np.ndarray, n_pairs: int) -> np.ndarray:
    """Return each row's log ratio of the Gaussian densities, joint to product, over the first canonical pairs."""
    s, u, v = canonical_pairs(a, b)
    s = s[:n_pairs]
    u, v = (variates[:, :n_pairs] * math.sqrt(len(a)) for variates in (u, v))
    quadratic = (s**2 * (u**2 + v**2) - 2 * s * u * v) / (2 * (1 - s**2))
    return -0.5 * np.log1p(-(s**2)).sum() - quadratic.sum(axis=1)
