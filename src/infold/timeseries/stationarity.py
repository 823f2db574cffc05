"""Whether a series keeps its level and its spread, or drifts; in words, with a remedy."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr
from scipy.stats import rankdata

from infold.inference.notes import Note

from .grid import Grid

ALPHA_CHANGE = 0.001  # for each column and each of two tests
# Of the t value of a unit root, with a constant: the mean, and how far below it the 5 % point is.
DICKEY_FULLER, FIVE_PERCENT = -1.53, -1.33
SURELY_NONE = 9.0  # of n r²: below this, there is no significant trend even without memory
FEWEST = 40  # with fewer steps than this, nothing is reported


class Problem(NamedTuple):
    """A property that can make two unrelated series look alike, and what to do about it."""

    what: str
    shared: str
    remedy: str
    remedy_of_changes: str  # if the series are already changes from step to step


PARTS = "look at sliding windows"
PROBLEMS = (
    Problem("a trend", "that trend", "remove it, or take changes (difference=1)", f"remove it, or {PARTS}"),
    Problem("a spread that changes with time", "that change", f"take logarithms, or {PARTS}", PARTS),
)


def wandering_columns(grid: Grid, name: str) -> list[int]:
    """Return the columns in which a unit root cannot be ruled out: they may be random walks."""
    series, groups = grid[name], len(grid.segments)
    bound = DICKEY_FULLER + FIVE_PERCENT / math.sqrt(groups)  # Im, Pesaran and Shin 2003
    return [
        c
        for c in np.flatnonzero(~series.nominal).tolist()
        if is_long(series.values[:, c]) and unit_root_t(series.values[:, c], groups) > bound
    ]


def unit_root_t(values: np.ndarray, groups: int = 1) -> float:
    """Return the t value of Dickey and Fuller's test, augmented by lagged changes; NaN are left out, not bridged.

    The number of lags is that of Said and Dickey, the cube root of n. With several groups it is what one of them would
    have on average: a series of long memory looks like a random walk within a short group, however many there are.
    """
    n_lags = round((np.isfinite(values).sum() / groups) ** (1 / 3))
    changes = np.diff(values)
    at = np.arange(n_lags, changes.size)
    x = np.column_stack([values[at], np.ones(at.size), *(changes[at - lag] for lag in range(1, n_lags + 1))])
    y = changes[at]
    there = np.isfinite(x).all(axis=1) & np.isfinite(y)
    x, y = x[there], y[there]
    if len(y) <= 2 * x.shape[1]:
        return math.nan
    inverse = np.linalg.pinv(x.T @ x)
    found = inverse @ (x.T @ y)
    left = y - x @ found
    error = math.sqrt(float(left @ left) / (len(y) - x.shape[1]) * float(inverse[0, 0]) * groups)
    return float(found[0]) / error if error > 0 else math.nan


def stationarity_notes(grid: Grid, names: tuple[str, ...], *, changes: bool) -> Iterator[Note]:
    """Report trends and a spread that changes with time; it is urgent if both sides have them.

    With `changes`, the series are already changes from step to step.
    """
    found = {name: np.any(_problems(grid, name), axis=0) for name in names}
    for p, problem in enumerate(PROBLEMS):
        told = [name for name in names if found[name][p]]
        if told:
            text = _told(problem, " and ".join(told), len(told), "the two may only share {}", changes)
            yield Note(text, urgent=len(told) == len(names))


def column_notes(grid: Grid, name: str, labels: Sequence[str], *, changes: bool) -> Iterator[Note]:
    """Report the same for each column of a series by itself; it is urgent if several columns have them."""
    found = _problems(grid, name)
    for c, p in np.argwhere(found).tolist():
        text = _told(PROBLEMS[p], labels[c], 1, "it may only share {} with another", changes)
        yield Note(text, urgent=int(found[:, p].sum()) > 1)


def _told(problem: Problem, who: str, count: int, consequence: str, changes: bool) -> str:
    subject = f"The changes of {who} have" if changes else f"{who} {'has' if count == 1 else 'have'}"
    remedy = problem.remedy_of_changes if changes else problem.remedy
    return f"{subject} {problem.what}, so {consequence.format(problem.shared)}; {remedy}."


def _problems(grid: Grid, name: str) -> np.ndarray:
    """Return whether each column of a series (d, 2) has a trend, and a spread that changes with time."""
    series = grid[name]
    found = np.zeros((series.values.shape[1], 2), bool)
    for c in series.numbers:
        there = series.present[c]
        own = series.values[there, c]
        if there.size >= FEWEST and own.min() < own.max():
            time = _even_scores(own.size) if there[-1] - there[0] == own.size - 1 else _unit_scores(there)
            own = own - np.add.reduce(own) / own.size
            found[c, 0] = changes_with_time(own, time)
            found[c, 1] = changes_with_time(np.abs(own - (own @ time) / own.size * time), time)
    return found


def changes_with_time(values: np.ndarray, time: np.ndarray) -> bool:
    """Return whether ranks follow `time` (unit scores) more than memory explains: with memory, rows count as fewer."""
    n, scores = values.size, _rank_scores(values)
    r = float(scores @ time) / n
    if r * r * n < SURELY_NONE:
        return False
    left = scores - r * time
    memory = float(left[1:] @ left[:-1]) / max(float(left @ left), 1e-300)
    memory = min(0.99, max(0.0, memory + (1 + 4 * memory) / n))  # the plain estimate is biased downwards
    effective = n * (1 - memory) / (1 + memory)
    if effective <= 3:
        return False
    t = r * math.sqrt((effective - 2) / max(1 - r * r, 1e-12))
    return 2 * float(stdtr(effective - 2, -abs(t))) < ALPHA_CHANGE


def _unit_scores(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    return centred / math.sqrt(float(centred @ centred) / centred.size)


def _rank_scores(values: np.ndarray) -> np.ndarray:
    """Return unit scores of ranks; ties share theirs, as an order within a tie that follows time looks like a trend."""
    order, n = np.argsort(values), values.size
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        ranks = rankdata(values)
        return _unit_scores(ranks) if ordered[0] < ordered[-1] else np.zeros(n)
    scores = np.empty(n)
    scores[order] = _even_scores(n)
    return scores


@functools.lru_cache(maxsize=1)
def _even_scores(n: int) -> np.ndarray:
    """Return unit scores of 0 … n − 1. Not to be written to."""
    return (np.arange(n) - (n - 1) / 2) / math.sqrt((n * n - 1) / 12)


def is_long(values: np.ndarray) -> bool:
    """Return whether a series has enough values to tell anything of it, and not always the same one."""
    there = np.isfinite(values)
    return int(there.sum()) >= FEWEST and float(np.ptp(values[there])) > 0
