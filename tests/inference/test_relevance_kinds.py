"""Relevance on columns of every kind: real tables with known answers, missing values, and noise of every kind."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

import infold

PENGUINS = Path(__file__).parents[1] / "data" / "penguins.csv"
MEASURED = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
SEED = {"random_state": 0, "verbose": 0}


def named(found):
    """The names of the columns of X that are relevant."""
    return {name for name, yes in zip(found.names_x, found.relevant_x, strict=True) if yes}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(as_frame=True)


@pytest.fixture(scope="module")
def penguins():
    return pd.read_csv(PENGUINS).sample(frac=1, random_state=0)  # rows are sorted by species


def test_diabetes(diabetes):
    found = infold.relevance(diabetes.data, diabetes.target, **SEED)
    assert (found.method, found.n_permutations) == ("auto", 0)
    assert named(found) >= {"bmi", "s5", "bp", "s3", "s4", "s6"}
    assert "sex" not in named(found)  # r = .04
    assert set(np.argsort(found.scores_x)[-2:]) == {2, 8}  # bmi and s5
    assert found.scores_y[0] == found.mi
    assert np.isnan(found.threshold_x).all()


@pytest.mark.parametrize("options", [{}, {"method": "ksg", "n_permutations": 99}])
def test_labels_of_sex_in_words_change_no_verdict(diabetes, options):
    words = diabetes.data.assign(sex=np.where(diabetes.data["sex"] > 0, "one", "other"))
    coded, told = (infold.relevance(X, diabetes.target, **SEED, **options) for X in (diabetes.data, words))
    assert told.kinds[0][1] == "nominal"
    assert named(told) == named(coded)
    assert named(told) >= {"bmi", "s5"}
    assert told.pvalues_x[1] > 0.05  # sex


def test_a_class_with_many_labels_hides_nothing(diabetes):
    # KSG of 60 classes of 7 rows has a wide null: with raw scores bmi would have to pass it.
    rng = np.random.default_rng(0)
    X = diabetes.data[["bmi", "s5", "age"]].assign(ward=[f"w{i}" for i in rng.integers(0, 60, 442)])
    for options in ({}, {"n_permutations": 99}):
        assert named(infold.relevance(X, diabetes.target, **SEED, **options)) - {"age"} == {"bmi", "s5"}


@pytest.mark.parametrize("options", [{}, {"method": "ksg", "n_permutations": 99}])
def test_wine(options):
    data = load_wine(as_frame=True)
    target = data.target.sample(frac=1, random_state=0)  # rows are sorted by class; the index pairs them
    found = infold.relevance(data.data.loc[target.index], target, discrete_y=True, **SEED, **options)
    assert named(found) | {"ash"} == set(data.data)
    assert found.names_x[int(found.scores_x.argmax())] == "flavanoids"


@pytest.mark.parametrize("options", [{}, {"method": "ksg", "n_permutations": 99}])
def test_breast_cancer(options):
    data = load_breast_cancer(as_frame=True)
    target = data.target.map({0: "malignant", 1: "benign"}).sample(frac=1, random_state=0)  # the first rows are alike
    found = infold.relevance(data.data.loc[target.index], target, **SEED, **options)
    # By Student's t these five are no different between the classes either (p > .05).
    weak = {"texture error", "smoothness error", "symmetry error", "mean fractal dimension", "fractal dimension error"}
    missed = set(data.data) - named(found) - weak
    assert missed <= ({"worst fractal dimension"} if options else set())
    assert {"worst perimeter", "worst area"} & set(np.array(found.names_x)[np.argsort(found.scores_x)[-3:]])


@pytest.mark.parametrize("options", [{}, {"method": "ksg", "n_permutations": 99}])
def test_penguins(penguins, options):
    X, species = penguins[[*MEASURED, "sex", "year"]], penguins["species"]
    with pytest.raises(ValueError, match="missing='drop'"):
        infold.relevance(X, species, **SEED)
    dropped = infold.relevance(X, species, missing="drop", **SEED, **options)
    assert (dropped.n_samples, dropped.n_dropped) == (333, 11)
    pairwise = infold.relevance(X, species, missing="pairwise", **SEED, **options)
    assert_array_equal(pairwise.rows_x, [342, 342, 342, 342, 333, 344])
    assert_array_equal(pairwise.rows_y, [333])
    assert (pairwise.n_samples, pairwise.n_dropped, pairwise.mi) == (333, 11, dropped.mi)
    assert pairwise.kinds[0][-2:] == ("nominal", "ordinal")
    for found in (dropped, pairwise):
        assert named(found) == set(MEASURED)  # neither sex nor year
    assert "342 rows" in repr(pairwise)
    rows = json.loads(json.dumps(pairwise.to_dict()))["columns"]
    assert [row["n_samples"] for row in rows] == [342, 342, 342, 342, 333, 344, 333]


def test_pairwise_is_each_column_with_its_own_rows(penguins):
    pairwise = infold.relevance(penguins[[*MEASURED, "sex"]], penguins["island"], missing="pairwise", **SEED)
    for name, score in zip(pairwise.names_x, pairwise.scores_x, strict=True):
        own = penguins[[name, "island"]].dropna()
        single = infold.relevance(own[[name]].assign(other=np.arange(len(own)) % 7), own["island"], **SEED)
        assert single.scores_x[0] == score


def test_pairwise_without_holes_is_the_same_to_the_bit(diabetes):
    X, Y = diabetes.data[["bmi", "sex"]], pd.DataFrame({"a": diabetes.target, "b": diabetes.data["age"]})
    one, two = (
        infold.relevance(X, Y, method="ksg", n_permutations=19, missing=missing, **SEED)
        for missing in ("error", "pairwise")
    )
    for name in ("scores_x", "scores_y", "pvalues_x", "pvalues_y", "null_x", "null_y", "threshold_x", "rows_x"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    assert one == two


@pytest.mark.parametrize("options", [{}, {"method": "ksg", "n_permutations": 19}])
def test_pairwise_where_no_row_is_whole(rng, options):
    x = rng.normal(size=(90, 3))
    y = x[:, 1] + 0.3 * rng.normal(size=90)
    for column in range(3):
        x[column::3, column] = np.nan
    with pytest.warns(infold.DataWarning, match="Too few rows have all the values that a score needs: Y 0"):
        found = infold.relevance(x, y, missing="pairwise", **SEED, **options)
    assert_array_equal(found.rows_x, [60, 60, 60])
    assert_array_equal(found.relevant_x, [False, True, False])
    assert np.isnan(found.mi)
    assert np.isnan(found.scores_y).all()
    assert not found.relevant_y.any()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["mi"] is None
    assert plain["columns"][-1]["score"] is None
    infold.plotting.plot_relevance(found)


def test_pairwise_within_groups(rng):
    # The group explains all, and a few values are missing.
    groups = np.tile([0, 1], 60)
    X, Y = rng.normal(size=(120, 2)) + 6 * groups[:, None], rng.normal(size=120) + 6 * groups
    X[:10, 0] = np.nan
    found = infold.relevance(X, Y, missing="pairwise", groups=groups, n_permutations=19, **SEED)
    assert_array_equal(found.rows_x, [110, 120])
    assert not found.relevant_x.any()


def noise(kind, shape, rng):
    """Independent columns of one kind."""
    if kind == "counts":
        return pd.DataFrame(rng.poisson(1.5, size=shape).astype(float))
    if kind == "classes":
        return pd.DataFrame(rng.choice(list("abcde"), size=shape))
    if kind == "coins":
        return pd.DataFrame(rng.random(shape) < 0.5)
    return pd.DataFrame(rng.standard_t(2, size=shape))


@pytest.mark.parametrize(("options", "runs", "most"), [({}, 20, 4), ({"method": "ksg", "n_permutations": 19}, 40, 6)])
@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_noise_of_every_kind_is_rarely_called_relevant(options, runs, most):
    # At most 5 % of tables: `most` is exceeded with a chance of 0.003 in both cases.
    rng, kinds, flagged = np.random.default_rng(5), ("t2", "counts", "coins", "classes"), 0
    for run in range(runs):
        X = pd.concat([noise(kind, (100, 2), rng) for kind in kinds], axis=1, keys=kinds)
        found = infold.relevance(X, noise(kinds[run % 4], (100, 1), rng), random_state=run, n_jobs=1, **options)
        flagged += found.relevant_x.any()
    assert flagged <= most
