"""Gaussian classes: the definition, what is given back, and that no answer is too high."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from infold.core.copula.crossfit import deal
from infold.core.copula.discriminant import RIDGE, class_ratios, discriminant_local


def naive_ratios(a, labels, of_a, of_labels):
    """The ratios from densities, one row after the other."""
    classes = np.unique(labels)
    means = {c: a[labels == c].mean(axis=0) for c in classes}
    within = np.array([row - means[c] for row, c in zip(a, labels, strict=True)])
    covariance = within.T @ within / len(a) + RIDGE * np.eye(a.shape[1])
    found = []
    for row, own in zip(of_a, of_labels, strict=True):
        densities = {c: multivariate_normal(means[c], covariance).pdf(row) for c in classes}
        total = sum(np.mean(labels == c) * densities[c] for c in classes)
        found.append(np.log(densities[own] / total) if own in densities else 0.0)
    return np.array(found)


@pytest.mark.parametrize("copies", [0, 2])
def test_ratios_are_those_of_gaussian_densities(rng, copies):
    labels = rng.integers(0, 3, 60)
    a = rng.normal(size=(60, 2)) + labels[:, None]
    a = np.hstack([a, *[a[:, :1]] * copies])
    labels[50:] = 3  # was not seen
    found = class_ratios(a[:50], labels[:50], a, labels, 4)
    assert_allclose(found, naive_ratios(a[:50], labels[:50], a, labels), atol=1e-8)


def test_one_row_of_a_class_and_constant_columns_are_no_trouble(rng):
    labels = np.r_[np.zeros(20, int), 1]
    found = discriminant_local(np.zeros((21, 2)), labels, deal(21, rng))
    assert_allclose(found, 0, atol=1e-12)


@pytest.mark.parametrize(("n_columns", "n_classes"), [(2, 3), (20, 2), (20, 8), (100, 4)])
def test_independent_columns_say_nothing(n_columns, n_classes):
    # The mean over ten samples has a standard error of about .01 in the widest case, where rows lose much more.
    means = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        a, labels = rng.normal(size=(300, n_columns)), rng.integers(0, n_classes, 300)
        means.append(discriminant_local(a, labels, deal(300, rng)).mean())
    assert np.mean(means) < 0.01


@pytest.mark.parametrize("n_columns", [5, 40])
def test_gaussian_classes_come_near_the_truth_from_below(n_columns):
    # Two classes at distance 2: .3369 nats by numerical integration. Standard error of ten samples of 500 rows: .01.
    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, 500)
        a = rng.normal(size=(500, n_columns)) + 2 / np.sqrt(n_columns) * labels[:, None]
        found.append(discriminant_local(a, labels, deal(500, rng)).mean())
    assert 0.337 - 0.04 < np.mean(found) < 0.337 + 0.02
