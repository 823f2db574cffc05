"""G-KSG's local values beside the definition, on the leaves of the same forest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import forest as reference
from reference import neighbors

from infold.core.forest.forest import Plan, marginal_leaves
from infold.core.geodesic.gksg import local_gksg
from infold.core.knn.information import CONDITIONAL
from infold.core.random import draw_seeds


@pytest.mark.parametrize("standardize", [False, True])
def test_local_values_match_the_definition(rng, standardize):
    n, k, plan = 60, 3, Plan(draw_seeds(3, 12), "fast_bic", 60, 11)
    columns = rng.normal(size=(4, n)) * [[1], [30], [1], [0.1]]
    points = neighbors.standardized(columns) if standardize else columns

    def distances(sizes):
        leaves = marginal_leaves(points, sizes, plan, [np.arange(n)] * len(sizes), n_jobs=1, verbose=0)
        blocks = np.split(points, np.cumsum(sizes)[:-1])
        return [reference.geodesic_distance(own, block.T, "paper") for own, block in zip(leaves, blocks, strict=True)]

    counts = neighbors.strict_counts(distances((1, 3)), [(0,), (1,)], k)
    found = local_gksg(columns.copy(), (1, 3), plan, k, standardize=standardize)
    assert_allclose(found, neighbors.mutual_information(counts, n), atol=1e-12)
    counts = neighbors.strict_counts(distances((1, 2, 1)), [(0, 2), (1, 2), (2,)], k)
    found = local_gksg(columns.copy(), (1, 2, 1), plan, k, spaces=CONDITIONAL, standardize=standardize)
    assert_allclose(found, neighbors.conditional_information(counts), atol=1e-12)
    some = np.array([3, 7, 50])
    few = local_gksg(columns.copy(), (1, 2, 1), plan, k, spaces=CONDITIONAL, queries=some, standardize=standardize)
    assert_allclose(few, found[some], atol=1e-12)
