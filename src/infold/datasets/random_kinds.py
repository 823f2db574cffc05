"""Random kinds of data with known MI: there is no fixed list that a method could be tuned to.

A kind is drawn from its seed: one to four independent blocks, whose MI adds up, and for each side changes that leave MI
as it is: other units, monotone maps, noise columns, rotations, shears, and columns computed from others of the side.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from . import laws
from .base import Array, Dataset, Seed, check_count, generator
from .laws import Law, column

Generator: TypeAlias = np.random.Generator
N_DRAWS = 40_000  # rows for the MI of a block without a closed form: a standard error of about .005


def make_random_kind(seed: int, n_samples: int = 500, random_state: Seed = 0) -> Dataset:
    """Draw a sample of the random kind with this number.

    MI is a sum of closed forms and of means of exact log density ratios over 40,000 rows, good to about .01 nats.

    Parameters
    ----------
    seed : int
        Number of the kind, which determines what the columns are.
    n_samples : int
        Number of rows.
    random_state : int, Generator, RandomState or None
        Seed of the sample, or source of random numbers.

    Examples
    --------
    >>> from infold.datasets import make_random_kind
    >>> data = make_random_kind(3, n_samples=200)
    >>> data.X.shape[0], data.mi >= 0
    (200, True)
    """
    check_count("seed", seed, 0)
    check_count("n_samples", n_samples, 1)
    name, law = random_kind(int(seed))
    drawn = law.draw(generator(random_state), n_samples)
    return Dataset(drawn.x, drawn.y, law.mi or 0.0, False, name)


@cache
def random_kind(seed: int) -> tuple[str, Law]:
    """Return the name and the law of a kind, with its MI."""
    rng = np.random.default_rng([47, seed])
    names, parts = [], []
    for _ in range(rng.choice([1, 2, 3, 4], p=[0.45, 0.25, 0.15, 0.15])):
        name = str(rng.choice(list(BLOCKS)))
        law = BLOCKS[name](rng)
        if law.mi is None:
            law = Law(law.draw, float(law.draw(rng, N_DRAWS).information().mean()))
        names.append(name)
        parts.append(laws.swapped(law) if rng.random() < 0.3 else law)
    smooth = not any(name in DISCRETE for name in names)
    law = laws.together(*parts)
    x, y, _ = law.draw(np.random.default_rng(0), 2)
    (name_x, hide_x), (name_y, hide_y) = (disguise(rng, side.shape[1], smooth) for side in (x, y))

    def draw(r: Generator, n: int) -> laws.Draw:
        x, y, information = law.draw(r, n)
        return laws.Draw(hide_x(x, r), hide_y(y, r), information)

    hidden = "".join(f"; {side}: {what}" for side, what in (("X", name_x), ("Y", name_y)) if what)
    return f"random {seed}: {', '.join(names)}{hidden}", Law(draw, law.mi)


def covariance(rng: Generator, d: int) -> Array:
    """Return the correlations of a random factor model."""
    loadings = rng.standard_normal((d, int(rng.integers(1, 4)))) * rng.uniform(0.3, 1.5)
    full = loadings @ loadings.T + np.eye(d)
    scale = np.sqrt(np.diag(full))
    return np.asarray(full / np.outer(scale, scale))


def random_vector(rng: Generator) -> Law:
    """A random Gaussian vector."""
    p, q = (int(d) for d in rng.integers(1, 9, 2))
    return laws.gaussian_vector(covariance(rng, p + q), p)


def random_mixture(rng: Generator) -> Law:
    """A mixture of random Gaussian vectors."""
    count, p, q = (int(k) for k in (rng.integers(2, 6), rng.integers(1, 5), rng.integers(1, 5)))
    means = rng.uniform(0, 2.5) * rng.standard_normal((count, p + q))
    scales = np.exp(rng.uniform(-0.7, 0.7, count))
    covariances = np.array([s * covariance(rng, p + q) for s in scales])
    return laws.gaussian_mixture(rng.dirichlet(np.full(count, 5.0)), means, covariances, p)


def random_groups(rng: Generator) -> Law:
    """Clusters whose labels have a random joint law."""
    a, b = (int(k) for k in rng.integers(2, 6, 2))
    p, q = (int(k) for k in rng.integers(1, 16, 2))
    apart = rng.uniform(0.5, 3) * math.sqrt(2 / min(p, q))
    centres = apart * rng.standard_normal((a, p)), apart * rng.standard_normal((b, q))
    return laws.clusters(*centres, rng.dirichlet(np.full(a * b, 0.3)).reshape(a, b))


def random_codes(rng: Generator) -> Law:
    """Codes, as they are or dithered, with a random joint law."""
    a, b = (int(k) for k in rng.integers(2, 8, 2))
    joint = rng.dirichlet(np.full(a * b, rng.choice([0.2, 1.0]))).reshape(a, b)
    return laws.codes(joint, column(rng.permutation(a)), column(rng.permutation(b)), float(rng.choice([0.0, 1.0])))


def random_student(rng: Generator) -> Law:
    """A t law with random scatter."""
    p, q = (int(d) for d in rng.integers(1, 6, 2))
    return laws.student(rng.uniform(1, 5), p, q, covariance(rng, p + q))


def random_turns(rng: Generator) -> Law:
    """An angle in some harmonics, and a noisy one in others."""
    a, b = (laws.around_the_circle(int(k)) for k in rng.integers(1, 4, 2))
    return laws.turns(rng.uniform(0.5, 5), a, b)


BLOCKS: dict[str, Callable[[Generator], Law]] = {
    "gaussian vector": random_vector,
    "mixture": random_mixture,
    "groups": random_groups,
    "codes": random_codes,
    "student": random_student,
    "angle": random_turns,
    "gamma noise": lambda rng: laws.additive_gamma(rng.uniform(0.5, 3), rng.uniform(0.2, 2)),
    "cauchy noise": lambda rng: laws.additive_cauchy(rng.uniform(0.1, 2)),
    "uniform noise": lambda rng: laws.additive_uniform(math.exp(rng.uniform(-3, 0.5))),
    "noise in proportion": lambda rng: laws.noise_in_proportion(rng.uniform(0.3, 2)),
    "volatility": lambda rng: laws.volatility(rng.uniform(0.4, 1.5)),
    "wave": lambda rng: laws.wave(rng.uniform(0.5, 5), rng.uniform(0.15, 0.6)),
    "circle": lambda rng: laws.circle(rng.uniform(0.1, 0.5)),
    "log-gamma": lambda rng: laws.log_gamma_pair(rng.uniform(0.2, 2)),
    "clayton": lambda rng: laws.clayton(rng.uniform(0.5, 5)),
    "frank": lambda rng: laws.frank(rng.uniform(2, 12)),
    "shared scale": lambda rng: laws.shared_scale(
        int(rng.integers(1, 7)), int(rng.integers(1, 7)), rng.uniform(0.3, 1.2)
    ),
    "sphere": lambda rng: laws.near_on_the_sphere(rng.uniform(1, 20)),
    "radius": lambda rng: laws.radius(int(rng.integers(2, 7)), rng.uniform(0.1, 0.6)),
    "sign of product": lambda rng: laws.sign_of_product(int(rng.integers(2, 4))),
    "switch": lambda rng: laws.switch(rng.uniform(0.1, 0.6)),
    "poisson": lambda rng: laws.poisson_of_gamma(rng.uniform(0.5, 3), rng.uniform(0.5, 5), rng.choice([0.0, 0.3])),
    "joint zeros": lambda rng: laws.joint_zeros(rng.uniform(0, 0.9), rng.uniform(0.1, 0.8)),
    "parity": lambda rng: laws.parity(int(rng.integers(2, 5)), rng.uniform(0, 0.25)),
    "nothing": lambda rng: laws.with_noise(
        Law(lambda r, n: laws.Draw(np.empty((n, 0)), np.empty((n, 0)), lambda: np.zeros(n)), 0.0), 2, 3, "exponential"
    ),
}
DISCRETE = ("codes", "poisson", "joint zeros", "parity")  # their ties would not survive a rotation
MONOTONE: tuple[Callable[[Array], Array], ...] = (
    np.arcsinh,
    np.negative,
    laws.half_cube,
    lambda z: np.sign(z) * np.sqrt(np.abs(z)),
    lambda z: np.where(z > 0, 3 * z, z),
)


def disguise(rng: Generator, width: int, smooth: bool) -> tuple[str, Callable[[Array, Generator], Array]]:
    """Return a name, and a function of a side (n, width) that changes its columns but not their information."""
    n_noise, kind = int(rng.choice([0, 0, 0, 5, 20, 40])), str(rng.choice(list(laws.NOISE)))
    total = width + n_noise
    turned, sheared = smooth and rng.random() < 0.25, smooth and width > 1 and rng.random() < 0.25
    units = 10.0 ** rng.integers(-2, 3, total)
    chosen = rng.integers(-3, len(MONOTONE), total)  # below 0: none
    basis = np.linalg.qr(rng.standard_normal((total, total)))[0]
    appended = str(rng.choice(["", "", "", "noisy copies", "products", "signs"]))
    order = rng.permutation(total)

    def hide(side: Array, r: Generator) -> Array:
        side = side.copy()
        if sheared:  # the second column moves with the first, which stays
            side[:, 1] += 2 * np.sin(side[:, 0])
        side = np.hstack([side, laws.NOISE[kind](r, (len(side), n_noise))])
        side = side @ basis if turned else side[:, order]
        for j in np.flatnonzero(chosen >= 0):
            side[:, j] = MONOTONE[chosen[j]](side[:, j])
        few = side[:, :4]
        more = {
            "": few[:, :0],
            "noisy copies": few + 0.3 * r.standard_normal(few.shape),
            "products": few[:, :1] * few,
            "signs": np.sign(few),
        }[appended]
        return np.hstack([units * side, more])

    words = [f"{n_noise} {kind}" if n_noise else "", "turned" if turned else "", "sheared" if sheared else "", appended]
    return " ".join(word for word in words if word), hide
