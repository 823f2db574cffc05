"""Transfer entropy: the numbers of others, known answers, gaps and groups, and a test that stays quiet backwards."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import series as reference

import infold

from .samples import autoregression, driven, logistic

DATA = np.load(Path(__file__).parent.parent / "data" / "transfer_entropy.npz")
JIDT = np.load(Path(__file__).parent.parent / "data" / "transfer_entropy_jidt.npz")["cases"]
QUIET = {"n_surrogates": 0, "verbose": 0}


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda case: " ".join(f"{v:g}" for v in case[:6]))
def test_every_digit_of_a_peer(case):
    number, scaled, source_history, target_history, delay, known = case[:6].astype(int)
    x, y, z = DATA["series"][number]
    given = {"given": z, "given_lags": range(1, known + 1)} if known else {}
    found = infold.transfer_entropy(
        x,
        y,
        delay=delay,
        source_history=source_history,
        target_history=target_history,
        standardize=bool(scaled),
        **given,
        **QUIET,
    )
    assert_allclose(found.te, case[6], rtol=0, atol=1e-12)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("scaled", [True, False])
def test_every_digit_of_jidt(number, scaled):
    x, y, z = DATA["series"][number]
    cases = JIDT[(JIDT[:, 0] == number) & (JIDT[:, 1] == scaled)]
    assert len(cases) == 24
    for source_history, target_history, delay, known, theiler, te in (tuple(case[2:]) for case in cases):
        given = {"given": z, "given_lags": range(1, int(known) + 1)} if known > 0 else {}
        found = infold.transfer_entropy(
            np.column_stack([x, z]) if known < 0 else x, y, delay=int(delay), source_history=int(source_history),
            target_history=int(target_history), theiler=int(theiler), standardize=scaled, **given, **QUIET,
        )  # fmt: skip
        assert_allclose(found.te, te, rtol=0, atol=1e-12)


@pytest.mark.parametrize("theiler", [0, 1, 7])
def test_local_values_match_the_definition(rng, theiler):
    x, y = driven(rng, 120)
    x[40:43] = np.nan
    z = rng.normal(size=120)
    found = infold.transfer_entropy(
        x, y, delay=2, source_history=2, target_history=3, given=z, given_lags=[1, 4], theiler=theiler,
        standardize=False, **QUIET,
    )  # fmt: skip
    *blocks, times = reference.past_rows(x, y, delay=2, source_history=2, target_history=3, given=z, given_lags=(1, 4))
    assert_array_equal(found.rows, times)
    assert_allclose(found.local, reference.transfer_entropy(*blocks, times, 4, theiler), atol=1e-12)
    assert_allclose(found.te, found.local.mean(), atol=1e-14)


# Tolerances are three standard deviations of KSG at this size, and its bias.
@pytest.mark.parametrize(
    ("alpha", "gamma", "memory", "truth"),
    [(0.6, 0.4, 0.5, 0.09228), (0.5, 0.4, 0.6, 0.10208), (0.5, 1.0, 0.0, 0.34657)],
)
def test_linear_gaussian_truths(alpha, gamma, memory, truth):
    x, y = driven(np.random.default_rng(1), 10_000, alpha=alpha, gamma=gamma, memory=memory)
    assert infold.transfer_entropy(x, y, **QUIET).te == pytest.approx(truth, abs=0.02)
    assert infold.transfer_entropy(y, x, **QUIET).te == pytest.approx(0.0, abs=0.02)


def test_auto_finds_the_same_truth():
    x, y = driven(np.random.default_rng(2), 2_000)
    found = infold.transfer_entropy(x, y, method="auto", random_state=0, **QUIET)
    assert found.te == pytest.approx(0.10208, abs=0.03)


def test_coupled_logistic_maps_have_one_direction():
    x, y = logistic(600, 0.3)
    there, back = (infold.transfer_entropy(*pair, n_surrogates=99, random_state=0) for pair in ((x, y), (y, x)))
    assert there.te > 0.5
    assert there.pvalue == 0.01
    assert abs(back.te) < 0.1
    assert back.pvalue > 0.05


def test_effective_compares_one_estimator(rng):
    x, y = driven(rng, 120)
    found = infold.transfer_entropy(x, y, method="auto", n_surrogates=19, random_state=0, verbose=0)
    assert found.te != found.statistic
    assert found.effective == found.statistic - found.null.mean()


def test_a_common_cause_vanishes_when_it_is_given(rng):
    z = autoregression(rng, 1500, 0.5, 1)[0]
    x, y = np.roll(z, 1) + 0.5 * rng.normal(size=1500), np.roll(z, 2) + 0.5 * rng.normal(size=1500)
    assert infold.transfer_entropy(x, y, n_surrogates=49, random_state=0).pvalue == 0.02
    found = infold.transfer_entropy(x, y, given=z, given_lags=2, n_surrogates=49, random_state=0)
    assert abs(found.te) < 0.03
    assert found.pvalue > 0.05


def test_several_columns(rng):
    x = rng.normal(size=(800, 2))
    y = np.roll(x, 1, axis=0) + rng.normal(size=(800, 2))  # truth: twice 0.347
    found = infold.transfer_entropy(x, y, **QUIET)
    assert 0.4 < found.te < 0.75
    assert found.local.shape == (799,)


def test_groups_and_gaps_are_not_bridged(rng):
    x, y = driven(rng, 200)
    labels = np.repeat([1, 2], 100)
    found = infold.transfer_entropy(x, y, groups=labels, target_history=2, standardize=False, **QUIET)
    assert set(found.rows.tolist()) == set(range(200)) - {0, 1, 100, 101}
    # The same rows in any order, with a time; a stretch that is not there.
    order = rng.permutation(np.delete(np.arange(200), np.arange(50, 60)))
    found = infold.transfer_entropy(x[order], y[order], time=order.astype(float), standardize=False, **QUIET)
    assert sorted(order[found.rows].tolist()) == sorted(set(range(1, 200)) - set(range(50, 61)))
    assert "time has 1 gap" in found.notes[0]
    holes = y.copy()
    holes[50:60] = np.nan
    same = infold.transfer_entropy(x, holes, standardize=False, **QUIET)
    assert_array_equal(same.rows, np.sort(order[found.rows]))
    assert same.te == pytest.approx(found.te, abs=1e-12)


def test_histories_are_chosen():
    rng = np.random.default_rng(3)
    noise, y = rng.standard_normal(1100), np.zeros(1100)
    for t in range(2, 1100):
        y[t] = 1.2 * y[t - 1] - 0.8 * y[t - 2] + noise[t]
    found = infold.transfer_entropy(rng.normal(size=1000), y[100:], embedding="auto", **QUIET)
    assert found.target_history == 2
    assert found.source_history == 1
    assert "target 2 (chosen)" in repr(found)


def test_integers_are_no_surprise(rng):
    x, y = rng.integers(0, 4, size=(2, 500))
    assert abs(infold.transfer_entropy(x, y, **QUIET).te) < 0.1  # strict counts would say more than 1
    states = np.array(list("abcd"))
    assert abs(infold.transfer_entropy(states[x], states[y], **QUIET).te) < 0.1


def test_the_same_bits_for_any_number_of_workers(rng):
    x, y = driven(rng, 150)
    one, two = (infold.transfer_entropy(x, y, random_state=5, n_surrogates=20, n_jobs=n, verbose=0) for n in (1, 2))
    assert_array_equal(one.null, two.null)
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize("seed", [3, None, np.random.default_rng(3)], ids=["int", "none", "generator"])
def test_settings_repeat_the_result(rng, seed):
    x, y = driven(rng, 120)
    options = {"n_surrogates": 19, "embedding": "auto", "block": 9, "difference": 1}
    found = infold.transfer_entropy(x, y, given=x, given_lags={0: (2, 3)}, random_state=seed, **options)
    assert found.settings.items() >= options.items()
    again = infold.transfer_entropy(x, y, given=x, **found.settings)
    assert again.to_dict(arrays=True) == found.to_dict(arrays=True)
    assert found.to_dict()["settings"]["given_lags"] == {"0": [2, 3]}
    assert {"source_names", "target_names", "z_names"} <= set(found.to_dict())


def test_result_serialises(rng):
    import json

    x, y = driven(rng, 150)
    found = infold.transfer_entropy(x, y, n_surrogates=19, windows=(60, 30), units="bits", random_state=0)
    assert json.loads(json.dumps(found.to_dict(arrays=True)))["local"] == found.local.tolist()
    assert all(len(line) <= 80 for line in repr(found).splitlines() if not line.startswith("  note"))
    assert found.windows.values.shape == (4, 1)
    assert float(found) == found.te
    assert len(found.to_frame()) == found.n_samples


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"delay": 0}, "delay=0 must be at least 1"),
        ({"theiler": 45}, "theiler=45 leaves a row only"),
        ({"theiler": 3, "method": "auto"}, "theiler=3 is for method='ksg'"),
        ({"embedding": "magic"}, "embedding='magic' is not known"),
        ({"surrogates": "magic"}, "surrogates='magic' is not known"),
        ({"n_neighbors": 60}, "needs at least 61 rows, but the embedding has 49"),
        ({"given": np.zeros(50), "given_lags": [1, 1]}, "each once"),
        ({"time": np.r_[np.arange(49), 48]}, "the same value twice"),
        ({"time": np.arange(50) ** 1.1}, "time is irregular"),
        ({"groups": np.zeros(3)}, "groups has shape"),
        ({"windows": 99}, "windows=99 is longer"),
        ({"difference": 3}, "difference"),
    ],
)
def test_mistakes_are_told(rng, options, says):
    x, y = rng.normal(size=(2, 50))
    with pytest.raises(ValueError, match=says):
        infold.transfer_entropy(x, y, **{**QUIET, **options})


def test_lengths_and_labels_must_agree(rng):
    import pandas

    with pytest.raises(ValueError, match="source has 10 rows and target has 11"):
        infold.transfer_entropy(np.zeros(10), np.zeros(11))
    a, b = pandas.Series(rng.normal(size=20)), pandas.Series(rng.normal(size=20), index=range(1, 21))
    with pytest.raises(ValueError, match="other index labels"):
        infold.transfer_entropy(a, b)


@pytest.mark.parametrize("unit", [1e160, 1e300, 1e-300])
def test_units_do_not_matter(rng, unit):
    x = rng.normal(size=100)
    y = np.roll(x, 1) + 0.1 * rng.normal(size=100)
    expected = infold.transfer_entropy(x, y, n_surrogates=0).te
    assert infold.transfer_entropy(unit * x, y, n_surrogates=0).te == pytest.approx(expected, abs=0.02)


def test_columns_that_only_name_rows_are_noted(rng):
    x, y = driven(rng, 100)
    names = pd.DataFrame({"day": [f"day {i}" for i in range(100)], "x": x})
    [note] = infold.transfer_entropy(names, y, **QUIET).notes
    assert "separate class for most rows in 'day'" in note
    few = pd.Series(np.where(x > 0, "up", "down"), dtype=object).where(rng.random(100) < 0.4)
    assert not infold.transfer_entropy(few, y, **QUIET).notes


def test_numbers_as_text_may_be_classes(rng):
    x, y = driven(rng, 100)
    codes = pd.Series(np.where(x > 0, "1", "2"))
    with pytest.raises(TypeError, match=r"source.*numbers as text.*make the column categorical"):
        infold.transfer_entropy(codes, y, **QUIET)
    same = infold.transfer_entropy(np.where(x > 0, "up", "down"), y, **QUIET)
    assert infold.transfer_entropy(codes.astype("category"), y, **QUIET).te == same.te


def test_one_group_in_order_of_time_changes_no_bit(rng):
    x, y = driven(rng, 100)
    x[[0, 30, 31, 99]] = np.nan
    plain = infold.transfer_entropy(x, y, **QUIET)
    same = infold.transfer_entropy(x, y, groups=np.zeros(100), time=np.arange(100), **QUIET)
    assert_array_equal(same.local, plain.local)
    assert_array_equal(same.rows, plain.rows)
