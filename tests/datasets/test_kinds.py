"""Named and random kinds of data: shapes, seeds, and truths found in more than one way."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import truths
from scipy.stats import norm

import infold
from infold.datasets import describe_kind, kind_information, list_kinds, make_kind, make_random_kind
from infold.datasets.kinds import QUADRATURE, fixed
from infold.datasets.laws import digits
from infold.datasets.random_kinds import BLOCKS, random_kind

NAMES = list_kinds()


def correlated(rho):
    return np.array([[1.0, rho], [rho, 1.0]])


def eight(t):
    return np.column_stack([np.sin(2 * np.pi * t), np.sin(4 * np.pi * t)])


def spiral(t):
    angle = 4 * np.pi * np.sqrt(t)
    return np.column_stack([angle * np.cos(angle), angle * np.sin(angle)]) / 10


def shared_scale(p):
    v = np.linspace(-6, 6, 401)
    return truths.radii_mi(np.exp(0.7 * v), norm.pdf(v) / norm.pdf(v).sum(), p, p)


def cubic():
    x = truths.quantiles(norm)
    return truths.blurred_mi(x**3 - 3 * x, 1.0)


ORIGIN = np.zeros((2, 2))
CORNERS = 2.0 * np.array([[-1, -1], [1, 1], [-1, 1], [1, -1]])
INTEGRALS = {
    "product of normals": truths.product_of_normals,
    "noise in proportion": lambda: truths.noise_in_proportion(0.5),
    "volatility": truths.volatility,
    "product of normals, 5 + 5": lambda: 5 * truths.product_of_normals(),
    "noise in proportion, 5 + 5": lambda: 5 * truths.noise_in_proportion(0.5),
    "product of normals, asinh, 3 + 3": lambda: 3 * truths.product_of_normals(),
    "product of normals, 11 + 11": truths.product_of_normals,
    "wave 1": lambda: truths.wave(0.3),
    "wave 3": lambda: truths.wave(0.3),
    "wave 8": lambda: truths.wave(0.2),
    "circle": lambda: truths.circle(0.15),
    "wave 2, 4 + 4": lambda: 4 * truths.wave(0.4),
    "wave 1, 21 + 11": lambda: truths.wave(0.25),
    "absolute value": lambda: truths.absolute_value(0.3),
    "parabola": lambda: truths.blurred_mi(truths.quantiles(norm) ** 2, 0.5),
    "cubic": cubic,
    "two steps": lambda: truths.blurred_mi(np.array([0.0, 2.0, 1.0]), 0.3),
    "x-shaped 0.9": lambda: truths.plane_mixture([0.5, 0.5], ORIGIN, [correlated(0.9), correlated(-0.9)]),
    "plus-shaped": lambda: truths.plane_mixture([0.5, 0.5], ORIGIN, [np.diag([1, 0.02]), np.diag([0.02, 1])], 6),
    "against the trend": lambda: truths.plane_mixture(
        [0.35, 0.65], [[-1.5, -1.5], [1.5, 1.5]], [correlated(-0.7), correlated(-0.7)]
    ),
    "four corners": lambda: truths.plane_mixture([0.4, 0.4, 0.1, 0.1], CORNERS, [np.eye(2) / 2] * 4),
    "x-shaped 0.9, 5 + 5": lambda: 5 * truths.plane_mixture([0.5] * 2, ORIGIN, [correlated(0.9), correlated(-0.9)]),
    "concentric, 3 + 3": lambda: truths.radii_mi(np.arange(1.0, 6), np.full(5, 0.2), 3, 3),
    "concentric, 25 + 25": lambda: truths.radii_mi(np.arange(1.0, 6), np.full(5, 0.2), 25, 25),
    "shared scale, 5 + 5": lambda: shared_scale(5),
    "frank 6": lambda: truths.frank(6),
    "poisson of gamma": lambda: truths.poisson_of_gamma(2, 2),
    "poisson with lost counts": lambda: truths.poisson_of_gamma(1, 1, 0.15),
    "two classes": lambda: truths.blurred_mi(np.array([-1.0, 1.0]), 1.0),
    "poisson, 5 + 5": lambda: 3 * truths.poisson_of_gamma(2, 2),
    "product, 2 + 1": lambda: truths.product_of_columns(0.3),
    "radius, 5 + 1": lambda: truths.radius(5, 0.3),
    "spiral, 1 + 2": lambda: truths.curve_in_plane(spiral, 0.1),
    "figure eight, 1 + 2": lambda: truths.curve_in_plane(eight, 0.15),
    "friedman, 10 + 1": lambda: truths.friedman(1.0),
    "absolute value, 51 + 51": lambda: truths.absolute_value(0.3),
}


def test_there_are_many_kinds_of_many_families():
    kinds = [describe_kind(name) for name in NAMES]
    narrow = sum(kind.n_x == kind.n_y == 1 for kind in kinds)
    assert len(kinds) >= 100
    assert narrow >= 40
    assert len(kinds) - narrow >= 60
    assert sum(len(list_kinds(family)) for family in {kind.family for kind in kinds}) == len(kinds)


def test_the_page_lists_every_kind_with_its_truth():
    page = (Path(__file__).parents[2] / "docs" / "kinds.md").read_text()
    for kind in map(describe_kind, NAMES):
        assert f"| {kind.family} | {kind.name} | {kind.n_x} + {kind.n_y} |" in page
        assert f"| {kind.mi:.4f} | {kind.source}" in page


@pytest.mark.parametrize("name", NAMES)
def test_kind_is_finite_has_its_shape_and_its_seed(name):
    kind, data = describe_kind(name), make_kind(name, 60, 3)
    assert data.X.shape == (60, kind.n_x)
    assert data.Y.shape == (60, kind.n_y)
    assert data.X.dtype == data.Y.dtype == np.float64
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.Y).all()
    assert data.mi == kind.mi > 0
    assert kind.mi_error < 0.002
    again, other = make_kind(name, 60, random_state=np.random.default_rng(3)), make_kind(name, 60, 4)
    assert_array_equal(data.X, again.X)
    assert_array_equal(data.Y, again.Y)
    assert not np.array_equal(data.X, other.X)


@pytest.mark.parametrize("name", NAMES)
def test_mi_is_the_mean_of_the_information(name):
    kind, values = describe_kind(name), kind_information(name, 2000, random_state=5)
    assert values.shape == (2000,)
    # 123 kinds: four standard errors, and half of one more where the information is skewed.
    assert abs(values.mean() - kind.mi) <= 4.5 * math.hypot(values.std() / math.sqrt(2000), kind.mi_error) + 1e-9


@pytest.mark.parametrize("name", QUADRATURE)
def test_stored_integrals_are_right(name):
    # Stored to five digits, up to five times: grids are good for 1e-4 at least.
    assert_allclose(describe_kind(name).mi, INTEGRALS[name](), atol=3e-4)


def test_two_clusters_are_a_problem_in_the_plane():
    """Only the coordinate along the line through the two centres counts."""
    rng = fixed(54)
    apart = [float(np.linalg.norm(np.diff(rng.standard_normal((2, 5)), axis=0))) for _ in "xy"]
    means = np.array([[0.0, 0.0], apart]) - np.mean(apart) / 2
    value = truths.plane_mixture([0.5, 0.5], means, [np.eye(2)] * 2, 9)
    kind = describe_kind("2 clusters, 5 + 5")
    assert abs(value - kind.mi) < 4 * kind.mi_error


def test_truths_that_others_give():
    assert_allclose(describe_kind("x-shaped 0.9").mi, 0.41, atol=0.005)  # Czyż et al. 2024
    assert_allclose(describe_kind("two classes").mi, 0.3368, atol=1e-4)  # JIDT's tests
    assert_allclose(describe_kind("gaussian or coins").mi, 1.29236, atol=1e-5)  # Gao et al. 2017
    assert_allclose(describe_kind("poisson with lost counts").mi, 0.2298, atol=2e-4)


SMOOTH = [  # one column per side, continuous, and no more than some neighbours can show
    *("gaussian 0.3", "gaussian 0.6", "gaussian -0.8", "gaussian, half-cube and exp", "gaussian, cdf and cube"),
    *("uniform noise 0.3", "uniform noise 1.5", "product of uniforms", "wave 1", "wave 3", "circle"),
    *("absolute value", "parabola", "two steps", "x-shaped 0.9", "plus-shaped", "against the trend", "four corners"),
    *("log-gamma 0.3", "log-gamma 1", "clayton 2", "frank 6", "dithered codes 6"),
]


@pytest.mark.parametrize("name", SMOOTH)
def test_neighbors_find_the_truth_in_many_rows(name):
    """Shares nothing with the densities: a wrong sampler would show."""
    data = make_kind(name, 8000, random_state=1)
    spread = kind_information(name, 8000, random_state=1).std() / math.sqrt(8000)
    # KSG's bias at 8,000 rows: up to .03 where densities have edges.
    assert abs(infold.KSG(n_neighbors=5).fit(data.X, data.Y).mi_ - data.mi) < 0.03 + 4 * spread


@pytest.mark.parametrize("name", ["codes 5", "coins", "parity of four bits, 4 + 1", "one-hot labels, 6 + 6"])
def test_counts_of_labels_find_the_truth(name):
    data = make_kind(name, 20_000, random_state=1)
    sides = [np.unique(side, axis=0, return_inverse=True)[1].ravel() for side in (data.X, data.Y)]
    joint = np.zeros((sides[0].max() + 1, sides[1].max() + 1))
    np.add.at(joint, tuple(sides), 1)
    # Standard errors are below .008; the plug-in's bias is (cells − rows − columns + 1) / 2n < .001.
    assert_allclose(truths.grid_mi(joint), data.mi, atol=0.03)


def test_no_image_stands_for_two_digits():
    images, labels = digits()
    assert len({(row.tobytes(), label) for row, label in zip(images, labels, strict=True)}) == len(
        {row.tobytes() for row in images}
    )
    data = make_kind("digits, 64 + 64", 300, random_state=0)
    known = {row.tobytes(): label for row, label in zip(images, labels, strict=True)}
    assert [known[row.tobytes()] for row in data.X] == [known[row.tobytes()] for row in data.Y]
    assert not {row.tobytes() for row in data.X} & {row.tobytes() for row in data.Y}


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"name='no such' is no kind of data; see list_kinds"):
        make_kind("no such")
    with pytest.raises(ValueError, match=r"family='no such' must be None or one of"):
        list_kinds("no such")
    with pytest.raises(ValueError, match=r"n_samples=0 must be an integer of at least 1"):
        make_kind("circle", 0)
    with pytest.raises(ValueError, match=r"seed=-1 must be an integer of at least 0"):
        make_random_kind(-1)


@pytest.mark.parametrize("seed", [1003, 1005, 1011, 1026, 1029])
def test_random_kinds_know_their_mi(seed):
    data, again = make_random_kind(seed, 300, random_state=2), make_random_kind(seed, 300, 2)
    assert_array_equal(data.X, again.X)
    assert_array_equal(data.Y, again.Y)
    assert np.isfinite(data.X).all()
    assert np.isfinite(data.Y).all()
    values = random_kind(seed)[1].draw(np.random.default_rng(1), 4000).information()
    assert abs(values.mean() - data.mi) < 4 * (values.std() / math.sqrt(4000) + 0.01)


@pytest.mark.parametrize("block", BLOCKS)
def test_blocks_of_random_kinds_agree_with_their_information(block):
    law = BLOCKS[block](np.random.default_rng(8))
    x, y, information = law.draw(np.random.default_rng(1), 1500)
    values = information()
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()
    assert np.isfinite(values).all()
    if law.mi is not None:
        assert abs(values.mean() - law.mi) <= 4.5 * values.std() / math.sqrt(1500) + 1e-9
