"""A sample with known mutual information, and checks of the parameters of its generators."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | None


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A paired sample and what is known about its mutual information, in nats.

    Attributes
    ----------
    X, Y : ndarray of shape (n_samples, n_columns)
        The two sides; in the paper's data sets signal columns first, then noise columns.
    mi, mi_is_bound : float, bool
        Mutual information (for the paper's data sets, as stated there), and whether that is only a lower bound.
    name : str
        Such as ``"helix"``, ``"helix-released"``, ``"independent-helix"``, or the name of a kind.
    mi_monte_carlo, mi_monte_carlo_error : float or None
        The true value by `monte_carlo_mi` and its standard error, where `mi` is a bound and alpha is 0.01.

    Examples
    --------
    >>> from infold.datasets import make_helix
    >>> make_helix(100, noise_dims=4, random_state=0)
    Dataset('helix', X: 100 x 3, Y: 100 x 5, mi >= 4.610, Monte Carlo 6.768)
    """

    X: Array
    Y: Array
    mi: float
    mi_is_bound: bool
    name: str
    mi_monte_carlo: float | None = None
    mi_monte_carlo_error: float | None = None

    @property
    def best_mi(self) -> float:
        """The Monte Carlo value where `mi` is only a bound and there is one, else `mi`."""
        value = self.mi_monte_carlo if self.mi_is_bound else None
        return self.mi if value is None else value

    def __repr__(self) -> str:
        """One line, with shapes in place of arrays."""
        (n, d_x), d_y = self.X.shape, self.Y.shape[1]
        sign = ">=" if self.mi_is_bound else "="
        more = "" if self.mi_monte_carlo is None else f", Monte Carlo {self.mi_monte_carlo:.3f}"
        return f"Dataset({self.name!r}, X: {n} x {d_x}, Y: {n} x {d_y}, mi {sign} {self.mi:.3f}{more})"


def generator(random_state: Seed) -> np.random.Generator:
    """Return a Generator from any kind of seed; a Generator or a RandomState advances with every use."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, size=4, dtype=np.uint64))
    if random_state is not None and not isinstance(random_state, np.random.Generator):
        check_count("random_state", random_state, 0)
    return np.random.default_rng(random_state)


def check_count(name: str, value: object, least: int) -> None:
    """Refuse anything but an integer of at least the minimum."""
    ok = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least
    check(ok, name, value, f"must be an integer of at least {least}; use for example {least + 10}")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Refuse anything that is not one of the choices."""
    check(value in choices, name, value, f"must be one of {choices}; use for example {choices[0]!r}")


def check(ok: object, name: str, value: object, rule: str) -> None:
    """Name the parameter, its value, the rule and the remedy."""
    if not ok:
        raise ValueError(f"{name}={value!r} {rule}.")
