"""Pictures of results show the results' numbers and differ in more than colour."""

import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold import plotting

pytest.importorskip("matplotlib")


def test_null_shows_every_permutation_and_the_estimate(test):
    ax = plotting.plot_null(test)
    assert sum(bar.get_height() for bar in ax.patches) == 19
    mean, observed = (line.get_xdata()[0] for line in ax.get_lines())
    assert (mean, observed) == (test.null_mean, test.statistic)
    assert ax.get_xlabel() == "mutual information (nats)"
    assert f"p = {test.pvalue:.2g}" in ax.get_title()


def test_null_of_a_statistic_that_is_no_mi(data):
    X, Y = data[0].values[:, 1], data[1].values[:, 1]
    test = infold.independence_test(X, Y, method="auto", n_permutations=19, random_state=0)
    ax = plotting.plot_null(test)
    assert ax.get_xlabel() == "evidence of dependence (−log10 p)"
    assert sum(bar.get_height() for bar in ax.patches) == 19


def test_interval_has_its_ends_and_the_drift(interval):
    ax = plotting.plot_interval(interval)
    (bar,) = [c for c in ax.collections if type(c).__name__ == "LineCollection"]
    assert_allclose(bar.get_segments()[0][:, 1], [interval.low, interval.high])
    drift = ax.get_lines()[0]
    assert_array_equal(drift.get_xdata()[:-1], [s for s in sorted(interval.sizes) if s < 80])
    assert drift.get_ydata()[-1] == interval.mi
    assert "90 % interval" in [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("over", ["size", "neighbors"])
def test_drift_shows_every_value(diagnosis, over):
    ax = plotting.plot_drift(diagnosis, over=over)
    lines = [line for line in ax.get_lines() if line.get_marker() in ("o", "^")]
    shown = dict(zip(lines[0].get_xdata(), lines[0].get_ydata(), strict=True))
    expected = {n: mean for n, (mean, _) in diagnosis.over_size.items()} if over == "size" else diagnosis.over_neighbors
    assert {x: shown[x] for x in expected} == dict(expected)
    assert ax.get_lines()[0].get_ydata()[0] == diagnosis.estimate.mi


def test_drift_refuses_what_it_does_not_know(diagnosis):
    with pytest.raises(ValueError, match="over='time' is not known"):
        plotting.plot_drift(diagnosis, over="time")


def test_comparison_fills_the_method_that_was_used(diagnosis):
    ax = plotting.plot_comparison(diagnosis)
    points = [line for line in ax.get_lines() if line.get_marker() == "o"]
    shown = [text.get_text().removesuffix(" (used)") for text in ax.get_yticklabels()]
    assert {name: p.get_xdata()[0] for name, p in zip(shown, points, strict=True)} == dict(diagnosis.methods)
    assert [p.get_markerfacecolor() == "white" for p in points] == [name != "ksg" for name in shown]


def test_planted_shows_truth_mean_and_power(diagnosis):
    ax = plotting.plot_planted(diagnosis)
    means = next(line for line in ax.get_lines() if line.get_marker() == "D").get_ydata()
    assert_array_equal(means, [row["mean"] for row in diagnosis.planted])
    assert sum("power" in text.get_text() for text in ax.get_xticklabels()) == len(diagnosis.planted) - 1
