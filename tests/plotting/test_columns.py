"""Pictures of samples and columns show the numbers, and any name as it is."""

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold import plotting
from infold.data.tables import Table
from infold.plotting.columns import principal_plane

from .conftest import NAMES

pytest.importorskip("matplotlib")


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


def test_relevance_bars_are_the_scores_and_hatched_where_not_relevant(relevance):
    ax = plotting.plot_relevance(relevance)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert len(names) == 5
    widths = [bar.get_width() for bar in ax.patches]
    assert sorted(widths) == sorted([*relevance.scores_x, *relevance.scores_y])
    hatched = [bar.get_hatch() is not None for bar in ax.patches]
    score_of = {row["score"]: row for row in relevance.columns()}
    assert hatched == [not score_of[width]["relevant"] for width in widths]
    thresholds = {*relevance.threshold_x, *relevance.threshold_y}
    assert {line.get_xdata()[0] for line in ax.get_lines()} >= thresholds
    assert "threshold" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_relevance_by_p_values_has_no_threshold(data):
    ax = plotting.plot_relevance(infold.relevance(*data, random_state=0))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["relevant", "not relevant"]


def test_many_columns_are_cut_to_the_highest(relevance):
    ax = plotting.plot_relevance(relevance, max_columns=1)
    assert [bar.get_width() for bar in ax.patches] == [relevance.scores_x.max(), relevance.scores_y.max()]
    assert "of 5 in all" in ax.get_title()


@pytest.mark.filterwarnings("ignore:Glyph .* missing")
def test_any_name_can_be_drawn(data, diagnosis, relevance):
    for ax in (plotting.plot_relevance(relevance), plotting.plot_local(diagnosis.estimate, data[1])):
        ax.figure.savefig(io.BytesIO(), format="svg")
