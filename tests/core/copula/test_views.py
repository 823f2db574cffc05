"""Views against their definitions."""

import numpy as np
import reference.copula as naive
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors

from infold.core.copula import views
from infold.core.copula.scores import normal_scores

from .samples import correlated


def test_ksg_of_a_view_matches_definition(rng):
    for p in (1, 3, 6):
        a, b = (normal_scores(side) for side in correlated(rng, 60, p, 2))
        distances = [neighbors.block_distance(side.T) for side in (a, b)]
        for k in (1, 3, 10):
            counts = neighbors.counts(distances, [(0,), (1,)], k)
            assert_allclose(views.ksg_local((a, b), k), neighbors.mutual_information(counts, 60), atol=1e-13)


def test_radii_match_definition(rng):
    a, b = correlated(rng, 80, 3, 2)
    found = views.radii(a, b)
    for side, squared in zip(found, naive.squared_radii(a, b), strict=True):
        assert_array_equal(side[:, 0], normal_scores(squared[:, None])[:, 0])


def test_radii_of_gaussian_data_are_unrelated_and_of_student_data_related(rng):
    n = 4000
    normal = np.hstack(correlated(rng, n, 3, 2, 2.0))
    student = normal / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    correlations = [np.corrcoef(np.hstack(views.radii(z[:, :3], z[:, 3:])).T)[0, 1] for z in (normal, student)]
    assert abs(correlations[0]) < 4 / np.sqrt(n) < 0.2 < correlations[1]


def test_features_match_definitions(rng):
    a = rng.normal(size=(60, 3))
    rest, centres = rng.chisquare(4, size=60), np.arange(0, 60, 6)
    assert_allclose(views.curved(a, centres), naive.curved(a, centres), rtol=2e-5)  # float32, exponents up to 20
    # The signs of orthonormal polynomials are arbitrary.
    found, slow = views.turned(a, rest), naive.turned(a, rest, views.TURNING_DEGREE)
    assert_allclose(np.abs(found), np.abs(slow), rtol=1e-6, atol=1e-9)


def test_learned_coordinates_match_definition(rng):
    a, b = correlated(rng, 60, 2, 2, 1.0)
    centres = np.arange(0, 60, 6)
    f, g = views.curved(a, centres), views.curved(b, centres)
    ridge = views.RIDGE_ROWS / 60
    for found, slow in zip(
        views.learned_coordinates(f, g, 3),
        (naive.ridge_cca(f, g, ridge, 3), naive.ridge_cca(g, f, ridge, 3)),
        strict=True,
    ):
        correlation = np.corrcoef(np.hstack([found, normal_scores(slow)]).T)[:3, 3:]
        assert_allclose(np.abs(np.diag(correlation)), 1, atol=1e-9)  # the sign of a coordinate is arbitrary


def test_no_more_coordinates_than_columns_and_none_from_few_rows(rng):
    def names(n, p, q):
        pair = views.Pair(rng.normal(size=(n, p)), rng.normal(size=(n, q)), np.zeros(n), np.zeros(n))
        return set(views.column_views(pair, views.Plan(3, np.arange(5), False)))

    assert names(100, 1, 4) == {"columns", "turned 1", "curved 1"}
    assert names(100, 5, 4) == {"columns"} | {f"{kind} {r}" for kind in ("turned", "curved") for r in (1, 2, 3)}
    assert names(100, 6, 4) == {"columns"}


def test_turned_coordinates_unwind_a_spiral_of_a_few_columns(rng):
    n = 2000
    x, y = rng.normal(size=(2, n, 6))
    y[:, 0] = 0.9 * x[:, 0] + np.sqrt(1 - 0.81) * y[:, 0]
    angle = (x**2).sum(axis=1) / 6
    wound = np.cos(angle)[:, None] * x[:, :2] + np.sin(angle)[:, None] * x[:, 1::-1] * [-1, 1]
    f = views.turned(wound, (x[:, 2:] ** 2).sum(axis=1))
    u, v = views.learned_coordinates(f, y[:, :1], 1)
    plain = views.learned_coordinates(wound, y[:, :1], 1)
    # The angle spreads by .6: a line keeps E cos of it, .85 or so of the correlation, second order nearly all.
    assert np.corrcoef(plain[0][:, 0], plain[1][:, 0])[0, 1] < 0.8
    assert np.corrcoef(u[:, 0], v[:, 0])[0, 1] > 0.86
