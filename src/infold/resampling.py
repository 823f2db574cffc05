"""Fit an estimator again and again on re-paired or fewer rows: the seeds and the rows.

Every refit is one task, with its seed drawn up front: the same bits for any number of workers.
"""

from __future__ import annotations

import copy
import math
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


def seeds_for(random_state: Any, count: int) -> list[int]:
    """Return `count` seeds, drawn up front."""
    from .core.jit import draw_seeds

    return [int(seed) for seed in draw_seeds(random_state, count)]


class Shuffle(NamedTuple):
    """Which rows may change places: blocks of consecutive rows within groups."""

    groups: tuple[np.ndarray, ...]  # the rows of each
    length: int  # of a block; the last of a group may be shorter
    n_samples: int

    def draw(self, seed: int) -> np.ndarray:
        """Return a random permutation of the rows."""
        rng = np.random.default_rng(seed)
        order = np.empty(self.n_samples, np.intp)
        for rows in self.groups:
            if self.length == 1:
                order[rows] = rng.permutation(rows)
                continue
            blocks = np.split(rows, np.arange(self.length, len(rows), self.length))
            order[rows] = np.concatenate([blocks[i] for i in rng.permutation(len(blocks))])
        return order

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
