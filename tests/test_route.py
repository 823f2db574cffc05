import numpy as np
import pytest
from numpy.testing import assert_array_equal

from infold.core.forest import Plan, default_min_samples_split, tree_grower
from infold.core.route import CHUNK, STRETCH, route

KINDS = {
    "normal": lambda rng, n, d: rng.normal(size=(d, n)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy(size=(d, n)),
    "uniform": lambda rng, n, d: rng.uniform(size=(d, n)),
    "integers": lambda rng, n, d: rng.integers(-8, 8, size=(d, n)).astype(float),
}


def walked(tree, points, used):
    """Return where each row ends, one row and one node at a time."""
    ends = []
    for row in points.T:
        node = 0
        while tree.left[node] >= 0:
            value = 0.0
            for place in range(tree.proj_start[node], tree.proj_start[node + 1]):
                if used[tree.proj_feature[place]]:
                    value += tree.proj_sign[place] * row[tree.proj_feature[place]]
            node = tree.left[node] if value < tree.cut[node] else tree.right[node]
        ends.append(node)
    return ends


@pytest.mark.parametrize("n_used", [1, 4, 8])
@pytest.mark.parametrize("kind", KINDS)
def test_groups_go_where_single_rows_go(rng, kind, n_used):
    n, d = CHUNK + 500, 8  # rows travel in two companies
    points = KINDS[kind](rng, n, d)
    used = np.arange(d) < n_used
    plan = Plan(np.arange(1, 4, dtype=np.uint64), "fast_bic", n, default_min_samples_split(n))
    for tree in tree_grower(points, plan)(0, 3):
        leaf = np.empty(n, np.int32)
        route(*tree, points, used, leaf)
        assert_array_equal(leaf, walked(tree, points, used))
    if kind == "normal":  # or else the stretches were not put to the test
        assert np.count_nonzero(tree.left >= 0) > 2 * STRETCH
