import json
import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from reference import inference as reference
from samples import gaussian, walk
from scipy.stats import t as student_t

import infold
from infold.inference.resampling import make_shuffle, partition, seeds_for
from infold.results import rounded_down


def test_interval_matches_definition():
    x, y = gaussian(60, 0.6, 0)
    found = infold.confidence_interval(x, y, method="ksg", n_subsamples=8, level=0.9, random_state=2)
    seeds, shuffle = seeds_for(2, 7)[:-1], make_shuffle(60, None, None)
    values = {}
    for parts, rounds in ((2, 4), (4, 2)):
        dealt = [partition(shuffle, parts, seeds.pop()) for _ in range(rounds)]
        values[parts] = np.array([[reference.ksg(x[rows], y[rows], 3) for rows, _ in one] for one in dealt])
    assert_allclose(found.subsamples, values[2].ravel(), atol=1e-12)
    assert_allclose(found.means, [values[4].mean(), values[2].mean(), found.mi], atol=1e-12)
    halves, quarters = (values[parts].var(axis=1, ddof=1).mean() / parts for parts in (2, 4))
    error = math.sqrt(halves + max(0, halves - quarters))
    assert_allclose(found.standard_error, error)
    assert_allclose(found.high - found.mi, student_t.ppf(0.95, 4) * error)
    assert_allclose(found.mi - found.low, found.high - found.mi)
    assert_allclose(list(found.over_neighbors.values()), [reference.ksg(x, y, k) for k in (3, 6, 12)], atol=1e-12)


def test_error_is_the_spread_over_data_sets():
    found = [
        infold.confidence_interval(
            *gaussian(200, 0.6, seed), method="ksg", n_subsamples=40, random_state=seed, n_jobs=1
        )
        for seed in range(60)
    ]
    spread = np.std([one.mi for one in found], ddof=1)
    claimed = math.sqrt(np.mean([one.standard_error**2 for one in found]))
    assert 0.8 < claimed / spread < 1.35  # the spread of 60 is known to 9 %, the error may be 15 % too large


def test_interval_is_not_clamped():
    found = infold.confidence_interval(*gaussian(100, 0.0, 0), method="ksg", random_state=0)
    assert found.low < 0 < found.high


def test_an_answer_of_zero_is_not_certain():
    # 0.02 nats: auto answers 0, and so do all subsamples; an interval from 0 to 0 would be a lie.
    x, y = gaussian(120, 0.2, 0)
    found = infold.confidence_interval(x, y, method="auto", n_subsamples=4, random_state=0, units="bits")
    assert found.mi == 0
    assert found.low < 0 < 0.03 < found.high < 0.5
    assert "may have gone unnoticed" in found.notes[0]
    own = infold.Adaptive(random_state=0).fit(x, y).standard_error_
    assert found.standard_error == pytest.approx(own / np.log(2))


def test_drift_is_told_where_the_bias_is_large():
    # 3 + 3 columns, a strong signal in one: KSG is far too low, and rises with n.
    x, y = gaussian(300, 0.95, 0, columns=3)
    found = infold.confidence_interval(x, y, method="ksg", random_state=0)
    assert not found.bias_is_small
    assert "The truth is probably higher" in found.notes[0]
    assert found.means[0] < found.means[1] < found.means[2]
    assert found.notes[0].startswith("The bias is not small")


def test_no_bias_is_told_where_there_is_none():
    found = [
        infold.confidence_interval(
            *gaussian(400, 0.5, seed), method="ksg", n_subsamples=40, random_state=seed, n_jobs=1
        )
        for seed in range(20)
    ]
    assert sum(one.bias_is_small for one in found) >= 10  # about four of five
    assert all(one.bias_is_small == (not one.notes) for one in found)


def test_ceiling_is_told():
    x = np.random.default_rng(0).random(100)
    with pytest.warns(infold.DataWarning, match=r"of the maximum that 3 neighbours among 100 samples can show"):
        infold.confidence_interval(x, x + 1e-9 * np.arange(100), method="ksg", n_subsamples=8)


def test_ties_are_told():
    x, y = np.random.default_rng(0).integers(0, 10, size=(2, 80, 2))
    found = infold.confidence_interval(x, y + 0.5, method="ksg", n_subsamples=8, random_state=0)
    assert any("tied in X[0], X[1], Y[0], Y[1]" in note for note in found.notes)


def test_bound_is_certified_whatever_the_method_and_level():
    x, y = gaussian(300, 0.8, 0)
    found = [
        infold.confidence_interval(x, y, method="ksg", n_subsamples=4, random_state=3, **other)
        for other in ({}, {"level": 0.5, "n_neighbors": 9})
    ]
    assert found[0].certified == found[1].certified
    assert found[0].certified == infold.mutual_information(x, y, certify=True, method="ksg", random_state=3).certified
    assert f"certified at least {rounded_down(found[0].certified)} nats" in repr(found[0])


@pytest.mark.filterwarnings("ignore:Rows are autocorrelated")
@pytest.mark.parametrize("block", [None, 20])
def test_nothing_is_certified_where_rows_remember(block):
    found = infold.confidence_interval(
        walk(300, 0.95, 0), walk(300, 0.95, 1), method="ksg", n_subsamples=4, block=block, random_state=0
    )
    assert found.certified is None
    assert "certified" not in repr(found).partition("note")[0]
    assert sum(note.startswith("No lower bound is certified") for note in found.notes) == 1


def test_blocks_widen_the_interval_of_a_series():
    x = walk(400, 0.95, 0)
    y = x + walk(400, 0.95, 1)
    given = {"method": "ksg", "random_state": 0}
    with pytest.warns(infold.DataWarning, match="autocorrelated"):
        naive = infold.confidence_interval(x, y, **given)
    assert infold.confidence_interval(x, y, block=40, **given).standard_error > 1.3 * naive.standard_error


def test_few_samples_are_enough_or_told():
    found = infold.confidence_interval(*gaussian(16, 0.5, 0), method="ksg", n_subsamples=8, random_state=0)
    assert found.sizes == (4, 8, 16)
    assert any("16 rows are few for an interval" in note for note in found.notes)
    with pytest.raises(ValueError, match="n_neighbors=3 needs at least 16 samples for quarters, but X has 15"):
        infold.confidence_interval(*gaussian(15, 0.5, 0), method="ksg")


def test_few_blocks_are_refused():
    with pytest.raises(ValueError, match="block=20 leaves 5 blocks of the 100 rows, but an interval needs at least 8"):
        infold.confidence_interval(*gaussian(100, 0.5, 0), method="ksg", block=20)


def test_nothing_known_is_no_interval_of_zero_width():
    # 60 + 60 columns of 100 rows, none of whose pairs stands out: auto cannot look at them jointly.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 60))
    Y = X @ rng.standard_normal((60, 60)) / 8 + 0.5 * rng.standard_normal((100, 60))
    found = infold.confidence_interval(X, Y, n_subsamples=4, random_state=0)
    assert found.mi == 0
    assert (found.low, found.high) == (-math.inf, math.inf)
    assert not found.bias_is_small
    assert "remains unknown" in found.notes[0]
    assert found.to_dict()["low"] is None


@pytest.mark.parametrize(
    ("given", "message"),
    [({"level": 95}, "level=95 must be between 0 and 1"), ({"n_subsamples": 2}, "n_subsamples=2 must be at least 4")],
)
def test_wrong_settings_are_told(given, message):
    with pytest.raises(ValueError, match=message):
        infold.confidence_interval(*gaussian(30, 0.5, 0), method="ksg", **given)


@pytest.mark.parametrize("method", ["gksg", "auto"])
def test_workers_change_no_bit(method):
    options = {"n_estimators": 10} if method == "gksg" else {}
    x, y = gaussian(60, 0.7, 3)
    one, two = (
        infold.confidence_interval(x, y, method=method, n_subsamples=4, random_state=1, n_jobs=n_jobs, **options)
        for n_jobs in (1, 2)
    )
    assert (one.low, one.high, one.means) == (two.low, two.high, two.means)


def test_the_result_is_plain_for_json_and_readable():
    interval = infold.confidence_interval(*gaussian(60, 0.9, 0), method="ksg", n_subsamples=8, random_state=0)
    told = json.loads(json.dumps(interval.to_dict()))
    assert (told["low"], told["high"], told["sizes"]) == (interval.low, interval.high, [15, 30, 60])
    assert "95 % interval [" in repr(interval)


def test_an_interval_given_z():
    rng = np.random.default_rng(5)
    z, e, f = rng.standard_normal((3, 400))
    x, y = z + e, z + 0.75 * e + f  # given Z a correlation of .6: .2231
    tables = {"X": x, "Y": y, "Z": pd.DataFrame({"cause": z})}
    found = infold.confidence_interval(**tables, method="ksg", random_state=0, n_jobs=1)
    assert found.low < 0.2231 < found.high
    assert found.mi == infold.conditional_mutual_information(**tables, method="ksg").mi
    assert found.given == ("cause",)
    assert found.certified is None
    assert any("not given Z" in note for note in found.notes)
    assert "I(X; Y | Z) = " in repr(found)
    assert found.to_dict()["z_names"] == ["cause"]
    again = infold.confidence_interval(**tables, method="ksg", random_state=0, n_jobs=2)
    assert (again.low, again.high) == (found.low, found.high)
