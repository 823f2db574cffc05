import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectFdr, SelectFwe, SelectKBest, mutual_info_classif, mutual_info_regression
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from infold.selection import mutual_info_scores


def test_scores_are_about_those_of_scikit_learn(rng):
    X = rng.normal(size=(500, 4))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=500)
    # Normal columns are their own normal scores but for noise; scikit-learn sets negative estimates to 0.
    scores, _ = mutual_info_scores(X, y)
    assert_allclose(np.maximum(scores, 0), mutual_info_regression(X, y, random_state=0), atol=0.04)
    X, y = load_wine(return_X_y=True)
    scores, pvalues = mutual_info_scores(X, y)
    assert_allclose(np.maximum(scores, 0), mutual_info_classif(X, y, random_state=0), atol=0.08)
    assert (pvalues < 1e-4).all()  # all 13 columns tell of the wine


def test_pvalues_are_uniform_on_noise():
    # 3 × 400 columns: the share of p ≤ .05 has a standard deviation of 1.1 %; the correction makes it at most 5 %.
    rng = np.random.default_rng(3)
    X = np.column_stack((rng.normal(size=(100, 200)), rng.poisson(1, size=(100, 200))))
    for y in (rng.normal(size=100), rng.integers(0, 3, 100), rng.standard_cauchy(100)):
        _, pvalues = mutual_info_scores(X, y)
        assert np.mean(pvalues <= 0.05) < 0.08


def test_it_works_in_the_selectors_of_scikit_learn(rng):
    X = rng.normal(size=(200, 30))
    y = X[:, 3] + X[:, 5] ** 2 + 0.5 * rng.normal(size=200)
    for selector in (
        SelectKBest(mutual_info_scores, k=2),
        SelectFdr(mutual_info_scores),
        SelectFwe(mutual_info_scores),
    ):
        assert_array_equal(selector.fit(X, y).get_support(indices=True), [3, 5])
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(30)])
    model = make_pipeline(SelectKBest(mutual_info_scores, k=2), LinearRegression()).fit(frame, y)
    assert list(model[:-1].get_feature_names_out()) == ["c3", "c5"]


def test_classes_several_outputs_and_constants(rng):
    label = rng.integers(0, 3, 150)
    X = np.column_stack((label, rng.normal(size=150), np.ones(150)))
    y = np.array([0.0, 3.0, 0.0])[label] + rng.normal(size=150)
    scores, pvalues = mutual_info_scores(X, np.column_stack((y, -y + rng.normal(size=150))), discrete_x=[0])
    assert scores[0] > 0.2 > scores[1]
    assert pvalues[0] < 1e-6
    assert (scores[2], pvalues[2]) == (0, 1)
    assert_array_equal(mutual_info_scores(X, np.ones(150)), [np.zeros(3), np.ones(3)])
    with pytest.raises(ValueError, match="n_neighbors=0"):
        mutual_info_scores(X, y, n_neighbors=0)
