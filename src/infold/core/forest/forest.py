"""Many trees on threads; (plan, masks of columns) → leaf ids (T, n)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import n_workers, run

from ..jit import kernel
from .columns import Search
from .criterion import CRITERIA, n_log_n_table
from .route import route, sorted_rows
from .tree import Tree, bootstrap_weights, grow_tree, new_tree, new_workspace

TASKS = 8  # per thread, so that threads end at about the same time


class Plan(NamedTuple):
    """How to grow a forest: plain numbers, one seed per tree."""

    seeds: np.ndarray
    criterion: str
    n_bootstrap: int
    min_samples_split: int
    exact: bool = False


def default_min_samples_split(n_bootstrap: int) -> int:
    """Return round(√(2 n)), the paper's smallest node that may be split.

    >>> default_min_samples_split(500)
    32
    """
    return max(2, round(math.sqrt(2 * n_bootstrap)))


def grow_trees(points: np.ndarray, block_bits: np.ndarray, plan: Plan, seeds: np.ndarray) -> Iterator[Tree]:
    """Yield a tree on `points` (d, n) for each seed; its arrays are overwritten by the next one."""
    n_features, n = points.shape
    n_rows = min(n, plan.n_bootstrap)
    (work, slots), buffers = new_workspace(n_features, n_rows), new_tree(n_features, n_rows)
    search = Search(CRITERIA[plan.criterion], plan.exact, n_log_n_table(plan.n_bootstrap))
    for seed in seeds:
        state = np.array([seed], np.uint64)
        weights, own = bootstrap_weights(n, plan.n_bootstrap, state), points
        if plan.n_bootstrap < n:  # a small table of its own, which stays in the cache
            rows = np.flatnonzero(weights)
            weights, own = weights[rows], points.take(rows, axis=1)
        sizes = grow_tree(own, weights, block_bits, plan.min_samples_split, search, state, work, slots, buffers)
        yield trimmed(buffers, *sizes)


def trimmed(tree: Tree, n_nodes: int, n_terms: int) -> Tree:
    """Return the filled part of a tree's arrays; they are not copied."""
    filled = [n_nodes] * (len(tree) - 2) + [n_terms] * 2
    return Tree(*(array[:stop] for array, stop in zip(tree, filled, strict=True)))


def grow_forest(points: np.ndarray, plan: Plan, *, n_jobs: int | None, verbose: int) -> list[Tree]:
    """Return the trees of a geodesic forest on `points` (d, n)."""
    one_block = np.ones(len(points), np.int64)

    def work(first: int, end: int) -> list[Tree]:
        grown = grow_trees(points, one_block, plan, plan.seeds[first:end])
        return [Tree(*(array.copy() for array in tree)) for tree in grown]

    groups = run(work, _tree_tasks(len(plan.seeds), n_jobs), n_jobs=n_jobs, label="growing trees", verbose=verbose)
    return [tree for group in groups for tree in group]


def leaf_nodes(
    forest: Sequence[Tree], points: np.ndarray, used: np.ndarray, *, n_jobs: int | None, verbose: int
) -> np.ndarray:
    """Return (T, n) node numbers: where each row of `points` ends, columns outside the mask `used` counting as 0."""
    leaves, order = np.empty((len(forest), points.shape[1]), np.int32), sorted_rows(points)

    def work(first: int, end: int) -> None:
        for t in range(first, end):
            route(forest[t], points, order, used, leaves[t])

    run(work, _tree_tasks(len(forest), n_jobs), n_jobs=n_jobs, label="finding leaves", verbose=verbose)
    return leaves


def marginal_leaves(
    points: np.ndarray,
    sizes: Sequence[int],
    plan: Plan,
    orders: Sequence[np.ndarray],
    *,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return the leaf ids (blocks, T, n) of all rows in each block of columns; no tree outlives its task.

    Leaves are numbered as they appear along the block's order of rows.
    """
    block_of = np.repeat(np.arange(len(sizes)), sizes)
    id_type = np.min_scalar_type(max(256, plan.n_bootstrap))  # a tree has no more leaves than rows
    leaves = np.empty((len(sizes), len(plan.seeds), points.shape[1]), id_type)
    sorted_columns = sorted_rows(points)

    def work(first: int, end: int) -> None:
        node = np.empty(points.shape[1], np.int32)
        for t, tree in enumerate(grow_trees(points, 1 << block_of, plan, plan.seeds[first:end]), first):
            for b, order in enumerate(orders):
                route(tree, points, sorted_columns, block_of == b, node)
                renumber(node, order, tree.cut.size, leaves[b, t])

    run(work, _tree_tasks(len(plan.seeds), n_jobs), n_jobs=n_jobs, label="growing trees", verbose=verbose)
    return leaves.astype(np.uint8) if leaves.max() < 256 else leaves  # bytes are compared half as fast again


@kernel
def renumber(nodes, order, n_nodes, leaves):
    """Fill `leaves` with the `nodes` (n,) of rows, numbered 0, 1, … as they appear along `order`."""
    new, count = np.full(n_nodes, -1), 0
    for i in range(order.size):
        row = order[i]
        if new[nodes[row]] < 0:
            new[nodes[row]] = count
            count += 1
        leaves[row] = new[nodes[row]]


def _tree_tasks(n_trees: int, n_jobs: int | None) -> list[tuple[int, int]]:
    """Return the first and the end of each group of trees: a group shares its buffers."""
    edges = np.linspace(0, n_trees, min(n_trees, TASKS * n_workers(n_jobs)) + 1).astype(int).tolist()
    return list(pairwise(edges))
