"""Whole estimates in parallel: permutations, subsamples, repetitions, pairs.

joblib spreads them, so they run on this machine or, under `joblib.parallel_config("dask")`, on a cluster. What a task
needs of chance is among its arguments, drawn up front: neither the number of workers, nor their order, nor the loss of
one changes a bit of the answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence
from typing import Any

from ._validation import without_data_warnings

Job = tuple[Any, ...]


def run(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    label: str,
    verbose: int,
    prefer: str | None = "threads",
) -> list[Any]:
    """Return [function(*job) for job in jobs], in parallel, with a progress bar on a terminal.

    Parameters
    ----------
    function : callable
        A function of a module, so that other processes find it.
    jobs : sequence of tuples
        The arguments of each call. What several calls have in common, such as the data, should be the same object: it
        then travels to a worker of a cluster only once.
    n_jobs : int or None
        Workers; −1 uses all cores. A Dask cluster uses all of its own.
    label : str
        What the bar calls the work.
    verbose : int
        0 shows no bar.
    prefer : {"threads", "processes", None}
        For work on this machine. Kernels release the GIL, so threads do unless Python itself takes most of the time.

    >>> run(pow, [(10, 2), (10, 3), (10, 4)], n_jobs=2, label="powers", verbose=0)
    [100, 1000, 10000]
    """
    answers = in_order(function, jobs, n_jobs=n_jobs, label=label, verbose=verbose, prefer=prefer)
    return list(answers)


def in_order(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    label: str,
    verbose: int,
    prefer: str | None = "threads",
) -> Generator[Any, None, None]:
    """Yield what `run` returns, each as soon as all before it are there; to close the iterator ends the work."""
    from .core.parallel import progress_bar

    early: dict[int, Any] = {}
    answers = as_finished(function, jobs, n_jobs=n_jobs, prefer=prefer)
    with progress_bar(len(jobs), label, verbose) as bar:
        try:
            for wanted in range(len(jobs)):
                while wanted not in early:
                    number, answer = next(answers)
                    early[number] = answer
                    bar.update()
                yield early.pop(wanted)
        finally:
            answers.close()


def as_finished(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    prefer: str | None = "threads",
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*jobs[i])) in the order in which they are finished.

    Warnings about data are the caller's to give, once, and not those of each task. An interrupt, or closing the
    iterator, ends what is running and starts nothing else.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import threadpool_limits

    from ._cluster import active_client, on_cluster
    from .core.parallel import in_parallel_task

    inner = in_parallel_task()  # cores are not shared out twice
    client = None if inner else active_client()
    if client is not None:
        yield from on_cluster(client, function, jobs)
        return
    parallel = Parallel(n_jobs=1 if inner else n_jobs, prefer=prefer, return_as="generator_unordered")
    # Filters, and the threads of BLAS, are settings of a process: here for all threads, in `_one` for other processes.
    with without_data_warnings, threadpool_limits(1):
        answers = parallel(delayed(_one)(function, i, job) for i, job in enumerate(jobs))
        try:
            for answer in answers:  # noqa: UP028 (`yield from` would close them outside the filter below)
                yield answer
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # joblib: "… have been cancelled"; that was the wish
                answers.close()


def _one(function: Callable[..., Any], number: int, job: Job) -> tuple[int, Any]:
    with without_data_warnings:
        return number, function(*job)
