"""A question: judged once, and questions derived from it that hold the rows they should."""

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import infold
from infold.data.question import Question, ask, check_lengths
from infold.data.tables import Table


@pytest.fixture
def three(rng):
    """A question about three blocks, one of them with a constant column."""
    X, Y, Z = rng.normal(size=(20, 2)), rng.normal(size=(20, 1)), rng.normal(size=(20, 3))
    X[:, 1] = 5.0
    return Question({"X": Table(X, ("a", "b")), "Y": Table(Y, None), "Z": Table(Z, ("c", "d", "e"))})


def test_a_question_knows_its_blocks(three):
    assert three.n_samples == 20
    assert three.n_features == (2, 1, 3)
    assert three.names == (("a", "b"), None, ("c", "d", "e"))
    assert three.joint.shape == (20, 6)
    assert_array_equal(three.columns("X"), three["X"][:, :1].T)
    assert_array_equal(three.columns("Z"), three["Z"].T)


def test_fewer_rows_are_the_same_rows_of_every_block(three):
    rows = np.array([3, 1, 17])
    fewer = three.with_rows(rows)
    for block in "XYZ":
        assert_array_equal(fewer[block], three[block][rows])
    assert fewer.names == three.names


def test_one_block_is_paired_anew_and_the_others_stay(three, rng):
    order = rng.permutation(20)
    anew = three.repaired("Z", order)
    assert_array_equal(anew["Z"], three["Z"][order])
    assert anew["X"] is three["X"]
    one = three.repaired_column("Z", 1, order)
    assert_array_equal(one["Z"][:, 1], three["Z"][order, 1])
    assert_array_equal(one["Z"][:, [0, 2]], three["Z"][:, [0, 2]])


def test_some_columns_keep_their_names(three):
    some = three.with_columns("Z", [2, 0])
    assert_array_equal(some["Z"], three["Z"][:, [2, 0]])
    assert some.names == (("a", "b"), None, ("e", "c"))


def test_a_column_constant_in_some_rows_is_left_out_there(rng):
    X, Y = rng.normal(size=(2, 30, 2))
    X[5:, 1] = 0.0
    question = ask(X, Y)
    assert question.columns("X").shape == (2, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was told once is not told again
        assert question.with_rows(np.arange(10, 30)).columns("X").shape == (1, 20)


def test_warnings_point_at_the_line_that_asked(rng):
    X, Y = np.ones((30, 2)), rng.normal(size=30)
    for asks in (ask, infold.KSG().fit, infold.mutual_information):
        with pytest.warns(infold.DataWarning, match=r"X has constant columns \(0, 1\).*the MI with it is 0") as heard:
            asks(X, Y)
        assert [one.filename for one in heard] == [__file__]


def test_repeated_rows_are_told(rng):
    X = rng.normal(size=(30, 2))
    X[10] = X[3]
    Y = X[:, 0] ** 2
    with pytest.warns(infold.DataWarning, match="1 of 30 rows repeat another row"):
        ask(X, Y)
    Y[10] += 1.0
    ask(X, Y)  # a warning would be an error


def test_rows_of_zeros_are_no_copies(rng):
    X = rng.normal(size=(60, 2))
    X[:20] = 0
    ask(X, X.sum(axis=1) ** 2)  # a warning would be an error


def test_too_few_samples_are_refused(rng):
    with pytest.raises(ValueError, match="n_neighbors=3 needs at least 4 samples, but X has 3"):
        ask(*rng.normal(size=(2, 3)), min_samples=4)


# Given Z.


def test_z_is_a_block_like_the_others(rng):
    X, Y = rng.normal(size=(2, 30, 1))
    Z = pd.DataFrame(rng.normal(size=(30, 2)), columns=["e", "f"])
    question = ask(X, Y, Z)
    assert list(question.blocks) == ["X", "Y", "Z"]
    assert (question.given, question.is_conditional) == (("e", "f"), True)
    assert ask(X, Y, Z.to_numpy()).given == 2
    assert (ask(X, Y).given, ask(X, Y).is_conditional) == (None, False)
    assert question.without("Z").names == (None, None)
    rows = np.array([4, 2])
    assert_array_equal(question.with_rows(rows)["Z"], Z.to_numpy()[rows])


def test_a_hole_in_z_drops_the_row_everywhere(rng):
    X, Y, Z = rng.normal(size=(3, 30))
    Z[7] = np.nan
    question = ask(X, Y, Z, missing="drop")
    assert question.dropped.tolist() == [7]
    for block, values in zip("XYZ", (X, Y, Z), strict=True):
        assert_array_equal(question[block][:, 0], np.delete(values, 7))


def test_rows_of_z_go_by_their_index(rng):
    X, Y, Z = (pd.Series(values, index=list("abcdefghij")) for values in rng.normal(size=(3, 10)))
    assert_array_equal(ask(X, Y, Z[::-1])["Z"], ask(X, Y, Z)["Z"])
    with pytest.raises(ValueError, match="Z has other index labels than X"):
        ask(X, Y, Z.set_axis(range(10)))
    with pytest.raises(ValueError, match="Z has other index labels than Y"):
        ask(X.to_numpy(), Y, Z.set_axis(range(10)))


def test_columns_of_z_leave_x_and_y_with_their_kinds(rng):
    X, Z = pd.DataFrame({"a": rng.normal(size=12), "b": list("uvw") * 4}), rng.normal(size=12)
    with pytest.warns(infold.DataWarning, match=r"X has columns that are in Z as well \('b'\).*others are used"):
        question = ask(X, rng.normal(size=12), X["b"])
    assert question.names == (("a",), None, ("b",))
    assert question.kinds[2] == ("nominal",)
    codes = np.arange(12) % 3  # the same numbers, which are no classes in Z
    assert ask(X, Z, codes).names[0] == ("a", "b")


WRONG_Z = {
    "rows": ((np.ones(29),), {}, ValueError, "X has 30 rows and Z has 29"),
    "holes": ((np.full(30, np.nan),), {}, ValueError, "Z contains 30 NaN or infinite values"),
    "empty": ((np.empty((30, 0)),), {}, ValueError, "Z is empty"),
    "column": ((np.arange(30.0),), {"discrete_z": 1}, ValueError, "discrete_z=1 is not a column of Z"),
    "no Z": ((), {"discrete_z": True}, ValueError, "discrete_z=True names columns of Z, but there is no Z"),
    "no value": ((np.full(30, np.nan),), {"missing": "drop"}, ValueError, "Z has no value at all in column 0"),
}


@pytest.mark.parametrize("case", WRONG_Z)
def test_a_wrong_z_is_refused_in_one_line(rng, case):
    tables, options, error, message = WRONG_Z[case]
    with pytest.raises(error, match=message) as caught:
        ask(*rng.normal(size=(2, 30)), *tables, **options)
    assert "\n" not in str(caught.value)


def test_lengths_are_checked_in_one_place():
    tables = {name: Table(np.zeros((n, 1)), None) for name, n in (("a", 3), ("b", 3), ("c", 4))}
    assert check_lengths({name: tables[name] for name in "ab"}) == ("a", 3)
    with pytest.raises(ValueError, match="a has 3 rows and c has 4, but row i of both must be the same day"):
        check_lengths(tables, "day")
