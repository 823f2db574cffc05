"""The paper's data sets know their shapes, their seeds and their mutual information."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from infold.datasets import (
    Dataset,
    make_gaussian,
    make_helix,
    make_independent,
    make_sphere,
    make_uniform,
    monte_carlo_mi,
    paper,
)

MAKERS = {"uniform": make_uniform, "gaussian": make_gaussian, "helix": make_helix, "sphere": make_sphere}
SIGNAL = {"uniform": (1, 1), "gaussian": (1, 1), "helix": (1, 3), "sphere": (2, 3)}
FORMS = [("helix", "paper"), ("helix", "released"), ("sphere", "paper"), ("sphere", "released")]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("noise_dims", "to_x", "to_y"), [(0, 0, 0), (4, 2, 2), (5, 3, 2)])
def test_noise_columns_are_split_in_half_with_an_odd_one_to_x(name, noise_dims, to_x, to_y):
    data = MAKERS[name](20, noise_dims, random_state=0)
    d_x, d_y = SIGNAL[name]
    assert data.X.shape == (20, d_x + to_x)
    assert data.Y.shape == (20, d_y + to_y)
    assert data.X.dtype == data.Y.dtype == np.float64
    assert data.name == name


@pytest.mark.parametrize("make", [*MAKERS.values(), make_independent])
def test_seed_decides_everything_and_more_noise_extends_less(make):
    few, more = make(30, noise_dims=2, random_state=3), make(n_samples=30, noise_dims=7, random_state=3)
    again = make(30, 2, random_state=np.int64(3))
    assert_array_equal(few.X, again.X)
    assert_array_equal(few.Y, again.Y)
    assert_array_equal(few.X, more.X[:, : few.X.shape[1]])
    assert_array_equal(few.Y, more.Y[:, : few.Y.shape[1]])
    assert not np.array_equal(few.X, make(30, noise_dims=2, random_state=4).X)
    assert not np.array_equal(make(30).X, make(30).X)


@pytest.mark.parametrize("source", [np.random.default_rng, np.random.RandomState])
def test_a_generator_moves_on(source):
    one, two = source(5), source(5)
    first, second = make_uniform(10, random_state=one), make_uniform(10, random_state=one)
    assert_array_equal(first.X, make_uniform(10, random_state=two).X)
    assert not np.array_equal(first.X, second.X)


@pytest.mark.parametrize("noise", ["normal", "uniform", "student"])
def test_noise_has_mean_0_and_the_scale_asked_for(noise):
    data = make_uniform(20_000, 20, noise=noise, noise_scale=0.1, random_state=0)
    columns = np.hstack([data.X[:, 1:], data.Y[:, 1:]])
    # 400,000 values: the mean's standard error is 1.6e-4. A t with 3 degrees of freedom has no fourth moment,
    # so its sample sd converges slowly; 5 % still tells sd 1 from the raw t's 1.73.
    assert abs(columns.mean()) < 1e-3
    assert_allclose(columns.std(), 0.1, rtol=0.05 if noise == "student" else 0.01)
    fourth = np.mean((columns / columns.std()) ** 4)
    assert {"normal": 2.9 < fourth < 3.1, "uniform": 1.7 < fourth < 1.9, "student": fourth > 6}[noise]


@pytest.mark.parametrize("alpha", [0.01, 0.3, 1.0])
def test_uniform_mi_equals_entropy_of_the_trapezoid(alpha):
    """I = h(Y) - log(alpha), with h(Y) integrated numerically from the convolution's density."""
    edges = np.linspace(-alpha / 2, 1 + alpha / 2, 400_001)
    y = (edges[1:] + edges[:-1]) / 2
    density = (np.minimum(y + alpha / 2, 1) - np.maximum(y - alpha / 2, 0)) / alpha
    entropy = -np.sum(density * np.log(density)) * (edges[1] - edges[0])
    data = make_uniform(5000, alpha=alpha, random_state=0)
    assert_allclose(data.mi, entropy - math.log(alpha), atol=1e-6)
    assert not data.mi_is_bound
    assert data.best_mi == data.mi
    gap = data.Y - data.X
    assert -alpha / 2 <= gap.min() < -0.49 * alpha  # 5000 draws: missing an outer 1 % has probability 1e-22
    assert 0.49 * alpha < gap.max() <= alpha / 2


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.9])
def test_gaussian_has_its_correlation_and_mi(rho):
    data = make_gaussian(50_000, rho=rho, random_state=0)
    # Standard error of a correlation is (1 - rho^2) / sqrt(n) <= 0.0045, of a sd 0.0032: four of them.
    assert_allclose(np.corrcoef(data.X[:, 0], data.Y[:, 0])[0, 1], rho, atol=0.018)
    assert_allclose([data.X.std(), data.Y.std()], 1, atol=0.013)
    covariance = np.array([[1, rho], [rho, 1]])
    assert_allclose(data.mi, -0.5 * np.log(np.linalg.det(covariance)), atol=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_helix_follows_the_supplement(alpha):
    data = make_helix(2000, alpha=alpha, random_state=0)
    p = data.X[:, 0]
    curve = np.column_stack([p * np.cos(p), p * np.sin(p), p]) / (8 * np.pi)
    residual = (data.Y - curve) / alpha
    assert 5 * np.pi <= p.min() < p.max() <= 8 * np.pi
    assert_allclose([residual.min(), residual.max()], [-0.5, 0.5], atol=0.01)
    # 6000 uniform values: the mean's standard error is 0.0037.
    assert abs(residual.mean()) < 0.015


def test_released_helix_is_the_authors():
    data = make_helix(2000, form="released", random_state=0)
    r = data.Y[:, 0]
    p = 5 * np.pi + 3 * np.pi * r
    curve = np.column_stack(
        [p * np.cos(p) / (8 * np.pi), p * np.sin(p) / (8 * np.pi), 5 * np.pi + 3 * np.pi * r / (8 * np.pi)]
    )
    residual = data.X - curve
    assert_allclose([residual.min(), residual.max()], [0, 0.01], atol=1e-4)
    # Column ranges of one sample of the authors' code (n = 500), which an n of 2000 covers to the same 0.02.
    assert_allclose(data.X.min(axis=0), [-0.873, -0.938, 15.711], atol=0.02)
    assert_allclose(data.X.max(axis=0), [1.006, 0.821, 16.092], atol=0.02)
    assert 0 <= r.min() < r.max() < 1


def test_sphere_follows_the_supplement():
    data = make_sphere(2000, random_state=0)
    a, b = data.X.T
    residual = data.Y - np.column_stack([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(b)])
    assert 0 <= data.X.min() < data.X.max() < 1
    assert_allclose([residual.min(), residual.max()], [-0.005, 0.005], atol=1e-4)


def test_released_sphere_is_the_authors():
    data = make_sphere(2000, form="released", random_state=0)
    u1, u2 = data.Y.T
    lat, long = np.arccos(2 * u1 - 1) - np.pi / 2, 2 * np.pi * u2
    residual = data.X - np.column_stack([np.cos(lat) * np.cos(long), np.cos(lat) * np.sin(long), np.sin(lat)])
    assert_allclose([residual.min(), residual.max()], [-0.005, 0.005], atol=1e-4)
    # The authors' samples of n = 500 reach from -1.003 to 1.003 in every column, within 0.02.
    assert_allclose(np.abs([data.X.min(axis=0), data.X.max(axis=0)]), 1, atol=0.02)


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_bounds_are_marked_and_truth_lies_above(name, form):
    data = MAKERS[name](10, form=form)
    assert data.mi_is_bound
    assert_allclose(data.mi, 0.005 - math.log(0.01))
    assert data.best_mi == data.mi_monte_carlo > data.mi
    other = MAKERS[name](10, form=form, alpha=0.02)
    assert other.mi_is_bound
    assert other.mi_monte_carlo is other.mi_monte_carlo_error is None
    assert other.best_mi == other.mi


@pytest.mark.parametrize(("name", "form"), FORMS)
def test_stored_truth_agrees_with_a_fresh_run(name, form):
    stored = MAKERS[name](10, form=form)
    value, error = monte_carlo_mi(name, form=form, n_draws=5_000, random_state=1)
    # Another seed than the constants', so two independent estimates; four joint standard errors.
    assert abs(value - stored.mi_monte_carlo) < 4 * math.hypot(error, stored.mi_monte_carlo_error)
    assert error < 0.02


def test_truth_agrees_with_the_definition_of_the_project():
    """Values found independently with 100,000 draws, with their rounding and about three standard errors."""
    assert_allclose(make_helix(2).best_mi, 6.769, atol=0.004)
    assert_allclose(make_sphere(2).best_mi, 8.591, atol=0.010)
    assert_allclose(make_sphere(2, form="released").best_mi, 11.885, atol=0.006)


def brute_volume(name, form, low, high, n_side):
    """Fraction of a fine midpoint grid of the sources that lands in the box; shares no code with infold."""
    u = (np.arange(n_side) + 0.5) / n_side
    if name == "helix":
        p = 5 * np.pi + 3 * np.pi * u
        points = [p * np.cos(p) / (8 * np.pi), p * np.sin(p) / (8 * np.pi), p / (8 * np.pi)]
    elif form == "paper":
        a, b = u[:, None], u[None, :]
        points = [np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(b)]
    else:
        lat, long = np.arccos(2 * u[:, None] - 1) - np.pi / 2, 2 * np.pi * u[None, :]
        points = [np.cos(lat) * np.cos(long), np.cos(lat) * np.sin(long), np.sin(lat)]
    inside = True
    for column, a, b in zip(points, low, high, strict=True):
        inside = inside & (a <= column) & (column <= b)
    return np.mean(inside)


@pytest.mark.parametrize("alpha", [0.1, 1.0])
@pytest.mark.parametrize(("name", "form"), [FORMS[0], FORMS[2], FORMS[3]])
def test_volume_matches_brute_force(name, form, alpha, rng):
    n_sources, place, volume, *_ = paper._GEOMETRY[name, form]
    seen = place(rng.random((8, n_sources))) + alpha * (rng.random((8, 3)) - 0.5)
    if name == "sphere":
        # Over the pole, where circles are small, and at the patch's corner, where bounds stop at 0 and 1.
        seen[:2] = [[0.1 * alpha, -0.2 * alpha, 1.0], [1 - 0.3 * alpha, 0.2 * alpha, 0.1 * alpha]]
    comp = volume(seen - alpha / 2, seen + alpha / 2)
    n_side = 200_000 if name == "helix" else 1200
    ref = np.array([brute_volume(name, form, v - alpha / 2, v + alpha / 2, n_side) for v in seen])
    # Helix: each end of an interval errs by up to half a spacing, and few have more than two intervals.
    # Sphere: up to half a spacing times the boundary, some 4 sqrt(volume); half as much again if elongated.
    slack = 2 / n_side if name == "helix" else 3 * np.sqrt(ref) / n_side
    assert np.all(np.abs(comp - ref) <= slack)
    assert np.count_nonzero(ref) >= 7


@pytest.mark.parametrize(("name", "form"), [FORMS[0], FORMS[2], FORMS[3]])
def test_volumes_add_up_to_the_cube(name, form):
    """Boxes that tile space share out all sources: the sum is 1 but for quadrature, here 2e-11 at worst."""
    edges = np.linspace(-1.1, 1.1, 12)
    low = np.stack(np.meshgrid(edges[:-1], edges[:-1], edges[:-1]), axis=-1).reshape(-1, 3)
    volume = paper._GEOMETRY[name, form][2]
    assert_allclose(volume(low, low + 0.2).sum(), 1, atol=1e-9)


@pytest.mark.parametrize("form", ["paper", "released"])
@pytest.mark.parametrize("like", MAKERS)
def test_independent_control_keeps_marginals_and_breaks_pairs(like, form):
    options = {"form": form} if like in ("helix", "sphere") else {}
    real = MAKERS[like](4000, random_state=0, **options)
    control = make_independent(4000, like=like, form=form, random_state=0)
    assert (control.mi, control.mi_is_bound, control.mi_monte_carlo) == (0.0, False, None)
    assert control.name == f"independent-{real.name}"
    assert_array_equal(control.X, real.X)  # the same seed gives the same first half
    for one, other in zip(real.Y.T, control.Y.T, strict=True):
        merged = np.sort(np.concatenate([one, other]))
        ranks = [np.searchsorted(np.sort(y), merged, side="right") / 4000 for y in (one, other)]
        # Kolmogorov-Smirnov: sqrt(2 / 4000) * 1.95 = 0.044 is passed with probability 0.001.
        assert np.max(np.abs(ranks[0] - ranks[1])) < 0.044
    d_x = control.X.shape[1]
    cross = np.corrcoef(np.hstack([control.X, control.Y]).T)[:d_x, d_x:]
    # Standard error 1 / sqrt(4000) = 0.016: four of them.
    assert np.max(np.abs(cross)) < 0.064


def test_repr_is_one_short_line():
    text = repr(make_helix(100_000, 3, form="released", random_state=0))
    assert text == "Dataset('helix-released', X: 100000 x 5, Y: 100000 x 2, mi >= 4.610, Monte Carlo 6.768)"
    assert isinstance(make_uniform(5), Dataset)


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (make_uniform, {"n_samples": 0}, r"n_samples=0 must be an integer of at least 1; use"),
        (make_uniform, {"n_samples": 5.0}, r"n_samples=5.0 must be an integer"),
        (make_uniform, {"n_samples": True}, r"n_samples=True must be an integer"),
        (make_helix, {"noise_dims": -1}, r"noise_dims=-1 must be an integer of at least 0; use"),
        (make_helix, {"alpha": 0}, r"alpha=0 must be in \(0, 1\].*; use"),
        (make_uniform, {"alpha": 1.5}, r"alpha=1.5 must be in \(0, 1\].*; use"),
        (make_uniform, {"alpha": math.nan}, r"alpha=nan must be in \(0, 1\].*; use"),
        (make_gaussian, {"rho": 1.0}, r"rho=1.0 must be in \(-1, 1\).*; use"),
        (make_sphere, {"form": "round"}, r"form='round' must be one of .*'paper', 'released'.*; use"),
        (make_sphere, {"noise": "cauchy"}, r"noise='cauchy' must be one of .*'student'.*; use"),
        (make_sphere, {"noise_scale": -1}, r"noise_scale=-1 must be positive; use"),
        (make_independent, {"like": "torus"}, r"like='torus' must be one of .*'sphere'.*; use"),
        (make_uniform, {"random_state": "a"}, r"random_state='a' must be an integer of at least 0"),
        (monte_carlo_mi, {"name": "gaussian"}, r"name='gaussian' must be one of .*'helix', 'sphere'.*; use"),
        (monte_carlo_mi, {"name": "helix", "n_draws": 1}, r"n_draws=1 must be an integer of at least 2; use"),
        (monte_carlo_mi, {"name": "helix", "alpha": 2}, r"alpha=2 must be in"),
    ],
)
def test_errors_name_parameter_value_rule_and_remedy(make, options, message):
    with pytest.raises(ValueError, match=message) as caught:
        make(**options)
    assert "\n" not in str(caught.value)


@pytest.fixture
def rng():
    return np.random.default_rng(0)
