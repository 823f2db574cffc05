import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.data.question import Question
from infold.data.tables import Table


def gaussian(n=400, noise=0, seed=0, rho=0.9):
    return infold.datasets.make_gaussian(n, noise, rho=rho, random_state=seed)


def test_ksg_does_not_care_which_side_is_which_nor_for_row_order(rng):
    data = gaussian(noise=3)
    expected = infold.KSG().fit(data.X, data.Y)
    swapped = infold.KSG().fit(data.Y, data.X)
    assert swapped.mi_ == expected.mi_
    assert_array_equal(swapped.local_mi_, expected.local_mi_)
    order = rng.permutation(400)
    shuffled = infold.KSG().fit(data.X[order], data.Y[order])
    assert shuffled.mi_ == expected.mi_
    assert_array_equal(shuffled.local_mi_, expected.local_mi_[order])


def test_ksg_on_integers_ignores_offsets_and_row_order(rng):
    X, Y = rng.integers(0, 50, size=(2, 300, 2)).astype(float)
    expected = infold.KSG().fit(X, Y).local_mi_
    order = rng.permutation(300)
    assert_array_equal(infold.KSG().fit(X + 1e6, Y - 3).local_mi_, expected)
    assert_array_equal(infold.KSG().fit(X[order], Y[order]).local_mi_, expected[order])


def test_gaussian_truth():
    for rho in (0.3, 0.6, 0.9):
        data = gaussian(n=2000, rho=rho)
        # KSG's standard deviation at n = 2000 is below 0.03 here: four of them.
        assert_allclose(infold.KSG(5).fit(data.X, data.Y).mi_, data.mi, atol=0.12)


def test_gaussian_truth_in_two_dimensions(rng):
    shared = rng.normal(size=(3000, 2))
    X = 0.8 * shared + 0.6 * rng.normal(size=(3000, 2))
    Y = 0.8 * shared + 0.6 * rng.normal(size=(3000, 2))
    truth = -math.log(1 - 0.64**2)  # two pairs with correlation 0.64
    for metric in ("chebyshev", "euclidean", ("chebyshev", "euclidean")):
        # KSG in 2 + 2 dimensions is a few hundredths low, with a standard deviation near 0.03.
        assert_allclose(infold.KSG(metric=metric).fit(X, Y).mi_, truth, atol=0.12)


def test_atoms_are_discrete_information(rng):
    # Two bits copied: I = log 2 for the plug-in; ψ instead of log changes it by about 1 / n.
    bit = rng.integers(0, 2, size=400).astype(float)
    found = infold.KSG().fit(bit, 1 - bit).mi_  # that discrete rows repeat is no reason to warn
    p = bit.mean()
    assert_allclose(found, -p * math.log(p) - (1 - p) * math.log(1 - p), atol=0.01)
    independent = infold.KSG().fit(bit, rng.integers(0, 2, size=400)).mi_
    assert_allclose(independent, 0, atol=0.02)  # the plug-in's own bias is 1 / (2 n)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("power_x", "power_y"), [(660, -660), (1000, 0), (0, -1050)])
def test_no_unit_is_too_large_or_too_small(rng, d, power_x, power_y):
    X, Y = np.round(rng.normal(size=(2, 80, d)) * 2**10)  # few bits, so that none is lost below the smallest float
    Y += X
    expected = infold.KSG().fit(X, Y).local_mi_
    found = infold.KSG().fit(np.ldexp(X, power_x), np.ldexp(Y, power_y)).local_mi_
    assert found.tobytes() == expected.tobytes()


# Mixtures, counts and classes, with peers' sizes and tolerances.


def table(values, nominal=()):
    values = np.asarray(values, float)
    return Table(values if values.ndim == 2 else values[:, None], None, nominal)


def ksg(x, y, *, nominal="", **settings):
    """KSG's answer, `nominal` naming the sides all of whose columns are labels."""
    x, y = table(x), table(y)
    if "x" in nominal:
        x = x._replace(nominal=tuple(range(x.values.shape[1])))
    if "y" in nominal:
        y = y._replace(nominal=tuple(range(y.values.shape[1])))
    return infold.KSG(**settings)._fit(Question({"X": x, "Y": y})).mi_


@pytest.mark.parametrize("nominal", ["", "x"])
@pytest.mark.parametrize(("m", "truth"), [(3, 0.6365), (10, math.log(10) - 0.9 * math.log(2))])
def test_steps_with_uniform_noise(rng, nominal, m, truth):
    x = rng.integers(0, m, 7000)
    assert abs(ksg(x, x + 2 * rng.random(7000), nominal=nominal, n_neighbors=5) - truth) < 0.05  # bmi's bar


def test_a_mixture_of_a_density_and_atoms(rng):
    n = 1000
    x, noise = rng.normal(size=(2, n))
    bit = rng.integers(0, 2, n)
    other = np.where(rng.random(n) < 0.9, bit, 1 - bit)
    continuous = rng.random(n) < 0.5
    y = 0.9 * x + math.sqrt(1 - 0.81) * noise
    found = ksg(np.where(continuous, x, 10 + bit), np.where(continuous, y, 10 + other), n_neighbors=5)
    assert abs(found - 1.29236) < 0.09  # three deviations of one sample


@pytest.mark.parametrize("nominal", ["", "y"])
@pytest.mark.parametrize(("distance", "truth"), [(2, 0.3368), (8, 0.6931)])
def test_two_classes_of_gaussians(rng, nominal, distance, truth):
    y = rng.integers(0, 2, 10_000)
    assert abs(ksg(rng.normal(size=10_000) + distance * y, y, nominal=nominal, n_neighbors=4) - truth) < 0.05  # JIDT's


@pytest.mark.parametrize("nominal", ["", "y"])
def test_a_uniform_column_shifted_by_a_class(rng, nominal):
    y = rng.choice([0.0, 0.7, 0.7], 2000)
    assert abs(ksg(y + rng.random(2000), y, nominal=nominal) - 0.44556) < 0.05  # ennemi's


@pytest.mark.parametrize(("p", "truth"), [(0.3, 0.3054), (0.5, 0.3466)])
def test_a_coin_that_chooses_an_interval(rng, p, truth):
    y = rng.random(1000) < p
    assert abs(ksg(2 * rng.random(1000) - 1 + y, y, nominal="y") - truth) < 0.05  # scikit-learn's: one decimal


@pytest.mark.parametrize(("inflation", "truth"), [(0, 0.3012), (0.15, 0.2298), (0.7, 0.0658)])
def test_zero_inflated_counts(rng, inflation, truth):
    x = rng.exponential(size=4000)
    y = np.where(rng.random(4000) < inflation, 0, rng.poisson(x))
    assert abs(ksg(x, y, n_neighbors=5) - truth) < 0.04  # four deviations of one sample


OTHERS = {
    "normal": lambda rng: rng.normal(size=442),
    "whole": lambda rng: np.rint(rng.gamma(4, 40, 442)),
    "lognormal": lambda rng: rng.lognormal(size=442),
    "lognormal, rounded": lambda rng: np.round(rng.lognormal(size=442), 2),
    "counts": lambda rng: rng.poisson(30, 442),
    "few counts": lambda rng: rng.poisson(3, 442),
    "zeros": lambda rng: np.where(rng.random(442) < 0.5, 0, rng.normal(size=442)),
    "uniform steps of .1": lambda rng: np.round(rng.random(442), 1),
    "coin": lambda rng: rng.integers(0, 2, 442),
}


@pytest.mark.parametrize("nominal", ["", "x"])
@pytest.mark.parametrize("name", OTHERS)
def test_a_coin_knows_nothing(rng, name, nominal):
    # A sample's deviation is at most .025, so the mean's of eight .009.
    found = [ksg(rng.integers(0, 2, 442), OTHERS[name](rng), nominal=nominal) for _ in range(8)]
    assert abs(np.mean(found)) < 0.03


@pytest.mark.parametrize("step", [0.01, 0.1, 0.5, 1.0])
def test_rounding_costs_little_information(rng, step):
    # Of .223 nats, rounding to 1 leaves .183; a sample's deviation is .05, the mean's of ten .016.
    found = []
    for _ in range(10):
        x, noise = rng.normal(size=(2, 442))
        y = 0.6 * x + 0.8 * noise
        found.append(ksg(np.round(x / step) * step, np.round(y / step) * step))
    truth = {0.01: 0.2231, 0.1: 0.2227, 0.5: 0.2119, 1.0: 0.1832}[step]
    assert abs(np.mean(found) - truth) < 0.05


def test_a_class_and_a_column_are_what_scikit_learn_says(rng):
    from sklearn.feature_selection import mutual_info_classif

    for n, n_classes in ((60, 3), (500, 4)):
        y = rng.integers(0, n_classes, n)  # of classes with less than seven rows, its distances are rounded
        x = rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 2.0]
        expected = mutual_info_classif(x, y, discrete_features=False, n_neighbors=3, random_state=0)
        found = [ksg(column, y, nominal="y") for column in x.T]
        assert_allclose(found, expected, atol=1e-9)  # its noise is 1e-10


def test_diabetes_depends_on_the_body_mass_and_not_on_sex():
    from sklearn.datasets import load_diabetes

    data = load_diabetes()
    columns = dict(zip(data.feature_names, data.data.T, strict=True))
    for nominal in ("", "x"):
        assert abs(ksg(columns["sex"], data.target, nominal=nominal)) < 0.04
    assert ksg(columns["bmi"], data.target) > 0.1


def test_nominal_tables_have_the_plug_in_estimate(rng):
    x = rng.integers(0, 3, 300)
    y = np.where(rng.random(300) < 0.5, x, rng.integers(0, 3, 300))
    table = np.histogram2d(x, y, bins=(3, 3))[0] / 300
    plug_in = np.sum(table * np.log(table / table.sum(axis=1, keepdims=True) / table.sum(axis=0)))
    for nominal in ("", "xy"):  # nine cells for 300 rows: numbers, too, are as good as labels
        assert_allclose(ksg(x, y, nominal=nominal, discrete_bias="none"), plug_in, atol=1e-12)
        assert_allclose(ksg(x, y, nominal=nominal), plug_in - 4 / 600, atol=1e-12)


def test_an_unknown_bias_is_refused():
    with pytest.raises(ValueError, match="discrete_bias"):
        infold.KSG(discrete_bias="jackknife").fit(np.arange(9.0), np.arange(9.0)[::-1] ** 2)


def test_labels_on_all_sides_and_mixed_sides(rng):
    n = 1500
    label, other = rng.integers(0, 3, (2, n))
    number = rng.normal(size=n) + 3 * label
    # Y is the label with noise, X has the label as such and a number that depends on it: the label says it all.
    y = np.where(rng.random(n) < 0.7, label, rng.integers(0, 3, n))
    alone = ksg(label, y, nominal="xy")
    mixed = Question({"X": table(np.column_stack((number, label, other)), (1, 2)), "Y": table(y, (0,))})
    assert abs(infold.KSG()._fit(mixed).mi_ - alone) < 0.06
    for order in (np.array([2, 0, 1]), np.array([1, 2, 0])):
        renamed = Question(
            {"X": table(np.column_stack((number, order[label], order[other])), (1, 2)), "Y": table(order[y], (0,))}
        )
        assert infold.KSG()._fit(renamed).mi_ == infold.KSG()._fit(mixed).mi_


def test_few_rows_and_lonely_classes(rng):
    x = rng.normal(size=4)
    assert ksg(x, np.arange(4), nominal="y") == 0  # every class has one row
    assert ksg(x, np.zeros(4), nominal="y") == 0  # there is only one
    assert np.isfinite(ksg(x, [0, 0, 1, 1], nominal="y"))


@pytest.mark.parametrize("method", ["ksg", "gksg"])
def test_rare_combinations_of_classes_are_told(rng, method):
    x, y = (np.array([f"label {i}" for i in rng.integers(0, 40, 200)]) for _ in range(2))
    with pytest.warns(infold.DataWarning, match=r"only 1\.\d rows for each combination"):
        infold.mutual_information(x, y, method=method, random_state=0)
