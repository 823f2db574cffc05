"""Guided looks: views of two tables that a Gaussian part explains in part; rows are samples, (n, p).

A view is a pair of tables computed from a pair. KSG on it is compared with KSG on the same view of Gaussian surrogates:
what it shows beyond them is added to the Gaussian part. So coordinates may be learned and used on the same rows: what
that overfits, surrogates overfit as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from .coordinates import ridge_cca, turned, whitened_lengths
from .gaussian import canonical_pairs
from .neighbors import Tables, ksg_local
from .scores import normal_scores

ALPHA_SPHERE = 0.05  # refusing a guided look needlessly costs accuracy, but makes no answer too high
N_COORDINATES = 3  # turned coordinates per side: KSG loses what a fourth would add
ROWS_PER_FEATURE_COLUMN = 20  # coordinates learned from fewer rows a column are mostly noise
RIDGE_ROWS = 5  # ridge of the learned coordinates: the weight of five rows


class Pair(NamedTuple):
    """Normal scores a (n, p) and b (n, q) of some columns, and what the others add to lengths of whitened rows."""

    a: np.ndarray
    b: np.ndarray
    rest_a: np.ndarray
    rest_b: np.ndarray

    def rows(self, of_a: np.ndarray, of_b: np.ndarray) -> Pair:
        """Return the pair of some rows of a and some rows of b."""
        return Pair(self.a[of_a], self.b[of_b], self.rest_a[of_a], self.rest_b[of_b])


def sphere_pvalue(a: np.ndarray, b: np.ndarray, n_pairs: int) -> float:
    """Return the p-value of sides that, once whitened, are the same in all directions.

    Guided looks need that: where directions differ, as with clusters, learned coordinates fit the data better than any
    Gaussian surrogate. If a side is the same in all directions, its coordinate w along any of them has E w³ = 0 and
    E w⁴ = 3 E r⁴ / (d (d + 2)), r being the distance from the centre in d columns. The directions are those of
    the first canonical pairs, which are chosen by the other side. A single column has no other direction.
    """
    _, *sides = canonical_pairs(a, b)
    n, smallest = len(a), 1.0
    for variates in sides:
        w = variates * math.sqrt(n)
        d = w.shape[1]
        if d == 1:
            continue
        radial = (w**2).sum(axis=1, keepdims=True) ** 2 * 3 / (d * (d + 2))
        some = w[:, : max(n_pairs, 1)]
        for moments in (some**3, some**4 - radial):
            z = moments.mean(axis=0) / np.maximum(moments.std(axis=0) / math.sqrt(n), 1e-300)
            smallest = min(smallest, 2 * float(norm.sf(np.abs(z).max())) * 4 * some.shape[1])
    return min(smallest, 1.0)


def turned_views(pair: Pair) -> list[Tables]:
    """Return the first turned coordinate, the first two …; none if there are too few rows.

    No more coordinates than a side has columns: functions of one column can be many, but are not independent.
    """
    a, b = pair.a, pair.b
    count = min(N_COORDINATES, a.shape[1], b.shape[1])
    if ROWS_PER_FEATURE_COLUMN * max(a.shape[1], b.shape[1]) > len(a):
        return []
    features = turned(a, whitened_lengths(a) + pair.rest_a), turned(b, whitened_lengths(b) + pair.rest_b)
    maps = ridge_cca(*features, count, RIDGE_ROWS / len(a))
    u, v = (normal_scores(one(side)) for one, side in zip(maps, features, strict=True))
    return [(u[:, :r], v[:, :r]) for r in range(1, count + 1)]


def turned_locals(pair: Pair, k: int) -> list[np.ndarray]:
    """Return KSG's local values of the turned views."""
    return [ksg_local(tables, k) for tables in turned_views(pair)]
