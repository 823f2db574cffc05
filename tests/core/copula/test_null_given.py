"""Draws of Y given Z: near rows change places, and the fitted function goes through the same smoother."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.copula import null_given
from infold.core.copula.null_given import NEAREST, local_orders, unconfounded

NONE = tuple(np.zeros(1, bool) for _ in range(3))


def some(rng, n=200, strength=1.0):
    z = rng.normal(size=(n, 1))
    x, y = strength * z + rng.normal(size=(2, n, 1))
    return x, y, z


def test_rows_change_places_with_near_ones_only(rng):
    neighbors = (np.arange(200)[:, None] + np.arange(-2, 3)) % 200
    orders = local_orders(neighbors, np.arange(50, dtype=np.uint64))
    steps = (orders - np.arange(200) + 100) % 200 - 100
    assert np.abs(steps).max() == 2
    shares = [np.mean(steps == step) for step in range(-2, 3)]
    # All places are about equally likely: 10,000 steps have a deviation of .004, and late rows have no choice.
    assert max(shares) - min(shares) < 0.05
    assert np.mean([np.unique(order).size for order in orders]) > 170  # few rows are taken twice
    assert_array_equal(orders[7], local_orders(neighbors, np.array([7], np.uint64))[0])


def test_a_row_takes_a_free_neighbour_if_there_is_one():
    free = local_orders(np.array([[0], [1], [2]]), np.arange(9, dtype=np.uint64))
    assert_array_equal(free, np.tile([0, 1, 2], (9, 1)))
    for order in local_orders(np.array([[0, 1], [1, 0], [2, 0]]), np.arange(40, dtype=np.uint64)):
        assert set(order[:2]) <= {0, 1}
        assert order[2] in (2, 0)
        assert np.unique(order).size == 3 or order[2] == 0


def test_neighbours_of_equal_z_are_any_of_them(rng):
    x, y, _ = some(rng)
    found = unconfounded(x, y, np.repeat([[0.0], [1.0]], 100, axis=0), NONE, 0)
    assert found.neighbors.shape == (200, NEAREST)
    assert_array_equal(found.neighbors // 100, np.repeat([[0], [1]], 100, axis=0).repeat(NEAREST, axis=1))
    assert np.unique(found.neighbors[:, 1]).size > 100


def test_a_draw_is_what_the_smoother_leaves_of_fit_and_noise(rng):
    x, y, z = some(rng, strength=2.0)
    found = unconfounded(x, y, z, NONE, 0)
    side = found.y
    (smoother,), order = side.left.smoothers, local_orders(found.neighbors, np.array([3], np.uint64))[0]
    scale, h = side.left.scales[:, 0], smoother.leverages
    target = side.left.fits[:, 0] + scale * side.values[order, 0]
    hat = smoother.u @ np.diag(smoother.kept) @ smoother.u.T
    expected = [(target[i] - hat[i] @ target) / np.sqrt(1 - h[i]) / scale[i] for i in range(200)]
    assert_allclose(found.draw(np.array([3], np.uint64))[0, 0], expected, rtol=1e-9, atol=1e-12)
    # Draws are as large as the residuals, and tell as little of Z.
    drawn = found.draw(np.arange(40, dtype=np.uint64))[:, 0]
    assert abs(drawn.std() / side.values.std() - 1) < 0.1
    assert abs(np.mean([np.corrcoef(one, z[:, 0])[0, 1] for one in drawn])) < 0.1
    # With the noise of its own rows, the column is itself again but for what leverages add.
    again = side.with_noise(np.arange(200))[:, 0]
    assert np.corrcoef(again, y[:, 0])[0, 1] > 0.97


def test_what_is_drawn_of_y_does_not_depend_on_x(rng):
    x, y, z = some(rng)
    seeds = np.arange(3, dtype=np.uint64)
    one, two = (unconfounded(table, y, z, NONE, 0).draw(seeds) for table in (x, x**3 + z))
    assert_array_equal(one, two)


def test_many_labels_are_only_re_paired_and_all_are_on_request(rng, monkeypatch):
    monkeypatch.setattr(null_given, "VERY_NEAR", 0.0)
    x, y, z = some(rng)
    label, many = rng.integers(0, 3, 200), rng.integers(0, 30, 200)
    table, masks = np.column_stack([y[:, 0], label, many]), (NONE[0], np.array([False, True, True]), NONE[2])
    found, plain = (unconfounded(x, table, z, masks, 0, labels=labels) for labels in (True, False))
    assert found.y.taken_off.tolist() == [True, True, False]
    assert plain.y.taken_off.tolist() == [True, False, False]
    order = local_orders(found.neighbors, np.array([1], np.uint64))[0]
    seeds = np.arange(2, dtype=np.uint64)
    assert found.draw(seeds).shape == (2, 3, 200)
    assert_array_equal(found.draw(seeds)[1, 2], many[order])
    assert_array_equal(plain.draw(seeds)[1, 1:], table[order, 1:].T)


def test_labels_are_only_re_paired_where_rows_of_near_z_are_very_near(rng):
    for columns, taken_off in ((1, False), (6, True)):
        z = rng.normal(size=(200, columns))
        label = (z[:, :1] + 0.15 * rng.normal(size=(200, 1)) > 0).astype(float)
        masks = np.ones(1, bool), np.ones(1, bool), np.zeros(columns, bool)
        found = unconfounded(label, label[::-1], z, masks, 0)
        assert found.x.taken_off.tolist() == found.y.taken_off.tolist() == [taken_off]
        assert taken_off or found.pvalue == 1


def test_how_far_near_rows_are(rng):
    x, y, _ = some(rng)
    apart = [unconfounded(x, y, rng.normal(size=(200, d)), (*NONE[:2], np.zeros(d, bool)), 0).apart for d in (1, 3, 8)]
    assert apart[0] < 0.05 < apart[1] < 0.4 < apart[2] < 0.8


@pytest.mark.parametrize("n", [2, 3, 6])
def test_very_few_rows(n, rng):
    x, y, z = some(rng, n)
    assert np.isfinite(unconfounded(x, y, z, NONE, 0).draw(np.arange(2, dtype=np.uint64))).all()
