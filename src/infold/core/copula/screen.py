"""Which columns are dependent, seen one pair, or one product of two columns, at a time; rows are samples, (n, p).

Rank tests with known laws under independence: two matrix products, no resampling.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2, norm

from .coordinates import whitened_lengths
from .gaussian import FLAT
from .scores import tied_ranks

ALPHA_COLUMN = 1e-3  # chance of any false column among the tests of one kind: one can cost a sharp signal a nat
ORDERS = (1, 2, 4, 8)  # nested smooth tests: a line; also an arch, like |x|; also waves; also fast ones
LENGTH_WAVES = 4  # as features: faster ones are mostly noise
MAX_PRODUCT_COLUMNS = 64  # per side: 2,016 products of two; a side with more columns has too many
FEW_TIES = 0.99  # distinct values of all rows: a tie here and there leaves waves orthonormal
MOST_KURTOSIS = 5.0  # of a wave after the first; without ties it is 1.5
TINY = 1e-300
LITTLE_SKEW = 1e-3  # of a correlation: below, it is as good as normal
BLOCK = 64  # columns of x whose tests are held at a time, so that memory does not grow with both sides


class Screen(NamedTuple):
    """Columns that a test shows to be dependent, ascending, and the smallest p, corrected for all tests."""

    x: np.ndarray
    y: np.ndarray
    pvalue: float


def either(pvalue: float | np.ndarray, n_tests: int) -> Any:
    """Return the p-value of the smallest of `n_tests` p-values (Šidák): below 1, so that no two data sets tie at 1."""
    return -np.expm1(n_tests * np.log1p(-np.minimum(pvalue, 1 - 1e-16)))


def rank_waves(table: np.ndarray, order: int) -> np.ndarray:
    """Return cos(π j u), j = 1 … order, of each column's ranks u in (0, 1), orthonormal and centred: (order, n, p).

    Ties have average ranks. A column of few values has fewer waves than `order`: those that follow from earlier ones
    are 0, and so are those for which a few rows stand out, as with many zeros, since their law is not normal.
    """
    n = len(table)
    ranks = tied_ranks(table)
    at_halves = math.sqrt(2 / n) * np.cos(np.pi / (2 * n) * np.outer(np.arange(1, order + 1), np.arange(2 * n)))
    waves = at_halves[:, (2 * ranks).astype(np.intp) - 1]  # mean ranks are whole numbers or halves
    is_tied = [np.unique(column).size < FEW_TIES * n for column in ranks.T]
    waves[:, :, is_tied] = _orthonormal(waves[:, :, is_tied])  # without ties they are as they are
    return waves


def _orthonormal(waves: np.ndarray) -> np.ndarray:
    """Return waves (order, n, p) made orthonormal and centred one after the other, those that rest on few rows as 0."""
    n = waves.shape[1]
    waves = waves - waves.mean(axis=1, keepdims=True)
    for j, wave in enumerate(waves):
        for _ in range(2):  # twice is enough
            wave -= np.einsum("inp,ip->np", waves[:j], np.einsum("inp,np->ip", waves[:j], wave))
        lengths = np.sqrt((wave**2).sum(axis=0))
        wave /= np.where(lengths > FLAT, lengths, np.inf)
        if j:
            wave *= n * ((wave**2) ** 2).sum(axis=0) < MOST_KURTOSIS
    return waves


def skewness(waves: np.ndarray) -> np.ndarray:
    """Return the skewness (order, p) of waves (order, n, p); 0 without ties."""
    return math.sqrt(waves.shape[1]) * np.einsum("inp,inp->ip", waves**2, waves)


def as_normal(z: np.ndarray, skew: np.ndarray) -> np.ndarray:
    """Return standardised values with a given skewness as normal ones, by Wilson and Hilferty's cube root.

    Two rare labels meet rarely, and how often they do is skewed as a Poisson count is: taken as normal, four meetings
    for one expected would be beyond doubt.
    """
    skew = np.where(np.abs(skew) < LITTLE_SKEW, LITTLE_SKEW, skew)
    return 6 / skew * (np.cbrt(np.maximum(skew * z / 2 + 1, 0)) - 1) + skew / 6


def pair_pvalues(waves_x: np.ndarray, waves_y: np.ndarray) -> np.ndarray:
    """Return (p, q) p-values of independence: the smallest of the nested smooth tests, corrected for their number.

    Neyman's smooth test: (n − 1) times the sum of the squared correlations of m waves with m others is about χ² with m²
    degrees, or as many as there are waves. With fewer waves than the last order there are fewer tests.
    """
    n = waves_x.shape[1]
    there_x, there_y = (waves.any(axis=1).cumsum(axis=0) for waves in (waves_x, waves_y))
    skew_x, skew_y = skewness(waves_x), skewness(waves_y)
    is_skewed = np.abs(skew_x).max() * np.abs(skew_y).max() > LITTLE_SKEW * math.sqrt(n)
    out = np.ones((waves_x.shape[2], waves_y.shape[2]))
    orders = [m for m in ORDERS if m <= len(waves_x)]
    for start in range(0, len(out), BLOCK):
        some = slice(start, start + BLOCK)
        z = math.sqrt(n - 1) * np.einsum("inp,jnq->ijpq", waves_x[:, :, some], waves_y, optimize=True)
        if is_skewed:
            z = as_normal(z, np.einsum("ip,jq->ijpq", skew_x[:, some], skew_y) / math.sqrt(n))
        squares = z**2
        for m in orders:
            degrees = np.outer(there_x[m - 1, some], there_y[m - 1])
            out[some] = np.minimum(out[some], chi2.sf(squares[:m, :m].sum(axis=(0, 1)), degrees))
    return either(out, len(orders))


def length_column(side: np.ndarray) -> np.ndarray:
    """Return the squared lengths of the rows of a side, once it is whitened, as a column (n, 1)."""
    return whitened_lengths(side).round(9)[:, None]  # equal rows stay equal


def lengths_pvalue(a: np.ndarray, b: np.ndarray) -> float:
    """Return the p-value that the lengths of rows, once either side is whitened, are independent of each other.

    They are not where all columns of a row share a scale, even if no two columns are correlated.
    """
    return float(pair_pvalues(*(rank_waves(length_column(side), max(ORDERS)) for side in (a, b)))[0, 0])


def telling_lengths(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Return slow waves of the rows' lengths on either side if these surely depend on the other side: (n, 4) or (n, 0).

    Rings, shells and columns that share a scale differ by length, whatever the direction.
    """
    sides = [rank_waves(np.hstack([side, length_column(side)]), max(ORDERS)) for side in (a, b)]
    found = []
    for own, other in (sides, sides[::-1]):
        pvalues = pair_pvalues(own[:, :, -1:], other)
        surely = own.shape[2] > 2 and pvalues.min() * pvalues.size < ALPHA_COLUMN  # one column is its own length
        found.append(own[:, :, -1].T[:, : LENGTH_WAVES if surely else 0])
    return found


def product_pvalues(waves_x: np.ndarray, waves_y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (pairs, q) p-values of x_i x_j against a line and an arch of each column of y, and the i and j.

    Self-normalised: where x_j tells of y, the spread of x_i x_j differs from one y to the next, and a noise column
    times a signal column would look dependent. But the variance is no smaller than if the spread were always the same:
    where two rare values never meet, there is no spread at all.
    """
    p, out = waves_x.shape[2], []
    for i in range(p - 1):
        products = waves_x[0][:, i, None] * waves_x[0][:, i + 1 :]
        products -= products.mean(axis=0)
        squares = products**2
        z2 = [(products.T @ wave) ** 2 / _largest_variance(squares, wave**2) for wave in waves_y[:2]]
        out.append(either(2 * norm.sf(np.sqrt(np.maximum(*z2))), 2))  # two sides, two waves
    return np.concatenate(out), *np.triu_indices(p, 1)


def _largest_variance(squares: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return Σ squares · others of all pairs of their columns (p, q), or what it is if these are unrelated."""
    unrelated = np.outer(squares.sum(axis=0), others.mean(axis=0))
    return np.asarray(np.maximum(np.maximum(squares.T @ others, unrelated), TINY))


def screen_columns(
    x: np.ndarray, y: np.ndarray, max_columns: int, labels: tuple[np.ndarray, np.ndarray] | None = None
) -> Screen:
    """Return the columns in significant pairs or products, at most max_columns per side, those with the smallest p.

    `labels` says which columns of x and of y are indicators: a product with one is a part of the other column.
    """
    waves = rank_waves(x, max(ORDERS)), rank_waves(y, max(ORDERS))
    factors = [np.flatnonzero(~label) for label in labels or (np.zeros(side.shape[1], bool) for side in (x, y))]
    pvalues = pair_pvalues(*waves)
    found = np.where(pvalues * pvalues.size < ALPHA_COLUMN, pvalues, 1.0)
    best = [found.min(axis=1), found.min(axis=0)]
    smallest = [either(pvalues.min(), pvalues.size)]
    for side in (0, 1):
        numbers = factors[side]
        if not 2 <= numbers.size <= MAX_PRODUCT_COLUMNS:
            continue
        pvalues, i, j = product_pvalues(waves[side][:, :, numbers], waves[1 - side])
        smallest.append(either(pvalues.min(), pvalues.size))
        for m, c in np.argwhere(pvalues * pvalues.size < ALPHA_COLUMN):
            for k, column in ((side, numbers[i[m]]), (side, numbers[j[m]]), (1 - side, c)):
                best[k][column] = min(best[k][column], pvalues[m, c])
    kept = [np.sort(np.argsort(b, kind="stable")[: min(max_columns, int(np.sum(b < 1)))]) for b in best]
    return Screen(kept[0], kept[1], float(either(min(smallest), len(smallest))))
