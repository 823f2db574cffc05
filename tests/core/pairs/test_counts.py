"""Tables of counts: all of them, drawn ones, and p-values that are those of permutations."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisher_exact

from infold.core.pairs import mixed
from infold.core.pairs.counts import all_tables, drawn_tables
from infold.core.pairs.mixed import basis_of, law_of_patterns, own_pvalue, pattern_of
from infold.core.pairs.smooth import basis_scores, permuted_scores
from infold.core.pairs.work import NOMINAL, RANKED, TIED


def score_of(x, y):
    a, b = basis_of(x), basis_of(y)
    return float(basis_scores(a, b.functions[None], b.sizes)[0])


def test_tables_are_those_of_all_orders():
    rows, columns = (3, 2, 1), (2, 2, 2)
    x, y = np.repeat(np.arange(3), rows), np.repeat(np.arange(3), columns)
    seen = set()
    for order in permutations(range(6)):
        table = np.zeros((3, 3), int)
        np.add.at(table, (x, y[list(order)]), 1)
        seen.add(tuple(table.ravel()))
    found = all_tables(rows, columns)
    assert sorted(map(tuple, found.reshape(len(found), -1))) == sorted(seen)
    assert all_tables((200,) * 5, (250,) * 4) is None


def test_drawn_tables_have_their_margins(rng):
    tables = drawn_tables((5, 1, 4), (3, 7), 500, rng)
    assert (tables >= 0).all()
    assert_array_equal(tables.sum(axis=2), np.tile([5, 1, 4], (500, 1)))
    assert_array_equal(tables.sum(axis=1), np.tile([3, 7], (500, 1)))


@pytest.mark.parametrize(("n", "ones", "both"), [(30, 15, 12), (30, 15, 14), (200, 100, 80), (20, 10, 6), (30, 3, 2)])
def test_two_coins_have_the_pvalue_of_fisher(n, ones, both):
    x = np.arange(n) < ones
    y = np.concatenate([np.arange(ones) < both, np.arange(n - ones) < ones - both])
    sides = (NOMINAL, x.astype(float)), (NOMINAL, y.astype(float))
    log_p, _ = own_pvalue(*map(pattern_of, sides), score_of(*sides))
    table = [[both, ones - both], [ones - both, n - 2 * ones + both]]
    assert np.exp(log_p) == pytest.approx(fisher_exact(table).pvalue, rel=1e-6)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ((NOMINAL, (30, 30)), (TIED, (10, 20, 20, 10))),
        ((NOMINAL, (8, 7, 5, 5, 5)), (NOMINAL, (10, 8, 6, 6))),
        ((NOMINAL, (28, 2)), (RANKED, (30,))),
        ((NOMINAL, (30, 30)), (RANKED, (60,))),
        ((TIED, (131, 57, 12)), (TIED, (49, 57, 55, 26, 7, 4, 1, 1))),
    ],
)
def test_pvalues_are_not_below_those_of_permutations(x, y):
    x, y = sorted((x, y))
    scores = np.sort(permuted_scores(mixed._any_basis(x), mixed._any_basis(y), 50_000, seed=7))
    for p in (0.3, 0.05, 0.01, 1e-3, 2e-4):
        at = scores[-round(p * scores.size)]
        plain = (scores >= at * (1 - 1e-9)).mean()
        found = np.exp(own_pvalue(x, y, float(at))[0])
        # five standard errors of the permutations, and of the 2,000 to 20,000 draws of the law where p is larger
        assert found > plain * (1 - 5 * np.sqrt(1 / (plain * 50_000) + 1 / 400))
        assert found < plain * 3 + 5 / 50_000


def test_few_arrangements_have_no_fitted_tail():
    log_p, law = own_pvalue((NOMINAL, (28, 2)), (RANKED, (30,)), 50.0)
    assert_allclose(np.exp(log_p), 1 / 200_001)
    assert law is law_of_patterns((RANKED, (30,)), (NOMINAL, (28, 2)), 200_000)
