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


def test_one_column_is_too_few():
    with pytest.raises(ValueError, match="table has 1 column"):
        infold.transfer_entropy_matrix(np.zeros((20, 1)))
