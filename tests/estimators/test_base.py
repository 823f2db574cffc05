import math
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

import infold

ESTIMATORS = [infold.KSG(), infold.GeodesicKSG(n_estimators=20, random_state=0)]
FOREST = infold.GeodesicForest(n_estimators=20, random_state=0)

# scikit-learn's checks that make no sense for an estimator of two tables, each with its reason.
EXPECTED_FAILURES = {"check_fit1d": "1-D input is no mistake: it is one column"}


def gaussian(n=400, noise=0, seed=0, rho=0.9):
    return infold.datasets.make_gaussian(n, noise, rho=rho, random_state=seed)


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
@pytest.mark.parametrize("estimator", [*ESTIMATORS, FOREST], ids=lambda e: type(e).__name__)
def test_scikit_learn_contract(estimator):
    failed, passed = set(), 0
    for tested, check in estimator_checks_generator(estimator):
        try:
            check(tested)
        except SkipTest:
            continue  # needs a package or a setting that is not there
        except Exception:
            failed.add(check.func.__name__)
            if check.func.__name__ not in EXPECTED_FAILURES:
                raise
        else:
            passed += 1
    assert failed == set(EXPECTED_FAILURES)
    assert passed > 35


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_mean_of_local_values_is_the_estimate(estimator):
    data = gaussian()
    fitted = clone(estimator).fit(data.X, data.Y)
    assert fitted.local_mi_.shape == (400,)
    assert_allclose(fitted.local_mi_.mean(), fitted.mi_, rtol=1e-12)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("noise", [0, 6])
def test_any_number_of_workers_gives_the_same_bits(estimator, noise):
    data = gaussian(n=700, noise=noise)  # more than one block of rows
    alone = clone(estimator).set_params(n_jobs=1).fit(data.X, data.Y)
    for n_jobs in (2, 3, -1):
        other = clone(estimator).set_params(n_jobs=n_jobs).fit(data.X, data.Y)
        assert_array_equal(other.local_mi_, alone.local_mi_)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_units_and_shifts_change_nothing(estimator):
    data = gaussian(noise=2)
    expected = clone(estimator).fit(data.X, data.Y)
    doubled = clone(estimator).fit(data.X * [2, 1024], data.Y * [0.125, -2.0])
    if isinstance(estimator, infold.KSG):
        assert_array_equal(doubled.local_mi_, expected.local_mi_)
    same_sign = clone(estimator).fit(data.X * [2, 1024], data.Y * [0.125, 2.0])
    assert_array_equal(same_sign.local_mi_, expected.local_mi_)  # powers of two are exact
    other = clone(estimator).fit(data.X * [1e-3, 7.0] + [5, 1e3], data.Y * [3.3, 1e5] - [1e4, 0])
    # Rounding can turn a near-tie in a tree or a count; that moves few of the 400 local values.
    assert_allclose(other.mi_, expected.mi_, atol=0.01)


@pytest.mark.parametrize("estimator", [infold.KSG(), infold.GeodesicKSG(random_state=1)], ids=["KSG", "GeodesicKSG"])
@pytest.mark.parametrize("noise", [0, 10])
def test_independent_data_give_about_zero(estimator, noise):
    found = [
        clone(estimator).fit(data.X, data.Y).mi_
        for data in (infold.datasets.make_independent(500, noise, random_state=s) for s in range(5))
    ]
    # G-KSG is biased upwards by up to 0.1 on independent data at n = 500; KSG's mean of five has sd .015.
    assert -0.1 < np.mean(found) < 0.15


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_constant_columns_are_left_out(estimator):
    data = gaussian()
    expected = clone(estimator).fit(data.X, data.Y).mi_
    with pytest.warns(infold.DataWarning, match=r"X has constant columns \(1\)"):
        found = clone(estimator).fit(np.column_stack((data.X, np.full(400, 0.1))), data.Y).mi_
    assert found == expected
    with pytest.warns(infold.DataWarning, match="the MI with it is 0"):
        assert clone(estimator).fit(np.zeros((400, 2)), data.Y).mi_ == 0.0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_smallest_and_widest_tables_work(estimator, rng):
    assert math.isfinite(clone(estimator).fit(*rng.normal(size=(2, 4, 1))).mi_)
    assert math.isfinite(clone(estimator).fit(rng.normal(size=(20, 60)), rng.normal(size=(20, 50))).mi_)
    assert math.isfinite(clone(estimator).fit(rng.normal(size=(50, 2)) * 1e150, rng.normal(size=50) * 1e-150).mi_)


def test_tables_of_any_kind_give_the_same_answer():
    data = gaussian(noise=2)
    expected = infold.KSG().fit(data.X, data.Y)
    names_x, names_y = ["a", "b"], ["c", "d"]
    for frame in (pd.DataFrame, pl.DataFrame):
        X = frame(dict(zip(names_x, data.X.T, strict=True)))
        Y = frame(dict(zip(names_y, data.Y.T, strict=True)))
        fitted = infold.KSG().fit(X, Y)
        assert fitted.mi_ == expected.mi_
        assert list(fitted.feature_names_in_) == names_x
        assert infold.mutual_information(X, Y, method="ksg").names == (("a", "b"), ("c", "d"))
        one = infold.KSG().fit(X["a"], Y["c"])
        assert one.mi_ == infold.KSG().fit(data.X[:, 0], data.Y[:, :1]).mi_
        assert list(one.feature_names_in_) == ["a"]
    assert infold.KSG().fit(data.X.tolist(), data.Y.astype(np.float32)).mi_ == pytest.approx(expected.mi_, abs=0.01)


def test_there_is_no_score_to_maximise():
    from sklearn.model_selection import GridSearchCV

    with pytest.raises(
        AttributeError, match="KSG has no score: a larger estimate is not a better one, so GridSearchCV"
    ):
        infold.KSG().score  # noqa: B018
    assert not hasattr(infold.Adaptive(), "score")
    with pytest.raises(TypeError, match="score"):
        GridSearchCV(infold.KSG(), {"n_neighbors": [3, 5]}).fit(np.zeros((9, 1)), np.zeros(9))
