"""The paper's experiments: rows tell what the API answers, and nothing that is finished is lost or done twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import infold
from infold import _reproduce_rows as rows_module
from infold import cli, reproduce
from infold._reproduce_figures import DRAWINGS, draw

TINY = """
title = "Tiny"
about = "A few small estimates."
figure = "noise"

[quick]
repetitions = 1
noise_dims = [2]

[[runs]]
task = ["helix"]
n = 60
noise_dims = [0, 2]
repetitions = 2
lines = [
  { method = "ksg", k = [3, 5] },
  { method = "gksg", k = [3, 5] },
  { method = "gksg", k = 3, standardize = true },
  { method = "lnn", k = 5, variant = "rmi" },
]

[[runs]]
task = "independent-helix"
n = 60
form = "released"
noise_dims = 2
noise = "uniform"
noise_scale = 10.0
repetitions = 2
lines = [{ method = "gksg", k = 3, variant = "released" }, { method = "gknn", k = 20 }]
"""
N_ROWS = 2 * 2 * 6 + 2 * 2


@pytest.fixture
def tiny():
    return reproduce.parse("tiny", TINY)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with the results of the tiny experiment, and their text."""
    folder = tmp_path_factory.mktemp("finished")
    (outcome,) = reproduce.run([reproduce.parse("tiny", TINY)], folder, n_jobs=1)
    assert (outcome.n_rows, outcome.n_computed) == (N_ROWS, N_ROWS)
    return folder, (folder / "tiny.csv").read_text()


def run(experiment, folder, **options):
    (outcome,) = reproduce.run([experiment], folder, **{"n_jobs": 1, **options})
    return outcome


def timeless(text):
    """Rows without their `seconds`."""
    at = rows_module.COLUMNS.index("seconds")
    return [line.split(",")[:at] + line.split(",")[at + 1 :] for line in text.splitlines()]


@pytest.fixture
def no_work(monkeypatch):
    def refuse(task):
        raise AssertionError("nothing should be computed")

    monkeypatch.setattr(reproduce, "measured_rows", refuse)


# Plans


def test_every_experiment_is_told_in_a_sentence():
    known = reproduce.experiments()
    assert list(known)[:3] == ["samples", "sample-efficiency", "uniform"]
    for one in known.values():
        assert one.about.endswith(".")
        assert one.figure in DRAWINGS
        assert len(set(one.settings())) == len(one.settings())


def test_the_paper_s_grid_is_there():
    for name in ("uniform", "gaussian", "helix", "sphere"):
        settings = reproduce.experiments()[name].settings()
        for method, variant, ks in (
            ("ksg", "", (3, 5, 10)),
            ("gksg", "paper", (3, 5, 10)),
            ("gknn", "", (20, 30)),
            ("lnn", "defined", (3, 5)),
            ("lnn", "rmi", (3, 5)),
        ):
            for k in ks:
                found = {
                    (s.noise_dims, s.seed)
                    for s in settings
                    if (s.task, s.method, s.variant, s.k) == (name, method, variant, k) and not s.standardize
                }
                assert found == {(d, seed) for d in range(0, 21, 2) for seed in range(20)}
        assert any(s.task == f"independent-{name}" for s in settings)


def test_quick_is_a_part_of_the_whole():
    for one in reproduce.experiments().values():
        quick, whole = one.settings(quick=True), one.settings()
        assert set(quick) <= set(whole)
        assert bool(quick) == bool(whole)
        assert len(quick) <= len(whole) / 5
        assert {s.method for s in quick} == {s.method for s in whole} or one.name == "sample-efficiency"


def test_paper_settings_are_what_rows_without_standardize_have(tiny):
    for setting in tiny.settings():
        if setting.method == "gksg" and not setting.standardize:
            expected = infold.paper_settings | {"n_neighbors": setting.k, "local_distance": setting.variant}
            assert setting.options == {"method": "gksg", **expected, "random_state": setting.seed}


# Rows


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_rows_say_what_the_api_says(finished):
    for row in reproduce.read_rows(finished[0] / "tiny.csv"):
        setting = reproduce.Setting(**{name: row[name] for name in rows_module.KEY})
        if "independent" in setting.task:
            data = infold.datasets.make_independent(
                60, 2, like="helix", form="released", noise="uniform", noise_scale=10.0, random_state=row["seed"]
            )
        else:
            data = infold.datasets.make_helix(60, row["noise_dims"], random_state=row["seed"])
        answer = infold.mutual_information(data.X, data.Y, verbose=0, **setting.options).mi
        assert row["estimate"] == round(answer, 9)
        assert row["truth"] == round(data.mi, 9)
        assert (row["truth_is_bound"], row["truth_monte_carlo"]) == (data.mi_is_bound, data.mi_monte_carlo)
        assert row["seconds"] > 0
        assert row["infold"] == infold.__version__


def test_rows_stand_in_the_order_of_the_file(finished, tiny):
    header, *lines = finished[1].splitlines()
    assert header.split(",")[:11] == list(rows_module.KEY)
    assert [tuple(line.split(",")[:11]) for line in lines] == [setting.key for setting in tiny.settings()]


def test_warnings_are_noted_where_they_were_given(finished):
    warned = {(r["method"], r["variant"]) for r in reproduce.read_rows(finished[0] / "tiny.csv") if r["warned"]}
    assert ("lnn", "rmi") in warned
    assert {method for method, _ in warned} <= {"lnn", "gknn"}


def test_any_number_of_jobs_gives_the_same_estimates(finished, tiny, tmp_path):
    run(tiny, tmp_path, n_jobs=2)
    assert timeless((tmp_path / "tiny.csv").read_text()) == timeless(finished[1])


# Going on


@pytest.mark.usefixtures("no_work")
def test_what_is_complete_is_not_computed_again(finished, tiny):
    outcome = run(tiny, finished[0])
    assert (outcome.n_rows, outcome.n_computed) == (N_ROWS, 0)
    assert (finished[0] / "tiny.csv").read_text() == finished[1]


def test_a_killed_run_goes_on_with_the_same_bytes(finished, tiny, tmp_path):
    header, *lines = finished[1].splitlines(keepends=True)
    kept = [lines[i].replace(",0.1.0,", ",0.0.9,") for i in (9, 2, 20)]
    (tmp_path / "tiny.part.csv").write_text("".join([header, *kept, lines[11][:-7]]))
    outcome = run(tiny, tmp_path)
    assert outcome.n_computed == N_ROWS - 3
    text = (tmp_path / "tiny.csv").read_text()
    assert set(kept) <= set(text.splitlines(keepends=True))
    assert timeless(text.replace(",0.0.9,", ",0.1.0,")) == timeless(finished[1])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["tiny.csv", "tiny.png"]


def test_an_interrupt_keeps_what_is_finished(finished, tiny, tmp_path, monkeypatch):
    true_function, calls = rows_module.measured_rows, []

    def stop_at_the_fourth(task):
        calls.append(task)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return true_function(task)

    monkeypatch.setattr(reproduce, "measured_rows", stop_at_the_fourth)
    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.part.csv"]
    kept = (tmp_path / "tiny.part.csv").read_text().splitlines(keepends=True)[1:]
    assert len(kept) == sum(map(len, calls[:3]))
    monkeypatch.setattr(reproduce, "measured_rows", true_function)
    assert run(tiny, tmp_path).n_computed == N_ROWS - len(kept)
    text = (tmp_path / "tiny.csv").read_text()
    assert set(kept) <= set(text.splitlines(keepends=True))
    assert timeless(text) == timeless(finished[1])


@pytest.mark.usefixtures("no_work")
def test_rows_of_another_experiment_in_the_folder_are_taken_over(finished, tiny, tmp_path, monkeypatch):
    (tmp_path / "tiny.csv").write_text(finished[1])
    monkeypatch.setattr(reproduce, "experiments", lambda: {"tiny": tiny})
    other = reproduce.parse("other", TINY.replace("noise_dims = [0, 2]", "noise_dims = [2]"))
    assert run(other, tmp_path).n_rows == 16
    assert set((tmp_path / "other.csv").read_text().splitlines()) < set(finished[1].splitlines())


def test_quick_and_force(finished, tiny, tmp_path):
    assert run(tiny, tmp_path, quick=True).n_rows == 6 + 2
    (tmp_path / "tiny.csv").write_text(finished[1].replace("helix", "spiral"))
    assert run(tiny, tmp_path, quick=True, force=True).n_computed == 8


# Figures


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


# The command


def invoke(*arguments):
    return CliRunner().invoke(cli.app, ["reproduce", *map(str, arguments)], prog_name="infold")


def test_the_command_lists_experiments():
    text = invoke().stdout
    found = json.loads(invoke("--json").stdout)["experiments"]
    assert [one["name"] for one in found] == list(reproduce.experiments())
    assert all(one["name"] in text for one in found)


def test_the_command_runs_and_tells(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(reproduce, "experiments", lambda: {"tiny": tiny})
    result = invoke("all", "--quick", "--output", tmp_path / "new", "--jobs", 1)
    assert result.exit_code == 0, result.stderr
    assert "tiny: 8 rows" in result.stdout
    again = json.loads(invoke("tiny", "--quick", "--output", tmp_path / "new", "--json").stdout)
    (one,) = again["experiments"]
    assert (one["n_rows"], one["n_computed"], one["csv"]) == (8, 0, str(tmp_path / "new" / "tiny.csv"))
    assert "complete already" in invoke("tiny", "--quick", "--output", tmp_path / "new").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["helicopter"], "'helicopter' is no experiment"),
        (["helix", "--jobs", "0"], "--jobs=0"),
        (["helix", "--output", __file__], "is a file"),
    ],
)
def test_mistakes_are_one_line(arguments, says):
    result = invoke(*arguments)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert says in result.stderr


def test_ctrl_c_ends_the_command_quietly(monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "run", interrupted)
    result = invoke("helix", "--output", tmp_path)
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-2:] == [
        "infold: what is finished is kept; the same command goes on from there.",
        "infold: interrupted",
    ]


def test_a_reader_that_leaves_is_not_told_that_the_folder_is_bad(monkeypatch, tmp_path):
    def gone(*_, **__):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(reproduce, "run", gone)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    result = invoke("helix", "--output", tmp_path)
    assert "cannot be written" not in result.output
    assert result.exit_code == 1


def test_results_go_where_the_repository_keeps_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert reproduce.default_output() == Path("infold-results")
    assert reproduce.default_output(quick=True) == Path("infold-results/quick")
    (tmp_path / "experiments" / "results").mkdir(parents=True)
    assert reproduce.default_output() == Path("experiments/results")


# The page


def test_the_tables_of_the_page_are_those_of_the_results():
    script = Path(__file__).parent.parent / "experiments" / "tables.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
