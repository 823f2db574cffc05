"""Whole estimates in parallel: permutations, subsamples, repetitions, pairs.

joblib says where: on threads of this machine, in processes or, under `joblib.parallel_config("dask")`, on a cluster.
What a task needs of chance is among its arguments, drawn up front: neither the number of workers, nor their order, nor
the loss of one changes a bit of the answer.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from ._validation import without_data_warnings

Job = tuple[Any, ...]
Answers = tuple[int, float, list[Any]]  # the number of the first job, seconds that all took, and what each returned
BATCH_SECONDS = 0.04  # that jobs done together should take: handing them over takes a fifth of a millisecond
FEWEST = 8  # the last batches may be so many times as short


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
    together: bool = False,
) -> Generator[Any, None, None]:
    """Yield what `run` returns, each as soon as all before it are there; to close the iterator ends the work.

    With `together`, `function` takes a list of jobs instead of the arguments of one, and returns a list: for short jobs
    that have work in common.
    """
    from .core.parallel import progress_bar

    early: dict[int, Any] = {}
    answers = as_finished(function, jobs, n_jobs=n_jobs, prefer=prefer, together=together)
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
    together: bool = False,
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*jobs[i])) in the order in which they are finished.

    Warnings about data are the caller's to give, once, and not those of each task. An interrupt, or closing the
    iterator, ends what is running and starts nothing else.
    """
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    from ._cluster import active_client, on_cluster
    from .core.parallel import blas, in_parallel_task

    inner = in_parallel_task()  # cores are not shared out twice
    client = None if inner else active_client()
    if client is not None:
        yield from on_cluster(client, function, jobs, together=together)
        return
    workers = 1 if inner else int(effective_n_jobs(n_jobs))
    batches = _Batches(jobs, workers if together else None)
    tasks = ((function, together, *batch) for batch in batches)
    threads = getattr(get_active_backend(prefer=prefer)[0], "uses_threads", False) and workers > 1
    # Filters, and the threads of BLAS, are settings of a process; in other processes `_batch` and joblib see to them.
    with without_data_warnings, blas().limit(limits=1):
        answers = _on_threads(tasks, workers, batches) if threads else _by_joblib(tasks, workers, batches, prefer)
        with closing(answers):
            for first, _, found in answers:
                yield from enumerate(found, first)


def _by_joblib(
    tasks: Iterator[Job], workers: int, batches: _Batches, prefer: str | None
) -> Generator[Answers, None, None]:
    """Yield _batch(*task) of each, as they are finished, from wherever joblib was told to do them."""
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=workers, prefer=prefer, return_as="generator_unordered")
    answers = parallel(delayed(_batch)(*task) for task in tasks)
    try:
        for answer in answers:
            batches.learn(answer)
            yield answer
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib: "… have been cancelled"; that was the wish
            answers.close()


def _on_threads(tasks: Generator[Job, None, None], workers: int, batches: _Batches) -> Generator[Answers, None, None]:
    """Yield the same from threads, which take the next task by themselves.

    joblib looks for answers a hundred times a second: too seldom for short batches.
    """
    from joblib import parallel_config

    from .core.parallel import nested_backend

    lock = Lock()
    finished: SimpleQueue[Answers | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            with parallel_config(nested_backend()):
                while True:
                    with lock:
                        task = next(tasks, None)
                    if task is None:
                        break
                    answer = _batch(*task)
                    with lock:
                        batches.learn(answer)
                    finished.put(answer)
        except BaseException as error:  # the caller's to raise
            finished.put(error)
        finished.put(None)

    busy = workers
    try:
        for _ in range(workers):
            Thread(target=work, daemon=True).start()  # one that is busy keeps nobody from leaving
        while busy:
            answer = finished.get()
            if answer is None:
                busy -= 1
            elif isinstance(answer, BaseException):
                raise answer
            else:
                yield answer
    finally:
        with lock:
            tasks.close()


class _Batches:
    """Jobs in batches: one by one, or, with a number of workers, more at a time as they turn out to be short."""

    def __init__(self, jobs: Sequence[Job], workers: int | None) -> None:
        self._jobs, self._workers, self._size = jobs, workers, 1

    def __iter__(self) -> Iterator[tuple[int, Sequence[Job]]]:
        first, n_jobs = 0, len(self._jobs)
        while first < n_jobs:
            fair = -(-(n_jobs - first) // (2 * (self._workers or 1)))  # so that workers end at about the same time
            size = min(self._size, max(fair, self._size // FEWEST))
            yield first, self._jobs[first : first + size]
            first += size

    def learn(self, answers: Answers) -> None:
        """Adjust the size, now that it is known how long some took."""
        _, seconds, found = answers
        if self._workers is not None:
            fitting = int(BATCH_SECONDS / max(seconds / len(found), 1e-6))
            self._size = max(1, min(fitting, 4 * self._size))


def _batch(function: Callable[..., Any], together: bool, first: int, batch: Sequence[Job]) -> Answers:
    start = time.perf_counter()
    with without_data_warnings:
        found = function(batch) if together else [function(*job) for job in batch]
    return first, time.perf_counter() - start, found
