"""MI and p-values of two nodes of several columns: by permutations for each pair, or by auto's own p-value."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import t as student_t

from ..copula.null_given import local_orders
from .work import AUTO, LEAST_PVALUE, Column, Work, estimate_auto, estimate_ksg

DRAWS = 199
ENOUGH = 5  # permutations with a statistic as large as the data's: with fewer, a fitted tail is more precise


def group_pair(work: Work, first: int, second: int) -> tuple[float, float]:
    """Return MI and log p of two nodes, on rows without missing values."""
    sides = [np.arange(*work.nodes[node]) for node in (first, second)]
    there = ~np.isnan(work.values[np.concatenate(sides)]).any(axis=0)
    n = int(there.sum())
    if n < work.fewest_rows:
        return math.nan, 0.0
    x, y = ([(int(work.kinds[c]), work.values[c, there]) for c in side] for side in sides)
    x, y = ([one for one in side if one[1].min() < one[1].max()] for side in (x, y))
    if not (x and y):
        return 0.0, 0.0
    if work.method == AUTO:
        mi, pvalue = estimate_auto(work, x, y)
        return mi, math.log(max(pvalue, LEAST_PVALUE))
    mi = estimate_ksg(work, x, y)
    null = np.array([estimate_ksg(work, x, _moved(y, _order(work, n, b))) for b in range(DRAWS)])
    return mi, math.log(tail_pvalue(mi, null))


def _order(work: Work, n: int, draw: int) -> np.ndarray:
    if work.neighbors is not None:
        return local_orders(work.neighbors, np.array([work.seed + draw], np.uint64))[0]
    return np.random.default_rng((work.seed, draw)).permutation(n)


def _moved(columns: list[Column], order: np.ndarray) -> list[Column]:
    return [(kind, values[order]) for kind, values in columns]


def tail_pvalue(statistic: float, null: np.ndarray) -> float:
    """Return the p-value of a nearly normal statistic from its null sample; far beyond that, from Student's t."""
    as_large = int(np.count_nonzero(null >= statistic))
    pvalue = (1 + as_large) / (1 + null.size)
    if as_large >= ENOUGH or not null.std() > 0:
        return pvalue
    z = (statistic - null.mean()) / (null.std(ddof=1) * math.sqrt(1 + 1 / null.size))
    return float(min(pvalue, max(student_t.sf(z, null.size - 1), LEAST_PVALUE)))
