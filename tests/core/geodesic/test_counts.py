"""Geodesic distances and the counts on them, beside their definitions and the authors' released code."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import forest as reference
from reference import neighbors

from infold.core.forest.forest import Plan, marginal_leaves, renumber
from infold.core.geodesic.counts import geodesic_counts
from infold.core.geodesic.distance import LOCAL_DISTANCES, diameter, local_part
from infold.core.geodesic.gksg import local_gksg
from infold.core.geodesic.matrix import apart_matrix, geodesic_matrix, geodesic_neighbors
from infold.core.knn.information import CONDITIONAL, local_information, shared_spaces
from infold.core.random import draw_seeds

DATA = Path(__file__).parents[2] / "data"
RELEASED_FORESTS = ["helix_d0", "uniform_d10", "gaussian_d0"]


def numbered(nodes, orders):
    """Leaf ids (blocks, T, n) of node numbers (T, n) of each block, along the order of its rows."""
    leaves = np.empty((len(nodes), *nodes[0].shape), np.uint16)
    for b, order in enumerate(orders):
        for t in range(len(nodes[b])):
            renumber(nodes[b][t], order, int(nodes[b].max()) + 1, leaves[b, t])
    return leaves


def orders_of(columns, sizes):
    firsts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    return [
        np.argsort(columns[f], kind="stable") if size == 1 else np.arange(columns.shape[1])
        for f, size in zip(firsts, sizes, strict=True)
    ]


def blocks_of(columns, sizes):
    return np.split(columns, np.cumsum(sizes)[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASED_FORESTS)
def test_released_leaves_give_the_released_tree_counts(name):
    data = np.load(DATA / f"forest_{name}.npz")
    for side in "xy":
        (leaves,) = numbered([data[f"leaf_{side}"].astype(np.int32)], [np.arange(500)])
        apart = apart_matrix(leaves, np.arange(500), 500)
        assert_array_equal(apart[:4], data[f"apart_{side}_row"])
        assert_array_equal(apart.sum(axis=1), data[f"apart_{side}_sum"])


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["paper", "released"])
@pytest.mark.parametrize("name", RELEASED_FORESTS)
def test_released_leaves_give_the_released_estimates(name, variant):
    data = np.load(DATA / f"forest_{name}.npz")
    columns, sizes = np.hstack((data["X"], data["Y"])).T.copy(), [data[side].shape[1] for side in "XY"]
    orders, spaces = orders_of(columns, sizes), shared_spaces(2)
    leaves = numbered([data[f"leaf_{side}"].astype(np.int32) for side in "xy"], orders)
    local = local_part(variant, leaves.shape[1], blocks_of(columns, sizes))
    for k, expected in zip(data["k"], data[f"mi_{variant}"], strict=True):
        counts = geodesic_counts(
            leaves, columns, sizes, orders, local, spaces.masks, int(k), np.arange(500), n_jobs=1, verbose=0
        )
        assert_allclose(local_information(counts, spaces, 500).mean(), expected, atol=1e-9)


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
@pytest.mark.parametrize(
    ("sizes", "spaces"), [((1, 1), shared_spaces(2)), ((2, 3), shared_spaces(2)), ((1, 2, 1), CONDITIONAL)]
)
@pytest.mark.parametrize(
    "kind",
    ["normal", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("lattice", "copies", "few trees", "Cauchy"))],
)
def test_counts_match_the_definition(rng, variant, sizes, spaces, kind):
    n = 90
    columns = rng.normal(size=(sum(sizes), n))
    if kind == "copies":
        columns[:, 40:70] = columns[:, [5]]
    if kind == "lattice":
        columns = np.round(2 * columns)
    if kind == "Cauchy":
        columns = rng.standard_cauchy(columns.shape)
    n_trees = 5 if kind == "few trees" else 40
    orders, blocks = orders_of(columns, sizes), blocks_of(columns, sizes)
    plan = Plan(draw_seeds(3, n_trees), "fast_bic", n, 13)
    leaves = marginal_leaves(columns, sizes, plan, orders, n_jobs=1, verbose=0)
    distances = [reference.geodesic_distance(own, block.T, variant) for own, block in zip(leaves, blocks, strict=True)]
    members = [[b for b in range(len(sizes)) if space >> b & 1] for space in spaces.masks]
    local = local_part(variant, n_trees, blocks)
    rows = np.sort(rng.choice(n, 60, replace=False))
    for k in (1, 4):
        found = geodesic_counts(leaves, columns, sizes, orders, local, spaces.masks, k, rows, n_jobs=2, verbose=0)
        assert_array_equal(found, neighbors.strict_counts(distances, members, k)[:, rows])


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
@pytest.mark.parametrize(
    ("sizes", "nominal", "spaces"),
    [
        ((2, 1), (0, 0, 1), shared_spaces(2)),
        ((1, 1), (0, 1), shared_spaces(2)),
        ((2, 2), (0, 1, 0, 1), shared_spaces(2)),
        ((1, 1, 2), (0, 0, 1, 1), CONDITIONAL),
    ],
)
@pytest.mark.parametrize("n_classes", [1, 3, pytest.param(50, marks=pytest.mark.slow)])
def test_classes_match_the_definition(rng, variant, sizes, nominal, spaces, n_classes):
    n, n_trees, nominal = 90, 30, np.array(nominal, bool)
    columns = rng.normal(size=(len(nominal), n))
    columns[nominal] = rng.integers(0, n_classes, (np.count_nonzero(nominal), n))
    plan = Plan(draw_seeds(3, n_trees), "fast_bic", n, 13)
    numbers, own = columns[~nominal], [np.count_nonzero(~mask) for mask in np.split(nominal, np.cumsum(sizes)[:-1])]
    leaves = marginal_leaves(numbers, own, plan, [np.arange(n)] * len(own), n_jobs=1, verbose=0)
    distances = []
    for b, mask in enumerate(np.split(nominal, np.cumsum(sizes)[:-1])):
        block, labels = blocks_of(numbers, own)[b], blocks_of(columns, sizes)[b][mask]
        distance = reference.geodesic_distance(leaves[b], block.T, variant) if len(block) else np.zeros((n, n))
        distances.append(np.where((labels[:, :, None] != labels[:, None, :]).any(axis=0), 5.0, distance))
    members = [[b for b in range(len(sizes)) if space >> b & 1] for space in spaces.masks]
    expected = local_information(np.asfortranarray(neighbors.counts(distances, members, 3, far=5.0)), spaces, n)
    found = local_gksg(columns.copy(), sizes, plan, 3, spaces=spaces, local_distance=variant, nominal=nominal)
    assert_allclose(found, expected, atol=1e-11)


@pytest.mark.parametrize("n_trees", [3, 300])
@pytest.mark.parametrize("dtype", [np.uint16, np.uint32])
def test_trees_apart_matches_the_definition(rng, n_trees, dtype):
    leaves = rng.integers(0, 5, size=(n_trees, 70)).astype(dtype)
    leaves[: n_trees // 2] = leaves[: n_trees // 2, :1]  # not only far pairs
    rows = np.arange(10, 40)
    assert_array_equal(apart_matrix(leaves, rows, 60), reference.trees_apart(leaves)[10:40, :60])


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
def test_distance_and_neighbours_match_the_definition(rng, variant):
    points = rng.normal(size=(2, 80))
    points[:, 40:50] = points[:, :10]  # duplicates: distance 0
    plan = Plan(draw_seeds(3, 6), "fast_bic", 80, 13)
    (leaves,) = marginal_leaves(points, [2], plan, [np.arange(80)], n_jobs=1, verbose=0)
    expected = reference.geodesic_distance(leaves, points.T, variant)
    local, rows = local_part(variant, 6, [points]), np.arange(80)
    assert_allclose(geodesic_matrix(leaves, points, rows, 80, local), expected, rtol=1e-12)
    distances, nearest = geodesic_neighbors(leaves, points, rows, 80, local, 3, n_jobs=1, verbose=0)
    np.fill_diagonal(expected, np.inf)
    assert_allclose(distances, np.sort(expected, axis=1)[:, :3], rtol=1e-12)
    assert np.all(nearest != rows[:, None])


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("on_a_sphere", [False, True])
def test_diameter_matches_the_definition(rng, d, on_a_sphere):
    points = rng.standard_cauchy(size=(d, 90))
    if on_a_sphere:  # all are equally far out, so that all have to be looked at
        points /= np.sqrt((points**2).sum(axis=0))
    expected = np.sqrt(np.max(np.sum((points[:, :, None] - points[:, None]) ** 2, axis=0)))
    assert_allclose(diameter(points), expected, rtol=1e-12)


def test_diameter_of_many_rows(rng):
    # More rows than are looked at first, and the farthest pair is not the two that are farthest from the centre.
    points = rng.uniform(-1, 1, size=(2, 20_000))
    points[:, :3] = [[-5.0, 5.2, 5.1], [0.0, 0.0, 1.0]]
    assert_allclose(diameter(points), np.hypot(10.2, 0.0), rtol=1e-12)
