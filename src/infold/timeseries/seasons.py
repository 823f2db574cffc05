"""Seasons: whether a series has one, and what is left of several series without."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .grid import Grid
from .stationarity import is_long

ALPHA_SEASON = 0.001  # for each column
FEWEST_PERIODS = 3  # of a season; what takes longer is a trend
BESIDE = range(3, 13)  # how many frequencies away others are that a season hardly leaks into
FINER = 8  # frequencies are found to this fraction of one cycle in all steps
MOST_SEASONS, OVERTONES = 4, (1, 2)
ROUNDING, TINY = 1e-12, 1e-300
OWN_SEASON = 6.0  # F value of the waves in a given series; slow series without a season have 3 or less


def has_season(values: np.ndarray) -> bool:
    """Return whether the power at some period stands out of that at periods a little longer and shorter."""
    return strongest_season(values)[0] < ALPHA_SEASON


def strongest_season(values: np.ndarray) -> tuple[float, float]:
    """Return the p-value of no season, and the frequency that stands out most, in cycles per step."""
    if not is_long(values):
        return 1.0, 0.0
    there = np.isfinite(values)
    filled = np.where(there, values - values[there].mean(), 0.0)
    power = np.abs(np.fft.rfft(filled)) ** 2
    padded = np.pad(power, BESIDE[-1], mode="reflect")
    around = np.sum([padded[BESIDE[-1] + step :][: power.size] for far in BESIDE for step in (-far, far)], axis=0)
    around = np.maximum(around, ROUNDING * power.sum())  # all power of a series may be at one frequency
    ratios = (power / np.maximum(around, TINY))[FEWEST_PERIODS:]  # of an exponential and the sum of others: Lomax
    place = int(np.argmax(ratios))
    pvalue = ratios.size * float(1 + ratios[place]) ** (-2.0 * len(BESIDE))
    finer = np.abs(np.fft.rfft(filled, FINER * filled.size))
    first = FINER * (FEWEST_PERIODS + place - 1)
    return pvalue, (first + int(np.argmax(finer[first : first + 2 * FINER + 1]))) / (FINER * filled.size)


def without_seasons(grid: Grid, names: Iterable[str]) -> Grid:
    """Return the grid with some series less the waves of all their seasons, or the grid itself if there are none.

    A wave that stands out in one series is taken off all, with its first overtone: what is left of it in the others
    would be in phase. Only a given series without a season of its own stays as it is, since it may act by its square.
    """
    columns = {name: np.flatnonzero(~grid[name].nominal).tolist() for name in names}
    time, left = np.arange(grid.rows.size), grid
    waves = [np.ones(time.size)]
    for _ in range(MOST_SEASONS):
        seen = [strongest_season(left[name].values[:, c]) for name, own in columns.items() for c in own]
        pvalue, frequency = min(seen, default=(1.0, 0.0))
        if pvalue >= ALPHA_SEASON:
            break
        for overtone in OVERTONES:
            waves += [wave(2 * np.pi * overtone * frequency * time) for wave in (np.cos, np.sin)]
        basis = np.column_stack(waves)
        left = grid.with_values(**{name: _less(grid, name, own, basis) for name, own in columns.items()})
    return left


def _less(grid: Grid, name: str, columns: list[int], waves: np.ndarray) -> np.ndarray:
    """Return the values of a series less their regression on the waves, in some columns."""
    left = grid[name].values.copy()
    for c in columns:
        there = np.isfinite(left[:, c])
        known, own = waves[there], left[there, c]
        if len(own) <= 2 * known.shape[1]:  # too few values to tell a season from anything else
            continue
        rest = own - known @ np.linalg.lstsq(known, own, rcond=None)[0]
        explained, error = (own.var() - rest.var()) / (known.shape[1] - 1), rest.var() / (len(own) - known.shape[1])
        if name != "given" or explained > OWN_SEASON * error:
            left[there, c] = rest
    return left
