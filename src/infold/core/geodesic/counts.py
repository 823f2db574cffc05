"""Neighbour counts on geodesic distances, for any blocks in any spaces: G-KSG and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import blocks, run

from ..jit import kernel
from ..knn.information import expected_counts
from ..knn.selection import count_in_spaces, find_nearest, neighborhood
from .apart import fill_apart, fill_apart_along, leaf_ends
from .distance import EVERYWHERE, RELEASED, LocalPart, refine

QUERIES = 8  # rows that look for neighbours together: they share leaf ids in the cache
ROWS_PER_TASK = 256


class Rows(NamedTuple):
    """What is known of rows besides the trees between them."""

    columns: np.ndarray  # (d, n): numbers
    starts: np.ndarray  # (blocks + 1,): block b has the columns starts[b] to starts[b + 1]
    codes: np.ndarray  # (blocks, n): their class in each block; (0, n) if there are no classes
    far: float  # distance between classes: more than that of all trees, or inf if there are none


@kernel
def part_classes(codes, row, far, near):
    """Set the distances `near` (n,) of a row to all rows with another code to `far`."""
    for j in range(near.size):
        if codes[j] != codes[row]:
            near[j] = far


@kernel
def count_queries(near, table, rows, local, spaces, k, counts):
    """Fill counts[q] (1 + spaces,) of the queries `rows` from the trees apart, near (blocks, queries, n).

    Trees apart are refined by the local part of d_G where that can matter. The paper's only tells rows apart that no
    tree does, so it is needed only if the k-th neighbour is 0 trees away; "everywhere", it decides among all rows as
    many trees away as the k-th neighbour. The released code's can exceed the trees apart in another block, so it comes
    first.

    Without classes, ties of trees apart are the paper's, and stay: rows that tie with the k-th neighbour are not
    nearer. With classes, the rule of `knn.information` holds.
    """
    columns, starts, codes, far = table
    n_blocks, _, n = near.shape
    scratch, best, ties = np.empty(n), np.empty((1, k)), np.empty(1, np.int64)
    nearer, within = np.empty(1 + spaces.size, np.int64), np.empty(1 + spaces.size, np.int64)
    for q in range(rows.size):
        for b in range(codes.shape[0]):
            part_classes(codes[b], rows[q], far, near[b, q])
        level = 0.0
        if local.variant != RELEASED:
            find_nearest(near, q, rows[q], scratch, best, ties)
            level = neighborhood(best, 0, ties, far)[1]
        if level == 0.0 or local.variant == EVERYWHERE:
            for b in range(n_blocks):
                refine(columns[starts[b] : starts[b + 1]], rows[q], level, local, b, near[b, q])
            find_nearest(near, q, rows[q], scratch, best, ties)
        used, radius, nearer[0], within[0] = neighborhood(best, 0, ties, far)
        count_in_spaces(near, q, radius, spaces, scratch, nearer, within)
        if far < np.inf:
            expected_counts(used, nearer, within, counts[q])
        else:
            counts[q, 0] = k if radius > 0.0 else within[0]
            for s in range(1, 1 + spaces.size):
                counts[q, s] = nearer[s] if radius > 0.0 else within[s]


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
    codes: np.ndarray | None = None,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return (1 + spaces, queries): k, and how many rows are nearer than the k-th neighbour in each space.

    As `knn.counts.neighbor_counts`, on geodesic distances and for the rows `queries`. `leaves` (blocks, trees, n) are
    leaf ids; in a block of one column they are numbered along its order, which is in `orders`. A block may have no
    columns. Rows with other `codes` (blocks, n) in a block are farther apart than any others.
    """
    n, starts, masks = columns.shape[1], np.concatenate(([0], np.cumsum(sizes))), np.array(spaces)
    if codes is None:
        table = Rows(columns, starts, np.zeros((0, n), np.int64), np.inf)
    else:
        table = Rows(columns, starts, codes, 2.0 * (local.n_trees + 1))
    counts = np.empty((len(queries), 1 + len(spaces)))
    fills = [_filler(leaves[b], orders[b] if size == 1 else None) for b, size in enumerate(sizes)]

    def work(begin: int, stop: int) -> None:
        near = np.empty((len(sizes), QUERIES, n))
        for first in range(begin, stop, QUERIES):
            rows = queries[first : min(first + QUERIES, stop)]
            for fill, out in zip(fills, near, strict=True):
                fill(rows, out)
            count_queries(near, table, rows, local, masks, k, counts[first:stop])

    run(work, blocks(len(queries), ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return counts.T


def _filler(leaves: np.ndarray, order: np.ndarray | None) -> Callable[[np.ndarray, np.ndarray], None]:
    """Return a function (rows, near) that fills near[q, j] with the trees between rows[q] and row j."""
    if order is None:
        return lambda rows, near: fill_apart(leaves, rows, near)
    ends = leaf_ends(leaves, order)
    return lambda rows, near: fill_apart_along(leaves, ends, order, rows, near)
