"""The screen against definitions of its tests, and their level."""

import math

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, poisson

from infold.core.copula import screen


@pytest.mark.parametrize("order", [4, 8])
def test_matches_definitions(rng, order):
    x, y = rng.normal(size=(40, 4)), rng.normal(size=(40, 3))
    y[:, 0] += x[:, 1] ** 2
    waves = screen.rank_waves(x, order), screen.rank_waves(y, order)
    orders = [m for m in screen.ORDERS if m <= order]
    pairs = [[naive.pair_pvalue(x[:, i], y[:, j], orders) for j in range(3)] for i in range(4)]
    assert_allclose(screen.pair_pvalues(*waves), pairs, rtol=1e-9)
    found, i, j = screen.product_pvalues(*waves)
    products = [[naive.product_pvalue(x[:, f], x[:, g], y[:, c]) for c in range(3)] for f, g in zip(i, j, strict=True)]
    assert_allclose(found, products, rtol=1e-9)


def test_pvalues_are_fair_on_independent_columns(rng):
    waves = [screen.rank_waves(rng.normal(size=(200, 80)), max(screen.ORDERS)) for _ in range(2)]
    pairs = screen.pair_pvalues(*waves)
    products, *_ = screen.product_pvalues(waves[0][:, :, :30], waves[1])
    for found in (pairs, products):
        # Taking the smallest of nested tests times their number is a little cautious; 6,400 and 34,800 tests, of which
        # those of a column are related: rates within a quarter of their value above, and not below a third.
        for level in (0.05, 0.01):
            assert level / 3 < np.mean(found < level) < 1.25 * level


def test_products_of_rare_classes_are_fair(rng):
    # Indicators of one of twelve classes: two often never meet, which self-normalised tests take for a sure sign.
    smallest = []
    for _ in range(40):
        waves = [screen.rank_waves(np.eye(12)[rng.integers(0, 12, 400)], 2) for _ in range(2)]
        pvalues, *_ = screen.product_pvalues(*waves)
        smallest.append(screen.either(pvalues.min(), pvalues.size))
    assert np.mean(np.array(smallest) < 0.05) < 0.15  # three binomial deviations above


def test_waves_of_few_values_are_as_many_as_there_are(rng):
    table = np.column_stack([rng.integers(0, 2, 60), rng.normal(size=60), rng.integers(0, 4, 60), np.ones(60)])
    waves = screen.rank_waves(table.astype(float), 4)
    assert_array_equal(waves.any(axis=1).sum(axis=0), [1, 4, 3, 0])  # one less than values
    for column in waves.transpose(2, 0, 1):
        there = column[column.any(axis=1)]
        assert_allclose(there @ there.T, np.eye(len(there)), atol=1e-9)
        assert_allclose(there.sum(axis=1), 0, atol=1e-9)


def test_pvalues_are_fair_on_classes_and_counts(rng):
    x = np.hstack([rng.integers(0, 2, (300, 30)), rng.poisson(1.0, (300, 30)), rng.random((300, 30)) < 0.05])
    y = np.hstack([rng.integers(0, 3, (300, 30)), rng.normal(size=(300, 30)), rng.random((300, 30)) < 0.1])
    waves = [screen.rank_waves(side.astype(float), max(screen.ORDERS)) for side in (x, y)]
    found = screen.pair_pvalues(*waves)
    for level in (0.05, 0.01):  # 8,100 tests; χ² is rough where a label is rare
        assert level / 3 < np.mean(found < level) < 1.4 * level


@pytest.mark.parametrize("expected", [0.3, 2, 20])
def test_counts_of_rare_labels_become_normal(expected):
    # A Poisson count has the skewness of its standardised self: 1 / √expected.
    count = np.arange(2 + math.ceil(2 * expected), math.ceil(expected + 6 * math.sqrt(expected)) + 2)
    z = screen.as_normal((count - expected) / math.sqrt(expected), np.full(count.shape, expected**-0.5))
    ratio = norm.sf(z) / poisson.sf(count - 1, expected)
    assert np.all((ratio > 0.2) & (ratio < 5))  # taken as normal, they would be a millionth in the far tail


def test_labels_are_no_factors_of_products(rng):
    label = rng.integers(0, 10, 200)
    x, y = (label[:, None] == np.arange(10)).astype(float), rng.normal(size=(200, 2))
    is_label = np.ones(10, bool), np.zeros(2, bool)
    assert screen.screen_columns(x, y, 50, is_label).pvalue > 0.01


def test_keeps_the_best_columns(rng):
    x, y = rng.normal(size=(300, 6)), rng.normal(size=(300, 5))
    y[:, 2] += x[:, 1] + 3 * x[:, 4]
    assert_array_equal(screen.screen_columns(x, y, 50).x, [1, 4])
    found = screen.screen_columns(x, y, 1)
    assert_array_equal(found.x, [4])
    assert_array_equal(found.y, [2])
    assert found.pvalue < 1e-10


def test_one_of_several_tests_is_judged_by_their_number(rng):
    assert screen.either(0.01, 3) == pytest.approx(1 - 0.99**3)
    smallest = rng.random((4000, 5)).min(axis=1)
    assert abs(np.mean(screen.either(smallest, 5) < 0.3) - 0.3) < 0.03  # four binomial deviations of .007
    assert screen.either(1.0, 2) <= 1


def test_lengths_of_rows_match_their_definition(rng):
    a, b = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    a[:30] *= 2
    expected = naive.pair_pvalue(naive.row_lengths(a), naive.row_lengths(b), screen.ORDERS)
    assert screen.lengths_pvalue(a, b) == pytest.approx(expected, rel=1e-9)


def test_a_shared_scale_shows_in_lengths_of_rows(rng):
    a, b, scale = rng.normal(size=(300, 5)), rng.normal(size=(300, 4)), np.exp(rng.normal(size=(2, 300, 1)))
    assert screen.lengths_pvalue(a * scale[0], b * scale[0]) < 1e-6
    assert screen.lengths_pvalue(a * scale[0], b * scale[1]) > 0.01  # one sample: wrong in one of a hundred


def shells(rng, radii, d):
    """Rows in random directions, as far from the centre as `radii` says."""
    z = rng.normal(size=(len(radii), d))
    return radii[:, None] * z / np.linalg.norm(z, axis=1, keepdims=True)


def test_lengths_of_shells_tell_of_the_other_side(rng):
    label = rng.integers(0, 4, 300)
    a = shells(rng, np.array([1.0, 2, 4, 8])[label], 3)
    of_a, of_b = screen.telling_lengths(a, np.array([2.0, 0, 3, 1])[label][:, None] + rng.random((300, 1)))
    assert of_a.shape == (300, screen.LENGTH_WAVES)
    assert of_b.shape == (300, 0)  # a single column is its own length
    lengths = np.linalg.norm(a - a.mean(axis=0), axis=1)  # of about the same spread in all directions
    assert abs(np.corrcoef(of_a[:, 0], -lengths)[0, 1]) > 0.9


def test_lengths_that_tell_nothing_are_left_out(rng):
    kept = 0
    for _ in range(300):
        a, b = rng.normal(size=(2, 100, 3))
        kept += sum(lengths.shape[1] > 0 for lengths in screen.telling_lengths(a, b))
    assert kept <= 4  # 600 tests at 0.001: .6 on average; more than 4 have a chance of 4e-4
