"""Jobs on a Dask cluster, for `joblib.parallel_config("dask")`.

joblib's own backend scatters large arguments, and what is scattered is lost with the worker that holds it; and when
Dask gives up on a job that has taken down several workers, that backend waits forever. So jobs are submitted to the
client here: losing a worker changes nothing, and losing a job is an error.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from numbers import Number
from typing import Any


def on_cluster(
    client: Any, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], batch: int = 1
) -> Generator[tuple[int, Any], None, None]:
    """Yield (i, function(*jobs[i])) in the order in which they are finished; `batch` jobs are handed over at a time."""
    from distributed import as_completed

    common = _common(client, jobs)
    numbered = [(i, tuple(common.get(id(value), value) for value in job)) for i, job in enumerate(jobs)]
    batches = [numbered[first : first + batch] for first in range(0, len(jobs), batch)]
    running = {client.submit(_several, function, some, pure=False) for some in batches}
    try:
        for future in as_completed(list(running), loop=client.loop):
            yield from future.result()
            running.remove(future)
            future.release()  # or it would be computed again if its worker were lost
    finally:
        client.cancel([*running, *common.values()])


def _common(client: Any, jobs: Sequence[tuple[Any, ...]]) -> dict[int, Any]:
    """Return, by identity, the objects that several jobs have in common, as futures: each worker gets them once."""
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


def _several(function: Callable[..., Any], batch: list[tuple[int, tuple[Any, ...]]]) -> list[tuple[int, Any]]:
    """Return the answers of a batch, by number; with linear algebra on one thread, as on the machine of the caller."""
    from .scheduler import one_blas_thread

    with one_blas_thread():
        return [(i, function(*job)) for i, job in batch]
