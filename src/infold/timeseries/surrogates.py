"""Surrogates of one series, which keep its own memory and lose what it shares with the others.

* "shifts": the series is shifted circularly ("turned"), by more than lags and memory reach. Assumes that it is
  stationary; any shape of memory is preserved, including seasons. If the end does not fit the beginning, a shifted
  series has a jump that the true one does not have, so both ends are trimmed to where they fit.
* "blocks": whole blocks of steps are permuted. Assumes that blocks are several times as long as the memory; seasons
  are lost.
* "phases": the phases of its Fourier components are randomised (iterated AAFT, Schreiber & Schmitz 1996). Assumes a
  linear Gaussian process observed through a monotone map; preserves spectrum and values.
"""

from __future__ import annotations

import math
import random
import sys
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from infold.data.order import Memory, memory, normal_scores, suggested_block

from .grid import Grid

SURROGATES = ("shifts", "blocks", "phases")
ALPHA_MEMORY = 0.01  # a series that remembers nothing has no ends that must fit
CUT, MOST_CUT = 10, 500  # each end may lose 1 / CUT of the steps, but no more than MOST_CUT
FIT, MOST_FIT = 10, 100  # the same for the length of the stretch over which ends are compared
WIDEST_GAP = 3  # a shift is at least a WIDEST_GAP-th of the series, if lags and memory reach farther
FEWEST_BLOCKS = 4  # of the longest series: with two or three a test sees next to nothing
FAR = 8.0  # standard errors of series without memory, beyond which autocorrelations at far lags are common
ITERATIONS = 8  # of the amplitudes of IAAFT


@dataclass(frozen=True)
class Shifts:
    """The series shifted circularly within each segment: by a number of steps of its own, or all `in_step`."""

    values: np.ndarray
    segments: tuple[tuple[int, int], ...]
    gap: int
    in_step: bool = False

    def draw(self, number: int) -> np.ndarray:
        """Return one of the `n_different` draws."""
        return self.turned(self.turns(number))

    def turns(self, number: int, lag: int = 0) -> tuple[int, ...]:
        """Return by how many steps each segment is turned in a draw, plus a lag."""
        if self.in_step:
            return tuple((self._steps[0][0] + number + lag) % n for n in self._lengths)
        found = []
        for n, (gap, count) in zip(self._lengths, self._steps, strict=True):
            number, more = divmod(number, count)
            found.append((gap + more + lag) % n)
        return tuple(found)

    def places(self, numbers: list[int], lags: tuple[int, ...]) -> np.ndarray:
        """Return by how many steps draws and lags (B, W) turn the series; if segments turn apart, each is distinct."""
        if len(self.segments) > 1 and not self.in_step:
            return np.arange(len(numbers) * len(lags)).reshape(-1, len(lags))
        longest = int(np.argmax(self._lengths))
        return np.array([[self.turns(number, lag)[longest] for lag in lags] for number in numbers])

    def lagged(self, lag: int) -> tuple[int, ...]:
        """Return the turns that amount to a lag of the original series."""
        return tuple(lag % (stop - start) for start, stop in self.segments)

    def turned(self, turns: tuple[int, ...]) -> np.ndarray:
        """Return the series with each segment turned by its number of steps."""
        out = self.values.copy()
        for (start, stop), steps in zip(self.segments, turns, strict=True):
            out[start:stop] = np.roll(self.values[start:stop], steps, axis=0)
        return out

    def numbers(self, count: int, seed: int) -> list[int]:
        """Return `count` different draws at random, or all if there are no more: none counts twice."""
        total, source = self.n_different, random.Random(seed)
        if total > sys.maxsize:
            return [source.randrange(total) for _ in range(count)]
        return source.sample(range(total), min(count, total))

    @property
    def shortest(self) -> int:
        """How many steps the shortest segment has."""
        return min(self._lengths)

    @property
    def n_different(self) -> int:
        """How many different draws there are."""
        return math.prod(count for _, count in self._steps)

    @property
    def _lengths(self) -> list[int]:
        return [stop - start for start, stop in self.segments]

    @property
    def _steps(self) -> list[tuple[int, int]]:
        """The smallest number of steps to turn each segment by, or all in step, and how many choices there are."""
        lengths = [max(self._lengths)] if self.in_step else self._lengths
        gaps = [min(self.gap, n // WIDEST_GAP) for n in lengths]
        return [(gap, n - 2 * gap + (gap > 0)) for gap, n in zip(gaps, lengths, strict=True)]


@dataclass(frozen=True)
class BlockOrders:
    """Blocks of the series in random order within each segment; the start of the first block is random, too."""

    values: np.ndarray
    segments: tuple[tuple[int, int], ...]
    length: int

    def draw(self, seed: int) -> np.ndarray:
        """Return the series with its blocks in random order."""
        rng, out = np.random.default_rng(seed), self.values.copy()
        for start, stop in self.segments:
            first = start + int(rng.integers(0, self.length))
            edges = [start, *range(first, stop, self.length), stop]
            blocks = [self.values[i:j] for i, j in pairwise(edges) if j > i]
            out[start:stop] = np.concatenate([blocks[b] for b in rng.permutation(len(blocks))])
        return out


@dataclass(frozen=True)
class Phases:
    """The series with random phases and the same values (IAAFT); all columns are given the same phases."""

    values: np.ndarray
    segments: tuple[tuple[int, int], ...]

    def draw(self, seed: int) -> np.ndarray:
        """Return the series with other phases."""
        rng, out = np.random.default_rng(seed), self.values.copy()
        for start, stop in self.segments:
            own = self.values[start:stop]
            n = len(own)
            ordered, spectrum = np.sort(own, axis=0), np.fft.rfft(own - own.mean(axis=0), axis=0)
            sizes = np.abs(spectrum)
            turned = spectrum * np.exp(2j * np.pi * rng.random(len(spectrum)))[:, None]
            for _ in range(ITERATIONS):
                drawn = _with_values(np.fft.irfft(turned, n, axis=0), ordered)
                turned = np.fft.rfft(drawn - drawn.mean(axis=0), axis=0)
                turned *= sizes / np.maximum(np.abs(turned), 1e-300)
            out[start:stop] = _with_values(np.fft.irfft(turned, n, axis=0), ordered)
        return out


Surrogates = Shifts | BlockOrders | Phases
"""Draws of one series; the test compares them with `values`, which may be fewer than the series itself."""


def _with_values(shape: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """Return the values of each column in the order of those of `shape`."""
    return np.take_along_axis(ordered, shape.argsort(axis=0).argsort(axis=0), axis=0)


def make_surrogates(grid: Grid, name: str, others: str, kind: str, reach: int, block: int | None) -> Surrogates:
    """Return the draws of a series; the memory of `others`, with which it is compared, counts as well."""
    series = grid[name]
    own, other = (memory_of(grid, one) for one in (name, others))
    if kind == "phases":
        _refuse_phases(grid, name)
        return Phases(series.values, grid.segments)
    most = max(1, max(stop - start for start, stop in grid.segments) // FEWEST_BLOCKS)
    if block is not None and block > most:
        raise ValueError(
            f"block={block} is more than a quarter of the longest series, which leaves too little to draw; pass at "
            f"most {most}, or None."
        )
    if kind == "blocks":
        length = block or min(suggested_block(own.length, other.length), most)
        return BlockOrders(series.values, grid.segments, length)
    in_step = len(grid.segments) > 1 and remember_far(grid, name, others)
    remembers = own.pvalue < ALPHA_MEMORY and other.pvalue < ALPHA_MEMORY
    values, segments = series.values, grid.segments
    if remembers:
        values, segments = series.values.copy(), _that_fit(series.values, grid.segments, in_step)
        kept = np.zeros(len(values), bool)
        for start, stop in segments:
            kept[start:stop] = True
        values[~kept] = np.nan
    return Shifts(values, segments, block or reach + min(own.length, other.length), in_step)


def _that_fit(values: np.ndarray, segments: tuple[tuple[int, int], ...], in_step: bool) -> tuple[tuple[int, int], ...]:
    """Return segments whose ends fit; groups that are as long and turn in step are cut at the same places."""
    if not in_step or len({stop - start for start, stop in segments}) > 1:
        return tuple(fitting_ends(values, *segment) for segment in segments)
    beside = np.hstack([values[start:stop] for start, stop in segments])
    first, last = fitting_ends(beside, 0, len(beside))
    return tuple((start + first, start + last) for start, _ in segments)


def _refuse_phases(grid: Grid, name: str) -> None:
    series = grid[name]
    if series.nominal.any():
        raise ValueError(f"surrogates='phases' is for numbers, but {name} has classes; take 'shifts'.")
    if any(np.isnan(series.values[start:stop]).any() for start, stop in grid.segments):
        who = "x, y or what is given" if "given" in grid else name
        raise ValueError(
            f"surrogates='phases' needs series without gaps, but {who} has some; take 'shifts', or fill them in."
        )


def memory_of(grid: Grid, name: str) -> Memory:
    """Return how a series remembers its past, by the column that does most; missing values are left out."""
    found = [_column_memory(column, grid.segments) for column in grid[name].values.T]
    most = min(found, key=lambda one: (one.pvalue, -one.length))
    return most._replace(pvalue=min(1.0, len(found) * most.pvalue))


def _column_memory(column: np.ndarray, segments: tuple[tuple[int, int], ...]) -> Memory:
    """Return how a column remembers its past, group by group."""
    there = np.isfinite(column)
    places = np.cumsum(there) - 1
    groups = [places[start:stop][there[start:stop]] for start, stop in segments]
    return memory(column[there, None], [rows for rows in groups if rows.size])


def remember_far(grid: Grid, name: str, other: str) -> bool:
    """Return whether two series are correlated with themselves even far apart, at the same lags, as by a season.

    Groups are then often in phase. If each were shifted by itself, surrogates would lose that, and share too little.
    """
    typical = int(np.median([stop - start for start, stop in grid.segments]))
    lags = range(max(2, typical // 4), typical // 2 + 1)
    if len(lags) < 3:
        return False
    own, others = (far_correlations(grid, one, lags) for one in (name, other))
    return bool(grid.times.size * (own @ others.T).max() > FAR * math.sqrt(len(lags)))


def far_correlations(grid: Grid, name: str, lags: range) -> np.ndarray:
    """Return the autocorrelations of each column (d, lags), less their mean: short groups lower all of them."""
    found = []
    for column in grid[name].values.T:
        there = np.isfinite(column)
        scores = np.zeros(column.size)
        scores[there] = normal_scores(column[there, None])[:, 0]
        products, pairs = np.zeros((2, len(lags)))
        for start, stop in grid.segments:
            own, known = scores[start:stop], there[start:stop]
            own = np.where(known, own - own.sum() / max(known.sum(), 1), 0.0)
            for i, lag in enumerate(lags):
                products[i] += own[lag:] @ own[:-lag]
                pairs[i] += np.count_nonzero(known[lag:] & known[:-lag])
        found.append(products / np.maximum(pairs, 1))
    return np.array([own - own.mean() for own in found])


def fitting_ends(values: np.ndarray, start: int, stop: int) -> tuple[int, int]:
    """Return a part of values[start:stop] after which it could begin again.

    That is, the stretch that follows the part resembles the one that it starts with, as in whole periods of a season.
    """
    n = stop - start
    cut, width = min(n // CUT, MOST_CUT), max(2, min(n // FIT, MOST_FIT))
    if cut < 1 or n < 4 * width:
        return start, stop
    known = values[start:stop]
    if np.isnan(known).all(axis=0).any():  # nothing to compare
        return start, stop
    scale = np.nanstd(known, axis=0)
    filled = np.nan_to_num((known - np.nanmean(known, axis=0)) / np.where(scale > 0, scale, 1.0))

    def stretches(first: int) -> np.ndarray:
        return np.array([filled[i : i + width].ravel() for i in range(first, first + cut + 1)])

    begins, follows = stretches(0), stretches(n - cut - width)
    squared = (begins**2).sum(axis=1)[:, None] + (follows**2).sum(axis=1) - 2 * begins @ follows.T
    a, b = np.unravel_index(np.argmin(squared), squared.shape)
    return start + int(a), start + n - cut - width + int(b)
