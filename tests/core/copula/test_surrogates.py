"""Guided looks: views, surrogates, and excesses over them."""

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose

from infold.core.copula import surrogates, views
from infold.core.copula.scores import normal_scores

from .samples import correlated


def pair_of(a, b):
    return views.Pair(normal_scores(a), normal_scores(b), np.zeros(len(a)), np.zeros(len(a)))


def test_surrogates_have_exactly_the_given_correlations(rng):
    a, b = correlated(rng, 50, 4, 3)
    z = np.column_stack([a, b, a[:, 0] + b[:, 0]])  # and one column that follows from others
    root = surrogates.symmetric_root(np.corrcoef(z.T))
    for seed in (1, 2):
        sample = surrogates.gaussian_sample(root, 50, np.random.default_rng(seed))
        assert_allclose(np.corrcoef(sample.T), np.corrcoef(z.T), atol=1e-7)


def test_excess_is_a_t_test(rng):
    null, local = rng.normal(size=10), np.full(7, 1.5)
    found = surrogates.excess_over(null, local)
    assert found.pvalue == pytest.approx(naive.excess_test(null, 1.5))
    assert found.value == pytest.approx(1.5 - null.mean())
    alarms = [surrogates.excess_over(rng.normal(size=10), rng.normal(size=1)).pvalue < 0.05 for _ in range(2000)]
    assert abs(np.mean(alarms) - 0.05) < 0.02  # four binomial deviations of .005


def test_surrogates_end_when_no_unclear_excess_could_win():
    def excess(value, pvalue):
        return surrogates.Excess(value, 0.01, pvalue, np.zeros(1))

    unclear = excess(0.2, np.sqrt(np.prod(surrogates.UNCLEAR)))
    assert not surrogates.settled([unclear])
    assert surrogates.settled([unclear, excess(0.3, 1e-9)])
    assert surrogates.settled([excess(0.2, 0.3), excess(-0.1, 0.9), excess(0.2, 1e-9)])


def test_raised_correlations_have_so_many_nats_more(rng):
    p, q, n_pairs, nats = 3, 4, 2, 0.6
    z = np.hstack(correlated(rng, 300, p, q)) @ rng.normal(size=(p + q, p + q))
    before = np.corrcoef(z.T)
    after = surrogates.raised(before, p, n_pairs, nats)
    assert_allclose(after[:p, :p], before[:p, :p])

    def shares(matrix):
        sample = surrogates.gaussian_sample(surrogates.symmetric_root(matrix), 50, rng)
        return -0.5 * np.log1p(-(naive.canonical_correlations(sample[:, :p], sample[:, p:]) ** 2))

    assert_allclose(np.sort(shares(after) - shares(before)), [0, nats / n_pairs, nats / n_pairs], atol=1e-6)


def test_an_excess_is_divided_by_the_share_that_shows():
    excess = surrogates.Excess(0.4, 0.02, 1e-9, np.zeros(1))
    larger = surrogates.without_loss(excess, 0.32)
    assert (larger.value, larger.deviation) == pytest.approx((0.4 / 0.8, 0.02 / 0.8))
    assert surrogates.without_loss(excess, 0.5).value == 0.4  # more than was put in: noise
    assert surrogates.without_loss(excess, 0.0).value == pytest.approx(0.4 / surrogates.LEAST_SHARE)


@pytest.mark.slow
def test_gaussian_data_have_no_turned_excess(rng):
    found = []
    for _ in range(8):
        pair = pair_of(*correlated(rng, 200, 4, 4, 1.0))
        found += [e.value for e in surrogates.turned_excesses(pair, 3, range(10), n_jobs=1)]
    assert abs(np.mean(found)) < 0.05  # 24 related values, each with a deviation of about .06
    few = pair_of(*correlated(rng, 60, 4, 4))
    assert surrogates.turned_excesses(few, 3, range(10), n_jobs=1) == []


def test_clusters_refute_spheres_and_turned_or_scaled_gaussians_do_not(rng):
    def refuted(draw):
        found = []
        for _ in range(60):
            a, b = draw()
            found.append(views.sphere_pvalue(normal_scores(a), normal_scores(b), 1) < views.ALPHA_SPHERE)
        return np.mean(found)

    def gaussian():
        a = rng.normal(size=(400, 5))
        return a, a + rng.normal(size=(400, 5))

    def scaled():
        return (side / np.sqrt(rng.chisquare(3, size=(400, 1))) for side in gaussian())

    def clusters():
        label = rng.integers(0, 2, 400)
        other = np.where(rng.random(400) < 0.2, 1 - label, label)
        return (2 * side[:, None] + rng.normal(size=(400, 5)) for side in (label, other))

    # Level .05, binomial deviation of 60 samples .03; normal scores of a Student law are not quite elliptical.
    assert refuted(gaussian) < 0.15
    assert refuted(scaled) < 0.25
    assert refuted(clusters) > 0.9
    a, b = rng.normal(size=(2, 100, 1))
    assert views.sphere_pvalue(a, b, 1) == 1
