"""Null laws: p-values of the sample, a tail beyond it, and the same beside plain permutations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from infold.core.pairs import null
from infold.core.pairs.null import Draws, grid, ksg_score, law_of, pair_laws, step_law
from infold.core.pairs.rank_ksg import rank_ksg_of_pairs, rank_scores
from infold.core.pairs.smooth import wave_scores, waves_of_ranks


def test_a_law_has_the_pvalues_of_its_sample_and_of_its_tail(rng):
    law = law_of(rng.exponential(size=200_000))
    at = np.array([0.0, 1.0, 3.0, 5.0, 9.0, 20.0])
    # 1,000 values fit the slope of the tail to 3 %: at p = exp(−20), some 15 beyond the sample, to half a unit.
    assert (np.abs(law.log_pvalue(at) + at) < [0.01, 0.01, 0.05, 0.1, 0.4, 1.5]).all()


def test_equal_values_count_against_dependence():
    law = law_of(np.repeat([0.0, 1.0, 2.0], [700, 200, 100]))
    assert_allclose(np.exp(law.log_pvalue(np.array([0.0, 1.0]))), [1.0, 0.3], atol=0.01)


def test_a_law_decreases(rng):
    law = law_of(rng.normal(size=5000) ** 3)
    log_p = law.log_pvalue(np.linspace(-50, 100, 5000))
    assert (np.diff(log_p) <= 0).all()
    assert log_p[0] <= 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 60])
def test_pvalues_are_uniform_beside_plain_permutations(n):
    laws = pair_laws(n, 3, Draws(200_000, 20_000))
    rng = np.random.default_rng(3)
    ranks = np.array([rng.permutation(n) for _ in range(20_000)])
    smooth = laws.smooth.log_pvalue(wave_scores(waves_of_ranks(np.arange(n)[None]), waves_of_ranks(ranks))[0])
    mi = np.empty(len(ranks))
    every = np.arange(len(ranks))
    rank_ksg_of_pairs(rank_scores(n, 3), np.arange(n)[None], ranks, 0 * every, every, mi)
    neighbors = laws.neighbors.log_pvalue(ksg_score(mi, n))
    for found in (smooth, neighbors, laws.log_pvalue(smooth, neighbors)):
        for p in (0.5, 0.05, 0.005):
            # four standard errors of 20,000 draws, and of the law's 20,000
            assert abs((found <= np.log(p)).mean() - p) < 4 * np.sqrt(2 * p * (1 - p) / 20_000)


def test_a_grid_point_is_just_below():
    assert all(0.87 * n < grid(n) <= n for n in range(30, 3000))


def test_values_that_differ_by_rounding_are_equal():
    near = 0.9588 * (1 + np.array([0.0, 1e-12, -1e-12]))
    sample = np.concatenate([np.repeat(near, 200), np.full(400, 0.1)])
    for law in (law_of(sample), step_law(sample)):
        assert_allclose(np.exp(law.log_pvalue(near)), 0.6, atol=0.002)


def test_a_lattice_is_not_continued_beyond_its_sample():
    sample = np.repeat([0.0, 1.0, 2.0], [19_300, 600, 100])
    law = step_law(sample)
    assert_allclose(np.exp(law.log_pvalue(np.array([0.0, 0.5, 2.0, 9.0]))) * 20_001, [20_001, 701, 101, 1])
    # A fitted tail has at 2, the last value, no smaller p-value than the sample.
    assert law_of(sample).log_pvalue(np.array([2.0]))[0] > np.log(100 / 20_000)
    exact = step_law(np.array([1.0, 3.0, 1.0]), np.array([0.5, 0.2, 0.3]))
    assert_allclose(np.exp(exact.log_pvalue(np.array([0.0, 1.0, 3.0]))), [1.0, 1.0, 0.2])


def test_no_pvalue_of_few_rows_is_below_that_of_a_line():
    laws = pair_laws(8, 3, Draws(20_000, 2_000))
    far = laws.log_pvalue(np.array([-50.0]), np.array([-50.0]))
    assert_allclose(np.exp(far), 2 / 40_320)


def test_laws_are_made_once_for_any_number_of_workers(monkeypatch):
    pair_laws(20, 3, Draws(3000, 3000), 1, 0)
    monkeypatch.setattr(null, "_make_laws", None)
    pair_laws(20, 3, Draws(3000, 3000), 2, 1)
