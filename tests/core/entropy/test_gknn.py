"""gKNN against its definition, the released code's numbers and known information."""

import numpy as np
import pytest
import reference.entropy as reference
from numpy.testing import assert_allclose

from infold.core.entropy.gknn import gknn_local

from .samples import AWKWARD, HEAVY, awkward, correlated, from_entropies, released, spaces


@pytest.mark.parametrize("name", AWKWARD)
def test_matches_its_definition(rng, name):
    points = awkward(name, rng)
    local, _ = gknn_local(points, 7)
    assert_allclose(local, reference.gknn_local(points, 7), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("key", "method", "k", "estimate"), released("gKNN")[::2])  # k = 20
def test_definition_differs_from_the_released_code_in_radii_only(key, method, k, estimate):
    h = [reference.gknn_local(points, k, radii="released").mean() for points in spaces(key)]
    # The released code answers -inf where an ellipsoid holds no neighbour: h(X, Y) is then infinite.
    assert_allclose(from_entropies(h), estimate, atol=1e-5)


# gKNN carries a constant that depends on k and d only, so differences of entropies are what it estimates.
# Tolerances: three standard errors of the means (local values have an sd of about 1, n = 4000), and the curvature that
# neighbourhoods of 20 points see, which grows with d.
@pytest.mark.parametrize(("d", "tolerance"), [(1, 0.08), (2, 0.1), (3, 0.15)])
def test_difference_of_entropies(rng, d, tolerance):
    normal, logistic = 3 * rng.normal(size=(4000, d)) - 5, rng.logistic(size=(4000, d))
    truth = d * (0.5 * np.log(2 * np.pi * np.e * 9) - 2.0)  # the logistic distribution has entropy 2
    h = [gknn_local(points, 20)[0].mean() for points in (normal, logistic)]
    assert abs(h[0] - h[1] - truth) < tolerance


def test_gaussian_information(rng):
    x, y, both = correlated(rng, 2000, 1)
    local = from_entropies([gknn_local(points, 20)[0] for points in (x, y, both)])
    assert abs(local.mean() + 0.5 * np.log(1 - 0.9**2)) < 0.1
    assert np.corrcoef(local, np.sign(x[:, 0] * y[:, 0]))[0, 1] > 0.1  # local values know which samples agree


@pytest.mark.slow
def test_is_far_too_high_in_ten_dimensions(rng):
    # Few neighbours show narrower ellipsoids than there are, the more so for X and Y together. Truth: 0.83.
    assert from_entropies([gknn_local(points, 20)[0].mean() for points in correlated(rng, 1000, 5)]) > 2.3


def test_an_exact_copy_is_very_informative(rng):
    x = rng.normal(size=(300, 1))
    h = [gknn_local(points, 10)[0].mean() for points in (x, x, np.hstack([x, x]))]
    assert from_entropies(h) > 20  # the logarithm of the width floor


def test_status_counts_what_was_worked_around(rng):
    assert gknn_local(rng.normal(size=(200, 3)), 7)[1] == (0, 0, 0, False, 0)
    assert gknn_local(awkward("copies", rng), 7)[1].zero_distance == 30
    assert gknn_local(awkward("constant column", rng), 7)[1].singular == 120
    assert gknn_local(awkward("partly flat", rng), 7)[1].singular == 60
    assert gknn_local(awkward("very wide", rng), 7)[1].unseen == 593


@pytest.mark.parametrize("grid", [5, 40])
def test_ties_give_finite_values(rng, grid):
    points = rng.integers(0, grid, size=(300, 2)).astype(float)
    assert np.isfinite(gknn_local(points, 15)[0]).all()


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize(("n", "d"), [(200, 1), (200, 3), (120, 8), (11, 2), (11, 30)])  # k = 10
def test_heavy_tails_give_finite_values(rng, name, n, d):
    assert np.isfinite(gknn_local(HEAVY[name](rng, n, d), 10)[0]).all()


def test_extremes_give_finite_values(rng):
    for points in (np.exp(40 * rng.normal(size=(200, 2))), rng.normal(size=(200, 2)) * [1e150, 1e-150]):
        assert np.isfinite(gknn_local(points, 10)[0]).all()


def test_nothing_to_measure_is_an_error_with_a_remedy(rng):
    for points in (np.repeat(rng.normal(size=(4, 2)), 50, axis=0), np.ones((30, 6)), np.zeros((30, 2))):
        with pytest.raises(ValueError, match="raise n_neighbors"):
            gknn_local(points, 10)
