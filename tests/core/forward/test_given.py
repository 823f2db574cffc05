import numpy as np
import pytest
from numpy.testing import assert_allclose

from infold.core.forward.functions import column_functions, label_functions, target_functions
from infold.core.forward.given import best_pair, given, permutation_tests, single_pvalues, smallest_pvalues
from infold.core.random import draw_seeds, random_orders
from tests.reference.selection import functions_of, product_pvalue, smallest_pvalue

NUMBER = np.zeros(1, bool)


def parts(X, y, is_class=False):
    columns, nominal = np.ascontiguousarray(X.T), np.zeros(X.shape[1], bool)
    return column_functions(columns, nominal), nominal, target_functions(y[None], np.array([is_class]))


def orders_of(n, count=199, seed=0):
    return random_orders(draw_seeds(seed, count), np.arange(n), np.array([0, n]), 1)


def test_functions_match_their_definition(rng):
    column = rng.standard_cauchy(50)
    assert_allclose(column_functions(column[None], NUMBER)[:, 0], functions_of(column), atol=2e-6)  # float32


def test_functions_are_orthonormal_or_zero_whatever_the_column(rng):
    n = 60
    for column in (
        rng.normal(size=n), rng.integers(0, 3, n), np.r_[np.zeros(n - 1), 1e300], np.arange(n) // 20,
        np.r_[np.zeros(50), rng.normal(size=10)], np.arange(float(n)), 1 / rng.normal(size=n),
    ):  # fmt: skip
        found = column_functions(np.asarray(column, float)[None], NUMBER)[:, 0].astype(float)
        gram = found @ found.T
        assert_allclose(gram, np.diag(np.diag(gram) > 0.5).astype(float), atol=1e-5)
        assert_allclose(found.sum(axis=1), 0, atol=1e-5)


def test_labels_span_their_indicators(rng):
    codes = rng.integers(0, 4, 80).astype(float)
    found = label_functions(codes)
    assert len(found) == 3
    assert_allclose(found @ found.T, np.eye(3), atol=1e-12)
    for label in range(4):
        centred = (codes == label) - np.mean(codes == label)
        assert_allclose(found.T @ (found @ centred), centred, atol=1e-12)
    assert len(label_functions(np.r_[np.zeros(78), 1.0, 2.0])) == 0  # rare labels tell of their rows alone


def test_pvalues_match_their_definition(rng):
    X, y = rng.normal(size=(80, 5)), rng.normal(size=80)
    X[:, 1] += y
    X[:, 2] += y**2
    functions, nominal, targets = parts(X, y)
    expected = [smallest_pvalue(column, y) for column in X.T]
    assert_allclose(smallest_pvalues(functions, nominal, targets, given(functions, nominal, [])), expected, rtol=1e-4)
    assert_allclose(single_pvalues(functions, nominal, targets), 1 - (1 - np.array(expected)) ** 3, rtol=1e-4)


def test_permutation_pvalues_match_their_definition(rng):
    X, y, orders = rng.normal(size=(40, 4)), rng.normal(size=40), orders_of(40, 39)
    X[:, 2] += 0.4 * y
    functions, nominal, targets = parts(X, y)
    tested = permutation_tests(functions, nominal, targets, given(functions, nominal, []), orders)
    null = np.array([min(smallest_pvalue(column, y[order]) for column in X.T) for order in orders])
    own = np.array([smallest_pvalue(column, y) for column in X.T])
    assert_allclose(tested.null, np.sort(null), rtol=1e-4)
    assert_allclose(tested.corrected(tested.smallest), (1 + (null[:, None] <= own).sum(axis=0)) / 40)


def test_best_pair_matches_its_definition(rng):
    X, y = rng.normal(size=(60, 6)), rng.normal(size=60)
    functions, nominal, targets = parts(X, y)
    pair = best_pair(functions, np.arange(6), targets, given(functions, nominal, []))
    pvalues = {(i, j): product_pvalue(X[:, i], X[:, j], y) for i in range(6) for j in range(i + 1, 6)}
    best = min(pvalues, key=pvalues.get)
    assert {pair.first, pair.second} == set(best)
    assert_allclose(pair.pvalue, 1 - (1 - pvalues[best]) ** 15, rtol=1e-4)


def test_nothing_of_what_is_known_is_left(rng):
    X = rng.normal(size=(300, 4))
    X[:, 1] = X[:, 0]
    X[:, 2] = X[:, 0] + 0.5 * rng.normal(size=300)
    functions, nominal, _ = parts(X, X[:, 0])
    known = given(functions, nominal, [0])
    assert not known.leaves(functions)[:, :2].any()
    left = known.leaves(functions)
    assert_allclose(np.einsum("mpn,dn->mpd", left, known.basis), 0, atol=1e-5)
    assert left[:, 2].any(axis=1).all()


@pytest.mark.parametrize("n", [4, 5, 12])
def test_known_functions_leave_degrees_of_freedom_with_few_rows(rng, n):
    functions, nominal, targets = parts(rng.normal(size=(n, 6)), rng.normal(size=n))
    known = given(functions, nominal, list(range(5)))
    assert len(known.basis) <= n // 5
    tested = permutation_tests(functions[:, 5:], nominal[5:], targets, known, orders_of(n, 19))
    assert np.isfinite(tested.smallest).all()
    assert ((tested.null >= 0) & (tested.null <= 1)).all()


def test_given_the_common_cause_pvalues_are_uniform():
    # 300 pairs of columns that depend on two others only, in straight and bent ways; the share of p ≤ .05 has a
    # standard deviation of 1.3 %.
    rng, pvalues = np.random.default_rng(5), []
    for _ in range(300):
        a, b, e, f = rng.normal(size=(4, 150))
        X = np.column_stack((a, b, a + b + e))
        functions, nominal, targets = parts(X, np.exp(a) + b + f)
        smallest = smallest_pvalues(functions[:, 2:], nominal[2:], targets, given(functions, nominal, [0, 1]))
        pvalues.append(smallest[0])
    # The smallest of three nested and two product tests: at most five times .01, and about three times.
    assert np.mean(np.array(pvalues) <= 0.01) <= 0.05 + 3 * 0.013


def test_a_product_with_a_known_column_is_seen(rng):
    X = rng.normal(size=(200, 3))
    functions, nominal, targets = parts(X, X[:, 0] + X[:, 0] * X[:, 1])
    smallest = smallest_pvalues(functions[:, 1:], nominal[1:], targets, given(functions, nominal, [0]))
    assert smallest[0] < 1e-6 < 1e-3 < smallest[1]
