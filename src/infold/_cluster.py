"""Tasks on a Dask cluster, for `joblib.parallel_config("dask")`.

joblib's own backend scatters large arguments, and what is scattered is lost with the worker that holds it; and when
Dask gives a task up, after it has taken several workers down, that backend waits for ever. So the tasks are handed to
the client here: the loss of a worker changes nothing, and the loss of a task is an error.
"""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from numbers import Number
from typing import Any

from ._validation import without_data_warnings

AHEAD = 3  # batches for each core, so that none waits for the next
SHORT, LONG = 0.1, 0.5  # seconds that a batch should take: handing one over takes some milliseconds


def active_client() -> Any:
    """Return the client of the Dask cluster that joblib was told to use, or None."""
    from joblib.parallel import get_active_backend

    return getattr(get_active_backend()[0], "client", None)


def on_cluster(
    client: Any, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], *, together: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield (i, function(*jobs[i])) in the order in which they are finished.

    With `together`, `function` takes a list of jobs and returns a list.
    """
    from distributed import as_completed

    common = _common(client, jobs)
    waiting = ((i, tuple(common.get(id(value), value) for value in job)) for i, job in enumerate(jobs))
    size = 1
    batches = as_completed(loop=client.loop)
    running: set[Any] = set()

    def fill() -> None:
        while len(running) < AHEAD * max(1, sum(client.ncores().values())):  # workers come and go
            batch = list(islice(waiting, size))
            if not batch:
                return
            future = client.submit(_several, function, together, batch, pure=False)
            running.add(future)
            batches.add(future)

    try:
        fill()
        for future in batches:
            seconds, answers = future.result()
            running.remove(future)
            if seconds < SHORT:
                size = max(size, 2 * len(answers))
            elif seconds > LONG:
                size = max(1, size // 2)
            fill()
            yield from answers
    finally:
        client.cancel([*running, *common.values()])


def _common(client: Any, jobs: Sequence[tuple[Any, ...]]) -> dict[int, Any]:
    """Return, by identity, the objects that several jobs have in common, as futures: they travel once a worker."""
    times = Counter(key for job in jobs for key in {id(value) for value in job})
    objects = {id(value): value for job in jobs for value in job if times[id(value)] > 1 and not _is_light(value)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")  # one copy, which the scheduler keeps
        return {key: client.submit(_same, value, pure=False) for key, value in objects.items()}


def _is_light(value: Any) -> bool:
    return value is None or callable(value) or isinstance(value, str | Number)


def _same(value: Any) -> Any:
    """Return `value`: a result, unlike what is scattered, is made again if it is lost."""
    return value


def _several(
    function: Callable[..., Any], together: bool, batch: list[tuple[int, tuple[Any, ...]]]
) -> tuple[float, list[tuple[int, Any]]]:
    """Return the seconds that a batch took, and its answers by number."""
    start = time.perf_counter()
    numbers, jobs = zip(*batch, strict=True)
    with without_data_warnings:
        found = function(jobs) if together else [function(*job) for job in jobs]
    return time.perf_counter() - start, list(zip(numbers, found, strict=True))
