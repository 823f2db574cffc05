"""Neighbour counts of any blocks in any spaces: which search to use, on threads if that is worth it.

All searches are exact and compare the same differences, so the choice changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from ..parallel import blocks, run
from .boxes import Boxes, box_counts, box_radii, make_boxes
from .scan import CHEBYSHEV, padded, scan_counts
from .selection import ATOM
from .sorted import sorted_counts

# Boxes pay from so many rows per column on; in more columns all rows are about equally far.
BOX_ROWS, BOX_COLUMNS = 200, 10
# With so many rows it is worth asking the data, which may have fewer dimensions than columns: one box in PROBED is
# searched. A scan looks at all rows, but faster: it wins if a search looks at more than this share of them.
PROBE_FROM, PROBED, WORTH_BOXES = 10_000, 50, 0.35
NARROW, WIDE, NARROW_COLUMNS = 64, 128, 6  # rows of a box
# Costs are in coordinates compared, of which a thread does about 5e9 per second.
PAIR_COST = 6  # what a pair of rows costs besides its columns
ROW_COST = 1_000  # what a row costs in boxes or a sorted column besides the rows that it is compared with
WORTH_THREADS = 2e8  # about 40 ms: starting threads takes some milliseconds
TASKS = 16  # so that no thread waits long for the last one

Task = tuple[Callable[[int, int], object], int, float]


def neighbor_counts(
    columns: np.ndarray,
    sizes: Sequence[int],
    spaces: Sequence[int],
    k: int,
    *,
    metrics: Sequence[int] | None = None,
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

    Notes
    -----
    The k-th neighbour is that in the space of all blocks. Every count includes the row itself. Where the k-th neighbour
    is at distance 0, the first row of the answer is the number of copies instead of k, and "nearer" means copies.
    """
    starts = np.concatenate(([0], np.cumsum(sizes)))
    norms = np.array([CHEBYSHEV] * len(sizes) if metrics is None else metrics)
    found = None
    if not norms.any() and boxes_may_pay(*columns.shape):
        found = _by_boxes(columns, starts, spaces, k, n_jobs, verbose)
    if found is None:
        found = _by_scan(columns, starts, norms, spaces, k, n_jobs, verbose)
    return found


def boxes_may_pay(d: int, n: int) -> bool:
    """Return whether a table (d, n) is large enough for boxes."""
    return n >= (BOX_ROWS * d if d <= BOX_COLUMNS else PROBE_FROM)


def _by_scan(
    columns: np.ndarray,
    starts: np.ndarray,
    norms: np.ndarray,
    spaces: Sequence[int],
    k: int,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    d, n = columns.shape
    counts, table, masks = np.empty((n, 1 + len(spaces)), np.int64), padded(columns), np.array(spaces)

    def work(begin: int, stop: int) -> None:
        scan_counts(table, starts, norms, masks, k, begin, stop, counts)

    _in_parts([(work, n, float(n) * n * (d + PAIR_COST))], n_jobs, verbose)
    return counts.T


def _by_boxes(
    columns: np.ndarray, starts: np.ndarray, spaces: Sequence[int], k: int, n_jobs: int | None, verbose: int
) -> np.ndarray | None:
    """Return the counts, or None if a few searches show that a scan will be faster."""
    d, n = columns.shape
    boxes = make_boxes(columns, NARROW if d <= NARROW_COLUMNS else WIDE)
    radii, n_boxes, width = np.empty(n), len(boxes.tiles), boxes.tiles.shape[2]
    share = 0.1  # of the rows that a search looks at, unless it is known better
    if n >= PROBE_FROM:
        probes = range(0, n_boxes, PROBED)
        visits = sum(box_radii(boxes, k, box, box + 1, radii) for box in probes)
        share = visits * width * n_boxes / (len(probes) * float(n) * n)
        if share > WORTH_BOXES:
            return None
    cost = float(n) * (n * share * (d + PAIR_COST) + ROW_COST)

    def search(first: int, stop: int) -> None:
        box_radii(boxes, k, first, stop, radii)

    _in_parts([(search, n_boxes, cost)], n_jobs, verbose)
    counts = np.empty((1 + len(spaces), n), np.int64)
    bounds, counts[0] = np.maximum(radii, ATOM), k
    tasks = [
        _counting(columns[_columns_of(space, starts)], bounds, cost, out)
        for space, out in zip(spaces, counts[1:], strict=True)
    ]
    if not radii.all():
        tasks.append(_box_task(boxes, bounds, cost, copies := np.empty(n, np.int64)))
    _in_parts(tasks, n_jobs, verbose)
    if not radii.all():
        counts[0] = np.where(radii == 0, copies, k)
    return counts


def _columns_of(space: int, starts: np.ndarray) -> np.ndarray:
    """Return the columns of a space."""
    return np.concatenate([np.arange(a, b) for i, (a, b) in enumerate(pairwise(starts)) if space >> i & 1])


def _counting(columns: np.ndarray, bounds: np.ndarray, cost: float, counts: np.ndarray) -> Task:
    """Return the task of counting, in one space, the rows nearer than its bound to each row."""
    if len(columns) > 1:
        return _box_task(make_boxes(columns, WIDE), bounds, cost, counts)
    order = np.argsort(columns[0])
    ordered = columns[0][order]

    def work(begin: int, stop: int) -> None:
        sorted_counts(ordered, order, bounds, begin, stop, counts)

    return work, len(order), float(len(order)) * ROW_COST


def _box_task(boxes: Boxes, bounds: np.ndarray, cost: float, counts: np.ndarray) -> Task:
    def work(first: int, stop: int) -> None:
        box_counts(boxes, bounds, first, stop, counts)

    return work, len(boxes.tiles), cost


def _in_parts(tasks: Sequence[Task], n_jobs: int | None, verbose: int) -> None:
    """Run tasks (f, total, cost), each as f(begin, stop) over range(total): on threads if the cost is worth it."""
    if sum(cost for *_, cost in tasks) < WORTH_THREADS:
        for task, total, _ in tasks:
            task(0, total)
        return
    parts = [(task, begin, stop) for task, total, _ in tasks for begin, stop in blocks(total, -(-total // TASKS))]
    run(lambda task, begin, stop: task(begin, stop), parts, n_jobs=n_jobs, label="KSG", verbose=verbose)
