"""Tiles: every pair once, columns of every kind, rows that are there."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from infold.core.pairs.given import inflation, without_rows_in_place
from infold.core.pairs.groups import tail_pvalue
from infold.core.pairs.mixed import law_of_patterns, pattern_of
from infold.core.pairs.tile import tiles
from infold.core.pairs.work import NOMINAL, RANKED, TIED, as_ranks


@pytest.mark.parametrize("p", [2, 3, 7, 130, 300])
def test_tiles_have_every_pair_once(p):
    seen = np.zeros((p, p), int)
    for tile in tiles((0, p), (0, p)):
        rows, columns = np.arange(tile.top, tile.bottom), np.arange(tile.left, tile.right)
        seen[np.ix_(rows, columns)] += rows[:, None] < columns
    assert_array_equal(seen, np.triu(np.ones((p, p)), 1))


def test_tiles_of_two_tables_have_every_pair_once():
    seen = np.zeros((5, 209), int)
    for tile in tiles((0, 5), (5, 214)):
        seen[tile.top : tile.bottom, tile.left - 5 : tile.right - 5] += 1
    assert (seen == 1).all()


def test_ranks_keep_holes_and_set_ties_in_random_order(rng):
    column = np.array([2.0, np.nan, 1.0, 1.0, 1.0, 3.0])
    found = np.array([as_ranks(column, np.random.default_rng(seed)) for seed in range(50)])
    assert np.isnan(found[:, 1]).all()
    assert (found[:, 0] == 3).all()
    assert (found[:, 5] == 4).all()
    assert len(np.unique(found[:, 2:5], axis=0)) == 6


def test_patterns_forget_names_of_classes_and_keep_the_order_of_numbers():
    values = np.array([3.0, 3.0, 1.0, 7.0, 7.0, 7.0])
    assert pattern_of((NOMINAL, values)) == (NOMINAL, (3, 2, 1))
    assert pattern_of((TIED, values)) == (TIED, (1, 2, 3))
    assert pattern_of((RANKED, values)) == (RANKED, (6,))


def test_the_law_of_two_coins_is_that_of_their_permutations():
    law = law_of_patterns((NOMINAL, (6, 4)), (NOMINAL, (5, 5)), 20_000)
    assert law.log_pvalue(np.array([0.0]))[0] == pytest.approx(0, abs=1e-3)
    # All of the four among the five: 2 · C(5, 4) / C(10, 4) = 1 / 21.
    assert np.exp(law.log_pvalue(np.array([law.knots[-1]])))[0] == pytest.approx(1 / 21, rel=0.1)


def test_no_row_stays_where_it_is(rng):
    neighbors = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 1, 2]])  # row 3 is crowded out by copies
    moved = without_rows_in_place(neighbors)
    assert_array_equal(moved, [[1, 2], [2, 0], [1, 0], [0, 1]])


def test_inflation_only_makes_pvalues_larger():
    assert inflation(np.array([-0.1, -0.2])) == 1.0
    assert inflation(np.array([-3.0, -1.0])) == 2.0


def test_a_tail_pvalue_is_that_of_permutations_near_the_null_and_smaller_far_away(rng):
    null = rng.normal(size=199)
    assert tail_pvalue(float(np.sort(null)[-20]), null) == 21 / 200
    assert 1e-40 < tail_pvalue(10.0, null) < 1e-10
    assert tail_pvalue(0.0, np.zeros(199)) == 1.0
