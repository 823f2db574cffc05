"""KSG from ranks is KSG: its definition, and the general search."""

import numpy as np
import pytest
import reference.pairs as reference
from numpy.testing import assert_allclose

from infold.core.knn.ksg import local_ksg
from infold.core.pairs.rank_ksg import rank_ksg_of_pairs, rank_scores


def estimates(columns, k):
    orders = np.argsort(columns, axis=1, kind="stable")
    first, second = np.triu_indices(len(columns), 1)
    out = np.empty(first.size)
    rank_ksg_of_pairs(rank_scores(columns.shape[1], k), orders, np.argsort(orders, axis=1), first, second, out)
    return out, first, second


def awkward_columns(rng, n):
    x = rng.normal(size=n)
    far = rng.normal(size=n)
    far[0] = 1e300
    return np.array(
        [x, x, -x, x**2, np.arange(n), rng.standard_cauchy(n), far, np.sin(9 * x), np.roll(np.arange(n), n // 2)]
    )


@pytest.mark.parametrize(("n", "k"), [(4, 3), (5, 1), (8, 7), (40, 3), (41, 5), (90, 1)])
def test_matches_the_definition(rng, n, k):
    columns = awkward_columns(rng, n)
    found, first, second = estimates(columns, k)
    expected = [reference.rank_ksg(columns[a], columns[b], k) for a, b in zip(first, second, strict=True)]
    assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(("n", "k"), [(300, 3), (500, 10)])
def test_agrees_with_the_general_search(rng, n, k):
    x = rng.normal(size=(4, n))
    x[1] += x[0]
    x[2] = np.cos(3 * x[0]) + 0.1 * x[2]
    found, first, second = estimates(x, k)
    scores = rank_scores(n, k).scores[np.argsort(np.argsort(x, axis=1), axis=1)]
    expected = [local_ksg(scores[[a, b]], (1, 1), k).mean() for a, b in zip(first, second, strict=True)]
    assert_allclose(found, expected, atol=1 / n)  # a few distances tie, by which the rules differ
