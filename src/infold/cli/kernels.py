"""Compile all kernels at once, on all cores, so that no later run waits: for container images and clusters.

numba keeps what it compiles on disk, so each task is a few small estimates. Tasks run at the same time, so hardly any
kernel is needed by two of them, as both would compile it.
"""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import joblib
import numpy as np

from infold.core.knn.boxes import box_radii
from infold.core.parallel import progress_bar
from infold.estimators import GeodesicForest
from infold.inference.interval import confidence_interval
from infold.inference.permutation import independence_test
from infold.measures import mutual_information

QUIET: dict[str, Any] = {"n_jobs": 1, "verbose": 0}


def _tables(n: int, d_x: int, d_y: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((n, d_x)), rng.random((n, d_y))


def _estimate(n: int, d_x: int, d_y: int, method: str, **options: Any) -> None:
    x, y = _tables(n, d_x, d_y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these data are not meant to be good
        mutual_information(x, y, method=method, **QUIET, **options)


def _forest(n_columns: int) -> GeodesicForest:
    forest = GeodesicForest(n_estimators=5, random_state=0, n_jobs=1, verbose=0)
    return forest.fit(_tables(100, n_columns, 1)[0])


def trees_of_many_columns() -> None:
    """Compile the growth of trees, by far the largest kernel, and everything that uses trees."""
    forest = _forest(3)
    forest.proximity(), forest.distance(), forest.kneighbors()
    for local_distance in ("released", "paper", "everywhere"):
        _estimate(400, 2, 2, "gksg", n_estimators=5, local_distance=local_distance)
    _estimate(400, 1, 2, "gksg", n_estimators=5)
    _estimate(80, 2, 2, "gksg", n_estimators=5, criterion="two_means", split_search="exact")


def trees_of_two_columns() -> None:
    """Compile the growth of trees on two columns, and the search for neighbours along a column."""
    _forest(2)
    for local_distance in ("paper", "everywhere"):
        _estimate(400, 1, 1, "gksg", n_estimators=5, local_distance=local_distance)


def neighbors() -> None:
    """Compile every neighbour search, and what is refitted many times: surrogates and subsamples of KSG."""
    for n, d in ((80, 1), (100, 2), (2000, 2), (7000, 1)):
        _estimate(n, d, d, "ksg")
    _estimate(100, 2, 2, "ksg", metric="euclidean")
    _estimate(80, 2, 2, "auto")
    for d in (1, 2):
        sides = _tables(300, d, d)
        independence_test(*sides, method="ksg", n_permutations=20, **QUIET)
        confidence_interval(*sides, method="ksg", n_subsamples=20, **QUIET)


def entropies() -> None:
    """Compile the methods that compute MI from entropies."""
    for d in (2, 20):
        _estimate(80, d, d, "gknn", n_neighbors=20)
    for variant in ("defined", "rmi"):
        _estimate(80, 2, 2, "lnn", variant=variant)


TASKS: tuple[Callable[[], None], ...] = (trees_of_many_columns, trees_of_two_columns, neighbors, entropies)
"""The longest comes first, so that processes end at about the same time."""


def folder() -> str | None:
    """Return the folder of compiled kernels, or None if no folder is writable."""
    path: str | None = box_radii.stats.cache_path
    return path


def compile_all(n_jobs: int, verbose: int = 1) -> None:
    """Run all tasks in `n_jobs` processes (-1: as many as there are cores)."""
    # A forked process has everything imported already, which saves two seconds each; forking is safe on Linux only.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(joblib.effective_n_jobs(n_jobs), context)
    with pool, progress_bar(len(TASKS), "compiling", verbose) as bar:
        for done in as_completed([pool.submit(task) for task in TASKS]):
            done.result()
            bar.update()
