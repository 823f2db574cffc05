"""The p-value of a family of lags, where the shifts of one series overlap.

A family of W lags is compared at W circular shifts ("turns"), and so is each of its surrogates. Among n turns there are
only about n / W families without one in common: with 41 lags and 200 steps, in one of five pairs of independent series
the largest statistic of all is among the 41 of the family, and no ranking of surrogates can call that rare. So beyond
the largest tenth of all turns their law is extrapolated: peaks over a threshold, as in the statistics of floods and
other extremes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from infold.inference.multiple import Judged, max_t, standardized_draws

PEAKS = 0.1  # the share of turns above the threshold
POWER = 1.5  # of the distance from the median that makes excesses exponential: 2 for normal tails, 1 for exponential


class Peaks(NamedTuple):
    """The upper tail of standardised statistics over turns; runs of turns above the threshold are one peak."""

    center: float
    threshold: float  # on the scale of `_stretch`
    mean_excess: float
    number: int
    per_family: float  # how many runs a family of lags meets, on average

    def pvalues(self, t: np.ndarray) -> np.ndarray:
        """Return the chance that a family has a larger statistic than each of `t`.

        A peak's excess is exponential. As its mean is estimated from a few peaks, that of a new one has a Lomax law.
        """
        excess = np.maximum(_stretch(t - self.center) - self.threshold, 0.0)
        larger = (1 + excess / (self.number * self.mean_excess)) ** -self.number
        return -np.expm1(-self.per_family * larger)

    def quantile(self, level: float) -> float:
        """Return the statistic that a family exceeds with probability `level`; −∞ if it seldom has any peak."""
        larger = -math.log1p(-level) / self.per_family
        if larger >= 1:
            return -math.inf
        excess = self.number * self.mean_excess * (larger ** (-1 / self.number) - 1)
        return self.center + (self.threshold + excess) ** (1 / POWER)


def judge_family(observed: np.ndarray, null: np.ndarray, turns: np.ndarray | None, level: float) -> Judged:
    """Return corrected p-values of lags and the thresholds of their statistics: the larger of max-T's and of peaks'.

    `observed` (W,) are the statistics in the order of lags, `null` (B, W) those of surrogates, and `turns` (B, W) says
    by how many steps the series was shifted, if it is a single one and was shifted circularly.
    """
    ranked = max_t(observed, null, level)
    if turns is None or len(observed) == 1:
        return ranked
    t, centers, spreads = standardized_draws(observed, null)
    peaks = find_peaks(t[1:], turns)
    if peaks is None:
        return ranked
    least = 1 / (len(null) + 1)  # no p-value is smaller, here as elsewhere
    return Judged(
        np.maximum(ranked.pvalues, np.maximum(peaks.pvalues(t[0]), least)),
        np.maximum(ranked.thresholds, centers + peaks.quantile(level) * spreads),
    )


def find_peaks(t: np.ndarray, turns: np.ndarray) -> Peaks | None:
    """Return the tail of the statistics (B, W); None if all are the same."""
    where = np.unique(turns, return_inverse=True)[1].ravel()
    line = np.bincount(where, t.ravel()) / np.bincount(where)  # a value for each turn, in their order
    center = float(np.median(line))
    line = _stretch(line - center)
    threshold = float(np.quantile(line, 1 - PEAKS))
    above = line > threshold
    starts = _run_starts(above)
    number = int(np.count_nonzero(starts))
    if not number or threshold <= 0:
        return None
    run = np.cumsum(starts)[above] - 1
    largest = np.full(number, -np.inf)
    np.maximum.at(largest, run, line[above])
    met = _run_starts(_stretch(t - center) > threshold).sum(axis=-1).mean()
    return Peaks(center, threshold, float((largest - threshold).mean()), number, float(met))


def _run_starts(above: np.ndarray) -> np.ndarray:
    """Return where runs of true begin, along the last axis."""
    starts = above.copy()
    starts[..., 1:] &= ~above[..., :-1]
    return starts


def _stretch(distance: np.ndarray) -> np.ndarray:
    return np.sign(distance) * np.abs(distance) ** POWER
