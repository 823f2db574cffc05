"""Compile all kernels at once, on two cores, so that no later run waits: for container images and clusters.

numba keeps what it compiles on disk, so a task is a few small computations. Tasks run at the same time, take about
equally long, and have hardly any kernel in common, as both would compile it.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import joblib
import numpy as np

from infold.core.forest.forest import renumber
from infold.core.geodesic.apart import fill_apart
from infold.core.geodesic.counts import geodesic_counts
from infold.core.geodesic.distance import local_part
from infold.core.geodesic.matrix import geodesic_matrix
from infold.core.knn.information import shared_spaces
from infold.estimators import GeodesicForest
from infold.inference.permutation import independence_test
from infold.measures import mutual_information
from infold.parallel.scheduler import progress_bar

QUIET: dict[str, Any] = {"n_jobs": 1, "verbose": 0}


def _tables(n: int, d_x: int, d_y: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random((n, d_x)), rng.random((n, d_y))


def _estimate(n: int, d_x: int, d_y: int, method: str, **options: Any) -> None:
    x, y = _tables(n, d_x, d_y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # these data are not meant to be good
        mutual_information(x, y, method=method, **QUIET, **options)


def trees() -> None:
    """Compile the growth of trees, and where they send rows."""
    for n_columns in (1, 4):
        forest = GeodesicForest(n_estimators=2, random_state=0, **QUIET)
        forest.fit(_tables(600, n_columns, 1)[0]).apply(_tables(20, n_columns, 1)[0])


def neighbors() -> None:
    """Compile everything else: searches for neighbours, with leaf ids of every type, and neighbourhoods' shapes."""
    for n, d in ((80, 2), (700, 1), (2_000, 2)):  # a scan; boxes and sorted columns; boxes alone
        _estimate(n, d, d, "ksg")
    _estimate(80, 2, 2, "ksg", metric="euclidean")
    for leaf_type in (np.uint8, np.uint16, np.uint32):
        _geodesic(leaf_type)
    for d in (2, 20):  # by a tree, and by brute force
        _estimate(80, d, d, "gknn", n_neighbors=20)
    for variant in ("defined", "rmi"):
        _estimate(80, 2, 2, "lnn", variant=variant)
    _estimate(80, 2, 2, "auto")
    independence_test(*_tables(40, 1, 1), method="ksg", n_permutations=5, alpha=0.5, **QUIET)
    independence_test(*_tables(40, 1, 1), _tables(40, 1, 2)[1], n_permutations=2, alpha=0.5, **QUIET)  # given Z


def _geodesic(leaf_type: type) -> None:
    """Compile G-KSG's counts and a forest's distances, on leaves that no tree has grown: trees are another task."""
    n, sizes, spaces = 40, (1, 2), shared_spaces(2)
    columns, rows = np.hstack(_tables(n, *sizes)).T.copy(), np.arange(n)
    orders, nodes = [np.argsort(columns[0]), rows], np.zeros(n, np.int32)
    leaves: np.ndarray = np.zeros((2, 3, n), leaf_type)
    for own, order in zip(leaves, orders, strict=True):
        renumber(nodes, order, 1, own[0])
    local = local_part("everywhere", 3, [columns[:1], columns[1:]])
    geodesic_counts(leaves, columns, sizes, orders, local, spaces.masks, 3, rows, **QUIET)
    geodesic_matrix(leaves[1], columns[1:], rows, n, local_part("paper", 3, [columns[1:]]))


TASKS: tuple[Callable[[], None], ...] = (trees, neighbors)


def folder() -> str | None:
    """Return the folder that has all folders of compiled kernels, or None if no folder is writable."""
    paths = [kernel.stats.cache_path for kernel in (renumber, fill_apart)]
    return None if None in paths else os.path.commonpath(paths)


def compile_all(n_jobs: int, verbose: int = 1) -> None:
    """Run all tasks in `n_jobs` processes (-1: as many as there are cores)."""
    # A forked process has everything imported already, which saves two seconds each; forking is safe on Linux only.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(joblib.effective_n_jobs(n_jobs), context)
    with pool, progress_bar(len(TASKS), "compiling", verbose) as bar:
        for done in as_completed([pool.submit(task) for task in TASKS]):
            done.result()
            bar.update()
