"""`infold demo`: a table, a picture, and sentences that follow the numbers."""

import json
import sys

import pytest

from infold.cli import demo

from .commands import answer, complaint, run


@pytest.fixture
def small_demo(monkeypatch):
    monkeypatch.setattr(demo, "N_SAMPLES", 60)
    monkeypatch.setattr(demo, "HELIX_NOISE", (0, 2))
    monkeypatch.setattr(demo, "CONTROL_NOISE", (0,))
    monkeypatch.setattr(demo, "DOUBTFUL_PERMUTATIONS", 19)


@pytest.mark.usefixtures("small_demo")
def test_demo_prints_a_table_and_writes_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    output = tmp_path / "demo.png"
    text = answer("demo", "--output", output)
    shown = text.replace(str(output), "").replace(str(output.with_suffix(".html")), "")
    assert max(map(len, shown.splitlines())) <= 80
    for word in ("helix", "independent", "truth", "KSG", "G-KSG", "auto", str(output)):
        assert word in text
    assert output.read_bytes().startswith(b"\x89PNG")
    page = tmp_path / "demo.html"
    assert sorted(tmp_path.iterdir()) == [page, output]
    assert str(page) in text
    assert "Can you trust it? The verdict:" in " ".join(text.split())
    assert "by KSG" in page.read_text()


@pytest.mark.usefixtures("small_demo")
def test_demo_json():
    found = json.loads(answer("demo", "--json", "--no-plot"))
    assert [(row["data"], row["noise_dims"]) for row in found["rows"]] == [
        ("helix", 0),
        ("helix", 2),
        ("independent", 0),
    ]
    assert found["rows"][-1]["truth"] == 0
    assert (found["picture"], found["report"]) == (None, None)
    assert "nats" in found["verdict"][0]
    assert found == json.loads(answer("demo", "--json", "--no-plot", "--jobs", 1))


@pytest.mark.usefixtures("small_demo")
def test_demo_without_matplotlib_still_answers(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("demo", "--output", tmp_path / "demo.png")
    assert result.exit_code == 0
    assert "G-KSG" in result.stdout
    assert "pip install 'infold[plot]'" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("output", "says"), [("demo.doc", "suffix '.doc'"), ("no/demo.png", "not a directory")])
def test_demo_refuses_a_bad_output_before_it_works(tmp_path, monkeypatch, output, says):
    monkeypatch.setattr(demo, "run", None)
    assert says in complaint("demo", "--output", tmp_path / output)


def test_the_reading_follows_the_numbers():
    rows = [
        demo.Row(data="helix", noise_dims=0, truth=6.77, ksg=5.0, gksg=4.0, auto=4.5),
        demo.Row(data="helix", noise_dims=4, truth=6.77, ksg=1.0, gksg=2.0, auto=4.6),
        demo.Row(data="independent", noise_dims=0, truth=0.0, ksg=-0.3, gksg=0.1, auto=0.02),
    ]
    first, second = demo.summary(rows)
    assert "KSG finds 1.00, G-KSG 2.00 and auto, the default, 4.60" in first
    assert "1 of 2 helices" in first
    assert "at most 0.30 there, G-KSG by 0.10, auto by 0.02" in second
