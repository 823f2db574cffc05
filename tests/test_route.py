import numpy as np
import pytest
import reference
from numpy.testing import assert_array_equal

from infold.core.forest import Plan, default_min_samples_split, tree_grower
from infold.core.route import COMPANY, SHARE, route, sorted_rows
from infold.core.tree import Tree

KINDS = {
    "normal": lambda rng, n, d: rng.normal(size=(d, n)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy(size=(d, n)),
    "uniform": lambda rng, n, d: rng.uniform(size=(d, n)),
    "integers": lambda rng, n, d: rng.integers(-8, 8, size=(d, n)).astype(float),
    "two values": lambda rng, n, d: rng.integers(0, 2, size=(d, n)).astype(float),
    "copies": lambda rng, n, d: np.repeat(rng.normal(size=(d, n)), 5, axis=1)[:, :n],
    "one value": lambda rng, n, d: np.full((d, n), -3.0),
    "huge offset": lambda rng, n, d: 1e15 + rng.normal(size=(d, n)),
    "huge": lambda rng, n, d: 1e308 * rng.uniform(-1, 1, size=(d, n)),
    "nearly equal columns": lambda rng, n, d: rng.normal(size=n) + 0.1 * rng.normal(size=(d, n)),
    "clusters": lambda rng, n, d: 20.0 * rng.normal(size=(d, 8))[:, rng.integers(8, size=n)] + rng.normal(size=(d, n)),
}


def routed(tree, points, used):
    leaf = np.empty(points.shape[1], np.int32)
    route(*tree, points, used, sorted_rows(points, used), leaf)
    return leaf


def leaves(tree, rows, used):
    """Return where each of the rows (n, d) ends, by the definition."""
    arrays = tree._asdict()
    with np.errstate(over="ignore"):
        return [reference.leaf(arrays, row, used) for row in rows]


def random_tree(rng, points, used, n_splits):
    """Return a tree that peels, mostly: projections of 1 to 3 features, cuts at values of rows under the mask."""
    d, n = points.shape
    cut, left, right, terms, members = [0.0], [-1], [-1], [[]], [np.arange(n)]
    for _ in range(n_splits):
        ends = np.flatnonzero(np.array(left) < 0)
        node = rng.choice(ends) if rng.random() < 0.3 else max(ends, key=lambda end: len(members[end]))
        features = np.sort(rng.choice(d, size=rng.choice([1, 1, 1, 1, 2, 3]), replace=False))
        signs = rng.choice([-1, 1], size=len(features))
        rows = members[node] if len(members[node]) else np.arange(n)
        value = np.zeros(len(rows))
        with np.errstate(over="ignore"):
            for f, s in zip(features, signs, strict=True):
                value += s * points[f, rows] * used[f]
        share = rng.choice([0.02, 0.02, 0.02, 0.5]) * rng.random()
        cut[node] = np.sort(value)[round((share if rng.integers(2) else 1 - share) * (len(rows) - 1))]
        left[node], right[node], terms[node] = len(cut), len(cut) + 1, list(zip(features, signs, strict=True))
        goes_left = value[: len(members[node])] < cut[node]
        members += [members[node][goes_left], members[node][~goes_left]]
        for column, entry in ((cut, 0.0), (left, -1), (right, -1), (terms, [])):
            column += [entry, entry]
    start = np.cumsum([0, *map(len, terms)])
    flat = [term for node in terms for term in node]
    return Tree(
        np.array(cut),
        np.array(left, np.int32),
        np.array(right, np.int32),
        start.astype(np.int32),
        np.array([f for f, _ in flat], np.int32),
        np.array([s for _, s in flat], np.int8),
    )


@pytest.mark.parametrize("n_used", [1, 4, 8])
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "uniform", "integers", "clusters"])
def test_groups_go_where_single_rows_go(rng, kind, n_used):
    n, d = 1500, 8
    points = KINDS[kind](rng, n, d)
    used = np.arange(d) < n_used
    plan = Plan(np.arange(1, 4, dtype=np.uint64), "fast_bic", n, default_min_samples_split(n))
    for tree in tree_grower(points, plan)(0, 3):
        assert_array_equal(routed(tree, points, used), leaves(tree, points.T, used))
    if kind == "normal":  # or else chains were not put to the test
        assert np.count_nonzero(tree.left >= 0) > 60


@pytest.mark.parametrize("n", [1, 2, SHARE - 1, SHARE, SHARE + 1, 100, 600])
@pytest.mark.parametrize("kind", KINDS)
def test_cuts_at_values_of_rows_send_each_to_its_side(rng, kind, n):
    d = 5
    points = KINDS[kind](rng, n, d)
    for used in (np.ones(d, bool), np.arange(d) % 2 == 0, np.arange(d) == 1):
        tree = random_tree(rng, points, used, 60)
        assert_array_equal(routed(tree, points, used), leaves(tree, points.T, used))


@pytest.mark.parametrize("kind", ["normal", "integers", "clusters"])
def test_rows_that_the_tree_has_not_seen(rng, kind):
    d = 4
    points, others = KINDS[kind](rng, 300, d), 3 * KINDS[kind](rng, 200, d)
    used = np.arange(d) < 3
    tree = random_tree(rng, points, used, 60)
    assert_array_equal(routed(tree, others, used), leaves(tree, others.T, used))


@pytest.mark.parametrize("n", [COMPANY, COMPANY + 1, 2 * COMPANY + 300])
def test_each_company_finds_its_way(rng, n):
    d = 3
    points, used = rng.normal(size=(d, n)), np.ones(d, bool)
    tree = random_tree(rng, points, used, 60)
    asked = np.unique(np.r_[rng.integers(n, size=1000), n - 1 - np.arange(300)])
    leaf = routed(tree, points, used)
    assert_array_equal(leaf[asked], leaves(tree, points[:, asked].T, used))
    assert np.unique(leaf).size > 20  # or else the tree was no test


def test_random_trees_have_large_and_small_groups(rng):
    """What the tests above rest on."""
    points, used = rng.normal(size=(5, 600)), np.ones(5, bool)
    sizes = np.bincount(routed(random_tree(rng, points, used, 60), points, used))
    assert (sizes > 600 // SHARE).sum() > 2
    assert ((sizes > 0) & (sizes < 600 // SHARE)).sum() > 20
