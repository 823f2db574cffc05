"""What a smooth function of Z leaves of columns, against leaving out each row in turn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from infold.core.copula import residuals
from infold.core.copula.scores import normal_scores


def test_rows_are_left_out_of_their_own_prediction(rng):
    z = rng.normal(size=(40, 1))
    t = np.sin(2 * z[:, 0]) + 0.3 * rng.normal(size=40)
    t -= t.mean()
    (basis, *_), ridge = residuals.bases_of(z, rng), 1.0
    found = residuals.left_over(t, [basis])
    features = basis.u * np.sqrt(basis.squares)
    best = np.inf
    for ridge in residuals.RIDGES:
        left = []
        for i in range(40):
            others = np.arange(40) != i
            f = features[others]
            weights = np.linalg.solve(f.T @ f + ridge * np.eye(f.shape[1]), f.T @ t[others])
            left.append(t[i] - features[i] @ weights)
        if np.sum(np.square(left)) < best:
            best, expected = np.sum(np.square(left)), left
    assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [np.sin, np.abs, np.square, lambda z: z, np.sign])
def test_little_of_z_is_left(shape):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(500, 3))
    noise = rng.normal(size=500)
    x = normal_scores((2 * shape(z).sum(axis=1) + noise)[:, None])
    left = residuals.residuals(x, residuals.Known(normal_scores(z), rng), rng).residuals[:, 0]
    assert abs(np.corrcoef(left, shape(z).sum(axis=1))[0, 1]) < 0.15  # three deviations of .045
    assert np.corrcoef(left, noise)[0, 1] > 0.7


def test_a_scale_that_follows_z_is_divided_out():
    rng = np.random.default_rng(1)
    z = rng.normal(size=(600, 1))
    x = np.exp(0.7 * z) * rng.normal(size=(600, 1))
    left = residuals.residuals(normal_scores(x), residuals.Known(normal_scores(z), rng), rng)
    assert abs(np.corrcoef(np.abs(left.residuals[:, 0]), z[:, 0])[0, 1]) < 0.12
    assert np.corrcoef(np.log(left.scales[:, 0]), z[:, 0])[0, 1] > 0.9


def test_independent_columns_stay_nearly_as_they_are(rng):
    x, z = normal_scores(rng.normal(size=(300, 2))), normal_scores(rng.normal(size=(300, 5)))
    left = residuals.residuals(x, residuals.Known(z, rng), rng).residuals
    assert np.diag(np.corrcoef(left.T, x.T)[:2, 2:]).min() > 0.95


def test_a_pure_interaction_is_found_and_steps_are_rough():
    roughness = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        z, noise = rng.normal(size=(500, 3)), rng.normal(size=500)
        known = residuals.Known(normal_scores(z), rng, rough=True)
        pair, step, line = (
            residuals.residuals(normal_scores((2 * cause + noise)[:, None]), known, rng)
            for cause in (np.sign(z[:, 0] * z[:, 1]), np.sign(z[:, 0]), z[:, 0])
        )
        # The pair's cause, which no single column tells of, has a correlation of .9 with the column.
        assert abs(np.corrcoef(pair.residuals[:, 0], np.sign(z[:, 0] * z[:, 1]))[0, 1]) < 0.5
        roughness.append((step.smoothers[0].roughness, line.smoothers[0].roughness))
    of_step, of_line = np.mean(roughness, axis=0)  # single ones have a deviation of .02 and .01
    assert of_step > 0.02
    assert of_line < 0


@pytest.mark.parametrize("columns", [5, 40])
def test_a_basis_keeps_all_inner_products(columns, rng):
    features = [rng.normal(size=(20, columns)), rng.normal(size=(20, 3))]
    basis, table = residuals.as_basis(features), np.hstack(features)
    assert_allclose(basis.u.T @ basis.u, np.eye(basis.squares.size), atol=1e-10)
    assert_allclose(basis.u * basis.squares @ basis.u.T, table @ table.T, atol=1e-10)


def test_a_column_that_others_hide_is_found():
    # Eight columns act alike, by curves that ranks show badly. One missed has a correlation of .4 to .6 with what is
    # left; asked only once, 11 of these 12 samples miss one.
    missed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        z, noise = rng.normal(size=(200, 8)), rng.normal(size=200)
        parts = z**3 / 3 - z
        x = (parts.sum(axis=1) + noise)[:, None]
        left = residuals.residuals(x, residuals.Known(z, rng), rng, for_test=True).residuals[:, 0]
        missed += max(abs(np.corrcoef(left, part)[0, 1]) for part in parts.T) > 0.2
    assert missed <= 2


@pytest.mark.parametrize("n", [30, 100])
def test_a_basis_through_all_rows_does_not_seem_to_predict_them(n, rng):
    z, noise = rng.normal(size=(n, 2)), rng.normal(size=n)
    smoother = residuals.best_smoother(noise - noise.mean(), residuals.bases_of(z, rng, rough=True))
    assert smoother is None or smoother.leverages.mean() < 0.5


def test_units_of_columns_with_outliers_and_ties(rng):
    normal = rng.normal(size=500)
    table = np.column_stack([5 + 2 * normal, np.append(normal[:-1], 1e300), np.full(500, 7.0), 1e-300 * normal])
    units = residuals.like_units(table)
    assert np.isfinite(units).all()
    assert_allclose(units[:, 0], (normal - np.median(normal)) / np.std(normal), atol=0.2)  # a spread is known to ± 4 %
    assert (units[:, 2] == 0).all()
    assert_allclose(units[:, 3], units[:, 0], rtol=1e-6, atol=1e-9)
    rounded = np.round(normal, 1)
    order = np.lexsort((rng.random(500), rounded))
    scores = np.empty(500)
    scores[order] = np.arange(500)
    spread = residuals.untied(rounded, scores)
    assert (np.diff(spread[order]) >= 0).all()
    assert np.abs(spread - rounded)[np.abs(rounded) < 1.5].max() < 0.1001
    assert_allclose(residuals.untied(normal, normal), normal)
