"""Named kinds of data with known MI, in families, from one column per side to a few hundred.

Where MI has no closed form, it is listed in `QUADRATURE`, by numerical integration (done in tests/reference/truths.py),
or in `MONTE_CARLO`, with its standard error: the mean of the log density ratio over many rows (experiments/truths.py).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.special import ndtr

from . import laws
from .base import Array, Dataset, Seed, check, check_count, generator
from .laws import Law, column


@dataclass(frozen=True)
class Kind:
    """What is known about a named kind of data.

    Attributes
    ----------
    name, family, about : str
        The kind's name, the family it belongs to, and how it is made.
    n_x, n_y : int
        Number of columns of X and of Y.
    mi, mi_error, source : float, float, str
        Mutual information in nats, its standard error, and where it comes from: "closed form", "quadrature" (both
        without error to four digits), or "Monte Carlo".
    law : Law
        How to draw it.

    Examples
    --------
    >>> from infold.datasets import describe_kind
    >>> kind = describe_kind("sign of two, 6 + 5")
    >>> kind.family, kind.n_x, kind.n_y, round(kind.mi, 3), kind.source
    ('interactions', 6, 5, 0.693, 'closed form')
    """

    name: str
    family: str
    about: str
    n_x: int
    n_y: int
    mi: float
    mi_error: float
    source: str
    law: Law = field(repr=False)


def list_kinds(family: str | None = None) -> list[str]:
    """Return the names of all kinds of data with known MI, or of those of one family.

    Examples
    --------
    >>> from infold.datasets import list_kinds
    >>> len(list_kinds()) >= 60
    True
    >>> list_kinds("copulas")
    ['clayton 2', 'frank 6']
    """
    families = tuple(dict.fromkeys(kind.family for kind in all_kinds().values()))
    check(family is None or family in families, "family", family, f"must be None or one of {families}")
    return [name for name, kind in all_kinds().items() if family in (None, kind.family)]


def describe_kind(name: str) -> Kind:
    """Return what is known about a kind: family, how it is made, columns, MI and where that comes from.

    Examples
    --------
    >>> from infold.datasets import describe_kind
    >>> describe_kind("cauchy noise").about
    'x Cauchy, y = x + e / 2 with Cauchy e'
    """
    check(name in all_kinds(), "name", name, "is no kind of data; see list_kinds() for their names")
    return all_kinds()[name]


def make_kind(name: str, n_samples: int = 500, random_state: Seed = 0) -> Dataset:
    """Draw a sample of a named kind of data.

    Parameters
    ----------
    name : str
        One of `list_kinds`.
    n_samples : int
        Number of rows.
    random_state : int, Generator, RandomState or None
        Seed, or source of random numbers.

    Examples
    --------
    >>> from infold.datasets import make_kind
    >>> make_kind("circle", n_samples=300)
    Dataset('circle', X: 300 x 1, Y: 300 x 1, mi = 0.438)
    """
    kind = describe_kind(name)
    check_count("n_samples", n_samples, 1)
    drawn = kind.law.draw(generator(random_state), n_samples)
    return Dataset(drawn.x, drawn.y, kind.mi, False, name)


def kind_information(name: str, n_samples: int = 500, random_state: Seed = 0) -> Array:
    """Return the exact information of each row that `make_kind` draws with the same arguments.

    It is the log of the joint density over the product of the marginal ones. Over many rows its mean tends to the MI;
    over the rows of a sample its mean is what an estimator that knew the densities would return.

    Parameters
    ----------
    name, n_samples, random_state
        See `make_kind`.

    Examples
    --------
    >>> from infold.datasets import describe_kind, kind_information
    >>> values = kind_information("gaussian 0.6", n_samples=100_000)
    >>> bool(abs(values.mean() - describe_kind("gaussian 0.6").mi) < 0.01)
    True
    """
    kind = describe_kind(name)
    check_count("n_samples", n_samples, 1)
    return kind.law.draw(generator(random_state), n_samples).information()


@cache
def all_kinds() -> dict[str, Kind]:
    """Return all kinds by name."""
    out = {}
    for family, members in FAMILIES.items():
        for name, about, law in members():
            x, y, _ = law.draw(np.random.default_rng(0), 2)
            mi, error, source = known_mi(name, law)
            out[name] = Kind(name, family, about, x.shape[1], y.shape[1], mi, error, source, law)
    return out


def known_mi(name: str, law: Law) -> tuple[float, float, str]:
    """Return MI, its standard error and where it comes from."""
    if law.mi is not None:
        return law.mi, 0.0, "closed form"
    if name in QUADRATURE:
        return QUADRATURE[name], 0.0, "quadrature"
    return *MONTE_CARLO[name], "Monte Carlo"


Members = Iterator[tuple[str, str, Law]]  # name, how it is made, law


def fixed(seed: int) -> np.random.Generator:
    """Return the generator of a kind's fixed numbers: centres, loadings, rotations."""
    return np.random.default_rng([31, seed])


def gaussian_pairs() -> Members:
    """One Gaussian pair, as it is and after monotone maps."""
    for rho in (0.3, 0.6, -0.8, 0.97):
        yield f"gaussian {rho}", f"normal, correlation {rho}", laws.gaussian(rho)
    pair = laws.gaussian(0.7)
    yield (
        "gaussian, half-cube and exp",
        "normal, correlation 0.7; x|x|^½ and exp y",
        laws.mapped(pair, laws.half_cube, np.exp),
    )
    yield "gaussian, cdf and cube", "normal, correlation 0.7; Φ(x) and y³", laws.mapped(pair, ndtr, lambda z: z**3)


def additive_noise() -> Members:
    """One column plus noise that is not normal."""
    for width in (0.05, 0.3, 1.5):
        yield f"uniform noise {width}", f"x uniform, y = x + {width} u", laws.additive_uniform(width)
    yield "cauchy noise", "x Cauchy, y = x + e / 2 with Cauchy e", laws.additive_cauchy(0.5)
    yield "gamma noise", "x gamma of shape 2, y = x + e with e gamma of shape ½", laws.additive_gamma(2, 0.5)


def multiplicative() -> Members:
    """Noise whose scale depends on x."""
    product, proportion = laws.product_of_normals(), laws.noise_in_proportion(0.5)
    yield "product of normals", "y = x e, all normal", product
    yield "product of uniforms", "y = x u, all uniform", laws.product_of_uniforms()
    yield "noise in proportion", "y = x + |x| e / 2", proportion
    yield "volatility", "y = exp(x) e", laws.volatility(1.0)
    yield "product of normals, 5 + 5", "five pairs y = x e", laws.together(*[product] * 5)
    yield "noise in proportion, 5 + 5", "five pairs y = x + |x| e / 2", laws.together(*[proportion] * 5)
    yield (
        "product of normals, asinh, 3 + 3",
        "three pairs y = x e; asinh 5x, asinh 5y",
        laws.mapped(laws.together(*[product] * 3), lambda z: np.arcsinh(5 * z)),
    )
    yield (
        "product of normals, 11 + 11",
        "y = x e, and ten normal noise columns per side",
        laws.with_noise(product, 10, 10),
    )


def periodic() -> Members:
    """Waves and circles: little or no correlation."""
    for periods, noise in ((1, 0.3), (3, 0.3), (8, 0.2)):
        yield f"wave {periods}", f"x uniform, y = sin(2π {periods} x) + {noise} e", laws.wave(periods, noise)
    yield "saw 5", "x uniform, y = 5 x + 0.2 u without its whole part", laws.saw(5, 0.2)
    yield "circle", "a point of the unit circle, normal noise of 0.15 on both coordinates", laws.circle(0.15)
    yield "wave 2, 4 + 4", "four pairs y = sin(2π 2 x) + 0.4 e", laws.together(*[laws.wave(2, 0.4)] * 4)
    yield (
        "wave 1, 21 + 11",
        "x uniform, y = sin(2π x) + 0.25 e; 20 and 10 noise columns of counts",
        laws.with_noise(laws.wave(1, 0.25), 20, 10, "counts"),
    )


def curves() -> Members:
    """A curved function of one column, plus normal noise."""
    yield "absolute value", "y = |x| + 0.3 e", laws.curve(lambda t: column(np.abs(t)), 0.3, "normal", 2601)
    yield "parabola", "y = x² + e / 2", laws.curve(lambda t: column(t**2), 0.5, "normal", 2601)
    yield "cubic", "y = x³ − 3x + e", laws.curve(lambda t: column(t**3 - 3 * t), 1.0, "normal", 2601)
    steps = np.array([0.0, 2.0, 1.0])
    yield (
        "two steps",
        "x uniform; y = 0, 2 or 1 in the thirds of its range, + 0.3 e",
        laws.curve(lambda t: column(steps[np.minimum((3 * t).astype(int), 2)]), 0.3, count=300),
    )


def mixtures() -> Members:
    """Mixtures of a few normal laws."""
    half = np.full(2, 0.5)

    def crossed(d: int, rho: float) -> Law:
        covariances = np.array([laws.pairs_covariance(d, rho), laws.pairs_covariance(d, -rho)])
        return laws.gaussian_mixture(half, np.zeros((2, 2 * d)), covariances, d)

    yield "x-shaped 0.9", "correlation 0.9 or −0.9, half of the rows each", crossed(1, 0.9)
    plus = np.array([np.diag([1, 0.02]), np.diag([0.02, 1])])
    yield "plus-shaped", "one column varies, or the other", laws.gaussian_mixture(half, np.zeros((2, 2)), plus, 1)
    against = np.repeat(laws.pairs_covariance(1, -0.7)[None], 2, axis=0)
    yield (
        "against the trend",
        "two clusters along the diagonal, correlation −0.7 within each",
        laws.gaussian_mixture(np.array([0.35, 0.65]), np.array([[-1.5, -1.5], [1.5, 1.5]]), against, 1),
    )
    corners = np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]]) * 2.0
    yield (
        "four corners",
        "four clusters at corners of a square, two of them rare",
        laws.gaussian_mixture(np.array([0.4, 0.4, 0.1, 0.1]), corners, np.repeat(np.eye(2)[None] * 0.5, 4, axis=0), 1),
    )
    yield "x-shaped 0.9, 5 + 5", "five pairs, each with a sign of its own", laws.together(*[crossed(1, 0.9)] * 5)
    yield "x-shaped 0.8, common sign, 5 + 5", "five pairs, one sign for a row", crossed(5, 0.8)
    for d in (3, 25):
        rings = np.array([np.eye(2 * d) * k**2 for k in range(1, 6)])
        yield (
            f"concentric, {d} + {d}",
            "five round normal laws, scales 1 to 5",
            laws.gaussian_mixture(np.full(5, 0.2), np.zeros((5, 2 * d)), rings, d),
        )


def heavy_tails() -> Members:
    """Student laws, log-gamma pairs, and scales shared by all columns of a row."""

    def scattered(nu: float, p: int, rho: float) -> Law:
        return laws.student(nu, p, p, laws.pairs_covariance(p, rho))

    yield "student 1, 0.5", "bivariate t, 1 degree of freedom, scatter 0.5", scattered(1, 1, 0.5)
    yield "student 2, -0.7", "bivariate t, 2 degrees of freedom, scatter −0.7", scattered(2, 1, -0.7)
    for shape in (0.3, 1):
        yield (
            f"log-gamma {shape}",
            f"x = log gamma of shape {shape}, y = log exponential − x",
            laws.log_gamma_pair(shape),
        )
    yield "student 3, 4 + 4", "t, 3 degrees of freedom, four pairs with scatter 0.5", scattered(3, 4, 0.5)
    yield "student 1, 10 + 10", "t, 1 degree of freedom, no scatter", scattered(1, 10, 0.0)
    yield "student 1, asinh, 3 + 3", "asinh of t, 1 degree, scatter 0.4", laws.mapped(scattered(1, 3, 0.4), np.arcsinh)
    yield "shared scale, 5 + 5", "normal columns times exp(0.7 v), one v for a row", laws.shared_scale(5, 5, 0.7)
    yield "log-gamma, 3 + 3", "three log-gamma pairs of shape 0.5", laws.together(*[laws.log_gamma_pair(0.5)] * 3)
    yield "cauchy noise, 4 + 4", "four pairs y = x + e, all Cauchy", laws.together(*[laws.additive_cauchy(1.0)] * 4)


def copulas() -> Members:
    """Copulas other than the Gaussian one, with uniform margins."""
    yield "clayton 2", "Clayton's copula, θ = 2", laws.clayton(2)
    yield "frank 6", "Frank's copula, θ = 6", laws.frank(6)


def numbers(count: int, seed: int) -> Array:
    """Return codes of labels in a meaningless order."""
    return column(fixed(seed).permutation(count))


def discrete() -> Members:
    """Codes, counts and coins on at least one side."""
    yield "poisson of gamma", "x gamma of shape 2 and scale 2, y Poisson with rate x", laws.poisson_of_gamma(2, 2)
    yield (
        "poisson with lost counts",
        "x exponential, y Poisson with rate x, 15 % read 0",
        laws.poisson_of_gamma(1, 1, 0.15),
    )
    yield "binomial of uniform", "x uniform, y binomial of 10 with probability x", laws.binomial_of_uniform(10)
    yield "joint zeros", "log-normal, correlation 0.7 of logs; half of the rows (0, 0)", laws.joint_zeros(0.7, 0.5)
    yield "quantile label", "x normal, y the number of its eighth", laws.quantile_label(8)
    channel = laws.symmetric_channel(5, 0.2)
    yield "codes 5", "five labels as codes, a fifth drawn again", laws.codes(channel, numbers(5, 1), numbers(5, 2))
    channel = laws.symmetric_channel(6, 0.15)
    yield (
        "dithered codes 6",
        "six labels as codes plus u, 15 % drawn again",
        laws.codes(channel, numbers(6, 3), numbers(6, 4), 1.0),
    )
    yield "uniform above a label", "x one of 0 … 4, y uniform on [x, x + 2]", laws.uniform_above_label(5)
    yield "two classes", "x normal at −1 or 1, y which", laws.gaussian_classes(np.array([[-1.0], [1.0]]))
    coin, sides = laws.symmetric_channel(2, 0.4), column(np.array([0.0, 1.0]))
    yield "coins", "two coins that agree in 80 % of the rows", laws.codes(coin, sides, sides)
    yield (
        "gaussian or coins",
        "half normal, correlation 0.9; half coins that agree in 90 %",
        laws.gaussian_or_coins(0.9, 0.1),
    )
    yield (
        "joint zeros, 10 + 10",
        "ten pairs: log-normal, 0.5, 60 % zeros",
        laws.together(*[laws.joint_zeros(0.5, 0.6)] * 10),
    )
    yield (
        "coins, 10 + 10",
        "ten pairs of coins that agree in 80 %",
        laws.together(*[laws.codes(coin, sides, sides)] * 10),
    )
    yield (
        "shared counts, 5 + 5",
        "five pairs of Poisson counts with a common part",
        laws.together(*[laws.shared_counts(1, 1)] * 5),
    )
    channel = laws.symmetric_channel(6, 0.4)
    yield (
        "one-hot labels, 6 + 6",
        "six labels as 0/1 columns, 40 % drawn again",
        laws.codes(channel, np.eye(6), np.eye(6)),
    )
    yield (
        "chain of signs, 8 + 8",
        "a Markov chain of 16 signs that turn in 15 %, cut in the middle",
        sign_chain(8, 0.15),
    )
    mixed = laws.together(laws.uniform_above_label(3), laws.additive_uniform(0.4), laws.gaussian(0.6))
    yield "mixed, 3 + 3", "uniform above a label (3), uniform noise 0.4, and a normal pair, 0.6", mixed
    yield (
        "poisson, 5 + 5",
        "three pairs Poisson of gamma, two noise columns of counts per side",
        laws.with_noise(laws.together(*[laws.poisson_of_gamma(2, 2)] * 3), 2, 2, "counts"),
    )


def sign_chain(half: int, flip: float) -> Law:
    """Return a chain of signs, its first half X and its second half Y: only the two at the cut matter."""
    mi = math.log(2) - laws.binary_entropy(flip)

    def draw(rng: np.random.Generator, n: int) -> laws.Draw:
        turns = rng.random((n, 2 * half)) < np.array([0.5] + [flip] * (2 * half - 1))
        signs = 1.0 - 2.0 * (turns.cumsum(axis=1) % 2)
        kept = signs[:, half - 1] == signs[:, half]
        return laws.Draw(signs[:, :half], signs[:, half:], lambda: np.log(2 * np.where(kept, 1 - flip, flip)))

    return Law(draw, mi)


def clusters() -> Members:
    """Groups of rows that are visible on both sides."""

    def some(count: int, p: int, q: int, apart: float, seed: int, flip: float = 0.0, rho: float = 0.0) -> Law:
        rng = fixed(seed)
        centres_x, centres_y = (apart * rng.standard_normal((count, d)) for d in (p, q))
        return laws.clusters(centres_x, centres_y, laws.symmetric_channel(count, flip), rho)

    yield "2 clusters, 5 + 5", "overlapping", some(2, 5, 5, 1.0, 54)
    yield "8 clusters, 2 + 2", "overlapping", some(8, 2, 2, 2.0, 11)
    yield "5 clusters, 10 + 10", "overlapping", some(5, 10, 10, 0.7, 12)
    yield "10 clusters, 20 + 20", "well apart", some(10, 20, 20, 2.0, 13)
    yield "4 clusters, 50 + 50", "overlapping in every column, apart in all", some(4, 50, 50, 0.5, 14)
    yield (
        "6 clusters with errors, 10 + 10",
        "well apart, 30 % of labels drawn again",
        some(6, 10, 10, 2.0, 15, flip=0.3),
    )
    yield (
        "4 batches, 10 + 10",
        "four batches, and ten pairs of correlation 0.4 within each",
        some(4, 10, 10, 1.0, 16, rho=0.4),
    )
    yield (
        "3 batches, 3 + 3",
        "three batches, and pairs of correlation −0.6 within each",
        some(3, 3, 3, 1.5, 17, rho=-0.6),
    )
    yield (
        "5 clusters, half-cube, 12 + 6",
        "overlapping; each value to the power 1.5",
        laws.mapped(some(5, 12, 6, 0.9, 18), laws.half_cube),
    )
    yield (
        "3 clusters, 33 + 33",
        "well apart in 3 + 3 columns, 30 heavy-tailed noise columns per side",
        laws.with_noise(some(3, 3, 3, 2.5, 19), 30, 30, "student"),
    )


def gaussian_vectors() -> Members:
    """Normal columns: many weak pairs, few strong ones, factors, chains."""

    def pairs(p: int, k: int, rho: float) -> Law:
        return laws.gaussian_vector(laws.pairs_covariance(p, np.where(np.arange(p) < k, rho, 0.0)), p)

    yield "100 weak pairs", "100 + 100, correlation 0.2 in each pair", pairs(100, 100, 0.2)
    yield "30 weak pairs", "30 + 30, correlation 0.15 in each pair", pairs(30, 30, 0.15)
    yield "sparse, 40 + 40", "three pairs of correlation 0.8", pairs(40, 3, 0.8)
    yield "one pair, 100 + 100", "one pair of correlation 0.85", pairs(100, 1, 0.85)
    loadings = fixed(20).standard_normal((40, 3))
    dense = laws.gaussian_vector(loadings @ loadings.T + 4 * np.eye(40), 20)
    yield "three factors, 20 + 20", "every column has a part of three common factors", dense
    yield "three factors, tanh, 20 + 20", "the same, tanh of a quarter", laws.mapped(dense, lambda z: np.tanh(z / 4))
    lag = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    yield "chain, 15 + 15", "a normal chain with correlation 0.9, cut in the middle", laws.gaussian_vector(0.9**lag, 15)
    turn = np.concatenate([np.arange(0, 20, 2), np.arange(1, 20, 2)])
    woven = (0.6**lag)[:20, :20][np.ix_(turn, turn)]
    yield (
        "woven chain, 10 + 10",
        "a normal chain with correlation 0.6, every other column",
        laws.gaussian_vector(woven, 10),
    )
    yield (
        "sparse, half-cube, 30 + 10",
        "three pairs of correlation 0.8, 27 and 7 noise columns; power 1.5",
        laws.mapped(laws.with_noise(pairs(3, 3, 0.8), 27, 7), laws.half_cube),
    )


def interactions() -> Members:
    """Several columns of X carry information that no single one has."""
    yield (
        "sign of two, 6 + 5",
        "the sign of a product, 4 noise columns per side",
        laws.with_noise(laws.sign_of_product(2), 4, 4),
    )
    yield "sign of three, 3 + 1", "the sign of a product of three", laws.sign_of_product(3)
    yield "sign of two, cdf, 2 + 1", "Φ of columns and of the sign's", laws.mapped(laws.sign_of_product(2), ndtr)
    yield "product, 2 + 1", "y = x₁ x₂ + 0.3 e", laws.product_of_columns(0.3)
    yield "switch, 3 + 1", "y = x₁ or x₂, as the sign of x₃ says, + 0.3 e", laws.switch(0.3)
    yield "ratio, 2 + 1", "y = x₁ / x₂ + 0.3 e, Cauchy", laws.ratio(0.3)
    yield "radius, 5 + 1", "y = |x| + 0.3 e", laws.radius(5, 0.3)
    yield "parity of four bits, 4 + 1", "false in 10 %", laws.parity(4, 0.1)
    yield "angle, 2 + 1", "x normal, y its angle plus uniform noise of 1.5", angle(1.5)


def angle(width: float) -> Law:
    """Return two normal columns and their angle, with uniform noise on the circle."""
    around = laws.turns(width, laws.around_the_circle(1), column)

    def draw(rng: np.random.Generator, n: int) -> laws.Draw:
        x, y, information = around.draw(rng, n)
        return laws.Draw(x * np.sqrt(rng.chisquare(2, (n, 1))), y, information)

    return Law(draw, around.mi)


def manifolds() -> Members:
    """Curves and surfaces embedded in more columns than they have dimensions."""

    def rolled(t: Array) -> Array:
        a = 1.5 * np.pi * (1 + 2 * t)
        return np.column_stack([a * np.cos(a), a * np.sin(a)]) / 10

    def spiral(t: Array) -> Array:
        a = 4 * np.pi * np.sqrt(t)
        return np.column_stack([a * np.cos(a), a * np.sin(a)]) / 10

    def helix(t: Array) -> Array:
        return np.column_stack([np.cos(6 * np.pi * t), np.sin(6 * np.pi * t), 2 * t])

    def eight(t: Array) -> Array:
        return np.column_stack([np.sin(2 * np.pi * t), np.sin(4 * np.pi * t)])

    def roll(x: Array) -> Array:
        return np.column_stack([rolled(x[:, 0]), x[:, 1]])

    def torus(x: Array) -> Array:
        (a, b), (c, d) = (x[:, :2].T, x[:, 2:].T)
        return np.column_stack([(2 + a) * c, (2 + a) * d, b])

    circle = laws.around_the_circle(1)
    yield "spiral, 1 + 2", "place on a spiral, and its coordinates with noise 0.1", laws.curve(spiral, 0.1)
    yield "helix, 1 + 3", "place on a helix of three turns, and its coordinates with noise 0.2", laws.curve(helix, 0.2)
    yield "figure eight, 1 + 2", "place on an eight, and its coordinates with noise 0.15", laws.curve(eight, 0.15)
    surface = laws.with_noise(laws.additive_uniform(0.2), 1, 0, "uniform")
    yield (
        "swiss roll, 3 + 1",
        "a point of a Swiss roll, and its place along it plus 0.2 u",
        laws.mapped(surface, roll, lambda z: z),
    )
    angles = laws.together(laws.turns(2, circle, circle), laws.turns(3, circle, circle))
    yield (
        "torus, 3 + 4",
        "a point of a torus, and both angles plus uniform noise of 2 and 3, as cosines and sines",
        laws.mapped(angles, torus, lambda z: z),
    )
    yield "near on the sphere, 3 + 3", "a point of the sphere, and one near it", laws.near_on_the_sphere(8)
    tenfold = laws.around_the_circle(5)
    yield (
        "angle in ten columns, 10 + 10",
        "five harmonics of an angle, and of the same plus noise of 1",
        laws.turns(1, tenfold, tenfold),
    )
    hidden = laws.with_noise(laws.mapped(laws.additive_uniform(0.1), lambda z: (z - 0.5) * math.sqrt(12)), 9, 9)
    turn_x, turn_y = laws.rotation(10, 30), laws.rotation(10, 31)
    yield (
        "uniform noise, turned, 10 + 10",
        "uniform noise of 0.1 and nine normal noise columns per side, all rotated",
        laws.mapped(hidden, lambda z: z @ turn_x, lambda z: z @ turn_y),
    )


def copies() -> Members:
    """Columns that repeat the information in other columns of their side."""

    def functions(z: Array) -> Array:
        return np.hstack([z, z**2, z**3, np.exp(z), np.sin(3 * z)])

    def thrice(z: Array) -> Array:
        return np.hstack([z, 100 * z, -0.01 * z])

    def and_copies(z: Array) -> Array:
        return np.hstack([z, np.tile(z, 5)])

    yield (
        "functions of a column, 5 + 5",
        "a normal pair, 0.8: x, x², x³, exp x, sin 3x",
        laws.mapped(laws.gaussian(0.8), functions),
    )
    three = laws.together(*[laws.gaussian(0.5)] * 3)
    yield "three times, 9 + 9", "three normal pairs, 0.5, each column in three units", laws.mapped(three, thrice)
    yield (
        "copies and noise, 40 + 40",
        "four normal pairs, 0.6; five copies of each column, 16 noise columns",
        laws.with_noise(laws.mapped(laws.together(*[laws.gaussian(0.6)] * 4), and_copies), 16, 16),
    )
    four = laws.together(laws.additive_uniform(0.2), laws.additive_uniform(0.5))
    yield (
        "sums, 4 + 4",
        "two pairs with uniform noise 0.2 and 0.5; their sum and difference",
        laws.mapped(four, lambda z: np.hstack([z, z.sum(axis=1, keepdims=True), np.diff(z, axis=1)])),
    )


def additive_pairs() -> Members:
    """Several pairs, each a column plus noise."""
    yield "uniform noise, 3 + 3", "three pairs y = x + 0.2 u", laws.together(*[laws.additive_uniform(0.2)] * 3)
    mixed = laws.together(
        laws.additive_uniform(0.5), laws.additive_gamma(1, 1), laws.additive_cauchy(1), laws.gaussian(0.5)
    )
    yield "four noises, 4 + 4", "uniform, gamma, Cauchy and normal noise, a pair each", mixed
    yield "gamma noise, 8 + 8", "eight pairs y = x + e, exponential", laws.together(*[laws.additive_gamma(1, 1)] * 8)


def classes() -> Members:
    """A label to be predicted from normal columns, with and without noise columns."""
    for count, p, apart, noise in (
        (3, 2, 1.5, 0),
        (4, 10, 0.6, 0),
        (5, 30, 0.5, 0),
        (3, 2, 1.5, 100),
        (4, 10, 0.6, 100),
    ):
        law = laws.gaussian_classes(apart * fixed(40 + p).standard_normal((count, p)))
        more = f", {noise} noise columns" if noise else ""
        yield f"{count} classes, {p + noise} + 1", f"{p} columns tell{more}", laws.with_noise(law, noise, 0)


def noise_columns() -> Members:
    """A signal in a few columns among many."""
    thin = laws.with_noise(laws.additive_uniform(0.1), 30, 30, "student")
    yield "uniform noise, 31 + 31", "y = x + 0.1 u, 30 heavy-tailed noise columns per side", thin
    yield "friedman, 10 + 1", "Friedman's function of five of ten uniform columns plus e", laws.friedman(1.0)
    many = laws.with_noise(laws.curve(lambda t: column(np.abs(t)), 0.3, "normal", 2601), 50, 50, "factor")
    yield "absolute value, 51 + 51", "y = |x| + 0.3 e, 50 noise columns per side with a common factor", many


def images() -> Members:
    """Images of handwritten digits (scikit-learn's), whose labels have a known joint law."""
    ten, two = range(10), range(2)
    yield "digits, 64 + 64", "two images of the same digit", laws.image_pairs(ten, ten, np.eye(10) / 10)
    yield "digits 0 or 1, 64 + 64", "two images of the same digit, 0 or 1", laws.image_pairs(two, two, np.eye(2) / 2)
    yield "digits, 64 + 1", "an image and its digit", laws.image_and_label()
    parity = (np.add.outer(np.arange(10), np.arange(10)) % 2 == 0) / 50
    yield (
        "digits of a parity, 64 + 64",
        "two images, both of odd or both of even digits",
        laws.image_pairs(ten, ten, parity),
    )


FAMILIES = {
    "gaussian pairs": gaussian_pairs,
    "additive noise": additive_noise,
    "multiplicative": multiplicative,
    "periodic": periodic,
    "curves": curves,
    "mixtures": mixtures,
    "heavy tails": heavy_tails,
    "copulas": copulas,
    "discrete": discrete,
    "clusters": clusters,
    "gaussian vectors": gaussian_vectors,
    "interactions": interactions,
    "manifolds": manifolds,
    "copies": copies,
    "additive pairs": additive_pairs,
    "classes": classes,
    "noise columns": noise_columns,
    "images": images,
}

QUADRATURE = {
    "product of normals": 0.42034,
    "noise in proportion": 1.38295,
    "volatility": 0.43214,
    "product of normals, 5 + 5": 5 * 0.42034,
    "noise in proportion, 5 + 5": 5 * 1.38295,
    "product of normals, asinh, 3 + 3": 3 * 0.42034,
    "product of normals, 11 + 11": 0.42034,
    "wave 1": 0.86163,
    "wave 3": 0.86163,
    "wave 8": 1.15424,
    "circle": 0.43816,
    "wave 2, 4 + 4": 4 * 0.66866,
    "wave 1, 21 + 11": 0.99047,
    "absolute value": 0.76036,
    "parabola": 0.80261,
    "cubic": 0.69693,
    "two steps": 0.93595,
    "x-shaped 0.9": 0.40844,
    "plus-shaped": 0.22298,
    "against the trend": 0.66966,
    "four corners": 0.18990,
    "x-shaped 0.9, 5 + 5": 5 * 0.40844,
    "concentric, 3 + 3": 0.21848,
    "concentric, 25 + 25": 0.99568,
    "shared scale, 5 + 5": 0.51845,
    "frank 6": 0.33676,
    "poisson of gamma": 0.51789,
    "poisson with lost counts": 0.22974,
    "two classes": 0.33683,
    "poisson, 5 + 5": 3 * 0.51789,
    "product, 2 + 1": 1.12700,
    "radius, 5 + 1": 0.90984,
    "spiral, 1 + 2": 2.97469,
    "figure eight, 1 + 2": 2.54685,
    "friedman, 10 + 1": 1.59896,
    "absolute value, 51 + 51": 0.76036,
}

# Name → mean of the log density ratio, its standard error.
MONTE_CARLO: dict[str, tuple[float, float]] = {
    "x-shaped 0.8, common sign, 5 + 5": (1.89988, 0.00142),
    "2 clusters, 5 + 5": (0.30636, 0.00078),
    "8 clusters, 2 + 2": (0.51960, 0.00080),
    "5 clusters, 10 + 10": (0.53261, 0.00079),
    "10 clusters, 20 + 20": (2.30258, 0.00001),
    "4 clusters, 50 + 50": (1.25917, 0.00069),
    "6 clusters with errors, 10 + 10": (0.80672, 0.00095),
    "4 batches, 10 + 10": (1.82264, 0.00115),
    "3 batches, 3 + 3": (1.24605, 0.00092),
    "5 clusters, half-cube, 12 + 6": (0.66754, 0.00079),
    "3 clusters, 33 + 33": (0.90537, 0.00073),
    "helix, 1 + 3": (2.96995, 0.00099),
    "3 classes, 2 + 1": (1.06566, 0.00036),
    "4 classes, 10 + 1": (0.92947, 0.00078),
    "5 classes, 30 + 1": (1.38721, 0.00078),
    "3 classes, 102 + 1": (1.06566, 0.00036),
    "4 classes, 110 + 1": (0.92947, 0.00078),
}
