"""Surrogates and excesses over them."""

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose

from infold.core.copula import surrogates, views
from infold.core.copula.gaussian import gaussian_part
from infold.core.copula.scores import normal_scores

from .samples import correlated


def test_surrogates_have_exactly_the_given_correlations(rng):
    a, b = correlated(rng, 50, 4, 3)
    z = np.column_stack([a, b, a[:, 0] + b[:, 0]])  # and one column that follows from others
    root = surrogates.symmetric_root(np.corrcoef(z.T))
    for seed in (1, 2):
        assert_allclose(
            np.corrcoef(surrogates.gaussian_sample(root, 50, np.random.default_rng(seed)).T),
            np.corrcoef(z.T),
            atol=1e-7,
        )


def test_excess_is_a_t_test(rng):
    null = rng.normal(size=10)
    assert surrogates.excess_over(null, 1.5).pvalue == pytest.approx(naive.excess_test(null, 1.5))
    alarms = [surrogates.excess_over(rng.normal(size=10), rng.normal()).pvalue < 0.05 for _ in range(2000)]
    assert abs(np.mean(alarms) - 0.05) < 0.02  # four binomial deviations of .005


def test_radii_add_their_own_gaussian_part(rng):
    n = 400
    z = rng.normal(size=(n, 2))
    z[:, 1] += z[:, 0]
    view = normal_scores(z[:, :1]), normal_scores(z[:, 1:])
    found = surrogates.with_own_part(view, surrogates.Excess(0.02, 0.03, 0.6, 0.3))
    own = gaussian_part(*view)
    assert found.value == pytest.approx(own.mi + 0.02)
    assert found.deviation == pytest.approx(np.hypot(0.03, own.standard_error))
    assert found.pvalue < 1e-10


def test_surrogates_end_when_no_unclear_excess_could_win():
    def excess(value, pvalue):
        return surrogates.Excess(value, 0.01, 1.0, pvalue)

    unclear = excess(0.2, np.sqrt(np.prod(surrogates.UNCLEAR)))
    assert not surrogates.settled([unclear])
    assert not surrogates.settled([unclear, excess(0.1, 1e-9)])
    assert surrogates.settled([unclear, excess(0.3, 1e-9)])
    assert surrogates.settled([excess(0.2, 0.3), excess(-0.1, 0.9), excess(0.2, 1e-9)])


def test_raised_correlations_have_so_many_nats_more(rng):
    p, q, n_pairs, nats = 3, 4, 2, 0.6
    z = np.hstack(correlated(rng, 300, p, q)) @ rng.normal(size=(p + q, p + q))
    before = np.corrcoef(z.T)
    after = surrogates.raised(before, p, n_pairs, nats)
    assert_allclose(after[:p, :p], before[:p, :p])
    assert_allclose(after[p:, p:], before[p:, p:])
    assert np.linalg.eigvalsh(after).min() > 0

    def shares(matrix):
        # Samples with exactly these correlations, so that the definition can be asked.
        sample = surrogates.gaussian_sample(surrogates.symmetric_root(matrix), 50, rng)
        return -0.5 * np.log1p(-(naive.canonical_correlations(sample[:, :p], sample[:, p:]) ** 2))

    more = shares(after) - shares(before)
    assert_allclose(np.sort(more), [0, nats / n_pairs, nats / n_pairs], atol=1e-6)
    assert_allclose(surrogates.raised(before, p, n_pairs, 0.0), before, atol=1e-7)


def test_an_excess_is_divided_by_the_share_that_shows():
    excess = surrogates.Excess(0.4, 0.02, 20.0, 1e-9)
    larger = surrogates.without_loss(excess, 0.32)
    assert tuple(larger) == pytest.approx((0.4 / 0.8, 0.02 / 0.8, 20.0, 1e-9, 0.8))
    assert surrogates.without_loss(excess, 0.5) == excess  # more than was put in: noise
    assert surrogates.without_loss(excess, 0.0).value == pytest.approx(0.4 / surrogates.LEAST_SHARE)


def test_the_surer_of_two_proves_an_excess():
    usual, smooth = surrogates.Excess(0.2, 0.05, 3.0, 0.004), surrogates.Excess(0.1, 0.01, 6.0, 1e-5)
    found = surrogates.proven_by_either(usual, smooth)
    assert (found.value, found.deviation, found.z) == (0.2, 0.05, 6.0)
    assert found.pvalue == pytest.approx(2e-5, rel=1e-3)
    assert surrogates.proven_by_either(usual, smooth._replace(pvalue=0.5)).pvalue == pytest.approx(1 - 0.996**2)


@pytest.mark.slow
def test_pairing_confirms_what_depends_and_nothing_else(rng):
    turns, centres = rng.uniform(0, 2 * np.pi, 300), np.arange(20)
    a, b = np.cos(turns)[:, None], (np.sin(turns) + 0.1 * rng.normal(size=300))[:, None]
    plan, rest = views.Plan(3, centres, False), np.zeros(300)
    given = {"n_jobs": 1, "verbose": 0}
    seeds = list(range(30))
    assert surrogates.pairing_pvalue(views.Pair(a, b, rest, rest), plan, seeds, **given) < 1e-6
    apart = views.Pair(a, b[rng.permutation(300)], rest, rest)
    assert surrogates.pairing_pvalue(apart, plan, seeds, **given) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_surrogates"), [(300, 10), (5001, 5)])
def test_a_clear_case_takes_one_batch_which_is_small_with_many_rows(rng, n, n_surrogates):
    x = rng.normal(size=(n, 1))
    a, b = normal_scores(x), normal_scores(np.abs(x) + 0.1 * rng.normal(size=(n, 1)))
    pair, plan = views.Pair(a, b, np.zeros(n), np.zeros(n)), views.Plan(3, np.arange(20), True)
    few, many = (
        surrogates.excesses(pair, plan, range(count), n_jobs=1, verbose=0) for count in (n_surrogates, 3 * n_surrogates)
    )
    assert few == many
    assert set(few) == {"columns", "turned 1", "curved 1", "sharp columns"}
    assert few["columns"].value > 0.5
