"""The Gaussian part against covariances, exact biases and simulation."""

import itertools

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose

from infold.core.copula import gaussian
from infold.core.copula.scores import normal_scores, untied_scores
from infold.parallel.scheduler import blas

from .samples import correlated


def test_bias_of_one_pair_is_exact():
    for n in (4, 10, 500):
        assert gaussian.plugin_bias(1, 1, n) == pytest.approx(naive.bias_of_one_pair(n), rel=1e-9)


def test_bias_matches_simulation_whatever_the_correlations(rng):
    n, found = 20, []
    for _ in range(3000):
        found.append(naive.gaussian_mi(*correlated(rng, n, 2, 3, 1.0)))
    # Y = (noise of unit variance) + x in each of 3 columns: I = ½ log(1 + 3)
    mean, error = np.mean(found) - 0.5 * np.log(4), np.std(found) / np.sqrt(len(found))
    assert abs(mean - gaussian.plugin_bias(2, 3, n)) < 4 * error


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3), (4, 2)])
def test_canonical_correlations_match_covariances(rng, p, q):
    a, b = correlated(rng, 60, p, q)
    s, u, v = gaussian.canonical_pairs(a, b)
    assert_allclose(s, naive.canonical_correlations(a, b), atol=1e-7)
    assert -0.5 * np.log1p(-(s**2)).sum() == pytest.approx(naive.gaussian_mi(a, b), rel=1e-9)
    assert_allclose((u.T @ v)[: s.size, : s.size], np.diag(s), atol=1e-9)
    assert gaussian.gaussian_local(a, b, s.size).mean() == pytest.approx(naive.gaussian_mi(a, b), rel=1e-9)


def test_gaussian_part_with_every_pair_is_plugin_less_bias(rng):
    z = rng.normal(size=(300, 2))
    a, b = z, z + 0.5 * rng.normal(size=(300, 2))
    part = gaussian.gaussian_part(a, b)
    assert part.n_pairs == 2
    _, u, v = gaussian.canonical_pairs(a, b)
    bias = gaussian.shared_leverage(u, v) * gaussian.plugin_bias(2, 2, 300)
    assert part.mi == pytest.approx(naive.gaussian_mi(a, b) - bias, rel=1e-9)


def test_gaussian_part_of_independent_columns_keeps_no_pair_at_its_level(rng):
    parts = [gaussian.gaussian_part(rng.normal(size=(100, 3)), rng.normal(size=(100, 4))) for _ in range(400)]
    assert np.mean([part.n_pairs != 0 for part in parts]) < 0.03  # level .01, whose binomial deviation is .005
    assert np.mean([part.mi for part in parts]) < 0.02  # what is not proven counts, shrunk
    assert abs(np.mean([part.pvalue < 0.25 for part in parts]) - 0.25) < 0.09  # four deviations of .022


def test_moments_over_pairings_are_exact(rng):
    # All 720 pairings of six rows, one of which stands out on either side.
    a, b = rng.normal(size=(6, 2)), rng.normal(size=(6, 1))
    a[2], b[4] = 5.0, -7.0
    q_a, q_b = gaussian.orthonormal(a), gaussian.orthonormal(b)
    sums = [((q_a.T @ q_b[list(order)]) ** 2).sum() for order in itertools.permutations(range(6))]
    spreads = (gaussian.orthonormal_spread((q**2).sum(axis=1)) for q in (q_a, q_b))
    assert_allclose(gaussian.pairing_moments(*spreads, 6), (np.mean(sums), np.var(sums)), rtol=1e-9)


@pytest.mark.slow
def test_columns_that_share_a_scale_are_not_taken_for_correlated(rng):
    # Bartlett's test, made for Gaussian columns, has p < .05 in a fifth of such samples.
    def side():
        return normal_scores(rng.normal(size=(300, 40)) / np.sqrt(rng.chisquare(2, size=(300, 1))))

    with blas().limit(limits=1):  # as estimators do: threads would wait for each other over such small matrices
        pvalues = np.array([gaussian.gaussian_part(side(), side()).pvalue for _ in range(200)])
    assert np.mean(pvalues < 0.05) < 0.11  # 5 % expected, deviation 1.5 %
    assert np.mean(pvalues < 0.5) > 0.35


def test_overcount_is_the_log_mean_ratio_of_re_paired_rows(rng):
    label = rng.choice([-6.0, 6.0], size=(60, 1))
    a, b = label + rng.normal(size=(60, 3)), label + rng.normal(size=(60, 2))
    found = gaussian.overcount(a, b, 2)
    assert found == pytest.approx(naive.log_mean_gaussian_ratio(a, b, 2), rel=1e-6)
    assert found > 0.1
    assert gaussian.overcount(a, b, 0) == 0


def test_rows_that_share_a_scale_are_not_taken_for_correlated_pairs(rng):
    found = []
    for _ in range(20):
        scale = 1 / np.sqrt(rng.chisquare(1, size=(200, 1)))
        a, b = (normal_scores(scale * rng.normal(size=(200, 25))) for _ in range(2))
        found.append(gaussian.gaussian_part(a, b))
    # The plain bias, for Gaussian rows, leaves more than a nat; what is left here is noise.
    assert np.mean([part.mi for part in found]) < 0.35
    assert gaussian.shared_leverage(*(rng.normal(size=(50, 2)) for _ in range(2))) < 1.5


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_bias_of_rows_with_shared_lengths_is_that_of_random_signs(rng, share):
    # A row of length 0 on both sides counts on neither: half of them make the bias more than twice as large.
    some = rng.random((90, 1)) >= share
    a, b = some * rng.normal(size=(90, 12)), some * rng.normal(size=(90, 9))
    _, u, v = gaussian.canonical_pairs(a, b)
    bias = gaussian.shared_leverage(u, v) * gaussian.plugin_bias(12, 9, 90)
    expected = naive.mi_of_random_signs(a, b, 400, rng)
    # Ten draws know the nats to about 2 % once their sum of squares is known; Gaussian rows keep the exact bias.
    assert bias == pytest.approx(max(expected, gaussian.plugin_bias(12, 9, 90)), rel=0.06)
    assert (bias > 2 * gaussian.plugin_bias(12, 9, 90)) == (share > 0)


def test_rows_that_are_zero_on_both_sides_add_nothing_to_the_gaussian_part(rng):
    found = []
    for _ in range(6):
        some = rng.random((500, 1)) < 0.5
        a, b = (some * rng.normal(size=(500, 80)) for _ in range(2))
        found.append(gaussian.gaussian_part(untied_scores(a, rng), untied_scores(b, rng)).mi)
    assert np.mean(found) < 0.3  # the bias of Gaussian rows, or of squares alone, leaves one or two nats


@pytest.mark.slow
def test_gaussian_parts_of_clusters_are_refuted_and_others_are_not(rng):
    label = rng.integers(0, 4, 400)
    x, y = (normal_scores(4 * rng.normal(size=(4, 10))[label] + rng.normal(size=(400, 10))) for _ in range(2))
    part = gaussian.gaussian_part(x, y)
    assert part.mi > np.log(4) + 0.5
    assert part.mi - gaussian.overcount(x, y, part.n_pairs) < np.log(4)
    for _ in range(10):
        z = rng.normal(size=(400, 10))
        a, b = normal_scores(z), normal_scores(z + rng.normal(size=(400, 10)))
        assert gaussian.overcount(a, b, gaussian.gaussian_part(a, b).n_pairs) < 0.05


@pytest.mark.slow
def test_noise_of_unproven_pairs_is_exact(rng):
    values, noises = [], []
    for _ in range(400):
        value, noise = gaussian.dense_part(rng.normal(size=(80, 12)), rng.normal(size=(80, 9)))
        values.append(value)
        noises.append(noise)
    assert abs(np.mean(values)) < 4 * np.std(values) / 20
    assert np.mean(noises) == pytest.approx(np.std(values), rel=0.15)  # four deviations of 1 / √800
    assert gaussian.dense_part(rng.normal(size=(20, 12)), rng.normal(size=(20, 9))) == (0.0, 0.0)


def test_many_weak_pairs_add_up():
    found = []
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=(500, 60))
        y = 0.2 * x + np.sqrt(0.96) * np.random.default_rng(seed + 9).normal(size=(500, 60))
        found.append(gaussian.gaussian_part(x, y).mi)
    truth = -30 * np.log(0.96)  # 1.22
    assert abs(np.mean(found) - truth) < 0.25  # standard error .09 of the mean of three; shrinking costs some


def test_shrinking_counts_nothing_within_the_noise():
    assert gaussian.shrunk(0.5, 1.0) == gaussian.shrunk(-3.0, 1.0) == gaussian.shrunk(0.5, 0.0) == 0
    assert gaussian.shrunk(2.0, 1.0) == pytest.approx(2 * 0.75)
    assert gaussian.shrunk(3.0, 1.0, 2.0) == pytest.approx(3 * (1 - 4 / 9))
