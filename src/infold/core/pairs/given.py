"""Pairs given Z: residuals of two columns are re-paired among rows with similar Z, to check that p-values are valid."""

from __future__ import annotations

import math

import numpy as np

from ..copula.null_given import local_orders
from .null import NullLaw, PairLaws, StepLaw, ksg_score
from .rank_ksg import RankScores, rank_ksg_of_pairs
from .smooth import Basis, basis_scores, wave_scores
from .work import Work

DRAWS = 99
LOG_WORTH = math.log(0.05)  # larger p-values are left as they are


class LocalNull:
    """log p of a pair after each of many re-pairings among rows with similar Z."""

    def __init__(self, work: Work) -> None:
        assert work.neighbors is not None
        self.orders = local_orders(work.neighbors, np.uint64(work.seed) + np.arange(DRAWS, dtype=np.uint64))

    def of_waves(self, waves_x: np.ndarray, waves_y: np.ndarray, laws: PairLaws) -> np.ndarray:
        """Return log p of the smooth statistic."""
        moved = np.ascontiguousarray(waves_y[:, self.orders].transpose(1, 0, 2))
        return laws.smooth.log_pvalue(wave_scores(waves_x[None], moved)[0])

    def of_ranks(self, order_x: np.ndarray, ranks_y: np.ndarray, same: RankScores, laws: PairLaws) -> np.ndarray:
        """Return log p of KSG's estimate."""
        # A row may be used twice, so ranks are recomputed; the resulting ties keep the order of the rows.
        moved = np.argsort(np.argsort(ranks_y[self.orders], axis=1, kind="stable"), axis=1)
        every, out = np.arange(len(moved)), np.empty(len(moved))
        rank_ksg_of_pairs(same, order_x[None], moved, np.zeros_like(every), every, out)
        return laws.neighbors.log_pvalue(ksg_score(out, order_x.size))

    def of_bases(self, x: Basis, y: Basis, law: NullLaw | StepLaw) -> np.ndarray:
        """Return log p of the smooth statistic of columns with ties or classes."""
        return law.log_pvalue(basis_scores(x, y.functions[:, self.orders].transpose(1, 0, 2), y.sizes))


def without_rows_in_place(neighbors: np.ndarray) -> np.ndarray:
    """Return rows with similar Z (n, k − 1), without the row itself.

    If rows could stay in place, what remains of a strong dependence would be mistaken for an effect of Z.
    """
    others = neighbors != np.arange(len(neighbors))[:, None]
    others[others.all(axis=1), -1] = False  # copies of Z may crowd the row itself out
    return neighbors[others].reshape(len(neighbors), -1)


def inflation(log_pvalues: np.ndarray) -> float:
    """Return the factor by which −log p exceeds its expected mean, 1, among re-paired rows; 1 if it does not.

    Where Z still explains part of both columns, p-values are too small among rows with similar Z as well.
    """
    return max(1.0, -float(np.mean(log_pvalues)))
