"""Normal scores against their definition; copies and ties."""

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import rankdata

from infold.core.copula.scores import copula_columns, distinct_columns, even_scores, normal_scores, tied_ranks


@pytest.mark.parametrize("levels", [3, 10, None])
def test_normal_scores_match_definition(rng, levels):
    table = rng.normal(size=(40, 3)) if levels is None else rng.integers(0, levels, size=(40, 3)).astype(float)
    assert_allclose(normal_scores(table), np.column_stack([naive.normal_scores(c) for c in table.T]))


def test_monotone_copies_are_found(rng):
    x = rng.normal(size=(50, 2))
    table = np.column_stack([x[:, 0], np.exp(x[:, 0]), x[:, 1], -(x[:, 0] ** 3), x[:, 1] + 1e-3 * x[:, 0]])
    assert_array_equal(distinct_columns(table), [0, 2, 4])


def test_ties_are_broken_at_random_and_nothing_else_is(rng):
    table = np.column_stack([rng.integers(0, 2, 60), rng.normal(size=60)]).astype(float)
    (one, kept), (two, _) = (copula_columns(table, np.random.default_rng(seed)) for seed in (1, 2))
    assert_array_equal(kept, [0, 1])
    assert_array_equal(np.sort(one, axis=0), np.sort(two, axis=0))
    assert_array_equal(one[:, 1], two[:, 1])
    assert (one[:, 0] != two[:, 0]).any()
    assert one[table[:, 0] == 0, 0].max() < one[table[:, 0] == 1, 0].min()


def test_average_ranks_keep_ties_together_but_not_equal(rng):
    table = np.column_stack([rng.integers(0, 3, 60), rng.normal(size=60)]).astype(float)
    found = even_scores(table, rng)
    for level in range(3):
        same = found[table[:, 0] == level, 0]
        assert np.ptp(same) < 1e-5
        assert len(set(same)) == same.size
    assert_array_equal(found[:, 1].argsort(), table[:, 1].argsort())
    assert_allclose(found.std(axis=0), 1, rtol=1e-5)


def test_ranks_of_ties_that_are_a_hair_apart(rng):
    table = rng.integers(0, 4, (200, 3)).astype(float)
    table[:, 2] = rng.normal(size=200)
    found = tied_ranks(even_scores(table, rng))
    assert_allclose(found, rankdata(table, axis=0))
