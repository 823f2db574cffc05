"""The kernels' random numbers beside their definition in plain Python."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import random as reference

from infold.core.random import draw_seeds, next_random, random_below, random_orders


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # of 64 bits, as it should be; told with the JIT off
@pytest.mark.parametrize("seed", [0, 1, 2**63, 2**64 - 1])
def test_numbers_are_those_of_splitmix64(seed):
    state = np.array([seed], np.uint64)
    assert [int(next_random(state)) for _ in range(20)] == list(itertools.islice(reference.splitmix64(seed), 20))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_numbers_below_a_bound_are_uniform():
    state = np.array([42], np.uint64)
    drawn = np.array([random_below(state, 10) for _ in range(20_000)])
    assert_allclose(np.bincount(drawn, minlength=10), 2000, atol=5 * np.sqrt(2000))  # five standard deviations


@pytest.mark.parametrize("source", [lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)])
def test_seeds_differ_and_repeat(source):
    seeds = draw_seeds(source(), 500)
    assert len(set(seeds.tolist())) == 500
    assert_array_equal(seeds, draw_seeds(source(), 500))


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("length", [1, 3, 50])
@pytest.mark.parametrize("sizes", [(10,), (7, 1, 12)])
def test_orders_match_the_definition(rng, sizes, length):
    rows = rng.permutation(sum(sizes))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    groups = [rows[a:b].tolist() for a, b in itertools.pairwise(starts)]
    seeds = draw_seeds(3, 6)
    found = random_orders(seeds, rows, starts, length)
    assert_array_equal(found, [reference.random_order(int(seed), groups, length) for seed in seeds])
    assert_array_equal(np.sort(found, axis=1), np.tile(np.arange(sum(sizes)), (6, 1)))
