"""Null laws of statistics, estimated from samples, and extrapolated far beyond any sample."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import one_blas_thread, run

from .rank_ksg import rank_ksg_of_pairs, rank_scores
from .smooth import wave_scores, waves_of_ranks

N_KNOTS = 1000
ROUNDING = 1e-9  # relative: values no further apart count as equal
TAIL_DRAWS = 1000  # the tail is fitted to this many of the largest values of a sample
TAIL_SHARE = 0.02  # or this share of a small sample
KSG_POWER = 1.25
SETTLED = 2000  # rows: with more, laws are the same up to noise
SEED = 20_111  # of null samples: a law belongs to n, not to a data set
MOST_LAWS = 64  # kept in memory
MANY_COLUMNS = 256  # random columns whose pairs are computed at a time


class NullLaw(NamedTuple):
    """The chance of so large a continuous statistic under independence: log p at knots, and its slope beyond."""

    knots: np.ndarray  # ascending
    log_pvalues: np.ndarray  # descending
    rate: float

    def log_pvalue(self, statistic: np.ndarray) -> np.ndarray:
        """Return log p: interpolated in the sample, exponential in its tail."""
        inside = np.interp(statistic, self.knots, self.log_pvalues)
        return inside - self.rate * np.maximum(statistic - self.knots[-1], 0.0)


def tail_draws(draws: int) -> int:
    """Return how many of the largest values of a sample its tail is fitted to."""
    return int(min(TAIL_DRAWS, max(10, TAIL_SHARE * draws)))


class StepLaw(NamedTuple):
    """The same for a statistic that takes few values: nothing is extrapolated beyond what was counted."""

    knots: np.ndarray  # ascending, further apart than rounding
    log_pvalues: np.ndarray  # descending: one for each knot, and one more for values above all of them

    def log_pvalue(self, statistic: np.ndarray) -> np.ndarray:
        """Return log p: that of the first knot that is as large, up to rounding."""
        statistic = np.asarray(statistic)
        return self.log_pvalues[np.searchsorted(self.knots, statistic - ROUNDING * np.abs(statistic))]


def step_law(values: np.ndarray, weights: np.ndarray | None = None) -> StepLaw:
    """Return the law of values with known probabilities or, without these, of a sample, with the data as one more."""
    order = np.argsort(values)
    ordered = values[order]
    starts = np.concatenate(([True], ordered[1:] > ordered[:-1] + ROUNDING * np.abs(ordered[1:])))
    if weights is None:
        as_large = np.arange(ordered.size, 0, -1)[starts]
        log_pvalues = np.log(np.append(as_large + 1, 1) / (ordered.size + 1))
    else:
        chances = np.cumsum(weights[order][::-1])[::-1][starts]
        log_pvalues = np.minimum(np.log(np.append(chances, chances[-1])), 0.0)
    return StepLaw(ordered[starts], log_pvalues)


def law_of(sample: np.ndarray) -> NullLaw:
    """Return the law of a sample of a statistic whose tail is about exponential, as that of −log p is.

    Equal values all count as at least as large. The tail is fitted to values strictly above its start: for a statistic
    on a lattice, the slope is then too small rather than too large.
    """
    ordered = np.sort(sample)
    start = ordered[-1 - tail_draws(ordered.size)]
    above = ordered[ordered > start + ROUNDING * abs(start)]
    rate = 1.0 / max(float(above.mean() - start), 1e-12) if above.size else 0.0
    # Knots: every one of the largest values below the tail, then fewer and fewer.
    ranks = np.unique(np.geomspace(above.size + 1, ordered.size, N_KNOTS).astype(np.int64))[::-1]
    knots = ordered[-ranks]
    knots = knots[np.concatenate(([True], knots[1:] > knots[:-1] + ROUNDING * np.abs(knots[1:])))]
    as_large = ordered.size - np.searchsorted(ordered, knots - ROUNDING * np.abs(knots))
    return NullLaw(knots, np.log(as_large / (ordered.size + 1)), rate)


class Draws(NamedTuple):
    """Sizes of the null samples of both statistics."""

    smooth: int
    neighbors: int


def draws_for(n_pairs: int, n: int) -> Draws:
    """Return sizes, affordable in a second or two, that leave little to fitted tails for this many pairs of n rows."""
    fewest = int(np.clip(10_000_000 // n, 10_000, 200_000))
    return Draws(int(np.clip(100 * n_pairs, 200_000, 10_000_000)), int(np.clip(n_pairs, fewest, 200_000)))


FEW_DRAWS = Draws(200_000, 20_000)  # where laws for many values of n are needed


class PairLaws(NamedTuple):
    """The laws of both statistics of two columns of n rows without ties."""

    smooth: NullLaw  # of `wave_scores`
    neighbors: NullLaw  # of `ksg_score`
    smaller: NullLaw  # of −log of the smaller p-value of both
    least: float  # log p of two columns in the same order, or the reverse: 2 of n! orders

    def log_pvalue(self, by_waves: np.ndarray, by_neighbors: np.ndarray) -> np.ndarray:
        """Return log p of the smaller of both p-values, given as log p."""
        return np.clip(self.smaller.log_pvalue(-np.minimum(by_waves, by_neighbors)), self.least, 0.0)


def ksg_score(mi: np.ndarray, n: int) -> np.ndarray:
    """Return KSG's estimate on a scale on which its tail under independence is about exponential.

    The estimate is nearly normal, but skewed: on the scale of a normal law's log p the tail would be too heavy, on
    that of the estimate itself too light.
    """
    z = math.sqrt(n) * np.asarray(mi)
    return np.sign(z) * np.abs(z) ** KSG_POWER


def pair_laws(n: int, k: int, draws: Draws, n_jobs: int | None = 1, verbose: int = 0) -> PairLaws:
    """Return the laws for n rows; they are computed once, whoever asks first."""
    key = min(n, SETTLED), k, draws
    if key not in _known_laws:
        while len(_known_laws) >= MOST_LAWS:
            _known_laws.pop(next(iter(_known_laws)), None)
        _known_laws[key] = _make_laws(*key, n_jobs, verbose)
    return _known_laws[key]


_known_laws: dict[tuple[int, int, Draws], PairLaws] = {}


def _make_laws(rows: int, k: int, draws: Draws, n_jobs: int | None, verbose: int) -> PairLaws:
    """Return the laws from all pairs of random columns: even pairs that share a column are independent."""
    ranks = np.random.default_rng(SEED).permuted(np.tile(np.arange(rows), (_columns(draws.smooth), 1)), axis=1)
    starts = range(0, len(ranks), MANY_COLUMNS)
    blocks = [(ranks, i, j) for i in starts for j in starts if i <= j]
    first, second = np.triu_indices(min(len(ranks), _columns(draws.neighbors)), 1)
    parts = np.array_split(np.arange(first.size), max(1, first.size // 1000))
    pairs = [(ranks, first[some], second[some], min(k, rows - 1)) for some in parts]
    with one_blas_thread():
        scores = run(_null_waves, blocks, n_jobs=n_jobs, label="null law", verbose=verbose)
        found = run(_null_ksg, pairs, n_jobs=n_jobs, label="null law", verbose=verbose)
    smooth, ksg = law_of(np.concatenate(scores)), ksg_score(np.concatenate(found), rows)
    neighbors = law_of(ksg)
    waves = waves_of_ranks(ranks[: second.max() + 1])
    both = np.minimum(smooth.log_pvalue(wave_scores(waves, waves)[first, second]), neighbors.log_pvalue(ksg))
    # Far out, p is a multiple of the smaller p-value: twice it if the statistics are independent, less if they are not.
    return PairLaws(smooth, neighbors, law_of(-both)._replace(rate=1.0), math.log(2) - math.lgamma(rows + 1))


def _columns(pairs: int) -> int:
    """Return the smallest number of columns that have at least this many pairs."""
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


def fitted_law(sample: np.ndarray) -> NullLaw:
    """Return the law of a small sample.

    A few hundred draws determine the slope of the tail. It is reduced by two standard errors, so p errs upwards.
    """
    law = law_of(sample)
    return law._replace(rate=law.rate * (1 - 2 / math.sqrt(tail_draws(sample.size))))


def grid(n: int, ratio: float = 1.1) -> int:
    """Return the largest number on a coarse grid that does not exceed n: laws for similar n hardly differ."""
    return int(ratio ** math.floor(math.log(n, ratio) + 1e-9) + 1e-9)
