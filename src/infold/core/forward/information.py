"""Information about single columns by KSG, each estimated once, and the criteria computed from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from infold.parallel.scheduler import run

from ..knn.information import CONDITIONAL
from ..knn.ksg import local_ksg

JMI, CMIM, MRMR, RELEVANCE = "jmi", "cmim", "mrmr", "relevance"
CRITERIA = (JMI, CMIM, MRMR, RELEVANCE)

Estimate = tuple[int, bool, int | None]  # a column, whether the target is the other side, and a second column, if any


class Sample(NamedTuple):
    """Columns (p, n) and targets (q, n), numbers as normal scores, none constant, and which of them are nominal."""

    x: np.ndarray
    y: np.ndarray
    nominal_x: np.ndarray
    nominal_y: np.ndarray


def make_sample(x: np.ndarray, y: np.ndarray, nominal_x: np.ndarray, nominal_y: np.ndarray) -> Sample:
    """Return a sample of tables (n, p) and (n, q): of numbers only the ranks count, as for the tests."""
    return Sample(_as_scores(x, nominal_x), _as_scores(y, nominal_y), nominal_x, nominal_y)


def _as_scores(table: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    columns = np.array(table.T, np.float64, order="C")
    columns[~nominal] = ndtri(rankdata(columns[~nominal], axis=1) / (len(table) + 1))
    return columns


class Information:
    """Estimates about the columns of a sample, in nats, each made once."""

    def __init__(self, sample: Sample, n_neighbors: int, n_jobs: int | None, verbose: int) -> None:
        self._sample, self._n_neighbors, self._n_jobs, self._verbose = sample, n_neighbors, n_jobs, verbose
        self._found: dict[Estimate, float] = {}

    def about_target(self, columns: list[int], given: int | None = None) -> np.ndarray:
        """Return I(column; target) of each column, or I(column; target | given column)."""
        return self._all([(column, True, given) for column in columns])

    def shared(self, columns: list[int], other: int) -> np.ndarray:
        """Return I(column; other column) of each column."""
        return self._all([(column, False, other) for column in columns])

    def _all(self, wanted: list[Estimate]) -> np.ndarray:
        new = [one for one in wanted if one not in self._found]
        found = run(self._estimate, new, n_jobs=self._n_jobs, label="information", verbose=self._verbose)
        self._found |= dict(zip(new, found, strict=True))
        return np.array([self._found[one] for one in wanted])

    def _estimate(self, column: int, of_target: bool, other: int | None) -> float:
        x, y, nominal_x, nominal_y = self._sample
        blocks = [(x[[column]], nominal_x[[column]])]
        if of_target:
            blocks.append((y, nominal_y))
        if other is not None:
            blocks.append((x[[other]], nominal_x[[other]]))
        nominal = np.concatenate([mask for _, mask in blocks])
        local = local_ksg(
            np.concatenate([block for block, _ in blocks]),
            [len(block) for block, _ in blocks],
            self._n_neighbors,
            spaces=CONDITIONAL if len(blocks) == 3 else None,
            nominal=nominal if nominal.any() else None,
            discrete_bias="miller-madow",
        )
        return float(local.mean())


def criterion_values(criterion: str, columns: list[int], selected: list[int], information: Information) -> np.ndarray:
    """Return the criterion of each column, in nats, given those selected before.

    JMI is the mean over them of I(column; target | selected one): by the chain rule the same as I(column; target) less
    the mean of I(column; selected one) − I(column; selected one | target), but one estimate instead of three. CMIM is
    the minimum instead of the mean. mRMR is I(column; target) less the mean of I(column; selected one).
    """
    if criterion == RELEVANCE or not selected:
        return information.about_target(columns)
    if criterion == MRMR:
        shared = np.mean([information.shared(columns, s) for s in selected], axis=0)
        return information.about_target(columns) - shared
    each = np.array([information.about_target(columns, s) for s in selected])
    return each.mean(axis=0) if criterion == JMI else each.min(axis=0)
