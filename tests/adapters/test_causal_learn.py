"""PC and FCI of causal-learn with infold's test, on graphs that are known."""

import numpy as np
import pytest

cit = pytest.importorskip("causallearn.utils.cit")

from infold.adapters import register_with_causal_learn  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of causal-learn's own

OPTIONS = {"n_permutations": 99, "random_state": 0, "n_jobs": 1}


@pytest.fixture(autouse=True)
def _registered():
    register_with_causal_learn()


def chain_and_collider(n=400, seed=0):
    """0 → 1 → 2 with squares, and 3 → 2: of three causes and effects a linear test sees none."""
    rng = np.random.default_rng(seed)
    a, d = rng.normal(size=(2, n))
    b = a**2 + 0.5 * rng.normal(size=n)
    c = np.sin(b) + d**2 + 0.3 * rng.normal(size=n)
    return np.column_stack([a, b, c, d])


def edges(graph):
    names = {node.get_name(): i for i, node in enumerate(graph.get_nodes())}
    return {
        tuple(sorted((names[e.get_node1().get_name()], names[e.get_node2().get_name()])))
        for e in graph.get_graph_edges()
    }


def test_pc_finds_the_skeleton_and_the_collider():
    from causallearn.search.ConstraintBased.PC import pc

    found = pc(chain_and_collider(), alpha=0.05, indep_test="infold", show_progress=False, **OPTIONS)
    assert edges(found.G) == {(0, 1), (1, 2), (2, 3)}
    assert (found.G.graph[2, 3], found.G.graph[3, 2]) == (1, -1)  # 3 → 2


def test_fci_finds_the_skeleton():
    from causallearn.search.ConstraintBased.FCI import fci

    graph, _ = fci(
        chain_and_collider(),
        independence_test_method="infold",
        alpha=0.05,
        show_progress=False,
        verbose=False,
        **OPTIONS,
    )
    assert edges(graph) == {(0, 1), (1, 2), (2, 3)}


def test_discrete_columns():
    """A class is the common cause of two numbers."""
    from causallearn.search.ConstraintBased.PC import pc

    rng = np.random.default_rng(1)
    label = rng.integers(0, 3, 400)
    shift = np.array([2.0, -2.0, 0.0])[label]
    table = np.column_stack([shift + rng.normal(size=400), label, shift**2 + rng.normal(size=400)])
    found = pc(table, alpha=0.05, indep_test="infold", discrete=[1], show_progress=False, **OPTIONS)
    assert edges(found.G) == {(0, 1), (1, 2)}


def test_answers_are_kept_and_symmetric():
    test = cit.CIT(chain_and_collider(60), "infold", **OPTIONS)
    first = test(0, 1, [2])
    assert test(1, 0, (2,)) == first
    assert len([key for key in test.pvalue_cache if "|" in key]) == 1
