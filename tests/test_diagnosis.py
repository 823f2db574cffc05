import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import reference_inference as reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, spearmanr
from test_inference import gaussian, walk

import infold
from infold.core.rows import LAGS, copied_share, intrinsic_dimension, memory, tied_share
from infold.diagnosis import main_direction, planted_rows
from infold.verdict import Evidence, verdict

# What rows have.


def test_memory_matches_definition(rng):
    column = walk(80, 0.4, 3)
    box, lag_1 = reference.ljung_box(column, LAGS)
    found = memory(column[:, None])
    assert_allclose([found.lag_1, found.pvalue], [lag_1, chi2.sf(box, LAGS)], rtol=1e-9)
    constant = memory(np.column_stack([np.ones(80), column]))
    assert constant == found
    strong = walk(80, 0.8, 3)
    two = memory(np.column_stack([rng.permutation(strong), strong]))
    assert_allclose(two.pvalue, 2 * memory(strong[:, None]).pvalue)


def test_memory_of_independent_rows_is_rarely_found():
    pvalues = [memory(np.random.default_rng(seed).standard_cauchy((100, 3))).pvalue for seed in range(300)]
    assert np.mean(np.array(pvalues) <= 0.05) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


def test_ties_and_copies_are_counted():
    assert tied_share(np.array([1.0, 2, 2, 3, 3, 3])) == pytest.approx(5 / 6)
    assert copied_share(np.array([[1, 2], [1, 2], [1, 3], [1, 2]])) == 0.5


@pytest.mark.parametrize("columns", [1, 3])
def test_intrinsic_dimension_matches_definition(rng, columns):
    points = rng.standard_normal((60, columns))
    assert_allclose(intrinsic_dimension(points), reference.intrinsic_dimension(points, 10))


def test_intrinsic_dimension_is_that_of_the_curve():
    data = infold.datasets.make_helix(1000, random_state=0)
    assert intrinsic_dimension(data.X) == pytest.approx(1, abs=0.15)
    assert 1 < intrinsic_dimension(data.Y) < 2  # a curve in three columns, with a little noise across
    assert intrinsic_dimension(np.ones((50, 2))) == 0


# Planted MI.


@pytest.mark.parametrize("true", [0.0, 0.3, 2.0])
def test_planted_rows_keep_margins_and_carry_the_mi(rng, true):
    x, y = rng.standard_normal((4000, 3)) * [1, 5, 0.1], rng.standard_exponential((4000, 2))
    along = main_direction(x), main_direction(y)
    rows_x, rows_y, _ = planted_rows(along, true, 7)
    assert_array_equal(np.sort(rows_x), np.arange(4000))
    assert_array_equal(np.sort(rows_y), np.arange(4000))
    rho = math.sqrt(1 - math.exp(-2 * true))
    # Spearman's correlation of a Gaussian copula; its standard error is below 1 / √4000 = .016
    expected = 6 / math.pi * math.asin(rho / 2)
    assert abs(spearmanr(along[0][rows_x], along[1][rows_y])[0]) == pytest.approx(expected, abs=0.05)


def test_planted_mi_comes_back(rng):
    data = infold.datasets.make_gaussian(500, random_state=0)
    found = infold.diagnose(data.X, data.Y, method="ksg", random_state=0)
    assert [p["true"] for p in found.planted] == [0, 0.1, 0.3, found.estimate.mi]
    for p in found.planted:
        assert abs(p["bias"]) < 4 * p["sd"] / math.sqrt(8) + 0.02  # KSG in 1 + 1 columns: bias below .02
        assert p["bias"] == p["mean"] - p["true"]
    assert found.planted[-1]["power"] == 1


# The whole.


@pytest.fixture(scope="module")
def sound():
    data = infold.datasets.make_gaussian(400, rho=0.8, random_state=4)
    return infold.diagnose(data.X, data.Y, method="ksg", random_state=0, units="bits")


def test_diagnosis_of_sound_data(sound):
    assert len(sound.verdict) == 2
    assert sound.verdict[0].startswith("X and Y are dependent")
    assert sound.verdict[1].startswith("The number looks sound")
    assert sound.notes == ()
    assert list(sound.over_size) == [100, 200, 400]
    assert sound.over_neighbors[3] == sound.over_size[400][0] == sound.methods["ksg"] == sound.estimate.mi
    assert list(sound.over_neighbors) == [1, 2, 3, 5, 10, 20]
    assert sound.log_n == math.log2(400)
    assert sound.ceiling == pytest.approx((math.log(400) - 0.9228) / math.log(2), abs=0.01)  # ψ(3) = 0.9228
    assert set(sound.methods) == {"ksg", "gksg", "auto", "cca"}
    assert_allclose(list(sound.methods.values()), math.log2(1 / 0.6), atol=0.35)
    assert sound.autocorrelation["block"] is None
    assert sound.tied_columns == {}


def test_diagnosis_is_plain_for_json_and_readable(sound):
    told = json.loads(json.dumps(sound.to_dict()))
    assert told["estimate"]["mi"] == sound.estimate.mi
    assert told["over_size"]["400"][0] == sound.estimate.mi
    assert repr(sound).startswith("X and Y are dependent")


def test_diagnosis_of_independent_data():
    found = infold.diagnose(*gaussian(100, 0.0, 1), method="ksg", random_state=0)
    assert found.verdict[0].startswith("These data show no clear dependence")
    assert "would have been seen" in found.verdict[1]


def test_diagnosis_tells_what_is_wrong():
    rng = np.random.default_rng(0)
    x = np.round(walk(120, 0.95, 0))
    y = np.round(x + 0.3 * rng.standard_normal(120))
    with pytest.warns(infold.DataWarning) as seen:
        found = infold.diagnose(x, y + 0.5, method="ksg", random_state=0)
    assert any("autocorrelated" in str(one.message) for one in seen)
    assert found.autocorrelation["block"] >= 2
    assert found.duplicate_rows > 0.3
    assert found.tied_columns["X[0]"] > 0.9
    said = " ".join(found.verdict)
    assert "many values are tied" in said
    assert f"pass block={found.autocorrelation['block']}" in said


def test_diagnosis_of_drowned_signal_names_a_better_method():
    data = infold.datasets.make_uniform(300, noise_dims=10, random_state=0)
    found = infold.diagnose(data.X, data.Y, method="ksg", random_state=0)
    assert "Take the number with care" in found.verdict[1]
    assert "other methods say otherwise" in found.verdict[1]
    assert found.verdict[2].startswith("The truth is probably higher; method=")


def test_workers_change_no_bit():
    x, y = gaussian(60, 0.7, 3)
    given = {"method": "ksg", "random_state": 1, "n_simulations": 2}
    one, two = (infold.diagnose(x, y, n_jobs=n_jobs, **given).to_dict() for n_jobs in (1, 2))
    for told in (one, two):
        del told["settings"], told["estimate"]["settings"]
    assert one == two


def test_tiny_data_get_an_answer():
    found = infold.diagnose(*gaussian(6, 0.5, 0), method="ksg", random_state=0)
    assert list(found.over_size) == [6]
    assert any("6 samples of 2 columns are few" in note for note in found.notes)


# The verdict alone.

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
)


@pytest.mark.parametrize(
    ("change", "doubt", "advice"),
    [
        ({"near_ceiling": True}, "near the most that so many samples", "lower bound"),
        ({"over_size": [0.7, 0.85, 1.0]}, "it grows with the rows", "lower bound"),
        ({"over_size": [1.3, 1.2, 1.0]}, "it falls with the rows", "upper bound"),
        ({"over_neighbors": [1.1, 1.0, 0.6]}, "depends on the number of neighbours", "lower bound"),
        ({"methods": {"ksg": 1.0, "auto": 2.0}}, r"say otherwise (auto 2)", "method='auto' sees 2 here"),
        ({"methods": {"ksg": 1.0, "cca": math.nan, "auto": 0.3}}, r"say otherwise (auto 0.3)", "upper bound"),
        ({"mostly_tied": True}, "many values are tied", None),
        ({"block": 12}, "rows are autocorrelated", "pass block=12"),
    ],
)
def test_each_doubt_is_told_with_what_to_do(change, doubt, advice):
    assert "The number looks sound" in verdict(CLEAR)[1]
    said = verdict(replace(CLEAR, **change))
    assert doubt in said[1]
    assert len(said) == (3 if advice else 2)
    assert advice is None or advice in said[2]


def test_planted_bias_is_a_doubt():
    planted = [*CLEAR.planted[:3], {"true": 1.0, "mean": 0.5, "sd": 0.04, "bias": -0.5, "power": 1.0}]
    said = verdict(replace(CLEAR, planted=planted))
    assert "a planted MI of 1 comes out as 0.5" in said[1]


def test_page_has_the_measured_tables():
    script = Path(__file__).parent.parent / "experiments" / "trust.py"
    subprocess.run([sys.executable, script, "--check"], check=True)


def test_drowned_methods_are_no_argument_against_auto():
    said = {"auto": 1.0, "ksg": 0.2, "gksg": 0.4, "cca": 1.0}
    doubtful = verdict(replace(CLEAR, method="auto", methods=said))
    assert "other methods say otherwise (ksg 0.2, gksg 0.4)" in doubtful[1]
    sound = verdict(replace(CLEAR, method="auto", methods=said, n_columns=20))
    assert "plain neighbours see less in so many columns: ksg 0.2, gksg 0.4" in sound[1]
    alone = verdict(replace(CLEAR, method="auto", methods={**said, "cca": 0.1}, n_columns=20))
    assert "other methods say otherwise" in alone[1]


def test_a_zero_that_a_milder_test_contradicts_is_not_called_sound():
    first, second, third = verdict(replace(CLEAR, mi=0.0, method="auto", error=0.0))
    assert "so weakly that auto, which asks for more, answers 0" in first
    assert "would have been seen" in second
    assert "add samples" in third


@pytest.mark.parametrize("levels", [2, 5])
def test_ties_are_no_memory(levels):
    # Independent coin flips: with the hint at p = .01 a side, about one in 10,000 may look autocorrelated.
    rng = np.random.default_rng(levels)
    pvalues = [memory(rng.integers(0, levels, (300, 1)).astype(float)).pvalue for _ in range(200)]
    assert np.mean(np.array(pvalues) < 0.05) < 0.12  # 5 %, deviation 1.5 %


def test_groups_are_not_mistaken_for_dependence():
    groups = np.repeat([0, 1, 2, 3], [30, 90, 50, 30])
    rng = np.random.default_rng(0)
    x, y = 5 * groups + rng.standard_normal((2, 200))
    found = infold.diagnose(x, y, method="ksg", groups=groups, random_state=0)
    assert found.verdict[0].startswith("These data show no clear dependence: 1.")
    assert found.autocorrelation["block"] is None
    assert not any("autocorrelated" in said for said in (*found.verdict, *found.notes))


def test_a_block_that_was_given_is_not_advised():
    x, y = walk(300, 0.95, 0), walk(300, 0.95, 1)
    found = infold.diagnose(x, y, method="ksg", block=30, random_state=0)
    assert found.verdict[0].startswith("These data show no clear dependence")
    assert not any("block=" in said for said in (*found.verdict, *found.notes))


def test_verdict_begins_with_the_test_that_was_made():
    x, y = gaussian(120, 0.3, 3)
    test = infold.independence_test(x, y, method="ksg", random_state=0)
    said = infold.diagnose(x, y, method="ksg", test=test, random_state=0).verdict[0]
    assert (
        f"199 random pairings of the rows give {test.null_mean:.2g} ± {test.null_std:.1g} (p = {test.pvalue:.2g})"
        in said
    )


def test_too_few_rows_for_an_error_are_a_doubt():
    found = verdict(replace(CLEAR, error=math.nan, methods={"ksg": 1.0, "auto": 1.3}))
    assert "so few samples cannot tell how far it would move" in found[1]
    assert "other methods say otherwise (auto 1.3)" in found[1]


def test_tied_data_get_no_direction_and_no_planted_doubt():
    planted = [*CLEAR.planted[:3], {"true": 1.0, "mean": 0.5, "sd": 0.04, "bias": -0.5, "power": 1.0}]
    said = verdict(replace(CLEAR, planted=planted, mostly_tied=True, methods={"ksg": 1.0, "auto": 2.0}))
    assert "planted" not in said[1]
    assert "probably" not in " ".join(said)
