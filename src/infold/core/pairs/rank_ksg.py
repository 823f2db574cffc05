"""KSG of two columns without ties: both have the same scores in different orders, so a pair is one permutation.

The general search of `core/knn` gives the same answer in four times the time: here distances between rows that are
near in one column are a few plain loops over all rows, and no tree is built. Rows at exactly the distance of the k-th
neighbour are not counted; where scores lie evenly there are a few, and the general rule differs by less than 1 / n.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, ndtri

from ..jit import kernel, kernel_without_nan

REACH = 1.5  # ranks compared in plain loops, relative to the side of a square that holds k of n independent rows
BINS = 4  # per row, in the index that finds places in the scores


class RankScores(NamedTuple):
    """What all columns of n rows share: their scores, ascending, and tables that make counting in them fast."""

    scores: np.ndarray  # (n,)
    places: np.ndarray  # (BINS n,): the first score that is not below the start of each bin
    bin_width: float
    psi: np.ndarray  # digamma of 0 … n, the first of which is not used
    k: int
    reach: int


@functools.lru_cache(maxsize=64)
def rank_scores(n: int, k: int) -> RankScores:
    """Return normal scores of n rows, for k neighbours; k < n."""
    scores = ndtri(np.arange(1, n + 1) / (n + 1))
    width = (scores[-1] - scores[0]) / (BINS * n)
    starts = scores[0] + width * np.arange(BINS * n)
    places = np.searchsorted(scores, starts - 1e-9 * width)  # rounding must not skip a score
    psi = np.concatenate(([0.0], digamma(np.arange(1.0, n + 1))))
    reach = min(n - 1, 1 + math.ceil(REACH * math.sqrt(k * n) / 2))
    return RankScores(scores, places, float(width), psi, k, reach)


@kernel
def count_nearer(same, place, radius):
    """Return how many scores are nearer than `radius` > 0 to that at `place`, itself included."""
    scores, places = same.scores, same.places
    value, n = scores[place], scores.size
    first_bin = int((value - radius - scores[0]) / same.bin_width)
    first = places[first_bin] if first_bin > 0 else 0
    while value - scores[first] >= radius:
        first += 1
    last_bin = int((value + radius - scores[0]) / same.bin_width)
    stop = max(place, places[min(last_bin, places.size - 1)])
    while stop < n and scores[stop] - value < radius:
        stop += 1
    return stop - first


@kernel_without_nan
def distances_apart(scores, other, apart, out, copy):
    """Fill out[i], and copy[i], with the distance of the rows i and i + apart."""
    for i in range(scores.size - apart):
        distance = max(scores[i + apart] - scores[i], abs(other[i + apart] - other[i]))
        out[i] = distance
        copy[i] = distance


@kernel_without_nan
def offer(values, best, first):
    """Insert values[i] into the ascending best[:, first + i], if it is among the smallest; overwrites `values`.

    Every step is a minimum and a maximum over all rows at once: no branches, which would be mispredicted all the time.
    """
    for s in range(best.shape[0]):
        row = best[s, first : first + values.size]
        for i in range(values.size):
            value, kept = values[i], row[i]
            row[i] = min(kept, value)
            values[i] = max(kept, value)


@kernel
def insert_in_column(best, i, value):
    """Put `value`, smaller than the last of the ascending best[:, i], in its place, and drop the last."""
    place = best.shape[0] - 1
    while place > 0 and best[place - 1, i] > value:
        best[place, i] = best[place - 1, i]
        place -= 1
    best[place, i] = value


@kernel
def rank_ksg(same, paired, other, best, scratch):
    """Return KSG's estimate, where the row with scores[i] in one column has other[i] = scores[paired[i]] in the other.

    `best` (k, n) and `scratch` (2, n) are workspaces.
    """
    scores, n, k = same.scores, same.scores.size, same.k
    for s in range(k):
        for i in range(n):
            best[s, i] = np.inf
    for apart in range(1, same.reach + 1):
        upper, lower = scratch[0, : n - apart], scratch[1, : n - apart]
        distances_apart(scores, other, apart, upper, lower)
        offer(upper, best, 0)
        offer(lower, best, apart)
    total = 0.0
    for i in range(n):
        for step in (1, -1):  # few rows have neighbours beyond the reach
            j = i + step * (same.reach + 1)
            while 0 <= j < n and abs(scores[j] - scores[i]) < best[k - 1, i]:
                distance = max(abs(scores[j] - scores[i]), abs(other[j] - other[i]))
                if distance < best[k - 1, i]:
                    insert_in_column(best, i, distance)
                j += step
        radius = best[k - 1, i]
        total += same.psi[count_nearer(same, i, radius)] + same.psi[count_nearer(same, paired[i], radius)]
    return same.psi[k] + same.psi[n] - total / n


@kernel
def rank_ksg_of_pairs(same, orders, ranks, first, second, out):
    """Fill out[p] with the estimate of the columns first[p] of `orders` and second[p] of `ranks`, both (columns, n).

    `orders` has the rows of each column by ascending value, `ranks` the rank of each row, from 0.
    """
    n = same.scores.size
    paired, other = np.empty(n, np.int64), np.empty(n)
    best, scratch = np.empty((same.k, n)), np.empty((2, n))
    for p in range(first.size):
        order, rank = orders[first[p]], ranks[second[p]]
        for i in range(n):
            paired[i] = rank[order[i]]
            other[i] = same.scores[paired[i]]
        out[p] = rank_ksg(same, paired, other, best, scratch)
