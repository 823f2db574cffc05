"""The part of two tables' MI that a Gaussian copula explains, from normal scores; rows are samples, (n, p)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import digamma, polygamma
from scipy.stats import gamma

from .ratios import counted_twice

ALPHA_RANK = 0.01  # level of each step of the test for the number of canonical pairs
FLAT = 1e-6  # a direction this narrow, relative to the widest, is rounding noise
MOST_OF_ROWS = 0.9  # columns beyond this share of the rows leave no degrees of freedom for the noise
SIGN_DRAWS = 10  # of the rows; their mean adds a tenth to the variance of what the rows themselves say
RE_PAIRED_ROWS = 1000  # all pairings of so many rows tell a log ratio's normalisation well enough


class GaussianPart(NamedTuple):
    """Gaussian MI of normal scores: that of the canonical pairs that a test keeps, and what the others add."""

    mi: float
    standard_error: float
    n_pairs: int
    pvalue: float  # of no correlation at all, by `pairing_test`


def orthonormal(columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of the centred columns, without directions of rounding noise."""
    u, s, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return u[:, s > FLAT * s[0]]


def plugin_bias(p: int, q: int, n: int) -> float:
    """Return by how much the plug-in Gaussian MI exceeds the truth on average, for n rows of p + q normal columns.

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


class Spread(NamedTuple):
    """How the rows of a centred table T (n, p) lie: of T Tᵀ the trace, that of its square, and Σ of squared diagonal.

    The last says how far single rows stand out.
    """

    trace: Any
    square: Any
    diagonal: Any


def spread_of(table: np.ndarray) -> Spread:
    """Return the spread of a centred table (n, p)."""
    rows, inner = (table**2).sum(axis=1), table.T @ table
    return Spread(float(rows.sum()), float((inner**2).sum()), float((rows**2).sum()))


def orthonormal_spread(leverages: np.ndarray) -> Spread:
    """Return the spread of a table with orthonormal columns, from its squared row lengths."""
    p = float(leverages.sum())
    return Spread(p, p, float((leverages**2).sum()))


def pairing_moments(a: Spread, b: Spread, n: int) -> tuple[Any, Any]:
    """Return mean and variance of Σ (a_i · b_j)², over columns of two tables, over all pairings of their n rows.

    Exact (Kazi-Aoual et al. 1995); with orthonormal columns it is the sum of squared canonical correlations. What
    counts of either side is how far its rows stand out: with columns that share a scale a few rows do on both sides,
    and where such rows meet by chance, correlations are large.
    """

    def even(t: Spread) -> Any:
        return (n - 1) * t.square - t.trace**2

    def uneven(t: Spread) -> Any:
        return n * (n + 1) * t.diagonal - (n - 1) * (t.trace**2 + 2 * t.square)

    variance = 2 * even(a) * even(b) / ((n - 1) ** 2 * (n + 1) * (n - 2))
    variance += uneven(a) * uneven(b) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return a.trace * b.trace / (n - 1), variance


def pairing_test(s: np.ndarray, variates_a: np.ndarray, variates_b: np.ndarray) -> float:
    """Return the p-value of no correlation: a gamma law with the moments that random pairings of the rows have."""
    a, b = (orthonormal_spread((side**2).sum(axis=1)) for side in (variates_a, variates_b))
    mean, variance = pairing_moments(a, b, len(variates_a))
    return float(gamma.sf((s**2).sum(), mean**2 / variance, scale=variance / mean))


def gaussian_part(a: np.ndarray, b: np.ndarray) -> GaussianPart:
    """Return the Gaussian part of the normal scores a (n, p) and b (n, q), n > p + q.

    Bartlett's test, pair after pair, says how many canonical pairs there are. The bias of the kept ones is that of all
    pairs less that of the rest, which are p − r and q − r columns without correlation, in r rows fewer. Many weak pairs
    may add up although none is proven: what the rest says counts too, shrunk by its noise.
    """
    n = len(a)
    s, variates_a, variates_b = canonical_pairs(a, b)
    p, q = variates_a.shape[1], variates_b.shape[1]
    nats = -0.5 * np.log1p(-(s**2))
    uneven, shared = leverage_factor(variates_a, variates_b), shared_leverage(variates_a, variates_b)
    kept = 0
    for k in range(s.size):
        scale = max(n - 1 - k - (p + q + 1 - 2 * k) / 2, 1.0)
        # χ² if no row stands out; else its variance is larger, and its mean the same.
        statistic = 2 * scale * nats[k:].sum() / shared
        pvalue = float(gamma.sf(statistic, (p - k) * (q - k) / (2 * uneven), scale=2 * uneven))
        if pvalue >= ALPHA_RANK:
            break
        kept = k + 1
    bias = shared * (plugin_bias(p, q, n) - plugin_bias(p - kept, q - kept, n - kept))
    mi = nats[:kept].sum() - bias if kept else 0.0
    # Delta method for the pairs kept; p q / 2 n² is the variance of the noise whose mean the correction takes away.
    error = math.sqrt((s[:kept] ** 2).sum() / n + uneven * p * q / (2 * n**2))
    mi += shrunk(*unproven_part(s, variates_a, variates_b, kept))
    return GaussianPart(float(mi), error, kept, pairing_test(s, variates_a, variates_b))


def leverage_factor(variates_a: np.ndarray, variates_b: np.ndarray) -> float:
    """Return how much more squared canonical correlations vary, over pairings, than if no row stood out; at least 1."""
    n = len(variates_a)
    a, b = (orthonormal_spread((side**2).sum(axis=1)) for side in (variates_a, variates_b))
    own = pairing_moments(a, b, n)[1]
    even_a, even_b = (side._replace(diagonal=side.trace**2 / n) for side in (a, b))
    even = pairing_moments(even_a, even_b, n)[1]
    return max(own / even, 1.0) if even > 0 else 1.0


def shared_leverage(variates_a: np.ndarray, variates_b: np.ndarray) -> float:
    """Return how much larger the bias of the plug-in Gaussian MI is where rows stand out on both sides at once.

    Rows that share a scale and nothing else are as likely with any signs: what canonical correlations say of rows with
    their lengths on both sides and random signs is bias. The mean of Σ s² over all signs is known, Σ h_a h_b, h being
    leverages; so a few draws are needed only for the nats that go with it. At least 1.
    """
    (n, p), q = variates_a.shape, variates_b.shape[1]
    rng, squares, nats = np.random.default_rng(0), 0.0, 0.0
    for _ in range(SIGN_DRAWS):
        cross = variates_a.T @ (rng.choice((-1.0, 1.0), (n, 1)) * variates_b)
        inner = cross @ cross.T if p < q else cross.T @ cross
        squares += float(inner.trace())
        nats -= 0.5 * float(np.linalg.slogdet(np.eye(len(inner)) - (1 - 1 / n**2) * inner)[1])
    shared = float(((variates_a**2).sum(axis=1) * (variates_b**2).sum(axis=1)).sum())
    return max(shared * nats / squares / plugin_bias(p, q, n), 1.0) if squares > 0 else 1.0


def unproven_part(s: np.ndarray, variates_a: np.ndarray, variates_b: np.ndarray, kept: int) -> tuple[float, float]:
    """Return the Gaussian MI of the canonical pairs after the first `kept`, less its bias, and the noise's deviation.

    Without correlation both are exact for Gaussian sides (Wilks). For others the variance is raised as much as that of
    the sum of squared canonical correlations over random pairings is.
    """
    n = len(variates_a)
    p, q, m = variates_a.shape[1] - kept, variates_b.shape[1] - kept, n - kept
    if min(p, q) < 1 or p + q > MOST_OF_ROWS * m:
        return 0.0, 0.0
    bias = shared_leverage(variates_a, variates_b) * plugin_bias(p, q, m)
    mi = float(-0.5 * np.log1p(-(s[kept:] ** 2)).sum() - bias)
    i = np.arange(1, q + 1)
    variance = 0.25 * float((polygamma(1, (m - p - i) / 2) - polygamma(1, (m - i) / 2)).sum())
    return mi, math.sqrt(variance * leverage_factor(variates_a, variates_b))


def dense_part(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return the Gaussian MI of all columns, without a choice of pairs, and its noise; (0, 0) if they are too many."""
    if a.shape[1] + b.shape[1] > MOST_OF_ROWS * len(a):
        return 0.0, 0.0
    return unproven_part(*canonical_pairs(a, b), 0)


def shrunk(value: float, noise: float, least: float = 1.0) -> float:
    """Return what to count of a noisy value that cannot be negative, by James and Stein: 0 up to `least` noises."""
    return value * (1 - (least * noise / value) ** 2) if value > least * noise > 0 else 0.0


def overcount(a: np.ndarray, b: np.ndarray, n_pairs: int) -> float:
    """Return by how many nats the Gaussian log ratio of the first canonical pairs is too high; 0 if that is not sure.

    Where clusters make all pairs of columns tell the same label, it is most of the ratio.
    """
    if n_pairs == 0:
        return 0.0
    s, u, v = canonical_pairs(a, b)
    s = s[:n_pairs]
    step = -(-len(a) // RE_PAIRED_ROWS)  # not the first rows: they may be sorted
    u, v = (t[::step, :n_pairs] * math.sqrt(len(a)) for t in (u, v))
    weights = s**2 / (2 * (1 - s**2))
    cross = (u * (s / (1 - s**2))) @ v.T
    return counted_twice(cross - (u**2 @ weights)[:, None] - v**2 @ weights - 0.5 * np.log1p(-(s**2)).sum())


def gaussian_local(a: np.ndarray, b: np.ndarray, n_pairs: int) -> np.ndarray:
    """Return each row's log ratio of the Gaussian densities, joint to product, over the first canonical pairs."""
    s, u, v = canonical_pairs(a, b)
    s = s[:n_pairs]
    u, v = (variates[:, :n_pairs] * math.sqrt(len(a)) for variates in (u, v))
    quadratic = (s**2 * (u**2 + v**2) - 2 * s * u * v) / (2 * (1 - s**2))
    return -0.5 * np.log1p(-(s**2)).sum() - quadratic.sum(axis=1)
