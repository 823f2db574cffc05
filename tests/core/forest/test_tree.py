"""Cuts and trees beside their definitions."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import forest as reference

from infold.core.forest.columns import Search
from infold.core.forest.criterion import CRITERIA, n_log_n_table, replace_by_logs
from infold.core.forest.forest import (
    Plan,
    default_min_samples_split,
    grow_forest,
    grow_trees,
    leaf_nodes,
    marginal_leaves,
)
from infold.core.forest.projection import draw_projections
from infold.core.forest.sorting import sort_pairs
from infold.core.forest.tree import bootstrap_weights, grow_tree, new_tree, new_workspace
from infold.core.random import draw_seeds

COLUMNS = {
    "normal": lambda rng: rng.normal(size=100),
    "bootstrap ties": lambda rng: rng.choice(rng.normal(size=60), 100),
    "integers": lambda rng: rng.integers(0, 6, size=80).astype(float),
    "two groups": lambda rng: np.concatenate((rng.normal(0, 1, 30), rng.normal(20, 3, 50))),
    "one far point": lambda rng: np.append(rng.normal(size=50), 1e6),
    "two far points": lambda rng: np.append(rng.normal(size=50), [1e6, 1e6]),
    "heavy tails": lambda rng: rng.standard_cauchy(size=100),
    "four values": lambda rng: rng.normal(size=4),
    "three values": lambda rng: rng.normal(size=3),
    "one value": lambda rng: np.ones(1),
    "constant": lambda rng: np.full(20, 0.1),
    "neighbouring floats": lambda rng: np.repeat([1.0, np.nextafter(1.0, 2), 3.0, 3.5], 5),
}


def root_cut(values, criterion="fast_bic", exact=True):
    """The cut of a tree's root on one column, each of its distinct values with a weight; nan if it is a leaf."""
    distinct, weights = np.unique(values, return_counts=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(distinct.size)
    (work, slots), tree = new_workspace(1, distinct.size), new_tree(1, distinct.size)
    search = Search(CRITERIA[criterion], exact, n_log_n_table(values.size))
    points, state = distinct[order][None], np.array([1], np.uint64)
    grow_tree(points, weights[order].astype(float), np.ones(1, np.int64), values.size, search, state, work, slots, tree)
    return tree.cut[0]


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("kind", COLUMNS)
def test_exact_fast_bic_matches_the_definition(rng, kind, scale, offset):
    values = np.sort(COLUMNS[kind](rng) * scale + offset)
    assert_allclose(root_cut(values), reference.bic_cut(values)[0], rtol=1e-13)


@pytest.mark.parametrize("kind", COLUMNS)
def test_exact_two_means_matches_the_definition(rng, kind):
    values = np.sort(COLUMNS[kind](rng))
    assert_allclose(root_cut(values, "two_means"), reference.two_means_cut(values)[0])


def bic_at(values, cut):
    """Fast-BIC's score of one cut."""
    sides, m = (values[values < cut], values[values >= cut]), len(values)
    terms = [len(s) * math.log(2 * math.pi * np.var(s)) - 2 * len(s) * math.log(len(s) / m) for s in sides]
    return sum(terms) + m + 5 * math.log(m)


@pytest.mark.parametrize(
    "draw",
    ["normal", *(pytest.param(d, marks=pytest.mark.slow) for d in ("uniform", "standard_cauchy", "exponential"))],
)
def test_fast_search_is_nearly_as_good(draw):
    # On 20 columns of 1,000 values the fast search lost .3 nats at most; a bin beside the best edge may add 3.
    for seed in range(20):
        values = np.sort(getattr(np.random.default_rng(seed), draw)(size=1_000))
        found, best = (bic_at(values, root_cut(values, exact=exact)) for exact in (False, True))
        assert best - 1e-6 <= found < best + 3


def test_a_single_extreme_point_is_never_cut_off():
    # The trap of method and rounding: one point has no variance, so its likelihood would be infinite.
    values = np.sort(np.append(np.random.default_rng(0).normal(size=200), 100.0))
    for exact in (True, False):
        assert root_cut(values, exact=exact) < values[-2]


def test_logs_match_libm(rng):
    values = np.concatenate((np.exp(rng.uniform(-700, 690, 5_000)), rng.uniform(0.5, 2.0, 5_000), [1.0, 1e300]))
    logs = values.copy()
    replace_by_logs(logs)
    # A few units in the last place of the larger of log and 1: more than enough to rank cuts.
    assert_allclose(logs, [math.log(v) for v in values], rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("kind", [*COLUMNS, "many ties", "crowded"])
def test_sorting_carries_loads_along(rng, kind):
    more = {"many ties": rng.integers(0, 3, 300).astype(float), "crowded": np.append(rng.normal(size=300), 1e9)}
    values = rng.permutation(more[kind] if kind in more else COLUMNS[kind](rng))
    n, carried, ordered = values.size, np.arange(values.size, dtype=np.uint32), values.copy()
    sort_pairs(ordered, carried, np.empty(n), np.empty(n, np.uint32), np.empty(2 * n + 1, np.int32))
    assert_array_equal(ordered, np.sort(values))
    assert_array_equal(values[carried], ordered)


def test_projections_are_sparse_signed_and_uniform():
    d, p, draws = 6, 3, 4000
    state, hits, signs = np.array([5], np.uint64), np.zeros((p, d)), []
    for _ in range(draws):
        column, feature, sign = np.empty(p, np.int64), np.empty(p, np.int64), np.empty(p, np.int8)
        draw_projections(d, state, column, feature, sign)
        assert np.all(np.diff(column * d + feature) > 0)  # distinct, and sorted by column, then feature
        assert np.all(np.abs(sign) == 1)
        hits[column, feature] += 1
        first = np.append(True, np.diff(column) > 0)
        assert np.all(sign[first] == 1)  # a direction and its opposite make the same cut
        signs.extend(sign[~first])
    # p draws out of d·p cells: each cell is hit with probability 1 / d. Five standard deviations.
    assert_allclose(hits / draws, 1 / d, atol=5 * np.sqrt(1 / d / draws))
    assert_allclose(np.mean(signs), 0, atol=5 / np.sqrt(len(signs)))


def test_bootstrap_is_uniform_with_replacement():
    weights = bootstrap_weights(50, 100_000, np.array([9], np.uint64))
    assert_allclose(weights, 2000, atol=5 * np.sqrt(2000))  # five standard deviations


def follow(tree, points, weights):
    """Yield (node, weighted rows, projected values) of each inner node."""
    rows = {0: np.repeat(np.arange(weights.size), weights.astype(int))}
    for node in range(len(tree.cut)):  # children have larger numbers than their parents
        if tree.left[node] >= 0:
            terms = slice(tree.proj_start[node], tree.proj_stop[node])
            projected = tree.proj_sign[terms].astype(float) @ points[tree.proj_feature[terms]][:, rows[node]]
            yield node, rows[node], projected
            rows[tree.left[node]] = rows[node][projected < tree.cut[node]]
            rows[tree.right[node]] = rows[node][projected >= tree.cut[node]]


@pytest.mark.parametrize("draw", ["normal", "uniform", "standard_cauchy"])
@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_every_exact_split_is_the_best_of_its_projection(rng, d, draw):
    points = getattr(rng, draw)(size=(d, 200))
    plan = Plan(draw_seeds(3, 3), "fast_bic", 200, 20, exact=True)
    n_splits = 0
    for seed, tree in zip(plan.seeds, grow_forest(points, plan, n_jobs=1, verbose=0), strict=True):
        weights = bootstrap_weights(200, 200, np.array([seed], np.uint64))
        for node, rows, projected in follow(tree, points, weights):
            assert len(rows) >= 20
            assert_allclose(tree.cut[node], reference.bic_cut(np.sort(projected))[0])
            n_splits += 1
    assert n_splits > 15


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["fast_bic", "two_means"])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("draw", ["normal", "uniform", "standard_cauchy", "integers"])
def test_every_split_parts_the_rows_of_its_node(rng, criterion, exact, draw):
    # Of rows that leave along a chain none is counted twice, and none is forgotten: the slots' weights are the node's.
    points = (
        rng.integers(0, 8, size=(4, 900)).astype(float) if draw == "integers" else getattr(rng, draw)(size=(4, 900))
    )
    plan = Plan(draw_seeds(1, 5), criterion, 900, 30, exact)
    for seed, tree in zip(plan.seeds, grow_forest(points, plan, n_jobs=1, verbose=0), strict=True):
        weights = bootstrap_weights(900, 900, np.array([seed], np.uint64))
        for node, rows, projected in follow(tree, points, weights):
            n_left = np.sum(projected < tree.cut[node])
            assert len(rows) >= 30
            assert 0 < n_left < len(rows)
        n_inner = np.sum(tree.left >= 0)
        assert len(tree.cut) == 2 * n_inner + 1


@pytest.mark.slow
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shift", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (3, 3), (2, 3, 1)])
def test_nodes_that_no_row_comes_to_are_left_out(rng, sizes, shift, exact):
    d, n = sum(sizes), 400
    block = np.repeat(np.arange(len(sizes)), sizes)
    points = rng.uniform(-1.0, 1.0, size=(d, n)) + shift * (block == 0)[:, None]  # 0 in the middle, aside, or far away
    plan = Plan(np.arange(1, 6, dtype=np.uint64), "fast_bic", n, default_min_samples_split(n), exact)
    whole = grow_forest(points, plan, n_jobs=1, verbose=0)
    leaves = marginal_leaves(points, sizes, plan, [np.arange(n)] * len(sizes), n_jobs=1, verbose=0)
    for b in range(len(sizes)):
        nodes = leaf_nodes(whole, points, block == b, n_jobs=1, verbose=0)
        for found, expected in zip(leaves[b], nodes, strict=True):
            # The same groups of rows, numbered as they appear.
            assert_array_equal(
                found,
                np.argsort(np.argsort(np.unique(expected, return_index=True)[1]))[
                    np.unique(expected, return_inverse=True)[1]
                ],
            )
    fewer = sum(tree.cut.size for tree in grow_trees(points, 1 << block, plan, plan.seeds))
    assert fewer < sum(tree.cut.size for tree in whole)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["fast_bic", "two_means"])
def test_any_number_of_workers_grows_the_same_trees(rng, criterion):
    points = rng.normal(size=(5, 150))
    plan = Plan(draw_seeds(3, 33), criterion, 150, 17)
    forests = [grow_forest(points, plan, n_jobs=n_jobs, verbose=0) for n_jobs in (1, 2, 3)]
    for trees in zip(*forests, strict=True):
        for arrays in zip(*trees, strict=True):
            assert_array_equal(arrays[0], arrays[1])
            assert_array_equal(arrays[0], arrays[2])


def test_trees_on_fewer_rows_than_there_are(rng):
    points = rng.normal(size=(3, 400))
    plan = Plan(draw_seeds(3, 5), "fast_bic", 100, default_min_samples_split(100))
    for tree in grow_forest(points, plan, n_jobs=1, verbose=0):
        assert 1 < len(tree.cut) < 200
