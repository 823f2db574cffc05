"""Laws of (X, Y) whose density ratio is known: blocks of columns, and what can be done to them without changing MI.

A law draws x, y and, when asked, the information of each row: the log of the joint density over the product of the
marginal ones. Its mean is the mutual information, so every true value can be checked by Monte Carlo.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln, i0e, k0e, logsumexp, ndtri, xlogy

from .base import Array

Generator: TypeAlias = np.random.Generator
Map: TypeAlias = Callable[[Array], Array]
Integers: TypeAlias = NDArray[np.intp]
LOG_2_PI = math.log(2 * math.pi)


class Draw(NamedTuple):
    """A sample x (n, p), y (n, q), and a function that returns the information of its rows (n,)."""

    x: Array
    y: Array
    information: Callable[[], Array]


@dataclass(frozen=True)
class Law:
    """How to draw, and the MI in nats where it has a closed form."""

    draw: Callable[[Generator, int], Draw]
    mi: float | None = None


def column(values: ArrayLike) -> Array:
    """Return the values as a table of one column."""
    return np.asarray(values, dtype=np.float64)[:, None]


def one_to_one(draw: Callable[[Generator, int], tuple[Array, Array, Callable[[], Array]]], mi: float | None) -> Law:
    """Return the law of two columns that are drawn as vectors."""

    def table(rng: Generator, n: int) -> Draw:
        x, y, information = draw(rng, n)
        return Draw(column(x), column(y), information)

    return Law(table, mi)


# Densities.


def log_normal_density(z: Array, scale: Array | float = 1.0) -> Array:
    """Log density of a centred normal law."""
    return np.asarray(-0.5 * (z / scale) ** 2 - np.log(scale) - 0.5 * LOG_2_PI)


def log_mixture(y: Array, centres: Array, scales: Array | float, log_weights: Array | float) -> Array:
    """Log density at the rows of y (n, q) of a mixture of isotropic normal laws at the rows of `centres` (m, q)."""
    q, out = y.shape[1], np.empty(len(y))
    constant = log_weights - q * (np.log(scales) + 0.5 * LOG_2_PI)
    step = max(1, 2_000_000 // len(centres))  # rows at a time: bounds memory
    for start in range(0, len(y), step):
        part = y[start : start + step]
        square = sum((part[:, None, j] - centres[None, :, j]) ** 2 for j in range(q))
        out[start : start + step] = logsumexp(constant - 0.5 * square / np.square(scales), axis=1)
    return out


def normal_nodes(count: int = 1301, reach: float = 6.5) -> tuple[Array, Array]:
    """Nodes and log weights of the trapezoidal rule for means over a standard normal variable."""
    nodes = np.linspace(-reach, reach, count)
    logs = log_normal_density(nodes)
    return nodes, logs - logsumexp(logs)


def gamma_entropy(shape: float) -> float:
    """Differential entropy of a gamma law of unit scale."""
    return float(shape + gammaln(shape) + (1 - shape) * digamma(shape))


def log_gamma_density(z: Array, shape: float) -> Array:
    """Log density of a gamma law of unit scale."""
    return np.asarray(xlogy(shape - 1, z) - z - gammaln(shape))


def log_poisson(counts: Array, rate: Array) -> Array:
    """Log probability of counts."""
    return np.asarray(xlogy(counts, rate) - rate - gammaln(counts + 1))


def binary_entropy(p: float) -> float:
    """Entropy of a coin."""
    return float(-xlogy(p, p) - xlogy(1 - p, 1 - p))


# One column per side.


def gaussian(rho: float) -> Law:
    """Two normal columns with correlation rho."""
    rest = 1 - rho**2

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_normal((2, n))
        y = rho * x + math.sqrt(rest) * e
        return x, y, lambda: -0.5 * math.log(rest) - (rho**2 * (x**2 + y**2) - 2 * rho * x * y) / (2 * rest)

    return one_to_one(draw, -0.5 * math.log(rest))


def additive_uniform(width: float) -> Law:
    """A uniform column, and the same plus uniform noise of this width."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, u = rng.random((2, n))
        y = x + width * u
        return x, y, lambda: -np.log(np.minimum(y, 1) - np.maximum(y - width, 0))

    return one_to_one(draw, width / 2 - math.log(width) if width <= 1 else 0.5 / width)


def additive_cauchy(scale: float) -> Law:
    """A Cauchy column, and the same plus Cauchy noise of this scale."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_cauchy((2, n))
        y, total = x + scale * e, 1 + scale
        return x, y, lambda: np.log(total / scale) + np.log1p((y / total) ** 2) - np.log1p(e**2)

    return one_to_one(draw, math.log((1 + scale) / scale))


def additive_gamma(shape: float, noise_shape: float) -> Law:
    """A gamma column, and the same plus gamma noise."""
    total = shape + noise_shape

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_gamma(shape, n), rng.standard_gamma(noise_shape, n)
        return x, x + e, lambda: log_gamma_density(e, noise_shape) - log_gamma_density(x + e, total)

    return one_to_one(draw, gamma_entropy(total) - gamma_entropy(noise_shape))


def product_of_normals() -> Law:
    """A normal column, and the same times another: uncorrelated, but dependent through scale."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_normal((2, n))
        y = x * e
        size = np.abs(y)
        return x, y, lambda: log_normal_density(e) - np.log(np.abs(x)) - np.log(k0e(size)) + size + math.log(math.pi)

    return one_to_one(draw, None)


def product_of_uniforms() -> Law:
    """A uniform column, and the same times another: MI is Euler's constant."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, u = 1 - rng.random((2, n))  # never 0
        return x, x * u, lambda: -np.log(x) - np.log(-np.log(x * u))

    return one_to_one(draw, float(np.euler_gamma))


def noise_in_proportion(share: float) -> Law:
    """y = x + share |x| e: signal and noise grow together."""
    u = np.arange(-16, 2, 0.02)  # the logarithm of |x|, in which everything is smooth
    logs = log_normal_density(np.exp(u)) + u
    logs = np.tile(logs - logsumexp(logs) - math.log(2), 2)
    nodes = np.concatenate([np.exp(u), -np.exp(u)])

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_normal((2, n))
        scale = share * np.abs(x)
        y = x + scale * e

        def information() -> Array:
            return log_normal_density(y - x, scale) - log_mixture(column(y), column(nodes), share * np.abs(nodes), logs)

        return x, y, information

    return one_to_one(draw, None)


def volatility(strength: float) -> Law:
    """y = exp(strength x) e: x determines the scale of y."""
    nodes, logs = normal_nodes()

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, e = rng.standard_normal((2, n))
        scale = np.exp(strength * x)
        y = scale * e

        def information() -> Array:
            at_zero = np.zeros((len(nodes), 1))
            return log_normal_density(y, scale) - log_mixture(column(y), at_zero, np.exp(strength * nodes), logs)

        return x, y, information

    return one_to_one(draw, None)


def curve(place: Map, noise: float, source: str = "uniform", count: int = 2000) -> Law:
    """A source, uniform or normal, and its position on a curve (n,) → (n, q), with normal noise."""
    if source == "uniform":
        nodes, logs = (np.arange(count) + 0.5) / count, np.full(count, -math.log(count))
    else:
        nodes, logs = normal_nodes(count)
    centres = place(nodes)

    def draw(rng: Generator, n: int) -> Draw:
        t = rng.random(n) if source == "uniform" else rng.standard_normal(n)
        e = rng.standard_normal((n, centres.shape[1]))
        y = place(t) + noise * e
        return Draw(
            column(t),
            y,
            lambda: log_normal_density(noise * e, noise).sum(axis=1) - log_mixture(y, centres, noise, logs),
        )

    return Law(draw)


def wave(periods: float, noise: float) -> Law:
    """A uniform column and its sine, with normal noise."""
    return curve(lambda t: column(np.sin(2 * np.pi * periods * t)), noise)


def saw(teeth: int, width: float) -> Law:
    """A uniform x, and the fractional part of `teeth` times x plus uniform noise: y is uniform, too."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x, u = rng.random((2, n))
        return x, (teeth * x + width * u) % 1, lambda: np.full(n, -math.log(width))

    return one_to_one(draw, -math.log(width))


def circle(noise: float) -> Law:
    """The two coordinates of a point on the unit circle, both with normal noise."""
    angles = 2 * np.pi * np.arange(1000) / 1000
    nodes = column(np.cos(angles))

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        t = 2 * np.pi * rng.random(n)
        x, y = np.array([np.cos(t), np.sin(t)]) + noise * rng.standard_normal((2, n))

        def information() -> Array:
            r = np.hypot(x, y)
            joint = -0.5 * ((r - 1) / noise) ** 2 + np.log(i0e(r / noise**2)) - LOG_2_PI - 2 * math.log(noise)
            return joint - sum(log_mixture(column(z), nodes, noise, -math.log(1000)) for z in (x, y))

        return x, y, information

    return one_to_one(draw, None)


def log_gamma_pair(shape: float) -> Law:
    """The log of a gamma variable, and of an exponential one with it as rate: a very long tail on one side."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        # Draw with shape + 1, times a power of a uniform: the log of a gamma variable of small shape is sometimes −∞.
        x = np.log(rng.standard_gamma(shape + 1, n)) + np.log(1 - rng.random(n)) / shape
        y = np.log(rng.standard_exponential(n)) - x
        return x, y, lambda: x - np.exp(x + y) + (shape + 1) * np.logaddexp(0, y) - math.log(shape)

    return one_to_one(draw, float(digamma(shape) + 1 / shape - math.log(shape)))


def clayton(theta: float) -> Law:
    """Two uniform columns with Clayton's copula: small values occur together."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        u, w = 1 - rng.random((2, n))
        v = (u**-theta * (w ** (-theta / (1 + theta)) - 1) + 1) ** (-1 / theta)

        def information() -> Array:
            log_sum = np.log(u**-theta + v**-theta - 1)
            return math.log1p(theta) - (1 + theta) * np.log(u * v) - (2 + 1 / theta) * log_sum

        return u, v, information

    # −θ/(1 + θ) is what is left of E log u, E log v and E log of their copula, whose law Kendall's function gives.
    return one_to_one(draw, math.log1p(theta) - theta / (1 + theta))


def frank(theta: float) -> Law:
    """Two uniform columns with Frank's copula: symmetric, and without dependence in the tails."""
    whole = -math.expm1(-theta)

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        u, w = rng.random((2, n))
        v = -np.log1p(-w * whole / (w + (1 - w) * np.exp(-theta * u))) / theta

        def information() -> Array:
            below = whole - np.expm1(-theta * u) * np.expm1(-theta * v)
            return math.log(theta * whole) - theta * (u + v) - 2 * np.log(below)

        return u, v, information

    return one_to_one(draw, None)


# Discrete columns, and discrete columns paired with continuous ones.


def poisson_of_gamma(shape: float, scale: float, inflation: float = 0.0) -> Law:
    """A gamma column, and counts with it as rate, some of which are lost and read 0."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x = scale * rng.standard_gamma(shape, n)
        y = rng.poisson(x) * (rng.random(n) >= inflation).astype(float)

        def information() -> Array:
            negative_binomial = gammaln(y + shape) - gammaln(shape) - gammaln(y + 1)
            negative_binomial += y * math.log(scale / (1 + scale)) - shape * math.log1p(scale)
            lost = np.where(y == 0, inflation, 0.0)
            given, alone = (lost + (1 - inflation) * np.exp(p) for p in (log_poisson(y, x), negative_binomial))
            return np.log(given / alone)

        return x, y, information

    return one_to_one(draw, None)


def binomial_of_uniform(trials: int) -> Law:
    """A uniform column, and a count of successes with it as probability: all counts are equally likely."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x = rng.random(n)
        y = rng.binomial(trials, x).astype(float)
        ways = gammaln(trials + 1) - gammaln(y + 1) - gammaln(trials - y + 1)
        return x, y, lambda: ways + xlogy(y, x) + xlogy(trials - y, 1 - x) + math.log(trials + 1)

    # E of log x over the posterior beta laws; the mean over counts of their log densities.
    k = np.arange(trials + 1)
    log_x = digamma(k + 1) - digamma(trials + 2)
    ways = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    mi = math.log(trials + 1) + float(np.mean(ways + k * log_x + (trials - k) * log_x[::-1]))
    return one_to_one(draw, mi)


def shared_counts(common: float, own: float) -> Law:
    """Two Poisson counts with a common part."""
    top = 60  # no count comes near it
    counts = np.arange(top, dtype=np.float64)

    @cache
    def table() -> Array:
        rate_c, rate_o = (np.exp(log_poisson(counts, np.full(top, r))) for r in (common, own))
        joint = np.zeros((top, top))
        for c in range(top):
            joint[c:, c:] += rate_c[c] * np.outer(rate_o[: top - c], rate_o[: top - c])
        return np.log(np.maximum(joint, 1e-300))

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        c = rng.poisson(common, n)
        a, b = c + rng.poisson(own, n), c + rng.poisson(own, n)
        rate = np.full(n, common + own)
        x, y = a.astype(np.float64), b.astype(np.float64)
        return x, y, lambda: table()[a, b] - log_poisson(x, rate) - log_poisson(y, rate)

    logs, alone = table(), log_poisson(counts, np.full(top, common + own))
    mi = float(np.sum(np.exp(logs) * (logs - alone[:, None] - alone[None, :])))
    return one_to_one(draw, mi)


def symmetric_channel(count: int, flip: float) -> Array:
    """Joint probabilities of a uniform label, and of the same label after a share of labels was redrawn."""
    return np.full((count, count), flip / count**2) + np.eye(count) * (1 - flip) / count


def label_information(joint: Array) -> tuple[Array, float]:
    """Return the information of each pair of labels, and MI."""
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    logs = np.log(np.where(joint > 0, joint, 1) / product)
    return logs, float(np.sum(joint * logs))


def draw_labels(rng: Generator, n: int, joint: Array) -> tuple[Integers, Integers]:
    """Draw pairs of labels."""
    drawn = rng.choice(joint.size, n, p=joint.ravel())
    return drawn // joint.shape[1], drawn % joint.shape[1]


def codes(joint: Array, values_x: Array, values_y: Array, dither: float = 0.0) -> Law:
    """Pairs of labels as rows of values (a code, or several columns), with uniform noise narrower than their gaps."""
    logs, mi = label_information(joint)

    def draw(rng: Generator, n: int) -> Draw:
        a, b = draw_labels(rng, n, joint)
        x, y = values_x[a], values_y[b]
        noise_x, noise_y = rng.random(x.shape), rng.random(y.shape)
        return Draw(x + dither * noise_x, y + dither * noise_y, lambda: logs[a, b])

    return Law(draw, mi)


def quantile_label(count: int) -> Law:
    """A normal column, and which of `count` equally likely parts of its range it lies in."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        u = rng.random(n)
        return ndtri(u), np.floor(count * u), lambda: np.full(n, math.log(count))

    return one_to_one(draw, math.log(count))


def uniform_above_label(count: int) -> Law:
    """A label m, and a uniform value between m and m + 2."""

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        x = rng.integers(0, count, n).astype(float)
        y = x + 2 * rng.random(n)
        return x, y, lambda: np.where((y < 1) | (y > count), math.log(count), math.log(count / 2))

    return one_to_one(draw, math.log(count) - (count - 1) * math.log(2) / count)


def gaussian_or_coins(rho: float, flip: float) -> Law:
    """Half of the rows normal with correlation rho; the others two coins, far away, that differ in a share `flip`."""
    mi = math.log(2) - 0.25 * math.log1p(-(rho**2)) + 0.5 * (math.log(2) - binary_entropy(flip))

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        smooth = gaussian(rho).draw(rng, n)
        coin, same, continuous = rng.random((3, n))
        a, agree = coin < 0.5, same >= flip
        x, y = (
            np.where(continuous < 0.5, z[:, 0], 20.0 * np.where(side, 1, -1))
            for z, side in ((smooth.x, a), (smooth.y, a == agree))
        )

        def information() -> Array:
            coins = math.log(2) + np.log(np.where(agree, 1 - flip, flip))
            return math.log(2) + np.where(continuous < 0.5, smooth.information(), coins)

        return x, y, information

    return one_to_one(draw, mi)


def joint_zeros(rho: float, share: float) -> Law:
    """Log-normal columns with correlated logs, a share of whose rows is 0 on both sides."""
    zeros, ones = -math.log(share), -math.log1p(-share)

    def draw(rng: Generator, n: int) -> tuple[Array, Array, Callable[[], Array]]:
        smooth = gaussian(rho).draw(rng, n)
        lost = rng.random(n) < share
        x, y = (np.where(lost, 0.0, np.exp(z[:, 0])) for z in (smooth.x, smooth.y))
        return x, y, lambda: np.where(lost, zeros, ones + smooth.information())

    return one_to_one(draw, binary_entropy(share) - 0.5 * (1 - share) * math.log1p(-(rho**2)))


def gaussian_classes(centres: Array) -> Law:
    """Unit normal laws at `centres` (classes, p), paired with the number of the class."""
    count = len(centres)

    def draw(rng: Generator, n: int) -> Draw:
        label = rng.integers(0, count, n)
        x = centres[label] + rng.standard_normal((n, centres.shape[1]))

        def information() -> Array:
            near = -0.5 * ((x[:, None] - centres[None]) ** 2).sum(axis=2)
            return np.asarray(near[np.arange(n), label] - logsumexp(near, axis=1) + math.log(count))

        return Draw(x, column(label), information)

    return Law(draw)


# Several columns.


def gaussian_vector(covariance: Array, p: int) -> Law:
    """Normal columns with this covariance, the first p of them X."""
    return gaussian_mixture(np.ones(1), np.zeros((1, len(covariance))), covariance[None], p)


def log_gaussian(z: Array, mean: Array, covariance: Array) -> Array:
    """Log density of a normal law at the rows of z."""
    factor = np.linalg.cholesky(covariance)
    scores = np.linalg.solve(factor, (z - mean).T)
    return np.asarray(-0.5 * (scores**2).sum(axis=0) - np.log(np.diag(factor)).sum() - 0.5 * len(mean) * LOG_2_PI)


def gaussian_mixture(weights: Array, means: Array, covariances: Array, p: int) -> Law:
    """A mixture of normal laws of all columns, the first p of them X."""
    factors = np.linalg.cholesky(covariances)
    mi = None
    if len(weights) == 1:
        parts = (covariances[0, :p, :p], covariances[0, p:, p:], covariances[0])
        a, b, both = (float(np.linalg.slogdet(part)[1]) for part in parts)
        mi = 0.5 * (a + b - both)

    def draw(rng: Generator, n: int) -> Draw:
        label = rng.choice(len(weights), n, p=weights)
        z = rng.standard_normal((n, means.shape[1]))
        for k in range(len(weights)):
            z[label == k] = means[k] + z[label == k] @ factors[k].T

        def log_density(columns: slice) -> Array:
            logs = [
                math.log(w) + log_gaussian(z[:, columns], m[columns], c[columns, columns])
                for w, m, c in zip(weights, means, covariances, strict=True)
            ]
            return np.asarray(logsumexp(logs, axis=0))

        return Draw(
            z[:, :p],
            z[:, p:],
            lambda: log_density(slice(None)) - log_density(slice(p)) - log_density(slice(p, None)),
        )

    return Law(draw, mi)


def pairs_covariance(p: int, rho: Array | float) -> Array:
    """Covariance of p + p columns, pair j with correlation rho (one value for all pairs, or one for each)."""
    off = np.diag(np.broadcast_to(np.asarray(rho, float), p))
    return np.block([[np.eye(p), off], [off, np.eye(p)]])


def clusters(centres_x: Array, centres_y: Array, joint: Array, rho: float = 0.0) -> Law:
    """Unit normal laws at centres, whose labels have this joint law; within a cluster pair j has correlation rho."""
    p, q = centres_x.shape[1], centres_y.shape[1]
    covariance = np.eye(p + q)
    for j in range(min(p, q)):
        covariance[j, p + j] = covariance[p + j, j] = rho
    at = np.argwhere(joint > 0)
    means = np.hstack([centres_x[at[:, 0]], centres_y[at[:, 1]]])
    weights = joint[at[:, 0], at[:, 1]]
    return gaussian_mixture(weights, means, np.repeat(covariance[None], len(at), axis=0), p)


def student(nu: float, p: int, q: int, covariance: Array | None = None) -> Law:
    """A multivariate t law with this scatter, the first p columns X."""
    scatter = np.eye(p + q) if covariance is None else covariance
    factor = np.linalg.cholesky(scatter)
    linear = gaussian_vector(scatter, p).mi or 0.0

    def part(d: int) -> float:
        half = (nu + d) / 2
        return float(gammaln(nu / 2) - gammaln(half) + half * (digamma(half) - digamma(nu / 2)))

    def log_density(z: Array, scatter: Array) -> Array:
        factor = np.linalg.cholesky(scatter)
        d, square = len(scatter), (np.linalg.solve(factor, z.T) ** 2).sum(axis=0)
        constant = gammaln((nu + d) / 2) - gammaln(nu / 2) - 0.5 * d * math.log(nu * math.pi)
        return np.asarray(constant - np.log(np.diag(factor)).sum() - (nu + d) / 2 * np.log1p(square / nu))

    def draw(rng: Generator, n: int) -> Draw:
        z = rng.standard_normal((n, p + q)) @ factor.T / np.sqrt(rng.chisquare(nu, (n, 1)) / nu)
        x, y = z[:, :p], z[:, p:]
        return Draw(
            x,
            y,
            lambda: log_density(z, scatter) - log_density(x, scatter[:p, :p]) - log_density(y, scatter[p:, p:]),
        )

    return Law(draw, linear + part(p) + part(q) - part(p + q))


def shared_scale(p: int, q: int, strength: float) -> Law:
    """Normal columns times exp(strength v), with one normal v per row: only the scale is shared."""
    nodes, logs = normal_nodes(401)
    scales = np.exp(strength * nodes)

    def log_density(z: Array) -> Array:
        size = column(np.sqrt((z**2).sum(axis=1)))  # density depends on the radius only
        near = -0.5 * (size / scales) ** 2 - z.shape[1] * (np.log(scales) + 0.5 * LOG_2_PI) + logs
        return np.asarray(logsumexp(near, axis=1))

    def draw(rng: Generator, n: int) -> Draw:
        scale = np.exp(strength * rng.standard_normal((n, 1)))
        z = scale * rng.standard_normal((n, p + q))
        x, y = z[:, :p], z[:, p:]
        return Draw(x, y, lambda: log_density(z) - log_density(x) - log_density(y))

    return Law(draw)


def sign_of_product(factors: int) -> Law:
    """Normal columns, and one with the sign of their product: no proper subset of them carries information."""

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, factors))
        y = np.sign(x.prod(axis=1)) * np.abs(rng.standard_normal(n))
        return Draw(x, column(y), lambda: np.full(n, math.log(2)))

    return Law(draw, math.log(2))


def product_of_columns(noise: float) -> Law:
    """Two normal columns, and their product plus normal noise."""
    nodes, logs = normal_nodes()
    at_zero, scales = np.zeros((len(nodes), 1)), np.sqrt(nodes**2 + noise**2)  # y given the first column is normal

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, 2))
        e = noise * rng.standard_normal(n)
        y = column(x.prod(axis=1) + e)
        return Draw(x, y, lambda: log_normal_density(e, noise) - log_mixture(y, at_zero, scales, logs))

    return Law(draw)


def switch(noise: float) -> Law:
    """Three normal columns, and the first or the second, chosen by the sign of the third, plus normal noise."""
    total = math.hypot(1, noise)

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, 3))
        e = noise * rng.standard_normal(n)
        y = np.where(x[:, 2] > 0, x[:, 0], x[:, 1]) + e
        return Draw(x, column(y), lambda: log_normal_density(e, noise) - log_normal_density(y, total))

    return Law(draw, math.log(total / noise))


def ratio(scale: float) -> Law:
    """Two normal columns, and their ratio plus Cauchy noise of this scale: everything is Cauchy."""

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, 2))
        e = rng.standard_cauchy(n)
        y, total = x[:, 0] / x[:, 1] + scale * e, 1 + scale
        return Draw(x, column(y), lambda: np.log(total / scale) + np.log1p((y / total) ** 2) - np.log1p(e**2))

    return Law(draw, math.log((1 + scale) / scale))


def radius(p: int, noise: float) -> Law:
    """Normal columns, and the distance from the origin plus normal noise."""
    nodes = np.linspace(0, math.sqrt(p) + 7, 2000)[1:]
    logs = (p - 1) * np.log(nodes) - 0.5 * nodes**2
    logs = logs - logsumexp(logs)

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, p))
        e = noise * rng.standard_normal(n)
        y = column(np.sqrt((x**2).sum(axis=1)) + e)
        return Draw(x, y, lambda: log_normal_density(e, noise) - log_mixture(y, column(nodes), noise, logs))

    return Law(draw)


def parity(bits: int, flip: float) -> Law:
    """Fair bits, and their parity, flipped in a share `flip` of the rows."""
    mi = math.log(2) - binary_entropy(flip)

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.integers(0, 2, (n, bits)).astype(float)
        false = rng.random(n) < flip
        y = (x.sum(axis=1) + false) % 2
        return Draw(x, column(y), lambda: math.log(2) + np.log(np.where(false, flip, 1 - flip)))

    return Law(draw, mi)


def turns(width: float, embed_x: Map, embed_y: Map) -> Law:
    """An angle, and the same plus uniform noise on the circle, each embedded by an invertible map."""
    mi = math.log(2 * math.pi / width)

    def draw(rng: Generator, n: int) -> Draw:
        t = 2 * np.pi * rng.random(n)
        other = (t + width * (rng.random(n) - 0.5)) % (2 * np.pi)
        return Draw(embed_x(t), embed_y(other), lambda: np.full(n, mi))

    return Law(draw, mi)


def around_the_circle(harmonics: int) -> Map:
    """Return the map from an angle to cosines and sines of its multiples."""

    def embed(t: Array) -> Array:
        angles = t[:, None] * np.arange(1, harmonics + 1)
        return np.hstack([np.cos(angles), np.sin(angles)])

    return embed


def near_on_the_sphere(concentration: float) -> Law:
    """A uniform point on the sphere, and another drawn around it (von Mises–Fisher distribution)."""
    k = concentration
    constant = math.log(2 * k) - k - math.log(-math.expm1(-2 * k))  # log of k / sinh k

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.standard_normal((n, 3))
        x /= np.sqrt((x**2).sum(axis=1, keepdims=True))
        u = rng.random(n)
        cosine = 1 + np.log(u + (1 - u) * math.exp(-2 * k)) / k
        aside = rng.standard_normal((n, 3))
        aside -= (aside * x).sum(axis=1, keepdims=True) * x
        aside /= np.sqrt((aside**2).sum(axis=1, keepdims=True))
        y = column(cosine) * x + column(np.sqrt(1 - cosine**2)) * aside
        return Draw(x, y, lambda: constant + k * cosine)

    return Law(draw, constant + k / math.tanh(k) - 1)


def friedman(noise: float) -> Law:
    """Ten uniform columns, and Friedman's function of the first five plus normal noise."""

    def signal(x: Array) -> Array:
        bent = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
        return np.asarray(bent + 10 * x[:, 3] + 5 * x[:, 4])

    @cache
    def log_density() -> tuple[Array, Array]:
        """On a grid: many evenly spread inputs (an additive recurrence), each blurred by the noise."""
        roots = np.array([2.0, 3.0, 5.0, 7.0, 11.0]) ** 0.5
        values = signal((np.arange(1, 2**17 + 1)[:, None] * roots) % 1)
        edges = np.linspace(-6 * noise, 30 + 6 * noise, 3001)
        counts = np.histogram(values, edges)[0] / len(values)
        middle = (edges[1:] + edges[:-1]) / 2
        filled = counts > 0
        return middle, log_mixture(column(middle), column(middle[filled]), noise, np.log(counts[filled]))

    def draw(rng: Generator, n: int) -> Draw:
        x = rng.random((n, 10))
        e = noise * rng.standard_normal(n)
        y = signal(x) + e
        return Draw(x, column(y), lambda: log_normal_density(e, noise) - np.interp(y, *log_density()))

    return Law(draw)


@cache
def digits() -> tuple[Array, Integers]:
    """The images of scikit-learn's digits as rows of 64 grey values, and their labels."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    return images.astype(np.float64), labels


def image_pairs(classes_x: Sequence[int], classes_y: Sequence[int], joint: Array) -> Law:
    """Pairs of images of digits, X from even rows of the data and Y from odd ones; labels have this joint law.

    No image stands for two digits, so an image determines its label, and given the labels, images are drawn
    independently: MI is that of the labels.
    """
    logs, mi = label_information(joint)

    def pick(rng: Generator, labels: Integers, classes: Sequence[int], first: int) -> Array:
        images, known = digits()
        images, known = images[first::2], known[first::2]
        rows, u = np.empty(len(labels), dtype=np.intp), rng.random(len(labels))
        for number, digit in enumerate(classes):
            pool, at = np.flatnonzero(known == digit), labels == number
            rows[at] = pool[(u[at] * len(pool)).astype(np.intp)]
        return images[rows]

    def draw(rng: Generator, n: int) -> Draw:
        a, b = draw_labels(rng, n, joint)
        return Draw(pick(rng, a, classes_x, 0), pick(rng, b, classes_y, 1), lambda: logs[a, b])

    return Law(draw, mi)


def image_and_label() -> Law:
    """An image of a digit, and the digit; all ten are equally likely."""
    images = image_pairs(range(10), range(10), np.eye(10) / 10)

    def draw(rng: Generator, n: int) -> Draw:
        x = images.draw(rng, n).x
        known, labels = digits()
        lookup = {row.tobytes(): label for row, label in zip(known, labels, strict=True)}
        y = np.array([lookup[row.tobytes()] for row in x], dtype=np.float64)
        return Draw(x, column(y), lambda: np.full(n, math.log(10)))

    return Law(draw, math.log(10))


# Operations that leave MI unchanged, or add up MI.


def together(*laws: Law) -> Law:
    """Independent laws side by side: their MI adds up."""

    def draw(rng: Generator, n: int) -> Draw:
        drawn = [law.draw(rng, n) for law in laws]
        x, y = np.hstack([d.x for d in drawn]), np.hstack([d.y for d in drawn])
        return Draw(x, y, lambda: np.sum([d.information() for d in drawn], axis=0))

    parts = [law.mi for law in laws if law.mi is not None]
    return Law(draw, math.fsum(parts) if len(parts) == len(laws) else None)


def mapped(law: Law, f: Map, g: Map | None = None) -> Law:
    """Apply f to X and g (by default f) to Y; both must be invertible."""

    def draw(rng: Generator, n: int) -> Draw:
        x, y, information = law.draw(rng, n)
        return Draw(f(x), (g or f)(y), information)

    return Law(draw, law.mi)


def swapped(law: Law) -> Law:
    """Exchange X and Y."""

    def draw(rng: Generator, n: int) -> Draw:
        x, y, information = law.draw(rng, n)
        return Draw(y, x, information)

    return Law(draw, law.mi)


NOISE: dict[str, Callable[[Generator, tuple[int, int]], Array]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "student": lambda rng, shape: rng.standard_t(2, shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape),
    "counts": lambda rng, shape: rng.poisson(2.0, shape).astype(float),
    "bits": lambda rng, shape: rng.integers(0, 2, shape).astype(float),
    "factor": lambda rng, shape: rng.standard_normal(shape) + 2 * rng.standard_normal((shape[0], 1)),
}


def with_noise(law: Law, p: int, q: int, kind: str = "normal") -> Law:
    """Append p columns to X and q to Y that carry no information about the other side."""

    def draw(rng: Generator, n: int) -> Draw:
        x, y, information = law.draw(rng, n)
        extra_x, extra_y = NOISE[kind](rng, (n, p)), NOISE[kind](rng, (n, q))
        return Draw(np.hstack([x, extra_x]), np.hstack([y, extra_y]), information)

    return Law(draw, law.mi)


def rotation(d: int, seed: int) -> Array:
    """Return a random rotation (or reflection) of d columns."""
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0])


def half_cube(z: Array) -> Array:
    """Raise each absolute value to the power 1.5, and keep its sign."""
    return np.asarray(np.sign(z) * np.abs(z) ** 1.5)
