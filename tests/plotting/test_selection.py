import numpy as np
import pytest

from infold.plotting import plot_selection
from infold.selection import InformationSelector


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 6))
    return InformationSelector(random_state=0).fit(X, X[:, 1] + X[:, 4] + 0.5 * rng.normal(size=200))


def test_path_is_drawn_in_order(fitted):
    ax = fitted.plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"column {step.column}" for step in fitted.path_]
    assert len(ax.patches) == 2 * len(fitted.path_) == 4
    assert ax.get_legend_handles_labels()[1] == ["alone: I(column; target)", "when selected: jmi"]
    ax.figure.canvas.draw()


def test_many_columns_and_none(fitted):
    ax = plot_selection(fitted, max_columns=1)
    assert ax.get_title() == "the first 1 of 2 selected columns"
    X = np.random.default_rng(1).normal(size=(50, 3))
    empty = InformationSelector(random_state=0).fit(X[:, :2], X[:, 2])
    assert [text.get_text() for text in plot_selection(empty, ax=ax).texts][-1] == "no column was selected"


def test_a_selector_draws_in_pyplot_and_no_pvalue_as_0(fitted):
    from copy import copy

    from matplotlib import pyplot

    selector = copy(fitted)
    selector.path_ = tuple(step._replace(pvalue=0.0) for step in fitted.path_)
    ax = selector.plot()
    assert pyplot.gcf() is ax.figure
    assert {text.get_text() for text in ax.texts} == {"p < 1e-09"}
    pyplot.close(ax.figure)
