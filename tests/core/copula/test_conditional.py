"""auto given Z: known answers, and exactly 0 where nothing is shared."""

import math

import numpy as np
import pytest

import infold
from infold.core.copula import conditional

NONE = (np.zeros(1, bool),) * 3


def confounded(shape, rho, n, seed, columns=1):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, columns))
    e = rng.normal(size=(n, 1))
    f = rho * e + math.sqrt(1 - rho**2) * rng.normal(size=(n, 1))
    common = 2 * shape(z).sum(axis=1, keepdims=True)
    return common + e, common + f, z


@pytest.mark.slow
@pytest.mark.parametrize("shape", [np.abs, np.square, lambda z: z, lambda z: np.sin(2 * z)])
def test_a_common_cause_is_nothing_and_the_rest_is_found(shape):
    x, y, z = confounded(shape, 0.0, 400, 0)
    assert conditional.adapt_given(x, y, z, 3, 0, nominal=NONE, n_jobs=1).taken.mi == 0
    x, y, z = confounded(shape, 0.8, 400, 1)
    found = conditional.adapt_given(x, y, z, 3, 0, nominal=NONE, n_jobs=1)
    assert abs(found.taken.mi - 0.511) < 0.14  # three standard errors of .045
    assert found.local.mean() == pytest.approx(found.taken.mi)


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "low", "high"), [(0.0, 0.0, 0.0), (0.6, 0.05, 0.3)])
def test_what_no_regression_removes_is_left_to_the_test_given_z(rho, low, high):
    rng = np.random.default_rng(4)
    z, e, f = rng.standard_t(2, (500, 1)), *rng.normal(size=(2, 500, 1))
    f = rho * e + math.sqrt(1 - rho**2) * f
    # The noise has a sharp peak, which moves with Z by what the regression is off.
    found = conditional.adapt_given(z + e**3, z + f**3, z, 3, 0, nominal=NONE, n_jobs=1)
    assert low <= found.taken.mi <= high  # of 0 and .223


@pytest.mark.slow
def test_what_shows_only_beside_z_is_found():
    rng = np.random.default_rng(2)
    x, z = rng.normal(size=(2, 500, 1))
    y = np.sign(x * z) * np.abs(rng.normal(size=(500, 1)))
    assert conditional.adapt_given(x, y, z, 3, 0, nominal=NONE, n_jobs=1).taken.mi > 0.45  # of .69


def test_tables_of_labels_are_counted(rng):
    z = rng.integers(0, 3, (900, 1)).astype(float)
    x, y = ((z + (rng.random((900, 1)) < 0.3)) % 3 for _ in range(2))
    labels = (np.ones(1, bool),) * 3
    assert conditional.adapt_given(x, y, z, 3, 0, nominal=labels, n_jobs=1).taken.mi == 0
    found = conditional.adapt_given(x, x, z, 3, 0, nominal=labels, n_jobs=1)
    assert found.taken.mi == pytest.approx(-0.3 * math.log(0.3) - 0.7 * math.log(0.7), abs=0.05)


def test_labels_are_never_less_a_function_of_z(rng):
    label, z = rng.integers(0, 3, (100, 1)).astype(float), rng.normal(size=(100, 1))
    side = np.hstack([label, z**2])
    known = conditional.Known(conditional.as_smooth_columns(z, NONE[2], conditional.tied_scores), rng)
    left = conditional.without_z(side, np.array([True, False]), known, rng)
    assert (left[:, 0] == label[:, 0]).all()
    assert not np.allclose(left[:, 1], side[:, 1])


@pytest.mark.slow
def test_classes_on_any_side():
    rng = np.random.default_rng(3)
    z = np.array(["a", "b", "c"])[rng.integers(0, 3, 500)]
    shift = np.select([z == "a", z == "b"], [-2.0, 0.0], 2.0)
    x, y = shift + rng.normal(size=500), np.where(shift + rng.normal(size=500) > 0, "yes", "no")
    found = infold.conditional_mutual_information(x, y, z, random_state=0, n_jobs=1)
    assert found.mi == 0
    assert infold.mutual_information(x, y, random_state=0, n_jobs=1).mi > 0.1


def test_rare_labels_of_z_count_as_nothing(rng):
    def answer(x, y, z):
        masks = np.zeros(1, bool), np.zeros(1, bool), np.ones(1, bool)
        return conditional.adapt_given(x[:, None], y[:, None], z[:, None].astype(float), 3, 0, nominal=masks, n_jobs=1)

    rare = np.repeat(np.arange(100), 3)  # a cause of both
    cause = 2 * rng.normal(size=100)[rare]
    found = answer(cause + rng.normal(size=300), cause + rng.normal(size=300), rare)
    assert found.taken.mi == 0
    assert "rare" in found.reason
    some = np.maximum(np.arange(300) - 199, 0)  # one label for 200 rows, and a hundred that are alone
    x = rng.normal(size=300)
    found = answer(x, 0.8 * x + 0.6 * rng.normal(size=300), some)
    # .511 nats in two thirds of the rows; the standard error of 200 rows is .06.
    assert found.taken.mi == pytest.approx(0.511 * 2 / 3, abs=0.12)
    assert not found.local[200:].any()
    assert found.local.mean() == pytest.approx(found.taken.mi)
