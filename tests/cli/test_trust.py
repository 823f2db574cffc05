"""The commands test, diagnose, relevance and report: the numbers of the API, one-line complaints, whole files."""

import hashlib
import json
import os
import shlex
import sys
import threading
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from samples import walk

import infold
from infold.cli.messages import in_options

from .commands import answer, complaint, process, run

QUICK = ["--method", "ksg", "--permutations", "19"]


SIDES = ["--x", "a,b", "--y", "c,d"]


def told(result):
    """The result as the command tells it: notes name options, not parameters."""
    return replace(result, notes=tuple(map(in_options, result.notes)))


def test_a_warning_is_printed_once_and_names_options(tmp_path):
    walks = zip(walk(80, 0.9, 0), walk(80, 0.9, 1), strict=True)
    (tmp_path / "walks.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in walks))
    asked = "test", tmp_path / "walks.csv", "--x", "a", "--y", "b", *QUICK
    done = run(*asked)
    assert "autocorrelated" in done.stdout
    assert "pass --block" in " ".join(done.stdout.split())
    assert "autocorrelated" not in done.stderr
    assert "warning: Rows are autocorrelated" in run(*asked, "--json").stderr


def test_test_has_the_numbers_of_the_api(data):
    path, values = data
    settings = {"method": "ksg", "n_permutations": 19, "random_state": 0}
    found = json.loads(answer("test", path, *SIDES, *QUICK, "--json", "--arrays"))
    assert "null" not in json.loads(answer("test", path, *SIDES, *QUICK, "--json"))
    expected = infold.independence_test(values[:, :2], values[:, 2:], **settings)
    assert (found["pvalue"], found["mi"], found["null"]) == (expected.pvalue, expected.mi, expected.null.tolist())
    assert (found["x_names"], found["y_names"], found["seed"]) == (["a", "b"], ["c", "d"], 0)
    assert answer("test", path, *SIDES, *QUICK) == f"X: a, b\nY: c, d\n{told(expected)}\n"


def test_groups_come_from_a_column_of_labels_and_blocks_from_a_number(data):
    path, values = data
    settings = {"method": "ksg", "n_permutations": 19, "random_state": 0}
    groups = ["north" if i % 2 else "south" for i in range(80)]
    found = json.loads(answer("test", path, *SIDES, *QUICK, "--groups", "site", "--json", "--arrays"))
    assert found["null"] == infold.independence_test(*sides(values), groups=groups, **settings).null.tolist()
    found = json.loads(answer("test", path, *SIDES, *QUICK, "--block", 4, "--json", "--arrays"))
    assert found["null"] == infold.independence_test(*sides(values), block=4, **settings).null.tolist()


def sides(values):
    return values[:, :2], values[:, 2:]


def test_early_stop(data):
    path, _ = data
    arguments = ["test", path, "--x", "a", "--y", "d", "--method", "ksg", "--permutations", 199, "--early-stop"]
    found = json.loads(answer(*arguments, "--json"))
    assert found["stopped_early"]
    assert found["n_permutations"] < 199


def test_estimate_with_interval_and_test(data):
    path, values = data
    found = json.loads(answer("estimate", path, *SIDES, *QUICK, "--ci", "--test", "--level", 0.8, "--json"))
    settings = {"method": "ksg", "random_state": 0}
    interval = infold.confidence_interval(*sides(values), level=0.8, **settings)
    test = infold.independence_test(*sides(values), n_permutations=19, **settings)
    assert found["mi"] == interval.mi
    assert [found["interval"][key] for key in ("low", "high", "level")] == [interval.low, interval.high, 0.8]
    assert found["certified"] == found["interval"]["certified"] == interval.certified
    assert found["test"]["pvalue"] == test.pvalue
    assert "x_names" not in found["test"]
    text = answer("estimate", path, *SIDES, "--method", "ksg", "--ci", "--test", "--permutations", 19, "--level", 0.8)
    for part in (told(interval), told(test)):
        assert all(line in text for line in str(part).splitlines())
    assert text.count("\n  data ") == text.count("\n  method ") == 1  # what all have in common is shown once


def test_relevance_names_the_columns(data):
    path, values = data
    found = json.loads(answer("relevance", path, *SIDES, *QUICK, "--together", "--json"))
    settings = {"method": "ksg", "kind": "together", "n_permutations": 19, "random_state": 0}
    expected = infold.relevance(*sides(values), **settings)
    assert [row["score"] for row in found["columns"]] == [*expected.scores_x, *expected.scores_y]
    assert [row["name"] for row in found["columns"]] == ["a", "b", "c", "d"]
    assert "X a  " in answer("relevance", path, *SIDES, *QUICK)


def test_relevance_leaves_out_the_rows_of_each_column(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60)).round(3)
    word = np.where(a > 0, "up", "down")
    cells = [f"{'' if i < 5 else a[i]},{'NA' if i > 56 else b[i]},{word[i]}" for i in range(60)]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(["a,b,word", *cells]))
    asked = ("relevance", path, "--x", "a,b", "--y", "word", "--missing", "pairwise")
    found = json.loads(answer(*asked, "--json"))
    assert [row["n_samples"] for row in found["columns"]] == [55, 57, 52]
    assert [row["relevant"] for row in found["columns"]] == [True, False, True]
    assert (found["n_samples"], found["n_dropped"], found["n_permutations"]) == (52, 8, 0)
    assert "X a  " in answer(*asked)


def test_diagnose_speaks_plainly(data):
    path, _ = data
    found = json.loads(answer("diagnose", path, *SIDES, "--method", "ksg", "--json"))
    assert found["verdict"]
    assert set(found["methods"]) == {"ksg", "gksg", "auto", "cca"}
    assert found["verdict"][0] in " ".join(answer("diagnose", path, *SIDES, "--method", "ksg").split())


def test_report_writes_one_page_that_its_command_makes_again(data, tmp_path):
    path, _ = data
    page = tmp_path / "page.html"
    arguments = ["report", path, *SIDES, *QUICK, "--title", "It's <b>", "--level", 0.9, "--groups", "site", "-o", page]
    text = answer(*arguments)
    assert f"Report: {page}" in text
    assert "90 % interval" in text
    first = page.read_text(encoding="utf-8")
    command = infold_command(first)
    assert command[:2] == ["infold", "report"]
    page.unlink()
    found = json.loads(answer(*command[1:], "--jobs", 1, "--json"))
    assert page.read_text(encoding="utf-8") == first
    assert found["output"] == str(page)
    assert found["command"] == shlex.join(command)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.csv", "page.html"]


def infold_command(page):
    return shlex.split(unescape(page.split("<pre>")[1].split("</pre>")[0]))


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_the_file_is_read_once(data, tmp_path):
    path, _ = data
    (tmp_path / "there").mkdir()
    pipe = tmp_path / "there" / "data.csv"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()), daemon=True).start()
    page = tmp_path / "page.html"
    found = json.loads(answer("report", pipe, *SIDES, *QUICK, "--groups", "site", "-o", page, "--json"))
    assert found["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["test", "FILE", "--x", "a"], "--y is missing"),
        (["test", "FILE", *SIDES, "--groups", "nothing"], "--groups='nothing' is not a column"),
        (["test", "FILE", *SIDES, "--groups", "a,b"], "picks 2 columns"),
        (["test", "FILE", *SIDES, "--block", "0"], "--block 0"),
        (["test", "FILE", *SIDES, "--permutations", "0"], "--permutations 0"),
        (["test", "FILE", *SIDES, "--method", "magic"], "magic"),
        (["test", "FILE", "--x", "a", "--y", "site", "--method", "lnn"], "LNN is for numbers only"),
        (["test", "FILE", *SIDES, "--discrete", "site"], "names none of the columns that --x and --y pick"),
        (["test", "FILE", *SIDES, "--missing", "maybe"], "--missing='maybe' is not known"),
        (["test", "FILE", *SIDES, "--encoding", "klingon"], "--encoding='klingon'"),
        (["test", "FILE", *SIDES, "--separator", ";"], "is not a column"),
        (["relevance", "FILE", *SIDES, "--permutations", "3"], "--permutations 3 is too few"),
        (["test", "FILE", *SIDES, "--missing", "pairwise"], "--missing pairwise is not known"),
        (["diagnose", "FILE", *SIDES, "-k", "80"], "80"),
        (["estimate", "FILE", *SIDES, "--level", "0.9"], "--level is for --ci"),
        (["estimate", "FILE", *SIDES, "--ci", "--permutations", "9"], "--permutations is for --test"),
        (["estimate", "FILE", *SIDES, "--ci", "--level", "2", "--method", "ksg"], "--level 2"),
        (["report", "FILE", *SIDES, "-o", "page.pdf"], "suffix '.pdf'"),
        (["report", "FILE", *SIDES, "-o", "no/page.html"], "not a directory"),
    ],
)
def test_mistakes_are_one_line(data, arguments, says):
    assert says in complaint(*(data[0] if argument == "FILE" else argument for argument in arguments))


def test_a_missing_label_is_named(data):
    path, _ = data
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], lines[3].rpartition(",")[0] + ",", *lines[4:]]))
    assert "row 3 is empty" in complaint("test", path, *SIDES, *QUICK, "--groups", "site")


def test_labels_of_other_formats(data, tmp_path):
    pandas = pytest.importorskip("pandas")
    path, values = data
    table = pandas.read_csv(path)
    table.to_parquet(tmp_path / "data.parquet")
    numbers = {name: values[:, i] for i, name in enumerate("abcd")}
    np.savez(tmp_path / "data.npz", **numbers, site=1 - np.arange(80) % 2)  # in the order of the names
    expected = json.loads(answer("test", path, *SIDES, *QUICK, "--groups", "site", "--json", "--arrays"))["null"]
    for file in ("data.parquet", "data.npz"):
        found = json.loads(answer("test", tmp_path / file, *SIDES, *QUICK, "--groups", "site", "--json", "--arrays"))
        assert found["null"] == expected


def test_without_jinja_the_extra_is_named(data, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    arguments = ["report", data[0], *SIDES, *QUICK, "-o", tmp_path / "page.html"]
    assert "pip install 'infold[report]'" in complaint(*arguments)


def test_help_of_every_command_is_there_at_once():
    for command in ("test", "diagnose", "relevance", "report"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert "--seed" in result.stdout
    assert "relevance" in process().stdout


def test_test_given_columns(data, monkeypatch):
    path, _ = data
    calls = []

    def record(X, Y, Z=None, **options):
        calls.append((X.names, Y.names, Z.names, options))
        raise ValueError("seen enough.")

    monkeypatch.setattr(infold, "independence_test", record)
    complaint("test", path, "--x", "a", "--y", "c", "--given", "b,d", "--permutations", 9)
    assert calls == [(("a",), ("c",), ("b", "d"), {"n_permutations": 9, "random_state": 0, "n_jobs": -1})]


@pytest.mark.parametrize("command", ["diagnose", "relevance", "report"])
def test_other_commands_given_columns(command, data, monkeypatch):
    path, _ = data
    seen = {}

    def record(X, Y, Z=None, *, given=None, **options):
        seen["Z"] = Z if given is None else given
        raise ValueError("seen; stop.")

    where = "infold.report.make_report" if command == "report" else f"infold.{command}"
    monkeypatch.setattr(where, record)
    complaint(command, path, "--x", "a", "--y", "c", "--given", "b,d")
    assert seen["Z"].names == ("b", "d")
