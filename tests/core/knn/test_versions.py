"""All versions of Y at once, against a slow definition and plain fits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors

import infold
from infold.core.knn.versions import information_of_versions, kth_smallest
from infold.data.question import Question
from infold.data.tables import Table


@pytest.mark.parametrize("name", ["normal", "Cauchy", "ties", "zeros", "one huge", "constant", "1 / normal"])
def test_the_kth_smallest(name, rng):
    values = {
        "normal": np.abs(rng.normal(size=300)),
        "Cauchy": np.abs(rng.standard_cauchy(300)),
        "ties": rng.integers(0, 5, 300).astype(float),
        "zeros": np.maximum(rng.normal(size=300), 0.0),
        "one huge": np.append(rng.random(299), 1e300),
        "constant": np.full(300, 0.3),
        "1 / normal": 1 / np.abs(rng.normal(size=300)) ** 5,
    }[name]
    ordered = np.sort(values)
    for k in (1, 2, 3, 30, 150, 299, 300):
        for guess in (1e-300, 1e-3, 1.0, 1e9):
            value, below, up_to = kth_smallest(values, k, guess)
            assert value == ordered[k - 1]
            assert (below, up_to) == (np.sum(values < value), np.sum(values <= value))


def awkward(name, rng, n=80, q=2):
    x, z, versions = rng.normal(size=(2, n)), rng.normal(size=(3, n)), rng.normal(size=(4, q, n))
    if name == "Cauchy":
        x, z, versions = (rng.standard_cauchy(table.shape) for table in (x, z, versions))
    if name == "ties":
        x, z, versions = (np.round(2 * table) for table in (x, z * 1.3, versions * 1.7))
    if name == "copies":
        for table in (x, z, versions):
            table[..., 20:50] = table[..., [3]]
    if name == "constant":
        z[:], versions[1] = 1.0, 0.0
    if name == "one huge":
        x[0, 5], z[1, 6], versions[:, 0, 7] = 1e12, -1e12, 1e12
    if name == "sorted":
        x, z, versions = (np.sort(table, axis=-1) for table in (x, z, versions))
    return x, z, versions


NAMES = ["normal", "Cauchy", "ties", "copies", "constant", "one huge", "sorted"]


@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_as_a_slow_definition_has_it(name, q, rng):
    x, z, versions = awkward(name, rng, q=q)
    for k in (1, 8, 79):
        found = information_of_versions(x, z, versions, k)
        for value, version in zip(found, versions, strict=True):
            distances = [neighbors.block_distance(block) for block in (x, version, z)]
            counts = neighbors.counts(distances, [(0, 2), (1, 2), (2,)], k)
            assert_allclose(value, neighbors.conditional_information(counts).mean(), atol=1e-11)


def test_the_same_bits_for_any_number_of_threads(rng, monkeypatch):
    monkeypatch.setattr("infold.core.knn.versions.COUNTED", 0)
    x, z, versions = awkward("normal", rng)
    one, two = (information_of_versions(x, z, versions, 5, n_jobs=jobs) for jobs in (1, 2))
    assert_array_equal(one, two)
    assert_array_equal(one[2:], information_of_versions(x, z, versions[2:], 5))
    assert_array_equal(one[:1], information_of_versions(x, z, versions[:1], 5))  # a draw must tie with itself


@pytest.mark.parametrize("labels", ["", "x", "y", "z", "xyz"])
def test_as_plain_fits_of_any_kind_of_column(labels, rng):
    n = 120
    tables = {
        name: np.column_stack((rng.normal(size=(n, 2)), rng.integers(0, 4, n), rng.poisson(2, n))) for name in "XYZ"
    }
    tables["X"][:, 0] += tables["Y"][:, 0]
    blocks = {name: Table(t, None, (2,) if name.lower() in labels else ()) for name, t in tables.items()}
    question, estimator = Question(blocks), infold.KSG(12)
    orders = np.array([rng.permutation(n) for _ in range(3)])
    measure = estimator.versions_measure(question, np.zeros(4, bool))
    found = measure(tables["Y"].T[:, orders].swapaxes(0, 1), 1)
    expected = [estimator._fit(question.repaired("Y", order)).mi_ for order in orders]
    assert_allclose(found, expected, atol=1e-12)


def test_where_only_fits_can_tell(rng):
    tables = {name: Table(rng.normal(size=(50, 1)), None, ()) for name in "XYZ"}
    new = np.ones(1, bool)
    assert infold.KSG().versions_measure(Question(tables), new) is not None
    assert infold.KSG(metric="euclidean").versions_measure(Question(tables), new) is None
    assert infold.KSG(standardize=False).versions_measure(Question(tables), new) is None
    assert infold.GeodesicKSG().versions_measure(Question(tables), new) is None
    discrete = {name: Table(rng.integers(0, 2, (50, 1)).astype(float), None, (0,)) for name in "XYZ"}
    assert infold.KSG().versions_measure(Question(discrete), ~new) is None
