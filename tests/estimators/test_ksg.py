import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold


def gaussian(n=400, noise=0, seed=0, rho=0.9):
    return infold.datasets.make_gaussian(n, noise, rho=rho, random_state=seed)


def test_ksg_does_not_care_which_side_is_which_nor_for_row_order(rng):
    data = gaussian(noise=3)
    expected = infold.KSG().fit(data.X, data.Y)
    swapped = infold.KSG().fit(data.Y, data.X)
    assert swapped.mi_ == expected.mi_
    assert_array_equal(swapped.local_mi_, expected.local_mi_)
    order = rng.permutation(400)
    shuffled = infold.KSG().fit(data.X[order], data.Y[order])
    assert shuffled.mi_ == expected.mi_
    assert_array_equal(shuffled.local_mi_, expected.local_mi_[order])


def test_ksg_on_integers_ignores_offsets_and_row_order(rng):
    X, Y = rng.integers(0, 50, size=(2, 300, 2)).astype(float)
    expected = infold.KSG().fit(X, Y).local_mi_
    order = rng.permutation(300)
    assert_array_equal(infold.KSG().fit(X + 1e6, Y - 3).local_mi_, expected)
    assert_array_equal(infold.KSG().fit(X[order], Y[order]).local_mi_, expected[order])


def test_gaussian_truth():
    for rho in (0.3, 0.6, 0.9):
        data = gaussian(n=2000, rho=rho)
        # KSG's standard deviation at n = 2000 is below 0.03 here: four of them.
        assert_allclose(infold.KSG(5).fit(data.X, data.Y).mi_, data.mi, atol=0.12)


def test_gaussian_truth_in_two_dimensions(rng):
    shared = rng.normal(size=(3000, 2))
    X = 0.8 * shared + 0.6 * rng.normal(size=(3000, 2))
    Y = 0.8 * shared + 0.6 * rng.normal(size=(3000, 2))
    truth = -math.log(1 - 0.64**2)  # two pairs with correlation 0.64
    for metric in ("chebyshev", "euclidean", ("chebyshev", "euclidean")):
        # KSG in 2 + 2 dimensions is a few hundredths low, with a standard deviation near 0.03.
        assert_allclose(infold.KSG(metric=metric).fit(X, Y).mi_, truth, atol=0.12)


def test_atoms_are_discrete_information(rng):
    # Two bits copied: I = log 2 for the plug-in; ψ instead of log changes it by about 1 / n.
    bit = rng.integers(0, 2, size=400).astype(float)
    found = infold.KSG().fit(bit, 1 - bit).mi_  # that discrete rows repeat is no reason to warn
    p = bit.mean()
    assert_allclose(found, -p * math.log(p) - (1 - p) * math.log(1 - p), atol=0.01)
    independent = infold.KSG().fit(bit, rng.integers(0, 2, size=400)).mi_
    assert_allclose(independent, 0, atol=0.02)  # the plug-in's own bias is 1 / (2 n)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("power_x", "power_y"), [(660, -660), (1000, 0), (0, -1050)])
def test_no_unit_is_too_large_or_too_small(rng, d, power_x, power_y):
    X, Y = np.round(rng.normal(size=(2, 80, d)) * 2**10)  # few bits, so that none is lost below the smallest float
    Y += X
    expected = infold.KSG().fit(X, Y).local_mi_
    found = infold.KSG().fit(np.ldexp(X, power_x), np.ldexp(Y, power_y)).local_mi_
    assert found.tobytes() == expected.tobytes()
