import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from parts import kernel

from infold.core import folded
from infold.core.distance import LOCAL_DISTANCES, diameter
from infold.core.folded import ALONE, FAR, folded_side
from infold.core.forest import compact
from infold.core.geodesic import geodesic_local_mi
from infold.core.neighbors import digammas


@kernel
def look(side, row, level, best):
    """Look from a row: bounds, trees apart by place (FAR: not looked at), how many nearer, what is left after it."""
    n_trees, n_blocks, width = side.absent.shape[0], side.absent.shape[2], side.folded.shape[1]
    own, least = np.empty((1, n_trees), np.uint8), np.empty((1, n_blocks), np.int32)
    apart, nowhere = np.full((1, n_blocks * width), FAR, np.int32), np.full((1, n_blocks * width), FAR, np.int32)
    folded.look_from(side, side.place[row], own[0], least[0], apart[0])
    bounds = least[0].copy()
    folded.look_around(level, 1, side, own, least, apart, side, nowhere, np.empty(width, np.uint8), best)
    seen, n_nearer = apart[0].copy(), folded.count_nearer(level, least[0], apart[0])
    folded.look_away(side, own[0], least[0], apart[0])
    return bounds, seen, n_nearer, apart[0]


def leaves_with(rng, n_leaves, n=1000, n_trees=12):
    """Leaf ids of rows along a line: each tree cuts it elsewhere, into a few large leaves and many small ones."""
    at = rng.uniform(size=n)
    cuts = [np.sort(np.append(0.2 * rng.uniform(size=n_leaves - n_leaves // 2), 0)) for _ in range(n_trees)]
    cuts = [np.append(some, 0.2 + 0.8 * rng.uniform(size=n_leaves // 2)) for some in cuts]
    leaves = np.array([np.searchsorted(np.sort(some), at) for some in cuts])
    leaves[:4] = leaves[0]  # not only far pairs
    return leaves


@pytest.mark.parametrize("width", [16, 256, 5000])
@pytest.mark.parametrize("n_leaves", [1, 200, 250, 270, 300, 900])
def test_folded_leaves_are_as_far_apart_as_leaves(rng, n_leaves, width, monkeypatch):
    monkeypatch.setattr(folded, "WIDTH", width)
    leaves = leaves_with(rng, n_leaves)
    n = leaves.shape[1]
    side = folded_side(compact(leaves.astype(np.int32)))
    assert side.folded.dtype == np.uint8
    assert (side.shared.size > 0) == (max(len(set(row)) for row in leaves) > 256)
    assert_array_equal(np.sort(side.order), np.arange(n))
    assert_array_equal(side.order[side.place], np.arange(n))
    expected = reference.trees_apart(leaves)
    begin = np.arange(0, n, side.folded.shape[1])
    for row in range(0, n, 37):
        bounds, apart, n_nearer, left = look(side, row, FAR, np.full((1, 4), FAR))
        assert n_nearer == n
        assert (left == FAR).all()
        assert_array_equal(apart[side.place], expected[row])
        in_block = expected[row][side.order]
        assert (bounds <= np.minimum.reduceat(in_block, begin)).all()
        level = 1 + int(bounds.mean())
        _, apart, n_nearer, left = look(side, row, level, np.full((1, 4), FAR))
        assert n_nearer == np.count_nonzero(expected[row] < level)
        assert (left == FAR).all()
        near = np.repeat(bounds < level, side.folded.shape[1])[:n]
        assert_array_equal(apart[:n][near], in_block[near])
        assert (apart[:n][~near] >= FAR).all()


def test_bytes_of_large_leaves_stand_for_one_leaf(rng):
    leaves = compact(leaves_with(rng, 900).astype(np.int32))
    side = folded_side(leaves)
    n_trees, width = leaves.shape[0], side.folded.shape[1]
    for t in range(n_trees):
        byte = side.folded[t::n_trees].reshape(-1)[: leaves.shape[1]]
        pairs = np.unique(np.stack((byte, leaves[t, side.order])), axis=1)
        counts = np.bincount(pairs[0], minlength=256)
        assert (counts[:ALONE] == 1).all()
        assert counts[ALONE:].max() > 1
        in_shared = np.bincount(leaves[t])[pairs[1][pairs[0] >= ALONE]]
        assert in_shared.max() <= np.bincount(leaves[t])[pairs[1][pairs[0] < ALONE]].min()
    assert width == 256


def test_similar_rows_come_together(rng):
    leaves = leaves_with(rng, 12)  # with many more, most rows are as far from one as can be, and so from any other
    side = folded_side(leaves.astype(np.uint8))
    unsorted = np.array([[len(set(row[b : b + 256])) for b in range(0, 1000, 256)] for row in leaves])
    blocks = np.array([[len(set(row[side.order[b : b + 256]])) for b in range(0, 1000, 256)] for row in leaves])
    assert blocks.mean() < 0.6 * unsorted.mean()  # a quarter of a line has a quarter of the leaves, and two ends


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
@pytest.mark.parametrize("width", [3, 32])
@pytest.mark.parametrize("n_leaves", [1, 2, 30, 400])
def test_blocks_left_out_change_nothing(rng, n_leaves, width, variant, monkeypatch):
    monkeypatch.setattr(folded, "WIDTH", width)
    n = 400
    leaves = [leaves_with(rng, n_leaves, n), leaves_with(rng, n_leaves, n)]
    # The second side follows the first in half of the rows.
    by_first = np.argsort(leaves[0][0], kind="stable")
    leaves[1][:, by_first[::2]] = leaves[1][:, np.argsort(leaves[1][0], kind="stable")[::2]]
    points = rng.normal(size=(2, 2, n))
    points[:, :, 50:60] = points[:, :, 50:51]  # copies
    for ids in leaves:
        ids[:, 50:60] = ids[:, 50:51]
    distances = [reference.geodesic_distance(ids, side.T, variant) for ids, side in zip(leaves, points, strict=True)]
    sides = [folded_side(compact(ids.astype(np.int32))) for ids in leaves]
    sizes = diameter(points[0]), diameter(points[1])
    for k in (1, 3, n - 1):
        expected = reference.ksg_local(*distances, k)
        for n_asked in (n, 70):
            found = np.full(n_asked, np.nan)
            for places in np.array_split(np.sort(sides[0].place[:n_asked]), 3):
                geodesic_local_mi(*sides, *points, *sizes, LOCAL_DISTANCES[variant], k, digammas(n), places, found)
            assert_allclose(found, expected[:n_asked], atol=1e-12)
