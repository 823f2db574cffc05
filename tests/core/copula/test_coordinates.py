"""Learned coordinates against their definitions."""

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose

from infold.core.copula import coordinates

from .samples import correlated


def test_features_match_definitions(rng):
    a, squared, centres = rng.normal(size=(30, 3)), rng.random(30) + 0.5, np.array([4, 7, 20])
    assert_allclose(coordinates.curved(a, centres), naive.curved(a, centres), rtol=1e-9)
    assert_allclose(
        np.abs(coordinates.turned(a, squared)),
        np.abs(naive.turned(a, squared, coordinates.TURNING_DEGREE)),
        rtol=1e-6,
        atol=1e-8,
    )


@pytest.mark.parametrize(("p", "q", "count"), [(1, 1, 1), (3, 2, 2), (2, 5, 2), (4, 4, 9)])
def test_ridge_cca_matches_definition(rng, p, q, count):
    f, g = correlated(rng, 80, p, q)
    maps = coordinates.ridge_cca(f, g, count, 0.1)
    expected = naive.ridge_cca(f, g, 0.1, min(count, p, q))
    found = maps[0](f)
    assert found.shape == maps[1](g).shape == expected.shape
    for one, other in zip(found.T, expected.T, strict=True):  # up to sign and length
        assert abs(np.corrcoef(one, other)[0, 1]) > 1 - 1e-6


def test_maps_are_learned_once_and_used_on_other_rows(rng):
    f, g = correlated(rng, 100, 3, 3, 2.0)
    first, _ = coordinates.ridge_cca(f[:50], g[:50], 2, 0.1)
    assert_allclose(first(f)[70], first(f[70:71])[0])


def test_whitened_rows_have_unit_covariance_where_they_were_learned(rng):
    table = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    table = np.column_stack([table, table[:, 0] + 1e-9 * table[:, 1]])  # and a copy, which has no direction of its own
    fit = np.arange(0, 60, 2)
    white = coordinates.whitened(table, fit)
    assert white.shape == (60, 3)
    assert_allclose(np.cov(white[fit].T, bias=True), np.eye(3), atol=1e-9)


def test_centres_are_rows_to_learn_from(rng):
    rows = np.arange(100, 300)
    centres = coordinates.draw_centres(rows, rng)
    assert set(centres) <= set(rows)
    assert len(set(centres)) == round(coordinates.CENTRES_PER_SQRT_N * np.sqrt(200))


def test_whitened_lengths_match_their_definition(rng):
    a = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4)) + 3
    assert_allclose(coordinates.whitened_lengths(a), 40 * naive.row_lengths(a), rtol=1e-9)
    # A direction without variance has no length.
    assert_allclose(coordinates.whitened_lengths(np.hstack([a, a[:, :1] + a[:, 1:2]])), 40 * naive.row_lengths(a))
    # As many columns as rows: each row is a direction of its own.
    wide = rng.normal(size=(12, 15))
    _, s, vt = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    lengths = 12 * (((wide - wide.mean(axis=0)) @ vt[:-1].T / s[:-1]) ** 2).sum(axis=1)
    assert_allclose(coordinates.whitened_lengths(wide), lengths, rtol=1e-9)
