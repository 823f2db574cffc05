"""Neighbours against sorted distances; blocks, threads, order and units of the points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.entropy.gknn import gknn_local
from infold.core.entropy.lnn import lnn_local
from infold.core.entropy.neighbors import over_neighbourhoods

METHODS = [lambda points, **o: gknn_local(points, 9, **o), lambda points, **o: lnn_local(points, 3, **o)]


@pytest.mark.parametrize("d", [1, 4, 5, 12])  # a tree, and brute force
@pytest.mark.parametrize("max_norm", [False, True])
@pytest.mark.parametrize("levels", [None, 3])
def test_offsets_are_those_of_the_nearest(rng, d, max_norm, levels):
    points = rng.normal(size=(70, d)) if levels is None else rng.integers(0, levels, (70, d)).astype(float)
    (offsets,) = over_neighbourhoods(lambda block: (block,), points, 69 if d == 5 else 9, max_norm=max_norm, n_jobs=1)
    norm = np.inf if max_norm else 2
    for point, found in zip(points, offsets, strict=True):
        away = np.sort(np.linalg.norm(points - point, ord=norm, axis=1))
        assert_allclose(np.linalg.norm(found, ord=norm, axis=1), away[: len(found)])
        assert {tuple(p) for p in np.round(found + point, 9)} <= {tuple(p) for p in np.round(points, 9)}


@pytest.mark.slow
@pytest.mark.parametrize("local_entropy", METHODS)
@pytest.mark.parametrize("d", [1, 6])
def test_order_and_threads_change_no_bit(rng, local_entropy, d):
    points = rng.normal(size=(600, d))  # three blocks
    local, status = local_entropy(points)
    again, status_again = local_entropy(points, n_jobs=2)
    assert_array_equal(again, local)
    assert status_again == status
    order = rng.permutation(600)
    assert_array_equal(local_entropy(points[order])[0], local[order])
    assert_array_equal(local_entropy(np.asfortranarray(points))[0], local)


@pytest.mark.parametrize("exponent", [-500, 500, 900])  # 1e-150, 1e150, 1e270
@pytest.mark.parametrize("local_entropy", METHODS)
def test_units_shift_the_entropy_and_no_more(rng, local_entropy, exponent):
    points = rng.normal(size=(100, 3))
    local, _ = local_entropy(points)
    moved, _ = local_entropy(np.ldexp(points, exponent))
    assert_allclose(moved - 3 * exponent * np.log(2), local, atol=1e-9)
