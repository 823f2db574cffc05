"""Which way to count neighbours: sweep, trees or brute force. All are exact, so the choice changes no bit.

Measured for n = 500 … 100,000 and 2 … 50 columns of Gaussian data, k = 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .brute import brute_counts, brute_tiles
from .kdtree import KDTree, grow_kdtree, tree_counts, tree_radii
from .parallel import blocks, run
from .sweep import sorted_counts, sweep_columns, sweep_counts
from .tiles import ATOM, scaled_columns

SWEEP_BELOW = 6_000  # with two columns; a sweep passes about √(k n) rows, a search in a tree log n nodes
# A tree pays from so many rows a column on, up to so many columns; beyond, Gaussian rows are all about equally far.
TREE_ROWS, TREE_COLUMNS = 400, 10
# With so many rows it is worth asking the data, which may lie on something of fewer dimensions than columns: one leaf
# in PROBED is searched. Brute force looks at all rows, but faster: it wins if a search looks at more than this share.
PROBE_FROM, PROBED, WORTH_TREE = 10_000, 50, 0.4
USUAL_SHARE = 0.1  # what it is taken to be for fewer rows
# Rows in a leaf. A k-th neighbour is found in few leaves, but of many columns; a count goes through many leaves.
SMALL_LEAF, SMALL_LEAF_COLUMNS, LEAF = 64, 6, 128

# Costs are in float32 coordinates compared, of which a thread does about 1e10 a second.
PAIR_COST = 6  # what a pair of rows costs besides its columns
SORTED_COST = 1_500  # a row's count in a sorted column
SWEEP_COST = 60  # a row that a sweep passes
TREE_COST = 2  # a coordinate in a leaf: short loops run at half the speed
WORTH_THREADS = 2e7  # about 2 ms: starting threads takes half a millisecond
BLOCK_COST = 5e7
FEWEST_BLOCKS, MOST_BLOCKS = 4, 128  # so that no thread waits long for the last one, and each has rows enough to share

Task = tuple[Callable[[int, int], object], int, float]


class Job(NamedTuple):
    """How the caller wants work to be done."""

    n_jobs: int | None
    verbose: int


def in_blocks(tasks: Sequence[Task], job: Job) -> None:
    """Run tasks (f, total, cost), each as f(start, stop) over range(total): on threads if the cost is worth it."""
    if sum(cost for _, _, cost in tasks) < WORTH_THREADS:
        for task, total, _ in tasks:
            task(0, total)
        return
    parts = []
    for task, total, cost in tasks:
        n_blocks = min(total, MOST_BLOCKS, max(FEWEST_BLOCKS, int(cost / BLOCK_COST)))
        parts += [(task, start, stop) for start, stop in blocks(total, -(-total // n_blocks))]
    run(lambda task, start, stop: task(start, stop), parts, n_jobs=job.n_jobs, label="KSG", verbose=job.verbose)


def ksg_counts(points: np.ndarray, n_x: int, weights: np.ndarray, k: int, job: Job) -> np.ndarray:
    """Return (3, n): k, or the copies of a row that has k others; rows as near in X; rows as near in Y.

    "Near" is nearer than the k-th neighbour, or at distance 0 if that is. Each row counts itself.
    """
    d, n = points.shape
    if d == 2 and n < SWEEP_BELOW:
        return by_sweep(points, weights, k, job)
    counts = by_trees(points, n_x, weights, k, job) if trees_may_pay(d, n) else None
    return by_brute_force(points, n_x, weights, k, job) if counts is None else counts


def trees_may_pay(d: int, n: int) -> bool:
    """Return whether a table is large enough for trees."""
    return n >= (TREE_ROWS * d if d <= TREE_COLUMNS else PROBE_FROM)


def by_sweep(points: np.ndarray, weights: np.ndarray, k: int, job: Job) -> np.ndarray:
    """Return the counts (3, n) of two columns."""
    n = points.shape[1]
    columns, counts = sweep_columns(points[0], points[1]), np.empty((3, n), np.intp)

    def work(start: int, stop: int) -> None:
        sweep_counts(*columns, weights, k, start, stop, counts)

    in_blocks([(work, n, n * (2 * SORTED_COST + SWEEP_COST * (n * k) ** 0.5))], job)
    return counts


def by_brute_force(points: np.ndarray, n_x: int, weights: np.ndarray, k: int, job: Job) -> np.ndarray:
    """Return the counts (3, n)."""
    d, n = points.shape
    scaled, unit = scaled_columns(points, weights)
    tiles, rows, counts = brute_tiles(scaled)[None], np.ascontiguousarray(points.T)[None], np.empty((1, 3, n), np.intp)

    def work(start: int, stop: int) -> None:
        brute_counts(tiles, n_x, rows, weights[None], np.array([unit]), k, start, stop, counts)

    in_blocks([(work, n, n * n * (d + PAIR_COST))], job)
    return counts[0]


def by_trees(points: np.ndarray, n_x: int, weights: np.ndarray, k: int, job: Job) -> np.ndarray | None:
    """Return the counts (3, n), or None if a few searches show that brute force will be faster."""
    d, n = points.shape
    tree = grow_kdtree(points, weights, SMALL_LEAF if d <= SMALL_LEAF_COLUMNS else LEAF, job.n_jobs)
    radii, n_leaves = np.empty(n), len(tree.tiles)
    looked_at = USUAL_SHARE
    if n >= PROBE_FROM:
        probes = range(0, n_leaves, PROBED)
        visits = sum(tree_radii(*tree, k, leaf, leaf + 1, radii) for leaf in probes)
        looked_at = visits * n_leaves / (len(probes) * n * n)
        if looked_at > WORTH_TREE:
            return None
    cost = n * n * looked_at * (d + PAIR_COST) * TREE_COST

    def search(first: int, stop: int) -> None:
        tree_radii(*tree, k, first, stop, radii)

    in_blocks([(search, n_leaves, cost)], job)
    bounds, counts = np.maximum(radii, ATOM), np.full((3, n), k)
    tasks = []
    if np.any(radii == 0):
        tasks.append(tree_task(tree, np.where(radii == 0, ATOM, 0.0), cost, counts[0]))
    for side, here in ((1, slice(0, n_x)), (2, slice(n_x, d))):
        if here.stop - here.start == 1:
            tasks.append(sorted_task(points[here.start], weights[here.start], tree.order, bounds, counts[side]))
        else:
            side_tree = grow_kdtree(points[here], weights[here], LEAF, job.n_jobs)
            tasks.append(tree_task(side_tree, bounds, cost / 2, counts[side]))
    in_blocks(tasks, job)
    return counts


def tree_task(tree: KDTree, bounds: np.ndarray, cost: float, counts: np.ndarray) -> Task:
    """Return the task of counting, by a tree, the rows nearer than its bound to each row."""

    def work(first: int, stop: int) -> None:
        tree_counts(*tree, bounds, first, stop, counts)

    return work, len(tree.tiles), cost


def sorted_task(values: np.ndarray, weight: float, order: np.ndarray, bounds: np.ndarray, counts: np.ndarray) -> Task:
    """Return the same task for one column; rows are taken in an order that keeps neighbours together."""
    ordered = np.sort(values)

    def work(start: int, stop: int) -> None:
        sorted_counts(ordered, weight, values, order, bounds, start, stop, counts)

    return work, len(values), SORTED_COST * len(values)
