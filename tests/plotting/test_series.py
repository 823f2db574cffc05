"""Pictures of series show the results' numbers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import infold
from infold import plotting

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    return x, np.roll(x, 1) + rng.normal(size=200)


def test_lags_are_in_order_with_their_threshold(pair):
    found = infold.lagged_mutual_information(*pair, [2, 0, 1], n_surrogates=39, random_state=0)
    ax = plotting.plot_lags(found)
    estimates = next(line for line in ax.get_lines() if line.get_label() == "estimate")
    assert_array_equal(estimates.get_xdata(), [0, 1, 2])
    assert_array_equal(estimates.get_ydata(), found.mi[[1, 2, 0]])
    (marked,) = (line for line in ax.get_lines() if line.get_label().startswith("corrected"))
    assert_array_equal(marked.get_xdata(), np.sort(np.array(found.lags)[found.corrected_pvalues <= 0.05]))


def test_local_values_in_time(pair):
    found = infold.transfer_entropy(*pair, n_surrogates=19, random_state=0)
    line = next(line for line in found.plot().get_lines() if line.get_label() == "local")
    assert_array_equal(line.get_ydata(), found.local)


def test_windows_are_a_line_or_a_map(pair):
    one = infold.lagged_mutual_information(*pair, [1], windows=50, n_surrogates=0).windows.plot()
    assert one.get_ylabel() == "information (nats)"
    many = infold.lagged_mutual_information(*pair, [1, 2], windows=50, n_surrogates=0).windows.plot()
    assert many.get_ylabel() == "lag"


def test_matrix_marks_what_is_significant(pair):
    found = infold.transfer_entropy_matrix(np.column_stack(pair), n_surrogates=99, random_state=0)
    (dots,) = found.plot().get_lines()
    assert (dots.get_xdata().tolist(), dots.get_ydata().tolist()) == ([1], [0])


def test_results_draw_in_pyplot_where_notebooks_look(pair):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    lags = infold.lagged_mutual_information(*pair, [1], windows=50, n_surrogates=0)
    transfer = infold.transfer_entropy(*pair, n_surrogates=0)
    matrix = infold.transfer_entropy_matrix(np.column_stack(pair), n_surrogates=19, random_state=0)
    for result in (lags, lags.windows, transfer, matrix):
        ax = result.plot()
        assert pyplot.gcf() is ax.figure
        assert result.plot(ax=ax) is ax
        pyplot.close(ax.figure)


def test_no_pvalue_is_drawn_as_0(pair):
    lags = infold.lagged_mutual_information(*pair, [1], n_surrogates=19, random_state=0)
    assert plotting.plot_lags(replace(lags, pvalue=0.0)).get_title() == "p < 1e-09"
    transfer = infold.transfer_entropy(*pair, n_surrogates=19, random_state=0)
    assert plotting.plot_transfer(replace(transfer, pvalue=0.0)).get_title().startswith("p < 1e-09, effective")
