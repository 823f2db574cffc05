"""`infold reproduce`: lists, runs, tells, and ends quietly."""

import json

import pytest

from infold import reproduce

from .commands import complaint, run

TINY = """
title = "Tiny"
about = "KSG on a few samples."
figure = "noise"

[quick]
repetitions = 1

[[runs]]
task = ["helix", "independent-helix"]
n = 60
repetitions = 5
lines = [{ method = "ksg", k = [3, 5] }]
"""


def test_the_command_lists_experiments():
    text = run("reproduce").stdout
    found = json.loads(run("reproduce", "--json").stdout)["experiments"]
    assert [one["name"] for one in found] == list(reproduce.experiments())
    assert all(one["name"] in text for one in found)


def test_the_command_runs_and_tells(tmp_path, monkeypatch):
    tiny = reproduce.parse("tiny", TINY)
    monkeypatch.setattr(reproduce, "experiments", lambda: {"tiny": tiny})
    result = run("reproduce", "all", "--quick", "--output", tmp_path / "new", "--jobs", 1)
    assert result.exit_code == 0, result.stderr
    assert "tiny: 4 rows" in result.stdout
    again = json.loads(run("reproduce", "tiny", "--quick", "--output", tmp_path / "new", "--json").stdout)
    (one,) = again["experiments"]
    assert (one["n_rows"], one["n_computed"], one["csv"]) == (4, 0, str(tmp_path / "new" / "tiny.csv"))
    assert "complete already" in run("reproduce", "tiny", "--quick", "--output", tmp_path / "new").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["helicopter"], "'helicopter' is not an experiment"),
        (["helix", "--jobs", "0"], "--jobs=0"),
        (["helix", "--output", __file__], "is a file"),
    ],
)
def test_mistakes_are_one_line(arguments, says):
    assert says in complaint("reproduce", *arguments)


def test_ctrl_c_ends_the_command_quietly(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
        yield  # a generator, as the true function is

    monkeypatch.setattr(reproduce, "run", interrupted)
    result = run("reproduce", "helix", "--output", tmp_path)
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-2:] == [
        "infold: finished repetitions are kept; the same command continues from there.",
        "infold: interrupted",
    ]


def test_a_reader_that_leaves_is_not_told_that_the_folder_is_bad(monkeypatch, tmp_path):
    def gone(*_, **__):
        raise BrokenPipeError(32, "Broken pipe")
        yield

    monkeypatch.setattr(reproduce, "run", gone)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    result = run("reproduce", "helix", "--output", tmp_path)
    assert "cannot be written" not in result.output
    assert result.exit_code == 1
