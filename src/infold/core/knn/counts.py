"""Neighbour counts of any blocks in any spaces: which search to use, on threads if that is worth it.

All searches are exact and compare the same differences, so the choice changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from operator import call

import numpy as np

from infold.parallel.scheduler import blocks, run

from .boxes import Boxes, box_counts, box_radii, make_boxes
from .scan import CHEBYSHEV, scan_counts
from .selection import ATOM
from .sorted import sorted_counts

# Boxes pay from so many rows per column on; in more columns all rows are about equally far.
BOX_ROWS, BOX_COLUMNS = 200, 10
# With so many rows it is worth asking the data, which may have fewer dimensions than columns: one box in PROBED is
# searched. A scan looks at all rows, but faster: it wins if a search looks at more than this share of them.
PROBE_FROM, PROBED, WORTH_BOXES = 10_000, 50, 0.35
NARROW, WIDE, NARROW_COLUMNS = 64, 128, 6  # rows of a box
# Starting threads takes a millisecond or two: so many values compared in a scan, or rows in boxes, take ten.
SCANNED, BOXED = 5e7, 5_000
TASKS = 16  # so that no thread waits long for the last one

Task = tuple[Callable[[int, int], object], int]  # f, called with parts of range(total); total


def neighbor_counts(
    columns: np.ndarray,
    sizes: Sequence[int],
    spaces: Sequence[int],
    k: int,
    *,
    metrics: Sequence[int] | None = None,
    n_queries: int | None = None,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> np.ndarray:
    """Return (1 + spaces, n): k, and how many rows are nearer than the k-th neighbour in each space.

    Parameters
    ----------
    columns : array of shape (d, n)
        Finite values in comparable units.
    sizes : sequence of int
        How many columns each block has, in order; d in all.
    spaces : sequence of int
        Bit masks of blocks.
    k : int
        Less than n.
    metrics : sequence of {CHEBYSHEV, EUCLIDEAN}, optional
        The norm of each block; the maximum norm by default. Blocks are always joined by the maximum.
    n_queries : int, optional
        Count for the first so many rows only; neighbours are sought among all.

    Notes
    -----
    The k-th neighbour is that in the space of all blocks. Every count includes the row itself. Where the k-th neighbour
    is at distance 0, the first row of the answer is the number of copies instead of k, and "nearer" means copies.
    """
    (d, n), starts = columns.shape, np.concatenate(([0], np.cumsum(sizes)))
    queries = n if n_queries is None else n_queries
    norms = np.array([CHEBYSHEV] * len(sizes) if metrics is None else metrics)
    if not norms.any() and boxes_may_pay(d, n):
        threads = n_jobs if n >= BOXED else 1
        boxes = make_boxes(columns, NARROW if d <= NARROW_COLUMNS else WIDE)
        if n < PROBE_FROM or _visited_share(boxes, k, n) <= WORTH_BOXES:
            run_tasks = partial(_run, n_jobs=threads, verbose=verbose)
            return _by_boxes(columns, starts, spaces, k, boxes, run_tasks)[:, :queries]
    counts = np.empty((queries, 1 + len(spaces)), np.int64)
    scan = partial(scan_counts, columns, starts, norms, np.array(spaces), k, counts)
    _run([(scan, queries)], n_jobs=n_jobs if float(queries) * n * d >= SCANNED else 1, verbose=verbose)
    return counts.T


def boxes_may_pay(d: int, n: int) -> bool:
    """Return whether a table (d, n) is large enough for boxes."""
    return n >= (BOX_ROWS * d if d <= BOX_COLUMNS else PROBE_FROM)


def _visited_share(boxes: Boxes, k: int, n: int) -> float:
    """Return the share of all rows that a search for neighbours looks at, by a few searches."""
    n_boxes, _, width = boxes.tiles.shape
    probes, radii = range(0, n_boxes, PROBED), np.empty(n)
    visits = sum(box_radii(boxes, k, radii, box, box + 1) for box in probes)
    return visits * width * n_boxes / (len(probes) * float(n) * n)


def _by_boxes(
    columns: np.ndarray,
    starts: np.ndarray,
    spaces: Sequence[int],
    k: int,
    boxes: Boxes,
    run_tasks: Callable[[Sequence[Task]], None],
) -> np.ndarray:
    n, n_boxes = columns.shape[1], len(boxes.tiles)
    radii, counts = np.empty(n), np.empty((1 + len(spaces), n), np.int64)
    run_tasks([(partial(box_radii, boxes, k, radii), n_boxes)])
    bounds, counts[0] = np.maximum(radii, ATOM), k
    tasks: list[Task] = []
    for space, out in zip(spaces, counts[1:], strict=True):
        own = columns[[f for b, (i, j) in enumerate(pairwise(starts)) if space >> b & 1 for f in range(i, j)]]
        if len(own) == 1:
            tasks.append((partial(sorted_counts, np.sort(own[0]), own[0], boxes.order, bounds, out), n))
        else:
            within = make_boxes(own, WIDE)
            tasks.append((partial(box_counts, within, bounds, out), len(within.tiles)))
    atoms = radii == 0
    if atoms.any():
        copies = np.empty(n, np.int64)
        tasks.append((partial(box_counts, boxes, bounds, copies), n_boxes))
    run_tasks(tasks)
    if atoms.any():
        counts[0, atoms] = copies[atoms]
    return counts


def _run(tasks: Sequence[Task], *, n_jobs: int | None, verbose: int) -> None:
    """Call each task's function with all parts of its range."""
    if n_jobs == 1:  # at once: a small estimate takes no longer than the scheduler
        for task, total in tasks:
            task(0, total)
        return
    parts = [(task, *part) for task, total in tasks for part in blocks(total, -(-total // TASKS))]
    run(call, parts, n_jobs=n_jobs, label="KSG", verbose=verbose)
