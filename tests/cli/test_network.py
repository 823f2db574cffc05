"""The command network: the numbers of the API, files, and one-line complaints."""

import json

import pandas
import pytest

import infold

from .commands import answer, complaint


def test_it_has_the_edges_of_the_api(data):
    path, values = data
    found = json.loads(answer("network", path, "--jobs", 1, "--json"))
    sites = [i % 2 == 0 for i in range(80)]
    table = pandas.DataFrame(values, columns=list("abcd")).assign(site=sites)
    expected = infold.network(table, n_jobs=1)
    assert found["edges"] == expected.edge_list()
    assert found["nodes"] == ["a", "b", "c", "d", "site"]
    assert answer("network", path, "--jobs", 1) == f"{expected}\n"


def test_columns_confounders_and_groups(data):
    path, values = data
    found = json.loads(answer("network", path, "--columns", "a,b", "--with", "c,d", "--jobs", 1, "--json"))
    assert found["edges"] == [
        e | {"source": "a", "target": "c"} for e in infold.network(values[:, :2], values[:, 2:], n_jobs=1).edge_list()
    ]
    found = json.loads(answer("network", path, "--given", "a", "--jobs", 1, "--json"))
    assert (found["given"], found["nodes"]) == (["a"], ["b", "c", "d", "site"])
    found = json.loads(answer("network", path, "--node", "one=a,b", "--node", "two=c", "--jobs", 1, "--json"))
    assert found["nodes"] == ["one", "two"]
    assert len(found["edges"]) == 1


@pytest.mark.parametrize("suffix", ["csv", "graphml", "html", "json"])
def test_edges_are_written(data, tmp_path, suffix):
    output = tmp_path / f"edges.{suffix}"
    shown = answer("network", data[0], "--columns", "a:d", "-o", output, "--prune", "dpi", "--jobs", 1)
    assert shown.endswith(f"Edges: {output}\n")
    assert output.stat().st_size > 40


def test_mistakes_are_one_line(data, tmp_path):
    path, _ = data
    assert "must be one of .csv" in complaint("network", path, "-o", tmp_path / "edges.pdf")
    assert "would overwrite the data" in complaint("network", path, "-o", path)
    assert "--node='one'" in complaint("network", path, "--node", "one")
    assert "--columns='z'" in complaint("network", path, "--columns", "z")


def test_transfer_entropies_of_all_pairs_of_series(tmp_path, rng):
    a = rng.normal(size=(300, 3))
    a[1:, 1] += a[:-1, 0]
    path, edges = tmp_path / "series.csv", tmp_path / "edges.csv"
    table = pandas.DataFrame(a, columns=list("abc")).assign(t=range(300))
    table.sample(frac=1, random_state=0).to_csv(path, index=False)  # --time puts the rows in order
    command = ("network", path, "--transfer-entropy", "--time", "t", "--surrogates", 199, "--jobs", 1)
    found = json.loads(answer(*command, "--json"))
    expected = infold.transfer_entropy_matrix(table[list("abc")], random_state=0, n_jobs=1)
    assert found["edges"] == expected.edges()
    assert [(edge["source"], edge["target"]) for edge in found["edges"]] == [("a", "b")]
    assert answer(*command, "-o", edges) == f"{expected}\nEdges: {edges}\n"
    assert edges.read_text() == expected.to_csv()
    changes = json.loads(answer(*command, "--difference", "--json"))
    assert changes["settings"]["difference"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--transfer-entropy", "--prune", "dpi"), "--prune does not go with --transfer-entropy"),
        (("--time", "a"), "--time is for --transfer-entropy"),
        (("--surrogates", "9"), "--surrogates is for --transfer-entropy"),
        (("--delay", "2"), "--delay is for --transfer-entropy"),
        (("--transfer-entropy", "--delay", "0"), "--delay 0 must be at least 1"),
        (("--difference",), "--difference is for --transfer-entropy"),
    ],
)
def test_options_of_series_and_of_tables_do_not_mix(data, options, said):
    assert said in complaint("network", data[0], *options)
