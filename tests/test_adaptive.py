import warnings

import numpy as np
import pytest
import reference
import reference_adaptive as naive
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.adaptive import ALPHA_DEPENDENT, Adaptive, Candidate, choose, counting
from infold.core import copula, screen, views


def estimate(x, y, seed=0, **settings):
    return Adaptive(random_state=seed, **settings).fit(x, y)


def quietly(x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        return estimate(x, y)


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


def test_ksg_at_some_rows_matches_definition(rng):
    for p in (1, 3, 6):
        a, b = (copula.normal_scores(side) for side in correlated(rng, 60, p, 2))
        plan = views.Plan(3, np.array([0, 7, 59]), np.arange(5))
        rounded = [side.astype(np.float32).astype(float) for side in (a, b)]
        distances = [reference.norm_distance(side, "chebyshev", 1.0) for side in rounded]
        for k, found in zip((1, 3), views.ksg_local((a, b), plan, 1, 3), strict=True):
            assert_allclose(found, reference.ksg_local(*distances, k)[plan.queries])


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


def test_learned_coordinates_match_definition(rng):
    a, b = correlated(rng, 60, 2, 2, 1.0)  # normal scores are symmetric, and opposite rows would tie in radius
    centres = np.arange(0, 60, 6)
    f, g = (naive.features(side, centres, views.N_RADIAL_WAVES) for side in (a, b))
    assert_allclose(views.features(a, centres), f, rtol=1e-9, atol=1e-12)
    ridge = views.RIDGE_ROWS / 60
    for found, slow in zip(
        views.learned_coordinates(a, b, centres),
        (naive.ridge_cca(f, g, ridge, 3), naive.ridge_cca(g, f, ridge, 3)),
        strict=True,
    ):
        correlation = np.corrcoef(np.hstack([found, copula.normal_scores(slow)]).T)[:3, 3:]
        assert_allclose(np.abs(np.diag(correlation)), 1, atol=1e-9)  # the sign of a coordinate is arbitrary


def test_surrogates_have_exactly_the_given_correlations(rng):
    a, b = correlated(rng, 50, 4, 3)
    z = np.column_stack([a, b, a[:, 0] + b[:, 0]])  # and one column that follows from others
    root = views.correlation_root(z)
    for seed in (1, 2):
        assert_allclose(np.corrcoef(views.gaussian_sample(root, 50, seed).T), np.corrcoef(z.T), atol=1e-7)


def test_excess_is_a_t_test(rng):
    null = rng.normal(size=10)
    assert views.excess_over(null, 1.5).pvalue == pytest.approx(naive.excess_test(null, 1.5))
    alarms = [views.excess_over(rng.normal(size=10), rng.normal()).pvalue < 0.05 for _ in range(2000)]
    assert abs(np.mean(alarms) - 0.05) < 0.02  # four binomial deviations of .005


# The choice.


def candidate(columns, view, linear, excess, pvalue, error=0.01):
    return Candidate(columns, view, linear, excess, 0.0, pvalue, error, 0.02)


def test_an_excess_counts_only_if_proven():
    gaussian, guess = candidate("all", "gaussian", 0.5, 0, 1), candidate("all", "columns", 0.5, 0.3, 0.01)
    sure = candidate("all", "radii", 0.5, 0.1, 1e-5)
    assert counting([gaussian, guess, sure]) == [gaussian, sure]
    assert choose([gaussian, guess, sure])[0] is sure


def test_without_linear_part_any_view_counts_but_the_sharp_look():
    gaussian, guess = candidate("all", "gaussian", 0, 0, 1), candidate("all", "columns", 0, 0.3, 0.01)
    assert counting([gaussian, guess, candidate("all", "sharp columns", 0, 0.9, 0.01)]) == [guess]


def test_all_columns_must_beat_screened_ones_beyond_the_margin():
    few = candidate("screened", "gaussian", 0.5, 0, 1, error=0.03)
    for more, taken in ((0.05, "screened"), (0.2, "all")):  # margin 2 √(.05² − .03²) = .08
        answer, reason = choose([few, candidate("all", "gaussian", 0.5 + more, 0, 1, error=0.05)])
        assert answer.columns == taken
        assert "0.080" in reason


# Truth.


@pytest.mark.parametrize(
    ("n", "p", "q"), [(300, 1, 1), (200, 3, 4), (300, 50, 50), (200, 150, 150), (30, 2, 2), (30, 40, 40)]
)
def test_independent_data_give_exactly_nought(n, p, q):
    rng = np.random.default_rng([n, p, q])
    model = estimate(rng.normal(size=(n, p)), rng.standard_t(2, size=(n, q)))
    assert model.mi_ == 0
    assert model.view_ == "none"
    assert model.pvalue_ >= ALPHA_DEPENDENT
    assert not model.local_mi_.any()


@pytest.mark.parametrize("noise", [0, 100])
def test_gaussian_with_noise_columns(noise):
    values = []
    for seed in range(3):
        data = infold.datasets.make_gaussian(500, noise, random_state=seed)
        model = estimate(data.X, data.Y)
        values.append(model.mi_)
        assert_array_equal(model.columns_x_, [0])
    assert abs(np.mean(values) - data.mi) < 0.08  # standard error .04 for one sample


@pytest.mark.parametrize(("name", "floor"), [("uniform", 4.1), ("helix", 4.2), ("sphere", 5.0)])
def test_sharp_signals_survive_noise_columns(name, floor):
    for noise in (0, 20):
        data = getattr(infold.datasets, f"make_{name}")(500, noise, random_state=0)
        assert floor < estimate(data.X, data.Y).mi_ < data.best_mi


def test_dependence_that_no_pair_of_columns_shows(rng):
    x, y = rng.normal(size=(500, 6)), np.abs(rng.normal(size=(500, 3)))
    y[:, 1] *= np.sign(x[:, 2] * x[:, 4])
    model = estimate(x, y)
    assert 0.45 < model.mi_ < 0.75  # truth log 2
    assert_array_equal(model.columns_x_, [2, 4])
    assert_array_equal(model.columns_y_, [1])
    assert infold.KSG().fit(x, y).mi_ < 0.2


def test_correlated_long_tails(rng):
    scatter = np.eye(6) + 0.6 * (np.eye(6, k=3) + np.eye(6, k=-3))
    z = rng.multivariate_normal(np.zeros(6), scatter, size=600) / np.sqrt(rng.chisquare(2, size=(600, 1)) / 2)
    truth = -1.5 * np.log1p(-(0.6**2)) + naive.student_mi(3, 3, 2)
    ksg = infold.KSG().fit(z[:, :3], z[:, 3:]).mi_
    assert abs(estimate(z[:, :3], z[:, 3:]).mi_ - truth) < min(0.2, abs(ksg - truth))


def test_noise_columns_beside_an_arch_do_not_add():
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(300, 3))
        model = estimate(x, x[:, :1] ** 2 + rng.normal(size=(300, 1)), seed)
        assert 0.33 < model.mi_ < 0.53  # truth .43, standard error .04
        assert not any(c.view == "sharp columns" for c in model.candidates_ if c.columns == "all")


# Invariance.


@pytest.fixture
def arch(rng):
    x = rng.normal(size=(250, 2))
    return x, np.column_stack([x[:, 0] ** 2 + 0.5 * rng.normal(size=250), rng.normal(size=250)])


def test_increasing_maps_change_no_bit(arch):
    x, y = arch
    model = estimate(x, y)
    mapped = estimate(np.column_stack([np.exp(x[:, 0]), 1e6 + x[:, 1]]), np.arctan(y) * 1e-9)
    assert model.excess_ > 0.2
    assert mapped.mi_ == model.mi_
    assert_array_equal(mapped.local_mi_, model.local_mi_)


def test_swap_and_decreasing_maps_change_only_surrogates(arch):
    x, y = arch
    values = [estimate(x, y, seed).mi_ for seed in range(3)]
    # Excess errors of ten surrogates' mean are about .01; .05 leaves room for another view's being taken.
    for other in (estimate(y, x), estimate(-x, y), estimate(x, np.column_stack([-y[:, 0], y[:, 1]]))):
        assert min(values) - 0.05 < other.mi_ < max(values) + 0.05


@pytest.mark.parametrize("most", [100, 2000])
def test_n_jobs_changes_no_bit(rng, monkeypatch, most):
    monkeypatch.setattr(views, "MAX_QUERIES", most)
    x = rng.normal(size=(300, 2))
    y = np.abs(x[:, :1]) + 0.5 * rng.normal(size=(300, 1))
    one, two = (estimate(x, y, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one.candidates_ == two.candidates_
    assert_array_equal(one.local_mi_, two.local_mi_)
    assert one.local_mi_.size == min(300, most)
    assert (one.query_rows_ is None) == (most >= 300)
    assert (one.query_error_ > 0) == (most < 300)
    assert one.mi_ == pytest.approx(one.linear_ + one.excess_, abs=1e-12)


# Broken data.


def test_awkward_data_give_finite_answers(awkward):
    model = quietly(*awkward)
    assert np.isfinite(model.mi_)
    assert np.isfinite(model.local_mi_).all()


def test_copied_classes_do_not_run_to_infinity(rng):
    label = rng.integers(0, 2, 400)
    noisy = np.where(rng.random(400) < 0.2, 1 - label, label)
    model = quietly(label[:, None], noisy[:, None])
    assert abs(model.mi_ - 0.193) < 0.08  # log 2 less the entropy of a flip; standard error .03


def test_constant_columns_and_copies_keep_their_numbers(rng):
    x, y = correlated(rng, 200, 2, 1, 2.0)
    ones = np.ones((200, 1))
    table = np.hstack([ones, x[:, 1:], ones, x[:, :1], x[:, :1] ** 3])
    with pytest.warns(infold.DataWarning, match="constant"):
        model = estimate(table, np.hstack([ones, y]))
    assert_array_equal(model.columns_x_, [3])
    assert_array_equal(model.columns_y_, [1])
    with pytest.warns(infold.DataWarning, match="constant"):
        nothing = model.fit(ones, y)
    assert (nothing.mi_, nothing.view_, nothing.candidates_, nothing.columns_x_.size) == (0, "none", (), 0)


# The account.


def test_the_account_adds_up(arch):
    model = estimate(*arch)
    taken = [c for c in model.candidates_ if c.name == model.view_]
    assert len(taken) == 1
    assert model.mi_ == pytest.approx(model.linear_ + model.excess_, abs=1e-12)
    assert (taken[0].linear, taken[0].excess, taken[0].z) == (model.linear_, model.excess_, model.z_)
    assert model.standard_error_ == taken[0].standard_error > 0
    assert model.pvalue_ < ALPHA_DEPENDENT
    assert {c.columns for c in model.candidates_} == {"all", "screened"}
    assert model.local_mi_.mean() == pytest.approx(model.mi_)
    assert_array_equal(model.columns_x_, [0])


def test_parameters_are_judged(arch):
    with pytest.raises(ValueError, match="n_neighbors=0"):
        Adaptive(n_neighbors=0).fit(*arch)
    with pytest.raises(ValueError, match="random_state=-1"):
        Adaptive(random_state=-1).fit(*arch)
