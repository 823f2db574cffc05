from pathlib import Path

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from parts import from_python

from infold.core import distance, projection
from infold.core.distance import LOCAL_DISTANCES, diameter, geodesic_rows, trees_apart
from infold.core.folded import folded_side
from infold.core.forest import (
    Plan,
    compact,
    default_min_samples_split,
    grow_forest,
    leaf_nodes,
    marginal_leaves,
    tree_grower,
)
from infold.core.geodesic import geodesic_local_mi
from infold.core.jit import draw_seeds
from infold.core.neighbors import digammas
from infold.core.tree import Tree, bootstrap_rows

draw_projections = from_python(projection.draw_projections)
DATA = Path(__file__).parent / "data"
RELEASED_FORESTS = ["helix_d0", "uniform_d10", "gaussian_d0"]


def small_forest(points, n_trees=20, criterion="fast_bic", n_jobs=1, min_samples_split=None, n_bootstrap=None):
    size = n_bootstrap or points.shape[1]
    smallest = min_samples_split or default_min_samples_split(size)
    plan = Plan(draw_seeds(3, n_trees), criterion, size, smallest)
    return grow_forest(np.ascontiguousarray(points), plan, n_jobs=n_jobs, verbose=0)


def leaves_of(forest, points, used):
    return leaf_nodes(forest, np.ascontiguousarray(points), used, n_jobs=1, verbose=0)


def released(name):
    """A forest grown by the authors' code, and what follows from it (see tests/data/README.md)."""
    data = np.load(DATA / f"forest_{name}.npz")
    return data, np.concatenate((data["X"], data["Y"]), axis=1).T, np.arange(data["X"].shape[1] + data["Y"].shape[1])


def released_trees(data):
    trees = []
    for first, end in zip(data["tree_offset"][:-1], data["tree_offset"][1:], strict=True):
        start = data["proj_offset"][first : end + 1]
        trees.append(
            Tree(
                data["node_cut"][first:end],
                data["node_left"][first:end],
                data["node_right"][first:end],
                start - start[0],
                data["proj_feature"][start[0] : start[-1]].astype(np.int32),
                data["proj_sign"][start[0] : start[-1]],
            )
        )
    return trees


def test_released_forest_routes_to_the_released_leaves():
    data, points, column = released("helix_d0")
    trees = released_trees(data)
    is_x = column < data["X"].shape[1]
    # The released code counts nodes from 1.
    assert_array_equal(leaves_of(trees, points, is_x) + 1, data["leaf_x"])
    assert_array_equal(leaves_of(trees, points, ~is_x) + 1, data["leaf_y"])


@pytest.mark.parametrize("name", RELEASED_FORESTS)
def test_released_leaves_give_the_released_tree_counts(name):
    data = np.load(DATA / f"forest_{name}.npz")
    for side in "xy":
        leaves = compact(data[f"leaf_{side}"].astype(np.int32))
        apart = np.empty((500, 500), np.uint16)
        trees_apart(leaves, (0, 500), (0, 500), apart)
        assert_array_equal(apart[:4], data[f"apart_{side}_row"])
        assert_array_equal(apart.sum(axis=1), data[f"apart_{side}_sum"])


@pytest.mark.parametrize("variant", ["paper", "released"])
@pytest.mark.parametrize("name", RELEASED_FORESTS)
def test_released_leaves_give_the_released_estimates(name, variant):
    data = np.load(DATA / f"forest_{name}.npz")
    x, y = np.ascontiguousarray(data["X"].T), np.ascontiguousarray(data["Y"].T)
    leaves = [compact(data[key].astype(np.int32)) for key in ("leaf_x", "leaf_y")]
    sizes = diameter(x), diameter(y)
    for k, expected in zip(data["k"], data[f"mi_{variant}"], strict=True):
        local, places = np.empty(500), np.arange(500, dtype=np.int32)
        geodesic_local_mi(
            *map(folded_side, leaves), x, y, *sizes, LOCAL_DISTANCES[variant], int(k), digammas(500), places, local
        )
        assert_allclose(local.mean(), expected, atol=1e-9)


def test_routing_matches_definition(rng):
    points = rng.normal(size=(4, 120))
    forest = small_forest(points)
    for used in ([True] * 4, [True, True, False, False], [False, False, False, True]):
        used = np.array(used)
        leaves = leaves_of(forest, points, used)
        for tree, found in zip(forest, leaves, strict=True):
            expected = [reference.leaf(tree._asdict(), row, used) for row in points.T]
            assert_array_equal(found, expected)


def test_every_split_is_the_best_of_some_projection(rng):
    # Grow on the bootstrap, follow its rows down, and check each node's cut against the definition.
    points = rng.normal(size=(3, 200))
    plan = Plan(draw_seeds(3, 1), "fast_bic", 200, 20)
    (tree,) = grow_forest(points, plan, n_jobs=1, verbose=0)
    state = np.array([plan.seeds[0]], np.uint64)
    rows = {0: bootstrap_rows(200, 200, state)}
    n_splits = 0
    for node in range(len(tree.cut)):
        members = rows[node]
        if tree.left[node] < 0:
            continue
        n_splits += 1
        assert len(members) >= 20
        terms = slice(tree.proj_start[node], tree.proj_start[node + 1])
        projected = tree.proj_sign[terms].astype(float) @ points[tree.proj_feature[terms]][:, members]
        assert_allclose(tree.cut[node], reference.bic_cut(np.sort(projected))[0])
        rows[tree.left[node]] = members[projected < tree.cut[node]]
        rows[tree.right[node]] = members[projected >= tree.cut[node]]
    assert n_splits > 5


def test_projections_are_sparse_signed_and_uniform():
    d, p, draws = 6, 3, 4000
    state = np.array([5], np.uint64)
    hits, signs = np.zeros((p, d)), []
    for _ in range(draws):
        column, feature, sign = np.empty(p, np.int32), np.empty(p, np.int32), np.empty(p, np.int8)
        draw_projections(d, p, state, column, feature, sign)
        cells = column * d + feature
        assert np.all(np.diff(cells) > 0)  # distinct, and sorted by column, then feature
        assert np.all(np.abs(sign) == 1)
        hits[column, feature] += 1
        first = np.append(True, np.diff(column) > 0)
        assert np.all(sign[first] == 1)  # a direction and its opposite make the same cut
        signs.extend(sign[~first])
    # p draws out of d·p cells: each cell is hit with probability 1 / d. Five standard deviations.
    assert_allclose(hits / draws, 1 / d, atol=5 * np.sqrt(1 / d / draws))
    assert_allclose(np.mean(signs), 0, atol=5 / np.sqrt(len(signs)))


def test_bootstrap_is_uniform_with_replacement():
    rows = bootstrap_rows(50, 100_000, np.array([9], np.uint64))
    counts = np.bincount(rows, minlength=50)
    assert_allclose(counts, 2000, atol=5 * np.sqrt(2000))  # five standard deviations


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shift", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("shape", [(3, 1), (6, 3), (8, 2)])
def test_nodes_that_no_row_comes_to_are_left_out(rng, shape, shift, exact):
    (d, d_x), n = shape, 600
    used = np.arange(d) < d_x
    points = rng.uniform(-1.0, 1.0, size=(d, n)) + shift * used[:, None]  # 0 in the middle, aside, or far away
    plan = Plan(np.arange(1, 6, dtype=np.uint64), "fast_bic", n, default_min_samples_split(n), exact)
    whole = grow_forest(points, plan, n_jobs=1, verbose=0)
    for mask, leaves in zip((used, ~used), marginal_leaves(points, plan, used, n_jobs=1, verbose=0), strict=True):
        assert_array_equal(leaves, compact(leaf_nodes(whole, points, mask, n_jobs=1, verbose=0)))
    fewer = list(tree_grower(points, plan, np.where(used, 1, 2))(0, 5))
    assert sum(tree.cut.size for tree in fewer) < sum(tree.cut.size for tree in whole)


@pytest.mark.parametrize("criterion", ["fast_bic", "two_means"])
def test_any_number_of_workers_grows_the_same_trees(rng, criterion):
    points = rng.normal(size=(5, 150))
    forests = [small_forest(points, n_trees=33, criterion=criterion, n_jobs=n_jobs) for n_jobs in (1, 2, 3)]
    for tree_group in zip(*forests, strict=True):
        for arrays in zip(*tree_group, strict=True):
            assert_array_equal(arrays[0], arrays[1])
            assert_array_equal(arrays[0], arrays[2])


@pytest.mark.parametrize("n_trees", [3, 300])
@pytest.mark.parametrize("n_leaves", [200, 40_000])
def test_trees_apart_matches_definition(rng, n_trees, n_leaves):
    leaves = compact(rng.integers(0, n_leaves, size=(n_trees, 70)).astype(np.int32) // (n_leaves // 4))
    leaves[: n_trees // 2] = leaves[: n_trees // 2, :1]  # not only far pairs
    apart = np.empty((30, 70), np.uint16)
    trees_apart(leaves, (10, 40), (0, 70), apart)
    assert_array_equal(apart, reference.trees_apart(leaves)[10:40])


def test_wide_leaf_ids_count_the_same(rng):
    leaves = rng.integers(0, 5, size=(40, 50))
    expected = reference.trees_apart(leaves)
    for dtype in (np.uint8, np.uint16, np.uint32):
        apart = np.empty((50, 50), np.uint16)
        trees_apart(leaves.astype(dtype), (0, 50), (0, 50), apart)
        assert_array_equal(apart, expected)


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
def test_geodesic_distance_matches_definition(rng, variant):
    points = rng.normal(size=(2, 80))
    points[:, 40:50] = points[:, :10]  # duplicates: distance 0
    leaves = compact(leaves_of(small_forest(points, n_trees=6), points, np.ones(2, bool)))
    found = geodesic_rows(leaves, points, (0, 80), 80, variant)
    assert_allclose(found, reference.geodesic_distance(leaves, points.T, variant), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 7])
def test_diameter_matches_definition(rng, d):
    points = rng.standard_cauchy(size=(d, 90))
    expected = np.sqrt(np.max(np.sum((points[:, :, None] - points[:, None]) ** 2, axis=0)))
    assert_allclose(diameter(points), expected, rtol=1e-12)


@pytest.mark.parametrize("on_a_sphere", [False, True])
def test_diameter_is_the_same_if_outer_points_are_looked_at_first(rng, monkeypatch, on_a_sphere):
    points = rng.normal(size=(4, 300))
    if on_a_sphere:  # all are equally far out, so that all have to be looked at
        points /= np.sqrt((points**2).sum(axis=0))
    whole = diameter(points)
    monkeypatch.setattr(distance, "OUTERMOST", 5)
    assert diameter(points) == whole


def test_compact_keeps_groups():
    leaves = np.array([[900, 3, 3, 70, 900], [5, 5, 5, 5, 5]], np.int32)
    assert_array_equal(compact(leaves), [[0, 1, 1, 2, 0], [0, 0, 0, 0, 0]])


def test_subsampled_trees(rng):
    points = rng.normal(size=(3, 400))
    forest = small_forest(points, n_bootstrap=100)
    leaves = leaves_of(forest, points, np.ones(3, bool))
    assert leaves.shape == (20, 400)
    assert all(len(tree.cut) > 1 for tree in forest)
