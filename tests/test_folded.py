import numpy as np
import pytest
import reference
from numpy.testing import assert_array_equal
from parts import from_python

from infold.core import folded
from infold.core.folded import ALONE, folded_side
from infold.core.forest import compact

folded_apart = from_python(folded.folded_apart)


@pytest.mark.parametrize("n_leaves", [1, 200, 256, 257, 300, 900])
def test_folded_leaves_are_as_far_apart_as_leaves(rng, n_leaves):
    n, n_trees = 1000, 12
    share = np.sort(rng.pareto(1.0, n_leaves))[::-1] + 0.2  # a few large leaves, many small ones
    leaves = rng.choice(n_leaves, p=share / share.sum(), size=(n_trees, n))
    leaves[:, :n_leaves] = rng.permutation(n_leaves)
    leaves[:4] = leaves[0]  # not only far pairs
    side = folded_side(compact(leaves.astype(np.int32)))
    assert side.folded.dtype == np.uint8
    assert (side.rows.size > 0) == (n_leaves > 256)
    apart = np.empty((300, n), np.uint16)
    folded_apart(side, (50, 350), apart)
    assert_array_equal(apart, reference.trees_apart(leaves)[50:350])
    if n_leaves > 256:  # only small leaves share a byte
        shared = np.bincount(side.folded[0], minlength=256)[ALONE:]
        assert shared.max() < np.bincount(leaves[0]).max()
