"""LNN against its definition, rmi's numbers and known information."""

import numpy as np
import pytest
import reference.entropy as reference
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.entropy.lnn import lnn_local

from .samples import AWKWARD, HEAVY, awkward, correlated, from_entropies, released, spaces


@pytest.mark.parametrize(
    "name", [name for name in AWKWARD if name not in ("copied column", "constant column", "very wide")]
)
@pytest.mark.parametrize("variant", ["paper", "rmi"])
def test_matches_its_definition(rng, name, variant):
    points = awkward(name, rng)
    if name == "few rows":
        points = points[:, :2]
    local, status = lnn_local(points, 4, variant=variant)
    expected = reference.lnn_local(points, 4, rmi=variant == "rmi")
    kept = ~np.isnan(expected)
    assert status.zero_distance + status.singular == np.count_nonzero(~kept)
    if status.set_to_zero:
        assert_array_equal(local, 0.0)
        assert not (expected[kept] > 0).any()
    else:
        assert_allclose(local[kept], expected[kept], rtol=1e-9, atol=1e-9)
        assert_allclose(local.mean(), expected[kept].mean(), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "method", "k", "estimate"), released("LNN_rmi"))
def test_rmi_is_reproduced(key, method, k, estimate):
    h = [lnn_local(points, k, variant="rmi")[0].mean() for points in spaces(key)]
    assert_allclose(from_entropies(h), estimate, atol=1e-5)


def test_as_defined_it_sees_what_rmi_misses():
    # I = 4.61. The entropy of (X, Y) is near -4.6, so rmi calls it 0.
    h = [lnn_local(points, 5)[0].mean() for points in spaces("Uniform_n500_d0_r1")]
    assert 3.9 < from_entropies(h) < 4.7
    status = lnn_local(spaces("Uniform_n500_d0_r1")[2], 5, variant="rmi")[1]
    assert status.set_to_zero


# LNN carries a constant that depends on k and d only, so differences of entropies are what it estimates.
# Tolerances: three standard errors of the means (local values have an sd of about 1, n = 4000), and the curvature that
# neighbourhoods of 30 points see, which grows with d.
@pytest.mark.parametrize(("d", "tolerance"), [(1, 0.08), (2, 0.1), (3, 0.15)])
def test_difference_of_entropies(rng, d, tolerance):
    normal, logistic = 3 * rng.normal(size=(4000, d)) - 5, rng.logistic(size=(4000, d))
    truth = d * (0.5 * np.log(2 * np.pi * np.e * 9) - 2.0)  # the logistic distribution has entropy 2
    h = [lnn_local(points, 5)[0].mean() for points in (normal, logistic)]
    assert abs(h[0] - h[1] - truth) < tolerance


def test_gaussian_information(rng):
    # LNN's constants do not cancel: what it says of independent data is the bias to take off.
    x, y, both = correlated(rng, 2000, 1)
    found = from_entropies([lnn_local(points, 5)[0].mean() for points in (x, y, both)])
    apart = rng.permutation(y)
    bias = from_entropies([lnn_local(points, 5)[0].mean() for points in (x, apart, np.hstack((x, apart)))])
    assert abs(found - bias + 0.5 * np.log(1 - 0.9**2)) < 0.15


def test_status_counts_what_was_worked_around(rng):
    assert lnn_local(rng.normal(size=(200, 3)), 3)[1] == (0, 0, 0, False, 0)
    assert lnn_local(awkward("copies", rng), 3)[1].zero_distance == 30
    assert 0 < lnn_local(awkward("partly flat", rng), 3)[1].singular <= 60


def test_widens_where_all_is_flat(rng):
    many = rng.normal(size=(200, 12))  # so many columns that rounding of a zero pivot would pass the rule on det
    for flat in (
        rng.normal(size=(100, 35)),
        rng.normal(size=(50, 1)) @ np.ones((1, 2)),
        np.column_stack([many, many[:, 0] + many[:, 1]]),
    ):
        local, status = lnn_local(flat, 3)
        assert np.isfinite(local).all()
        assert status.widened == len(flat)
    local, status = lnn_local(rng.normal(size=(100, 31)), 3, variant="rmi")
    assert_array_equal(local, 0.0)
    assert status.set_to_zero
    assert status.unseen == 1


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize(("n", "d"), [(200, 1), (200, 3), (120, 8), (6, 2), (6, 30)])  # k = 5
@pytest.mark.parametrize("variant", ["paper", "rmi"])
def test_heavy_tails_give_finite_values(rng, name, n, d, variant):
    assert np.isfinite(lnn_local(HEAVY[name](rng, n, d), 5, variant=variant)[0]).all()


def test_extremes_give_finite_values(rng):
    heavy = np.exp(40 * rng.normal(size=(200, 2)))
    grid = rng.integers(0, 40, size=(300, 2)).astype(float)
    close = np.append(rng.normal(size=196), [0.0, 1e-310, 2e-310, 3e-310])[:, None]
    for points, k, variant in ((heavy, 5, "paper"), (heavy, 5, "rmi"), (grid, 3, "paper"), (close, 3, "rmi")):
        assert np.isfinite(lnn_local(points, k, variant=variant)[0]).all()


def test_nothing_to_measure_is_an_error_with_a_remedy(rng):
    for points in (np.repeat(rng.normal(size=(4, 2)), 50, axis=0), np.ones((30, 6)), np.zeros((30, 2))):
        with pytest.raises(ValueError, match="raise n_neighbors"):
            lnn_local(points, 10)
