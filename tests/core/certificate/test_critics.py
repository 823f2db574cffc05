"""Critics against slow definitions, and on data where they could break."""

import numpy as np
import pytest
import reference.certificate as naive
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.certificate import critics
from infold.core.copula import ratios


def tables(rng, m=40, n=12, p=2, q=3):
    z = rng.normal(size=(m + n, p + q))
    z[:, p:] += z[:, :1]
    return z[:m, :p], z[:m, p:], z[m:, :p], z[m:, p:]


def test_scores_match_definition_with_ties(rng):
    fitted, rows = rng.integers(0, 5, (30, 2)).astype(float), rng.integers(-2, 8, (12, 2)).astype(float)
    found = critics.scores_among(fitted, rows)
    assert_allclose(found, [[naive.score_among(fitted[:, c], row[c]) for c in range(2)] for row in rows])


@pytest.mark.parametrize("k", [1, 5, 100])
def test_kernel_critic_matches_definition(rng, k):
    a, b, rows_a, rows_b = tables(rng)
    found = ratios.kernel_critic(a, b, (k,))(rows_a, rows_b)[0]
    for i, j in ((0, 0), (3, 7), (11, 2)):
        expected = naive.kernel_log_ratio(rows_a[i], rows_b[j], a, b, k, ratios.INDEPENDENT)
        assert found[i, j] == pytest.approx(expected, rel=1e-4, abs=1e-4)  # float32


def test_kernel_weights_of_copies_are_shared():
    squared = np.array([[0.0, 0.0, 0.0, 4.0], [4.0, 4.0, 4.0, 0.0]])
    assert_allclose(
        ratios.kernel_weights(squared, (2,))[0], [[1 / 3, 1 / 3, 1 / 3, 0], [1 / 3 / np.e, 0, 0, 0]], atol=1
    )
    assert_allclose(ratios.kernel_weights(squared, (2,))[0, 0], [1 / 3, 1 / 3, 1 / 3, 0], atol=1e-6)


def test_gaussian_critic_matches_covariances_of_many_rows(rng):
    # With many rows the adjustment of correlations is small; values differ by what no candidate sees, a constant.
    a, b, rows_a, rows_b = tables(rng, m=20_000)
    found = critics.gaussian_critic(a, b)(rows_a, rows_b)[0]
    expected = [[naive.gaussian_log_ratio(u, v, a, b) for v in rows_b] for u in rows_a]
    assert_allclose(found - found[0, 0], expected - expected[0][0], atol=0.03)  # pairs within chance are left out


def test_sum_over_blocks_adds_up(rng):
    a, b, rows_a, rows_b = tables(rng)
    blocks = [(np.array([0]), np.array([0, 2])), (np.array([1]), np.array([1]))]
    found = critics.sum_over_blocks(a, b, blocks)(rows_a, rows_b)
    parts = [ratios.kernel_critic(a[:, i], b[:, j], critics.BLOCK_NEIGHBORS) for i, j in blocks]
    assert_allclose(
        found, sum(part(rows_a[:, i], rows_b[:, j]) for part, (i, j) in zip(parts, blocks, strict=True)), atol=1e-5
    )


def test_blocks_join_each_column_with_its_strongest_partner(rng):
    x = rng.normal(size=(500, 3))
    y = np.column_stack([x[:, 2], x[:, 0], np.abs(x[:, 1])]) + 0.1 * rng.normal(size=(500, 3))
    found = sorted((i.tolist(), j.tolist()) for i, j in critics.linked_blocks(x, y))
    assert found == [([0], [1]), ([1], [2]), ([2], [0])]


def test_plan_takes_dependent_columns_or_all(rng):
    x, y = rng.normal(size=(2, 400, 6))
    plan = critics.make_plan(x, y)
    assert_array_equal(plan.x, np.arange(6))
    assert plan.blocks == []
    y[:, 4] += x[:, 1]
    plan = critics.make_plan(x, y)
    assert plan.x.tolist() == [1]
    assert plan.y.tolist() == [4]
    assert plan.gaussian_of_all


@pytest.mark.parametrize("columns", [1, 3, 60])
def test_opinions_are_finite_and_not_extreme(rng, columns):
    a = rng.normal(size=(50, columns))
    a[:, 0] = 0
    a[7, 0] = 1e-9  # a direction that hardly varies
    b = np.round(a + rng.normal(size=a.shape))
    rows = 1e6 * rng.normal(size=(20, columns))
    plan = critics.Plan(np.arange(columns), np.arange(columns), [], True, True)
    found = critics.fit_critics(a, b, plan, rng)(rows, rows)
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= critics.EXTREME
