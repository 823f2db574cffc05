"""gKNN and LNN against their definitions, the released code's numbers and known entropies."""

from pathlib import Path

import numpy as np
import pytest
import reference_entropy as reference
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.entropy import gknn_local, lnn_local

# Seven of the data sets that the paper's authors' code was run on, with its answers (gKNN) and those of the R
# package rmi (LNN_rmi): 6 decimals.
RELEASED = np.load(Path(__file__).parent / "data" / "entropy_released.npz")


def released(method):
    return [tuple(row) for row in RELEASED["rows"].tolist() if row[1] == method]


def spaces(key):
    x, y = RELEASED[key + "__X"], RELEASED[key + "__Y"]
    return x, y, np.hstack([x, y])


def from_entropies(h):
    return h[0] + h[1] - h[2]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def correlated(rng, n, d, rho=0.9):
    """Gaussian pairs of d columns each, of which only the first two are dependent."""
    x, y = rng.normal(size=(2, n, d))
    y[:, 0] = rho * x[:, 0] + np.sqrt(1 - rho**2) * y[:, 0]
    return x, y, np.hstack([x, y])


def awkward(name, rng):
    points = rng.normal(size=(120, 3))
    if name == "one column":
        return points[:, :1]
    if name == "curved":
        return np.column_stack([points[:, 0], points[:, 0] ** 2 + 1e-3 * points[:, 1]])
    if name == "offset":
        return points + 1e6
    if name == "units":
        return points * [1e-3, 1.0, 1e3]
    if name == "copies":
        return np.vstack([points, np.repeat(points[:3], 9, axis=0)])  # more than k copies of three rows
    if name == "copied column":
        return np.column_stack([points, points[:, 0]])
    if name == "constant column":
        return np.column_stack([points, np.ones(120)])
    if name == "partly flat":
        points[:60, 2] = 0.0
        return points + np.where(np.arange(120) < 60, 10.0, 0.0)[:, None]
    if name == "wide":
        return rng.normal(size=(60, 25))
    if name == "very wide":
        return rng.normal(size=(40, 600))
    if name == "few rows":
        return points[:8]
    assert name == "normal"
    return points


AWKWARD = ["normal", "one column", "curved", "offset", "units", "copies", "copied column", "constant column"]
AWKWARD += ["partly flat", "wide", "very wide", "few rows"]


@pytest.mark.parametrize("name", AWKWARD)
def test_gknn_matches_its_definition(rng, name):
    points = awkward(name, rng)
    local, _ = gknn_local(points, 7)
    assert_allclose(local, reference.gknn_local(points, 7), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "name", [name for name in AWKWARD if name not in ("copied column", "constant column", "very wide")]
)
@pytest.mark.parametrize("variant", ["paper", "rmi"])
def test_lnn_matches_its_definition(rng, name, variant):
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


@pytest.mark.parametrize(("key", "method", "k", "estimate"), released("LNN_rmi"))
def test_lnn_of_rmi_is_reproduced(key, method, k, estimate):
    h = [lnn_local(points, k, variant="rmi")[0].mean() for points in spaces(key)]
    assert_allclose(from_entropies(h), estimate, atol=1e-5)


@pytest.mark.parametrize(("key", "method", "k", "estimate"), released("gKNN")[::2])  # k = 20
def test_gknn_definition_differs_from_the_released_code_in_radii_only(key, method, k, estimate):
    h = [reference.gknn_local(points, k, radii="released").mean() for points in spaces(key)]
    # The released code answers -inf where an ellipsoid holds no neighbour: h(X, Y) is then infinite.
    assert_allclose(from_entropies(h), estimate, atol=1e-5)


def test_lnn_as_defined_sees_what_rmi_misses():
    # I = 4.61. The entropy of (X, Y) is near -4.6, so rmi calls it 0.
    h = [lnn_local(points, 5)[0].mean() for points in spaces("Uniform_n500_d0_r1")]
    assert 3.9 < from_entropies(h) < 4.7
    status = lnn_local(spaces("Uniform_n500_d0_r1")[2], 5, variant="rmi")[1]
    assert status.set_to_zero


# Both methods carry a constant that depends on k and d only, so differences of entropies are what they estimate.
# Tolerances: three standard errors of the means (local values have an sd of about 1, n = 4000), and the curvature that
# neighbourhoods of 20 to 30 points see, which grows with d.
@pytest.mark.parametrize(("d", "tolerance"), [(1, 0.08), (2, 0.1), (3, 0.15)])
@pytest.mark.parametrize("method", ["gknn", "lnn"])
def test_difference_of_entropies(rng, method, d, tolerance):
    normal, logistic = 3 * rng.normal(size=(4000, d)) - 5, rng.logistic(size=(4000, d))
    truth = d * (0.5 * np.log(2 * np.pi * np.e * 9) - 2.0)  # the logistic distribution has entropy 2
    h = [
        (gknn_local(points, 20)[0] if method == "gknn" else lnn_local(points, 5)[0]).mean()
        for points in (normal, logistic)
    ]
    assert abs(h[0] - h[1] - truth) < tolerance


def test_gaussian_information(rng):
    truth = -0.5 * np.log(1 - 0.9**2)
    x, y, both = correlated(rng, 2000, 1)
    local = from_entropies([gknn_local(points, 20)[0] for points in (x, y, both)])
    assert abs(local.mean() - truth) < 0.1
    assert np.corrcoef(local, np.sign(x[:, 0] * y[:, 0]))[0, 1] > 0.1  # local values know which samples agree
    # LNN's constants do not cancel: what it says of independent data is the bias to take off.
    local = from_entropies([lnn_local(points, 5)[0] for points in (x, y, both)])
    apart = rng.permutation(y)
    bias = from_entropies([lnn_local(points, 5)[0] for points in (x, apart, np.hstack((x, apart)))])
    assert abs(local.mean() - bias.mean() - truth) < 0.15


def test_gknn_is_far_too_high_in_ten_dimensions(rng):
    # Few neighbours show narrower ellipsoids than there are, the more so for X and Y together. Truth: 0.83.
    assert from_entropies([gknn_local(points, 20)[0].mean() for points in correlated(rng, 1000, 5)]) > 2.3


@pytest.mark.parametrize("local_entropy", [lambda p, **o: gknn_local(p, 9, **o), lambda p, **o: lnn_local(p, 3, **o)])
@pytest.mark.parametrize("d", [1, 6])
def test_blocks_and_threads_change_no_bit(rng, local_entropy, d):
    points = rng.normal(size=(300, d))
    local, status = local_entropy(points, block=300)
    for options in ({"block": 1}, {"block": 7}, {"n_jobs": 2}, {"n_jobs": 2, "block": 64}):
        again, status_again = local_entropy(points, **options)
        assert_array_equal(local, again)
        assert status == status_again
    order = rng.permutation(300)
    assert_array_equal(local_entropy(points[order])[0], local[order])
    assert_array_equal(local_entropy(np.asfortranarray(points))[0], local)


@pytest.mark.parametrize("exponent", [-500, 500, 900])  # 1e-150, 1e150, 1e270
@pytest.mark.parametrize("local_entropy", [lambda p: gknn_local(p, 9), lambda p: lnn_local(p, 3)])
def test_units_shift_the_entropy_and_no_more(rng, local_entropy, exponent):
    points = rng.normal(size=(100, 3))
    local, _ = local_entropy(points)
    moved, _ = local_entropy(np.ldexp(points, exponent))
    assert_allclose(moved - 3 * exponent * np.log(2), local, atol=1e-9)


def test_status_counts_what_was_worked_around(rng):
    points = rng.normal(size=(200, 3))
    assert gknn_local(points, 7)[1] == (0, 0, 0, False, 0)
    assert lnn_local(points, 3)[1] == (0, 0, 0, False, 0)
    copies = awkward("copies", rng)
    assert gknn_local(copies, 7)[1].zero_distance == 30
    assert lnn_local(copies, 3)[1].zero_distance == 30
    assert gknn_local(awkward("constant column", rng), 7)[1].singular == 120
    assert gknn_local(awkward("partly flat", rng), 7)[1].singular == 60
    assert 0 < lnn_local(awkward("partly flat", rng), 3)[1].singular <= 60
    assert gknn_local(awkward("very wide", rng), 7)[1].unseen == 593


@pytest.mark.parametrize("grid", [2, 5, 40])
def test_ties_give_finite_values(rng, grid):
    points = rng.integers(0, grid, size=(300, 2)).astype(float)
    if grid > 2:
        assert np.isfinite(gknn_local(points, 15)[0]).all()
    if grid > 5:
        assert np.isfinite(lnn_local(points, 3)[0]).all()


def test_extremes_give_finite_values(rng):
    heavy = np.exp(40 * rng.normal(size=(200, 2)))
    mixed = rng.normal(size=(200, 2)) * [1e150, 1e-150]
    for points in (heavy, mixed):
        assert np.isfinite(gknn_local(points, 10)[0]).all()
    assert np.isfinite(lnn_local(heavy, 5)[0]).all()
    assert np.isfinite(lnn_local(heavy, 5, variant="rmi")[0]).all()
    assert np.isfinite(gknn_local(points[:11], 10)[0]).all()  # n = k + 1
    close = np.append(rng.normal(size=196), [0.0, 1e-310, 2e-310, 3e-310])[:, None]
    assert np.isfinite(lnn_local(close, 3, variant="rmi")[0]).all()


def test_an_exact_copy_is_very_informative(rng):
    x = rng.normal(size=(300, 1))
    h = [gknn_local(points, 10)[0].mean() for points in (x, x, np.hstack([x, x]))]
    assert from_entropies(h) > 20  # the logarithm of the width floor


def test_nothing_to_measure_is_an_error_with_a_remedy(rng):
    with pytest.raises(ValueError, match="raise n_neighbors"):
        gknn_local(np.repeat(rng.normal(size=(4, 2)), 50, axis=0), 10)
    with pytest.raises(ValueError, match="raise n_neighbors"):
        lnn_local(np.repeat(rng.normal(size=(4, 2)), 50, axis=0), 10)


def test_lnn_widens_where_all_is_flat(rng):
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
