"""The order of rows: are neighbouring rows similar, as in a time series, or because the table was sorted?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2, rankdata

from .question import Question
from .tables import Table

LAGS = 10
BLOCK_LAGS = 2  # a block is this many times as long as the autocorrelation lasts
FEWEST_BLOCKS = 4
ALPHA_AUTOCORRELATION = 0.01  # on either side: on independent rows one data set in 10,000 gets the hint
MOST_INFLATION = 1.2  # of the variance: a test at 5 % then rejects about 7 %
SMALLEST_GROUP = 20  # rows; centring a smaller one makes its rows look anti-correlated
MOST_KNOWN = 0.1  # share of the degrees of freedom that regressing out Z may cost
MOST_SHIFTS, MOST_NAMED = 20, 4  # between groups of rows; how many of them a note names
EQUAL_STEPS = 1e-6  # relative to the largest step; smaller differences are rounding


class Memory(NamedTuple):
    """The autocorrelation of the rows of one table."""

    lag_1: float  # of the most autocorrelated column
    pvalue: float  # of no autocorrelation in any column
    length: int  # the first lag at which it is no longer significant
    correlations: tuple[float, ...] = ()  # of the most autocorrelated column, over ten lags


class AlikeRows(NamedTuple):
    """Neighbouring rows so similar on both sides that the effective sample size is smaller than n."""

    x: Memory
    y: Memory
    sorted_by: str | None  # the column that the rows look sorted by
    by_class: bool  # whether the table was sorted by classes, and that explains all of it
    n_samples: int
    shifts: tuple[int, ...] = ()  # rows at which the levels change, if the rows look like groups one after another

    @property
    def block(self) -> int:
        """How many rows to keep together: with fewer than four blocks there would be too little to re-pair."""
        return min(suggested_block(self.x.length, self.y.length), self.n_samples // FEWEST_BLOCKS)

    def note(self, *, given: bool) -> str:
        """Return what was noticed, and what to do about it; a test given Z does not accept blocks."""
        if self.sorted_by:
            seen = f"Rows look sorted by {self.sorted_by}, so neighbouring rows are alike on both sides"
        elif self.shifts:
            rows = ", ".join(map(str, self.shifts[:MOST_NAMED])) + ("…" if len(self.shifts) > MOST_NAMED else "")
            seen = f"Rows look grouped (levels change near row{'s' * (len(self.shifts) > 1)} {rows})"
        else:
            does = "alternate" if max(self.x.lag_1, self.y.lag_1) < 0 else "are autocorrelated"
            lags = f"{self.x.lag_1:.2f} in X, {self.y.lag_1:.2f} in Y"
            seen = f"Rows {does} on both sides (lag-1 correlation {lags})"
        if self.by_class:
            return f"{seen}; that is harmless."
        remedy = "thin the rows" if given else f"pass block={self.block} to a test or an interval, thin the rows"
        return (
            f"{seen}. If the table is merely sorted or grouped, ignore this. If the rows form a time series, p-values "
            f"and standard errors are too small: {remedy}, or use lagged_mutual_information."
        )


def alike_rows(question: Question, groups: Sequence[np.ndarray] = ()) -> AlikeRows | None:
    """Return how similar neighbouring rows are on both sides; None if they are not, or not enough to matter.

    With groups of rows, only autocorrelation within groups counts; given Z, only what Z does not explain.
    """
    if question.n_samples < SMALLEST_GROUP * len(groups):  # small groups show nothing
        return None
    known = _basis(question.blocks["Z"]) if "Z" in question.blocks else None

    def both(within: Sequence[np.ndarray]) -> list[Memory]:
        return [memory(ordered_values(question.blocks[side]), within, known) for side in ("X", "Y")]

    x, y = both(groups)
    if not _matters(x, y):
        return None
    n = question.n_samples
    by, classes = (sorted_by(question) if len(groups) <= 1 else None) or (None, [])
    if by is None and len(groups) <= 1 and known is None and (shifts := level_shifts(question)):
        pieces = np.split(np.arange(n), shifts)
        if max(one.lag_1 for one in both(pieces)) < 2 / np.sqrt(n):  # what is left is not like a series
            return AlikeRows(x, y, None, False, n, tuple(shifts))
    if not classes:
        return AlikeRows(x, y, by, False, n)
    if _matters(*both(classes)):
        return AlikeRows(x, y, None, False, n)  # autocorrelated even within its classes
    return AlikeRows(x, y, by, True, n)


def _matters(x: Memory, y: Memory) -> bool:
    """Return whether both sides are so autocorrelated that p-values would be too small.

    By Bartlett's formula the variance of a correlation between independent series grows by this factor.
    """
    if max(x.pvalue, y.pvalue) > ALPHA_AUTOCORRELATION:
        return False
    return 1 + 2 * sum(abs(a * b) for a, b in zip(x.correlations, y.correlations, strict=True)) > MOST_INFLATION


def memory(table: np.ndarray, groups: Sequence[np.ndarray] = (), known: np.ndarray | None = None) -> Memory:
    """Return the autocorrelation of each column's normal scores, tested by Ljung and Box over ten lags.

    Tied values share their mean rank: breaking ties in row order would look like autocorrelation.

    For independent rows the p-value of one column is uniform; for several it is the smallest times their number
    (Bonferroni). Groups of rows are centred first, since a difference between consecutive groups is not
    autocorrelation. The columns of `known` are regressed out.
    """
    varying = table[:, table.min(axis=0) < table.max(axis=0)]
    n, d = varying.shape
    if n < 4 * LAGS or d == 0:
        return Memory(0.0, 1.0, 1)
    scores = normal_scores(varying)
    if known is not None:
        scores -= known @ np.linalg.lstsq(known, scores, rcond=None)[0]
    for rows in groups or [np.arange(n)]:
        scores[rows] -= scores[rows].mean(axis=0)
    scores = scores[:, (scores**2).sum(axis=0) > 1e-9]  # drops columns that are constant within groups
    if not scores.size:
        return Memory(0.0, 1.0, 1)
    power, d = (scores**2).sum(axis=0), scores.shape[1]
    shown = np.arange(1, LAGS + 1)
    r = np.array([(scores[:-lag] * scores[lag:]).sum(axis=0) for lag in shown]) / power
    box = n * (n + 2) * (r**2 / (n - shown[:, None])).sum(axis=0)
    worst = int(np.argmax(box))
    spectrum = np.fft.rfft(scores[:, worst], 2 * n)  # twice as long, so that the end does not meet the beginning
    products = np.fft.irfft(np.abs(spectrum) ** 2)[1 : n // 2]
    forgotten = np.flatnonzero(np.abs(products) < 2 * power[worst] / np.sqrt(n))
    length = int(forgotten[0]) + 1 if forgotten.size else n // 2
    pvalue = float(min(1.0, d * chi2.sf(box[worst], LAGS)))
    return Memory(float(r[0, worst]), pvalue, length, tuple(r[:, worst].tolist()))


def normal_scores(values: np.ndarray) -> np.ndarray:
    """Return the normal quantiles of the ranks of each column (n, d); tied values share their mean rank."""
    return ndtri(rankdata(values, axis=0) / (len(values) + 1))


def _basis(table: Table) -> np.ndarray | None:
    """Return regressors made from Z (n, p); None if there are too many for the number of rows.

    A class becomes an indicator; a number becomes its normal score and the square of that.
    """
    columns = [np.ones(len(table.values))]
    for c, column in enumerate(table.values.T):
        if c in table.nominal:
            columns += [column == code for code in np.unique(column)[1:]]
        else:
            scores = normal_scores(column)
            columns += [scores, scores**2]
    return np.column_stack(columns).astype(float) if len(columns) <= MOST_KNOWN * len(table.values) else None


def sorted_by(question: Question) -> tuple[str, list[np.ndarray]] | None:
    """Return the column that rows are sorted by, if any, and the rows of each of its values if there are few.

    Values that rise in equal steps are a clock, not a sorted column.
    """
    n = question.n_samples
    for block in ("X", "Y"):
        table = question.blocks[block]
        for c, column in enumerate(table.values.T):
            label = f"{block} {table.names[c]!r}" if table.names else f"column {c} of {block}"
            steps = np.diff(column)
            starts = np.flatnonzero(steps) + 1
            if 0 < starts.size < n // SMALLEST_GROUP and np.unique(column).size == starts.size + 1:
                return label, np.split(np.arange(n), starts)
            one_way = c not in table.nominal and ((steps >= 0).all() or (steps <= 0).all())
            if one_way and np.ptp(steps) > EQUAL_STEPS * np.abs(steps).max():
                return label, []
    return None


def level_shifts(question: Question) -> list[int]:
    """Return the first rows of groups that differ in level, by binary segmentation of normal scores.

    Empty if there is no shift, or if there are so many that the rows drift rather than stand in groups.
    """
    values = np.hstack([ordered_values(question.blocks[side]) for side in ("X", "Y")])
    scores = normal_scores(values[:, values.min(axis=0) < values.max(axis=0)])
    n, d = scores.shape
    shifts, open_pieces, chance = [], [(0, n)], chi2.isf(ALPHA_AUTOCORRELATION / n, d)
    while open_pieces:
        start, stop = open_pieces.pop()
        if stop - start < 2 * SMALLEST_GROUP:
            continue
        piece = scores[start:stop] - scores[start:stop].mean(axis=0)
        left = np.arange(1, stop - start + 1)[SMALLEST_GROUP - 1 : -SMALLEST_GROUP]
        sums = np.cumsum(piece, axis=0)[left - 1]
        gains = (sums**2 / (piece**2).mean(axis=0).clip(min=1e-9)).sum(axis=1) / (left * (1 - left / (stop - start)))
        if gains.max() < chance:
            continue
        middle = start + int(left[gains.argmax()])
        shifts.append(middle)
        if len(shifts) > MOST_SHIFTS:
            return []
        open_pieces += [(start, middle), (middle, stop)]
    return sorted(shifts)


def ordered_values(table: Table) -> np.ndarray:
    """Return a table's values, a nominal column as an indicator of its most frequent class: codes have no order."""
    if not table.nominal:
        return table.values
    values = table.values.copy()
    for column in table.nominal:
        codes = values[:, column].astype(int)
        values[:, column] = codes == np.bincount(codes).argmax()
    return values


def suggested_block(*lengths: int) -> int:
    """Return how many rows to keep together: only autocorrelation on all sides can be mistaken for dependence."""
    return max(2, BLOCK_LAGS * min(lengths))
