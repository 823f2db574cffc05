"""What both adapters share, without either package; and what they say where a package is missing."""

import sys
import warnings

import numpy as np
import pytest

import infold
from infold.adapters import register_with_causal_learn, tigramite_test
from infold.adapters.pairs import PairSettings, pair_test

OPTIONS = {"n_permutations": 39, "early_stop": False, "random_state": 0, "n_jobs": 1}


def test_as_independence_test_has_it(rng):
    z, label = rng.normal(size=(80, 1)), rng.integers(0, 2, (80, 1))
    x, y = z + rng.normal(size=(2, 80, 1))
    found = pair_test(x, y, np.hstack([z, label]), ([], [], [1]), PairSettings(**OPTIONS))
    plain = infold.independence_test(
        x, y, np.hstack([z, label]), discrete_z=[1], n_permutations=39, random_state=0, n_jobs=1
    )
    assert (found.pvalue, found.mi) == (plain.pvalue, plain.mi)
    alone = pair_test(x, y, z[:, :0], ([], [], []), PairSettings(**OPTIONS))
    assert (alone.given, alone.method, alone.settings["n_neighbors"]) == (None, "ksg", 8)
    assert pair_test(x, y, z[:, :0], ([], [], []), PairSettings(n_neighbors=5, **OPTIONS)).settings["n_neighbors"] == 5


@pytest.mark.parametrize(
    ("adapter", "module", "extra"),
    [
        (register_with_causal_learn, "causallearn.utils.cit", "causal-learn"),
        (tigramite_test, "tigramite.independence_tests.independence_tests_base", "tigramite"),
    ],
)
def test_a_missing_package_names_the_extra(adapter, module, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"pip install 'infold\[{extra}\]'"):
        adapter()


def test_silent_about_odd_columns(rng):
    x = np.cumsum(rng.normal(size=(2, 100, 1)), axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pair_test(x[0], x[1], np.ones((100, 1)), ([], [], []), PairSettings(**OPTIONS))
    assert 0 < found.pvalue <= 1
