"""Relevance, diagnosis and notes given Z."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import infold
from infold.data.question import ask
from infold.inference.diagnosis import cca
from infold.inference.given import given_note, left_by_z

FAST = {"random_state": 0, "n_jobs": 1, "verbose": 0}


def confounded(n=200, seed=0):
    """Z drives all columns but `c`; only `a` and `u` share more."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 2))
    a, b = z.T + rng.normal(size=(2, n))
    X = pd.DataFrame({"a": a, "b": b, "c": rng.normal(size=n)})
    Y = pd.DataFrame({"u": z[:, 0] ** 2 + a + 0.5 * rng.normal(size=n), "v": z[:, 1] + rng.normal(size=n)})
    return X, Y, pd.DataFrame(z, columns=["p", "q"])


def test_relevance_given_z_finds_what_z_does_not_tell():
    X, Y, Z = confounded()
    found = infold.relevance(X, Y, given=Z, n_permutations=99, **FAST)
    assert found.relevant_x.tolist() == [True, False, False]
    assert found.relevant_y.tolist() == [True, False]
    alone = infold.relevance(X[["b"]], Y[["v"]], method="ksg", n_permutations=99, **FAST)
    assert alone.relevant_x.tolist() == [True]  # Z is their common cause
    assert (found.method, found.given, found.n_features) == ("ksg", ("p", "q"), (3, 2, 2))
    assert np.isnan(found.threshold_x).all()
    assert found.scores_x[0] == infold.KSG(20).fit(X[["a"]], Y, Z).mi_
    assert "2 of 5 columns carry information given Z" in repr(found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert (plain["given"], plain["z_kinds"]) == (["p", "q"], ["continuous"] * 2)


def test_relevance_of_one_column_is_the_test_of_it():
    X, Y, Z = confounded(80)
    found = infold.relevance(X[["b"]], Y[["v"]], given=Z, n_permutations=39, **FAST)
    assert_array_equal(found.null_x, found.null_y)
    again = infold.relevance(X[["b"]], Y[["v"]], given=Z, n_permutations=39, random_state=0, n_jobs=2)
    assert_array_equal(found.null_x, again.null_x)
    assert found.pvalues_x[0] > 0.05


def test_columns_that_z_has_or_that_are_constant():
    X, Y, Z = confounded(60)
    with pytest.warns(infold.DataWarning):
        found = infold.relevance(X.assign(p=Z["p"], one=1.0), Y, given=Z, n_permutations=19, **FAST)
    assert found.names_x == ("a", "b", "c", "one")
    assert found.pvalues_x[3] == 1
    with pytest.warns(infold.DataWarning, match="the answer is 0"):
        found = infold.relevance(Z, Y, given=Z, n_permutations=19, **FAST)
    assert found.relevant_x.size == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "together"}, "given is for kind='alone', but kind='together'"),
        ({"missing": "pairwise"}, "missing='pairwise' is for X and Y alone, but Z is given"),
        ({"groups": [0] * 60}, "groups is for tests without Z"),
        ({"block": 3}, "block=3 is for tests without Z"),
    ],
)
def test_what_relevance_given_z_refuses(options, message):
    X, Y, Z = confounded(60)
    with pytest.raises(ValueError, match=message):
        infold.relevance(X, Y, given=Z, **options)


def test_diagnosis_given_z():
    X, Y, Z = confounded()
    found = infold.diagnose(X["a"], Y["u"], Z, **FAST)
    assert found.verdict[0].startswith("X and Y are dependent given Z: ")
    assert "draws without dependence" in found.verdict[0]
    assert (found.method, found.given) == ("ksg", ("p", "q"))
    assert found.estimate.mi == infold.KSG().fit(X["a"], Y["u"], Z).mi_
    assert {"x", "y", "z", "joint"} == found.intrinsic_dimension.keys()
    # What is planted comes out roughly, and more of it as more: of 200 rows, with k = 3 and Z in two columns.
    means = [row["mean"] for row in found.planted]
    assert abs(means[0]) < 0.1
    assert means == sorted(means)
    assert found.certified is None
    silent = infold.diagnose(X["c"], Y["v"], Z, **FAST)
    assert silent.verdict[0].startswith("These data show no clear dependence given Z")
    with pytest.raises(ValueError, match="block=3 is for tests without Z"):
        infold.diagnose(X, Y, Z, block=3)


def test_cca_given_z_is_that_of_partial_correlations():
    rng = np.random.default_rng(0)
    z, e, f = rng.normal(size=(3, 4000))
    found = cca(ask(z + e, z + 0.6 * e + 0.8 * f, z))
    assert abs(found + 0.5 * math.log(1 - 0.36)) < 0.05  # one deviation is .013
    assert abs(cca(ask(z + e, z + f, z))) < 0.01


def test_a_test_given_diagnosis_is_taken_over():
    X, Y, Z = confounded(80)
    test = infold.independence_test(X["b"], Y["v"], Z, n_permutations=39, **FAST)
    found = infold.diagnose(X["b"], Y["v"], Z, test=test, **FAST)
    assert f"(p = {test.pvalue:.2g})" in found.verdict[0]


def note(columns, n, shape=np.square, labels=False):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(n, columns))
    x, y = 2 * shape(z).sum(axis=1) / math.sqrt(columns) + rng.normal(size=(2, n))
    if labels:
        x, y = (side > np.median(side) for side in (x, y))
    found = given_note(left_by_z(ask(x, y, z), 0))
    return found and (found.urgent, found.text)


def test_words_for_a_z_in_too_many_columns():
    assert note(1, 200) is None
    assert note(3, 200) is None
    urgent, text = note(10, 100)
    assert urgent
    assert text.startswith("Z has too many columns (10) for 100 rows")
    urgent, text = note(8, 1000, lambda z: z)
    assert not urgent
    assert "so p rests on smooth functions of Z alone" in text
    assert note(1, 200, labels=True) is None


def test_words_for_rough_functions_of_z():
    assert note(2, 500, np.tanh) is None
    urgent, text = note(2, 500, np.sign)
    assert urgent
    assert "steps, corners or fast waves, or with so little noise, that 500 rows show it only roughly" in text
    assert note(2, 500, np.tanh, labels=True) is None


@pytest.mark.filterwarnings("ignore:X and Y follow Z")
def test_labels_on_both_sides_that_only_z_relates():
    rng = np.random.default_rng(5)
    rejected = 0
    for seed in range(8):
        z = rng.normal(size=(300, 3))
        x, y = 2 * z.sum(axis=1) / math.sqrt(3) + rng.normal(size=(2, 300))
        test = infold.independence_test(x > 0, y > 0, z, n_permutations=39, random_state=seed, n_jobs=1, verbose=0)
        rejected += test.pvalue <= 0.05
    assert rejected <= 2  # at a level of 5 % more have a chance of .6 %


@pytest.mark.filterwarnings("ignore:X and Y follow Z")
def test_a_common_cause_with_next_to_no_noise():
    rng = np.random.default_rng(6)
    rejected = 0
    for seed in range(8):
        z, e, f = rng.normal(size=(3, 200))
        test = infold.independence_test(
            np.exp(z) + 0.005 * e, z + 0.005 * f, z, n_permutations=39, random_state=seed, n_jobs=1, verbose=0
        )
        rejected += test.pvalue <= 0.05
    assert rejected <= 2  # at a level of 5 % more have a chance of .6 %
