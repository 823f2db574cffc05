"""What is no table of samples is refused in a sentence that says what to pass instead."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import infold

Y = np.random.default_rng(0).normal(size=50)
HUGE = np.arange(50) + 2**60


def refusal(data, error=ValueError, **options):
    with pytest.raises(error) as caught:
        infold.mutual_information(data, Y, method="ksg", **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_none():
    assert refusal(None) == "X is None, but needs rows; pass an array or a table of samples."
    with pytest.raises(ValueError, match=re.escape("Y is None")):
        infold.mutual_information(Y, None)
    with pytest.raises(ValueError, match="X is None"):
        infold.independence_test(None, Y)


def test_a_lazy_table():
    lazy = pl.LazyFrame({"a": Y})
    assert refusal(lazy, TypeError) == "X is a lazy table, but its rows are needed; pass X.collect()."


def test_a_dict():
    assert "pass a table, such as pandas.DataFrame(X)" in refusal({"a": Y}, TypeError)


@pytest.mark.parametrize("value", ["abc", 5, (one for one in Y), set(Y), len])
def test_no_rows(value):
    assert refusal(value).startswith(f"X is a single {type(value).__name__}, but needs rows.")


@pytest.mark.parametrize(
    "data",
    [HUGE, HUGE.astype(np.uint64), [2**70 + i for i in range(50)], pd.Series(HUGE, name="id"), pl.Series("id", HUGE)],
)
def test_whole_numbers_that_would_become_equal(data):
    assert "has whole numbers beyond 2^53, such as" in refusal(data)
    assert "subtract an offset or, if they are labels, pass discrete_x." in refusal(data)


def test_huge_labels_and_huge_numbers_that_stay_apart_are_fine():
    labels = HUGE[np.arange(50) % 3]
    small = infold.mutual_information(np.arange(50) % 3, Y, discrete_x=True, method="ksg").mi
    assert infold.mutual_information(labels, Y, discrete_x=True, method="ksg").mi == small
    assert infold.mutual_information(pd.Series(labels), Y, discrete_x=True, method="ksg").mi == small
    apart = 2**55 + 2**20 * np.arange(50)
    assert np.isfinite(infold.mutual_information(apart, Y, method="ksg").mi)
    assert "beyond 1e308" in refusal([10**400 + i for i in range(50)])


def test_warnings_point_at_the_line_that_called():
    with pytest.warns(infold.DataWarning) as caught:
        infold.mutual_information(np.ones(50), Y, method="ksg")
    assert [one.filename for one in caught] == [__file__]
