"""Slow definitions of the adaptive estimator's steps; they import nothing of infold."""

import math

import numpy as np
from scipy.linalg import eigh, inv, sqrtm
from scipy.special import digamma, gammaln, ndtri
from scipy.stats import chi2, multivariate_t, norm
from scipy.stats import t as student_t


def normal_scores(column):
    """Quantiles of ranks; of equal values the earlier is the smaller."""
    n = len(column)
    ranks = [sum((w, j) <= (v, i) for j, w in enumerate(column)) for i, v in enumerate(column)]
    return ndtri(np.array(ranks) / (n + 1))


def gaussian_mi(a, b):
    """Plug-in Gaussian MI from log-determinants of covariances."""

    def log_det(z):
        return np.linalg.slogdet(np.atleast_2d(np.cov(z.T)))[1]

    return 0.5 * (log_det(a) + log_det(b) - log_det(np.hstack([a, b])))


def canonical_correlations(a, b):
    """Square roots of the eigenvalues of S_aa⁻¹ S_ab S_bb⁻¹ S_ba."""
    p = a.shape[1]
    s = np.cov(np.hstack([a, b]).T)
    product = inv(s[:p, :p]) @ s[:p, p:] @ inv(s[p:, p:]) @ s[p:, :p]
    values = np.sort(np.linalg.eigvals(product).real)[::-1]
    return np.sqrt(np.maximum(values[: min(a.shape[1], b.shape[1])], 0))


def bias_of_one_pair(n):
    """E[−½ log(1 − r²)] of two independent normal columns, from r² ~ Beta(½, (n − 2) / 2)."""
    return 0.5 * (digamma((n - 1) / 2) - digamma((n - 2) / 2))


def mi_of_random_signs(a, b, draws, rng):
    """Mean plug-in Gaussian MI of centred a and b once each row of b has a random sign: rows keep their lengths."""

    def log_det(z):
        return np.linalg.slogdet(z.T @ z)[1]

    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    signed = [rng.choice([-1, 1], size=(len(b), 1)) * b for _ in range(draws)]
    return np.mean([0.5 * (log_det(a) + log_det(c) - log_det(np.hstack([a, c]))) for c in signed])


def wave(column, j):
    """√2 cos(π j u) of mid-ranks u."""
    ranks = np.argsort(np.argsort(column))
    return math.sqrt(2) * np.cos(math.pi * j * (ranks + 0.5) / len(column))


def pair_pvalue(x, y, orders):
    """Smallest p of the nested smooth tests of two columns, corrected for their number."""
    n, best = len(x), 1.0
    for m in orders:
        total = 0.0
        for i in range(1, m + 1):
            for j in range(1, m + 1):
                total += (n - 1) * np.mean(wave(x, i) * wave(y, j)) ** 2
        best = min(best, chi2.sf(total, m * m))
    return 1 - (1 - best) ** len(orders)


def product_pvalue(x_i, x_j, y):
    """Test of x_i x_j against a line and an arch of y: with the variance found, or a larger one if unrelated."""
    product = wave(x_i, 1) * wave(x_j, 1)
    product = product - product.mean()
    best = 1.0
    for order in (1, 2):
        terms = product * wave(y, order)
        variance = max((terms**2).sum(), (product**2).sum() * (wave(y, order) ** 2).mean())
        best = min(best, 2 * norm.sf(abs(terms.sum()) / math.sqrt(variance)))
    return 1 - (1 - best) ** 2


def student_log_ratio(x, y, scatter, nu):
    """Log density of Student's t of a row (x, y) less those of x and of y."""
    p = len(x)
    parts = [(np.concatenate([x, y]), scatter), (x, scatter[:p, :p]), (y, scatter[p:, p:])]
    joint, *sides = (multivariate_t.logpdf(row, np.zeros(len(row)), shape, nu) for row, shape in parts)
    return joint - sum(sides)


def student_copula_likelihood(scores, scatter, nu):
    """Log likelihood of Student's copula, row by row, column by column."""
    rows = student_t.ppf(norm.cdf(scores), nu)
    joint = sum(multivariate_t.logpdf(row, np.zeros(len(row)), scatter, nu) for row in rows)
    return joint - sum(student_t.logpdf(value, nu) for row in rows for value in row)


def row_lengths(a):
    """Squared lengths of the rows once the columns are centred and whitened."""
    centred = a - a.mean(axis=0)
    return np.array([row @ inv(centred.T @ centred) @ row for row in centred])


def excess_test(null, value):
    """One-sided p of `value` being of the same normal law as the values of `null`: a t-test of 1 against B."""
    mean = sum(null) / len(null)
    variance = sum((v - mean) ** 2 for v in null) / (len(null) - 1)
    return student_t.sf((value - mean) / math.sqrt(variance * (1 + 1 / len(null))), len(null) - 1)


def curved(a, centres):
    """Columns and bumps, value by value."""
    n, p = a.shape
    bumps = [[math.exp(-np.sum((a[i] - a[c]) ** 2) / (2 * p)) for c in centres] for i in range(n)]
    return np.hstack([a, bumps])


def turned(a, squared, degree):
    """Columns times Gram-Schmidt's polynomials of the squared radius, of mean square 1."""
    polynomials = []
    for power in range(degree + 1):
        new = squared**power
        for old in polynomials:
            new = new - np.mean(new * old) * old
        polynomials.append(new / math.sqrt(np.mean(new**2)))
    return np.hstack([a * polynomial[:, None] for polynomial in polynomials])


def ridge_cca(f, g, ridge, count):
    """Coordinates of f that a ridge CCA with g puts first, as a generalised eigenproblem."""
    f, g = ((h - h.mean(axis=0)) / h.std(axis=0) for h in (f, g))
    n = len(f)
    s_ff, s_gg = (h.T @ h / n + ridge * np.eye(h.shape[1]) for h in (f, g))
    s_fg = f.T @ g / n
    _, vectors = eigh(s_fg @ inv(s_gg) @ s_fg.T, s_ff)
    return f @ vectors[:, ::-1][:, :count]


def log_mean_gaussian_ratio(a, b, n_pairs):
    """Log of the mean of exp f over all pairings of two rows, f being the Gaussian log ratio of canonical variates."""
    n = len(a)
    s_aa, s_bb = np.cov(a.T, bias=True).reshape(a.shape[1], -1), np.cov(b.T, bias=True).reshape(b.shape[1], -1)
    root_a, root_b = inv(sqrtm(s_aa).real), inv(sqrtm(s_bb).real)
    a, b = (a - a.mean(axis=0)) @ root_a, (b - b.mean(axis=0)) @ root_b
    u, s, vt = np.linalg.svd(a.T @ b / n)
    u, v = a @ u, b @ vt.T
    total = 0.0
    for i in range(n):
        for j in range(n):
            if i != j:
                f = 0.0
                for k in range(n_pairs):
                    joint = (u[i, k] ** 2 - 2 * s[k] * u[i, k] * v[j, k] + v[j, k] ** 2) / (1 - s[k] ** 2)
                    f += -0.5 * math.log(1 - s[k] ** 2) - 0.5 * (joint - u[i, k] ** 2 - v[j, k] ** 2)
                total += math.exp(f)
    return math.log(total / (n * (n - 1)))


def entropy(rows):
    """Plug-in entropy of the distinct rows, with Miller and Madow's correction, at most that of equal shares."""
    counts = {}
    for row in map(tuple, rows):
        counts[row] = counts.get(row, 0) + 1
    n = len(rows)
    corrected = -sum(c / n * math.log(c / n) for c in counts.values()) + (len(counts) - 1) / (2 * n)
    return min(corrected, math.log(len(counts)))


def student_mi(p, q, nu):
    """MI of a Student t with identity scatter, p + q columns (Arellano-Valle, Contreras-Reyes & Genton 2013)."""

    def part(d):
        half = (nu + d) / 2
        return gammaln(nu / 2) - gammaln(half) + half * (digamma(half) - digamma(nu / 2))

    return part(p) + part(q) - part(p + q)
