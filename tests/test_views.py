import itertools

import numpy as np
import pytest
import reference
import reference.copula as naive
from numpy.testing import assert_allclose, assert_array_equal

from infold.core import copula, screen, surrogates, views


def correlated(rng, n, p, q, strength=0.5):
    z = rng.normal(size=(n, p + q))
    return z[:, :p], z[:, p:] + strength * z[:, :1]


# Normal scores and the Gaussian part.


@pytest.mark.parametrize("levels", [3, 10, None])
def test_normal_scores_match_definition(rng, levels):
    table = rng.normal(size=(40, 3)) if levels is None else rng.integers(0, levels, size=(40, 3)).astype(float)
    assert_allclose(copula.normal_scores(table), np.column_stack([naive.normal_scores(c) for c in table.T]))


def test_monotone_copies_are_found(rng):
    x = rng.normal(size=(50, 2))
    table = np.column_stack([x[:, 0], np.exp(x[:, 0]), x[:, 1], -(x[:, 0] ** 3), x[:, 1] + 1e-3 * x[:, 0]])
    assert_array_equal(copula.distinct_columns(table), [0, 2, 4])


def test_ties_are_broken_at_random_and_nothing_else_is(rng):
    table = np.column_stack([rng.integers(0, 2, 60), rng.normal(size=60)]).astype(float)
    (one, kept), (two, _) = (copula.copula_columns(table, np.random.default_rng(seed)) for seed in (1, 2))
    assert_array_equal(kept, [0, 1])
    assert_array_equal(np.sort(one, axis=0), np.sort(two, axis=0))
    assert_array_equal(one[:, 1], two[:, 1])
    assert (one[:, 0] != two[:, 0]).any()
    assert one[table[:, 0] == 0, 0].max() < one[table[:, 0] == 1, 0].min()


def test_bias_of_one_pair_is_exact():
    for n in (4, 10, 500):
        assert copula.plugin_bias(1, 1, n) == pytest.approx(naive.bias_of_one_pair(n), rel=1e-9)


def test_bias_matches_simulation_whatever_the_correlations(rng):
    n, found = 20, []
    for _ in range(3000):
        found.append(naive.gaussian_mi(*correlated(rng, n, 2, 3, 1.0)))
    # Y = (noise of unit variance) + x in each of 3 columns: I = ½ log(1 + 3)
    mean, error = np.mean(found) - 0.5 * np.log(4), np.std(found) / np.sqrt(len(found))
    assert abs(mean - copula.plugin_bias(2, 3, n)) < 4 * error


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3), (4, 2)])
def test_canonical_correlations_match_covariances(rng, p, q):
    a, b = correlated(rng, 60, p, q)
    s, u, v = copula.canonical_pairs(a, b)
    assert_allclose(s, naive.canonical_correlations(a, b), atol=1e-7)
    assert -0.5 * np.log1p(-(s**2)).sum() == pytest.approx(naive.gaussian_mi(a, b), rel=1e-9)
    assert_allclose((u.T @ v)[: s.size, : s.size], np.diag(s), atol=1e-9)
    assert copula.gaussian_local(a, b, s.size).mean() == pytest.approx(naive.gaussian_mi(a, b), rel=1e-9)


def test_gaussian_part_with_every_pair_is_plugin_less_bias(rng):
    z = rng.normal(size=(300, 2))
    a, b = z, z + 0.5 * rng.normal(size=(300, 2))
    part = copula.gaussian_part(a, b)
    assert part.n_pairs == 2
    assert part.mi == pytest.approx(naive.gaussian_mi(a, b) - copula.plugin_bias(2, 2, 300), rel=1e-9)


def test_gaussian_part_of_independent_columns_is_nought_at_its_level(rng):
    parts = [copula.gaussian_part(rng.normal(size=(100, 3)), rng.normal(size=(100, 4))) for _ in range(400)]
    assert np.mean([part.mi != 0 for part in parts]) < 0.03  # level .01, whose binomial deviation is .005
    assert abs(np.mean([part.pvalue < 0.25 for part in parts]) - 0.25) < 0.09  # four deviations of .022


# The screen.


def test_screen_matches_definitions(rng):
    x, y = rng.normal(size=(40, 4)), rng.normal(size=(40, 3))
    y[:, 0] += x[:, 1] ** 2
    waves = screen.rank_waves(x, 4), screen.rank_waves(y, 4)
    pairs = [[naive.pair_pvalue(x[:, i], y[:, j], screen.ORDERS) for j in range(3)] for i in range(4)]
    assert_allclose(screen.pair_pvalues(*waves), pairs, rtol=1e-9)
    found, i, j = screen.product_pvalues(*waves)
    products = [[naive.product_pvalue(x[:, f], x[:, g], y[:, c]) for c in range(3)] for f, g in zip(i, j, strict=True)]
    assert_allclose(found, products, rtol=1e-9)


def test_screen_pvalues_are_fair_on_independent_columns(rng):
    waves = [screen.rank_waves(rng.normal(size=(200, 80)), 4) for _ in range(2)]
    pairs = screen.pair_pvalues(*waves)
    products, *_ = screen.product_pvalues(waves[0][:, :, :30], waves[1])
    for found in (pairs, products):
        # Taking the smallest of nested tests times their number is a little cautious; 6,400 and 34,800 tests, of which
        # those of a column are related: rates within a quarter of their value above, and not below a third.
        for level in (0.05, 0.01):
            assert level / 3 < np.mean(found < level) < 1.25 * level


def test_screen_keeps_the_best_columns(rng):
    x, y = rng.normal(size=(300, 6)), rng.normal(size=(300, 5))
    y[:, 2] += x[:, 1] + 3 * x[:, 4]
    assert_array_equal(screen.screen_columns(x, y, 50).x, [1, 4])
    found = screen.screen_columns(x, y, 1)
    assert_array_equal(found.x, [4])
    assert_array_equal(found.y, [2])
    assert found.pvalue < 1e-10


# Views and surrogates.


def test_ksg_of_a_view_matches_definition(rng):
    for p in (1, 3, 6):
        a, b = (copula.normal_scores(side) for side in correlated(rng, 60, p, 2))
        distances = [reference.norm_distance(side, "chebyshev", 1.0) for side in (a, b)]
        for k in (1, 3, 10):
            assert_allclose(views.ksg_local((a, b), k), reference.ksg_local(*distances, k))


def test_radii_match_definition(rng):
    a, b = correlated(rng, 80, 3, 2)
    found = views.radii(a, b)
    for side, squared in zip(found, naive.squared_radii(a, b), strict=True):
        assert_array_equal(side[:, 0], copula.normal_scores(squared[:, None])[:, 0])


def test_radii_of_gaussian_data_are_unrelated_and_of_student_data_related(rng):
    n = 4000
    normal = np.hstack(correlated(rng, n, 3, 2, 2.0))
    student = normal / np.sqrt(rng.chisquare(3, size=(n, 1)) / 3)
    correlations = [np.corrcoef(np.hstack(views.radii(z[:, :3], z[:, 3:])).T)[0, 1] for z in (normal, student)]
    assert abs(correlations[0]) < 4 / np.sqrt(n) < 0.2 < correlations[1]


def test_features_match_definitions(rng):
    a = rng.normal(size=(60, 3))
    rest, centres = rng.chisquare(4, size=60), np.arange(0, 60, 6)
    assert_allclose(views.curved(a, centres), naive.curved(a, centres), rtol=2e-5)  # float32, exponents up to 20
    # The signs of orthonormal polynomials are arbitrary.
    found, slow = views.turned(a, rest), naive.turned(a, rest, views.TURNING_DEGREE)
    assert_allclose(np.abs(found), np.abs(slow), rtol=1e-6, atol=1e-9)


def test_learned_coordinates_match_definition(rng):
    a, b = correlated(rng, 60, 2, 2, 1.0)
    centres = np.arange(0, 60, 6)
    f, g = views.curved(a, centres), views.curved(b, centres)
    ridge = views.RIDGE_ROWS / 60
    for found, slow in zip(
        views.learned_coordinates(f, g, 3),
        (naive.ridge_cca(f, g, ridge, 3), naive.ridge_cca(g, f, ridge, 3)),
        strict=True,
    ):
        correlation = np.corrcoef(np.hstack([found, copula.normal_scores(slow)]).T)[:3, 3:]
        assert_allclose(np.abs(np.diag(correlation)), 1, atol=1e-9)  # the sign of a coordinate is arbitrary


def test_no_more_coordinates_than_columns_and_none_from_few_rows(rng):
    def names(n, p, q):
        pair = views.Pair(rng.normal(size=(n, p)), rng.normal(size=(n, q)), np.zeros(n), np.zeros(n))
        return set(views.guided_views(pair, views.Plan(3, np.arange(5), False)))

    assert names(100, 1, 4) == {"columns", "turned 1", "curved 1"}
    assert names(100, 5, 4) == {"columns"} | {f"{kind} {r}" for kind in ("turned", "curved") for r in (1, 2, 3)}
    assert names(100, 6, 4) == {"columns"}


def test_turned_coordinates_unwind_a_spiral_of_a_few_columns(rng):
    n = 2000
    x, y = rng.normal(size=(2, n, 6))
    y[:, 0] = 0.9 * x[:, 0] + np.sqrt(1 - 0.81) * y[:, 0]
    angle = (x**2).sum(axis=1) / 6
    wound = np.cos(angle)[:, None] * x[:, :2] + np.sin(angle)[:, None] * x[:, 1::-1] * [-1, 1]
    f = views.turned(wound, (x[:, 2:] ** 2).sum(axis=1))
    u, v = views.learned_coordinates(f, y[:, :1], 1)
    plain = views.learned_coordinates(wound, y[:, :1], 1)
    # The angle spreads by .6: a line keeps E cos of it, .85 or so of the correlation, second order nearly all.
    assert np.corrcoef(plain[0][:, 0], plain[1][:, 0])[0, 1] < 0.8
    assert np.corrcoef(u[:, 0], v[:, 0])[0, 1] > 0.86


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
    view = copula.normal_scores(z[:, :1]), copula.normal_scores(z[:, 1:])
    found = surrogates.with_guide(view, surrogates.Excess(0.02, 0.03, 0.6, 0.3))
    own = copula.gaussian_part(*view)
    assert found.value == pytest.approx(own.mi + 0.02)
    assert found.deviation == pytest.approx(np.hypot(0.03, own.standard_error))
    assert found.pvalue < 1e-10


def test_one_of_several_tests_is_judged_by_their_number(rng):
    assert copula.either(0.01, 3) == pytest.approx(1 - 0.99**3)
    smallest = rng.random((4000, 5)).min(axis=1)
    assert abs(np.mean(copula.either(smallest, 5) < 0.3) - 0.3) < 0.03  # four binomial deviations of .007
    assert copula.either(1.0, 2) <= 1


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


def test_the_surer_of_two_looks_proves_an_excess():
    usual, smooth = surrogates.Excess(0.2, 0.05, 3.0, 0.004), surrogates.Excess(0.1, 0.01, 6.0, 1e-5)
    found = surrogates.proven_by_either(usual, smooth)
    assert (found.value, found.deviation, found.z) == (0.2, 0.05, 6.0)
    assert found.pvalue == pytest.approx(2e-5, rel=1e-3)
    assert surrogates.proven_by_either(usual, smooth._replace(pvalue=0.5)).pvalue == pytest.approx(1 - 0.996**2)


def test_moments_over_pairings_are_exact(rng):
    # All 720 pairings of six rows, one of which stands out on either side.
    a, b = rng.normal(size=(6, 2)), rng.normal(size=(6, 1))
    a[2], b[4] = 5.0, -7.0
    q_a, q_b = copula.orthonormal(a), copula.orthonormal(b)
    sums = [((q_a.T @ q_b[list(order)]) ** 2).sum() for order in itertools.permutations(range(6))]
    found = copula.pairing_moments((q_a**2).sum(axis=1), (q_b**2).sum(axis=1))
    assert_allclose(found, (np.mean(sums), np.var(sums)), rtol=1e-9)


def test_columns_that_share_a_scale_are_not_taken_for_correlated(rng):
    # Bartlett's test, made for Gaussian columns, has p < .05 in a fifth of such samples.
    def side():
        return copula.normal_scores(rng.normal(size=(300, 40)) / np.sqrt(rng.chisquare(2, size=(300, 1))))

    pvalues = np.array([copula.gaussian_part(side(), side()).pvalue for _ in range(200)])
    assert np.mean(pvalues < 0.05) < 0.11  # 5 % expected, deviation 1.5 %
    assert np.mean(pvalues < 0.5) > 0.35


def test_pairing_confirms_what_depends_and_nothing_else(rng):
    turns, centres = rng.uniform(0, 2 * np.pi, 300), np.arange(20)
    a, b = np.cos(turns)[:, None], (np.sin(turns) + 0.1 * rng.normal(size=300))[:, None]
    plan, rest = views.Plan(3, centres, False), np.zeros(300)
    given = {"n_jobs": 1, "verbose": 0}
    seeds = list(range(30))
    assert surrogates.pairing_pvalue(views.Pair(a, b, rest, rest), plan, seeds, **given) < 1e-6
    apart = views.Pair(a, b[rng.permutation(300)], rest, rest)
    assert surrogates.pairing_pvalue(apart, plan, seeds, **given) > 0.001
