"""The p-value that both adapters hand over: one pair of columns, given some others or none."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass

import numpy as np

from infold.core.copula.null_given import neighbors_of_test
from infold.data.checks import DataWarning
from infold.inference.permutation import independence_test
from infold.results import IndependenceTest


@dataclass(frozen=True)
class PairSettings:
    """What both adapters let their users choose, as in :func:`independence_test`."""

    n_permutations: int = 199
    early_stop: bool = True
    random_state: int = 0
    n_jobs: int | None = -1
    method: str = "ksg"  # of tests with and without Z, so that both have the same statistic
    n_neighbors: int | None = None


def pair_test(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    discrete: tuple[list[int], list[int], list[int]],
    settings: PairSettings,
) -> IndependenceTest:
    """Return the test of x (n, p) and y (n, q) given z (n, r), where r may be 0; `discrete` are nominal columns.

    A search for a graph tests hundreds of pairs and would repeat each warning as often, so warnings are silenced.
    """
    options = asdict(settings)
    if z.shape[1]:
        options["discrete_z"] = discrete[2] or None
    elif settings.n_neighbors is None:
        options["n_neighbors"] = neighbors_of_test(len(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return independence_test(
            x,
            y,
            z if z.shape[1] else None,
            discrete_x=discrete[0] or None,
            discrete_y=discrete[1] or None,
            verbose=0,
            **options,
        )
