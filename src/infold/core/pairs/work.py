"""What a tile of the matrix is computed from: columns by kind, nodes, null laws and settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ..copula.choice import ALPHA_DEPENDENT, adapt
from ..knn.ksg import local_ksg
from .null import PairLaws

RANKED, TIED, NOMINAL = 0, 1, 2  # numbers with few ties, broken at random; numbers with many ties; classes
KSG, AUTO = "ksg", "auto"
LOG_WORTH_AUTO = math.log(ALPHA_DEPENDENT)  # above this, auto returns 0
LEAST_PVALUE = 1e-300  # smaller ones are reported as this
MI, LOG_P = 0, 1  # the layers of a tile

Column = tuple[int, np.ndarray]  # kind and values


class Node(NamedTuple):
    """The columns first … stop − 1 of `Work.values`."""

    first: int
    stop: int

    @property
    def is_single(self) -> bool:
        """Whether the node is one column."""
        return self.stop - self.first == 1


class Work(NamedTuple):
    """Everything that a tile needs."""

    values: np.ndarray  # (columns, n); ranks if RANKED, codes if NOMINAL; NaN where missing
    kinds: np.ndarray  # (columns,)
    nodes: tuple[Node, ...]
    laws: Mapping[int, PairLaws]  # by n
    method: str
    k: int
    fewest_rows: int  # a pair with fewer is not tested
    seed: int
    neighbors: np.ndarray | None  # (n, k), given Z: rows with similar Z, which may replace a row


def as_ranks(column: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return ranks from 0 of a column (n,), ties in random order; NaN stays NaN."""
    out, there = np.full(column.size, np.nan), np.flatnonzero(~np.isnan(column))
    there = there[rng.permutation(there.size)]
    out[there[np.argsort(column[there], kind="stable")]] = np.arange(there.size)
    return out


def for_estimators(column: Column) -> np.ndarray:
    """Return a column as estimators expect it: normal scores of ranks; numbers with ties, and codes, as they are."""
    kind, values = column
    return ndtri(rankdata(values) / (values.size + 1)) if kind == RANKED else values


def estimate_ksg(work: Work, x: list[Column], y: list[Column]) -> float:
    """Return KSG's estimate of some columns."""
    columns = np.array([for_estimators(one) for one in (*x, *y)])
    nominal = np.array([kind == NOMINAL for kind, _ in (*x, *y)])
    local = local_ksg(
        columns, (len(x), len(y)), work.k, nominal=nominal, discrete_bias="miller-madow", standardize=True
    )
    return float(np.sort(local).sum()) / local.size


def estimate_auto(work: Work, x: list[Column], y: list[Column]) -> tuple[float, float]:
    """Return auto's estimate of some columns, and its p-value."""
    a, b = (np.array([for_estimators(one) for one in side]).T for side in (x, y))
    mask_a, mask_b = (np.array([kind == NOMINAL for kind, _ in side]) for side in (x, y))
    answer = adapt(a, b, work.k, work.seed, nominal=(mask_a, mask_b), n_jobs=1)
    return float(answer.taken.mi), answer.pvalue
