"""Estimates given Z: peers' known answers, slow definitions, and what must change nothing."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors
from sklearn.base import clone
from sklearn.datasets import load_diabetes

import infold
from infold.core.copula import choice, conditional
from infold.core.knn.information import CONDITIONAL
from infold.core.knn.ksg import local_ksg
from infold.data.question import Question
from infold.data.tables import Table

ESTIMATORS = [infold.KSG(), infold.GeodesicKSG(n_estimators=20, random_state=0)]
BOTH = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


def normal(covariance, n, seed):
    """Columns of a normal distribution with mean 0."""
    return np.random.default_rng(seed).multivariate_normal(np.zeros(len(covariance)), covariance, n).T


def confounded(n=300, d=2, seed=0):
    """X and Y, each of d columns, and Z, which they share."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 2))
    X, Y = Z[:, :1] + rng.normal(size=(2, n, d))
    return X, Y + 0.5 * X, Z


# Known answers, with the peers' rows, neighbours and tolerances. Where one sample's deviation is larger than that, the
# mean of several is compared.


def answers(draw, k, runs, **settings):
    return np.mean([infold.KSG(k, **settings).fit(*draw(seed)).mi_ for seed in range(runs)])


@pytest.mark.parametrize("standardize", [True, False])
def test_three_normal_columns(standardize):
    covariance = [[1, 1, 1], [1, 4, 1], [1, 1, 9]]
    found = answers(lambda seed: normal(covariance, 1000, seed), 3, 20, standardize=standardize)
    assert abs(found - 0.12976) < 0.025  # ennemi's; one sample has a deviation of .023


@pytest.mark.parametrize(("rho", "n", "bar"), [(0.5, 200, 0.03), (0.75, 400, 0.01), (-0.9, 4000, 0.03)])
def test_an_independent_z_changes_nothing(rho, n, bar):
    def draw(seed):
        return *normal([[1, rho], [rho, 1]], n, seed), np.random.default_rng(1000 + seed).random(n)

    runs = 10 if n > 1000 else 100  # one sample of 200 or 400 rows has a deviation of .05
    assert abs(answers(draw, 3, runs) + 0.5 * math.log(1 - rho**2)) < bar  # ennemi's


@pytest.mark.slow
@pytest.mark.parametrize(("xy", "z", "truth"), [(0.99, 0, 1.9585), (0.99, 0.99, 0.1422)])
def test_nearly_singular_columns(xy, z, truth):
    covariance = [[1, xy, z], [xy, 1, z], [z, z, 1]]
    # IDTxl's; one sample has a deviation of .01.
    assert abs(answers(lambda seed: normal(covariance, 10_000, seed), 4, 5) - truth) < 0.08 * truth


@pytest.mark.slow
def test_three_confounders():
    (x, y), z = normal([[1, 0.3], [0.3, 1]], 10_000, 0), normal(np.eye(3), 10_000, 1)
    found = infold.KSG(10).fit(x + 0.5 * z.sum(axis=0), y + 0.7 * z.sum(axis=0), z.T).mi_
    assert abs(found - 0.04716) < 0.02  # tigramite's


@BOTH
def test_who_knows_y_learns_nothing(estimator, rng):
    x, y, other = rng.normal(size=(3, 314))
    with pytest.warns(infold.DataWarning, match=r"Y has columns that are in Z as well \(0\).*the answer is 0"):
        assert clone(estimator).fit(x, y, np.column_stack((other, y))).mi_ == 0
    with pytest.warns(infold.DataWarning, match="X has columns that are in Z"):
        assert clone(estimator).fit(x, y, x).mi_ == 0
    with pytest.warns(infold.DataWarning, match="the others are used"):
        found = clone(estimator).fit(np.column_stack((x, other)), y, other).mi_
    assert found == clone(estimator).fit(x, y, other).mi_


def test_terms_that_cancel_leave_0(rng):
    x, y = rng.normal(size=(2, 314))
    assert infold.KSG().fit(x, y, 2 * y).mi_ == 0  # in other units, exactly


def mesner_shalizi(name, n, seed):
    rng = np.random.default_rng(seed)
    if name == "normal":
        return *normal([[1, 0.8], [0.8, 1]], n, seed), rng.normal(size=n)
    if name == "discrete":
        cell = rng.choice(4, n, p=[0.4, 0.1, 0.1, 0.4])
        return cell // 2, cell % 2, rng.binomial(3, 0.5, n)
    if name == "mixture":
        x = rng.integers(0, 3, n)
        return x, x + 2 * rng.random(n), rng.binomial(8, 0.5, n)
    x = rng.exponential(10, n)
    z = rng.poisson(x)
    return x, rng.binomial(z, 0.5), z


@pytest.mark.parametrize(
    ("name", "truth", "published", "deviation"),
    [
        ("normal", 0.5108, 0.532, 0.023),
        ("discrete", 0.1927, 0.189, 0.018),
        ("mixture", 0.6365, 0.607, 0.014),
        ("chain", 0.0, 0.013, 0.010),
    ],
)
def test_as_near_as_mesner_and_shalizi(name, truth, published, deviation):
    found = answers(lambda seed: mesner_shalizi(name, 1000, seed), 7, 20)
    assert abs(found - truth) < abs(published - truth) + 3 * deviation / math.sqrt(20)


def test_a_confounder_is_subtracted(rng):
    for shape in (np.square, np.sin, np.abs):
        found = []
        for _ in range(5):
            z = 2 * rng.normal(size=500)
            x, y = shape(z) + 0.3 * rng.normal(size=(2, 500))
            assert infold.KSG().fit(x, y).mi_ > 0.3
            found.append(infold.KSG().fit(x, y, z).mi_)
        assert abs(np.mean(found)) < 0.12  # of up to 1.9 without Z: among neighbours Z still varies


def test_a_collider_makes_dependent(rng):
    x, y, noise = rng.normal(size=(3, 2000))
    found = infold.KSG().fit(x, y, x + y + noise).mi_
    assert_allclose(found, 0.5 * math.log(4 / 3), atol=0.06)


# Slow definitions.

SIZES = (2, 1, 2)


def awkward(name, rng, n=90):
    columns = rng.normal(size=(5, n))
    if name == "ties":
        columns = np.round(2 * columns) * np.array([[1.0], [math.sqrt(2)], [math.sqrt(3)], [math.pi], [math.e]])
    if name == "copies":
        columns[:, 40:70] = columns[:, [5]]
    if name == "Cauchy":
        columns = rng.standard_cauchy(columns.shape)
    if name == "n = k + 1":
        columns = columns[:, :4]
    nominal = np.zeros(5, bool)
    if name.startswith("classes"):
        nominal[[int(c) for c in name.split()[1:]]] = True
        columns[nominal] = rng.integers(0, 4, (np.count_nonzero(nominal), n))
    return columns, nominal


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
@pytest.mark.parametrize("metric", ["chebyshev", ("euclidean", "chebyshev", "euclidean")])
@pytest.mark.parametrize(
    "name", ["normal", "ties", "copies", "Cauchy", "n = k + 1", "classes 4", "classes 0 3 4", "classes 1 2 3 4"]
)
@pytest.mark.parametrize("strict", [False, True])
def test_ksg_matches_the_definition(rng, name, metric, strict):
    columns, nominal = awkward(name, rng)
    blocks, masks = (np.split(one, np.cumsum(SIZES)[:-1]) for one in (columns, nominal))
    norms = (metric,) * 3 if isinstance(metric, str) else metric
    distances = [neighbors.class_distance(b, m, 1e9, norm) for b, m, norm in zip(blocks, masks, norms, strict=True)]
    counts = neighbors.counts(distances, [(0, 2), (1, 2), (2,)], 3, far=1e9, strict=strict)
    if strict:
        discrete = dict(zip(("discrete_x", "discrete_y", "discrete_z"), masks, strict=True))
        local = infold.KSG(metric=metric, standardize=False).fit(*(block.T for block in blocks), **discrete).local_mi_
    else:
        local = local_ksg(columns.copy(), SIZES, 3, spaces=CONDITIONAL, metrics=norms, nominal=nominal)
    assert_allclose(local, neighbors.conditional_information(counts), atol=1e-11)


# Rows that tie, of infomeasure's own tests; its answers without noise are JIDT's as well.
SHORT = [1.0, 1.2, 0.9, 1.1, 1.3], [1.3, 1.1, 0.9, 1.2, 1.0], [1.0, 0.9, 1.2, 1.3, 1.1]
TENTHS = [1.04, 1.23, 0.92, 1.1, 1.34], *SHORT[1:]
TEN = (
    [-2.49, 1.64, -3.05, 7.95, -5.96, 1.77, -5.24, 7.03, -0.11, -1.86],
    [7.95, -5.96, 7.03, -0.11, -1.86, 1.77, -2.49, 1.64, -3.05, -5.24],
    [11.08, 8.41, 11.47, 8.78, 14.09, 6.03, 10.67, 9.45, 12.72, 11.12],
)


@pytest.mark.parametrize(
    ("columns", "k", "expected"),
    [(SHORT, 1, 0.6666666667), (SHORT, 4, 0.05), (TENTHS, 3, 0.2), (TEN, 4, -0.0928571429)],
)
def test_columns_as_they_are_have_the_answers_of_peers(columns, k, expected):
    found = infold.conditional_mutual_information(*columns, method="ksg", n_neighbors=k, standardize=False)
    assert_allclose(found.mi, expected, atol=1e-9)


def test_repeated_values_are_told_of_where_ties_do_not_count(rng):
    x, y, z = np.round(rng.normal(size=(3, 300)), 1)
    with pytest.warns(infold.DataWarning, match="Leave standardize=True"):
        infold.KSG(standardize=False).fit(x, y, z)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        infold.KSG().fit(x, y, z)
        infold.KSG(standardize=False).fit(*rng.normal(size=(3, 300)))


@BOTH
def test_nominal_tables_have_the_plug_in_estimate(estimator, rng):
    x, y, z = rng.integers(0, 3, (3, 300))
    y = np.where(rng.random(300) < 0.4, x, y)
    spaces, signs = [(0, 2), (1, 2), (2,)], (-1, -1, 1)
    expected = neighbors.plug_in([x, y, z], spaces, signs, miller_madow=True)
    fitted = clone(estimator).fit(x, y, z, discrete_x=True, discrete_y=True, discrete_z=True)
    assert_allclose(fitted.mi_, expected, atol=1e-12)


# What must change nothing.


@BOTH
@pytest.mark.parametrize("n_jobs", [2, -1])
def test_any_number_of_workers_gives_the_same_bits(estimator, n_jobs):
    tables = confounded(700)
    one, other = (clone(estimator).set_params(n_jobs=jobs).fit(*tables) for jobs in (1, n_jobs))
    assert_array_equal(one.local_mi_, other.local_mi_)
    assert_array_equal(other.local_mi_, clone(estimator).fit(*tables).local_mi_)


@BOTH
def test_units_change_nothing(estimator):
    X, Y, Z = confounded()
    expected = clone(estimator).fit(X, Y, Z).local_mi_
    assert_array_equal(clone(estimator).fit(4 * X, Y / 8, Z * [1024, 2]).local_mi_, expected)


def test_sides_rows_and_order_of_columns_change_nothing_in_ksg(rng):
    X, Y, Z = confounded()
    expected = infold.KSG().fit(X, Y, Z).local_mi_
    order = rng.permutation(len(X))
    assert_array_equal(infold.KSG().fit(Y, X, Z).local_mi_, expected)
    assert_array_equal(infold.KSG().fit(X, Y, Z[:, ::-1]).local_mi_, expected)
    assert_array_equal(infold.KSG().fit(X[order], Y[order], Z[order]).local_mi_, expected[order])


@BOTH
def test_a_constant_z_gives_nothing(estimator):
    X, Y, Z = confounded()
    expected = clone(estimator).fit(X, Y).local_mi_
    assert_array_equal(clone(estimator).fit(X, Y, None).local_mi_, expected)
    with pytest.warns(infold.DataWarning, match=r"Z has constant columns \(0, 1\).*the answer is that without Z"):
        assert_array_equal(clone(estimator).fit(X, Y, np.ones_like(Z)).local_mi_, expected)
    given = clone(estimator).fit(X, Y, Z).local_mi_
    with pytest.warns(infold.DataWarning, match=r"Z has constant columns \(2\).*the others are used"):
        found = clone(estimator).fit(X, Y, np.column_stack((Z, np.full(len(Z), 0.1)))).local_mi_
    assert_array_equal(found, given)


@BOTH
def test_a_constant_side_is_0(estimator):
    X, Y, Z = confounded()
    with pytest.warns(infold.DataWarning, match="the MI with it is 0"):
        assert clone(estimator).fit(X, np.zeros(len(Y)), Z).mi_ == 0


def test_a_z_that_is_constant_in_some_rows_is_left_out_there():
    X, Y, Z = confounded()
    Z[50:] = 1.0
    question = Question({name: Table(values, None) for name, values in zip("XYZ", (X, Y, Z), strict=True)})
    rows = np.arange(100, 300)
    for metric in ("chebyshev", ("chebyshev", "euclidean", "euclidean")):
        found = infold.KSG(metric=metric)._fit(question.with_rows(rows)).mi_
        pair = metric if isinstance(metric, str) else metric[:2]
        assert found == infold.KSG(metric=pair).fit(X[rows], Y[rows]).mi_


@BOTH
def test_names_of_classes_change_nothing(estimator, rng):
    X, Y, Z = confounded()
    label = rng.integers(0, 3, len(X))
    tables = [pd.DataFrame({"z": Z[:, 0], "site": np.array(list(names))[label]}) for names in ("abc", "zxy", "cab")]
    found = [clone(estimator).fit(X, Y, Z=table).mi_ for table in tables]
    assert found[0] == found[1] == found[2]


# Methods.


def test_paper_settings_take_z():
    X, Y, Z = confounded(100)
    fitted = infold.GeodesicKSG(**{**infold.paper_settings, "n_estimators": 10}, random_state=0).fit(X, Y, Z)
    assert math.isfinite(fitted.mi_)


@pytest.mark.parametrize("method", [infold.GKNN, infold.LNN])
def test_methods_for_two_sides_refuse_z(method):
    with pytest.raises(TypeError, match=r"is for X and Y alone, but Z has 2 columns; leave Z out, or take another"):
        method().fit(*confounded(60))


def test_auto_hands_all_three_tables_over(monkeypatch):
    X, Y, Z = confounded(80)
    site = np.arange(80) % 3
    seen = {}

    def answer(x, y, z, k, random_state, *, nominal, n_jobs, verbose):
        seen.update(x=x, y=y, z=z, k=k, random_state=random_state, nominal=nominal)
        return choice.zero(len(x), 0.5, "nothing was looked at")

    monkeypatch.setattr(conditional, "adapt_given", answer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        fitted = infold.Adaptive(4, random_state=7).fit(
            X, Y, np.column_stack((Z, site, np.zeros(80))), discrete_z=[2], discrete_x=False
        )
    assert (fitted.mi_, fitted.pvalue_, fitted.reason_) == (0, 0.5, "nothing was looked at")
    assert (seen["k"], seen["random_state"]) == (4, 7)
    for name, table in zip("xyz", (X, Y, np.column_stack((Z, site))), strict=True):
        assert_array_equal(seen[name], table)
        assert seen[name].dtype == np.float64
    assert [mask.tolist() for mask in seen["nominal"]] == [[False] * 2, [False] * 2, [False, False, True]]


@pytest.mark.parametrize("metric", [("chebyshev",) * 2, ("chebyshev",) * 4])
def test_metrics_are_one_for_each_table(metric):
    with pytest.raises(ValueError, match="one name or a triple, for X, Y and Z"):
        infold.KSG(metric=metric).fit(*confounded(60))


def test_rounded_measurements_are_cleaned_of_z():
    # In 100 and 184 values, of 442 rows; partial correlations of their normal scores are .23 and .41.
    table = load_diabetes(as_frame=True, scaled=False).frame
    for column, partial in (("bp", 0.23), ("s5", 0.41)):
        found = infold.conditional_mutual_information(
            table[[column]], table[["target"]], table[["bmi"]], random_state=0
        )
        assert found.mi == pytest.approx(-0.5 * np.log(1 - partial**2), abs=0.03)


def test_columns_that_are_constant_in_half_of_the_rows(rng):
    n = 120
    z, rare = rng.integers(0, 2, n), np.zeros(n)
    rare[:2] = 1.0  # in one half alone, mostly
    x = np.column_stack([rng.normal(size=n), rare])
    y = x[:, :1] + rng.normal(size=(n, 1))
    for seed in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", infold.DataWarning)
            assert infold.conditional_mutual_information(x, y, z, discrete_z=True, random_state=seed).mi > 0.1
