"""MI and p-values of two columns, one of which has many ties or classes, by a null law for each such pair.

The law depends only on how often each value occurs in each column: that is a column's *pattern*.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.special import gammaln

from .counts import drawn_scores, exact_law
from .given import LOG_WORTH, LocalNull, inflation
from .null import SEED, NullLaw, StepLaw, fitted_law, step_law
from .smooth import ORDERS, Basis, basis_of_classes, basis_of_numbers, basis_scores, permuted_scores, waves_of_ranks
from .work import AUTO, LOG_WORTH_AUTO, NOMINAL, RANKED, Column, Work, estimate_auto, estimate_ksg

DRAWS = (2_000, 20_000, 200_000)  # for the law of one pair: more if fewer than `ENOUGH` are as large as the data
ENOUGH = 20
FITTED = 20_000  # draws from which the tail of a continuous statistic is fitted
# A tail is fitted if two columns have so many arrangements that the statistic is practically continuous, and the
# functions of one have no higher peak than this: with two rare classes the tail is a Poisson count's, heavier far out.
LOG_MANY, FLAT = math.log(1e12), 4.0 + 1e-6
MOST_VALUES = 40_000_000  # drawn for one law

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
    """Return how often each value occurs: numbers in ascending order, classes with the most frequent first."""
    kind, values = column
    if kind == RANKED:
        return kind, (values.size,)
    counts = np.unique(values, return_counts=True)[1].tolist()
    return kind, tuple(sorted(counts, reverse=True) if kind == NOMINAL else counts)


@functools.lru_cache(maxsize=4096)
def law_of_patterns(x: Pattern, y: Pattern, draws: int) -> NullLaw | StepLaw:
    """Return the null law of columns with these patterns, from this many draws unless it is exact."""
    bases = _any_basis(x), _any_basis(y)
    exact = _exact(x, y) if _is_table(x, y) else None
    if exact is not None:
        return exact
    is_fitted = min(map(_peak, bases)) <= FLAT and _log_arrangements(x) + _log_arrangements(y) > LOG_MANY
    draws = min(draws, FITTED) if is_fitted else draws
    if _is_table(x, y):
        sample = drawn_scores(*bases, x[1], y[1], draws, SEED)
    else:
        sample = permuted_scores(*bases, draws, SEED)
    return fitted_law(sample) if is_fitted else step_law(sample)


def _cells(x: Pattern, y: Pattern) -> int:
    return len(x[1]) * len(y[1])


def _is_table(x: Pattern, y: Pattern) -> bool:
    """Return whether a contingency table would have no more cells than there are rows."""
    return RANKED not in (x[0], y[0]) and _cells(x, y) <= max(sum(x[1]), 4)


def _peak(basis: Basis) -> float:
    """Return the largest square of a function, whose mean square is 1."""
    return float((basis.functions**2).max() * basis.functions.shape[1])


def _log_arrangements(pattern: Pattern) -> float:
    """Return the log of the number of distinguishable orders; 0 without ties, as all such columns share one law."""
    counts = np.array(pattern[1])
    return 0.0 if pattern[0] == RANKED else float(gammaln(counts.sum() + 1) - gammaln(counts + 1).sum())


@functools.lru_cache(maxsize=4096)
def _exact(x: Pattern, y: Pattern) -> StepLaw | None:
    return exact_law(_any_basis(x), _any_basis(y), x[1], y[1])


def own_pvalue(x: Pattern, y: Pattern, score: float) -> tuple[float, NullLaw | StepLaw]:
    """Return log p, and the law it comes from: with more draws where few of them are as large."""
    x, y = sorted((x, y))
    most = max(DRAWS[-2], min(DRAWS[-1], MOST_VALUES // (_cells(x, y) if _is_table(x, y) else sum(x[1]))))
    for draws in DRAWS:
        law = law_of_patterns(x, y, min(draws, most))
        log_p = min(0.0, float(law.log_pvalue(np.array([score]))[0]))
        if log_p > math.log(ENOUGH / draws):
            break
    return log_p, law


def _any_basis(pattern: Pattern) -> Basis:
    """Return the basis of a column with this pattern."""
    kind, counts = pattern
    values = np.arange(counts[0]) if kind == RANKED else np.repeat(np.arange(len(counts)), counts)
    return basis_of((kind, values.astype(np.float64)))


def mixed_pair(
    work: Work, x: Column, y: Column, basis_x: Basis, basis_y: Basis, local: LocalNull | None
) -> tuple[float, float]:
    """Return MI and log p of two columns with known bases and, given Z, known re-pairings of the rows."""
    if not (len(basis_x.functions) and len(basis_y.functions)):
        return 0.0, 0.0  # one is constant
    score = float(basis_scores(basis_x, basis_y.functions[None], basis_y.sizes)[0])
    log_p, law = own_pvalue(pattern_of(x), pattern_of(y), score)
    if local is not None and log_p < LOG_WORTH:
        log_p /= inflation(local.of_bases(basis_x, basis_y, law))
    if work.method != AUTO:
        return estimate_ksg(work, [x], [y]), log_p
    return (estimate_auto(work, [x], [y])[0] if log_p < LOG_WORTH_AUTO else 0.0), log_p
