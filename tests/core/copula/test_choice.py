"""What counts of an excess, and which candidate answers."""

import numpy as np
import pytest

from infold.core.copula.choice import (
    DOUBTFUL,
    SHARP,
    SURE,
    VIEWS,
    VIEWS_OF_ONE_COLUMN,
    Candidate,
    choose,
    sampling_error,
    weigh,
)


def candidate(columns, view, linear, excess, pvalue, error=0.01):
    weight = weigh(view, excess, pvalue, linear, 6)
    return Candidate(columns, view, linear, excess, 0.0, pvalue, weight, error, 0.02)


def test_an_excess_counts_as_far_as_it_is_proven():
    for view, n_columns, n_views in (("columns", 3, VIEWS), ("columns", 2, VIEWS_OF_ONE_COLUMN), (SHARP, 2, VIEWS)):
        assert weigh(view, 0.3, DOUBTFUL / n_views, 0.5, n_columns) == pytest.approx(0)
        assert weigh(view, 0.3, SURE / n_views, 0.5, n_columns) == pytest.approx(1)
        assert weigh(view, 0.3, np.sqrt(DOUBTFUL * SURE) / n_views, 0.5, n_columns) == pytest.approx(0.5)
        assert weigh(view, 0.3, 0.0, 0.5, n_columns) == 1
        assert weigh(view, -0.3, 0.0, 0.5, n_columns) == 0


def test_a_sure_excess_beats_a_larger_doubtful_one():
    gaussian, guess = candidate("all", "gaussian", 0.5, 0, 1), candidate("all", "columns", 0.5, 0.3, 0.02)
    sure = candidate("all", "radii", 0.5, 0.1, 1e-5)
    assert (guess.mi, sure.mi) == (0.5, 0.6)
    assert choose([gaussian, guess, sure])[0] is sure


def test_without_linear_part_any_view_counts_but_the_sharp_look():
    assert weigh("columns", 0.3, 0.2, 0.0, 2) == 1
    assert weigh(SHARP, 0.9, 0.2, 0.0, 2) == 0


def test_all_columns_must_beat_screened_ones_beyond_the_margin():
    few = candidate("screened", "gaussian", 0.5, 0, 1, error=0.03)
    for more, taken in ((0.05, "screened"), (0.2, "all")):  # margin 2 √(.05² − .03²) = .08
        answer, reason = choose([few, candidate("all", "gaussian", 0.5 + more, 0, 1, error=0.05)])
        assert answer.columns == taken
        assert "0.080" in reason


def test_sampling_error_is_that_of_a_gaussian_pair(rng):
    n, rho = 200, 0.7
    truth, found = -0.5 * np.log1p(-(rho**2)), []
    for _ in range(1000):
        x, e = rng.normal(size=(2, n))
        y = rho * x + np.sqrt(1 - rho**2) * e
        found.append(truth + np.mean((x**2 + y**2) / 2 - (x**2 - 2 * rho * x * y + y**2) / (2 * (1 - rho**2))))
    assert np.std(found) == pytest.approx(sampling_error(truth, n), rel=0.1)  # four deviations of 1 / √2000
