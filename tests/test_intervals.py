import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from test_forest import small_forest

from infold.core.distance import LOCAL_DISTANCES, diameter
from infold.core.folded import folded_side
from infold.core.forest import compact, leaf_nodes, router
from infold.core.geodesic import by_walking, geodesic_local_mi
from infold.core.intervals import Runs, bound_radii, find_windows, runs_of
from infold.core.neighbors import digammas

PAIRS = {
    "correlated": lambda rng: rng.normal(size=400) + 0.2 * rng.normal(size=(2, 400)),
    "tight": lambda rng: rng.uniform(size=400) + 0.001 * rng.normal(size=(2, 400)),
    "independent": lambda rng: rng.normal(size=(2, 400)),
    "integers": lambda rng: rng.integers(0, 12, size=(2, 400)).astype(float),
    "copies": lambda rng: np.repeat(rng.normal(size=(2, 80)), 5, axis=1),
    "few rows": lambda rng: rng.normal(size=(2, 12)),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_one_column_is_routed_as_by_the_tree(rng, kind):
    points = np.ascontiguousarray(np.vstack((PAIRS[kind](rng), rng.normal(size=PAIRS[kind](rng).shape[1]))))
    forest = small_forest(points, n_trees=15, min_samples_split=8)
    for column in range(3):
        used = np.arange(3) == column
        send = router(points, used)
        expected = leaf_nodes(forest, points, used, n_jobs=1, verbose=0)
        for tree, leaves in zip(forest, expected, strict=True):
            found = np.empty(points.shape[1], np.int32)
            send(tree, found)
            assert_array_equal(found, leaves)


@pytest.mark.parametrize("local_distance", ["paper", "everywhere"])
@pytest.mark.parametrize("n_trees", [3, 60])
@pytest.mark.parametrize("kind", PAIRS)
def test_walking_counts_what_all_pairs_count(rng, kind, n_trees, local_distance, monkeypatch):
    x, y = np.ascontiguousarray(PAIRS[kind](rng))
    n = len(x)
    points = np.vstack((x, y))
    forest = small_forest(points, n_trees=n_trees, min_samples_split=8)
    sides = [np.array([True, False]), np.array([False, True])]
    leaves = [compact(leaf_nodes(forest, points, used, n_jobs=1, verbose=0)) for used in sides]
    expected, places = np.empty(n), np.arange(n, dtype=np.int32)
    for k in (1, 3, 11):
        sizes = diameter(points[:1]), diameter(points[1:])
        variant = LOCAL_DISTANCES[local_distance]
        geodesic_local_mi(
            *map(folded_side, leaves), points[:1], points[1:], *sizes, variant, k, digammas(n), places, expected
        )
        for size in (50, 1000):
            monkeypatch.setattr("infold.core.geodesic.ROWS_PER_TASK", size)
            assert_array_equal(by_walking(x, y, *leaves, variant, k, n_jobs=2, verbose=0), expected)


def cut_by_hand(rng, values, n_cuts):
    """Leaf ids (trees, n) of a column that each tree cuts at its own places, `n_cuts` of them."""
    cuts = [np.sort(rng.choice(values, size=size)) for size in n_cuts]
    return np.array([np.searchsorted(at, values, side="right") for at in cuts]).reshape(len(cuts), len(values))


CUTS = {  # how many a tree, on either side
    "none": ([0] * 5, [0] * 5),
    "none on one side": ([0] * 5, [30] * 5),
    "none on the other": ([30] * 5, [0] * 5),
    "one tree": ([4], [4]),
    "few and many": ([0, 1, 2, 100] * 8, [90, 0, 1, 40] * 8),
    "nearly every place": ([900] * 8, [900] * 8),
}


@pytest.mark.parametrize("local_distance", ["paper", "everywhere"])
@pytest.mark.parametrize("type_y", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("cuts", CUTS)
def test_walking_follows_the_definition(rng, cuts, type_y, local_distance):
    n = 150
    x, y = rng.normal(size=(2, n)).cumsum(axis=0)  # correlated
    x[20:30], y[25:35] = x[20], y[25]  # ties, some on both sides
    leaves = [cut_by_hand(rng, values, n_cuts) for values, n_cuts in zip((x, y), CUTS[cuts], strict=True)]
    compacted = compact(leaves[0].astype(np.int32)), compact(leaves[1].astype(np.int32)).astype(type_y)
    distances = [
        reference.geodesic_distance(ids, values[:, None], local_distance)
        for ids, values in zip(leaves, (x, y), strict=True)
    ]
    variant = LOCAL_DISTANCES[local_distance]
    for k in (1, 3, n - 1):
        expected = reference.ksg_local(*distances, k)
        found = by_walking(x, y, *compacted, variant, k, n_jobs=1, verbose=0)
        assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_bound_and_window_leave_nothing_out(rng):
    n, k = 300, 4
    values = rng.normal(size=(2, n)).cumsum(axis=0)
    leaves = [cut_by_hand(rng, column, rng.integers(0, 60, size=40)).astype(np.uint8) for column in values]
    orders = [np.argsort(column, kind="stable").astype(np.int32) for column in values]
    runs = [Runs(*runs_of(*side)) for side in zip(leaves, orders, strict=True)]
    bound, window = np.empty(n, np.int32), np.empty((n, 2), np.int32)
    rows_of_y = np.ascontiguousarray(leaves[1].T)
    bound_radii(runs[0], runs[1].rank[orders[0]], rows_of_y, k, 0, n, bound)
    find_windows(runs[1], bound, 0, n, window)
    apart = [reference.trees_apart(ids) for ids in leaves]
    joint = np.maximum(*apart)
    np.fill_diagonal(joint, 1 << 20)
    radius = np.sort(joint, axis=1)[:, k - 1]
    assert (bound >= radius).all()
    assert np.median(bound / radius) < 1.5  # it is a bound that leaves something out
    for row in range(n):
        inside = np.isin(np.arange(n), orders[1][window[row, 0] : window[row, 1]])
        assert_array_equal(inside, (apart[1][row] < bound[row]) | (apart[1][row] == 0))
