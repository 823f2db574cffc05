import json

import numpy as np
import pytest

import infold


def test_a_chain_is_found(rng):
    table = rng.normal(size=(500, 4))
    table[1:, 1] += table[:-1, 0]
    table[1:, 2] += table[:-1, 1]
    found = infold.transfer_entropy_matrix(table, n_surrogates=199, random_state=0, verbose=0)
    edges = {(edge["source"], edge["target"]) for edge in found.edges()}
    assert {("0", "1"), ("1", "2")} <= edges
    assert np.isnan(np.diag(found.te)).all()
    assert (found.qvalues >= found.pvalues)[~np.eye(4, dtype=bool)].all()
    single = infold.transfer_entropy(table[:, 0], table[:, 1], n_surrogates=0)
    assert found.te[0, 1] == single.te
    assert len(found.to_frame()) == 12
    assert json.loads(json.dumps(found.to_dict()))["names"] == ["0", "1", "2", "3"]
    assert "transfer entropies at a false discovery rate" in repr(found)


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_each_column_is_noted_once_by_its_name():
    pandas = pytest.importorskip("pandas")
    growing = np.random.default_rng(0).normal(size=(150, 5)) + np.linspace(0, 4, 150)[:, None]
    table = pandas.DataFrame(growing, columns=list("abcde"))
    found = infold.transfer_entropy_matrix(table, n_surrogates=19, random_state=0, n_jobs=1, verbose=0)
    assert [note[:10] for note in found.notes if "trend" in note] == [f"{name} has a tr" for name in "abcde"]
    assert not any("source" in note or "→" in note for note in found.notes)


def test_few_shifts_are_noted_once(rng):
    found = infold.transfer_entropy_matrix(
        rng.normal(size=(30, 3)), n_surrogates=59, random_state=0, n_jobs=1, verbose=0
    )
    assert [note[:37] for note in found.notes if "shifted" in note] == ["The series can be shifted in only 25 "]


def test_settings_repeat_the_matrix(rng):
    table = rng.normal(size=(60, 3))
    options = {"n_surrogates": 19, "difference": 1, "block": 9, "standardize": False}
    found = infold.transfer_entropy_matrix(table, random_state=np.random.default_rng(3), n_jobs=2, **options)
    assert found.settings.items() >= options.items()
    again = infold.transfer_entropy_matrix(table, n_jobs=1, **found.settings)
    assert again.to_dict() == found.to_dict()


def test_edges_are_told_by_their_false_discovery_rate(rng):
    found = infold.transfer_entropy_matrix(rng.normal(size=(60, 3)), n_surrogates=19, random_state=0, verbose=0)
    assert len(found.edges(fdr=1)) == 6
    assert found.edge_list(fdr=1) == found.edges(fdr=1) == found.to_dict(fdr=1)["edges"]
    assert found.to_csv(fdr=1).count("\n") == 7
    assert found.summary(fdr=0.5).startswith(f"{len(found.edges(fdr=0.5))} of 6")
    with pytest.raises(ValueError, match="fdr=2"):
        found.edges(fdr=2)


def test_windows_and_unknown_options_are_refused():
    with pytest.raises(ValueError, match="windows=20 is for one pair"):
        infold.transfer_entropy_matrix(np.zeros((50, 2)), windows=20)
    with pytest.raises(TypeError, match="histry"):
        infold.transfer_entropy_matrix(np.zeros((50, 2)), histry=20)


def test_one_column_is_too_few():
    with pytest.raises(ValueError, match="table has 1 column"):
        infold.transfer_entropy_matrix(np.zeros((20, 1)))
