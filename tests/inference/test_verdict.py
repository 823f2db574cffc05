import math
from dataclasses import replace

import pytest

from infold.inference.verdict import Evidence, verdict

CLEAR = Evidence(
    mi=1.0,
    units="nats",
    n_samples=500,
    n_columns=2,
    pvalue=0.005,
    null=(199, 0.0, 0.03),
    error=0.05,
    over_size=[0.98, 0.99, 1.0],
    over_neighbors=[1.0, 0.99, 0.95],
    smallest=125,
    own=1,
    methods={"ksg": 1.0, "gksg": 0.97, "auto": 1.02, "cca": 1.0},
    method="ksg",
    planted=[
        {"true": 0.0, "mean": 0.0, "sd": 0.03, "bias": 0.0, "power": 0.05},
        {"true": 0.1, "mean": 0.1, "sd": 0.03, "bias": 0.0, "power": 0.8},
        {"true": 0.3, "mean": 0.3, "sd": 0.03, "bias": 0.0, "power": 1.0},
        {"true": 1.0, "mean": 0.98, "sd": 0.04, "bias": -0.02, "power": 1.0},
    ],
    near_ceiling=False,
    mostly_tied=False,
    block=None,
    certified=None,
)


HIGHER = "The truth is probably higher than the estimate; add samples."
LOWER = "The truth is probably lower than the estimate; add samples."


@pytest.mark.parametrize(
    ("change", "doubt", "advice"),
    [
        ({"near_ceiling": True}, "near the maximum that so many samples", HIGHER),
        ({"over_size": [0.7, 0.85, 1.0]}, "it grows with the sample size", HIGHER),
        ({"over_size": [1.3, 1.2, 1.0]}, "it falls with the sample size", LOWER),
        ({"over_neighbors": [1.1, 1.0, 0.6]}, "depends on the number of neighbours", HIGHER),
        ({"methods": {"ksg": 1.0, "auto": 2.0}}, "other methods disagree (auto 2)", "method='auto' finds 2 here"),
        ({"methods": {"ksg": 1.0, "cca": math.nan, "auto": 0.3}}, "other methods disagree (auto 0.3)", LOWER),
        ({"mostly_tied": True}, "many values are tied", None),
        ({"certified": 1.4}, "it is below the certified bound (1.4 nats)", HIGHER),
    ],
)
def test_each_doubt_is_told_with_what_to_do(change, doubt, advice):
    assert "The number looks sound" in verdict(CLEAR)[1]
    said = verdict(replace(CLEAR, **change))
    assert doubt in said[1]
    assert len(said) == (3 if advice else 2) + ("certified" in change)
    assert advice is None or advice in said[2]


def test_autocorrelated_rows_certify_nothing():
    said = verdict(replace(CLEAR, block=12, certified=0.8))
    assert "neighbouring rows are not independent" in said[1]
    assert "pass block=12" in said[2]
    assert said[3] == "No lower bound can be certified, since the rows may not be independent."
    assert "0.8" not in " ".join(said)


@pytest.mark.parametrize("change", [{}, {"pvalue": 0.4}, {"mi": 0.0, "method": "auto"}, {"near_ceiling": True}])
def test_what_is_certified_comes_last(change):
    said = verdict(replace(CLEAR, certified=0.8, units="bits", **change))
    assert said[-1] == "At least 0.8 bits is certified (95 %), whatever the distribution."
    assert "certified" not in " ".join(verdict(replace(CLEAR, certified=0.0, **change)))


@pytest.mark.parametrize("size", [[0.7, 0.85, 1.0], [1.3, 1.2, 1.0]])
@pytest.mark.parametrize("certified", [None, 0.0, 0.8])
def test_no_other_number_is_called_a_bound(size, certified):
    said = " ".join(verdict(replace(CLEAR, over_size=size, certified=certified)))
    assert "lower bound" not in said
    assert "upper bound" not in said


def test_planted_bias_is_a_doubt():
    planted = [*CLEAR.planted[:3], {"true": 1.0, "mean": 0.5, "sd": 0.04, "bias": -0.5, "power": 1.0}]
    said = verdict(replace(CLEAR, planted=planted))
    assert "a planted MI of 1 is estimated at 0.5" in said[1]


def test_drowned_methods_are_no_argument_against_auto():
    said = {"auto": 1.0, "ksg": 0.2, "gksg": 0.4, "cca": 1.0}
    doubtful = verdict(replace(CLEAR, method="auto", methods=said))
    assert "other methods disagree (ksg 0.2, gksg 0.4)" in doubtful[1]
    sound = verdict(replace(CLEAR, method="auto", methods=said, n_columns=20))
    assert "plain neighbours find less in so many columns: ksg 0.2, gksg 0.4" in sound[1]
    alone = verdict(replace(CLEAR, method="auto", methods={**said, "cca": 0.1}, n_columns=20))
    assert "other methods disagree" in alone[1]


def test_a_zero_that_a_milder_test_contradicts_is_not_called_sound():
    first, second, third = verdict(replace(CLEAR, mi=0.0, method="auto", error=0.0))
    assert "too weakly for the stricter test of auto, which answers 0" in first
    assert "would have been detected" in second
    assert "add samples" in third


def test_too_few_rows_for_an_error_are_a_doubt():
    found = verdict(replace(CLEAR, error=math.nan, methods={"ksg": 1.0, "auto": 1.3}))
    assert "too few samples for a standard error" in found[1]
    assert "other methods disagree (auto 1.3)" in found[1]


def test_tied_data_get_no_direction_and_no_planted_doubt():
    planted = [*CLEAR.planted[:3], {"true": 1.0, "mean": 0.5, "sd": 0.04, "bias": -0.5, "power": 1.0}]
    said = verdict(replace(CLEAR, planted=planted, mostly_tied=True, methods={"ksg": 1.0, "auto": 2.0}))
    assert "planted" not in said[1]
    assert "probably" not in " ".join(said)
