"""Labels are short; every picture is drawn where the caller says."""

import pytest

from infold import plotting
from infold.plotting.figures import label

pytest.importorskip("matplotlib")


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
