import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import infold
from infold.results import rounded_down

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 50, 2))
HOLE = A.copy()
HOLE[3, 1] = np.nan
FULL = A.copy()
FULL[0, 0] = np.inf

GKSG = {"method": "gksg"}
BAD_INPUT = {
    "nan": ((HOLE, B), {}, ValueError, "X contains 1 NaN or infinite values, the first NaN in row 3, column 1"),
    "infinity": ((A, FULL), {}, ValueError, "Y contains 1 NaN or infinite values, the first infinity"),
    "text and numbers": (
        (["a", 1] * 25, B),
        {},
        TypeError,
        "neither numbers nor text alone .str in row 0, int in row 1",
    ),
    "numbers as text": ((pd.DataFrame({"u": ["1.5"] * 50}), B), {}, TypeError, "column 'u' holds numbers as text"),
    "text, not wanted": (
        (["a", "b"] * 25, B),
        {"discrete_x": False},
        TypeError,
        "text, but only numbers are allowed here",
    ),
    "missing in a table": ((pd.DataFrame({"u": [1.0, None] * 25}), B), {}, ValueError, "column 'u'"),
    "objects": ((np.array([[{}]] * 50), B), {}, TypeError, "neither numbers nor text"),
    "empty": ((np.empty((0, 2)), B), {}, ValueError, "X is empty"),
    "no columns": ((A, np.empty((50, 0))), {}, ValueError, "Y is empty"),
    "n <= k": (
        (A[:10], B[:10]),
        {"n_neighbors": 10},
        ValueError,
        "n_neighbors=10 needs at least 11 samples, but X has 10",
    ),
    "lengths": ((A, B[:49]), {}, ValueError, "X has 50 rows and Y has 49"),
    "3-D": ((A[None], B), {}, ValueError, r"X has 3 dimensions \(shape \(1, 50, 2\)\)"),
    "0-D": ((3.0, B), {}, ValueError, "single float"),
    "ragged": (([[1, 2], [3]] * 25, B), {}, ValueError, "rows of equal length"),
    "complex": ((A + 1j, B), {}, ValueError, "complex"),
    "dates": ((np.arange(50).astype("datetime64[D]"), B), {}, TypeError, "datetime64"),
    "k = 0": ((A, B), {"n_neighbors": 0}, ValueError, "n_neighbors=0 must be at least 1"),
    "k < 0": ((A, B), {"n_neighbors": -3}, ValueError, "n_neighbors=-3 must be at least 1"),
    "k = 2.5": ((A, B), {"n_neighbors": 2.5}, TypeError, "n_neighbors=2.5 must be a whole number"),
    "k = True": ((A, B), {"n_neighbors": True}, TypeError, "whole number"),
    "trees": ((A, B), {**GKSG, "n_estimators": 0}, ValueError, "n_estimators=0 must be at least 1"),
    "fractional trees": ((A, B), {**GKSG, "n_estimators": 9.5}, TypeError, "n_estimators=9.5"),
    "too many trees": ((A, B), {**GKSG, "n_estimators": 100_000}, ValueError, "at most 65000"),
    "split": ((A, B), {**GKSG, "min_samples_split": 1}, ValueError, "min_samples_split=1"),
    "bootstrap": ((A, B), {**GKSG, "max_samples": 1.5}, ValueError, r"max_samples=1.5 .* \(0, 1\]"),
    "method": (
        (A, B),
        {"method": "magic"},
        ValueError,
        "method='magic' is not known; choose one of 'auto', 'gksg', 'ksg', 'gknn', 'lnn'",
    ),
    "criterion": ((A, B), {**GKSG, "criterion": "gini"}, ValueError, "criterion='gini' is not known"),
    "metric": ((A, B), {"method": "ksg", "metric": "cosine"}, ValueError, "metric='cosine' is not known"),
    "three metrics": ((A, B), {"method": "ksg", "metric": ("chebyshev",) * 3}, ValueError, "one name or a pair"),
    "units": ((A, B), {"units": "bans"}, ValueError, "units='bans' is not known"),
    "option": ((A, B), {"method": "ksg", "trees": 3}, TypeError, "trees=3 is not a parameter of method='ksg'"),
    "seed": ((A, B), {"random_state": -1}, ValueError, "random_state=-1"),
    "seed of text": ((A, B), {"random_state": "x"}, TypeError, "random_state='x'"),
    "same column": ((A, np.column_stack((B, A[:, 1]))), {}, ValueError, "column 1 of X equals column 2 of Y"),
    "no Y": ((A, None), {}, ValueError, "Y is None"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_refused_in_one_line(case):
    tables, options, error, message = BAD_INPUT[case]
    with pytest.raises(error, match=message) as caught:
        infold.mutual_information(*tables, **options)
    assert "\n" not in str(caught.value)


def test_sparse_and_masked_input():
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="toarray"):
        infold.mutual_information(csr_array(A), B)
    masked = np.ma.masked_greater(A, 1.0)
    with pytest.raises(ValueError, match="NaN"):
        infold.mutual_information(masked, B)


def test_result_converts_and_prints():
    data = infold.datasets.make_gaussian(300, random_state=0)
    nats = infold.mutual_information(data.X, data.Y, method="ksg")
    bits = infold.mutual_information(data.X, data.Y, method="ksg", units="bits")
    assert float(nats) == nats.mi
    assert_allclose(bits.mi * math.log(2), nats.mi)
    assert_allclose(bits.local * math.log(2), nats.local)
    assert_allclose(nats.local.mean(), nats.mi)
    assert nats.n_samples == 300
    assert nats.n_features == (1, 1)
    assert "I(X; Y) =" in repr(nats)
    assert "nats" in repr(nats)
    assert "n_neighbors=3" in repr(nats)
    with pytest.raises(AttributeError):
        nats.mi = 0.0


@pytest.mark.parametrize("method", ["ksg", "auto"])
def test_certified_bound_is_in_the_units_and_does_not_depend_on_the_method(method):
    data = infold.datasets.make_gaussian(300, random_state=0)
    nats = infold.mutual_information(data.X, data.Y, method=method, certify=True, random_state=1)
    bits = infold.mutual_information(data.X, data.Y, method="ksg", certify=True, random_state=1, units="bits", n_jobs=1)
    assert 0.4 < nats.certified < data.mi
    assert_allclose(bits.certified * math.log(2), nats.certified)
    assert f"certified at least {rounded_down(bits.certified)} bits (95 %, whatever the distribution)" in repr(bits)
    assert json.loads(json.dumps(nats.to_dict()))["certified"] == nats.certified


def test_a_bound_is_never_rounded_up():
    for bound in np.random.default_rng(0).lognormal(0, 3, 300):
        for digits in (2, 3):
            assert (1 - 10.0 ** (1 - digits)) * bound <= float(rounded_down(bound, digits)) <= bound * (1 + 1e-8)


def test_nothing_is_certified_unasked_nor_without_dependence():
    x, y = np.random.default_rng(0).normal(size=(2, 100))
    unasked = infold.mutual_information(x, y, method="ksg")
    assert unasked.certified is None
    assert unasked.to_dict()["certified"] is None
    assert "certified" not in repr(unasked)
    asked = infold.mutual_information(x, y, method="ksg", certify=True, random_state=0)
    assert asked.certified == 0
    assert "certified nothing above 0" in repr(asked)
    assert infold.mutual_information(x[:20], x[:20] + 1e-3 * y[:20], method="ksg", certify=True).certified == 0


def test_result_goes_through_json():
    data = infold.datasets.make_gaussian(100, random_state=0)
    result = infold.mutual_information(
        data.X, data.Y, method="gksg", n_estimators=5, random_state=np.random.default_rng(0)
    )
    there_and_back = json.loads(json.dumps(result.to_dict()))
    assert there_and_back["mi"] == result.mi
    assert there_and_back["settings"]["n_estimators"] == 5
    assert "local" not in there_and_back
    assert len(result.to_dict(local=True)["local"]) == 100


def test_estimates_are_not_clamped():
    found = [
        float(infold.mutual_information(d.X, d.Y, method="ksg"))
        for d in (infold.datasets.make_independent(200, random_state=s) for s in range(10))
    ]
    assert min(found) < 0


def test_import_stays_light():
    # Kernels and plots are loaded when they are needed.
    code = "import infold, sys; print([m for m in ('numba', 'matplotlib', 'polars') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_auto_explains_itself():
    data = infold.datasets.make_gaussian(300, 6, random_state=0)
    X = pd.DataFrame(data.X, columns=["signal", "n1", "n2", "n3"])
    result = infold.mutual_information(X, data.Y, method="auto", random_state=0, units="bits")
    why = json.loads(json.dumps(result.to_dict()))["explanation"]
    assert_allclose(why["linear"] + why["excess"], result.mi)
    assert any(one["mi"] == pytest.approx(result.mi) for one in why["candidates"])
    assert "signal" in why["x_columns"]
    assert 0 in why["y_columns"]
    assert {"view", "reason", "standard_error", "pvalue", "candidates"} <= set(why)
    assert "linear" in repr(result)
    assert "signal" in repr(result)
    assert infold.mutual_information(data.X, data.Y, method="ksg").explanation is None


@pytest.mark.parametrize(
    "names", [[0, 1], ["a", 7], ["a", "a"], pd.MultiIndex.from_tuples([("a", "mean"), ("a", "sd")])]
)
def test_pandas_names_of_any_kind_will_do(names):
    table = pd.DataFrame(A, columns=names)
    result = infold.mutual_information(table, pd.Series(B[:, 0]), method="ksg")
    assert result.mi == infold.mutual_information(A, B[:, 0], method="ksg").mi
    assert result.names == (tuple(" ".join(c) if isinstance(c, tuple) else str(c) for c in names), None)
    with pytest.raises(TypeError, match=r"X, column '.*' holds numbers as text"):
        infold.mutual_information(table.astype(str), B, method="ksg")


def test_the_same_name_on_both_sides_is_no_column_in_common():
    series = pd.DataFrame({"a": A[:, 0]})
    lagged = infold.mutual_information(series.iloc[:-1], series.iloc[1:].reset_index(drop=True), method="ksg")
    assert lagged.names == (("a",), ("a",))
    with pytest.raises(ValueError, match="column 'a' of X equals column 'a' of Y"):
        infold.mutual_information(series, series, method="ksg")


def test_auto_is_the_default_and_other_methods_parameters_are_pointed_out():
    data = infold.datasets.make_gaussian(100, random_state=0)
    assert infold.mutual_information(data.X, data.Y, random_state=0).method == "auto"
    with pytest.raises(TypeError, match="n_estimators belongs to method='gksg'"):
        infold.mutual_information(data.X, data.Y, n_estimators=5)


# Given Z.


def test_conditional_result_converts_and_prints():
    C = pd.DataFrame(RNG.normal(size=(50, 2)), columns=["e", "f"])
    nats = infold.conditional_mutual_information(A, B, C, method="ksg")
    bits = infold.conditional_mutual_information(A, B, C, method="ksg", units="bits")
    assert nats.mi == infold.KSG().fit(A, B, C).mi_
    assert_allclose(bits.mi * math.log(2), nats.mi)
    assert nats.given == ("e", "f")
    assert nats.n_features == (2, 2, 2)
    assert repr(nats).startswith("I(X; Y | Z) = ")
    assert "50 samples, 2 + 2 columns given 2" in repr(nats)
    plain = json.loads(json.dumps(nats.to_dict()))
    assert (plain["z_names"], plain["z_kinds"]) == (["e", "f"], ["continuous"] * 2)
    assert infold.conditional_mutual_information(A, B, C.to_numpy(), method="ksg").given == 2


def test_without_z_the_answer_is_that_of_mutual_information():
    found = infold.conditional_mutual_information(A, B, None, method="ksg")
    assert found.mi == infold.mutual_information(A, B, method="ksg").mi
    assert found.given is None
    assert repr(found).startswith("I(X; Y) = ")
    assert {"z_names", "z_kinds"}.isdisjoint(found.to_dict())


@pytest.mark.parametrize("ask", [infold.mutual_information, infold.relevance])
def test_functions_for_two_sides_say_so(ask):
    with pytest.raises(
        TypeError, match=r"Z is for conditional_mutual_information, .* and is called given in relevance"
    ) as caught:
        ask(A, B, Z=A[:, 0])
    assert "\n" not in str(caught.value)


def test_no_bound_is_certified_for_series():
    walks = np.cumsum(np.random.default_rng(0).normal(size=(300, 2)), axis=0)
    found = infold.mutual_information(walks[:, 0], walks[:, 1], certify=True, random_state=0)
    assert found.certified is None
    assert any("No lower bound is certified" in note for note in found.notes)
    shuffled = np.random.default_rng(1).permutation(walks)
    assert infold.mutual_information(shuffled[:, 0], shuffled[:, 1], certify=True, random_state=0).certified > 0


def test_few_values_are_counted():
    rng = np.random.default_rng(0)
    x = rng.integers(1, 7, 3000)
    y = (x + rng.integers(0, 12, 3000)) > 9
    auto = infold.mutual_information(x, y, random_state=0)
    # Both take off their bias, each in its own way; a standard error of .006 nats is the sample's.
    assert auto.mi == pytest.approx(infold.mutual_information(x, y, method="ksg").mi, abs=1e-3)


def test_the_same_column_with_ties_on_both_sides_is_told():
    column = np.random.default_rng(0).integers(0, 60, 300)
    with pytest.warns(
        infold.DataWarning, match="Column 0 of X equals column 0 of Y, so they share all of its information"
    ):
        infold.mutual_information(column, column, random_state=0)


def test_rare_labels_in_z_are_told():
    rng = np.random.default_rng(0)
    z = np.array([f"label {i}" for i in np.maximum(np.arange(200) - 150, 0)])
    with pytest.warns(infold.DataWarning, match="49 of 200 rows have labels in Z that fewer than 5 rows share"):
        infold.conditional_mutual_information(rng.normal(size=200), rng.normal(size=200), z, random_state=0)


def test_a_result_of_zero_says_when_something_may_be_there():
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    found = infold.mutual_information(x, 0.2 * x + rng.normal(size=200), random_state=0)
    assert found.mi == 0
    assert 0.001 <= found.explanation["pvalue"] < 0.05
    assert "which answers 0 unless p < 0.001" in " ".join(repr(found).split())
