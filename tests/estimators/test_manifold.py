import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.data.tables import Table


@pytest.fixture
def forest(rng):
    points = rng.normal(size=(150, 4))
    return infold.GeodesicForest(n_estimators=40, random_state=0).fit(points), points


def test_shapes_and_ranges(forest):
    forest, points = forest
    assert forest.apply(points).shape == (150, 40)
    assert_array_equal(forest.apply(points), forest.leaves_)
    proximity, distance = forest.proximity(), forest.distance()
    assert_allclose(np.diag(proximity), 1)
    assert_allclose(np.diag(distance), 0)
    assert_array_equal(proximity, proximity.T)
    assert_array_equal(distance, distance.T)
    assert_allclose(distance[proximity < 1], (1 - proximity)[proximity < 1])
    assert distance[proximity == 1].max() < 1 / 40


def test_neighbors_are_the_nearest_by_distance(forest):
    forest, _ = forest
    distances, rows = forest.kneighbors(n_neighbors=6)
    full = forest.distance()
    np.fill_diagonal(full, np.inf)
    assert_allclose(distances, np.sort(full, axis=1)[:, :6])
    assert_allclose(np.take_along_axis(full, rows, axis=1), distances)


def test_new_rows_are_compared_with_the_fitted_ones(forest):
    forest, points = forest
    assert_allclose(forest.proximity(points[:5]), forest.proximity()[:5])
    assert_allclose(forest.distance(points[:5]), forest.distance()[:5])
    distances, rows = forest.kneighbors(points[:5], n_neighbors=1)
    assert_array_equal(rows[:, 0], np.arange(5))  # a copy of a fitted row is nearest to it
    assert_array_equal(distances, 0)


def test_columns_give_marginal_leaves(forest):
    forest, points = forest
    changed = points.copy()
    changed[:, 2:] += 5
    assert_array_equal(forest.apply(points, columns=[0, 1]), forest.apply(changed, columns=[0, 1]))
    assert_array_equal(
        forest.apply(points, columns=[0, 1]), forest.apply(points, columns=np.array([True, True, False, False]))
    )
    assert not np.array_equal(forest.apply(points), forest.apply(points, columns=[0, 1]))


def test_leaves_follow_the_manifold_under_noise_columns():
    # Two rings of a helix are near in space and far along it; noise columns drown Euclidean neighbours.
    helix = infold.datasets.make_helix(500, 20, random_state=0)
    points = helix.Y
    position = helix.X[:, 0]
    _, by_forest = infold.GeodesicForest(random_state=0).fit(points).kneighbors(n_neighbors=5)
    flat = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(flat, np.inf)
    by_space = np.argsort(flat, axis=1)[:, :5]
    error_forest = np.median(np.abs(position[by_forest] - position[:, None]))
    error_space = np.median(np.abs(position[by_space] - position[:, None]))
    assert error_forest < 0.7 * error_space


def test_errors(forest):
    forest, points = forest
    with pytest.raises(ValueError, match="3 features, but GeodesicForest is expecting 4"):
        forest.apply(points[:, :3])
    with pytest.raises(ValueError, match="lower n_neighbors"):
        forest.kneighbors(n_neighbors=150)
    with pytest.raises(ValueError, match="columns"):
        forest.apply(points, columns=[9])
    with pytest.raises(ValueError, match="criterion='gini' is not known"):
        infold.GeodesicForest(criterion="gini").fit(points)


def test_constant_columns_are_harmless():
    forest = infold.GeodesicForest(n_estimators=5, random_state=0).fit(np.column_stack((np.arange(50.0), np.ones(50))))
    assert np.isfinite(forest.distance()).all()
    same = infold.GeodesicForest(n_estimators=5, random_state=0).fit(np.ones((10, 2)))
    assert_array_equal(same.distance(), 0)


@pytest.mark.parametrize("power", [-900, 900])
def test_no_unit_is_too_large_or_too_small(rng, power):
    points = rng.normal(size=(60, 2))
    ordinary, extreme = (
        infold.GeodesicForest(n_estimators=5, standardize=False, random_state=0).fit(np.ldexp(points, p))
        for p in (0, power)
    )
    assert_array_equal(extreme.leaves_, ordinary.leaves_)
    assert_allclose(extreme.distance(), ordinary.distance(), rtol=1e-12)


def test_labels_are_refused():
    with pytest.raises(TypeError, match="nominal columns \\(1\\)"):
        infold.GeodesicForest().fit(Table(np.eye(4), None, (1,)))
