import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm, rankdata

import infold
from infold.core.forward.information import Information, criterion_values, make_sample
from infold.core.knn.information import CONDITIONAL
from infold.core.knn.ksg import local_ksg


def sample_of(rng, n=150):
    X = rng.normal(size=(n, 4))
    X[:, 3] = X[:, 0] + 0.5 * rng.normal(size=n)
    y = X[:, 0] + X[:, 1] + rng.normal(size=n)
    return X, y


def information_of(X, y, n_jobs=1, is_class=False):
    p = X.shape[1]
    sample = make_sample(X, y[:, None], np.zeros(p, bool), np.array([is_class]))
    return Information(sample, 5, n_jobs, 0)


def test_criteria_are_made_of_ksg_estimates_of_normal_scores(rng):
    X, y = sample_of(rng)
    X_scores, y_scores = (norm.ppf(rankdata(side, axis=0) / 151) for side in (X, y))  # differences of these tie
    information = information_of(X, y)

    def mi(*columns):
        spaces = CONDITIONAL if len(columns) == 3 else None
        return local_ksg(np.array(columns), [1] * len(columns), 5, spaces=spaces).mean()

    alone = [mi(X_scores[:, c], y_scores) for c in (2, 3)]
    given = np.array([[mi(X_scores[:, c], y_scores, X_scores[:, s]) for c in (2, 3)] for s in (0, 1)])
    shared = np.array([[mi(X_scores[:, c], X_scores[:, s]) for c in (2, 3)] for s in (0, 1)])
    for criterion, expected in (
        ("relevance", alone),
        ("jmi", given.mean(axis=0)),
        ("cmim", given.min(axis=0)),
        ("mrmr", alone - shared.mean(axis=0)),
    ):
        assert_allclose(criterion_values(criterion, [2, 3], [0, 1], information), expected, atol=1e-9)
        assert_allclose(criterion_values(criterion, [2, 3], [], information), alone, atol=1e-9)


def test_each_estimate_is_made_once_and_the_same_for_any_number_of_threads(rng, monkeypatch):
    X, y = sample_of(rng)
    calls = []
    real = Information._estimate
    monkeypatch.setattr(Information, "_estimate", lambda self, *what: calls.append(what) or real(self, *what))
    information = information_of(X, y)
    first = criterion_values("jmi", [1, 2, 3], [0], information)
    criterion_values("jmi", [2, 3], [0, 1], information)
    criterion_values("cmim", [2, 3], [0, 1], information)
    assert len(calls) == len(set(calls)) == 5
    assert_array_equal(criterion_values("jmi", [1, 2, 3], [0], information_of(X, y, n_jobs=3)), first)


def test_classes_and_numbers_mix(rng):
    X, y = sample_of(rng)
    labels = (y > 0).astype(float)
    information = information_of(X, labels, is_class=True)
    assert_allclose(
        information.about_target([0, 2]),
        [infold.KSG(5).fit(X[:, c], labels, discrete_y=True).mi_ for c in (0, 2)],
        atol=0.03,  # normal scores of normal columns are these columns but for noise
    )
