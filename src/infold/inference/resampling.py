"""Refit an estimator many times on re-paired or fewer rows: the seeds, the rows and the refits.

Every refit is a job with its seed drawn up front: the same bits for any number of workers.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import call
from typing import Any, NamedTuple

import numpy as np

from infold.data.checks import check_choice, check_count, warn
from infold.data.question import Question
from infold.estimators import MutualInformationEstimator
from infold.measures import make_estimator
from infold.parallel.scheduler import in_order
from infold.results import NATS_PER_UNIT

ROWS_PER_BATCH = 20_000  # of refits that are handed over together: KSG fits 500 rows in a fifth of a millisecond


class Settings(NamedTuple):
    """Settings that all inference shares, besides the question and the estimator."""

    method: str
    units: str
    random_state: Any
    n_jobs: int | None
    verbose: int

    @property
    def unit(self) -> float:
        """Nats in one of the units."""
        return NATS_PER_UNIT[self.units]


def prepared(settings: Settings, n_neighbors: int | None, options: Mapping[str, Any]) -> MutualInformationEstimator:
    """Return the estimator that the arguments of a public function ask for, checked and not fitted yet."""
    check_choice("units", settings.units, NATS_PER_UNIT)
    method, _, random_state, n_jobs, verbose = settings
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    estimator.check_parameters()
    return estimator


def described(estimator: MutualInformationEstimator, settings: Settings) -> dict[str, Any]:
    """Return what all results say about the data and the estimator."""
    return {
        "units": settings.units,
        "method": settings.method,
        "n_samples": estimator.n_samples_,
        "n_features": estimator._n_features,
        "settings": estimator.get_params(),
        "names": estimator._names,
        "kinds": estimator._kinds,
        "n_dropped": 0 if estimator._dropped_rows is None else len(estimator._dropped_rows),
        "entropies": tuple(entropy and entropy / settings.unit for entropy in estimator._entropies),
    }


class Outcome(NamedTuple):
    """What one fit found, in nats; the statistic is what a test compares, the p-value the method's own, if any."""

    mi: float
    statistic: float
    pvalue: float


UNKNOWN = Outcome(math.nan, math.nan, math.nan)


def outcome_of(fitted: MutualInformationEstimator) -> Outcome:
    """Return what a fitted estimator found."""
    return Outcome(fitted.mi_, fitted.test_statistic_, getattr(fitted, "pvalue_", math.nan))


def refit(
    estimator: MutualInformationEstimator, question: Question, seed: int, n_neighbors: int | None = None
) -> Outcome:
    """Fit a copy of the estimator, on one thread and with a seed of its own."""
    fresh = copy.copy(estimator)
    fresh.n_jobs, fresh.verbose = 1, 0
    if hasattr(fresh, "random_state"):
        fresh.random_state = seed
    if n_neighbors is not None:
        fresh.n_neighbors = n_neighbors
    fresh._fit(question)
    return outcome_of(fresh)


def refit_repaired(estimator: MutualInformationEstimator, question: Question, shuffle: Shuffle, seed: int) -> Outcome:
    """Fit X and Y with the rows of Y in random order."""
    return refit(estimator, question.repaired("Y", shuffle.draw(seed)), seed)


def refit_rows(estimator: MutualInformationEstimator, question: Question, rows: np.ndarray, seed: int) -> Outcome:
    """Fit some of the rows."""
    return refit(estimator, question.with_rows(rows), seed)


def refit_parts(
    estimator: MutualInformationEstimator, question: Question, shuffle: Shuffle, parts: int, seed: int
) -> list[Outcome]:
    """Split the rows at random into equal parts without overlap, and fit each."""
    dealt = partition(shuffle, parts, seed)
    return [refit_rows(estimator, question, rows, own_seed) for rows, own_seed in dealt]


def refits(
    jobs: Sequence[tuple[Any, ...]], settings: Settings, label: str, *, n_samples: int | None = None
) -> Generator[Any, None, None]:
    """Yield function(*arguments) of each job (function, *arguments), in order and in parallel.

    Jobs that take equally long are handed over in batches; `n_samples` is the number of rows of each.
    """
    batch = ROWS_PER_BATCH // n_samples if n_samples else 1
    return in_order(call, jobs, n_jobs=settings.n_jobs, label=label, verbose=settings.verbose, batch=batch)


def seeds_for(random_state: Any, count: int) -> list[int]:
    """Return `count` seeds, drawn up front."""
    from infold.core.random import draw_seeds

    seeds: list[int] = draw_seeds(random_state, count).tolist()
    return seeds


@dataclass(frozen=True)
class Shuffle:
    """Which rows may change places: blocks of consecutive rows within groups.

    Attributes
    ----------
    groups : tuple of ndarray
        The rows of each group.
    length : int
        Rows of a block; the last of a group may be shorter.
    n_samples : int
        All rows.
    """

    groups: tuple[np.ndarray, ...]
    length: int
    n_samples: int

    @cached_property
    def _layout(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows, group after group, and where each group starts."""
        return np.concatenate(self.groups), np.cumsum([0, *(len(rows) for rows in self.groups)])

    def draw(self, seed: int) -> np.ndarray:
        """Return a random permutation of the rows."""
        order: np.ndarray = self.draw_all([seed])[0]
        return order

    def draw_all(self, seeds: Sequence[int]) -> np.ndarray:
        """Return a random permutation of the rows for each seed, (B, n)."""
        from infold.core.random import random_orders

        return random_orders(np.array(seeds, np.uint64), *self._layout, self.length)

    @property
    def is_free(self) -> bool:
        """Whether any row may take the place of any other."""
        return self.length == 1 and len(self.groups) == 1

    @property
    def n_blocks(self) -> np.ndarray:
        """How many blocks each group has."""
        return np.array([-(-len(rows) // self.length) for rows in self.groups])

    @property
    def log_count(self) -> float:
        """The logarithm of the number of different permutations."""
        return sum(math.lgamma(count + 1) for count in self.n_blocks)


def shuffle_of(question: Question, groups: Any, block: int | None) -> Shuffle:
    """Return the permutations that `groups` and `block` allow; labels are those of all rows of the input."""
    if block is not None and question.n_dropped:
        warn(
            f"block={block} counts the rows that are left: {question.n_dropped} rows with missing values were dropped, "
            f"so blocks no longer start where they did; fill in the values if blocks are trials."
        )
    return make_shuffle(question.n_samples, question.labels(groups), block)


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
    if block is not None and length > n_samples // 2:
        raise ValueError(
            f"block={length} leaves fewer than two whole blocks of the {n_samples} rows; pass at most {n_samples // 2}."
        )
    return Shuffle(tuple(members), length, n_samples)


def partition(shuffle: Shuffle, parts: int, seed: int) -> list[tuple[np.ndarray, int]]:
    """Split the rows at random into equal parts without overlap; return the rows of each, and a seed."""
    order, size = shuffle.draw(seed), shuffle.n_samples // parts
    seeds = seeds_for(seed, parts)
    return [(order[i * size : (i + 1) * size], seeds[i]) for i in range(parts)]
