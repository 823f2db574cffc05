"""`infold estimate`: the same numbers as the API, one-line complaints, whole files."""

import json
import os
import stat
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import infold
from infold.cli.answers import installed_version

from .commands import answer, complaint, process, run

QUICK = ["--method", "gksg", "--trees", "20"]


def test_json_has_the_numbers_of_the_api(data):
    path, values = data
    found = json.loads(answer("estimate", path, "--x", "a,b", "--y", "c:d", *QUICK, "--seed", 3, "--json"))
    expected = infold.mutual_information(values[:, :2], values[:, 2:], method="gksg", n_estimators=20, random_state=3)
    assert found["mi"] == expected.mi
    for key in ("units", "method", "n_samples", "n_features", "settings"):
        assert found[key] == json.loads(json.dumps(expected.to_dict()))[key]
    assert (found["x_names"], found["y_names"]) == (["a", "b"], ["c", "d"])
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
        (["--x", "a", "--y", "c", "--method", "ksg", "--trees", "9"], "--trees 9 is not a parameter"),
        (["--x", "a", "--y", "c", "--seed", "-1"], "-1"),
        (["--x", "a", "--y", "c", "--jobs", "0"], "jobs"),
        (["--x", "a", "--y", "c", "--local", "no/such/place.csv"], "not a directory"),
        (
            ["--x", "a", "--y", "c", *QUICK, "--max-queries", "9", "--local", "local.csv"],
            "takes only some rows",
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
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    assert "pip install 'infold[excel]'" in complaint("estimate", tmp_path / "t.xlsx", "--x", "a", "--y", "b")


def test_classes_and_holes(data, tmp_path):
    path, values = data
    words = ["north" if i % 2 else "south" for i in range(80)]
    question = ["estimate", path, "--x", "a,b", "--y", "site", "--method", "ksg", "--json"]
    found = json.loads(answer(*question))
    assert found["mi"] == infold.mutual_information(values[:, :2], words, method="ksg").mi
    assert found["y_kinds"] == ["nominal"]
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:5], "," + lines[5].partition(",")[2], *lines[6:]]))
    assert "column 'a', row 5 (line 6) is empty" in complaint(*question)
    local = tmp_path / "local.csv"
    found = json.loads(answer(*question, "--missing", "drop", "--local", local))
    assert (found["n_samples"], found["n_dropped"]) == (79, 1)
    written = local.read_text().splitlines()
    assert len(written) == 81
    assert [row for row, cell in enumerate(written) if not cell] == [5]
    assert "79 samples (1 more dropped: missing values)" in answer(*question[:-1], "--missing", "drop")


def test_numbers_are_declared_discrete(tmp_path):
    rng = np.random.default_rng(0)
    x, code = rng.normal(size=60), rng.integers(0, 4, 60)
    path = tmp_path / "t.csv"
    path.write_text("x;code\n" + "".join(f"{v};{c}\n".replace(".", ",") for v, c in zip(x.tolist(), code, strict=True)))
    question = ["estimate", path, "--x", "x", "--y", "code", "--method", "ksg", "--decimal-comma", "--json"]
    assert "--discrete" in json.loads(answer(*question))["notes"][0]
    found = json.loads(answer(*question, "--discrete", "c*"))
    assert found["mi"] == infold.mutual_information(x, code, method="ksg", discrete_y=True).mi
    assert found["notes"] == []


def test_stdin(data):
    path, _ = data
    question = ["--x", "a", "--y", "c", "--method", "ksg", "--json"]
    piped = run("estimate", "-", *question, input=path.read_bytes())
    assert piped.exit_code == 0, piped.stderr
    assert json.loads(piped.stdout)["mi"] == json.loads(answer("estimate", path, *question))["mi"]
    assert json.loads(piped.stdout)["file"] == "-"


def test_a_bug_is_not_hidden(data, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(infold, "mutual_information", broken)
    with pytest.raises(ZeroDivisionError):
        run("estimate", data[0], "--x", "a", "--y", "c", catch_exceptions=False)


def test_given_columns(data):
    path, values = data
    arguments = ["estimate", path, "--x", "a", "--y", "c", "--given", "b,d", "--method", "ksg"]
    tables = values[:, 0], values[:, 2], values[:, [1, 3]]
    expected = infold.conditional_mutual_information(*tables, method="ksg")
    found = json.loads(answer(*arguments, "--ci", "--json"))
    assert found["mi"] == expected.mi
    assert (found["x_names"], found["y_names"], found["z_names"]) == (["a"], ["c"], ["b", "d"])
    assert found["z_kinds"] == ["continuous"] * 2
    assert found["interval"]["mi"] == expected.mi
    assert "z_names" not in found["interval"]
    text = answer(*arguments)
    assert text.startswith("X: a\nY: c\nZ: b, d\nI(X; Y | Z) = ")
    labelled = json.loads(answer(*arguments[:-3], "b,site", "--method", "ksg", "--json"))
    assert labelled["z_kinds"] == ["continuous", "nominal"]


def test_given_columns_are_no_others(data):
    arguments = ["estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg", "--given"]
    assert "--y and --given both pick column 'c'" in complaint(*arguments, "c,d")
    assert "--given" in complaint(*arguments, "nothing")
    assert "GKNN is for X and Y alone" in complaint(*arguments[:5], "c", "--given", "d", "--method", "gknn")
