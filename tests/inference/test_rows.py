"""What rows have: memory, ties, copies, an intrinsic dimension."""

import math

import numpy as np
import pytest
import reference_inference as reference
from numpy.testing import assert_allclose
from samples import walk
from scipy.stats import chi2

import infold
from infold.inference.rows import LAGS, copied_share, intrinsic_dimension, memory, tied_share


def test_memory_matches_definition(rng):
    column = walk(80, 0.4, 3)
    box, lag_1 = reference.ljung_box(column, LAGS)
    found = memory(column[:, None])
    assert_allclose([found.lag_1, found.pvalue], [lag_1, chi2.sf(box, LAGS)], rtol=1e-9)
    constant = memory(np.column_stack([np.ones(80), column]))
    assert constant == found
    strong = walk(80, 0.8, 3)
    two = memory(np.column_stack([rng.permutation(strong), strong]))
    assert_allclose(two.pvalue, 2 * memory(strong[:, None]).pvalue)


def test_memory_of_independent_rows_is_rarely_found():
    pvalues = [memory(np.random.default_rng(seed).standard_cauchy((100, 3))).pvalue for seed in range(300)]
    assert np.mean(np.array(pvalues) <= 0.05) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


def test_ties_and_copies_are_counted():
    assert tied_share(np.array([1.0, 2, 2, 3, 3, 3])) == pytest.approx(5 / 6)
    assert copied_share(np.array([[1, 2], [1, 2], [1, 3], [1, 2]])) == 0.5


@pytest.mark.parametrize("columns", [1, 3])
def test_intrinsic_dimension_matches_definition(rng, columns):
    points = rng.standard_normal((60, columns))
    assert_allclose(intrinsic_dimension(points), reference.intrinsic_dimension(points, 10))


def test_intrinsic_dimension_is_that_of_the_curve():
    data = infold.datasets.make_helix(1000, random_state=0)
    assert intrinsic_dimension(data.X) == pytest.approx(1, abs=0.15)
    assert 1 < intrinsic_dimension(data.Y) < 2  # a curve in three columns, with a little noise across
    assert intrinsic_dimension(np.ones((50, 2))) == 0


@pytest.mark.parametrize("levels", [2, 5])
def test_ties_are_no_memory(levels):
    # Independent coin flips: with the hint at p = .01 a side, about one in 10,000 may look autocorrelated.
    rng = np.random.default_rng(levels)
    pvalues = [memory(rng.integers(0, levels, (300, 1)).astype(float)).pvalue for _ in range(200)]
    assert np.mean(np.array(pvalues) < 0.05) < 0.12  # 5 %, deviation 1.5 %
