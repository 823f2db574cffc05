"""Columns of every kind: classes by type or by declaration, from any library, and with any names."""

import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import infold
from infold.data.kinds import column_kinds, looks_like_labels
from infold.data.question import ask
from infold.data.tables import Table, check_table

WORDS = ["b", "a", "b", "c", "a", "b"]
CODES = [0, 1, 0, 2, 1, 0]

TEXTS = {
    "list": WORDS,
    "numpy": np.array(WORDS),
    "objects": np.array(WORDS, dtype=object),
    "bytes": np.array(WORDS, dtype="S1"),
    "pandas": pd.Series(WORDS),
    "pandas objects": pd.Series(WORDS, dtype=object),
    "pandas category": pd.Series(WORDS, dtype="category"),
    "ordered": pd.Series(pd.Categorical(WORDS, ["c", "b", "a"], ordered=True)),
    "bare category": pd.Categorical([7, 3, 7, 9, 3, 7]),
    "arrow dictionary in pandas": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "arrow dictionary": pa.table({"w": pa.array(WORDS).dictionary_encode()}),
    "polars": pl.Series(WORDS),
    "polars categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars enum": pl.Series(WORDS, dtype=pl.Enum(["a", "b", "c"])),
    "frame": pl.DataFrame({"w": WORDS}),
    "numbers as a category": pd.Series(pd.Categorical([7, 3, 7, 9, 3, 7])),
}


@pytest.mark.parametrize("case", TEXTS)
def test_classes_are_numbered_as_they_appear(case):
    table = check_table(TEXTS[case], "X")
    assert_array_equal(table.values, np.array(CODES, float)[:, None])
    assert table.nominal == (0,)
    assert column_kinds(table) == ("nominal",)


@pytest.mark.parametrize(
    "truths", [np.array([False, True, True]), pd.Series([False, True, True], dtype="boolean"), [False, True, True]]
)
def test_booleans_are_nominal_unless_told_otherwise(truths):
    assert check_table(truths, "X").nominal == (0,)
    plain = check_table(truths, "X", discrete=False)
    assert plain.nominal == ()
    assert_array_equal(plain.values.ravel(), [0, 1, 1])
    assert_array_equal(check_table(~np.array(truths, bool), "X").values.ravel(), [0, 1, 1])  # a name is a name


def test_columns_of_a_frame_keep_their_own_kinds():
    frame = pd.DataFrame({"n": [1.5, 2, 3, 4], "w": list("xyxy"), "t": [True, False, True, True], "i": [1, 1, 1, 2]})
    for data in (frame, pl.from_pandas(frame)):
        table = check_table(data, "X")
        assert table.nominal == (1, 2)
        assert_array_equal(table.values.T, [[1.5, 2, 3, 4], [0, 1, 0, 1], [0, 1, 0, 0], [1, 1, 1, 2]])
        assert check_table(data, "X", discrete="i").nominal == (1, 2, 3)
    assert check_table(frame.to_numpy(), "X").nominal == (1, 2)


@pytest.mark.parametrize(
    ("discrete", "nominal"),
    [
        (None, ()),
        (False, ()),
        (True, (0, 1, 2)),
        ("b", (1,)),
        (1, (1,)),
        (np.int64(2), (2,)),
        (["c", 0], (0, 2)),
        ([], ()),
        ([True, False, True], (0, 2)),
        (np.array([False, True, False]), (1,)),
        (("a", "a"), (0,)),
    ],
)
def test_numbers_are_declared_discrete(discrete, nominal):
    frame = pd.DataFrame({"a": [5.0, 3, 5, 1], "b": [2.0, 2, 9, 9], "c": [0.5, 1, 2, 3]})
    coded = {0: [0, 1, 0, 2], 1: [0, 0, 1, 1], 2: [0, 1, 2, 3]}
    for data in (frame, pl.from_pandas(frame), Table(frame.to_numpy(), ("a", "b", "c"))):
        table = check_table(data, "X", discrete=discrete)
        assert table.nominal == nominal
        for c in range(3):
            assert_array_equal(table.values[:, c], coded[c] if c in nominal else frame.iloc[:, c])
    assert_array_equal(frame["a"], [5.0, 3, 5, 1])  # untouched


def test_a_name_that_two_columns_have_means_both():
    frame = pd.DataFrame([[1, 2, 3.5], [1, 4, 5.5]], columns=["a", "a", "b"])
    assert check_table(frame, "X", discrete="a").nominal == (0, 1)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            pd.Series(["a", 1, 2.5] * 2),
            {},
            r"neither numbers nor text alone \(str in row 0, int in row 1, float in row 2",
        ),
        (pd.DataFrame({"u": ["a", True]}), {}, "column 'u' holds neither numbers nor text alone"),
        (
            np.array([["a", 1.5]], dtype=object),
            {"discrete": False},
            "column 0 holds text, but only numbers are allowed here",
        ),
        (
            pd.Series(["a", "b"], name="u"),
            {"discrete": False},
            r"not numbers: 'u' \(String\), but only numbers are allowed here",
        ),
        (["1.5", "2", "x"], {}, r"numbers as text \('1.5'\); convert them to numbers or, .* pass discrete_x"),
        (["1,5", "2,5"], {}, "numbers as text"),
        (pl.Series(["12 %", "3 %"]), {}, "numbers as text"),
        (pd.Series(pd.to_datetime(["2020-01-01"] * 3), name="t"), {}, r"not numbers: 't' \(Datetime.*; encode or drop"),
        (pl.Series([[1], [2]]), {}, "not numbers"),
        (np.array([[{}], [{}]]), {"discrete": True}, "cannot be labels"),
    ],
)
def test_what_is_neither_numbers_nor_classes_is_refused(data, options, message):
    with pytest.raises(TypeError, match=message) as caught:
        check_table(data, "X", **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("discrete", "message"),
    [
        ("z", r"discrete_x='z' is not a column of X; .* among 'a', 'b'"),
        (2, "discrete_x=2 is not a column of X"),
        (-1, "discrete_x=-1 is not a column"),
        ([True], "mask of 1, but X has 2 columns"),
        (["a", 1.0], "discrete_x=1.0 is not a column"),
    ],
)
def test_a_column_that_is_not_there_cannot_be_discrete(discrete, message):
    with pytest.raises(ValueError, match=message):
        check_table(pd.DataFrame({"a": [1.0, 2], "b": [3.0, 4]}), "X", discrete=discrete)


def test_numbers_in_any_wrapping_are_numbers():
    wrapped = [
        [1, 2.5, 3],
        pd.Series([1, 2.5, 3], dtype="Float64"),
        pl.Series(["1", "2.5", "3"]).cast(pl.Decimal(9, 1)),
    ]
    wrapped += [np.array([1, Decimal("2.5"), 3], dtype=object), pd.Series([1, 2.5, 3], dtype=object)]
    for data in wrapped:
        table = check_table(data, "X")
        assert_array_equal(table.values.ravel(), [1, 2.5, 3])
        assert table.nominal == ()


def test_names_and_numbers_of_classes_change_no_bit(rng):
    x, code = rng.normal(size=(120, 2)), rng.integers(0, 4, 120)
    answers = set()
    for names in (
        ["a", "b", "c", "d"],
        ["z", "x", "", "y"],
        [3, 1, 0, 2],
        [10.5, -1.0, 7.0, 2.0],
        list(pd.interval_range(0, 4)),
    ):
        labels = [f"{name}!" if isinstance(name, str) else name for name in names]
        y = pd.Series([labels[c] for c in code], dtype=object)
        for method in ("ksg", "auto"):
            answers.add((method, infold.mutual_information(x, y, method=method, discrete_y=True, random_state=0).mi))
    assert len(answers) == 2


def test_kinds_are_shown(rng):
    frame = pd.DataFrame({"u": rng.normal(size=60), "count": rng.poisson(9, 60)})
    result = infold.mutual_information(frame, rng.choice(["x", "y"], 60), method="ksg")
    assert result.kinds == (("continuous", "ordinal"), ("nominal",))
    assert "kinds     X 1 continuous, 1 ordinal | Y 1 nominal\n" in repr(result)
    found = json.loads(json.dumps(result.to_dict()))
    assert (found["x_kinds"], found["y_kinds"]) == (["continuous", "ordinal"], ["nominal"])
    plain = infold.mutual_information(rng.normal(size=60), rng.normal(size=60), method="ksg")
    assert plain.kinds == (("continuous",), ("continuous",))
    assert "kinds" not in repr(plain)


def test_every_function_takes_classes(rng):
    x, y = rng.normal(size=(80, 1)), rng.integers(0, 2, 80) + 5
    options = {"method": "ksg", "random_state": 0, "discrete_y": True, "verbose": 0}
    words = np.array(["no", "yes"])[y - 5]
    for function, own in (
        (infold.independence_test, {"n_permutations": 9, "alpha": 0.2}),
        (infold.confidence_interval, {"n_subsamples": 8}),
        (infold.relevance, {"n_permutations": 19}),
        (infold.diagnose, {"n_simulations": 2}),
    ):
        found = function(x, y, **options, **own)
        assert found.kinds == (("continuous",), ("nominal",))
        assert found.to_dict() == function(x, words, **{**options, "discrete_y": None}, **own).to_dict()
        assert found.to_dict()["y_kinds"] == ["nominal"]
    assert infold.KSG().fit(x, y, discrete_y=0).mi_ == infold.KSG().fit(x, words).mi_


@pytest.mark.parametrize("method", ["gknn", "lnn"])
def test_methods_for_numbers_refuse_classes(rng, method):
    x, y = rng.normal(size=(40, 1)), pd.Series(rng.choice(["a", "b"], 40), name="kind")
    with pytest.raises(TypeError, match=r"Y has nominal columns \('kind'\), but .*NN is for numbers only"):
        infold.mutual_information(x, y, method=method)
    with pytest.raises(TypeError, match="only numbers are allowed here"):
        infold.GeodesicForest(n_estimators=5).fit(y)


def test_numbers_that_look_like_labels_get_a_note(rng):
    x, y = rng.normal(size=(100, 2)), pd.DataFrame({"u": rng.normal(size=100), "digit": rng.integers(0, 5, 100)})
    result = infold.mutual_information(x, y, method="ksg")
    assert len(result.notes) == 1
    assert "discrete_y='digit'" in result.notes[0]
    assert result.notes[0] in " ".join(repr(result).split())
    assert result.to_dict()["notes"] == list(result.notes)
    assert infold.mutual_information(x, y, method="ksg", discrete_y="digit").notes == ()
    assert infold.mutual_information(x, y, method="ksg", discrete_y=False).notes == ()
    test = infold.independence_test(x, y["digit"], method="ksg", n_permutations=19, random_state=0)
    assert "discrete_y='digit'" in test.notes[0]
    counts = rng.integers(0, 5, (100, 6))  # so many columns are grades or counts
    assert infold.mutual_information(counts, x, method="ksg").notes == ()
    assert "discrete_x=True" in infold.mutual_information(counts[:, 0], x, method="ksg").notes[0]


def test_what_looks_like_labels(rng):
    few = np.repeat([1.0, 2.0, 3.0], 10)
    assert looks_like_labels(few)
    assert not looks_like_labels(np.repeat([0.0, 1.0], 10))  # two values have no order
    assert not looks_like_labels(few + 0.5)
    assert not looks_like_labels(np.append(few, 9.0))  # seen once
    assert not looks_like_labels(np.repeat(np.arange(30.0), 10))
    assert not looks_like_labels(np.repeat([1.0, 2.0, 3.0], 4))
    assert not looks_like_labels(rng.normal(size=100))


def test_equal_columns_of_classes_have_a_finite_answer(rng):
    words = rng.choice(["a", "b", "c"], 60)
    assert ask(words, words).n_samples == 60
    x = rng.normal(size=60)
    with pytest.raises(ValueError, match="MI is infinite"):
        ask(x, x)


def test_discrete_rows_may_repeat_and_copies_may_not(rng):
    ask(rng.integers(0, 3, 90), rng.choice(["a", "b"], 90))  # a warning would be an error
    ask(rng.integers(0, 3, (90, 1)) / 10, rng.integers(0, 4, 90))
    x, y = np.repeat(rng.normal(size=(2, 20, 1)), 4, axis=1)
    with pytest.warns(infold.DataWarning, match="60 of 80 rows repeat"):
        ask(x, y)


def test_one_class_is_a_constant_column(rng):
    with pytest.warns(infold.DataWarning, match=r"Y has constant columns \(0\).*the MI with it is 0"):
        assert infold.mutual_information(rng.normal(size=30), ["only"] * 30, method="ksg").mi == 0


def test_a_class_for_every_row_is_told(rng):
    with pytest.warns(infold.DataWarning, match="X has a separate class for most rows in 'id'"):
        ask(pd.DataFrame({"id": [f"row {i}" for i in range(30)]}), rng.normal(size=30))
