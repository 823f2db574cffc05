"""MI and p-values of two columns one of which has many ties or classes: by a null law of their own.

The law depends on how often each value occurs in both, and on nothing else: that is a column's *pattern*.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from ..copula.screen import ORDERS, either
from .given import LOG_WORTH, LocalNull, inflation
from .null import NullLaw, own_law
from .smooth import Basis, basis_of_classes, basis_of_numbers, basis_scores, waves_of_ranks
from .work import AUTO, LOG_WORTH_AUTO, NOMINAL, RANKED, Column, Work, estimate_auto, estimate_ksg

# Draws of a law of its own, by the p-value that χ² would give; above the largest, χ² will do.
DRAWS = {0.2: 2_000, 0.02: 20_000}

Pattern = tuple[int, tuple[int, ...]]  # kind, and how often each value occurs


def basis_of(column: Column) -> Basis:
    """Return the functions of a column by its kind; none if it is constant."""
    kind, values = column
    if kind == RANKED:
        return Basis(waves_of_ranks(np.argsort(np.argsort(values))[None])[0], ORDERS)
    if values.min() == values.max():
        return Basis(np.empty((0, values.size)), (0,) * len(ORDERS))
    return basis_of_classes(values) if kind == NOMINAL else basis_of_numbers(values)


def pattern_of(column: Column) -> Pattern:
    """Return how often each value occurs, in the order of numbers; of classes, the largest first."""
    kind, values = column
    if kind == RANKED:
        return kind, (values.size,)
    counts = np.unique(values, return_counts=True)[1].tolist()
    return kind, tuple(sorted(counts, reverse=True) if kind == NOMINAL else counts)


@functools.lru_cache(maxsize=4096)
def law_of_patterns(x: Pattern, y: Pattern, draws: int) -> NullLaw:
    """Return the null law of columns with these patterns."""
    return own_law(_any_basis(x), _any_basis(y), draws)


def _any_basis(pattern: Pattern) -> Basis:
    """Return the basis of a column with this pattern."""
    kind, counts = pattern
    values = np.arange(counts[0]) if kind == RANKED else np.repeat(np.arange(len(counts)), counts)
    return basis_of((kind, values.astype(np.float64)))


def mixed_pair(work: Work, x: Column, y: Column, basis_x: Basis, basis_y: Basis) -> tuple[float, float]:
    """Return MI and log p of two columns, whose bases are known."""
    if not (len(basis_x.functions) and len(basis_y.functions)):
        return 0.0, 0.0  # one is constant
    score = float(basis_scores(basis_x, basis_y.functions[None], basis_y.sizes)[0])
    by_chi2 = float(either(math.exp(-score), len(ORDERS)))
    draws = max((count for p, count in DRAWS.items() if by_chi2 < p), default=0)
    log_p = math.log(max(by_chi2, 1e-300))
    if draws:
        law = law_of_patterns(*sorted((pattern_of(x), pattern_of(y))), draws)
        log_p = min(0.0, float(law.log_pvalue(np.array([score]))[0]))
        if work.neighbors is not None and log_p < LOG_WORTH:
            log_p /= inflation(LocalNull(work).of_bases(basis_x, basis_y, law))
    if work.method != AUTO:
        return estimate_ksg(work, [x], [y]), log_p
    return (estimate_auto(work, [x], [y])[0] if log_p < LOG_WORTH_AUTO else 0.0), log_p
