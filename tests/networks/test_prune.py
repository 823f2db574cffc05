"""Pruning: indirect edges go, direct ones stay."""

import numpy as np
import pytest
import reference.pairs as reference

import infold
from infold.core.pairs import tile
from infold.networks.prune import _given_node

QUIET = {"n_jobs": 1, "verbose": 0}


@pytest.fixture(scope="module")
def chain():
    """0 → 1 → 2 → 3, bent on the way, and 4 apart."""
    rng = np.random.default_rng(1)
    e = rng.normal(size=(300, 5))
    x = e.copy()
    x[:, 1] = np.tanh(2 * x[:, 0]) + 0.5 * e[:, 1]
    x[:, 2] = x[:, 1] ** 3 / 2 + 0.5 * e[:, 2]
    x[:, 3] = x[:, 2] + 0.7 * e[:, 3]
    return infold.network(x, **QUIET)


def ends(network):
    return {(e["source"], e["target"]) for e in network.edge_list()}


def test_tests_given_a_common_neighbour_leave_the_chain(chain):
    assert len(ends(chain)) == 6
    pruned = chain.prune(**QUIET)
    assert ends(pruned) == {("0", "1"), ("1", "2"), ("2", "3")}
    assert pruned.pruned == "conditional"
    assert (pruned.pvalue_matrix >= chain.pvalue_matrix)[np.triu_indices(5, 1)].all()
    assert (chain.prune(n_jobs=2, verbose=0).pvalue_matrix == pruned.pvalue_matrix)[np.triu_indices(5, 1)].all()


@pytest.mark.parametrize("tolerance", [0.0, 0.3, 1.0])
def test_dpi_takes_away_the_weakest_edges(chain, tolerance):
    i, j, _ = chain.edge_indices()
    gone = reference.dpi(chain.mi_matrix, list(zip(i.tolist(), j.tolist(), strict=True)), tolerance)
    left = chain.prune("dpi", tolerance=tolerance)
    assert ends(chain) - ends(left) == {(str(a), str(b)) for a, b in gone}
    assert all(left.mi_matrix[a, b] == 0 for a, b in gone)


def test_classes_can_explain_an_edge():
    rng = np.random.default_rng(2)
    label = rng.integers(0, 3, 400)
    x = label[:, None] * [2.0, -2.0] + rng.normal(size=(400, 2))
    found = infold.network(np.column_stack([x, label]), discrete_x=[2], **QUIET)
    assert ends(found) == {("0", "1"), ("0", "2"), ("1", "2")}
    assert ends(found.prune(**QUIET)) == {("0", "2"), ("1", "2")}


def test_what_cannot_be_pruned_is_refused(chain):
    with pytest.raises(ValueError, match="how='best'"):
        chain.prune("best")
    with pytest.raises(ValueError, match="tolerance=2"):
        chain.prune("dpi", tolerance=2)
    x = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(ValueError, match="two tables have none"):
        infold.network(x[:, :1], x[:, 1:], **QUIET).prune()
    with pytest.raises(ValueError, match="nodes of one column"):
        infold.network(x, nodes={"one": [0, 1], "two": 2}, **QUIET).prune(**QUIET)


def test_neighbours_of_a_node_are_compared_tile_by_tile(chain, monkeypatch):
    from infold.networks.make import make_laws

    columns, own = chain.columns, np.array([0, 2, 3, 4])
    laws, sizes = make_laws(columns, 3, 1, 0), []

    def watched(work, one, values=tile.tile_values):
        sizes.append(one.bottom - one.top)
        return values(work, one)

    monkeypatch.setattr(tile, "tile_values", watched)
    found = [_given_node(columns, 1, own, laws, 3, 0)]
    whole = tile.Tile(0, 4, 0, 4)
    monkeypatch.setattr(tile, "tiles", lambda *_: [whole])
    found.append(_given_node(columns, 1, own, laws, 3, 0))
    assert max(sizes[:-1]) < 4
    np.testing.assert_array_equal(*found)
