import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from parts import from_python
from test_split import COLUMNS

from infold.core import scan
from infold.core.scan import N_WORK
from infold.core.split import CRITERIA, n_log_n_table

small_cut, sort_pairs = map(from_python, (scan.small_cut, scan.sort_pairs))


def room(n):
    return np.empty((N_WORK, n)), np.empty(3 * n + 1, np.uint32)


@pytest.mark.parametrize("kind", COLUMNS)
def test_pairs_are_sorted_together(rng, kind):
    values = COLUMNS[kind](rng)
    carried = np.arange(len(values), dtype=np.uint32)
    found = values.copy()
    sort_pairs(found, carried, *room(len(values)))
    assert_array_equal(found, np.sort(values))
    assert_array_equal(values[carried], found)


@pytest.mark.parametrize("n", [1, 2, 13, 24, 25, 26, 200, 201])
def test_values_in_one_bucket_are_sorted_too(rng, n):
    values = np.append(rng.normal(size=n - 1), 1e12)
    found, carried = values.copy(), np.arange(n, dtype=np.uint32)
    sort_pairs(found, carried, *room(n))
    assert_array_equal(found, np.sort(values))
    assert_array_equal(values[carried], found)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("kind", COLUMNS)
def test_small_cut_matches_definition(rng, kind, scale, criterion):
    distinct, weights = np.unique(COLUMNS[kind](rng) * scale, return_counts=True)
    order = rng.permutation(len(distinct))
    values, loads, m = distinct[order], weights[order].astype(np.uint32), int(weights.sum())
    found = small_cut(values, loads, m, CRITERIA[criterion], n_log_n_table(m), *room(len(values)))
    definition = reference.bic_cut if criterion == "fast_bic" else reference.two_means_cut
    expected = definition(np.repeat(distinct, weights))
    # Beside a point that is a million deviations away, running sums keep six digits of a variance fewer.
    assert_allclose(found, expected, rtol=1e-6 if "far" in kind or kind == "heavy tails" else 1e-9)
