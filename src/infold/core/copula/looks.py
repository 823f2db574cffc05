"""Looks at some columns: each yields local log ratios, an estimate and its standard error; the best one is taken.

The *Gaussian* look is the MI of a Gaussian copula, less what it surely counts twice. *Free* looks are KSG.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .crossfit import Split, deal, free_locals
from .gaussian import GaussianPart, gaussian_local, gaussian_part, overcount
from .neighbors import mean_error

GAUSSIAN = "gaussian"

Rows = np.ndarray
Refit = Callable[[Rows], float]


@dataclass(frozen=True)
class Candidate:
    """One look at one set of columns, as auto compares it with the others; MI in nats.

    Attributes
    ----------
    columns : str
        The set of columns: "all", "screened", "3 blocks", "directions of X" …
    view : str
        "gaussian", "columns", "bumps 4", "turned 2"; of blocks, one each.
    mi, standard_error : float
        The estimate, and its standard error; bias is not in it.
    linear : float
        The Gaussian part of the same columns, at most `mi`.
    overcount : float
        Nats that the Gaussian part of the columns surely counts twice, and that were taken off it.
    """

    columns: str
    view: str
    mi: float
    standard_error: float
    linear: float = 0.0
    overcount: float = 0.0
    local: np.ndarray | None = field(default=None, repr=False, compare=False)  # (n,): their mean is mi
    refit: Refit | None = field(default=None, repr=False, compare=False)  # rows → the same look at some rows

    def bound(self, n_errors: float = 1.0) -> float:
        """Return the estimate less so many standard errors."""
        return self.mi - n_errors * self.standard_error

    @property
    def name(self) -> str:
        """The set and the view, such as "screened: bumps 4"."""
        return f"{self.columns}: {self.view}"


class Scores(NamedTuple):
    """Normal scores of both sides: ties in random order, for Gaussian parts; and by average ranks, for neighbours."""

    x: np.ndarray
    y: np.ndarray
    even_x: np.ndarray
    even_y: np.ndarray

    def rows(self, some: Rows) -> Scores:
        """Return the scores of some rows."""
        return Scores(*(side[some] for side in self))


class Setting(NamedTuple):
    """What all looks share: KSG's k, splits of the rows, a seed, the number of threads, and whether to show a bar."""

    n_neighbors: int
    splits: list[Split]
    seed: int
    n_jobs: int | None
    verbose: int

    def of(self, n: int) -> Setting:
        """Return the setting for so many rows."""
        return self._replace(splits=deal(n, np.random.default_rng(self.seed)), verbose=0)


class Looks(NamedTuple):
    """All candidates of a set of columns, the Gaussian one first, and the Gaussian part's test."""

    candidates: list[Candidate]
    gaussian: GaussianPart


def shifted(local: np.ndarray, mean: float) -> np.ndarray:
    """Return local values with a given mean; rows without a value get the mean."""
    known = np.isfinite(local)
    return np.where(known, local - local[known].mean() + mean, mean)


def free_candidate(
    columns: str, view: str, local: np.ndarray, refit: Refit, linear: float = 0.0, overcount: float = 0.0
) -> Candidate:
    """Return the candidate of local values, NaN where a row was not judged."""
    known = local[np.isfinite(local)]
    mi = max(float(known.mean()), 0.0)
    return Candidate(
        columns, view, mi, mean_error(known), min(linear, mi), overcount, local=shifted(local, mi), refit=refit
    )


def look(
    name: str, scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, setting: Setting, *, alone: bool = True
) -> Looks:
    """Return all looks at some columns of both sides.

    Columns may turn with the radius of their whole side, if they are looked at `alone`: the radius of other blocks'
    columns tells of the other side.
    """
    a, b = scores.x[:, columns_x], scores.y[:, columns_y]
    gauss = gaussian_part(a, b)
    twice = overcount(a, b, gauss.n_pairs)
    linear = max(gauss.mi - twice, 0.0)
    local = shifted(gaussian_local(a, b, gauss.n_pairs), linear)

    def again(rows: Rows) -> float:
        part = gaussian_part(a[rows], b[rows])
        return max(part.mi - overcount(a[rows], b[rows], part.n_pairs), 0.0)

    found = [Candidate(name, GAUSSIAN, linear, gauss.standard_error, linear, twice, local, again)]
    for view, values in _free(scores, columns_x, columns_y, setting, alone).items():

        def refit(rows: Rows, view: str = view) -> float:
            values = _free(scores.rows(rows), columns_x, columns_y, setting.of(len(rows)), alone)[view]
            return max(float(np.nanmean(values)), 0.0)

        found.append(free_candidate(name, view, values, refit, linear, twice))
    return Looks(found, gauss)


def _free(
    scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, setting: Setting, alone: bool
) -> dict[str, np.ndarray]:
    """Return the local values of all free looks at some columns."""
    a, b = scores.even_x[:, columns_x], scores.even_y[:, columns_y]
    sides = (scores.even_x, scores.even_y) if alone else (a, b)
    squared = (sides[0] ** 2).sum(axis=1), (sides[1] ** 2).sum(axis=1)
    k, splits, seed, n_jobs, verbose = setting
    return free_locals(a, b, squared, splits, k, seed, n_jobs=n_jobs, verbose=verbose)


def best(candidates: Sequence[Candidate]) -> Candidate:
    """Return the largest estimate less its standard error.

    Every look tends to fall short of the truth, so larger is nearer; the standard error handicaps noisy ones.
    """
    return max(candidates, key=Candidate.bound)
