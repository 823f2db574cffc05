import numpy as np
import pytest
from numpy.testing import assert_array_equal
from test_forest import small_forest

from infold.core.distance import LOCAL_DISTANCES, diameter
from infold.core.folded import folded_side
from infold.core.forest import compact, leaf_nodes, router
from infold.core.geodesic import by_walking, geodesic_local_mi
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


@pytest.mark.parametrize("n_trees", [3, 60])
@pytest.mark.parametrize("kind", PAIRS)
def test_walking_counts_what_all_pairs_count(rng, kind, n_trees, monkeypatch):
    x, y = np.ascontiguousarray(PAIRS[kind](rng))
    n = len(x)
    points = np.vstack((x, y))
    forest = small_forest(points, n_trees=n_trees, min_samples_split=8)
    sides = [np.array([True, False]), np.array([False, True])]
    leaves = [compact(leaf_nodes(forest, points, used, n_jobs=1, verbose=0)) for used in sides]
    expected = np.empty(n)
    for k in (1, 3, 11):
        sizes = diameter(points[:1]), diameter(points[1:])
        variant = LOCAL_DISTANCES["paper"]
        geodesic_local_mi(
            *map(folded_side, leaves), points[:1], points[1:], *sizes, variant, k, digammas(n), 0, n, expected
        )
        for size in (50, 1000):
            monkeypatch.setattr("infold.core.geodesic.ROWS_PER_TASK", size)
            assert_array_equal(by_walking(x, y, *leaves, k, n_jobs=2, verbose=0), expected)
