"""Tests of many columns given the selected ones: these are regressed out of both sides, and the residuals permuted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, gammaln

from ..copula.screen import either
from .functions import ORDERS, PER_COLUMN, Target, orthonormal

ROWS_PER_FUNCTION = 5  # of the selected columns: with fewer rows, regressing them out leaves too little
MOST_FUNCTIONS = 100  # of the selected columns: more take time, and add little
MOST_MULTIPLIED = 15  # columns whose pairwise products are among them
MOST_FACTORS = 8  # linear terms and labels of the first selected columns, with which candidates may interact
NOTHING_LEFT = 1e-6  # of a squared length of 1
TILE = 512  # columns whose products with all others are held at a time
AT_A_TIME = 2_000_000  # squared correlations that are held
ROUNDING = 1e-6
FEW_DIGITS = 1e-300  # p-values below this are not exact
MOST_EXPLAINED = np.float32(1 - 1e-6)
TINY = np.float32(1e-30)


class Given(NamedTuple):
    """What is conditioned on: an orthonormal basis of functions of the selected columns, and some of these columns."""

    basis: np.ndarray  # (d, n)
    factors: np.ndarray  # (f, n): linear terms and labels of the first ones, with which a candidate may interact

    @property
    def freedom(self) -> np.float32:
        """Share of the degrees of freedom that remains."""
        d, n = self.basis.shape
        return np.float32((n - 1 - d) / (n - 1))

    def leaves(self, functions: np.ndarray) -> np.ndarray:
        """Return the residuals of functions (m, p, n) after regression on the basis, orthonormal as before.

        Negligible residuals, as of a copy, become 0.
        """
        if len(self.basis) == 0:
            return functions
        left = functions - (functions @ self.basis.T) @ self.basis
        left[np.einsum("mpn,mpn->mp", left, left) < NOTHING_LEFT] = 0
        return orthonormal(left)

    def leaves_target(self, target: Target) -> Target:
        """Return the residuals of the target after regression on the basis."""
        return target._replace(functions=self.leaves(target.functions[:, None])[:, 0])


def given(functions: np.ndarray, nominal: np.ndarray, selected: list[int]) -> Given:
    """Return a basis of the selected columns' functions and of products of two linear ones; `functions` are (4, p, n).

    There are at most n / 5 functions, and at most the larger of 100 and two per column; the simplest come first.
    """
    n = functions.shape[2]
    factors = [functions[m, c] for c in selected for m in range(PER_COLUMN if nominal[c] else 1)]
    factors = [factor for factor in factors if factor.any()]
    arches, waves = ([functions[m, c] for m in which for c in selected if not nominal[c]] for which in ((1,), (2, 3)))
    products = [a * b for i, a in enumerate(factors[:MOST_MULTIPLIED]) for b in factors[:i]]
    most = min(n // ROWS_PER_FUNCTION, max(MOST_FUNCTIONS, 2 * len(selected)))
    columns = [*factors, *arches, *products, *waves][:most]
    first = np.array(factors[:MOST_FACTORS], np.float32).reshape(-1, n)
    return Given(_basis(np.array(columns, float).reshape(-1, n)), first)


def _basis(functions: np.ndarray) -> np.ndarray:
    """Return (d, n) orthonormal functions that span the centred functions (m, n)."""
    centred = functions - functions.mean(axis=1, keepdims=True)
    centred /= np.maximum(np.sqrt((centred**2).sum(axis=1, keepdims=True)), TINY)
    lengths, axes = np.linalg.eigh(centred @ centred.T)  # squared; much faster than a QR decomposition
    kept = lengths > NOTHING_LEFT
    return np.asarray(axes[:, kept].T @ centred / np.sqrt(lengths[kept, None]), np.float32)


class Tested(NamedTuple):
    """The smallest p-value of all tests of each column, and of all columns after each permutation, ascending."""

    smallest: np.ndarray
    null: np.ndarray

    def corrected(self, smallest: np.ndarray) -> np.ndarray:
        """Return smallest p-values as permutation p-values, corrected for the number of tests and of columns."""
        below = np.searchsorted(self.null, smallest * (1 + ROUNDING), side="right")
        return (1 + below) / (1 + len(self.null))


def permutation_tests(
    functions: np.ndarray, nominal: np.ndarray, targets: list[Target], known: Given, orders: np.ndarray
) -> Tested:
    """Return tests of independence of each column, by its functions (4, p, n), given what is known.

    `orders` (B, n) are permutations of the rows. With nothing selected the corrected p-values are exact: if no column
    depends on the target, the probability that any of them is at most a is at most a.
    """
    left, of_target = known.leaves(functions), [known.leaves_target(one) for one in targets]
    widest = max((len(one.functions) for one in targets), default=0) * PER_COLUMN * left.shape[1]
    parts, null = np.array_split(orders, max(1, len(orders) * widest // AT_A_TIME)), []
    for some in parts:
        own = np.ones(len(some))
        for target in of_target:
            for degrees, sums in smooth_tests(left, nominal, target, known, some):
                for d in np.unique(degrees[degrees > 0]):  # of equal degrees, the largest sum has the smallest p-value
                    np.minimum(own, chdtrc(d, sums[degrees == d].max(axis=0)), out=own)
        null.append(own)
    return Tested(_smallest(left, nominal, of_target, known), np.sort(np.concatenate(null)))


def smallest_pvalues(functions: np.ndarray, nominal: np.ndarray, targets: list[Target], known: Given) -> np.ndarray:
    """Return the smallest p-value of all tests of each column given what is known, not corrected for their number."""
    return _smallest(known.leaves(functions), nominal, [known.leaves_target(one) for one in targets], known)


def strengths(functions: np.ndarray, nominal: np.ndarray, targets: list[Target], known: Given) -> np.ndarray:
    """Return how strongly each column depends on the target given what is known, to compare columns: −log p.

    Only the target's linear function, or its classes, is used: near what is known, quadratic ones repeat the same
    information. The statistics are likelihood ratios, −n log(1 − r²): z hardly grows once r² is large, because its
    standard error grows too.
    """
    left, largest = known.leaves(functions), np.zeros(functions.shape[1])
    for target in (known.leaves_target(one) for one in targets):
        line = target if target.nominal else target._replace(functions=target.functions[:1])
        for degrees, sums in smooth_tests(left, nominal, line, known, None):
            np.maximum(largest, _minus_log_p(degrees, sums[:, 0]), out=largest, where=degrees > 0)
    return largest


def _minus_log_p(degrees: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Return −log of the tail of χ², by the first term of its expansion where it underflows."""
    pvalues, halves, m = chdtrc(degrees, sums), np.maximum(sums / 2, TINY), degrees / 2
    return np.where(pvalues > FEW_DIGITS, -np.log(pvalues + FEW_DIGITS), halves - (m - 1) * np.log(halves) + gammaln(m))


def single_pvalues(functions: np.ndarray, nominal: np.ndarray, targets: list[Target]) -> np.ndarray:
    """Return the p-value of each column by itself, corrected for the number of tests per column."""
    nothing = given(functions, nominal, [])
    return either(smallest_pvalues(functions, nominal, targets, nothing), max(1, len(targets)) * len(ORDERS))


def _smallest(left: np.ndarray, nominal: np.ndarray, of_target: list[Target], known: Given) -> np.ndarray:
    rows, smallest = np.arange(left.shape[2])[None], np.ones(left.shape[1])
    for target in of_target:
        for degrees, sums in smooth_tests(left, nominal, target, known, rows):
            np.minimum(smallest, chdtrc(degrees, sums[:, 0]), out=smallest, where=degrees > 0)
    return smallest


def smooth_tests(
    left: np.ndarray, nominal: np.ndarray, target: Target, known: Given, orders: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the degrees of freedom (p,) and the statistics (p, B) of all tests of a column, for B orders of the target.

    Nested smooth tests after Neyman: a sum of squared correlations is about χ². Correlations are divided by their own
    standard errors, since the variance of the residuals may depend on the selected columns; without `orders` the
    statistics are likelihood ratios. The last tests are about interactions: products of a column and a selected one.
    """
    there: np.ndarray = np.any(left, axis=2)
    statistic = _likelihood_ratios if orders is None else _squared_z
    shuffled = [one[:, None] if orders is None else one[orders].T for one in target.functions]
    of_line, one = len(shuffled) if target.nominal else 1, np.ones(left.shape[2], np.float32)
    z2 = np.array([[statistic(own, psi, one) for psi in shuffled] for own in left]) * known.freedom
    for order in ORDERS:
        used = there * ((np.arange(PER_COLUMN) < order)[:, None] | nominal)
        own = len(shuffled) if target.nominal else min(order, len(shuffled))
        yield own * used.sum(axis=0), np.einsum("mlpb,mp->pb", z2[:, :own], used.astype(np.float32))
    for factor in known.factors:
        sums = np.sum([statistic(left[0], psi, factor) for psi in shuffled[:of_line]], axis=0)
        yield of_line * there[0], sums * known.freedom


def _squared_z(functions: np.ndarray, psi: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return squared correlations of functions (p, n) times a factor (n,) with psi (n, B), over standard errors."""
    weighted = psi * factor[:, None]
    return (functions @ weighted) ** 2 / np.maximum(functions**2 @ weighted**2, TINY)


def _likelihood_ratios(functions: np.ndarray, psi: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return −n log(1 − r²) of the same correlations; psi has length 1."""
    r2 = (functions @ (psi * factor[:, None])) ** 2 / np.maximum(functions**2 @ factor[:, None] ** 2, TINY)
    return -len(psi) * np.log1p(-np.minimum(r2, MOST_EXPLAINED))


class Pair(NamedTuple):
    """The two columns whose product is the most informative, and its p-value, corrected for the number of pairs."""

    first: int
    second: int
    pvalue: float


def best_pair(functions: np.ndarray, allowed: np.ndarray, targets: list[Target], known: Given) -> Pair:
    """Return the pair of `allowed` columns whose product is the most informative about the target given what is known.

    Correlations are divided by their own standard errors, so that their tails are no heavier than normal ones.
    """
    columns = allowed[functions[0, allowed].any(axis=1)]
    left = known.leaves(functions[:1, columns])[0] * np.float32(functions.shape[2] ** 0.5)
    found, n_tests = Pair(-1, -1, 1.0), len(targets) * columns.size * (columns.size - 1) // 2
    for target in targets:
        psi = known.leaves_target(target).functions[: None if target.nominal else 1]
        for start in range(0, columns.size, TILE):
            rows, others = left[start : start + TILE], left[start:]
            sums = np.sum([_squared_z(others, rows.T, one).T for one in psi], axis=0)
            sums = np.triu(known.freedom * sums, 1)
            i, j = np.unravel_index(sums.argmax(), sums.shape)
            pvalue = float(chdtrc(len(psi), sums[i, j]))
            if pvalue < found.pvalue:
                found = Pair(int(columns[start + i]), int(columns[start + j]), pvalue)
    return found._replace(pvalue=float(either(found.pvalue, n_tests))) if n_tests else found
