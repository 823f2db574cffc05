"""Pictures of networks: the edges and nodes that there are, any name as it is, and none too many."""

import numpy as np
import pytest

import infold
from infold.plotting.network import MOST_NODES, _strongest, clustered, layout, name_offsets

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def network():
    x = np.random.default_rng(0).normal(size=(80, 6))
    x[:, 1] += x[:, 0]
    x[:, 4] -= x[:, 3]
    table = infold.data.tables.Table(x, ("$a_1", "<b>", "c", "d\n", "e" * 50, "f"))
    return infold.network(table, n_jobs=1, verbose=0)


def test_the_graph_has_a_line_for_each_edge_and_a_name_for_each_node(network):
    ax = network.plot()
    assert len(ax.collections[0].get_segments()) == 2
    assert {text.get_text() for text in ax.texts} == {"$a_1", "<b>", "d", "eeeeeeeeee…eeeeeeeee"}
    assert "2 edges" in ax.get_title()
    ax.figure.canvas.draw()  # names with a $ are no formulas
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert pyplot.fignum_exists(ax.figure.number)  # so that notebooks show it
    pyplot.close(ax.figure)


def test_the_matrix_has_all_nodes_with_like_ones_side_by_side(network):
    ax = network.plot("matrix")
    shown = ax.images[0].get_array()
    assert shown.shape == (6, 6)
    assert np.count_nonzero(shown) == 4
    order = [text.get_text() for text in ax.get_xticklabels()]
    assert abs(order.index("$a_1") - order.index("<b>")) == 1


def test_a_network_without_edges_can_be_drawn():
    x = np.random.default_rng(0).normal(size=(40, 3))
    found = infold.network(x, n_jobs=1, verbose=0)
    assert "0 edges" in found.plot().get_title()
    assert not found.plot("matrix").images[0].get_array().any()
    two = infold.network(x[:, :1], x[:, 1:], n_jobs=1, verbose=0)
    assert two.plot("matrix").images[0].get_array().shape == (1, 2)
    with pytest.raises(ValueError, match="kind='tree'"):
        found.plot("tree")


def test_of_many_nodes_those_with_the_strongest_edges_are_drawn():
    ends = np.array([np.arange(999), np.arange(1, 1000)])
    kept, mi, nodes = _strongest(ends, np.arange(999.0), MOST_NODES)
    assert MOST_NODES <= nodes.size <= MOST_NODES + 1
    assert nodes.max() == 999
    assert kept.max() == nodes.size - 1
    assert mi.min() > 500


def test_names_do_not_cover_each_other(rng):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    x = rng.normal(size=(100, 12))
    x[:, 1:] += x[:, :1]
    table = infold.data.tables.Table(x, tuple(f"a long name {c}" for c in range(12)))
    ax = infold.network(table, n_jobs=1, verbose=0).plot()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert sum(a.overlaps(b) for a in boxes for b in boxes) == len(boxes)  # each with itself alone
    pyplot.close(ax.figure)
    assert name_offsets(np.array([[0.0, 0.0]]), np.array([[30.0, 8.0]])).tolist() == [[0, 5]]
    assert name_offsets(np.empty((0, 2)), np.empty((0, 2))).shape == (0, 2)


def test_of_very_many_nodes_the_matrix_has_the_strongest(network, monkeypatch):
    monkeypatch.setattr("infold.plotting.network.MOST_ROWS", 2)
    ax = network.plot("matrix")
    assert ax.images[0].get_array().shape == (2, 2)
    assert "2 of 6 nodes" in ax.get_title()
    assert {text.get_text() for text in ax.get_xticklabels()} in ({"$a_1", "<b>"}, {"d", "eeeeeeeeee…eeeeeeeee"})


def test_a_layout_is_finite_and_brings_neighbours_together():
    places = layout(20, np.array([[0, 5], [19, 6]]), np.ones(2))
    assert np.isfinite(places).all()
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    assert apart[0, 19] < np.median(apart)
    assert sorted(clustered(np.eye(4))) == [0, 1, 2, 3]
