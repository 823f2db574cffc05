"""Student's copula against densities of SciPy, known MI, and data that it must not fit."""

import math

import numpy as np
import pytest
import reference.copula as naive
from numpy.testing import assert_allclose

from infold.core.copula import student
from infold.core.copula.gaussian import gaussian_part
from infold.core.copula.scores import normal_scores


def rows_of(rng, n, scatter, nu):
    """Rows of Student's t."""
    z = rng.multivariate_normal(np.zeros(len(scatter)), scatter, n)
    return z / np.sqrt(rng.chisquare(nu, (n, 1)) / nu)


def a_scatter(rng, d):
    loadings = rng.normal(size=(d, d + 2))
    return loadings @ loadings.T


def test_log_ratios_match_densities(rng):
    scatter, x, y = a_scatter(rng, 5), rng.normal(size=(6, 2)), rng.normal(size=(6, 3))
    law = student.StudentLaw(2.5, scatter)
    found = student.all_log_ratios(law, x, y)
    assert_allclose(found, [[naive.student_log_ratio(a, b, scatter, 2.5) for b in y] for a in x], rtol=1e-9)
    rows = np.hstack([x, y])
    assert_allclose(student.log_ratios(law, x, y, law.squared_lengths(rows)), np.diagonal(found), rtol=1e-9)


def test_the_scatter_is_the_most_likely_one(rng):
    rows = rows_of(rng, 300, a_scatter(rng, 3), 2)
    law = student.fit_scatter(rows, 2.0, np.eye(3))
    weighted = sum(np.outer(row, row) * 5 / (2 + row @ np.linalg.solve(law.scatter, row)) for row in rows) / 300
    assert_allclose(law.scatter, weighted, rtol=0.01, atol=0.01 * np.abs(weighted).max())  # it stops at 1e-3 a step


def test_degrees_of_freedom_are_the_most_likely_ones(rng):
    scores = normal_scores(rows_of(rng, 400, a_scatter(rng, 4), 3))
    found = student.fit_student(scores)
    assert found is not None
    law, rows = found
    assert 2 < law.degrees < 4.5  # their standard error is about .3
    own = naive.student_copula_likelihood(scores, law.scatter, law.degrees)
    for degrees in (0.8 * law.degrees, 1.25 * law.degrees):
        quantiles = naive.student_t.ppf(naive.norm.cdf(scores), degrees)
        other = student.fit_scatter(quantiles, degrees, np.eye(4)).scatter
        assert naive.student_copula_likelihood(scores, other, degrees) < own
    assert_allclose(rows, naive.student_t.ppf(naive.norm.cdf(scores), law.degrees), rtol=1e-6)


@pytest.mark.parametrize(("p", "q", "nu"), [(2, 2, 1.0), (5, 5, 2.0), (3, 6, 4.0)])
def test_uncorrelated_columns_that_share_a_scale(rng, p, q, nu):
    rows = normal_scores(rows_of(rng, 1000, np.eye(p + q), nu))
    found = student.student_part(rows[:, :p], rows[:, p:])
    assert found is not None
    # The degrees are known to about 5 %, which makes .02; 3 standard errors.
    assert found.mi == pytest.approx(naive.student_mi(p, q, nu), abs=0.06)


def test_correlation_that_heavy_tails_hide_from_ranks(rng):
    scatter = a_scatter(rng, 12)
    half = (np.linalg.slogdet(part)[1] / 2 for part in (scatter[:6, :6], scatter[6:, 6:], scatter))
    of_x, of_y, of_both = half
    truth = of_x + of_y - of_both + naive.student_mi(6, 6, 1.5)
    rows = normal_scores(rows_of(rng, 1000, scatter, 1.5))
    found = student.student_part(rows[:, :6], rows[:, 6:])
    assert found is not None
    assert gaussian_part(rows[:, :6], rows[:, 6:]).mi < 0.75 * truth
    assert 0.85 * truth < found.mi < truth + 0.1  # ranks blur the tails, so it stays a little below


def test_gaussian_rows_and_clusters_have_none(rng):
    fitted = 0
    for _ in range(20):
        a, b = np.hsplit(normal_scores(rng.normal(size=(300, 6))), 2)
        found = student.student_part(a, b)
        fitted += found is not None
        assert found is None or found.mi < gaussian_part(a, b).mi + 0.02
    assert fitted <= 6  # one of ten samples has a likelihood that a few degrees of freedom raise by chance
    label = rng.integers(0, 3, 300)
    centres = 4 * rng.normal(size=(3, 6))
    scales = np.exp(rng.normal(size=(300, 1)))
    rows = normal_scores(centres[label] + scales * rng.normal(size=(300, 6)))
    found = student.student_part(rows[:, :3], rows[:, 3:])
    assert found is None or found.mi < math.log(3) + 0.1


def test_scales_of_their_own_share_nothing(rng):
    rows = [np.exp(rng.normal(size=(500, 1))) * rng.normal(size=(500, 4)) for _ in range(2)]
    found = student.student_part(*map(normal_scores, rows))
    assert found is None or found.mi < 0.02  # that of 500 rows has a standard error of .01


@pytest.mark.parametrize("noise", [0, 1e-8, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("n", [12, 40, 100, 300])
def test_columns_that_tell_another_are_no_error(rng, n, noise):
    """A copy has no density, and with little noise the scatter of heavy tails may be singular."""
    for scale in (1.0, rng.standard_cauchy((n, 1))):
        x = scale * rng.normal(size=(n, 2))
        rows = normal_scores(np.hstack([x, scale * x + noise * rng.normal(size=(n, 2))]))
        found = student.student_part(rows[:, :2], rows[:, 2:])
        assert found is None or np.isfinite(found.mi)
        if noise == 0 and np.ndim(scale) == 0:
            assert found is None


def test_two_scales_tell_no_more_than_which_of_them_a_row_has():
    # Student's t would say about 1.5 nats; which of two scales a row has is .61 nats at most.
    rng = np.random.default_rng(2)
    scale = np.where(rng.random(400) < 0.3, 3.0, 1.0)[:, None]
    x, y = scale * rng.normal(size=(2, 400, 60))
    law = student.StudentLaw(2.0, np.eye(120))
    said = 2 * law.of(slice(60)).shape_entropy() - law.shape_entropy()
    assert said > 1.4
    assert 0.4 < student.told_by_scale(law, x, y) < 0.75  # KSG's standard error is about .06
    t = rng.normal(size=(2, 400, 60)) / np.sqrt(rng.chisquare(2, size=(400, 1)) / 2)
    assert student.told_by_scale(law, *t) > said - 0.25
