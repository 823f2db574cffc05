"""Run the blocks of one computation on threads, with a progress bar on a terminal.

Kernels release the GIL and write into shared arrays, so plain threads do. Whole estimates (permutations, repetitions,
pairs) are joblib's to spread, on this machine or on a cluster; within one of its tasks this module uses one thread.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend
from threadpoolctl import ThreadpoolController
from tqdm import tqdm

PATIENCE = 1.0  # seconds that pass before a bar appears: short work shows none


def n_workers(n_jobs: int | None) -> int:
    """Return how many threads to use: one inside a parallel task, so that cores are not shared out twice."""
    if in_parallel_task():
        return 1
    if hasattr(get_active_backend()[0], "client"):  # a Dask cluster takes whole estimates; their parts stay here
        with joblib.parallel_config("threading"):
            return int(joblib.effective_n_jobs(n_jobs))
    return int(joblib.effective_n_jobs(n_jobs))


def in_parallel_task() -> bool:
    """Return whether this is a task of joblib, or of a Dask worker, which runs as many as it has cores."""
    if (get_active_backend()[0].nesting_level or 0) > 0:
        return True
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def nested_backend() -> Any:
    """Return what joblib gives a task of its own, for a thread of ours: `in_parallel_task` is then true."""
    return ThreadingBackend(nesting_level=1)


@cache  # finding the libraries takes milliseconds, as long as many small estimates
def blas() -> ThreadpoolController:
    """Return the handle on the threads of numpy's and scipy's linear algebra."""
    import scipy.linalg  # noqa: F401  (scipy may bring a library of its own, which must be loaded to be found)

    return ThreadpoolController()


def progress_bar(total: int, label: str, verbose: int) -> tqdm:
    """Return a bar that shows on a terminal, when the work takes long, and not from within a parallel task."""
    silent = not verbose or not sys.stderr.isatty() or in_parallel_task()
    return tqdm(total=total, desc=label, delay=PATIENCE, leave=False, disable=silent)


def blocks(total: int, size: int) -> list[tuple[int, int]]:
    """Return (start, stop) pairs that cover range(total).

    >>> blocks(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def run(
    task: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], *, n_jobs: int | None, label: str, verbose: int
) -> list[Any]:
    """Return [task(*a) for a in arguments], in order; an interrupt lets running tasks end and starts no others."""
    bar = progress_bar(len(arguments), label, verbose)
    results = []
    workers = min(n_workers(n_jobs), len(arguments))
    if workers == 1:  # a thread of its own would cost more than a small task
        with bar:
            for a in arguments:
                results.append(task(*a))
                bar.update()
        return results
    with bar, ThreadPoolExecutor(workers) as pool:
        try:
            for future in [pool.submit(task, *a) for a in arguments]:
                results.append(future.result())
                bar.update()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results
