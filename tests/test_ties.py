"""Local distances everywhere: the kernels' twins are in test_folded, test_intervals and test_neighbors."""

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.estimators import geodesic


def gksg(data, **settings):
    return infold.GeodesicKSG(random_state=0, n_jobs=1, **settings).fit(data.X, data.Y)


@pytest.mark.parametrize("noise", [0, 4])
def test_ties_raise_the_paper_on_independent_data_and_not_where_they_are_broken(noise):
    # 30 trees on 3,000 rows tie as 300 do on many more. Eight samples: .34 and .39 by the paper's distance, .004 and
    # .004 by the other, with a deviation of .02 (the paper's .04), so .01 for the mean of four.
    samples = [infold.datasets.make_independent(3000, noise, random_state=seed) for seed in range(4)]
    means = {
        name: np.mean([gksg(data, n_estimators=30, local_distance=name).mi_ for data in samples])
        for name in ("paper", "everywhere")
    }
    assert means["paper"] > 0.2
    assert abs(means["everywhere"]) < 0.04


def test_more_rows_do_not_pass_the_truth():
    # Eight samples of 6,000 rows: 4.88 and 4.42 on average, deviation .02; of 1,000 rows: 4.53 and 4.16, .05.
    truth = infold.datasets.make_uniform(10).mi
    found = {}
    for n in (1000, 6000):
        data = infold.datasets.make_uniform(n, random_state=0)
        found[n] = [gksg(data, local_distance=name).mi_ for name in ("paper", "everywhere")]
    assert found[6000][0] > truth + 0.1
    assert found[1000][1] < found[6000][1] < truth - 0.05


@pytest.mark.parametrize("noise", [0, 3])
def test_any_number_of_workers_gives_the_same_bits(noise):
    data = infold.datasets.make_gaussian(700, noise, random_state=0)  # more than one block of rows
    model = infold.GeodesicKSG(n_estimators=20, local_distance="everywhere", random_state=0)
    alone = model.set_params(n_jobs=1).fit(data.X, data.Y).local_mi_
    assert_array_equal(model.set_params(n_jobs=3).fit(data.X, data.Y).local_mi_, alone)


@pytest.mark.parametrize("noise", [0, 3])
def test_some_rows_have_the_values_that_they_have_among_all(noise):
    data = infold.datasets.make_gaussian(400, noise, random_state=0)
    model = infold.GeodesicKSG(n_estimators=20, local_distance="everywhere", random_state=0, max_queries=50)
    some = model.fit(data.X, data.Y)
    # Rows asked for come first in the table that trees grow on, so the same forest needs the same order.
    order = np.concatenate((some.query_rows_, np.delete(np.arange(400), some.query_rows_)))
    found = some.local_mi_
    every = model.set_params(max_queries=None).fit(data.X[order], data.Y[order]).local_mi_
    assert_allclose(found, every[:50], rtol=0, atol=1e-12)  # columns are standardised in another order


def test_no_distances_tie_and_fewer_trees_stay_nearer(rng):
    points = rng.normal(size=(60, 2))
    forest = infold.GeodesicForest(n_estimators=7, local_distance="everywhere", random_state=0).fit(points)
    found, apart = forest.distance(), reference.trees_apart(forest.leaves_.T)
    pairs = np.triu_indices(60, 1)
    assert len(np.unique(found[pairs])) == len(pairs[0])
    assert_array_equal(np.floor(found * 7 + 1e-9), apart)


def test_many_rows_are_a_warning_unless_ties_are_broken(monkeypatch):
    monkeypatch.setattr(geodesic, "MANY_ROWS", 200)
    data = infold.datasets.make_gaussian(200, random_state=0)
    with pytest.warns(infold.DataWarning, match="200 rows, pass local_distance='everywhere'") as heard:
        gksg(data, n_estimators=5)
    assert heard[0].filename == __file__
    gksg(data, n_estimators=5, local_distance="everywhere")  # a warning would be an error
    infold.KSG().fit(data.X, data.Y)
    few = infold.datasets.make_gaussian(199, random_state=0)
    gksg(few, n_estimators=5)
