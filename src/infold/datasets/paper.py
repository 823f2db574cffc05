"""Samples with known mutual information, or a known lower bound.

The four data sets of Marx & Fischer (2022), each with any number of irrelevant noise columns, and an
independent control for each. Signal columns are drawn before noise columns, so a seed gives the same
signal whatever `noise_dims` is, and larger values of `noise_dims` only append columns.
"""

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from .base import Array, Dataset, Seed, check, check_choice, check_count, generator

Map: TypeAlias = Callable[[Array], Array]
Name: TypeAlias = Literal["uniform", "gaussian", "helix", "sphere"]
Form: TypeAlias = Literal["paper", "released"]
Noise: TypeAlias = Literal["normal", "uniform", "student"]

_FIRST, _LAST = 5 * np.pi, 8 * np.pi  # ends of the helix, in P


def make_uniform(
    n_samples: int = 500, noise_dims: int = 0, *, alpha: float = 0.01, noise: Noise = "normal",
    noise_scale: float = 1.0, random_state: Seed = None
) -> Dataset:  # fmt: skip
    """X ~ U(0, 1) and Y = X + U(-alpha/2, alpha/2); I = alpha/2 - log(alpha) exactly.

    Parameters
    ----------
    n_samples, noise_dims : int
        Number of rows, and of irrelevant columns, which go to X and Y in turn; with an odd number X gets one more.
    alpha : float
        Width of the uniform noise on the signal, in (0, 1].
    noise : {"normal", "uniform", "student"}
        Law of the irrelevant columns; "student" is a t with 3 degrees of freedom.
    noise_scale : float
        Standard deviation of the irrelevant columns, whatever their law; their mean is 0.
    random_state : int, Generator, RandomState or None
        Seed, or source of random numbers.

    Examples
    --------
    >>> make_uniform(n_samples=500, noise_dims=3, random_state=0)
    Dataset('uniform', X: 500 x 3, Y: 500 x 2, mi = 4.610)
    """
    return _make("uniform", n_samples, noise_dims, noise, noise_scale, random_state, alpha=alpha)


def make_gaussian(
    n_samples: int = 500, noise_dims: int = 0, *, rho: float = 0.9, noise: Noise = "normal",
    noise_scale: float = 1.0, random_state: Seed = None
) -> Dataset:  # fmt: skip
    """Standard normal X and Y with correlation rho, in (-1, 1); I = -log(1 - rho^2) / 2 exactly.

    The other parameters are those of `make_uniform`.

    Examples
    --------
    >>> make_gaussian(random_state=0)
    Dataset('gaussian', X: 500 x 1, Y: 500 x 1, mi = 0.830)
    """
    return _make("gaussian", n_samples, noise_dims, noise, noise_scale, random_state, rho=rho)


def make_helix(
    n_samples: int = 500, noise_dims: int = 0, *, alpha: float = 0.01, form: Form = "paper",
    noise: Noise = "normal", noise_scale: float = 1.0, random_state: Seed = None
) -> Dataset:  # fmt: skip
    """A position on a conical spiral and its three noisy coordinates.

    R ~ U(0, 1), P = 5 pi + 3 pi R, and the coordinates are (P cos P, P sin P, P) / (8 pi), each with noise
    U(-alpha/2, alpha/2). The paper's alpha/2 - log(alpha) is a loose lower bound; at alpha = 0.01 the true
    value is in `mi_monte_carlo`, for other alpha call `monte_carlo_mi`.

    Parameters
    ----------
    form : {"paper", "released"}
        "paper": X = P and Y the coordinates. "released", as in the authors' code: X the coordinates, with
        5 pi + 3 R / 8 as the third and noise U(0, alpha), and Y = R. Mutual information is the same.
    n_samples, noise_dims, alpha, noise, noise_scale, random_state
        See `make_uniform`.

    Examples
    --------
    >>> make_helix(random_state=0)
    Dataset('helix', X: 500 x 1, Y: 500 x 3, mi >= 4.610, Monte Carlo 6.768)
    """
    return _make("helix", n_samples, noise_dims, noise, noise_scale, random_state, alpha=alpha, form=form)


def make_sphere(
    n_samples: int = 500, noise_dims: int = 0, *, alpha: float = 0.01, form: Form = "paper",
    noise: Noise = "normal", noise_scale: float = 1.0, random_state: Seed = None
) -> Dataset:  # fmt: skip
    """Two angles and the three coordinates of the point they define, with noise U(-alpha/2, alpha/2).

    What `make_helix` says of the paper's lower bound holds here as well.

    Parameters
    ----------
    form : {"paper", "released"}
        "paper", as printed: X = (X1, X2) ~ U(0, 1)^2 and Y = (cos X1 cos X2, cos X1 sin X2, sin X2), a curved
        patch. "released", as in the authors' code: Y = (U1, U2) ~ U(0, 1)^2, and X is the point of the whole
        sphere at latitude arccos(2 U1 - 1) - pi/2 and longitude 2 pi U2.
    n_samples, noise_dims, alpha, noise, noise_scale, random_state
        See `make_uniform`.

    Examples
    --------
    >>> make_sphere(form="released", random_state=0)
    Dataset('sphere-released', X: 500 x 3, Y: 500 x 2, mi >= 4.610, Monte Carlo 11.885)
    """
    return _make("sphere", n_samples, noise_dims, noise, noise_scale, random_state, alpha=alpha, form=form)


def make_independent(
    n_samples: int = 500, noise_dims: int = 0, *, like: Name = "gaussian", alpha: float = 0.01,
    form: Form = "paper", noise: Noise = "normal", noise_scale: float = 1.0, random_state: Seed = None
) -> Dataset:  # fmt: skip
    """X of one sample paired with Y of another: the marginals of the data set `like`, and I = 0 exactly.

    The other parameters are those of `make_helix`; `form` matters for the helix and the sphere only.

    Examples
    --------
    >>> make_independent(200, like="sphere", random_state=0)
    Dataset('independent-sphere', X: 200 x 2, Y: 200 x 3, mi = 0.000)
    """
    check_choice("like", like, ("gaussian", "uniform", "helix", "sphere"))
    common = (n_samples, noise_dims, noise, noise_scale, random_state)
    return _make(like, *common, alpha=alpha, form=form, paired=False)


def monte_carlo_mi(
    name: Literal["helix", "sphere"], *, form: Form = "paper", alpha: float = 0.01, n_draws: int = 100_000,
    random_state: Seed = 0
) -> tuple[float, float]:  # fmt: skip
    """Mutual information of the helix or the sphere in nats, and its standard error.

    Let V = g(U) + N with U uniform on the unit cube and N uniform on a cube of side alpha. Given U, V has the
    density alpha^-d on the cube of side alpha around g(U) and 0 elsewhere. So the density of V at v is
    alpha^-d vol{u : g(u) within alpha/2 of v in every coordinate}, the ratio of the two densities is 1 / vol,
    and I(U; V) = E[-log vol], a mean over draws. Each volume is computed, not sampled: by bisection on the
    helix, and on the sphere as an integral over one variable of the exact length in the other.

    Parameters
    ----------
    name, form, alpha, random_state
        See `make_helix` and `make_sphere`; both forms of the helix have the same value.
    n_draws : int
        Number of draws, at least 2.

    Examples
    --------
    >>> value, error = monte_carlo_mi("sphere", n_draws=2_000)
    >>> print(f"{value:.1f} +- {error:.2f}")
    8.6 +- 0.02
    """
    check_choice("name", name, ("helix", "sphere"))
    check_choice("form", form, ("paper", "released"))
    check(0 < alpha <= 1, "alpha", alpha, "must be in (0, 1], where MI is known; use for example 0.01")
    check_count("n_draws", n_draws, 2)
    rng = generator(random_state)
    n_sources, place, volume, *_ = _GEOMETRY[name, form]
    log_volumes = np.empty(n_draws)
    for start in range(0, n_draws, 2048):  # bounds memory: the sphere needs about 200 nodes per draw
        rows = slice(start, min(start + 2048, n_draws))
        centre = place(rng.random((rows.stop - start, n_sources)))
        seen = centre + alpha * (rng.random(centre.shape) - 0.5)
        log_volumes[rows] = np.log(volume(seen - alpha / 2, seen + alpha / 2))
    return float(-log_volumes.mean()), float(log_volumes.std(ddof=1) / math.sqrt(n_draws))


def _make(
    name: str, n_samples: int, noise_dims: int, noise: str, noise_scale: float, random_state: Seed,
    *, alpha: float = 0.01, rho: float = 0.9, form: str = "paper", paired: bool = True
) -> Dataset:  # fmt: skip
    """Check everything, draw the signal, then the noise."""
    check_count("n_samples", n_samples, 1)
    check_count("noise_dims", noise_dims, 0)
    check_choice("noise", noise, ("normal", "uniform", "student"))
    check_choice("form", form, ("paper", "released"))
    check(0 < alpha <= 1, "alpha", alpha, "must be in (0, 1], where MI is known; use for example 0.01")
    check(-1 < rho < 1, "rho", rho, "must be in (-1, 1), where MI is finite; use for example 0.9")
    check(0 < noise_scale < math.inf, "noise_scale", noise_scale, "must be positive; use for example 1.0")
    rng = generator(random_state)
    X, Y = _signal(name, form, n_samples, alpha, rho, rng)
    Y = Y if paired else _signal(name, form, n_samples, alpha, rho, rng)[1]
    columns = noise_scale * _noise(noise, (noise_dims, n_samples), rng).T
    X, Y = np.hstack([X, columns[:, ::2]]), np.hstack([Y, columns[:, 1::2]])
    label = f"{name}-released" if form == "released" and name in ("helix", "sphere") else name
    if not paired:
        return Dataset(X, Y, 0.0, False, f"independent-{label}")
    if name == "gaussian":
        return Dataset(X, Y, -0.5 * math.log1p(-(rho**2)), False, label)
    truth = _GEOMETRY[name, form][3:] if name != "uniform" and alpha == 0.01 else (None, None)
    return Dataset(X, Y, alpha / 2 - math.log(alpha), name != "uniform", label, *truth)


def _signal(name: str, form: str, n: int, alpha: float, rho: float, rng: np.random.Generator) -> list[Array]:
    """Signal columns of X and of Y."""
    if name == "gaussian":
        X = rng.standard_normal((n, 1))
        return [X, rho * X + math.sqrt(1 - rho**2) * rng.standard_normal((n, 1))]
    if name == "uniform":
        X = rng.random((n, 1))
        return [X, X + alpha * (rng.random((n, 1)) - 0.5)]
    n_sources, place, *_ = _GEOMETRY[name, form]
    source = rng.random((n, n_sources))
    centre = place(source)
    seen = centre + alpha * (rng.random(centre.shape) - 0.5)
    if form == "paper":
        return [_LAST * centre[:, 2:] if name == "helix" else source, seen]  # on the helix P, not R
    shift = np.array([0, 0, _FIRST - 5 / 8]) + alpha / 2 if name == "helix" else 0.0
    return [seen + shift, source]


def _noise(noise: str, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Values with mean 0 and standard deviation 1."""
    if noise == "student":
        return rng.standard_t(3, shape) / math.sqrt(3)
    return rng.standard_normal(shape) if noise == "normal" else math.sqrt(12) * (rng.random(shape) - 0.5)


# Geometry. _place_*: sources in the unit cube -> point. _volume_*: box (low, high) -> volume of sources mapped into it.
def _place_helix(u: Array) -> Array:
    p = _FIRST + (_LAST - _FIRST) * u
    return np.hstack([p * np.cos(p), p * np.sin(p), p]) / _LAST


def _place_patch(u: Array) -> Array:
    a, b = u.T
    return np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(b)])


def _place_sphere(u: Array) -> Array:
    height, longitude = 1 - 2 * u[:, 0], 2 * np.pi * u[:, 1]  # sin(arccos(2 u - 1) - pi/2) = 1 - 2 u
    radius = np.sqrt(1 - height**2)
    return np.column_stack([radius * np.cos(longitude), radius * np.sin(longitude), height])


def _volume_helix(low: Array, high: Array) -> Array:
    """Length of P inside the box: between crossings of a side by P cos P or P sin P, the curve is all in or all out."""
    (x0, y0, z0), (x1, y1, z1) = _LAST * low.T[:, :, None], _LAST * high.T[:, :, None]
    turns = np.pi * np.arange(5.0, 9.0)
    crests, troughs = np.asarray(turns[:3]), np.asarray(turns[1:])
    for _ in range(20):  # stationary points of P cos P (tan P = 1 / P) and P sin P (tan P = -P)
        crests, troughs = turns[:3] + np.arctan(1 / crests), turns[1:] - np.arctan(troughs)
    crossings = [_crossings(np.cos, crests, x) for x in (x0, x1)]
    crossings += [_crossings(np.sin, troughs, y) for y in (y0, y1)]

    def inside(p: Array) -> Array:
        x, y = p * np.cos(p), p * np.sin(p)
        return np.asarray((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1), dtype=np.float64)

    length = _integrate(inside, np.maximum(z0, _FIRST), np.minimum(z1, _LAST), crossings, 1)
    return length / (_LAST - _FIRST)


def _crossings(wave: Map, stationary: Array, level: Array) -> Array:
    """Where P wave(P) equals `level` (n, 1) on each monotone piece of the helix, or its nearer end."""
    knots = np.array([_FIRST, *stationary, _LAST])
    rising = np.diff(knots * wave(knots)) > 0
    left, right, _ = np.broadcast_arrays(knots[:-1], knots[1:], level)
    for _ in range(48):  # bisection, to the last bits
        middle = (left + right) / 2
        beyond = (middle * wave(middle) > level) == rising
        left, right = np.where(beyond, left, middle), np.where(beyond, middle, right)
    return left


def _volume_patch(low: Array, high: Array) -> Array:
    """Integral over X2 of the length in X1, where cos X1 lies between two bounds."""
    (x0, y0, z0), (x1, y1, z1) = low.T[:, :, None], high.T[:, :, None]
    edge = math.cos(1)

    def length(b: Array) -> Array:
        cos, sin = np.cos(b), np.maximum(np.sin(b), 1e-300)
        least = np.clip(np.maximum(x0 / cos, y0 / sin), edge, 1)
        most = np.clip(np.minimum(x1 / cos, y1 / sin), edge, 1)
        return np.asarray(np.maximum(np.arccos(least) - np.arccos(most), 0))

    kinks = [np.arctan2(y, x) for y in (y0, y1) for x in (x0, x1)]  # bounds by x and by y meet
    kinks += [np.arccos(np.clip(x, -1, 1)) for x in (x0, x1, x0 / edge, x1 / edge)]  # bound by x is 1 or edge
    kinks += [np.arcsin(np.clip(y, -1, 1)) for y in (y0, y1, y0 / edge, y1 / edge)]
    first, last = (np.arcsin(np.clip(z, 0, math.sin(1))) for z in (z0, z1))
    return _integrate(length, first, last, kinks)


def _volume_sphere(low: Array, high: Array) -> Array:
    """Integral over height of the longitudes of a circle inside a rectangle."""
    (x0, y0, z0), (x1, y1, z1) = low.T[:, :, None], high.T[:, :, None]

    def length(z: Array) -> Array:
        radius = np.sqrt(np.maximum((1 - z) * (1 + z), 1e-300))
        a, b = (np.arccos(np.clip(x / radius, -1, 1)) for x in (x1, x0))  # longitudes [a, b] and [-b, -a]
        c, d = (np.arcsin(np.clip(y / radius, -1, 1)) for y in (y0, y1))  # [c, d] and [pi - d, pi - c]
        total = np.zeros_like(z)
        for p, q, turn in ((a, b, np.pi), (-b, -a, -np.pi)):
            total += np.maximum(np.minimum(q, d) - np.maximum(p, c), 0)
            total += np.maximum(np.minimum(q, turn - c) - np.maximum(p, turn - d), 0)
        return total

    # Kinks: the circle meets a corner of the rectangle, or touches a side.
    squares = [x**2 + y**2 for x in (x0, x1) for y in (y0, y1)] + [x0**2, x1**2, y0**2, y1**2]
    kinks = [sign * np.sqrt(np.maximum(1 - square, 0)) for square in squares for sign in (-1, 1)]
    return _integrate(length, np.maximum(z0, -1), np.minimum(z1, 1), kinks) / (4 * np.pi)


def _integrate(length: Map, first: Array, last: Array, kinks: list[Array], n_nodes: int = 12) -> Array:
    """Integral from first to last (n, 1) of a function that is smooth, or like a square root, between kinks."""
    knots = np.sort(np.clip(np.hstack([first, *kinks, last]), first, last), axis=1)
    middle, half = (knots[:, 1:, None] + knots[:, :-1, None]) / 2, np.diff(knots)[:, :, None] / 2
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    angle = np.pi / 2 * (nodes + 1)  # x = middle - half cos(angle) makes a square root smooth
    weights *= np.sin(angle)
    x, area = middle - half * np.cos(angle), half * weights * (2 / weights.sum())
    return np.asarray(np.sum(area.reshape(len(x), -1) * length(x.reshape(len(x), -1)), axis=1))


# How many sources, their place, the volume; then the value and standard error that
# monte_carlo_mi(name, form=form, n_draws=1_000_000, random_state=0) printed, at alpha = 0.01.
# The two helices differ only by shifts of coordinates, which leave MI unchanged.
_GEOMETRY: dict[tuple[str, str], tuple[int, Map, Callable[[Array, Array], Array], float, float]] = {
    ("helix", "paper"): (1, _place_helix, _volume_helix, 6.76773, 0.00044),
    ("helix", "released"): (1, _place_helix, _volume_helix, 6.76773, 0.00044),
    ("sphere", "paper"): (2, _place_patch, _volume_patch, 8.59269, 0.00085),
    ("sphere", "released"): (2, _place_sphere, _volume_sphere, 11.88481, 0.00049),
}
