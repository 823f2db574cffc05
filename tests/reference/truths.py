"""MI of some kinds of data by numerical integration, another way than the package takes: no code is shared."""

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import i0e, k0, ndtr
from scipy.stats import chi, gamma, nbinom, norm, poisson

HALF_LOG_2_PI_E = 0.5 * math.log(2 * math.pi * math.e)
EXPECTED_LOG_NORMAL = -0.5 * (np.euler_gamma + math.log(2))  # of |z|, z standard normal


def entropy(density, step):
    """Entropy of densities on an even grid, made to sum to one."""
    density = density / (density.sum() * step)
    return float(-(density * np.log(np.maximum(density, 1e-300))).sum() * step)


def grid_mi(joint):
    """MI of a table of joint densities on any even grid."""
    joint = joint / joint.sum()
    logs, alone = np.log(np.maximum(joint, 1e-300)), [np.log(np.maximum(joint.sum(axis=i), 1e-300)) for i in (1, 0)]
    return float((joint * (logs - alone[0][:, None] - alone[1][None, :])).sum())


def blurred_mi(values, noise, count=4000):
    """MI of equally likely values and the same plus normal noise."""
    y = np.linspace(values.min() - 7 * noise, values.max() + 7 * noise, count)
    density = np.array([np.exp(-0.5 * ((at - values) / noise) ** 2).sum() for at in y])
    return entropy(density, y[1] - y[0]) - HALF_LOG_2_PI_E - math.log(noise)


def quantiles(law, count=20_000):
    """Values in the middle of equally likely parts of a law."""
    return law.ppf((np.arange(count) + 0.5) / count)


def wave(noise):
    """A sine of a uniform phase has the arcsine law, whatever the number of periods."""
    return blurred_mi(np.cos(np.pi * (np.arange(1000) + 0.5) / 1000), noise)


def absolute_value(noise):
    """|x| plus normal noise has a skew normal density."""
    y = np.linspace(-7 * noise, 8, 20_001)
    total = math.hypot(1, noise)
    return entropy(norm.pdf(y / total) * ndtr(y / (noise * total)), y[1] - y[0]) - HALF_LOG_2_PI_E - math.log(noise)


def product_of_normals():
    """The product has density K₀(|y|) / π."""

    def part(u):
        density = k0(math.exp(u)) / math.pi
        return -2 * density * math.log(density) * math.exp(u) if density > 0 else 0.0

    return quad(part, -40, 5, limit=500)[0] - HALF_LOG_2_PI_E - EXPECTED_LOG_NORMAL


def log_scale_entropy(scales, weights):
    """Entropy of s z, z standard normal and s with these values and weights; over the logarithm of |s z|."""
    u = np.arange(-22, 9, 0.01)
    density = sum(w * np.exp(-0.5 * np.exp(2 * (u - math.log(s)))) / s for s, w in zip(scales, weights, strict=True))
    density *= 2 / math.sqrt(2 * math.pi) * np.exp(u)  # of the logarithm, both signs
    mass = density / (density.sum() * 0.01)
    return float((mass * (-np.log(np.maximum(mass, 1e-300)) + u)).sum() * 0.01) + math.log(2)


def noise_in_proportion(share):
    """y = x m with m normal around 1: a normal variable whose scale is |m|."""
    v = np.arange(-20, 2.5, 0.01)
    weights = (norm.pdf((np.exp(v) - 1) / share) + norm.pdf((-np.exp(v) - 1) / share)) * np.exp(v) / share * 0.01
    given = HALF_LOG_2_PI_E + math.log(share) + EXPECTED_LOG_NORMAL
    return log_scale_entropy(np.exp(v), weights / weights.sum()) - given


def volatility():
    """y = exp(x) e: given x the entropy is that of e in the mean."""
    x = np.arange(-6, 6.001, 0.02)
    return log_scale_entropy(np.exp(x), norm.pdf(x) * 0.02) - HALF_LOG_2_PI_E


def product_of_columns(noise):
    """x₁ x₂ + noise is normal given x₁."""
    y, scales = np.linspace(-25, 25, 20_001), np.hypot(quantiles(norm, 4000), noise)
    density = sum(np.exp(-0.5 * (y / s) ** 2) / s for s in scales)
    return entropy(density, y[1] - y[0]) - HALF_LOG_2_PI_E - math.log(noise)


def radius(p, noise):
    """The radius has a chi law."""
    return blurred_mi(quantiles(chi(p)), noise)


def circle(noise):
    """Over a grid of the plane."""
    x = np.linspace(-1 - 6 * noise, 1 + 6 * noise, 1200)
    r = np.hypot(x[:, None], x[None, :])
    return grid_mi(np.exp(-0.5 * ((r - 1) / noise) ** 2) * i0e(r / noise**2))


def plane_mixture(weights, means, covariances, reach=8.0, count=1600):
    """A mixture of bivariate normal laws, over a grid of the plane."""
    x = np.linspace(-reach, reach, count)
    joint = np.zeros((count, count))
    for w, m, c in zip(weights, means, covariances, strict=True):
        a, b = x[:, None] - m[0], x[None, :] - m[1]
        inverse = np.linalg.inv(c)
        square = inverse[0, 0] * a**2 + 2 * inverse[0, 1] * a * b + inverse[1, 1] * b**2
        joint += w * np.exp(-0.5 * square) / math.sqrt(np.linalg.det(c))
    return grid_mi(joint)


def frank(theta):
    """The copula's density over a grid of the unit square."""
    u = (np.arange(1500) + 0.5) / 1500
    e, whole = np.exp(-theta * u), 1 - math.exp(-theta)
    density = theta * whole * np.outer(e, e) / (whole - np.outer(1 - e, 1 - e)) ** 2
    return float(np.mean(density * np.log(density)))


def poisson_of_gamma(shape, scale, inflation=0.0):
    """Over rates in equal parts of the gamma law, and all counts."""
    x, y = quantiles(gamma(shape, scale=scale), 5000), np.arange(200)
    given = (1 - inflation) * poisson.pmf(y[None, :], x[:, None]) + inflation * (y == 0)
    alone = (1 - inflation) * nbinom.pmf(y, shape, 1 / (1 + scale)) + inflation * (y == 0)
    return float((given * np.log(np.where(given > 0, given, 1) / np.where(given > 0, alone, 1))).sum(axis=1).mean())


def radii_mi(scales, weights, p, q):
    """MI of normal columns whose scale a row shares: that of the two radii, since directions tell nothing."""
    t = np.linspace(-9, 9, 1801)  # logarithm of the radius

    def densities(d):
        r = t[None, :] - np.log(scales)[:, None]
        return np.exp(d * r - 0.5 * np.exp(2 * r))

    a, b = densities(p), densities(q)
    a, b = a / a.sum(axis=1, keepdims=True), b / b.sum(axis=1, keepdims=True)
    return grid_mi((a * np.asarray(weights)[:, None]).T @ b)


def curve_in_plane(place, noise, count=700):
    """A uniform place on a curve, and its two coordinates plus normal noise, over a grid of the plane."""
    centres = place((np.arange(4000) + 0.5) / 4000)
    low, high = centres.min(axis=0) - 6 * noise, centres.max(axis=0) + 6 * noise
    axes = [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]
    near = [np.exp(-0.5 * ((axis[:, None] - at) / noise) ** 2) for axis, at in zip(axes, centres.T, strict=True)]
    steps = [axis[1] - axis[0] for axis in axes]
    return entropy(near[0] @ near[1].T, steps[0] * steps[1]) - 2 * (HALF_LOG_2_PI_E + math.log(noise))


def friedman(noise):
    """The function's values on a lattice of its five inputs, blurred."""
    u = (np.arange(60) + 0.5) / 60
    first = np.sort((10 * np.sin(np.pi * np.outer(u, u))).ravel())
    rest = np.sort((20 * (u[:, None, None] - 0.5) ** 2 + 10 * u[None, :, None] + 5 * u[None, None, :]).ravel())
    step = 0.01
    counts = np.convolve(
        np.histogram(first, np.arange(0, 12, step))[0], np.histogram(rest, np.arange(0, 22, step))[0]
    ).astype(float)
    kernel = norm.pdf(np.arange(-7 * noise, 7 * noise + step, step) / noise)
    return entropy(np.convolve(counts, kernel), step) - HALF_LOG_2_PI_E - math.log(noise)
