"""Pictures show the numbers they were given, without pyplot and without colour alone."""

import subprocess
import sys

import pytest
from numpy.testing import assert_array_equal

from infold.datasets import make_helix
from infold.plotting import plot_demo, plot_methods, plot_sample

pytest.importorskip("matplotlib")

NOISE = [0, 4, 10]
ESTIMATES = {"KSG": [5.1, 2.0, -0.1], "G-KSG": [5.0, 3.1, 2.2]}


def test_methods_are_drawn_beside_the_truth():
    ax = plot_methods(NOISE, ESTIMATES, truth=6.77, units="bits")
    truth, *lines = ax.get_lines()
    assert set(truth.get_ydata()) == {6.77}
    assert {line.get_label(): list(line.get_ydata()) for line in lines} == ESTIMATES
    assert ax.get_ylabel() == "mutual information (bits)"
    low, high = ax.get_ylim()
    assert low <= -0.1
    assert high > 6.77


def test_methods_differ_in_more_than_colour():
    ax = plot_methods(NOISE, {name: [1.0, 2.0, 3.0] for name in "abcd"}, truth=3.0)
    lines = ax.get_lines()[1:]
    assert len({line.get_marker() for line in lines}) == 4
    assert len({str(line._dash_pattern) for line in lines}) == 4


def test_sample_shows_y_coloured_by_x():
    helix = make_helix(50, random_state=0)
    ax = plot_sample(helix)
    (points,) = ax.collections
    assert_array_equal(points.get_offsets(), helix.Y[:, :2])
    assert_array_equal(points.get_array(), helix.X[:, 0])


def test_axes_in_axes_out():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert plot_methods(NOISE, ESTIMATES, truth=6.77, ax=ax) is ax
    assert plot_sample(make_helix(50, random_state=0), ax=ax) is ax


def test_demo_figure_can_be_saved(tmp_path):
    plot_demo(make_helix(50, random_state=0), NOISE, ESTIMATES, 6.77).savefig(tmp_path / "demo.png")
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_pyplot_stays_out():
    code = (
        "import sys, infold.plotting as p; assert 'matplotlib' not in sys.modules;"
        "p.plot_methods([0, 1], {'KSG': [1, 2]}, 1.0); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'infold\[plot\]'"):
        plot_methods(NOISE, ESTIMATES, truth=6.77)
