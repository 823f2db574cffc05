"""Null laws of statistics, from samples of them, and what they say far beyond any sample."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import blas, run

from .rank_ksg import rank_ksg_of_pairs, rank_scores
from .smooth import Basis, permuted_scores, wave_scores, waves_of_ranks

N_KNOTS = 1000
TAIL_DRAWS = 1000  # the largest of a sample, by which the tail is fitted
TAIL_SHARE = 0.02  # or this share of a small sample
KSG_POWER = 1.25
SETTLED = 2000  # rows: laws of more rows are the same but for noise
SEED = 20_111  # of null samples: a law belongs to n, not to a data set
MANY_COLUMNS = 256  # random columns whose pairs are computed at a time


class NullLaw(NamedTuple):
    """The chance that a statistic is as large without dependence: log p at knots, and the slope of log p beyond."""

    knots: np.ndarray  # ascending
    log_pvalues: np.ndarray  # descending
    rate: float

    def log_pvalue(self, statistic: np.ndarray) -> np.ndarray:
        """Return log p: interpolated in the sample, exponential in its tail."""
        inside = np.interp(statistic, self.knots, self.log_pvalues)
        return inside - self.rate * np.maximum(statistic - self.knots[-1], 0.0)


def law_of(sample: np.ndarray) -> NullLaw:
    """Return the law of a sample of a statistic whose tail is about exponential, as that of −log p is."""
    ordered = np.sort(sample)[::-1]
    tail = int(min(TAIL_DRAWS, max(10, TAIL_SHARE * ordered.size)))
    start = ordered[tail]
    rate = 1.0 / max(float(ordered[:tail].mean() - start), 1e-12)
    # Ranks of knots: each of the largest, then ever fewer.
    ranks = np.unique(np.geomspace(tail + 1, ordered.size, N_KNOTS).astype(np.int64))[::-1]
    knots, log_pvalues = ordered[ranks - 1], np.log(ranks / (ordered.size + 1))
    # Of equal values, as discrete data have, the largest p-value counts.
    kept = np.concatenate(([True], knots[1:] > knots[:-1]))
    return NullLaw(knots[kept], log_pvalues[kept], rate)


class Draws(NamedTuple):
    """Sizes of the null samples of both statistics."""

    smooth: int
    neighbors: int


def draws_for(n_pairs: int, n: int) -> Draws:
    """Return sizes that leave little to fitted tails where so many pairs of n rows are compared, in a second or two."""
    fewest = int(np.clip(10_000_000 // n, 10_000, 200_000))
    return Draws(int(np.clip(100 * n_pairs, 200_000, 10_000_000)), int(np.clip(n_pairs, fewest, 200_000)))


FEW_DRAWS = Draws(200_000, 20_000)  # where laws of many n are needed


class PairLaws(NamedTuple):
    """The laws of both statistics of two columns of n rows without ties."""

    smooth: NullLaw  # of `wave_scores`
    neighbors: NullLaw  # of `ksg_score`
    smaller: NullLaw  # of −log of the smaller p-value of both

    def log_pvalue(self, by_waves: np.ndarray, by_neighbors: np.ndarray) -> np.ndarray:
        """Return log p of the smaller of both p-values, given as log p."""
        return np.minimum(self.smaller.log_pvalue(-np.minimum(by_waves, by_neighbors)), 0.0)


def ksg_score(mi: np.ndarray, n: int) -> np.ndarray:
    """Return KSG's estimate on a scale on which its tail without dependence is about exponential.

    It is nearly normal, but skewed: on the scale of log p of a normal law the tail would be too heavy, on that of the
    estimate itself too light.
    """
    z = math.sqrt(n) * np.asarray(mi)
    return np.sign(z) * np.abs(z) ** KSG_POWER


@functools.lru_cache(maxsize=64)
def pair_laws(n: int, k: int, draws: Draws, n_jobs: int | None = 1, verbose: int = 0) -> PairLaws:
    """Return the laws for n rows, by all pairs of random columns: pairs that share a column are independent too."""
    rows = min(n, SETTLED)
    ranks = np.random.default_rng(SEED).permuted(np.tile(np.arange(rows), (_columns(draws.smooth), 1)), axis=1)
    starts = range(0, len(ranks), MANY_COLUMNS)
    blocks = [(ranks, i, j) for i in starts for j in starts if i <= j]
    first, second = np.triu_indices(min(len(ranks), _columns(draws.neighbors)), 1)
    parts = np.array_split(np.arange(first.size), max(1, first.size // 1000))
    pairs = [(ranks, first[some], second[some], min(k, rows - 1)) for some in parts]
    with blas().limit(limits=1):
        scores = run(_null_waves, blocks, n_jobs=n_jobs, label="null law", verbose=verbose)
        found = run(_null_ksg, pairs, n_jobs=n_jobs, label="null law", verbose=verbose)
    smooth, ksg = law_of(np.concatenate(scores)), ksg_score(np.concatenate(found), rows)
    neighbors = law_of(ksg)
    waves = waves_of_ranks(ranks[: second.max() + 1])
    both = np.minimum(smooth.log_pvalue(wave_scores(waves, waves)[first, second]), neighbors.log_pvalue(ksg))
    # Far out, p is a multiple of the smaller p-value: by 2 if the statistics are independent, by less if they are not.
    return PairLaws(smooth, neighbors, law_of(-both)._replace(rate=1.0))


def _columns(pairs: int) -> int:
    """Return how many columns have so many pairs, or more."""
    return math.ceil((1 + math.sqrt(1 + 8 * pairs)) / 2)


def _null_waves(ranks: np.ndarray, i: int, j: int) -> np.ndarray:
    """Return the scores of the pairs of two blocks of random columns."""
    x, y = (waves_of_ranks(ranks[start : start + MANY_COLUMNS]) for start in (i, j))
    scores = wave_scores(x, y)
    return scores[np.triu_indices(len(x), 1)] if i == j else scores.ravel()


def _null_ksg(ranks: np.ndarray, first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """Return KSG's estimates of pairs of random columns."""
    out = np.empty(first.size)
    used = np.unique(first)
    orders = np.argsort(ranks[used], axis=1)
    rank_ksg_of_pairs(rank_scores(ranks.shape[1], k), orders, ranks, np.searchsorted(used, first), second, out)
    return out


def own_law(x: Basis, y: Basis, draws: int) -> NullLaw:
    """Return the law of two columns by permutations of their own."""
    return law_of(permuted_scores(x, y, draws, SEED))


def grid(n: int, ratio: float = 1.1) -> int:
    """Return the largest number of a coarse grid that is not above n: laws of near n hardly differ."""
    return int(ratio ** math.floor(math.log(n, ratio) + 1e-9) + 1e-9)
