"""Residuals given Z of a column with few values, labels or counts: each row's position among predicted probabilities.

A smooth function of Z predicts the chance of each value. A row stands at a random place in the interval of its own
value, on a line from 0 to 1 that the chances divide (randomized quantile residuals, Dunn & Smyth 1996). Given Z that is
uniform if the chances are right, and together with Z it determines the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .residuals import Basis, Smoother, best_smoother

LEAST_CHANCE = 1e-3  # of a value that a row has, whatever is predicted
EDGE = 1e-6  # places are this far from 0 and 1


class Chances(NamedTuple):
    """The place (n,) of each row, the chances to draw values from, and what predicts them."""

    places: np.ndarray
    bounds: np.ndarray  # (values − 1, n), where the intervals of two values meet, by all rows
    shares: np.ndarray  # (values − 1,), of all rows
    smoother: Smoother | None  # None where Z carries no information

    @property
    def scores(self) -> np.ndarray:
        """Places as normal scores (n,)."""
        return ndtri(np.clip(self.places, EDGE, 1 - EDGE))

    def redrawn(self, orders: np.ndarray) -> np.ndarray:
        """Return the scores (B, n) of values drawn with the places of other rows, after relearning the chances."""
        places = self.places[orders]
        codes = (places[:, None] > self.bounds).sum(axis=1)
        lower, upper = _interval(self.bounds, codes)
        within = (places - lower) / np.maximum(upper - lower, EDGE)
        below = codes[:, None] <= np.arange(len(self.bounds))[:, None]
        bounds = left_out_bounds(below, self.shares, self.smoother)
        return ndtri(np.clip(_placed(bounds, codes, within), EDGE, 1 - EDGE))


def chances(codes: np.ndarray, bases: Sequence[Basis], rng: np.random.Generator) -> Chances:
    """Return what is left of codes (n,), 0, 1, …, each there, once what has these bases is known."""
    below = codes <= np.arange(codes.max())[:, None]
    shares = below.mean(axis=1)
    smoother = best_smoother(below - shares[:, None], bases, less_ridge=True)
    bounds = left_out_bounds(below[None], shares, smoother)
    places = _placed(bounds, codes[None], rng.uniform(size=codes.size))[0]
    fitted = 0.0 if smoother is None else smoother.fitted(below - shares[:, None])
    return Chances(places, _ascending(shares[:, None] + fitted + np.zeros(below.shape)), shares, smoother)


def left_out_bounds(below: np.ndarray, shares: np.ndarray, smoother: Smoother | None) -> np.ndarray:
    """Return (B, values − 1, n): what other rows predict of `below`, which says whose value is not above each."""
    targets = below - shares[:, None]
    predicted = np.zeros(targets.shape) if smoother is None else targets - smoother.left_of(targets)
    return _ascending(shares[:, None] + predicted)


def _ascending(bounds: np.ndarray) -> np.ndarray:
    return np.maximum.accumulate(np.clip(bounds, 0.0, 1.0), axis=-2)


def _interval(bounds: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends (B, n) of the intervals of codes (B, n) between bounds (..., values − 1, n)."""
    ends = np.zeros((*bounds.shape[:-2], 1, bounds.shape[-1]))
    all_ends = np.concatenate([ends, bounds, ends + 1], axis=-2)
    padded = np.broadcast_to(all_ends, (len(codes), *all_ends.shape[-2:]))
    lower, upper = (np.take_along_axis(padded, (codes + more)[:, None], axis=1)[:, 0] for more in (0, 1))
    return lower, upper


def _placed(bounds: np.ndarray, codes: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Return the places (B, n) that are a share `within` of the way through the intervals of the codes."""
    lower, upper = _interval(bounds, codes)
    return lower + within * np.maximum(upper - lower, LEAST_CHANCE)
