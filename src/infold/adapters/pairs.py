"""The p-value that both adapters hand over: one pair of columns, given some others or none."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from infold.data.checks import DataWarning
from infold.inference.given import neighbors_of_test
from infold.inference.permutation import independence_test
from infold.results import IndependenceTest

METHOD = "ksg"  # of tests with and without Z, so that both have the same statistic


def pair_test(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    discrete: tuple[list[int], list[int], list[int]],
    *,
    n_permutations: int,
    early_stop: bool,
    random_state: int,
    n_jobs: int | None,
    **options: Any,
) -> IndependenceTest:
    """Return the test of x (n, p) and y (n, q) given z (n, r), where r may be 0; `discrete` are nominal columns.

    Searches for graphs test hundreds of pairs: what is odd about columns would be said as often, so nothing is said.
    """
    options.setdefault("method", METHOD)
    if z.shape[1]:
        options["discrete_z"] = discrete[2] or None
    else:
        options.setdefault("n_neighbors", neighbors_of_test(len(x)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return independence_test(
            x,
            y,
            z if z.shape[1] else None,
            discrete_x=discrete[0] or None,
            discrete_y=discrete[1] or None,
            n_permutations=n_permutations,
            early_stop=early_stop,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=0,
            **options,
        )
