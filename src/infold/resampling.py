"""Fit an estimator again and again on re-paired or fewer rows: the seeds and the rows.

Every refit is one job, with its seed drawn up front: the same bits for any number of workers. Short ones are done
several at a time, and share what they can: that changes no bit either.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np

from ._validation import Table, check_count
from .estimators import MutualInformationEstimator


class Outcome(NamedTuple):
    """What one refit found, in nats; the statistic is what a test compares."""

    mi: float
    statistic: float


def refitted(
    estimator: MutualInformationEstimator,
    x: Table,
    y: Table,
    rows_x: np.ndarray | None,
    rows_y: np.ndarray | None,
    seed: int,
    n_neighbors: int | None = None,
) -> Outcome:
    """Fit a copy of the estimator, with a seed of its own, on some rows of either side (None: as they are)."""
    fresh = copy.copy(estimator)
    fresh.n_jobs, fresh.verbose = 1, 0
    if hasattr(fresh, "random_state"):
        fresh.random_state = seed
    if n_neighbors is not None:
        fresh.n_neighbors = n_neighbors
    fresh._refit(_taken(x, rows_x), _taken(y, rows_y))
    return Outcome(fresh.mi_, fresh.test_statistic_)


def _taken(table: Table, rows: np.ndarray | None) -> Table:
    return table if rows is None else Table(table.values[rows], table.names)


def varying_columns(table: Table) -> np.ndarray:
    """Return the columns (d, n) that are not constant."""
    return np.ascontiguousarray(table.values[:, table.values.min(axis=0) < table.values.max(axis=0)].T)


class Pairings(NamedTuple):
    """Two tables whose rows will be drawn again, and what all draws have in common, if the estimator knows that.

    Columns are counted over X and then Y.
    """

    estimator: MutualInformationEstimator
    x: Table
    y: Table
    varies: list[bool]  # which columns are not constant
    shared: Any  # of those

    @property
    def sides(self) -> tuple[list[int], list[int]]:
        """The columns of X, and those of Y."""
        d_x, d = self.x.values.shape[1], len(self.varies)
        return list(range(d_x)), list(range(d_x, d))

    def outcomes(
        self, columns: Sequence[int], moved: Sequence[int], orders: np.ndarray, seeds: Sequence[int]
    ) -> list[Outcome]:
        """Return what is found from some columns, those `moved` in each of the orders and the others as they are."""
        varying, d_x = [c for c in columns if self.varies[c]], self.x.values.shape[1]
        if self.shared is None or not varying or not min(varying) < d_x <= max(varying):
            pairs = zip(orders, seeds, strict=True)
            return [refitted(self.estimator, *self._tables(columns, moved, o), None, None, s) for o, s in pairs]
        from .core.many import paired_anew

        places = [count - 1 for count in accumulate(self.varies)]
        used, changed = [places[c] for c in varying], [places[c] for c in moved if self.varies[c]]
        return [Outcome(value, value) for value in paired_anew(self.shared, used, changed, orders).tolist()]

    def of_parts(self, shuffle: Shuffle, parts: int, seeds: Sequence[int]) -> list[list[Outcome]]:
        """Return, for each seed, what is found from each of the parts into which it deals the rows."""
        from .core.many import subsampled

        size = shuffle.n_samples // parts
        rows = shuffle.draw_all(seeds)[:, : parts * size].reshape(-1, size)
        values = None if self.shared is None else subsampled(self.shared, rows)
        if values is not None:
            return [[Outcome(value, value) for value in each] for each in values.reshape(-1, parts).tolist()]
        dealt = [partition_tasks(shuffle, parts, seed) for seed in seeds]
        return [[refitted(self.estimator, self.x, self.y, rows, rows, seed) for rows, seed in each] for each in dealt]

    def _tables(self, columns: Sequence[int], moved: Sequence[int], order: np.ndarray) -> tuple[Table, Table]:
        d_x = self.x.values.shape[1]
        used = [c for c in columns if c < d_x], [c - d_x for c in columns if c >= d_x]
        changed = [c for c in moved if c < d_x], [c - d_x for c in moved if c >= d_x]
        x, y = (_taken_columns(t, u, c, order) for t, u, c in zip((self.x, self.y), used, changed, strict=True))
        return x, y


def _taken_columns(table: Table, columns: Sequence[int], moved: Sequence[int], order: np.ndarray) -> Table:
    every = len(columns) == table.values.shape[1]
    if every and len(moved) == len(columns):
        return Table(table.values[order], table.names)
    if every and not moved:
        return table
    values, place = table.values[:, columns], {column: i for i, column in enumerate(columns)}
    for column in moved:
        values[:, place[column]] = table.values[order, column]
    return Table(values, None)


class Deal(NamedTuple):
    """Rows dealt into equal parts that share none."""

    shuffle: Shuffle
    parts: int


def refitted_parts(jobs: Sequence[tuple[Pairings, Deal | int, int]]) -> list[list[Outcome]]:
    """Return, for each (pairings, deal, seed), what is found from each part.

    A number instead of a deal stands for all rows, with so many neighbours.
    """
    found: list[list[Outcome]] = []
    for _, group in groupby(jobs, lambda job: job[1].parts if isinstance(job[1], Deal) else -job[1]):
        alike = list(group)
        (pairings, deal, _), seeds = alike[0], [seed for *_, seed in alike]
        if isinstance(deal, Deal):
            found += pairings.of_parts(deal.shuffle, deal.parts, seeds)
        else:
            found += [[refitted(pairings.estimator, pairings.x, pairings.y, None, None, s, deal)] for s in seeds]
    return found


def make_pairings(estimator: MutualInformationEstimator, x: Table, y: Table) -> Pairings:
    """Return the pairings of two tables."""
    varies = [bool(varying) for t in (x, y) for varying in t.values.min(axis=0) < t.values.max(axis=0)]
    d_x, shared = x.values.shape[1], None
    if any(varies[:d_x]) and any(varies[d_x:]):
        shared = estimator._share(varying_columns(x), varying_columns(y))
    return Pairings(estimator, x, y, varies, shared)


def seeds_for(random_state: Any, count: int) -> list[int]:
    """Return `count` seeds, drawn up front."""
    from .core.jit import draw_seeds

    seeds: list[int] = draw_seeds(random_state, count).tolist()
    return seeds


class Shuffle(NamedTuple):
    """Which rows may change places: blocks of consecutive rows within groups."""

    groups: tuple[np.ndarray, ...]  # the rows of each
    length: int  # of a block; the last of a group may be shorter
    n_samples: int

    def draw(self, seed: int) -> np.ndarray:
        """Return a random permutation of the rows."""
        order: np.ndarray = self.draw_all([seed])[0]
        return order

    def draw_all(self, seeds: Sequence[int]) -> np.ndarray:
        """Return a random permutation of the rows for each seed, (B, n)."""
        from .core.orders import random_orders

        starts = np.cumsum([0, *(len(rows) for rows in self.groups)])
        return random_orders(np.array(seeds, np.uint64), np.concatenate(self.groups), starts, self.length)

    @property
    def n_blocks(self) -> np.ndarray:
        """How many blocks each group has."""
        return np.array([-(-len(rows) // self.length) for rows in self.groups])

    @property
    def log_count(self) -> float:
        """The logarithm of the number of different permutations."""
        return sum(math.lgamma(count + 1) for count in self.n_blocks)


def make_shuffle(n_samples: int, groups: Any, block: int | None) -> Shuffle:
    """Return the permutations that `groups` and `block` allow."""
    members = [np.arange(n_samples)]
    if groups is not None:
        labels = np.asarray(groups)
        if labels.shape != (n_samples,):
            raise ValueError(
                f"groups has shape {labels.shape}, but needs one label for each of the {n_samples} rows; "
                f"pass shape ({n_samples},)."
            )
        if any(label is None or label != label for label in labels.tolist()):
            raise ValueError(
                "groups has missing labels (None or NaN), but each row needs one; label or drop those rows."
            )
        try:
            _, codes = np.unique(labels, return_inverse=True)
        except TypeError:
            raise TypeError("groups mixes labels that cannot be compared; pass all numbers or all text.") from None
        members = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    length = 1 if block is None else check_count("block", block)
    if length > n_samples // 2:
        raise ValueError(
            f"block={length} leaves fewer than two whole blocks of the {n_samples} rows; pass at most {n_samples // 2}."
        )
    return Shuffle(tuple(members), length, n_samples)


def partition_tasks(shuffle: Shuffle, parts: int, seed: int) -> list[tuple[np.ndarray, int]]:
    """Deal the rows at random into equal parts that share none; return the rows of each, and a seed."""
    order, size = shuffle.draw(seed), shuffle.n_samples // parts
    seeds = seeds_for(seed, parts)
    return [(order[i * size : (i + 1) * size], seeds[i]) for i in range(parts)]
