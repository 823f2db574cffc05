"""Nothing that is finished is lost or done twice, and results go where they should."""

import os
from importlib.metadata import version
from pathlib import Path

import pytest

from infold import reproduce
from infold.reproduce import runner

from .tiny_experiment import N_ROWS, TINY, run, timeless

VERSION = version("infold")


def test_any_number_of_jobs_gives_the_same_estimates(finished, tiny, tmp_path):
    run(tiny, tmp_path, n_jobs=2)
    assert timeless((tmp_path / "tiny.csv").read_text()) == timeless(finished[1])


def test_what_is_complete_is_not_computed_again(finished, tiny):
    outcome = run(tiny, finished[0])
    assert (outcome.n_rows, outcome.n_computed) == (N_ROWS, 0)
    assert (finished[0] / "tiny.csv").read_text() == finished[1]


def test_a_killed_run_goes_on_with_the_same_bytes(finished, tiny, tmp_path):
    header, *lines = finished[1].splitlines(keepends=True)
    kept = [lines[i].replace(f",{VERSION},", ",0.0.9,") for i in (9, 2, 20)]
    (tmp_path / "tiny.part.csv").write_text("".join([header, *kept, lines[11][:-7]]))
    outcome = run(tiny, tmp_path)
    assert outcome.n_computed == N_ROWS - 3
    text = (tmp_path / "tiny.csv").read_text()
    assert set(kept) <= set(text.splitlines(keepends=True))
    assert timeless(text.replace(",0.0.9,", f",{VERSION},")) == timeless(finished[1])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tiny.csv", "tiny.png"]


def test_an_interrupt_keeps_what_is_finished(finished, tiny, tmp_path, monkeypatch):
    true_function, calls = runner.measured_rows, []

    def stop_at_the_fourth(task):
        calls.append(task)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return true_function(task)

    monkeypatch.setattr(runner, "measured_rows", stop_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.part.csv"]
    kept = (tmp_path / "tiny.part.csv").read_text().splitlines(keepends=True)[1:]
    assert len(kept) == sum(map(len, calls[:3]))
    monkeypatch.setattr(runner, "measured_rows", true_function)
    assert run(tiny, tmp_path).n_computed == N_ROWS - len(kept)
    text = (tmp_path / "tiny.csv").read_text()
    assert set(kept) <= set(text.splitlines(keepends=True))
    assert timeless(text) == timeless(finished[1])


def test_rows_of_another_experiment_in_the_folder_are_reused(finished, tiny, tmp_path):
    (tmp_path / "tiny.csv").write_text(finished[1])
    other = reproduce.parse("other", TINY.replace("noise_dims = [0, 2]", "noise_dims = [2]"))
    _, outcome = reproduce.run([tiny, other], tmp_path, n_jobs=1)
    assert outcome.n_rows == 16
    assert set((tmp_path / "other.csv").read_text().splitlines()) < set(finished[1].splitlines())  # seconds included


def test_quick_and_force(finished, tiny, tmp_path):
    assert run(tiny, tmp_path, quick=True).n_rows == 6 + 2
    (tmp_path / "tiny.csv").write_text(finished[1].replace("helix", "spiral"))
    assert run(tiny, tmp_path, quick=True, force=True).n_computed == 8


@pytest.mark.skipif(os.name == "nt", reason="POSIX links and devices")
def test_results_go_through_links_and_to_devices(finished, tiny, tmp_path):
    header, *lines = finished[1].splitlines(keepends=True)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "tiny.csv").write_text("".join([header, *lines[:-2]]))
    (tmp_path / "tiny.csv").symlink_to("kept/tiny.csv")
    (tmp_path / "tiny.png").symlink_to(os.devnull)
    assert run(tiny, tmp_path).n_computed == 2
    assert timeless((tmp_path / "kept" / "tiny.csv").read_text()) == timeless(finished[1])
    assert run(tiny, tmp_path, quick=True, force=True).n_computed == 8
    assert len((tmp_path / "kept" / "tiny.csv").read_text().splitlines()) == 9
    assert all((tmp_path / name).is_symlink() for name in ("tiny.csv", "tiny.png"))


def test_results_go_where_the_repository_keeps_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert reproduce.default_output() == Path("infold-results")
    assert reproduce.default_output(quick=True) == Path("infold-results/quick")
    (tmp_path / "experiments" / "results").mkdir(parents=True)
    assert reproduce.default_output() == Path("experiments/results")
