import pickle
import warnings
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import infold
from infold.core.forward.information import CRITERIA
from infold.selection import InformationSelector


def table(rng, n=200, p=8):
    """X whose columns 0 and 1 tell of y, 2 is a noisy copy of 0, and the others tell nothing."""
    X = rng.normal(size=(n, p))
    y = X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=n)
    X[:, 2] = X[:, 0] + rng.normal(size=n)
    return X, y


def selected(X, y, **options):
    found = InformationSelector(random_state=0, **options).fit(X, y)
    return set(found.get_support(indices=True).tolist())


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("criterion", ["jmi", "mrmr"])
def test_scikit_learn_contract(criterion):
    passed = 0
    for selector, check in estimator_checks_generator(InformationSelector(criterion)):
        try:
            check(selector)
        except SkipTest:
            continue  # needs a package or a setting that is not there
        passed += 1
    assert passed > 40


@pytest.mark.parametrize("criterion", ["jmi", "cmim", "mrmr"])
def test_copies_and_noise_are_left_out(rng, criterion):
    X, y = table(rng)
    assert selected(X, y, criterion=criterion) == {0, 1}
    assert selected(np.column_stack((X, X[:, :2], np.exp(X[:, 1]))), y, criterion=criterion) in (
        {a, b} for a in (0, 8) for b in (1, 9, 10)
    )  # of exact copies either may be kept


def test_relevance_keeps_whatever_tells_of_the_target(rng):
    X, y = table(rng)
    assert selected(X, y, criterion="relevance") == {0, 1, 2}


@pytest.mark.parametrize("is_class", [True, False])
def test_both_columns_of_an_exclusive_or_are_found(rng, is_class):
    X = rng.normal(size=(200, 30))
    y = X[:, 4] * X[:, 7] > 0 if is_class else X[:, 4] * X[:, 7] + 0.5 * rng.normal(size=200)
    assert selected(X, y) == {4, 7}
    assert selected(X, y, pairs=False) == set()
    found = InformationSelector(random_state=0).fit(X, y)
    assert max(found.scores_[[4, 7]]) < 0.15 < 0.2 < min(step.score for step in found.path_)


def test_a_pair_is_found_beside_other_columns(rng):
    X = rng.normal(size=(300, 12))
    assert selected(X, 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=300)) == {0, 1, 2}


@pytest.mark.parametrize(
    "target",
    [
        lambda X, e: X[:, 3] ** 2 + 0.5 * e,
        lambda X, e: np.exp(3 * X[:, 3]) * np.exp(e),
        lambda X, e: np.sin(2.5 * X[:, 3]) + 0.3 * e,
        lambda X, e: e * np.exp(X[:, 3]),
        lambda X, e: np.digitize(X[:, 3] + 0.5 * e, [-0.5, 0.5]),
        lambda X, e: np.array(["no", "yes"])[(np.abs(X[:, 3]) + 0.3 * e > 0.7).astype(int)],
        lambda X, e: X[:, [3]] * [1, -2] + e[:, None],
    ],
    ids=["arch", "heavy tail", "wave", "spread", "classes", "text", "two outputs"],
)
def test_a_column_is_found_whatever_the_target(rng, target):
    X, e = rng.normal(size=(300, 10)), rng.normal(size=300)
    assert selected(X, target(X, e)) == {3}


def test_noise_is_selected_as_rarely_as_alpha_says():
    # 100 tables: 5 expected at most, so more than 11 has a chance of 1 %. The exact share is in docs/selection.md.
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        found += bool(selected(rng.normal(size=(60, 10)), rng.normal(size=60), n_permutations=39))
    assert found <= 11


def test_limits_on_the_number_of_columns(rng):
    X, y = table(rng)
    assert selected(X, y, n_features_to_select=1) in ({0}, {1})
    assert {0, 1} < selected(X, y, min_features_to_select=4)
    for k in (1, 3, 8):
        found = InformationSelector(n_features_to_select=k, min_features_to_select=k, random_state=0).fit(X, y)
        assert found.get_support().sum() == len(found.path_) == k
    assert len(selected(X, y, n_features_to_select=20, min_features_to_select=20)) == 8
    noise = rng.normal(size=200)
    assert len(selected(X, noise, min_features_to_select=1)) == 1
    with pytest.warns(UserWarning, match="No features were selected"):
        assert InformationSelector(random_state=0).fit_transform(X, noise).shape == (200, 0)


def test_attributes_tell_the_path(rng):
    X, y = table(rng)
    found = InformationSelector(random_state=0).fit(pd.DataFrame(X, columns=list("abcdefgh")), y)
    assert [step.name for step in found.path_] in (["a", "b"], ["b", "a"])
    first, second = found.path_
    assert found.ranking_[first.column] == 1
    assert found.ranking_[second.column] == 2
    assert sorted(found.ranking_) == list(range(1, 9))
    assert first.score == found.scores_[first.column]
    assert found.pvalues_[first.column] == first.pvalue <= 0.05
    assert (found.pvalues_[[c for c in range(8) if c > 1]] > 0.05).all()
    assert found.scores_[2] > 0.1  # tells of y, though nothing that is not known
    assert list(found.get_feature_names_out()) == ["a", "b"]


def test_order_of_rows_and_columns_units_and_threads_change_nothing(rng):
    X, y = table(rng)
    expected = InformationSelector(random_state=0).fit(X, y)
    scaled = InformationSelector(random_state=0).fit(np.exp(X) * 1e3, y**3)
    threads = InformationSelector(random_state=0, n_jobs=3).fit(X, y)
    for other in (scaled, threads, clone(expected).fit(X, y), pickle.loads(pickle.dumps(expected))):
        assert_array_equal(other.scores_, expected.scores_)
        assert_array_equal(other.pvalues_, expected.pvalues_)
        assert other.path_ == expected.path_
    assert {7 - c for c in selected(X[:, ::-1], y)} == {0, 1}
    assert selected(X[::-1], y[::-1]) == {0, 1}


def test_frames_with_classes(rng):
    label = np.array(["red", "green", "blue"])[rng.integers(0, 3, 300)]
    flag = rng.random(300) < 0.5
    number = rng.normal(size=300)
    y = (label == "red") * 1.5 + number + 0.7 * rng.normal(size=300)
    data = {"noise": rng.normal(size=300), "label": label, "flag": flag, "number": number, "more": rng.normal(size=300)}
    for frame in (pd.DataFrame(data), pl.DataFrame(data)):
        found = InformationSelector(random_state=0).fit(frame, y)
        assert list(found.get_feature_names_out()) == ["label", "number"]
        kept = found.set_output(transform="polars" if isinstance(frame, pl.DataFrame) else "pandas").transform(frame)
        assert list(kept.columns) == ["label", "number"]
        assert list(kept["label"]) == list(label)
    coded = np.column_stack([rng.normal(size=300), rng.permutation(3)[np.unique(label, return_inverse=True)[1]]])
    assert selected(coded, y, discrete_x=[1]) == {1}


def test_numbers_of_classes_mean_nothing(rng):
    X = rng.normal(size=(300, 6))
    y = np.digitize(X[:, 0], [-0.6, 0.6])
    expected = InformationSelector(random_state=0).fit(X, y)
    for names in (np.array([7, -1, 3]), np.array(["b", "c", "a"])):
        other = InformationSelector(random_state=0).fit(X, names[y])
        assert_array_equal(other.scores_, expected.scores_)
        assert_array_equal(other.support_, expected.support_)
    as_numbers = InformationSelector(discrete_y=False, random_state=0).fit(X, y)
    assert as_numbers.get_support(indices=True).tolist() == [0]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_awkward_tables_do_no_harm(awkward, criterion):
    X, Y = awkward
    found = InformationSelector(criterion, min_features_to_select=1, random_state=0).fit(X, Y)
    assert np.isfinite(found.scores_).all()
    assert ((found.pvalues_ > 0) & (found.pvalues_ <= 1)).all()
    assert found.get_support().any()


def test_constants_are_never_selected(rng):
    X, y = table(rng)
    X[:, 4] = 3.0
    found = InformationSelector(min_features_to_select=8, random_state=0).fit(X, y)
    assert not found.get_support()[4]
    assert found.get_support().sum() == 7
    assert found.ranking_[4] == 8
    assert (found.scores_[4], found.pvalues_[4]) == (0, 1)
    nothing = InformationSelector(random_state=0).fit(X, np.ones(200))
    assert not nothing.get_support().any()
    assert not InformationSelector(random_state=0).fit(X, np.r_[np.zeros(199), 1.0].astype(bool)).get_support().any()


def test_pipelines_searches_and_transformers(rng):
    X, y = table(rng)
    labels = (y > 0).astype(int)
    selector = InformationSelector(min_features_to_select=1, random_state=0)
    pipeline = make_pipeline(StandardScaler(), selector, LogisticRegression()).fit(X, labels)
    assert list(pipeline[:-1].get_feature_names_out()) == ["x0", "x1"]
    grid = {"informationselector__criterion": ["jmi", "relevance"], "informationselector__n_features_to_select": [1, 3]}
    search = GridSearchCV(make_pipeline(selector, LinearRegression()), grid, cv=2).fit(X, y)
    assert search.best_params_["informationselector__n_features_to_select"] == 3
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    union = ColumnTransformer([("keep", "passthrough", ["h"]), ("select", selector, list("abcdef"))])
    union.set_output(transform="pandas").fit(frame, y)
    assert list(union.transform(frame).columns) == ["keep__h", "select__a", "select__b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "best"}, "criterion='best' is not known; choose one of 'jmi', 'cmim', 'mrmr', 'relevance'"),
        ({"alpha": 0}, "alpha=0 must be between 0 and 1"),
        ({"n_permutations": 19}, "n_permutations=19 cannot show a p-value of alpha=0.05; pass at least 39"),
        ({"n_features_to_select": 0}, "n_features_to_select=0 must be at least 1"),
        ({"min_features_to_select": 3, "n_features_to_select": 2}, "min_features_to_select=3 is more than"),
        ({"pairs": "all"}, "pairs='all' must be 'auto', True or False"),
        ({"n_neighbors": 20}, "n_neighbors=20 needs at least 21 samples"),
        ({"discrete_x": [9]}, "discrete_x=9 is not a column of X"),
        ({"discrete_y": ["z"]}, "discrete_y='z' is not a column of y"),
    ],
)
def test_errors_name_the_remedy(rng, options, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        InformationSelector(**options).fit(rng.normal(size=(20, 3)), rng.normal(size=20))


def test_errors_about_data(rng):
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    with pytest.raises(ValueError, match="X has 20 rows and y has 19"):
        InformationSelector().fit(X, y[:-1])
    with pytest.raises(ValueError, match="y is None"):
        InformationSelector().fit(X)
    with pytest.raises(ValueError, match="Reshape your data"):
        InformationSelector().fit(X[:, 0], y)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="row 3, column 1, but distances need finite numbers; fill them in"):
        InformationSelector().fit(X, y)


def test_no_warning_on_ordinary_data(rng):
    X, y = table(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        InformationSelector(random_state=0).fit(X, y).transform(X)
        InformationSelector(random_state=0).fit(X, y > 0)


def test_public_names():
    assert infold.selection.InformationSelector is InformationSelector
    assert "selection" in dir(infold)
