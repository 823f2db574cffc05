import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import infold

ESTIMATORS = [infold.GKNN(), infold.LNN(), infold.LNN(variant="rmi")]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_contract_and_local_values(estimator):
    data = infold.datasets.make_gaussian(300, random_state=0)
    fitted = clone(estimator).fit(data.X, data.Y)
    assert_allclose(fitted.local_mi_.mean(), fitted.mi_)
    threaded = clone(estimator).set_params(n_jobs=2).fit(data.X, data.Y)
    assert_array_equal(threaded.local_mi_, fitted.local_mi_)
    assert pickle.loads(pickle.dumps(fitted)).mi_ == fitted.mi_
    scaled = clone(estimator).fit(data.X * 1000 + 5, data.Y / 7)
    assert_allclose(scaled.mi_, fitted.mi_, atol=1e-6)


def test_by_name():
    data = infold.datasets.make_gaussian(300, random_state=0)
    by_name = infold.mutual_information(data.X, data.Y, method="gknn", n_neighbors=30)
    assert by_name.mi == infold.GKNN(30).fit(data.X, data.Y).mi_
    assert by_name.settings["n_neighbors"] == 30
    assert infold.mutual_information(data.X, data.Y, method="lnn").settings["n_neighbors"] == 5


def test_gaussian_truth():
    data = infold.datasets.make_gaussian(2000, random_state=1)
    # gKNN's constants nearly cancel in 1 + 1 dimensions; LNN's leave it 0.2 to 0.4 low.
    assert_allclose(infold.GKNN().fit(data.X, data.Y).mi_, data.mi, atol=0.12)
    assert data.mi - 0.45 < infold.LNN().fit(data.X, data.Y).mi_ < data.mi + 0.05


@pytest.mark.parametrize(("columns", "words"), [(20, "cannot show the shape of 40 dimensions"), (100, "means little")])
def test_gknn_says_when_neighbours_are_fewer_than_dimensions(rng, columns, words):
    with pytest.warns(infold.DataWarning, match=words):
        found = infold.GKNN(20).fit(rng.normal(size=(150, columns)), rng.normal(size=(150, columns)))
    assert math.isfinite(found.mi_)


def test_lnn_takes_more_neighbours_in_many_dimensions(rng):
    with pytest.warns(infold.DataWarning, match="30 neighbours are too few for 50 dimensions, so 100 were used"):
        found = infold.LNN().fit(rng.normal(size=(300, 25)), rng.normal(size=(300, 25)))
    assert math.isfinite(found.mi_)


@pytest.mark.parametrize("estimator", ESTIMATORS[:2], ids=repr)
def test_singular_neighbourhoods_warn_and_stay_finite(estimator, rng):
    x = rng.normal(size=(200, 2))
    with pytest.warns(infold.DataWarning, match="flat"):
        found = clone(estimator).fit(np.column_stack((x, x[:, 0] * 2)), rng.normal(size=200))
    assert math.isfinite(found.mi_)


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_copies_are_told(estimator, rng):
    x, y = np.repeat(rng.normal(size=(80, 2)), 3, axis=0), rng.normal(size=(240, 1))
    assert math.isfinite(clone(estimator).fit(x, y).mi_)


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS[:2], ids=repr)
def test_discrete_values_are_refused(estimator):
    two_values = np.repeat([[0.0, 3.0], [1.0, 5.0]], 120, axis=0)
    with pytest.raises(ValueError, match=r"coincides with its .* choose a method for discrete values"):
        clone(estimator).fit(two_values, np.repeat([1.0, 2.0], 120))


def test_unknown_variant():
    with pytest.raises(ValueError, match="variant='x' is not known"):
        infold.LNN(variant="x").fit(*np.random.default_rng(0).normal(size=(2, 50)))
