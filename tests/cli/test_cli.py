"""The command line: answers on stdout, one-line complaints on stderr, and the same numbers as the API."""

import json
import os
import stat
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import infold
from infold import cli
from infold.cli import demo, kernels
from infold.cli.question import installed_version

QUICK = ["--method", "gksg", "--trees", "20"]


def run(*arguments, **settings):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], prog_name="infold", **settings)


def answer(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def complaint(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("infold: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def process(*arguments, **settings):
    command = [sys.executable, "-m", "infold", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **settings)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(80, 4))
    values[:, 2] += values[:, 0]
    path = tmp_path / "data.csv"
    np.savetxt(path, values, delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
    return path, values


# estimate


def test_json_has_the_numbers_of_the_api(data):
    path, values = data
    found = json.loads(answer("estimate", path, "--x", "a,b", "--y", "c:d", *QUICK, "--seed", 3, "--json"))
    expected = infold.mutual_information(values[:, :2], values[:, 2:], method="gksg", n_estimators=20, random_state=3)
    assert found["mi"] == expected.mi
    for key in ("units", "method", "n_samples", "n_features", "settings"):
        assert found[key] == json.loads(json.dumps(expected.to_dict()))[key]
    assert (found["x"], found["y"]) == (["a", "b"], ["c", "d"])
    assert (found["file"], found["seed"], found["warnings"]) == (str(path), 3, [])
    assert found["version"] == installed_version()


def test_text_names_the_columns_and_the_estimate(data):
    path, values = data
    text = answer("estimate", path, "--x", "a,b", "--y", "c", "--method", "ksg", "-k", 5, "--units", "bits")
    expected = infold.mutual_information(
        values[:, :2], values[:, 2], method="ksg", n_neighbors=5, units="bits", random_state=0, verbose=False
    )
    assert text == f"X: a, b\nY: c\n{expected}\n"


def test_options_not_given_are_the_librarys_defaults(data, monkeypatch):
    calls = []

    def record(X, Y, **options):
        calls.append(options)
        raise ValueError("seen enough.")

    monkeypatch.setattr(infold, "mutual_information", record)
    complaint("estimate", data[0], "--x", "a", "--y", "c")
    complaint("estimate", data[0], "--x", "a", "--y", "c", "--no-standardize", "--jobs", 2, "--units", "bits")
    complaint("estimate", data[0], "--x", "a", "--y", "c", "--paper", "--trees", 7)
    complaint("estimate", data[0], "--x", "a", "--y", "c", "--local-distance", "everywhere", "--max-queries", 9)
    assert calls == [
        {"random_state": 0, "n_jobs": -1},
        {"random_state": 0, "n_jobs": 2, "standardize": False, "units": "bits"},
        {"random_state": 0, "n_jobs": -1, "method": "gksg", **infold.paper_settings, "n_estimators": 7},
        {"random_state": 0, "n_jobs": -1, "local_distance": "everywhere", "max_queries": 9},
    ]


def test_local_values_are_written_whole(data, tmp_path):
    path, _ = data
    local = tmp_path / "local.csv"
    found = json.loads(answer("estimate", path, "--x", "a", "--y", "c", "--method", "ksg", "--json", "--local", local))
    written = np.loadtxt(local, skiprows=1)
    assert written.shape == (80,)
    assert_allclose(written.mean(), found["mi"])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.csv", "local.csv"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX links and devices")
def test_local_values_go_through_links_and_to_devices(data, tmp_path):
    question = ["estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg"]
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    answer(*question, "--local", link)
    assert link.is_symlink()
    assert len((tmp_path / "target.csv").read_text().splitlines()) == 81
    answer(*question, "--local", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    text = process(*question, "--local", "/dev/stdout").stdout
    assert text.startswith("local_mi\n")
    assert "I(X; Y)" in text


def test_warnings_are_lines_on_stderr_and_part_of_the_json(data, monkeypatch):
    true_function = infold.mutual_information

    def warn(*arguments, **options):
        for _ in range(2):
            warnings.warn("many ties:\n  add noise.", UserWarning, stacklevel=2)
        return true_function(*arguments, **options)

    monkeypatch.setattr(infold, "mutual_information", warn)
    result = run("estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg", "--json")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == "warning: many ties: add noise."
    assert result.stderr.count("many ties") == 1
    assert json.loads(result.stdout)["warnings"] == ["many ties: add noise."]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--x", "a"], "--y is missing"),
        (["--y", "a"], "--x is missing"),
        (["--x", "", "--y", "a"], "--x='' names no column"),
        (["--x", "a", "--y", "C"], "--y='C' is not a column; did you mean 'c'"),
        (["--x", "a:c", "--y", "b"], "both pick column 'b'"),
        (["--x", "a", "--y", "c", "--method", "magic"], "magic"),
        (["--x", "a", "--y", "c", "--units", "miles"], "miles"),
        (["--x", "a", "--y", "c", "-k", "80"], "80"),
        (["--x", "a", "--y", "c", "-k", "0"], "0"),
        (["--x", "a", "--y", "c", "-k", "three"], "--neighbors"),
        (["--x", "a", "--y", "c", "--method", "gksg", "--trees", "0"], "0"),
        (["--x", "a", "--y", "c", "--method", "ksg", "--trees", "9"], "n_estimators"),
        (["--x", "a", "--y", "c", "--seed", "-1"], "-1"),
        (["--x", "a", "--y", "c", "--jobs", "0"], "jobs"),
        (["--x", "a", "--y", "c", "--local", "no/such/place.csv"], "not a directory"),
        (
            ["--x", "a", "--y", "c", *QUICK, "--max-queries", "9", "--local", "local.csv"],
            "--max-queries takes some",
        ),
        (["--x", "a", "--y", "c", "--jsn"], "--jsn"),
        (["--x", "a", "--y"], "--y"),
    ],
)
def test_mistakes_are_one_line(data, arguments, says):
    assert says in complaint("estimate", data[0], *arguments)


def test_the_data_are_not_overwritten(data):
    before = data[0].read_bytes()
    assert "would overwrite the data" in complaint("estimate", data[0], "--x", "a", "--y", "c", "--local", data[0])
    link = data[0].with_name("report.html")
    link.symlink_to(data[0])
    assert "would overwrite the data" in complaint("report", data[0], "--x", "a", "--y", "c", "--output", link)
    assert data[0].read_bytes() == before


def test_missing_things(tmp_path):
    assert "no such file" in complaint("estimate", tmp_path / "none.csv", "--x", "a", "--y", "b")
    assert "file" in complaint("estimate")
    assert "No such command 'estimat'" in complaint("estimat")


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    assert "pip install 'infold[parquet]'" in complaint("estimate", tmp_path / "t.parquet", "--x", "a", "--y", "b")


def test_a_bug_is_not_hidden(data, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(infold, "mutual_information", broken)
    with pytest.raises(ZeroDivisionError):
        run("estimate", data[0], "--x", "a", "--y", "c", catch_exceptions=False)


# demo


@pytest.fixture
def small_demo(monkeypatch):
    monkeypatch.setattr(demo, "N_SAMPLES", 60)
    monkeypatch.setattr(demo, "HELIX_NOISE", (0, 2))
    monkeypatch.setattr(demo, "CONTROL_NOISE", (0,))


@pytest.mark.usefixtures("small_demo")
def test_demo_prints_a_table_and_writes_a_picture(tmp_path):
    pytest.importorskip("matplotlib")
    output = tmp_path / "demo.png"
    text = answer("demo", "--output", output)
    assert max(map(len, text.replace(str(output), "").splitlines())) <= 80
    for word in ("helix", "independent", "truth", "KSG", "G-KSG", "auto", str(output)):
        assert word in text
    assert output.read_bytes().startswith(b"\x89PNG")
    assert [file.name for file in tmp_path.iterdir()] == ["demo.png"]


@pytest.mark.usefixtures("small_demo")
def test_demo_json():
    found = json.loads(answer("demo", "--json", "--no-plot"))
    assert [(row["data"], row["noise_dims"]) for row in found["rows"]] == [
        ("helix", 0),
        ("helix", 2),
        ("independent", 0),
    ]
    assert found["rows"][-1]["truth"] == 0
    assert found["picture"] is None
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
    first, second = demo.reading(rows)
    assert "KSG finds 1.00, G-KSG 2.00 and auto, the default, 4.60" in first
    assert "1 of 2 helices" in first
    assert "at most 0.30 there, G-KSG by 0.10, auto by 0.02" in second


# The process


def test_help_and_version_come_at_once():
    code = (
        "import sys\nfrom infold.cli import app\n"
        "try:\n    app(['estimate', '--help'], prog_name='infold')\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'numba', 'sklearn', 'scipy', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--neighbors" in done.stdout
    assert process("--version").stdout == f"infold {installed_version()}\n"
    assert "estimate" in process().stdout


def test_one_json_object_on_stdout(data):
    done = process("estimate", data[0], "--x", "a", "--y", "c", *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_samples"] == 80


def test_a_mistake_in_a_process_is_one_line(data):
    done = process("estimate", data[0], "--x", "a", "--y", "nothing")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_terminal_without_the_characters_is_no_failure(data):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg", env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
@pytest.mark.parametrize(
    "arguments", [["demo", "--help"], ["estimate", "{}", "--x", "a", "--y", "c", "--method", "ksg"]]
)
def test_a_reader_that_leaves_is_no_failure(data, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "infold", *(argument.format(data[0]) for argument in arguments)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
def test_ctrl_c_leaves_nothing_behind(data, tmp_path):
    code = (
        "import os, signal, time, infold, infold.cli\n"
        "def wait(*_, **__):\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(60)\n"
        "infold.mutual_information = wait\n"
        "infold.cli.main()"
    )
    arguments = ["estimate", data[0], "--x", "a", "--y", "c", "--local", tmp_path / "local.csv"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == "infold: interrupted"
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["data.csv"]


# compile


def test_compile_says_where_kernels_are_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "TASKS", (partial((tmp_path / "one").touch), partial((tmp_path / "two").touch)))
    told = answer("compile", "--jobs", 2)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one", "two"]
    assert told.startswith("All kernels are compiled (")
    assert told.rstrip(".\n").endswith(kernels.folder())


def test_compile_has_nothing_to_do_where_nothing_can_be_kept(monkeypatch):
    monkeypatch.setattr(kernels, "folder", lambda: None)
    assert "NUMBA_CACHE_DIR" in complaint("compile")
    assert "--jobs=0" in complaint("compile", "--jobs", 0)
