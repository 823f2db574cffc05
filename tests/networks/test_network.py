"""The network of a table: names, edges, kinds, holes, groups, confounders, files; the same bits everywhere."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import reference.pairs as reference
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.inference.multiple import benjamini_hochberg
from infold.networks.files import as_graphml
from infold.networks.inputs import gather
from infold.networks.make import _common_rows, make_laws, make_work
from infold.report.network import network_page

pandas = pytest.importorskip("pandas")
QUIET = {"n_jobs": 1, "verbose": 0}


def sample(n=120, seed=0):
    """A chain a → b → c, a curve of a, and noise; classes and counts that follow a."""
    rng = np.random.default_rng(seed)
    a, e, f, g, noise = rng.normal(size=(5, n))
    b = a + 0.5 * e
    return pandas.DataFrame(
        {
            "a": a,
            "b": b,
            "c": b + 0.5 * f,
            "curve": np.cos(2 * a) + 0.2 * g,
            "noise": noise,
            "class": np.where(a + 0.3 * f > 0, "up", "down"),
            "count": rng.poisson(np.exp(a)),
        }
    )


@pytest.fixture(scope="module")
def found():
    return infold.network(sample(), **QUIET)


def pairs(network, fdr=0.05):
    return {frozenset((e["source"], e["target"])) for e in network.edge_list(fdr)}


def test_dependent_pairs_are_edges_and_noise_has_none(found):
    names = ("a", "b", "c", "class", "count")
    assert pairs(found) >= {frozenset((x, y)) for x in names for y in names if x < y} | {frozenset(("a", "curve"))}
    assert not any("noise" in pair for pair in pairs(found))


def test_matrices_have_names_and_agree(found):
    for frame in (found.mi, found.pvalues, found.qvalues):
        assert list(frame.index) == list(frame.columns) == list(sample().columns)
        assert_array_equal(frame, frame.T)
        assert np.isnan(np.diag(frame)).all()
    upper = np.triu_indices(7, 1)
    assert_allclose(found.qvalues.to_numpy()[upper], reference.benjamini_hochberg(found.pvalues.to_numpy()[upper]))


def test_edges_are_tidy_sorted_and_those_of_the_matrices(found):
    edges = found.edges()
    assert list(edges.columns) == ["source", "target", "mi", "pvalue", "qvalue"]
    assert (np.diff(edges.pvalue) >= 0).all()
    for edge in edges.itertuples():
        assert edge.mi == found.mi.loc[edge.source, edge.target]
        assert edge.pvalue == found.pvalues.loc[edge.source, edge.target]
        assert edge.qvalue == pytest.approx(found.qvalues.loc[edge.source, edge.target])
    assert len(edges) == (found.qvalues.to_numpy()[np.triu_indices(7, 1)] <= 0.05).sum()
    assert len(found.to_frame()) == found.n_pairs == 21


def test_qvalues_of_the_smallest_are_those_of_all(rng):
    p = rng.random(300) ** 3
    all_of_them, some = benjamini_hochberg(p), p <= 0.1
    few = benjamini_hochberg(p[some], 300)
    below = all_of_them[some] <= 0.1
    assert_allclose(few[below], all_of_them[some][below])
    assert_allclose(all_of_them, reference.benjamini_hochberg(p))


def test_mi_is_that_of_ranks_whatever_the_units(found):
    table = sample()
    assert found.mi.loc["a", "b"] == pytest.approx(reference.rank_ksg(table["a"], table["b"], 3))
    again = infold.network(table.assign(a=np.exp(table["a"])), units="bits", **QUIET)
    assert again.mi.loc["a", "b"] * np.log(2) == pytest.approx(found.mi.loc["a", "b"])
    assert_array_equal(again.pvalues, found.pvalues)
    counted = infold.mutual_information(table["class"], table["count"], method="ksg").mi
    assert found.mi.loc["class", "count"] == pytest.approx(counted)


def test_names_of_classes_change_nothing(found):
    renamed = sample().replace({"class": {"up": "zzz", "down": "b"}})
    assert_array_equal(infold.network(renamed, **QUIET).pvalues, found.pvalues)


def test_any_number_of_workers_gives_the_same_bits(found):
    again = infold.network(sample(), n_jobs=2, verbose=0)
    assert_array_equal(again.mi_matrix, found.mi_matrix)
    assert_array_equal(again.pvalue_matrix, found.pvalue_matrix)


def test_auto_estimates_edges_and_answers_0_elsewhere(found):
    auto = infold.network(sample()[["a", "b", "noise"]], method="auto", **QUIET)
    truth = 0.5 * np.log(1 + 1 / 0.25)
    assert auto.mi.loc["a", "b"] == pytest.approx(truth, abs=0.25)  # the standard error at 120 rows is about .09
    assert auto.mi.loc["a", "noise"] == 0.0
    assert auto.pvalues.loc["a", "b"] == found.pvalues.loc["a", "b"]


def test_two_tables(found):
    table = sample()
    both = infold.network(table[["a", "b"]], table[["c", "noise", "class"]], **QUIET)
    assert both.mi.shape == (2, 3)
    assert both.n_pairs == 6
    assert both.mi.loc["a", "c"] == found.mi.loc["a", "c"]
    assert pairs(both) == {frozenset(p) for p in (("a", "c"), ("b", "c"), ("a", "class"), ("b", "class"))}
    unnamed = infold.network(table[["a"]].to_numpy(), table[["c", "noise"]].to_numpy(), **QUIET)
    assert unnamed.node_names == ("x0", "y0", "y1")


def test_a_network_given_a_common_cause_loses_what_it_explains():
    table = sample(200)
    assert frozenset(("a", "c")) in pairs(infold.network(table[["a", "b", "c"]], **QUIET))
    given = infold.network(table[["a", "b", "c", "curve"]], given="b", **QUIET)
    assert given.node_names == ("a", "c", "curve")
    assert given.pvalues.loc["a", "c"] > 0.01
    also = infold.network(table[["a", "c", "curve"]], given=table[["b"]], **QUIET)
    assert_array_equal(also.pvalues, given.pvalues)
    assert "given 1" in repr(given)


def test_pairs_use_the_rows_that_they_have():
    table = sample().drop(columns=["curve", "count"])
    holes = table.copy()
    holes.iloc[:30, 0] = np.nan
    holes.iloc[20:60, 1] = np.nan
    holes.loc[100:, "class"] = None
    found = infold.network(holes, missing="pairwise", **QUIET)
    alone = infold.network(table.iloc[60:][["a", "b"]].reset_index(drop=True), **QUIET)
    assert found.mi.loc["a", "b"] == pytest.approx(alone.mi.loc["a", "b"])
    assert found.mi.loc["c", "noise"] == infold.network(table[["c", "noise"]], **QUIET).mi.loc["c", "noise"]
    assert frozenset(("a", "class")) in pairs(found)
    rows = {frozenset((e["source"], e["target"])): e["n_samples"] for e in found.edge_list(1)}
    assert rows[frozenset("ab")] == 60
    assert rows[frozenset(("a", "class"))] == 70
    assert rows[frozenset(("c", "noise"))] == 120
    assert list(found.edges(1)["n_samples"]) == [e["n_samples"] for e in found.edge_list(1)]
    assert "n = 90" in repr(found)
    assert "120 samples, of a pair those that both have" in repr(found)
    page = network_page(found)
    assert 'data-key="n"' in page
    assert re.search(r'"edges": \[\[\d, \d, .*?, \d+\]', page)
    assert 'data-key="n"' not in network_page(infold.network(table, **QUIET))
    two = infold.network(holes[["a"]], holes[["b", "c"]], missing="pairwise", **QUIET)
    assert [e["n_samples"] for e in two.edge_list(1)] == [90, 60]
    dropped = infold.network(holes, missing="drop", **QUIET)
    assert (dropped.n_samples, dropped.n_dropped) == (40, 80)


def test_a_pair_with_too_few_common_rows_has_no_mi():
    table = sample()[["a", "b"]].copy()
    table.iloc[:60, 0] = np.nan
    table.iloc[63:, 1] = np.nan
    found = infold.network(table, missing="pairwise", **QUIET)
    assert np.isnan(found.mi.loc["a", "b"])
    assert found.pvalues.loc["a", "b"] == 1.0
    assert found.to_dict(1.0)["edges"][0]["mi"] is None
    assert json.dumps(found.to_dict(1.0), allow_nan=False)
    root = ElementTree.fromstring(as_graphml(found, 1.0))
    assert [datum.get("key") for datum in root.find(".//{*}edge")] == ["pvalue", "qvalue", "n_samples"]


def test_groups_of_columns_are_nodes():
    groups = {"left": ["a", "noise"], "right": ["b", "class"], "curve": "curve"}
    for method in ("ksg", "auto"):
        found = infold.network(sample(), nodes=groups, method=method, **QUIET)
        assert found.node_names == ("left", "right", "curve")
        assert frozenset(("left", "right")) in pairs(found)
    expected = infold.network(sample()[["curve", "a"]], **QUIET)
    single = infold.network(sample(), nodes={"curve": ["curve"], "a": 0}, **QUIET)
    assert single.mi.loc["curve", "a"] == expected.mi.loc["curve", "a"]


def test_constant_columns_tell_nothing():
    found = infold.network(sample()[["a", "b"]].assign(same=1.0), **QUIET)
    assert (found.mi.loc["same", ["a", "b"]] == 0).all()
    assert (found.pvalues.loc["same", ["a", "b"]] == 1).all()


def test_pvalues_of_independent_columns_of_all_kinds_are_fair():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(60, 60))
    table[:, ::4] = rng.integers(0, 4, size=table[:, ::4].shape)
    found = infold.network(table, discrete_x=list(range(0, 60, 8)), **QUIET)
    p = found.pvalue_matrix[np.triu_indices(60, 1)]
    for level in (0.1, 0.05):  # 1,770 pairs: four standard errors, as if they were independent
        assert abs((p <= level).mean() - level) < 4 * np.sqrt(level * (1 - level) / p.size)


@pytest.mark.parametrize("suffix", [".csv", ".graphml", ".json", ".html"])
def test_files_have_the_edges(found, tmp_path, suffix):
    path = tmp_path / f"edges{suffix}"
    found.write(path)
    text = path.read_text()
    edges = found.edge_list()
    if suffix == ".csv":
        assert_allclose(pandas.read_csv(path)["mi"], found.edges()["mi"])
    elif suffix == ".json":
        assert json.loads(text)["edges"] == edges
    elif suffix == ".graphml":
        root = ElementTree.fromstring(text)
        assert len(root.findall(".//{*}edge")) == len(edges)
        assert [node[0].text for node in root.findall(".//{*}node")] == list(found.node_names)
    else:
        assert text.count("<svg") == 0  # pictures are data
        assert '"names"' in text
    with pytest.raises(ValueError, match="must be one of"):
        found.write(tmp_path / "edges.txt")


def test_networkx_has_all_nodes_and_the_edges(found):
    networkx = pytest.importorskip("networkx")
    graph = found.to_networkx()
    assert list(graph) == list(found.node_names)
    assert {frozenset(edge) for edge in graph.edges} == pairs(found)
    assert graph["a"]["b"]["mi"] == found.mi.loc["a", "b"]
    assert networkx.number_of_isolates(graph) == 1


def test_without_pandas_frames_are_those_of_polars(found, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    assert found.mi.columns == ["name", *found.names]
    assert found.edges().height == len(found.edge_list())


def test_in_a_notebook_it_is_a_table_and_a_picture(found):
    page = found._repr_html_()
    assert page.count("<tr>") == 12  # ten edges, how many more, and the data
    assert "<th" in page
    assert ">a – b</th>" in page
    assert "data:image/png" in page
    assert "<pre>" not in page


def test_edges_are_the_same_in_strips_and_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 30))
    table[:, 1:] += table[:, :-1]
    at_once = infold.network(table, **QUIET)
    q, fdr = at_once.qvalue_matrix(), 0.05
    monkeypatch.setattr("infold.networks.result.ROWS_AT_A_TIME", 7)
    upper = np.triu_indices(30, 1)
    assert_allclose(q[upper], reference.benjamini_hochberg(at_once.pvalue_matrix[upper]))
    assert_array_equal(at_once.qvalue_matrix(), q)
    i, j, own = at_once.edge_indices(fdr)
    assert set(zip(i, j, strict=True)) == set(zip(*np.nonzero(np.triu(q <= fdr)), strict=True))
    assert_allclose(own, q[i, j])
    assert infold.network(table[:, :1], table[:, 1:], **QUIET).edge_indices(1)[0].size == 29


def test_it_prints_in_80_columns(found):
    assert repr(found).startswith(f"{len(found.edge_list())} edges among 7 nodes (21 pairs, FDR 5 %)\n")
    long = sample().rename(columns=lambda name: name * 20)
    long.iloc[:5, 0] = np.nan
    with_holes = infold.network(long, missing="pairwise", **QUIET)
    dropped = infold.network(long, missing="drop", **QUIET).prune(**QUIET)
    for one in (found, with_holes, dropped):
        assert max(map(len, repr(one).splitlines())) <= 80
    assert repr(dropped).endswith("conditional")
    assert json.dumps(found.to_dict())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "gksg"}, "method='gksg'"),
        ({"given": "nothing"}, "given='nothing' is not a column"),
        ({"nodes": {"one": ["a", "zero"]}}, "which is not a column"),
        ({"nodes": {"one": "a", "two": "a"}}, "more than one node"),
        ({"nodes": {"one": "a"}}, "at least two nodes"),
        ({"discrete_y": True}, "there is no Y"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": 200}, "needs at least 202 samples"),
        ({"missing": "maybe"}, "missing='maybe'"),
        ({"method": "auto", "given": "b", "nodes": {"one": ["a", "noise"], "two": "c"}}, "pass method='ksg'"),
    ],
)
def test_mistakes_are_one_clear_line(options, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        infold.network(sample(), **options, **QUIET)
    assert "\n" not in str(caught.value)


def test_holes_are_refused_unless_asked_for():
    table = sample()
    table.iloc[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        infold.network(table, **QUIET)
    with pytest.raises(ValueError, match="pass missing='drop'"):
        infold.network(table, given="b", missing="pairwise", **QUIET)
    twice = sample().iloc[:, [0, 0, 1]]
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        infold.network(twice, **QUIET)


def test_independent_coins_have_no_edges():
    rng = np.random.default_rng(1)
    coins = rng.permuted(np.tile(np.arange(30) % 2, (20, 1)), axis=1).T
    for discrete in (None, True):
        found = infold.network(coins, discrete_x=discrete, **QUIET)
        assert found.edge_list() == []
        assert found.pvalue_matrix[np.triu_indices(20, 1)].min() > 1e-4


def test_one_measurement_among_coins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = np.column_stack([x, *(x + rng.normal(size=(4, 60)) > 0)])
    found = infold.network(table, **QUIET)
    assert frozenset(("0", "1")) in pairs(found)
    assert not np.isnan(found.prune(**QUIET).pvalue_matrix[np.triu_indices(5, 1)]).any()


def test_rows_that_pairs_have_are_counted_for_these_pairs_alone():
    x = np.zeros((4, 40))
    x[0, :5] = x[1, 3:10] = x[3, 20:] = np.nan
    assert _common_rows(x, [0, 1], [2, 3]) == {35, 15, 33, 13}
    assert _common_rows(x[2:3], [0], [0]) == {40}


def test_counts_of_many_values_are_residuals_given_z():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200, 1))
    counts = rng.poisson(np.exp(2.5 + 0.5 * z), size=(200, 2))
    columns = gather(counts, None, z, None, None, None, "error")
    assert columns.kinds == ("ordinal", "ordinal")
    work = make_work(columns, "ksg", 3, 0, make_laws(columns, 3, 1, 0))
    assert (work.kinds == 0).all()  # RANKED
    assert all(len(np.unique(column)) == 200 for column in work.values)
    assert infold.network(counts, given=z, **QUIET).pvalue_matrix[0, 1] > 0.01
    # A pruned network asks about counts given one of them as well.
    chain = np.column_stack([z, counts, rng.normal(size=200)])
    pruned = infold.network(chain, **QUIET).prune(**QUIET)
    assert {frozenset(("0", "1")), frozenset(("0", "2"))} == pairs(pruned)


def test_rounded_columns_of_a_few_rows_are_residuals_given_z():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20, 1))
    rounded = np.repeat(np.arange(10.0), 2)[np.argsort(np.argsort(z[:, 0] + 0.1 * rng.normal(size=(2, 20)))).T]
    columns = gather(rounded, None, z, None, None, None, "error")
    assert columns.kinds == ("continuous", "continuous")  # half of the values are distinct
    work = make_work(columns, "ksg", 3, 0, make_laws(columns, 3, 1, 0))
    assert abs(np.corrcoef(work.values[0], z[:, 0])[0, 1]) < 0.5


def test_text_and_json_are_those_of_all_results(found):
    assert "p < 1e-09, q < 1e-09" in repr(found)
    plain = found.to_dict()
    assert plain["x_names"] == list(found.names)
    assert plain["y_names"] is None
    assert plain["n_features"] == [7, 0]
    assert plain["x_kinds"][5:] == ["nominal", "ordinal"]
    assert plain["notes"] == []
    table = sample()
    both = infold.network(table[["a"]], table[["c", "class"]], given=table[["b"]], **QUIET).to_dict()
    assert both["n_features"] == [1, 2, 1]
    assert (both["y_names"], both["y_kinds"]) == (["c", "class"], ["continuous", "nominal"])
    assert (both["z_names"], both["z_kinds"]) == (["b"], ["continuous"])


def test_rows_of_series_are_warned_of(rng):
    table = rng.normal(size=(200, 4))
    infold.network(table, n_jobs=1)  # a warning would be an error here
    with pytest.warns(infold.DataWarning, match="resemble the row before"):
        infold.network(np.cumsum(table, axis=0), n_jobs=1)
