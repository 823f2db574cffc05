"""Units of columns: by definition, whatever their size, and without a trace of row order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from infold.core.scaling import (
    column_scales,
    comparable,
    joined,
    make_decimals_whole,
    one_unit,
    standardized,
    unit_sized,
)


@pytest.fixture
def columns(rng):
    return rng.normal(size=(3, 200)) * [[1.0], [30.0], [0.01]] + [[0.0], [5.0], [1e4]]


def test_scales_are_means_and_deviations(columns):
    means, deviations = column_scales(columns)
    assert_allclose(means, columns.mean(axis=1), rtol=1e-12, atol=1e-15)
    assert_allclose(deviations, columns.std(axis=1), rtol=1e-9)  # of a column at 1e4 the squares lose some digits


def test_scales_do_not_depend_on_row_order(rng, columns):
    for one, other in zip(column_scales(columns), column_scales(columns[:, rng.permutation(200)]), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.slow  # so many rows that columns are taken a few at a time
def test_columns_of_a_long_table_have_the_scales_that_they_have_alone(rng):
    columns = rng.normal(size=(3, 1_500_000)) * 10.0 ** np.array([[0], [-200], [200]])
    together = column_scales(columns)
    for i in range(3):
        for scale, alone in zip(together, column_scales(columns[[i]]), strict=True):
            assert scale[i] == alone[0]


@pytest.mark.parametrize("power", [-1000, -400, 400, 1000])
def test_scales_of_extreme_columns_are_those_of_ordinary_ones(rng, power):
    ordinary = rng.integers(1, 1000, size=(2, 50)).astype(float)
    for found, expected in zip(column_scales(np.ldexp(ordinary, power)), column_scales(ordinary), strict=True):
        assert_array_equal(found, np.ldexp(expected, power))


def test_standardized_columns_have_mean_nought_and_deviation_one(columns):
    found = standardized(columns)
    assert_allclose(found.mean(axis=1), 0, atol=1e-9)
    assert_allclose(found.std(axis=1), 1, rtol=1e-9)
    assert standardized(columns, out=columns) is columns
    assert_array_equal(columns, found)


def test_comparable_columns_keep_equal_differences_of_whole_numbers(rng):
    whole = rng.integers(0, 1000, size=(2, 100)).astype(float) + 1e9
    found = comparable(whole.copy(), standardize=True)
    assert_allclose(found.std(axis=1), 1, rtol=1e-7)  # the scale has 26 bits
    differences, scaled = whole[:, :, None] - whole[:, None], found[:, :, None] - found[:, None]
    for difference, scale in zip(differences, scaled, strict=True):
        for step in np.unique(difference):
            assert len(np.unique(scale[difference == step])) == 1


def test_without_standardising_only_extreme_tables_are_touched(columns):
    assert comparable(columns, standardize=False) is columns
    assert unit_sized(columns) is columns
    for power in (-600, 600):
        found = unit_sized(np.ldexp(columns, power))
        assert 1 <= np.abs(found).max() < 2
        assert_array_equal(found / np.abs(found).max(), columns / np.abs(columns).max())


def test_joined_blocks_are_one_table_of_float64(rng):
    x, y = rng.normal(size=(5, 2)).astype(np.float32), rng.normal(size=(5, 1))
    found = joined([x.T, y.T])
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert_array_equal(found, np.hstack((x, y)).T)


@pytest.mark.parametrize("digits", range(1, 7))
def test_comparable_columns_keep_equal_differences_of_decimals(rng, digits):
    whole = rng.integers(-500, 500, size=(2, 100)).astype(float)
    expected = comparable(whole.copy(), standardize=True)
    assert_array_equal(comparable(whole / 10**digits, standardize=True), expected)
    assert_array_equal(comparable(whole * 10.0**-digits, standardize=True), expected)  # another rounding


def test_columns_of_all_digits_are_no_decimals(rng):
    columns = np.array([rng.normal(size=50), rng.normal(size=50) * 1e12, 1 / rng.normal(size=50)])
    kept = columns.copy()
    make_decimals_whole(columns)
    assert_array_equal(columns, kept)


def test_columns_of_one_unit_are_not_scaled(rng):
    columns = rng.normal(size=(1, 30))
    assert one_unit(columns, decimals=True) is columns
    assert_array_equal(one_unit(np.array([[0.1, 0.3, -1.2]]), decimals=True), [[1, 3, -12]])
    assert_array_equal(one_unit(np.array([[0.1, 0.3, -1.2]]), decimals=False), [[0.1, 0.3, -1.2]])
