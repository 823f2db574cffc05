"""Every experiment has a figure, and the tables of docs/reproduction.md are those of the results."""

import subprocess
import sys
from pathlib import Path

import pytest

from infold import reproduce
from infold.reproduce.figures import draw

from .tiny_experiment import run


@pytest.mark.parametrize("name", list(reproduce.experiments()))
def test_every_experiment_has_a_small_figure(name, tmp_path):
    pytest.importorskip("matplotlib")
    one = reproduce.experiments()[name]
    rows = [
        vars(s)
        | {"estimate": 4 / (1 + s.k + s.seed), "truth": 4.61, "truth_monte_carlo": 6.8, "warned": s.method == "gknn"}
        | {"truth_is_bound": True, "seconds": 0.1 * s.k}
        for s in one.settings(quick=True)
    ]
    draw(one, rows, tmp_path / "figure.png")
    content = (tmp_path / "figure.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert 10_000 < len(content) < 100_000


def test_without_matplotlib_there_are_still_rows(finished, tiny, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    outcome = run(tiny, finished[0])
    assert outcome.figure is None
    assert outcome.csv.exists()


def test_the_tables_of_the_page_are_those_of_the_results():
    script = Path(__file__).parents[2] / "experiments" / "tables.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
