"""Directions of one side along which single columns of the other change: signals rotated into many columns.

For each column of the other side, waves of its ranks are compared with lines and with products of the whitened columns
(sliced inverse regression, principal Hessian directions). Directions are learned on some rows and judged on others. A
sum over columns whose pairs do not depend on each other, on one side at least, is a lower bound of the MI.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import gamma

from infold.parallel.scheduler import run

from .blocks import apart, share_counted_twice
from .coordinates import whitened
from .crossfit import Split
from .gaussian import Spread, pairing_moments, spread_of
from .neighbors import Tables, judged_local, stretched
from .screen import ORDERS, rank_waves

MAX_COLUMNS, MAX_RESPONSES = 60, 100  # columns whose products, and columns whose waves, are compared
ROWS_PER_COLUMN = 8
ALPHA_RESPONSE, ALPHA_WAVE = 1e-2, 1e-1  # chance of any false column; of a false wave of a column that was found
MOST_FOUND = 12  # columns that are looked at: each has a KSG of its own
N_DIRECTIONS, N_SHARED = 3, 4  # of a column; of columns that depend on each other
WEAK = 0.15  # of the largest eigenvalue: weaker directions are noise
SAME = 0.3  # of the largest squared singular value: what columns' directions have in common
NOISE_EDGE = 2.0  # eigenvalues of products without signal reach 2 √(d / n)


class Moments(NamedTuple):
    """Correlations of waves with lines (d, m) and products (d (d + 1) / 2, m), and their p-values (2, m)."""

    lines: np.ndarray
    products: np.ndarray
    pvalues: np.ndarray


class Side(NamedTuple):
    """Normal scores (n, d) of the side whose directions are sought, and the columns (n, q) of the other, even at ties.

    Columns of `even` with the same owner are indicators of one label, and examined together.
    """

    a: np.ndarray
    even: np.ndarray
    owners: np.ndarray

    @property
    def is_small(self) -> bool:
        """Whether there are rows enough for the columns, and no more columns than take a reasonable time."""
        n, d = self.a.shape
        return 2 <= d <= min(MAX_COLUMNS, n // ROWS_PER_COLUMN) and self.even.shape[1] <= MAX_RESPONSES


def products(a: np.ndarray) -> np.ndarray:
    """Return products of two columns, of variance 1 if the columns are white and Gaussian: (n, d (d + 1) / 2)."""
    i, j = np.triu_indices(a.shape[1])
    found = a[:, i] * a[:, j]
    found[:, i == j] /= math.sqrt(2)
    return found - found.mean(axis=0)


def wave_moments(a: np.ndarray, waves: np.ndarray) -> Moments:
    """Return how the waves (n, m) change along the whitened columns a (n, d).

    The sum of squared correlations is compared with a gamma law that has the moments of random pairings of the rows:
    rows that stand out on either side make it scatter more than χ².
    """
    n = len(a)
    lengths = (waves**2).sum(axis=0)
    of_waves = Spread(lengths, lengths**2, ((waves**2) ** 2).sum(axis=0))
    moments, pvalues = [], []
    for features in (a, products(a)):
        mean, variance = pairing_moments(spread_of(features), of_waves, n)
        # A column of few values has fewer waves: those that are 0 have p = 1.
        mean, variance = (np.where((lengths > 0) & (variance > 0), moment, 1.0) for moment in (mean, variance))
        found = features.T @ waves
        pvalues.append(gamma.sf((found**2).sum(axis=0), mean**2 / variance, scale=variance / mean))
        moments.append(found / n)
    return Moments(moments[0], moments[1], np.array(pvalues))


def leading_directions(moments: Moments, level: float, n: int) -> np.ndarray:
    """Return the directions (d, r) along which the waves with p-values below a level change most."""
    d = len(moments.lines)
    spread, (i, j) = np.zeros((d, d)), np.triu_indices(d)
    for m in np.flatnonzero(moments.pvalues[0] < level):
        spread += np.outer(moments.lines[:, m], moments.lines[:, m])
    for m in np.flatnonzero(moments.pvalues[1] < level):
        curvature = np.zeros((d, d))
        curvature[i, j] = curvature[j, i] = moments.products[:, m]
        curvature[np.diag_indices(d)] *= math.sqrt(2)
        w, v = np.linalg.eigh(curvature)
        w = np.maximum(np.abs(w) - NOISE_EDGE * math.sqrt(d / n), 0)
        spread += (v * w**2 / 2) @ v.T
    w, v = np.linalg.eigh(spread)
    return v[:, ::-1][:, : min(int(np.sum(w > WEAK * max(w[-1], 1e-12))), N_DIRECTIONS)]


def common_directions(directions: Sequence[np.ndarray]) -> np.ndarray:
    """Return a basis of what the directions of several columns have in common."""
    if len(directions) == 1:
        return directions[0]
    u, s, _ = np.linalg.svd(np.hstack(directions), full_matrices=False)
    return u[:, : min(int(np.sum(s**2 > SAME * s[0] ** 2)), N_SHARED)]


def split_local(side: Side, split: Split, k: int) -> tuple[np.ndarray, list[int], list[Tables]]:
    """Return local values of the judged rows, summed over columns related to directions; these columns; and parts.

    A part is a pair of tables (n, r), (n, q): directions, and columns that depend on each other.
    """
    a, even, owners = side
    fit, q = split.fit, even.shape[1]
    white = whitened(a, fit)
    order = max(ORDERS)
    waves = rank_waves(even[fit], order).transpose(1, 2, 0).reshape(len(fit), q * order) * math.sqrt(len(fit))
    moments = wave_moments(white[fit], waves)
    n_tests = moments.pvalues.size
    smallest = moments.pvalues.reshape(2, q, order).min(axis=(0, 2))
    found: dict[int, np.ndarray] = {}
    for c in np.argsort(smallest, kind="stable")[:MOST_FOUND]:
        if smallest[c] * n_tests < ALPHA_RESPONSE:
            own = Moments(*(part[:, c * order : (c + 1) * order] for part in moments))
            directions = leading_directions(own, ALPHA_WAVE / n_tests, len(fit))
            if directions.shape[1]:
                found[int(c)] = directions
    local, columns, parts = np.zeros(split.use.size), list(found), list[Tables]()
    pairs = [(white @ found[c], even[:, [c]]) for c in columns]
    for group in apart(pairs, owners[np.array(columns, np.intp)]):
        basis = common_directions([found[columns[g]] for g in group])
        part = stretched((white @ basis, even[:, [columns[g] for g in group]]), k)
        local += judged_local(part, split.use, k)
        parts.append(part)
    return local, columns, parts


def direction_locals(
    sides: Sequence[Side], splits: Sequence[Split], k: int, *, n_jobs: int | None, verbose: int = 0
) -> list[tuple[np.ndarray, np.ndarray] | None]:
    """Return, for each side, local values (n,), NaN for rows not judged, and the columns related to its directions.

    None if there are too many columns, or nothing is found.
    """
    small = [side for side in sides if side.is_small]
    tasks = [(side, split, k) for side in small for split in splits]
    answers = iter(run(split_local, tasks, n_jobs=n_jobs, label="directions", verbose=verbose))
    return [_judged(side, splits, [next(answers) for _ in splits]) if side.is_small else None for side in sides]


def _judged(
    side: Side, splits: Sequence[Split], answers: Sequence[tuple[np.ndarray, list[int], list[Tables]]]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the local values of all splits, less what the sum counts twice, and the columns of any split."""
    local, columns = np.full(len(side.a), np.nan), set()
    for split, (values, found, _) in zip(splits, answers, strict=True):
        local[split.use] = values
        columns |= set(found)
    if not columns:
        return None
    longest = max((parts for _, _, parts in answers), key=len)  # one split's will do, and takes a fifth of the time
    local -= np.nanmean(local) * share_counted_twice(longest)
    return local, np.array(sorted(columns))
