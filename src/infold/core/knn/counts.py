"""Neighbour counts of any blocks in any spaces: chooses the search, and threads where they pay.

All searches are exact and compare the same differences, so the choice changes no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise

import numpy as np

from infold.parallel.scheduler import blocks, in_slices, run

from .boxes import Boxes, box_counts, box_radii, make_boxes, new_found
from .information import settle_counts
from .scan import CHEBYSHEV, EUCLIDEAN, QUERIES, Geometry, scan_counts
from .sorted import sorted_counts

# Boxes of d columns pay from about BOX_ROWS d² rows on, and from MOST_BOX_ROWS d at the latest; in more columns all
# rows are about equally far.
BOX_ROWS, MOST_BOX_ROWS, BOX_COLUMNS = 20, 200, 10
# With this many rows a trial on the data pays, which may have fewer dimensions than columns: one box in PROBED is
# searched. A scan looks at all rows, but faster: it wins if a search looks at more than this share of them.
PROBE_FROM, PROBED, WORTH_BOXES = 10_000, 50, 0.35
NARROW, WIDE, NARROW_COLUMNS = 64, 128, 6  # rows of a box
# Starting threads takes a millisecond or two: so many values compared in a scan, or rows in boxes, take ten.
SCANNED, BOXED = 5e7, 5_000
COMPARED = 2e8  # so many values are compared in less than half a second
TASKS = 16  # so that no thread waits long for the last one

# f, called with parts of range(total); total; how many of them surely take less than a second
Task = tuple[Callable[[int, int], object], int, int]


def neighbor_counts(
    columns: np.ndarray,
    sizes: Sequence[int],
    spaces: Sequence[int],
    k: int,
    *,
    metrics: Sequence[int] | None = None,
    far: float = np.inf,
    strict: bool = False,
    n_queries: int | None = None,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> np.ndarray:
    """Return (1 + spaces, n): k, and how many rows to take as nearer than the k-th neighbour in each space.

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
    far : float, optional
        Rows at least this far apart in the joint space belong to different classes and are no neighbours. For a row
        with fewer than k neighbours, the last one takes the place of the k-th, and their number that of k.
    strict : bool, default=False
        Count no row that is exactly as far as the k-th neighbour, however many there are: what other packages do, and
        the same unless rows tie.
    n_queries : int, optional
        Count only for this many rows, the first ones; neighbours are sought among all.

    Notes
    -----
    The k-th neighbour is that in the space of all blocks. Every count includes the row itself. The rule for copies and
    for rows that are equally far, whose counts need not be whole numbers, is in `information`.
    """
    (d, n), starts = columns.shape, np.array([0, *accumulate(sizes)])
    queries = n if n_queries is None else n_queries
    norms = [CHEBYSHEV] * len(sizes) if metrics is None else metrics
    geometry = Geometry(starts, np.array(norms), np.array(spaces), far, strict)
    if EUCLIDEAN not in norms and boxes_may_pay(d, n):
        threads = n_jobs if n >= BOXED else 1
        boxes = make_boxes(columns, NARROW if d <= NARROW_COLUMNS else WIDE)
        if n < PROBE_FROM or _visited_share(boxes, k, n) <= WORTH_BOXES:
            run_tasks = partial(_run, n_jobs=threads, verbose=verbose)
            return _by_boxes(columns, geometry, k, boxes, run_tasks)[:queries].T
    counts = np.empty((queries, 1 + len(spaces)))
    scan = partial(scan_counts, columns, geometry, k, counts)
    first = QUERIES * max(1, int(COMPARED / (float(n) * d * QUERIES)))
    _run([(scan, queries, first)], n_jobs=n_jobs if float(queries) * n * d >= SCANNED else 1, verbose=verbose)
    return counts.T


def boxes_may_pay(d: int, n: int) -> bool:
    """Return whether a table (d, n) is large enough for boxes."""
    return n >= (d * min(BOX_ROWS * d, MOST_BOX_ROWS) if d <= BOX_COLUMNS else PROBE_FROM)


def _visited_share(boxes: Boxes, k: int, n: int) -> float:
    """Return the share of all rows that a search for neighbours looks at, by a few searches."""
    n_boxes, _, width = boxes.tiles.shape
    probes, found = range(0, n_boxes, PROBED), new_found(n, 0)
    visits = sum(box_radii(boxes, k, np.inf, found, box, box + 1) for box in probes)
    return visits * width * n_boxes / (len(probes) * float(n) * n)


def _by_boxes(
    columns: np.ndarray, geometry: Geometry, k: int, boxes: Boxes, run_tasks: Callable[[Sequence[Task]], None]
) -> np.ndarray:
    """Return the counts (n, 1 + spaces)."""
    n, n_boxes, members = columns.shape[1], len(boxes.tiles), list(pairwise(geometry.starts.tolist()))
    found = new_found(n, geometry.spaces.size)
    run_tasks([(partial(box_radii, boxes, k, geometry.far, found), n_boxes, _few_boxes(boxes, n))])
    tasks: list[Task] = []
    for s, space in enumerate(geometry.spaces.tolist(), 1):
        own = [f for b, (i, j) in enumerate(members) if space >> b & 1 for f in range(i, j)]
        answer = found.nearer[:, s], found.within[:, s]
        if len(own) == 1:
            values = columns[own[0]]
            tasks.append((partial(sorted_counts, np.sort(values), values, boxes.order, found.radius, *answer), n, n))
        else:
            inner = make_boxes(columns[own], WIDE)
            task = partial(box_counts, inner, found.radius, *answer)
            tasks.append((task, len(inner.tiles), _few_boxes(inner, n)))
    if not found.nearer[:, 0].all():  # there are atoms, whose copies were not all sought
        task = partial(box_counts, boxes, found.radius, found.nearer[:, 0], found.within[:, 0])
        tasks.append((task, n_boxes, _few_boxes(boxes, n)))
    run_tasks(tasks)
    counts = np.empty((n, 1 + geometry.spaces.size))
    settle_counts(found.k, found.nearer, found.within, geometry.strict, counts)
    return counts


def _few_boxes(boxes: Boxes, n: int) -> int:
    """Return how many boxes surely take less than a second, though each may look at all rows."""
    _, d, width = boxes.tiles.shape
    return max(1, int(COMPARED / (float(n) * d * width)))


def _run(tasks: Sequence[Task], *, n_jobs: int | None, verbose: int) -> None:
    """Call each task's function with all parts of its range."""
    if n_jobs == 1:  # without the scheduler: a small estimate takes no longer than that
        for task, total, first in tasks:
            in_slices(task, 0, total, first)
        return
    parts = [(task, *part, first) for task, total, first in tasks for part in blocks(total, -(-total // TASKS))]
    run(in_slices, parts, n_jobs=n_jobs, label="KSG", verbose=verbose)
