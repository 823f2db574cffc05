import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from samples import gaussian, walk
from scipy.stats import spearmanr

import infold
from infold.inference.diagnosis import main_direction, planted_rows
from infold.results import rounded_down

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
    assert len(sound.verdict) == 3
    assert sound.verdict[0].startswith("X and Y are dependent")
    assert sound.verdict[1].startswith("The number looks sound")
    assert 0.5 * math.log2(1 / 0.6) < sound.certified < math.log2(1 / 0.6)
    assert sound.estimate.certified == sound.certified
    assert (
        sound.verdict[2]
        == f"At least {rounded_down(sound.certified, 2)} bits is certified (95 %), whatever the distribution."
    )
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
    assert told["certified"] == told["estimate"]["certified"] == sound.certified
    assert f"certified at least {rounded_down(sound.certified)} bits" in repr(sound)
    assert repr(sound).startswith("X and Y are dependent")


def test_diagnosis_of_independent_data():
    found = infold.diagnose(*gaussian(100, 0.0, 1), method="ksg", random_state=0)
    assert found.verdict[0].startswith("These data show no clear dependence")
    assert "would have been detected" in found.verdict[1]


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
    assert "other methods disagree" in found.verdict[1]
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


def test_page_has_the_measured_tables():
    script = Path(__file__).parents[2] / "experiments" / "trust.py"
    subprocess.run([sys.executable, script, "--check"], check=True)


def test_groups_are_not_mistaken_for_dependence():
    groups = np.repeat([0, 1, 2, 3], [30, 90, 50, 30])
    rng = np.random.default_rng(0)
    x, y = 5 * groups + rng.standard_normal((2, 200))
    found = infold.diagnose(x, y, method="ksg", groups=groups, random_state=0)
    assert found.verdict[0].startswith("These data show no clear dependence: 1.")
    assert found.certified is None  # it knows of no groups, and would count what they explain
    assert any("groups or blocks are not independent" in note for note in found.notes)
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
