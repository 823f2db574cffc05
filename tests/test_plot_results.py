"""Pictures of results show the results' numbers, any name as it is, and differ in more than colour."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold import plotting
from infold._figures import label
from infold._plot_columns import principal_plane
from infold.data.tables import Table

pytest.importorskip("matplotlib")

NAMES = ("$\\frac{", "a & b", "x" * 80)
QUICK = {"method": "ksg", "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(80, 3)), rng.normal(size=(80, 2))
    Y[:, 0] += 2 * X[:, 0]
    return Table(X, NAMES), Table(Y, ("<b>", "温度"))


@pytest.fixture(scope="module")
def test(data):
    return infold.independence_test(*data, n_permutations=19, **QUICK)


@pytest.fixture(scope="module")
def interval(data):
    return infold.confidence_interval(*data, level=0.9, **QUICK)


@pytest.fixture(scope="module")
def diagnosis(data):
    return infold.diagnose(*data, n_simulations=2, **QUICK)


@pytest.fixture(scope="module")
def relevance(data):
    return infold.relevance(*data, n_permutations=19, random_state=0)


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
    assert ax.get_xlabel() == "test statistic (−log10 p)"
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


@pytest.mark.parametrize(("columns", "axis"), [(1, "$\\frac{"), (2, "$\\frac{"), (3, "component 1")])
def test_local_values_lie_where_their_samples_are(data, diagnosis, columns, axis):
    points = Table(data[0].values[:, :columns], NAMES[:columns])
    ax = plotting.plot_local(diagnosis.estimate, points)
    (drawn,) = ax.collections
    order = np.argsort(diagnosis.estimate.local, kind="stable")
    assert_array_equal(drawn.get_array(), diagnosis.estimate.local[order])
    if columns < 3:
        assert_array_equal(drawn.get_offsets()[:, 0], points.values[order, 0])
    assert ax.get_xlabel().startswith(axis)


def test_local_values_of_some_rows_only(data):
    result = infold.mutual_information(*data, method="gksg", n_estimators=10, max_queries=20, random_state=0)
    (drawn,) = plotting.plot_local(result, data[1]).collections
    assert drawn.get_offsets().shape == (20, 2)
    assert set(drawn.get_offsets()[:, 0]) == set(data[1].values[result.query_rows, 0])
    with pytest.raises(ValueError, match="points has 79 rows, but the result is about 80 samples"):
        plotting.plot_local(result, data[1].values[1:])


@pytest.mark.parametrize("shape", [(50, 4), (6, 20)])
def test_principal_plane_by_its_definition(rng, shape):
    values = rng.normal(size=shape) * np.arange(1, shape[1] + 1)
    values[:, 1] += values[:, 0]
    plane, shares = principal_plane(values)
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    _, singular, axes = np.linalg.svd(z)
    assert_allclose(np.abs(plane), np.abs(z @ axes[:2].T), atol=1e-9)
    assert_allclose(shares, singular[:2] ** 2 / np.sum(singular**2))


def test_relevance_bars_are_the_scores_and_hatched_below_the_threshold(relevance):
    ax = plotting.plot_relevance(relevance)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert len(names) == 5
    widths = [bar.get_width() for bar in ax.patches]
    assert sorted(widths) == sorted([*relevance.scores_x, *relevance.scores_y])
    hatched = [bar.get_hatch() is not None for bar in ax.patches]
    thresholds = [relevance.threshold_x] * 3 + [relevance.threshold_y] * 2
    assert hatched == [not width > threshold for width, threshold in zip(widths, thresholds, strict=True)]
    assert {line.get_xdata()[0] for line in ax.get_lines()} >= {relevance.threshold_x, relevance.threshold_y}


def test_many_columns_are_cut_to_the_highest(relevance):
    ax = plotting.plot_relevance(relevance, max_columns=1)
    assert [bar.get_width() for bar in ax.patches] == [relevance.scores_x.max(), relevance.scores_y.max()]
    assert "of 5 in all" in ax.get_title()


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_any_name_can_be_drawn(data, diagnosis, relevance):
    for ax in (plotting.plot_relevance(relevance), plotting.plot_local(diagnosis.estimate, data[1])):
        ax.figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.parametrize(("name", "shown"), [("a\n b\x00", "a b"), ("x" * 40, "x" * 10 + "…" + "x" * 9), (3, "3")])
def test_labels_are_one_short_line(name, shown):
    assert label(name) == shown


def test_axes_in_axes_out(data, test, interval, diagnosis, relevance):
    from matplotlib.figure import Figure

    calls = (
        lambda ax: plotting.plot_null(test, ax=ax),
        lambda ax: plotting.plot_interval(interval, ax=ax),
        lambda ax: plotting.plot_drift(diagnosis, ax=ax),
        lambda ax: plotting.plot_comparison(diagnosis, ax=ax),
        lambda ax: plotting.plot_planted(diagnosis, ax=ax),
        lambda ax: plotting.plot_local(diagnosis.estimate, data[0], ax=ax),
        lambda ax: plotting.plot_relevance(relevance, ax=ax),
    )
    for call in calls:
        left, right = Figure(layout="constrained").subplots(1, 2)
        assert call(left) is left
        assert not right.has_data()
