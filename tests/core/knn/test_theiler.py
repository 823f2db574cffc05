import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors, series

from infold.core.knn.counts import neighbor_counts
from infold.core.knn.theiler import distant_counts

from .test_counts import NAMES, awkward

SPACES = [(0, 2), (1, 2), (2,)]
MASKS = (0b101, 0b110, 0b100)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_counts_match_the_definition(rng, name, strict):
    columns = awkward(name, rng, 4, 40)
    times = np.sort(rng.choice(60, 40, replace=False))
    distances = [neighbors.block_distance(columns[i:j]) for i, j in ((0, 2), (2, 3), (3, 4))]
    for k, window in ((1, 0), (4, 3), (5, 10)):
        found = distant_counts(columns, (2, 1, 1), MASKS, k, times, window, strict=strict)
        assert_allclose(found, series.distant_counts(distances, SPACES, k, times, window, strict), rtol=1e-12)


def test_as_few_rows_as_the_window_leaves(rng):
    columns, times = rng.normal(size=(3, 8)), np.arange(8)
    found = distant_counts(columns, (1, 1, 1), MASKS, 2, times, 2, strict=True)
    distances = [neighbors.block_distance(column[None]) for column in columns]
    assert_array_equal(found, series.distant_counts(distances, SPACES, 2, times, 2, True))


@pytest.mark.parametrize("n", [80, pytest.param(700, marks=pytest.mark.slow)])  # by scans, and by boxes
@pytest.mark.parametrize("name", NAMES)
def test_strict_counts_of_the_engine_are_those_without_a_window(rng, name, n):
    columns = awkward(name, rng, 3, n)
    found = neighbor_counts(columns, (1, 1, 1), MASKS, 4, strict=True)
    assert_array_equal(found, distant_counts(columns, (1, 1, 1), MASKS, 4, np.arange(n), 0, strict=True))
