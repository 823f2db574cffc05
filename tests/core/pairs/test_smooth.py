"""The smooth statistic by matrix products is that of its definition, for columns of any kind."""

import numpy as np
import pytest
import reference.pairs as reference
from numpy.testing import assert_allclose

from infold.core.pairs.smooth import (
    basis_of_classes,
    basis_of_numbers,
    basis_scores,
    even_chi2_score,
    permuted_scores,
    wave_scores,
    waves_of_ranks,
)


def ranks_of(columns):
    return np.argsort(np.argsort(columns, axis=1), axis=1)


@pytest.mark.parametrize("n", [9, 60])
def test_waves_match_the_definition(rng, n):
    x = rng.standard_cauchy((3, n))
    y = np.vstack([x[0] ** 2, x[1] + x[2], rng.normal(size=n)])
    found = wave_scores(waves_of_ranks(ranks_of(x)), waves_of_ranks(ranks_of(y)))
    assert_allclose(found, [[reference.smooth_score(a, b) for b in y] for a in x], rtol=1e-9)


def test_a_score_far_beyond_the_smallest_float_is_finite():
    ranks = np.arange(20_000)[None]
    score = wave_scores(waves_of_ranks(ranks), waves_of_ranks(ranks))[0, 0]
    assert 1e4 < score < 1e5
    assert np.isfinite(even_chi2_score(np.array([1e7]), 16))


def test_numbers_without_ties_have_the_same_basis(rng):
    x, y = rng.normal(size=(2, 50))
    basis = basis_of_numbers(y)
    found = basis_scores(basis_of_numbers(x), basis.functions[None], basis.sizes)
    assert_allclose(found, reference.smooth_score(x, y), rtol=1e-9)


def test_classes_match_the_definition_whatever_they_are_called(rng):
    x = rng.normal(size=60)
    codes = rng.integers(0, 4, 60)
    basis = basis_of_numbers(x)
    scores = [
        basis_scores(basis_of_classes(names), basis.functions[None], basis.sizes)[0]
        for names in (codes, np.array([5, -1, 2, 9])[codes])
    ]
    assert_allclose(scores, reference.class_score(x, codes), rtol=1e-9)


def test_a_basis_is_orthonormal_and_centred(rng):
    for basis in (basis_of_classes(rng.integers(0, 5, 80)), basis_of_numbers(rng.integers(0, 3, 80).astype(float))):
        assert_allclose(basis.functions @ basis.functions.T, np.eye(len(basis.functions)), atol=1e-12)
        assert_allclose(basis.functions.sum(axis=1), 0, atol=1e-12)
    assert len(basis_of_numbers(rng.integers(0, 2, 80).astype(float)).functions) == 1  # of two values


def test_permuted_scores_are_those_of_permuted_columns(rng):
    x, y = basis_of_numbers(rng.normal(size=30)), basis_of_classes(rng.integers(0, 3, 30))
    order = np.random.default_rng(7).permuted(np.arange(30)[None], axis=1)[0]
    expected = basis_scores(x, y.functions[:, order][None], y.sizes)
    assert_allclose(permuted_scores(x, y, 1, 7), expected)
