"""Samples with known MI for accuracy.py: the forty tasks of "Beyond Normal" as generators of our own, and other shapes.

Czyż et al., "Beyond Normal: On the Evaluation of Mutual Information Estimators" (2023). Samples of different tasks are
independent here, where those of the paper's package share draws.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import digamma, gammaln, ndtr

Sample = tuple[np.ndarray, np.ndarray]
Maker = Callable[[np.random.Generator, int], Sample]
Task = tuple[Maker, float]  # a sampler of n rows, and the truth in nats


def student_excess(p: int, q: int, nu: float) -> float:
    """MI of a Student t beyond that of its scatter."""

    def part(d: int) -> float:
        half = (nu + d) / 2
        return float(gammaln(nu / 2) - gammaln(half) + half * (digamma(half) - digamma(nu / 2)))

    return part(p) + part(q) - part(p + q)


def pairs(rng: np.random.Generator, n: int, p: int, k: int, rho: float, nu: float = math.inf) -> Sample:
    """p + p normal (or Student) columns, of which k pairs are correlated."""
    x, e = rng.standard_normal((2, n, p))
    y = e.copy()
    y[:, :k] = rho * x[:, :k] + math.sqrt(1 - rho**2) * e[:, :k]
    scale = 1.0 if nu == math.inf else np.sqrt(rng.chisquare(nu, (n, 1)) / nu)
    return x / scale, y / scale


def pairs_mi(k: int, rho: float) -> float:
    """MI of k correlated pairs."""
    return -0.5 * k * math.log1p(-(rho**2))


def dense(rng: np.random.Generator, n: int, p: int) -> Sample:
    """p + p normal columns, any two of them with correlation ½."""
    z = (rng.standard_normal((n, 2 * p)) + rng.standard_normal((n, 1))) / math.sqrt(2)
    return z[:, :p], z[:, p:]


def dense_mi(p: int) -> float:
    """MI of `dense`: half a log of determinants 2^−d (d + 1)."""
    return math.log(p + 1) - 0.5 * math.log(2 * p + 1)


def additive(rng: np.random.Generator, n: int, width: float) -> Sample:
    """A uniform column, and the same with uniform noise."""
    x = rng.random((n, 1))
    return x, x + rng.uniform(-width, width, (n, 1))


def half_cube(z: np.ndarray) -> np.ndarray:
    """Each value to the power 1.5, with its sign."""
    return np.sign(z) * np.abs(z) ** 1.5


def bimodal(z: np.ndarray) -> np.ndarray:
    """An increasing map that gives a normal column two modes."""
    return np.sign(z) * (1 + np.abs(z) ** 0.5)


def wiggly_x(x: np.ndarray) -> np.ndarray:
    """Increasing, with waves."""
    return x + 0.4 * np.sin(x) + 0.2 * np.sin(1.7 * x + 1) + 0.03 * np.sin(3.3 * x - 2.5)


def wiggly_y(y: np.ndarray) -> np.ndarray:
    """Increasing, with other waves."""
    return y - 0.4 * np.sin(0.4 * y) + 0.17 * np.sin(1.3 * y + 3.5) + 0.02 * np.sin(4.3 * y - 2.5)


def turned(z: np.ndarray, i: int, j: int) -> np.ndarray:
    """Columns i and j rotated by the squared radius over the number of columns."""
    angle, out = (z**2).sum(axis=1) / z.shape[1], z.copy()
    out[:, i] = np.cos(angle) * z[:, i] - np.sin(angle) * z[:, j]
    out[:, j] = np.sin(angle) * z[:, i] + np.cos(angle) * z[:, j]
    return out


def swiss_roll(x: np.ndarray) -> np.ndarray:
    """A normal column as a place on a roll in the plane."""
    t = 1.5 * math.pi * (1 + 2 * ndtr(x))
    return np.hstack([t * np.cos(t), t * np.sin(t)]) / 21


Map = Callable[[np.ndarray], np.ndarray]


def mapped(make: Maker, f: Map, g: Map | None = None) -> Maker:
    """Return the sampler with f applied to X, and g (else f) to Y."""

    def draw(rng: np.random.Generator, n: int) -> Sample:
        x, y = make(rng, n)
        return f(x), (g or f)(y)

    return draw


def spiral(z: np.ndarray, i: int, cdf: bool) -> np.ndarray:
    """Columns i and i + 1 of z, or of its normal distribution function, turned."""
    return turned(ndtr(z) if cdf else z, i, i + 1)


def beyond_normal() -> dict[str, Task]:
    """The forty tasks."""
    one, one_mi = partial(pairs, p=1, k=1, rho=0.75), pairs_mi(1, 0.75)
    two, two_mi = (lambda p: partial(pairs, p=p, k=2, rho=0.8)), pairs_mi(2, 0.8)
    found: dict[str, Task] = {
        "1 + 1 normal": (one, one_mi),
        "1 + 1 normal, bimodal": (mapped(one, bimodal), one_mi),
        "1 + 1 normal, wiggly": (mapped(one, wiggly_x, wiggly_y), one_mi),
        "1 + 1 normal, half-cube": (mapped(one, half_cube), one_mi),
        "1 + 1 normal, CDF": (mapped(one, ndtr), one_mi),
        "1 + 1 additive .1": (partial(additive, width=0.1), 0.1 - math.log(0.2)),
        "1 + 1 additive .75": (partial(additive, width=0.75), 1 / 3),
        "2 + 1 Swiss roll": (mapped(one, swiss_roll, ndtr), one_mi),
    }
    found |= {f"{p} + {p} dense": (partial(dense, p=p), dense_mi(p)) for p in (2, 3, 5, 25, 50)}
    found |= {f"{p} + {p} two pairs": (two(p), two_mi) for p in (2, 3, 5, 25)}
    for name, f in (("half-cube", half_cube), ("CDF", ndtr)):
        found |= {f"{p} + {p} two pairs, {name}": (mapped(two(p), f), two_mi) for p in (3, 5, 25)}
    for name, cdf in (("spiral", False), ("CDF, spiral", True)):
        for p in (3, 5, 25):
            maker = mapped(two(p), partial(spiral, i=0, cdf=cdf), partial(spiral, i=1, cdf=cdf))
            found[f"{p} + {p} two pairs, {name}"] = maker, two_mi
    for p, nu in ((1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (5, 2), (5, 3)):
        maker, truth = partial(pairs, p=p, k=0, rho=0.0, nu=nu), student_excess(p, p, nu)
        found[f"{p} + {p} Student, {nu} degrees"] = maker, truth
        if (p, nu) not in ((2, 2), (3, 3), (5, 3)):
            found[f"{p} + {p} Student, {nu} degrees, asinh"] = mapped(maker, np.arcsinh), truth
    return found


# Other shapes.


def shared_tails(rng: np.random.Generator, n: int) -> Sample:
    """Two columns a side share a random scale, eight are noise."""
    x, y = rng.standard_normal((2, n, 10))
    scale = np.sqrt(rng.chisquare(2, (n, 1)) / 2)
    x[:, :2] /= scale
    y[:, :2] /= scale
    return x, y


def xor(rng: np.random.Generator, n: int, noise: int) -> Sample:
    """The sign of a product of two columns, among noise columns: no pair of columns shows anything."""
    x, y = rng.standard_normal((n, 2 + noise)), rng.standard_normal((n, 1 + noise))
    y[:, 0] = np.abs(y[:, 0]) * np.sign(x[:, 0] * x[:, 1])
    return x, y


def rotated(rng: np.random.Generator, n: int) -> Sample:
    """`additive` with 12 noise columns a side, all turned into one another."""
    x, y = additive(rng, n, 0.05)
    turn = np.linalg.qr(np.random.default_rng(8).standard_normal((13, 13)))[0]
    x, y = ((z - 0.5) * math.sqrt(12) for z in (x, y))
    return np.hstack([x, rng.standard_normal((n, 12))]) @ turn, np.hstack([y, rng.standard_normal((n, 12))]) @ turn.T


def arch(rng: np.random.Generator, n: int) -> Sample:
    """x² and noise, two noise columns beside x."""
    x = rng.standard_normal((n, 3))
    return x, x[:, :1] ** 2 + rng.standard_normal((n, 1))


def arch_mi() -> float:
    """Entropy of x² + e less that of e, by quadrature."""
    x, y = np.linspace(0, 7, 1401)[:, None], np.linspace(-7, 56, 6301)
    weight = np.exp(-(x**2) / 2) * np.where((x == 0) | (x == 7), 0.5, 1)
    density = (weight * np.exp(-((y - x**2) ** 2) / 2)).sum(axis=0)
    density /= density.sum() * (y[1] - y[0])
    return float(-(density * np.log(density + 1e-300)).sum() * (y[1] - y[0]) - 0.5 * math.log(2 * math.pi * math.e))


def shapes() -> dict[str, Task]:
    """Other data with known MI."""
    return {
        "normal, 30 + 30 columns, 20 weak pairs": (partial(pairs, p=30, k=20, rho=0.2), pairs_mi(20, 0.2)),
        "Student t, 5 pairs, 2 degrees": (
            partial(pairs, p=5, k=5, rho=0.6, nu=2),
            pairs_mi(5, 0.6) + student_excess(5, 5, 2),
        ),
        "shared tails of 2 + 2 columns in 10 + 10": (shared_tails, student_excess(2, 2, 2)),
        "uniform plus noise of width 0.1, turned into 13 + 13": (rotated, 0.05 - math.log(0.1)),
        "sign of a product, 2 + 1 columns": (partial(xor, noise=0), math.log(2)),
        "sign of a product, 8 + 7 columns": (partial(xor, noise=6), math.log(2)),
        "x² plus noise, 3 + 1 columns": (arch, arch_mi()),
    }
