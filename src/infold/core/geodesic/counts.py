"""Neighbour counts on geodesic distances, for any blocks in any spaces: G-KSG and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from infold.parallel.scheduler import blocks, run

from ..jit import kernel
from ..knn.selection import GROUP, count_in_spaces, joint_radius
from .apart import fill_apart, fill_apart_along, leaf_ends
from .distance import EVERYWHERE, RELEASED, LocalPart, refine

QUERIES = 8  # rows that look for neighbours together: they share leaf ids in the cache
ROWS_PER_TASK = 256


@kernel
def count_queries(near, columns, starts, rows, local, spaces, k, counts):
    """Fill counts[q] (1 + spaces,) of the queries `rows` from the trees apart, near (blocks, queries, n).

    Block b has the columns starts[b] to starts[b + 1] of `columns` (d, n). Trees apart are refined by the local part
    of d_G where that can matter. The paper's only tells rows apart that no tree does, so it is needed only if the k-th
    neighbour is 0 trees away; "everywhere", it decides among all rows as many trees away as the k-th neighbour. The
    released code's can exceed the trees apart in another block, so it comes first.
    """
    n_blocks, _, n = near.shape
    scratch, lows, best = np.empty(n), np.empty(n // GROUP), np.empty(k)
    for q in range(rows.size):
        radius = 0.0
        if local.variant != RELEASED:
            radius = joint_radius(near, q, rows[q], scratch, lows, best)
        if radius == 0.0 or local.variant == EVERYWHERE:
            for b in range(n_blocks):
                refine(columns[starts[b] : starts[b + 1]], rows[q], radius, local, b, near[b, q])
            radius = joint_radius(near, q, rows[q], scratch, lows, best)
        count_in_spaces(near, q, radius, k, spaces, scratch, counts[q])


def geodesic_counts(
    leaves: np.ndarray,
    columns: np.ndarray,
    sizes: Sequence[int],
    orders: Sequence[np.ndarray],
    local: LocalPart,
    spaces: Sequence[int],
    k: int,
    queries: np.ndarray,
    *,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return (1 + spaces, queries): k, and how many rows are nearer than the k-th neighbour in each space.

    As `knn.counts.neighbor_counts`, on geodesic distances and for the rows `queries`. `leaves` (blocks, trees, n) are
    leaf ids; in a block of one column they are numbered along its order, which is in `orders`.
    """
    n, starts, masks = columns.shape[1], np.concatenate(([0], np.cumsum(sizes))), np.array(spaces)
    counts = np.empty((len(queries), 1 + len(spaces)), np.int64)
    fills = [_filler(leaves[b], orders[b] if size == 1 else None) for b, size in enumerate(sizes)]

    def work(begin: int, stop: int) -> None:
        near = np.full((len(sizes), QUERIES, -(-n // GROUP) * GROUP), np.inf)
        for first in range(begin, stop, QUERIES):
            rows = queries[first : min(first + QUERIES, stop)]
            for fill, out in zip(fills, near, strict=True):
                fill(rows, out)
            count_queries(near, columns, starts, rows, local, masks, k, counts[first:stop])

    run(work, blocks(len(queries), ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return counts.T


def _filler(leaves: np.ndarray, order: np.ndarray | None) -> Callable[[np.ndarray, np.ndarray], None]:
    """Return a function (rows, near) that fills near[q, j] with the trees between rows[q] and row j."""
    if order is None:
        return lambda rows, near: fill_apart(leaves, rows, near)
    ends = leaf_ends(leaves, order)
    return lambda rows, near: fill_apart_along(leaves, ends, order, rows, near)
