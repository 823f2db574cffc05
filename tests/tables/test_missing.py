"""Missing values are refused or dropped, never in silence; rows of pandas objects are paired by their labels."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import infold
from infold.data.question import ask

KSG = {"method": "ksg", "random_state": 0, "verbose": 0}


@pytest.fixture
def holes(rng):
    """X with a hole in row 3, Y (classes) with one in row 10, and the rows without."""
    x = rng.normal(size=(60, 2))
    y = np.where(x[:, 0] > 0, "up", "down").astype(object)
    x[3, 1], y[10] = np.nan, None
    return x, y, np.setdiff1d(np.arange(60), [3, 10])


def test_dropped_rows_are_counted(holes):
    x, y, kept = holes
    result = infold.mutual_information(x, y, missing="drop", **KSG)
    without = infold.mutual_information(x[kept], y[kept], **KSG)
    assert_array_equal(result.local, without.local)
    assert (result.n_samples, result.n_dropped, without.n_dropped) == (58, 2, 0)
    assert_array_equal(result.dropped_rows, [3, 10])
    assert "58 samples (2 more dropped: missing values)" in repr(result)
    assert json.loads(json.dumps(result.to_dict()))["n_dropped"] == 2
    assert infold.KSG().fit(x, y, missing="drop").mi_ == without.mi


def test_classes_are_numbered_by_the_rows_that_are_left():
    question = ask([np.nan, 1, 2, 3], ["a", "b", "a", "b"], missing="drop")
    assert_array_equal(question["Y"].ravel(), [0, 1, 0])


def test_every_function_drops(holes):
    x, y, kept = holes
    groups = np.arange(60) % 3
    for function, own in (
        (infold.independence_test, {"n_permutations": 19, "groups": groups}),
        (infold.relevance, {"n_permutations": 19, "groups": groups}),
        (infold.confidence_interval, {"n_subsamples": 8}),
        (infold.diagnose, {"n_simulations": 2}),
    ):
        left = {**own, "groups": groups[kept]} if "groups" in own else own
        found = function(x, y, missing="drop", **KSG, **own).to_dict()
        without = function(x[kept], y[kept], **KSG, **left).to_dict()
        assert found.pop("n_dropped") == 2
        assert without.pop("n_dropped") == 0
        if "estimate" in found:
            assert [one["estimate"].pop("n_dropped") for one in (found, without)] == [2, 0]
        assert found == without


def test_results_tell_of_dropped_rows(holes):
    x, y, _ = holes
    test = infold.independence_test(x, y, missing="drop", n_permutations=19, **KSG)
    assert "58 samples (2 more dropped: missing values)" in repr(test)
    found = infold.relevance(x, y, missing="drop", n_permutations=19, **KSG)
    assert "2 rows with missing values were dropped" in repr(found)


def test_a_label_that_is_missing_may_be_dropped_with_its_row(holes):
    x, y, _ = holes
    groups = [None if i == 3 else i % 3 for i in range(60)]
    assert infold.independence_test(x, y, missing="drop", groups=groups, n_permutations=19, **KSG).n_dropped == 2
    with pytest.raises(ValueError, match="one label for each of the 60 rows"):
        infold.independence_test(x, y, missing="drop", groups=groups[:58], n_permutations=19, **KSG)


def test_blocks_of_rows_with_holes_are_told(holes):
    x, y, _ = holes
    with pytest.warns(infold.DataWarning, match="block=5 counts the rows that are left: 2 rows"):
        infold.independence_test(x, y, missing="drop", block=5, n_permutations=19, **KSG)


NONE = {
    "numpy": np.array([1.0, np.nan, 3.0, 4.0]),
    "objects": np.array([1.0, None, 3.0, 4.0], dtype=object),
    "pandas nullable": pd.Series([1, None, 3, 4], dtype="Int64"),
    "pandas NA in an array": pd.Series([1, None, 3, 4], dtype="Int64").to_numpy(),
    "polars": pl.Series([1, None, 3, 4]),
    "polars nan": pl.Series([1.0, np.nan, 3.0, 4.0]),
    "masked": np.ma.masked_equal(np.array([1, 2, 3, 4]), 2),
    "text": ["a", None, "b", "b"],
    "empty text": ["a", "", "b", "b"],
    "text with nan": np.array(["a", np.nan, "b", "b"], dtype=object),
    "pandas text": pd.Series(["a", None, "b", "b"]),
    "category": pd.Series(["a", None, "b", "b"], dtype="category"),
    "boolean": pd.Series([True, None, False, False], dtype="boolean"),
    "polars enum": pl.Series(["a", None, "b", "b"], dtype=pl.Enum(["b", "a"])),
}


@pytest.mark.parametrize("case", NONE)
def test_missing_values_of_any_library(case):
    y = [1.5, 2.5, 3.5, 7.5]
    with pytest.raises(ValueError, match=r"the first( NaN)? in row 1, column 0[,;] .*missing='drop'"):
        ask(NONE[case], y)
    question = ask(NONE[case], y, missing="drop")
    assert_array_equal(question.dropped, [1])
    assert np.isfinite(question["X"]).all()
    assert_array_equal(question["Y"].ravel(), [1.5, 3.5, 7.5])


@pytest.mark.parametrize("empty", [pd.Series([None] * 5), pl.Series([None] * 5), np.full(5, np.nan), [None] * 5])
def test_a_column_without_any_value_is_named(empty):
    with pytest.raises(ValueError, match="NaN in row 0"):
        ask(np.arange(5.0) ** 2, empty)
    with pytest.raises(ValueError, match="Y has no value at all in column 0; leave such columns out"):
        ask(np.arange(5.0) ** 2, empty, missing="drop")


def test_infinity_is_never_dropped():
    with pytest.raises(ValueError, match=r"infinity \(inf\) in row 0.*; fill them in"):
        ask([np.inf, 1, 2], [1, 2, 3.5], missing="drop")


def test_too_few_rows_are_left():
    with pytest.raises(ValueError, match="missing='drop' leaves 2 of 6 rows, but at least 4 are needed"):
        infold.mutual_information([1, None, 3, None, None, 6.5], [None, 2.5, 3, 4, 5, 7], missing="drop", **KSG)


def test_there_are_two_ways():
    with pytest.raises(ValueError, match="missing='ignore' is not known; choose one of 'error', 'drop'"):
        ask([1.0, 2], [3.0, 4], missing="ignore")


# Labels of rows


def test_rows_of_pandas_objects_are_paired_by_label(rng):
    x = pd.DataFrame({"a": rng.normal(size=50)}, index=[f"s{i}" for i in range(50)])
    y = pd.Series(x["a"] + rng.normal(size=50), name="b")
    mixed = y.sample(frac=1, random_state=0)
    assert infold.KSG().fit(x, mixed).mi_ == infold.KSG().fit(x, y).mi_
    groups = pd.Series(np.arange(50) % 2, index=x.index)
    tests = [
        infold.independence_test(x, mixed, groups=labels, n_permutations=19, **KSG)
        for labels in (groups, groups.sample(frac=1, random_state=1), groups.to_numpy())
    ]
    assert tests[0] == tests[1] == tests[2]
    assert_array_equal(tests[0].null, tests[1].null)


def test_other_labels_are_refused(rng):
    x, y = (pd.Series(values) for values in rng.normal(size=(2, 50)))
    remedy = r"other index labels than X.*reset_index\(drop=True\)"
    with pytest.raises(ValueError, match="Y has " + remedy):
        ask(x.iloc[:-1], y.iloc[1:])
    with pytest.raises(ValueError, match="Y has " + remedy):
        ask(x.set_axis([0, 0, *range(2, 50)]), y)
    with pytest.raises(ValueError, match="groups has " + remedy):
        infold.independence_test(x, y, groups=pd.Series(np.arange(50) % 2, index=range(1, 51)), **KSG)
    expected = infold.KSG().fit(x.iloc[:-1].to_numpy(), y.iloc[1:].to_numpy()).mi_
    assert infold.KSG().fit(x.iloc[:-1], y.iloc[1:].reset_index(drop=True)).mi_ == expected
    assert infold.KSG().fit(x.iloc[:-1], y.iloc[1:].to_numpy()).mi_ == expected  # an array goes by position


def test_the_same_labels_may_repeat(rng):
    index = np.arange(50) % 5
    x, y = (pd.Series(values, index=index) for values in rng.normal(size=(2, 50)))
    assert infold.KSG().fit(x, y).mi_ == infold.KSG().fit(x.to_numpy(), y.to_numpy()).mi_
