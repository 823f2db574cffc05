"""Where trees send rows, beside the definition and the authors' released code."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from reference import forest as reference

from infold.core.forest.forest import Plan, grow_forest, leaf_nodes
from infold.core.forest.tree import Tree
from infold.core.random import draw_seeds

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.slow
def test_released_forest_routes_to_the_released_leaves():
    data = np.load(DATA / "forest_helix_d0.npz")
    points = np.concatenate((data["X"], data["Y"]), axis=1).T.copy()
    is_x = np.arange(len(points)) < data["X"].shape[1]
    trees = []
    for first, end in zip(data["tree_offset"][:-1], data["tree_offset"][1:], strict=True):
        terms = data["proj_offset"][first : end + 1].astype(np.int64)
        nodes = (data["node_cut"], data["node_left"], data["node_right"])
        trees.append(
            Tree(
                *(array[first:end] for array in nodes),
                terms[:-1] - terms[0],
                terms[1:] - terms[0],
                data["proj_feature"][terms[0] : terms[-1]].astype(np.int32),
                data["proj_sign"][terms[0] : terms[-1]],
            )
        )
    # The released code counts nodes from 1.
    for used, leaves in ((is_x, data["leaf_x"]), (~is_x, data["leaf_y"])):
        assert_array_equal(leaf_nodes(trees, points, used, n_jobs=1, verbose=0) + 1, leaves)


@pytest.mark.parametrize("draw", ["normal", "uniform", "standard_cauchy", "integers"])
@pytest.mark.parametrize(("d", "n"), [(1, 70), (2, 300), (4, 300), (9, 150)])
def test_routing_matches_the_definition(rng, draw, d, n):
    points = rng.integers(0, 8, size=(d, n)).astype(float) if draw == "integers" else getattr(rng, draw)(size=(d, n))
    forest = grow_forest(points, Plan(draw_seeds(3, 8), "fast_bic", n, 12), n_jobs=1, verbose=0)
    for used in (np.ones(d, bool), np.arange(d) < (d + 1) // 2, np.arange(d) == d - 1):
        leaves = leaf_nodes(forest, points, used, n_jobs=1, verbose=0)
        for tree, found in zip(forest, leaves, strict=True):
            assert_array_equal(found, [reference.leaf(tree._asdict(), row, used) for row in points.T])


@pytest.mark.slow
def test_rows_of_several_chunks(rng):
    points = rng.normal(size=(3, 20_000))
    forest = grow_forest(points, Plan(draw_seeds(3, 2), "fast_bic", 2_000, 60), n_jobs=1, verbose=0)
    used = np.array([True, True, False])
    some = rng.choice(20_000, 200, replace=False)
    for tree, found in zip(forest, leaf_nodes(forest, points, used, n_jobs=1, verbose=0), strict=True):
        assert_array_equal(found[some], [reference.leaf(tree._asdict(), row, used) for row in points.T[some]])
