"""Directions of one side that single columns of the other change with."""

import itertools

import numpy as np
import pytest
from scipy.stats import gamma

from infold.core.copula import directions
from infold.core.copula.crossfit import deal
from infold.core.copula.scores import normal_scores
from infold.core.copula.screen import rank_waves


def test_products_have_unit_variance_on_white_columns(rng):
    found = directions.products(rng.normal(size=(20_000, 3)))
    assert found.shape == (20_000, 6)
    assert np.allclose(found.var(axis=0), 1, atol=0.1)
    assert np.allclose(found.mean(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("shape", ["line", "arch", "saddle"])
def test_leading_directions_are_those_of_the_signal(rng, shape):
    n, d = 2000, 6
    a = rng.normal(size=(n, d))
    u, v = np.linalg.qr(rng.normal(size=(d, 2)))[0].T
    response = {"line": a @ u, "arch": (a @ u) ** 2, "saddle": (a @ u) * (a @ v)}[shape] + 0.3 * rng.normal(size=n)
    waves = rank_waves(response[:, None], 4)[:, :, 0].T * np.sqrt(n)
    found = directions.leading_directions(directions.wave_moments(a, waves), 1e-3, n)
    truth = np.column_stack([u, v] if shape == "saddle" else [u])
    assert found.shape == truth.shape
    assert np.linalg.svd(found.T @ truth)[1].min() > 0.97  # cosines of the angles between the spaces


def test_pvalues_are_fair_where_rows_stand_out(rng):
    found = []
    for _ in range(60):
        a = rng.normal(size=(200, 5)) * np.exp(rng.normal(size=(200, 1)))
        waves = rank_waves(normal_scores(rng.normal(size=(200, 4))), 4).transpose(1, 2, 0).reshape(200, 16)
        found.append(directions.wave_moments(a / a.std(axis=0), waves * np.sqrt(200)).pvalues)
    for pvalues in np.array(found).transpose(1, 0, 2):
        assert np.mean(pvalues < 0.01) < 0.03  # 960 tests, those of a column related


def test_moments_over_pairings_of_any_columns_are_exact(rng):
    # All 720 pairings of six rows.
    a, b = (t - t.mean(axis=0) for t in (rng.normal(size=(6, 3)) ** 3, rng.normal(size=(6, 1)) ** 3))
    sums = [((a.T @ b[list(order)]) ** 2).sum() for order in itertools.permutations(range(6))]
    mean, variance = np.mean(sums), np.var(sums)
    observed = ((a.T @ b) ** 2).sum()
    expected = gamma.sf(observed, mean**2 / variance, scale=variance / mean)
    assert directions.wave_moments(a, b).pvalues[0, 0] == pytest.approx(expected, rel=1e-9)
    assert (directions.wave_moments(a, np.zeros((6, 1))).pvalues == 1).all()


@pytest.mark.slow
def test_a_signal_turned_into_noise_columns_is_found():
    rng = np.random.default_rng(1)
    n, d = 600, 10
    sources = rng.normal(size=(n, d))
    y = np.column_stack([np.abs(sources[:, 0]) + 0.3 * rng.normal(size=n), rng.normal(size=(n, 2))])
    x = sources @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    [(local, columns)] = directions.direction_locals([directions.Side(x, y, np.arange(3))], deal(n, rng), 3, n_jobs=1)
    assert 0 in columns  # with ten splits another is found now and then, by chance
    assert 0.45 < np.nanmean(local) < 0.85  # truth .75; any column of x alone tells less than .1


def test_nothing_is_found_in_noise_or_in_too_many_columns(rng):
    noise, response = rng.normal(size=(200, 5)), rng.normal(size=(200, 3))
    many = rng.normal(size=(200, 40))  # more than one for eight rows
    one = rng.normal(size=(200, 1))
    sides = [directions.Side(a, response, np.arange(3)) for a in (noise, many, one)]
    assert directions.direction_locals(sides, deal(200, rng), 3, n_jobs=1) == [None, None, None]


def test_each_side_has_its_own_answer(rng):
    # An arch in one side, nothing in the other, one with too many columns between them.
    x, many = rng.normal(size=(400, 4)), rng.normal(size=(400, 70))
    y = x[:, :1] ** 2 + 0.3 * rng.normal(size=(400, 1))
    sides = [directions.Side(a, y, np.arange(1)) for a in (x, many, rng.normal(size=(400, 4)))]
    splits = deal(400, rng)
    first, second, third = directions.direction_locals(sides, splits, 3, n_jobs=2)
    assert first[1].tolist() == [0]
    assert np.nanmean(first[0]) > 0.3
    assert [second, third] == [None, None]


def test_directions_in_common_are_counted_once(rng):
    basis = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    nearly = basis[:, :1] + 0.05 * basis[:, 2:3]
    assert directions.common_directions([basis[:, :1], nearly]).shape == (5, 1)
    assert directions.common_directions([basis[:, :1], basis[:, 1:2]]).shape == (5, 2)
    assert directions.common_directions([basis[:, :2]]) is not None
