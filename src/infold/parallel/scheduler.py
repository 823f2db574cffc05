"""The one scheduler: parts of an estimate on threads, whole estimates on threads, in processes or on a cluster.

`run` is for parts of one computation, which share memory: kernels release the GIL and write into common arrays.
`in_order` and `as_finished` are for whole estimates (permutations, subsamples, repetitions); joblib says where those
run: on threads of this machine, in processes or, under `joblib.parallel_config("dask")`, on a cluster. A job's random
seeds are among its arguments, drawn up front: neither the number of workers nor their order changes a bit of the
answer. Inside a job everything runs on one thread, so that cores are not oversubscribed.

Python notices Ctrl-C in the main thread, between two bytecode instructions, and a kernel is one of these, however long
it takes; within the compiler an interrupt may get lost, or surface as another error. So the main thread never works: it
waits for a thread that does, and `in_slices` cuts one long loop into short ones.
"""

from __future__ import annotations

import numbers
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread, current_thread, local, main_thread
from time import perf_counter
from typing import Any

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend
from threadpoolctl import ThreadpoolController
from tqdm import tqdm

Job = tuple[Any, ...]

PATIENCE = 1.0  # seconds that pass before a bar appears: short work shows none
BATCHES_PER_WORKER = 8  # so that no worker waits long for the last batch
LISTEN = 0.5  # seconds that a thread waits or works before it checks whether it should stop
GROWTH = 4  # from one slice to the next, at most

_this_thread = local()  # of a worker: `stopped`, set when nobody wants its answers any more


def n_workers(n_jobs: int | None) -> int:
    """Return how many threads to use: one inside a parallel job, so that cores are not oversubscribed."""
    if in_parallel_task():
        return 1
    if hasattr(get_active_backend()[0], "client"):  # a Dask cluster takes whole estimates; their parts stay here
        with joblib.parallel_config("threading"):
            return _effective(n_jobs)
    return _effective(n_jobs)


def _effective(n_jobs: int | None) -> int:
    """Return the number of workers that joblib makes of `n_jobs`."""
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None; pass -1 for all cores.")
    return int(joblib.effective_n_jobs(n_jobs))


def in_parallel_task() -> bool:
    """Return whether this is a job of ours, of joblib, or of a Dask worker, which runs as many as it has cores."""
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


@cache  # finding the libraries takes milliseconds, as long as many small estimates
def blas() -> ThreadpoolController:
    """Return the controller of the threads of numpy's and scipy's linear algebra."""
    import scipy.linalg  # noqa: F401  (scipy may bring a library of its own, which must be loaded to be found)

    return ThreadpoolController()


class _OneThread:
    """Keeps linear algebra to one thread while anybody in this process wants it so.

    OpenBLAS has one setting for the whole process. Had each thread saved and restored it by itself, the first to leave
    would have lifted the limit for the others, and the last would have restored the limit. threadpoolctl lets no thread
    but the one that set a limit lift it. So one thread does both: for the first to enter, and for the last to leave.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._keeper: Thread | None = None
        self._left = Event()

    def enter(self) -> None:
        with self._lock:
            if self._keeper is None:
                entered, self._left = Event(), Event()
                keeper = Thread(target=self._keep, args=(blas(), entered, self._left), daemon=True)
                self._keeper = keeper
                try:
                    keeper.start()
                    entered.wait()
                except BaseException:  # Ctrl-C
                    self._left.set()
                    self._keeper = None
                    raise
            self._users += 1

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0 and self._keeper is not None:
                self._left.set()
                self._keeper.join()
                self._keeper = None

    @staticmethod
    def _keep(controller: ThreadpoolController, entered: Event, left: Event) -> None:
        try:
            with controller.limit(limits=1):
                entered.set()
                left.wait()
        finally:
            entered.set()


_one_thread = _OneThread()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep linear algebra to one thread within a `with` block, so that its sums do not depend on how many there are."""
    _one_thread.enter()
    try:
        with blas().limit(limits=1):  # libraries such as MKL have a setting for each thread
            yield
    finally:
        _one_thread.leave()


def progress_bar(total: int, label: str, verbose: int) -> tqdm:
    """Return a bar that shows on a terminal, when the work takes long, and not from within a parallel job."""
    silent = not verbose or not sys.stderr.isatty() or in_parallel_task()
    return tqdm(total=total, desc=label, delay=PATIENCE, leave=False, disable=silent)


def blocks(total: int, size: int) -> list[tuple[int, int]]:
    """Return (start, stop) pairs that cover range(total).

    >>> blocks(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def run(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    label: str,
    verbose: int,
) -> list[Any]:
    """Return [function(*job) for job in jobs], on threads of this machine, with a progress bar on a terminal.

    >>> run(pow, [(10, 2), (10, 3), (10, 4)], n_jobs=2, label="powers", verbose=0)
    [100, 1000, 10000]
    """
    answers = _on_threads(function, jobs, n_workers(n_jobs), batch=1)
    return list(_sorted(answers, len(jobs), label, verbose))


def interruptible(function: Callable[..., Any], *args: Any) -> Any:
    """Return function(*args); the main thread has another one call it, and listens for Ctrl-C.

    >>> interruptible(pow, 10, 2)
    100
    """
    if current_thread() is not main_thread():
        return function(*args)
    backend, n_jobs = get_active_backend()

    def configured(*args: Any) -> Any:
        with joblib.parallel_config(backend, n_jobs=n_jobs):  # which joblib keeps for each thread
            return function(*args)

    [(_, answer)] = _on_threads(configured, [args], 1, as_workers=False)
    return answer


def in_order(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    label: str,
    verbose: int,
    prefer: str | None = "threads",
    batch: int = 1,
) -> Generator[Any, None, None]:
    """Yield function(*job) of each job, a whole estimate, as soon as all before it are there.

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
    batch : int
        How many jobs are handed over at a time, at most: for short jobs.

    Yields
    ------
    Any
        Answers. Closing the generator ends the work: running jobs are not waited for, and no other is started.
    """
    answers = as_finished(function, jobs, n_jobs=n_jobs, prefer=prefer, batch=batch)
    return _sorted(answers, len(jobs), label, verbose)


def as_finished(
    function: Callable[..., Any],
    jobs: Sequence[Job],
    *,
    n_jobs: int | None,
    prefer: str | None = "threads",
    batch: int = 1,
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*jobs[i])) in the order in which they are finished; parameters as in `in_order`."""
    inner, backend = in_parallel_task(), get_active_backend(prefer=prefer)[0]
    workers = 1 if inner else _effective(n_jobs)
    if not inner and hasattr(backend, "client"):
        from .cluster import on_cluster

        cores = max(1, sum(backend.client.ncores().values()))
        answers = on_cluster(backend.client, function, jobs, _batch_size(len(jobs), cores, batch))
    elif workers == 1 or getattr(backend, "uses_threads", False):
        answers = _on_threads(function, jobs, workers, _batch_size(len(jobs), workers, batch))
    else:
        answers = _by_joblib(function, jobs, workers, prefer)
    # Linear algebra on one thread for each of ours: its sums must not depend on how many jobs run at a time.
    with closing(answers), one_blas_thread():
        yield from answers


def _batch_size(n_jobs: int, workers: int, most: int) -> int:
    return max(1, min(most, -(-n_jobs // (BATCHES_PER_WORKER * workers))))


def _sorted(
    answers: Generator[tuple[int, Any], None, None], count: int, label: str, verbose: int
) -> Generator[Any, None, None]:
    """Yield the answers to jobs 0, 1, 2, …, each as soon as it is there, with a progress bar."""
    early: dict[int, Any] = {}
    with closing(answers), progress_bar(count, label, verbose) as bar:
        for wanted in range(count):
            while wanted not in early:
                number, answer = next(answers)
                early[number] = answer
                bar.update()
            yield early.pop(wanted)


def _on_threads(
    function: Callable[..., Any], jobs: Sequence[Job], workers: int, batch: int = 1, *, as_workers: bool = True
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*jobs[i])) from threads of this process; a single worker is the caller's, unless that is main.

    Not by joblib: it looks for answers a hundred times a second, and parts of an estimate take milliseconds. As a
    worker, a thread starts no others.
    """
    single = min(workers, len(jobs)) <= 1
    if single and current_thread() is not main_thread():
        for i, job in enumerate(jobs):
            check_wanted()
            yield i, function(*job)
        return
    batches = blocks(len(jobs), batch)
    threads = min(workers, len(batches))
    waiting: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
    finished: SimpleQueue[list[tuple[int, Any]] | BaseException] = SimpleQueue()
    stopped = Event()
    if not single:
        for one in batches:
            waiting.put(one)

    def work() -> None:
        if as_workers:
            _mark_as_worker()
        _this_thread.stopped = stopped
        try:
            while (block := waiting.get()) and not stopped.is_set():
                finished.put([(i, function(*jobs[i])) for i in range(*block) if not stopped.is_set()])
        except BaseException as error:  # the caller's to raise
            finished.put(error)

    try:
        for _ in range(threads):
            Thread(target=work, daemon=True).start()  # one that is busy keeps nobody from leaving
        for one in batches:
            if single:  # nothing is begun before it is asked for
                waiting.put(one)
            answers = _heard(finished)
            if isinstance(answers, BaseException):
                raise answers
            yield from answers
    finally:  # also after an error, an interrupt, or when nobody wants the rest
        stopped.set()
        for _ in range(threads):
            waiting.put(None)


def _heard(queue: SimpleQueue[Any]) -> Any:
    """Return the next item, polling: not every system can interrupt a thread that waits without a timeout.

    A thread that waits may have been told to stop itself.
    """
    while True:
        try:
            return queue.get(timeout=LISTEN)
        except Empty:
            check_wanted()


class Unwanted(Exception):
    """Ends a job whose answer is no longer wanted."""


def check_wanted() -> None:
    """Raise Unwanted in a worker that was told to stop."""
    stopped = getattr(_this_thread, "stopped", None)
    if stopped is not None and stopped.is_set():
        raise Unwanted


def in_slices(function: Callable[[int, int], Any], begin: int, stop: int, first: int) -> None:
    """Call function(i, j) for consecutive parts of range(begin, stop), of about half a second each.

    Between them Python notices Ctrl-C, and a worker that it should stop. The first part has `first` numbers, the others
    a multiple of that.
    """
    if stop - begin <= first:
        function(begin, stop)
        return
    size, start = first, perf_counter()
    while begin < stop:
        check_wanted()
        function(begin, min(begin + size, stop))
        begin += size
        end = perf_counter()
        size = max(1, min(GROWTH * size, int(LISTEN / max(end - start, 1e-9) * size)) // first) * first
        start = end


def _mark_as_worker() -> None:
    """Tell joblib, and so `in_parallel_task`, that this thread is one of several at work."""
    joblib.parallel_config(ThreadingBackend(nesting_level=1))


def _by_joblib(
    function: Callable[..., Any], jobs: Sequence[Job], workers: int, prefer: str | None
) -> Generator[tuple[int, Any], None, None]:
    """Yield the same from the processes that joblib was told to use."""
    parallel = joblib.Parallel(n_jobs=workers, prefer=prefer, return_as="generator_unordered")
    answers = parallel(joblib.delayed(_numbered)(i, function, job) for i, job in enumerate(jobs))
    try:
        yield from answers
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib: "… have been cancelled"; that was the wish
            answers.close()


def _numbered(i: int, function: Callable[..., Any], job: Job) -> tuple[int, Any]:
    return i, function(*job)
