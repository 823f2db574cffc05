"""A question: judged once, and questions derived from it that hold the rows they should."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import infold
from infold.data.question import Question, ask
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


def test_too_few_samples_are_refused(rng):
    with pytest.raises(ValueError, match="n_neighbors=3 needs at least 4 samples, but X has 3"):
        ask(*rng.normal(size=(2, 3)), min_samples=4)
