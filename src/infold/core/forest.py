"""Many trees in parallel; (forest, mask of columns) → leaf ids (T, n)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .bins import new_bins
from .intervals import route_column
from .jit import kernel
from .lists import sorted_lists
from .pair import grow_pair_trees, new_pair_room
from .parallel import n_workers, run
from .projection import room_for
from .room import new_room
from .route import route, sorted_rows
from .split import CRITERIA, n_log_n_table
from .tree import Tree, bootstrap_rows, grow_tree

TREES_PER_TASK = 5  # at least: a tree at n = 500 takes under a millisecond, too little for a task of its own
SMALL_TREE = 20_000  # rows; more trees at a time would need room for their leaves


class Plan(NamedTuple):
    """How to grow a forest: plain numbers, one seed a tree."""

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


def tree_tasks(n_trees: int, n: int, n_jobs: int | None) -> list[tuple[int, int]]:
    """Return which trees to grow together, on n rows: the first and the end of each group.

    Groups get smaller: each holds up the other threads while Python sets it up, but the last ones should end together.
    """
    groups, first, share = [], 0, 2 * n_workers(n_jobs)
    most = n_trees if n <= SMALL_TREE else 2 * TREES_PER_TASK
    while first < n_trees:
        end = min(n_trees, first + max(TREES_PER_TASK, min(most, (n_trees - first) // share)))
        groups.append((first, end))
        first = end
    return groups


def tree_grower(
    points: np.ndarray, plan: Plan, views: np.ndarray | None = None
) -> Callable[[int, int], Iterator[Tree]]:
    """Return a function that grows the trees first to end of the `plan` on `points` (d, n), one after the other.

    With `views` (see `grow_tree`) nodes to which they send no rows may be left out.
    """
    n_features, n = points.shape
    if n_features == 2:
        grow_pairs, no_leaves = pair_grower(points, plan), np.empty((2, 0, n), np.int32)
        return lambda first, end: (Tree(*grow_pairs(t, t + 1, no_leaves)) for t in range(first, end))
    views = np.ones(n_features, np.int64) if views is None else views
    n_candidates = math.ceil(math.sqrt(n_features))
    n_log_n = n_log_n_table(plan.n_bootstrap)
    columns = room_for(n_features, plan.n_bootstrap)
    smallest, criterion = plan.min_samples_split, CRITERIA[plan.criterion]

    def grow(first: int, end: int) -> Iterator[Tree]:
        room = new_room(n, plan.n_bootstrap, n_features, n_candidates)
        bins = new_bins(*columns, plan.n_bootstrap)
        for t in range(first, end):
            state = plan.seeds[t : t + 1].copy()
            rows = bootstrap_rows(n, plan.n_bootstrap, state)
            yield Tree(
                *grow_tree(
                    points, rows, views, smallest, n_candidates, criterion, n_log_n, plan.exact, state, room, bins
                )
            )

    return grow


def pair_grower(points: np.ndarray, plan: Plan) -> Callable[[int, int, np.ndarray], tuple[np.ndarray, ...]]:
    """Return a function that grows trees on two columns, fills in their leaves, and returns the last one's arrays."""
    lists = sorted_lists(points)
    n_log_n, criterion = n_log_n_table(plan.n_bootstrap), CRITERIA[plan.criterion]

    def grow(first: int, end: int, leaves: np.ndarray) -> tuple[np.ndarray, ...]:
        room = new_pair_room(points.shape[1], plan.n_bootstrap)
        seeds, size, smallest = plan.seeds[first:end], plan.n_bootstrap, plan.min_samples_split
        arrays: tuple[np.ndarray, ...] = grow_pair_trees(
            points, *lists, seeds, size, smallest, criterion, n_log_n, plan.exact, *room, leaves
        )
        return arrays

    return grow


def grow_forest(points: np.ndarray, plan: Plan, *, n_jobs: int | None, verbose: int) -> list[Tree]:
    """Return the trees of a geodesic forest on `points` (d, n)."""
    grow = tree_grower(points, plan)

    def work(first: int, end: int) -> list[Tree]:
        return list(grow(first, end))

    tasks = tree_tasks(len(plan.seeds), points.shape[1], n_jobs)
    grown = run(work, tasks, n_jobs=n_jobs, label="growing trees", verbose=verbose)
    return [tree for group in grown for tree in group]


def leaf_nodes(
    forest: list[Tree], points: np.ndarray, used: np.ndarray, *, n_jobs: int | None, verbose: int
) -> np.ndarray:
    """Return (T, n) node numbers: where each row of `points` ends, columns outside the mask `used` counting as 0."""
    leaves = np.empty((len(forest), points.shape[1]), np.int32)
    order = sorted_rows(points, used)

    def work(first: int, end: int) -> None:
        for t in range(first, end):
            route(*forest[t], points, used, order, leaves[t])

    tasks = tree_tasks(len(forest), points.shape[1], n_jobs)
    run(work, tasks, n_jobs=n_jobs, label="finding leaves", verbose=verbose)
    return leaves


def router(points: np.ndarray, used: np.ndarray) -> Callable[[Tree, np.ndarray], None]:
    """Return a function that fills in where a tree sends each row of `points`; with one used column, by bisection."""
    if np.count_nonzero(used) > 1:
        order_by = sorted_rows(points, used)
        return lambda tree, leaf: route(*tree, points, used, order_by, leaf)
    column = int(np.flatnonzero(used)[0])
    order = np.argsort(points[column], kind="stable").astype(np.uint32)
    values = points[column][order]
    return lambda tree, leaf: route_column(*tree, column, values, order, leaf)


def marginal_leaves(
    points: np.ndarray, plan: Plan, used: np.ndarray, *, n_jobs: int | None, verbose: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the leaf ids (T, n) under the mask `used` and under its opposite; no tree outlives its task."""
    fill = leaf_filler(points, plan, used)

    def work(first: int, end: int) -> list[np.ndarray]:
        leaves = np.empty((2, end - first, points.shape[1]), np.int32)
        fill(first, end, leaves)
        return [compact(side) for side in leaves]

    tasks = tree_tasks(len(plan.seeds), points.shape[1], n_jobs)
    groups = run(work, tasks, n_jobs=n_jobs, label="growing trees", verbose=verbose)
    y, x = (stacked([group.pop() for group in groups]) for _ in range(2))
    return x, y


def leaf_filler(points: np.ndarray, plan: Plan, used: np.ndarray) -> Callable[[int, int, np.ndarray], Any]:
    """Return a function that grows the trees first to end, and fills in the leaves (2, T, n) of both sides."""
    if len(points) == 2 and used[0] and not used[1]:
        return pair_grower(points, plan)
    grow = tree_grower(points, plan, np.where(used, 1, 2))
    routers = [router(points, used), router(points, ~used)]

    def fill(first: int, end: int, leaves: np.ndarray) -> None:
        for t, tree in enumerate(grow(first, end)):
            for side, send in enumerate(routers):
                send(tree, leaves[side, t])

    return fill


def stacked(groups: list[np.ndarray]) -> np.ndarray:
    """Return the rows of all `groups` in one array, of the type that holds all; empties the list on the way."""
    whole = np.empty((sum(map(len, groups)), groups[0].shape[1]), np.result_type(*groups))
    end = len(whole)
    while groups:
        group = groups.pop()
        whole[end - len(group) : end] = group
        end -= len(group)
    return whole


@kernel
def renumber(leaves):
    """Replace the numbers in each row of `leaves` by 0, 1, … in order of appearance; return how many at most."""
    most, largest = 0, 0
    for t in range(leaves.shape[0]):
        for i in range(leaves.shape[1]):
            largest = max(largest, leaves[t, i])
    new = np.empty(largest + 1, np.int32)
    for t in range(leaves.shape[0]):
        new[:] = -1
        count = 0
        for i in range(leaves.shape[1]):
            if new[leaves[t, i]] < 0:
                new[leaves[t, i]] = count
                count += 1
            leaves[t, i] = new[leaves[t, i]]
        most = max(most, count)
    return most


def compact(leaves: np.ndarray) -> np.ndarray:
    """Return leaf ids (T, n) in the smallest type that holds them: fewer bytes to compare. Reuses `leaves`."""
    most = renumber(leaves)
    return leaves.astype(np.min_scalar_type(max(most - 1, 0)))
