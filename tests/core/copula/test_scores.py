"""Normal scores against their definition; copies and ties."""

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.copula.scores import copula_columns, distinct_columns, normal_scores


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
