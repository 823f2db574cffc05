"""Mutual information over lags: the numbers of KSG, the lag that is true, and p-values that hold."""

import json
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold

from .samples import autoregression

QUIET = {"n_surrogates": 0, "verbose": 0}


def test_each_lag_is_the_mutual_information_of_its_rows(rng):
    x, y = rng.normal(size=(2, 100))
    found = infold.lagged_mutual_information(x, y, [-3, 0, 2], standardize=False, **QUIET)
    pairs = [(x[3:], y[:-3]), (x, y), (x[:-2], y[2:])]
    expected = [infold.mutual_information(a, b, method="ksg", n_neighbors=4, standardize=False).mi for a, b in pairs]
    assert_allclose(found.mi, expected, atol=1e-13)
    assert_array_equal(found.n_samples, [97, 100, 98])
    assert np.isnan(found.pvalue)


def test_given_series_have_lags_of_their_own(rng):
    x, y, a, b = rng.normal(size=(4, 90))
    z = np.column_stack([a, b])
    found = infold.lagged_mutual_information(x, y, [1], z, given_lags={0: [1, 2], 1: 3}, standardize=False, **QUIET)
    known = np.column_stack([a[2:-1], a[1:-2], b[:-3]])
    expected = infold.conditional_mutual_information(
        x[2:-1], y[3:], known, method="ksg", n_neighbors=4, standardize=False
    )
    assert found.mi[0] == pytest.approx(expected.mi, abs=1e-13)


def test_the_true_lag_is_found(rng):
    x = autoregression(rng, 600, 0.5, 1)[0]
    y = np.roll(x, -4) + rng.normal(size=600)
    found = infold.lagged_mutual_information(x, y, range(-8, 9), random_state=0)
    assert found.peak == -4
    assert found.pvalue == 0.005
    assert found.pvalues[found.lags.index(-4)] == 0.005
    assert found.pvalues[found.lags.index(8)] > 0.05
    assert_array_equal(found.mi > found.thresholds, found.corrected_pvalues <= 0.05)
    assert found.corrected_pvalues.min() == found.pvalue


def test_two_columns_that_tell_only_together(rng):
    a, b = rng.normal(size=(2, 700))
    y = np.roll(np.sign(a * b) * np.abs(rng.normal(size=700)), 2)
    found = infold.lagged_mutual_information(np.column_stack([a, b]), y, range(5), n_surrogates=49, random_state=0)
    assert found.peak == 2
    assert found.pvalue == 0.02


# 60 pairs: at a level of 5 % more than 8 rejections have a chance of 0.5 %; shuffled rows would give 40 and more.
@pytest.mark.filterwarnings("ignore::infold.DataWarning")  # two random walks may both seem to have a trend
@pytest.mark.parametrize("kind", ["memory", "season", "random walk"])
def test_independent_series_are_seldom_told_dependent(kind):
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 11])
        if kind == "memory":
            x, y = autoregression(rng, 150, 0.9)
        elif kind == "season":
            angles = 2 * np.pi * np.arange(150) / 15 + rng.uniform(0, 7, (2, 1))
            x, y = np.cos(angles) + 0.5 * rng.normal(size=(2, 150))
        else:
            x, y = np.cumsum(rng.normal(size=(2, 150)), axis=1)
        found = infold.lagged_mutual_information(x, y, [0], n_surrogates=39, random_state=seed, n_jobs=1, verbose=0)
        rejected += found.pvalue <= 0.05
    assert rejected <= 8


# 60 pairs as above. Ten groups of a season, each shifted by itself, gave 45; groups of 60 with memory .9 gave 8 of 60.
@pytest.mark.parametrize("kind", ["season in phase", "long memory"])
def test_independent_groups_are_seldom_told_dependent(kind):
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 12])
        if kind == "season in phase":
            x, y = np.cos(2 * np.pi * np.arange(800) / 24 + rng.uniform(0, 7, (2, 1))) + 0.5 * rng.normal(size=(2, 800))
            groups, says = np.arange(800) // 80, "all groups were shifted by the same number of steps"
        else:
            x, y = autoregression(rng, 60, 0.9, 20).reshape(2, 600)
            groups, says = np.arange(600) // 60, "random walk"
        options = {"n_surrogates": 39, "random_state": seed, "n_jobs": 1, "verbose": 0}
        found = infold.lagged_mutual_information(x, y, [0], groups=groups, **options)
        rejected += found.pvalue <= 0.05
        assert any(says in note for note in found.notes)
    assert rejected <= 8


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
def test_what_is_not_stationary_is_told(rng):
    x, y = np.cumsum(rng.normal(size=(2, 400)), axis=1)
    assert "may be a random walk" in " ".join(infold.lagged_mutual_information(x, y, [0], n_surrogates=19).notes)
    trend = np.linspace(0, 4, 400)
    notes = " ".join(
        infold.lagged_mutual_information(trend + rng.normal(size=400), rng.normal(size=400), [0], **QUIET).notes
    )
    assert "x has a trend, so the two may only share that trend; remove it, or take changes (difference=1)." in notes
    growing = np.exp(trend / 2) * rng.normal(size=400)
    notes = " ".join(infold.lagged_mutual_information(rng.normal(size=400), growing, [0], **QUIET).notes)
    assert "y has a spread that changes" in notes


def test_changes_are_not_told_to_be_taken_twice(rng):
    curve = np.linspace(0, 10, 400) ** 3 / 20  # its changes grow as well
    found = infold.lagged_mutual_information(curve + rng.normal(size=400), rng.normal(size=400), [0], **QUIET)
    assert "take changes" in " ".join(found.notes)
    changes = infold.lagged_mutual_information(
        np.cumsum(np.linspace(0, 4, 400) + rng.normal(size=400)), rng.normal(size=400), [0], difference=1, **QUIET
    )
    (note,) = changes.notes
    assert note.startswith("The changes of x have a trend")
    assert "difference" not in note


def test_a_series_beside_its_own_past_is_never_shifted_onto_itself(rng):
    # Lags from 10 on: were shifts to reach the end of the circle, some surrogates would be the series itself.
    x = autoregression(rng, 260, 0.3, 1)[0]
    found = infold.lagged_mutual_information(x, x, range(10, 31), n_surrogates=10_000, random_state=0, verbose=0)
    assert found.thresholds.max() < 1.0


def test_a_common_number_of_rows_is_said_once(rng):
    x, y = rng.normal(size=(2, 80))
    assert "  data      80 rows, method ksg" in repr(infold.lagged_mutual_information(x, y, [0], **QUIET))
    assert "  data      78 to 80 rows, " in repr(infold.lagged_mutual_information(x, y, range(3), **QUIET))


def test_common_trends_are_a_warning(rng):
    trend = np.linspace(0, 4, 300)
    with pytest.warns(infold.DataWarning, match="x and y have a trend"):
        infold.lagged_mutual_information(*(trend + rng.normal(size=(2, 300))), [0], **QUIET)


def test_stationary_series_get_no_note():
    notes = []
    for seed in range(20):
        pair = autoregression(np.random.default_rng([seed, 5]), 500, 0.7)
        notes += infold.lagged_mutual_information(*pair, [0], n_surrogates=19, verbose=0).notes
    assert len(notes) <= 1


def test_differences(rng):
    x, y = np.cumsum(rng.normal(size=(2, 100)), axis=1)
    found = infold.lagged_mutual_information(x, y, [1], difference=1, standardize=False, **QUIET)
    expected = infold.lagged_mutual_information(np.diff(x), np.diff(y), [1], standardize=False, **QUIET)
    assert_allclose(found.mi, expected.mi, atol=1e-12)


def test_windows_follow_a_coupling_that_starts_late(rng):
    x, y = rng.normal(size=(2, 600))
    y[300:] += 2 * x[300:]
    found = infold.lagged_mutual_information(x, y, [0, 1], windows=(150, 50), **QUIET).windows
    assert_array_equal(found.starts, range(0, 451, 50))
    assert found.values[0, 0] < 0.2 < 0.4 < found.values[-1, 0]
    assert abs(found.values[-1, 1]) < 0.2
    assert list(found.to_frame().columns) == ["start", "stop", "0", "1"]


@pytest.mark.parametrize("surrogates", ["shifts", "blocks", "phases"])
def test_every_kind_of_surrogates_sees_a_dependence(rng, surrogates):
    x = autoregression(rng, 300, 0.6, 1)[0]
    y = x + 0.5 * rng.normal(size=300)
    labels = np.repeat(["a", "b"], 150)
    found = infold.lagged_mutual_information(
        x, y, [0], surrogates=surrogates, groups=labels, n_surrogates=19, random_state=0
    )
    assert found.pvalue == 0.05


def test_the_same_bits_for_any_number_of_workers(rng):
    x, y = autoregression(rng, 150, 0.5)
    one, two = (
        infold.lagged_mutual_information(x, y, [0, 1], random_state=5, n_surrogates=20, n_jobs=n) for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_windows_are_the_same_bits_for_any_number_of_workers(rng, make):
    x = rng.normal(size=120)
    y = x + 0.5 * rng.normal(size=120)
    options = {"method": "gksg", "windows": (40, 20), **QUIET}
    one, two = (
        infold.lagged_mutual_information(x, y, [0, 1], random_state=make(5), n_jobs=n, **options).windows
        for n in (1, 2)
    )
    assert_array_equal(one.values, two.values)


@pytest.mark.parametrize("seed", [3, None, np.random.default_rng(3)], ids=["int", "none", "generator"])
def test_settings_repeat_the_result(rng, seed):
    x, y, z = rng.normal(size=(3, 80))
    options = {"n_surrogates": 19, "difference": 1, "block": 9, "standardize": False, "windows": (40, 20)}
    found = infold.lagged_mutual_information(x, y, range(2), z, given_lags=range(1, 3), random_state=seed, **options)
    assert found.settings.items() >= {**options, "given_lags": [1, 2]}.items()
    again = infold.lagged_mutual_information(x, y, given=z, **found.settings)
    assert again.to_dict() == found.to_dict()
    assert json.loads(json.dumps(found.to_dict()))["settings"]["given_lags"] == [1, 2]
    assert {"x_names", "y_names", "z_names"} <= set(found.to_dict())
    assert "given_names" not in found.to_dict()


def test_result_serialises(rng):
    x, y = rng.normal(size=(2, 80))
    found = infold.lagged_mutual_information(x, y, range(-2, 3), n_surrogates=19, windows=40, random_state=0)
    assert json.loads(json.dumps(found.to_dict()))["lags"] == [-2, -1, 0, 1, 2]
    assert all(len(line) <= 80 for line in repr(found).splitlines() if not line.startswith("  note"))
    assert len(found.to_frame()) == 5
    assert float(found) == found.pvalue


@pytest.mark.parametrize("surrogates", ["shifts", "blocks"])
def test_constants_and_short_series_answer(rng, surrogates):
    found = infold.lagged_mutual_information(
        np.ones(30), rng.normal(size=30), [0, 5], n_surrogates=19, surrogates=surrogates
    )
    assert_array_equal(found.mi, 0.0)
    assert found.pvalue == 1.0
    assert infold.lagged_mutual_information(*rng.normal(size=(2, 12)), [0], n_surrogates=19).n_samples[0] == 12


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"lags": []}, "one or more different lags"),
        ({"lags": [60]}, "lag 60 has 0"),
        ({"given": np.zeros((50, 2)), "given_lags": {0: 1}}, "no lag for column 1"),
        ({"given": np.zeros(50), "given_lags": {"a": 1}}, "is no column of given"),
        ({"time": ["monday"] * 50}, "neither numbers nor ISO dates"),
        (
            {
                "surrogates": "phases",
                "x": np.r_[np.sin(np.arange(25.0)), np.nan, np.sin(np.arange(24.0))],
                "n_surrogates": 19,
            },
            "without gaps",
        ),
    ],
)
def test_mistakes_are_told(rng, options, says):
    given = {"x": rng.normal(size=50), "y": rng.normal(size=50), "lags": [0], **QUIET, **options}
    with pytest.raises(ValueError, match=says):
        infold.lagged_mutual_information(**given)


def test_a_series_beside_itself_has_each_lag_once(rng):
    x = autoregression(rng, 200, 0.5, 1)[0]
    found = infold.lagged_mutual_information(x, x, range(-3, 4), n_surrogates=39, random_state=0)
    once = infold.lagged_mutual_information(x, x, range(1, 4), n_surrogates=39, random_state=0)
    assert found.lags == (1, 2, 3)
    assert_array_equal(found.corrected_pvalues, once.corrected_pvalues)
    assert "the same series" in found.notes[0]
    assert not once.notes
    known = infold.lagged_mutual_information(x, x, [-1, 1], given=np.roll(x, 5), n_surrogates=0)
    assert known.lags == (-1, 1)  # what is given has lags of its own, so these are two questions


# 60 triples: more than 8 rejections at 5 % have a chance of 0.5 %; without changes of the driver it was every third.
def test_a_driver_explains_changes_of_random_walks():
    rejected = 0
    for seed in range(60):
        e, f, z = autoregression(np.random.default_rng([seed, 12]), 150, 0.95, 3)
        options = {"n_surrogates": 19, "random_state": seed, "n_jobs": 1, "verbose": 0}
        rejected += infold.lagged_mutual_information(z + e, z + f, [0], z, **options).pvalue <= 0.05
    assert rejected <= 8


# 60 triples: more than 9 rejections at 5 % have a chance of 0.1 %. Shifts of the series as they are rejected 22 and 35.
@pytest.mark.parametrize("kind", ["seasons and noise", "transfer and squares"])
def test_what_is_given_is_taken_off_before_a_series_is_shifted(kind):
    rejected, options = 0, {"n_surrogates": 19, "n_jobs": 1, "verbose": 0}
    for seed in range(60):
        rng = np.random.default_rng([seed, 22])
        if kind == "seasons and noise":
            z = rng.standard_normal(200)
            phases = 2 * np.pi * (np.arange(200) / 24 + rng.random((2, 1)))
            x, y = np.sin(phases) + 0.5 * rng.standard_normal((2, 200)) + 0.8 * z
            with warnings.catch_warnings(action="ignore", category=infold.DataWarning):  # of seasons
                found = infold.lagged_mutual_information(x, y, [0], z, random_state=seed, **options)
        else:
            x, y = autoregression(rng, 200, 0.9) / 2.3
            z = autoregression(rng, 200, 0.5, 1)[0]
            x, y = x + 0.6 * np.roll(z, 1) ** 2, y + 0.6 * np.roll(z, 2) ** 2
            found = infold.transfer_entropy(x, y, given=z, given_lags=2, random_state=seed, **options)
        rejected += found.pvalue <= 0.05
    assert rejected <= 9


@pytest.mark.parametrize("surrogates", ["shifts", "blocks", "phases"])
def test_a_dependence_beyond_what_is_given_is_found_in_groups(rng, surrogates):
    x, z = autoregression(rng, 400, 0.5)
    y = np.roll(x, 2) + np.roll(z, 1) ** 2 + rng.normal(size=400)
    groups = np.repeat([0, 1], 200)
    options = {"groups": groups, "surrogates": surrogates, "n_surrogates": 39, "random_state": 0}
    found = infold.lagged_mutual_information(x, y, range(-3, 4), z, given_lags=[0, 1], **options)
    assert found.peak == 2
    assert found.pvalue <= 0.05


def test_slow_series_beside_several_given_columns_are_told():
    x, y, *others = autoregression(np.random.default_rng(0), 400, 0.9, 4)
    options = {"n_surrogates": 19, "random_state": 0}
    with pytest.warns(infold.DataWarning, match="2 columns are given, and both sides change slowly"):
        infold.lagged_mutual_information(x, y, [0], np.transpose(others), **options)
    assert not infold.lagged_mutual_information(x, y, [0], others[0], **options).notes
    assert not infold.lagged_mutual_information(x, y, [0], np.transpose(others), difference=1, **options).notes


def test_seasons_are_told_only_beside_what_is_given(rng):
    x, y = np.sin(2 * np.pi * np.arange(300) / 12) + rng.normal(size=(2, 300))
    plain, options = rng.normal(size=300), {"n_surrogates": 19, "random_state": 0}
    for sides in ((x, y, [0], plain), (plain, rng.normal(size=300), [0], x)):
        assert "compare the series without them" in infold.lagged_mutual_information(*sides, **options).notes[0]
    assert not infold.lagged_mutual_information(plain, plain[::-1], [0], rng.normal(size=300), **options).notes
    assert not infold.lagged_mutual_information(x, y, [0], **options).notes
    with pytest.warns(infold.DataWarning, match="There are seasons"):
        infold.lagged_mutual_information(x, y, [0], plain, groups=np.arange(300) // 150, **options)
    with pytest.warns(infold.DataWarning, match="Groups with a season differ in length"):
        infold.lagged_mutual_information(x, y, [0], groups=np.arange(300) < 130, **options)


# 60 triples as above. What one season leaves of two others is in phase: 21 % of such triples were rejected before
# seasons were taken off, and 89 % where a driver that acts by its square lost its season.
@pytest.mark.parametrize("power", [1, 2])
def test_seasons_given_a_season_are_seldom_told_dependent(power):
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 13])
        angles = 2 * np.pi * np.arange(200) / 24 + rng.uniform(0, 7, (3, 1))
        x, y, z = np.sin(angles) + 0.5 * rng.normal(size=(3, 200))
        options = {"n_surrogates": 39, "random_state": seed, "n_jobs": 1, "verbose": 0}
        rejected += infold.lagged_mutual_information(x + z**power, y + z**power, [0], z, **options).pvalue <= 0.05
    assert rejected <= 8


def test_times_with_a_time_zone(rng):
    import pandas

    x, y = rng.normal(size=(2, 60))
    time = pandas.date_range("2024-03-30", periods=60, freq="h", tz="Europe/Berlin")  # the clock is changed on the way
    found = infold.lagged_mutual_information(x, y, [0, 1], time=time, **QUIET)
    assert_array_equal(found.mi, infold.lagged_mutual_information(x, y, [0, 1], **QUIET).mi)
    written = [moment.isoformat() for moment in time]  # +01:00, and later +02:00
    assert_array_equal(infold.lagged_mutual_information(x, y, [0, 1], time=written, **QUIET).mi, found.mi)
    written[7] = written[7][:-6]
    with pytest.raises(ValueError, match="with and without a time zone"):
        infold.lagged_mutual_information(x, y, [0, 1], time=written, **QUIET)


@pytest.mark.parametrize(
    ("x", "lags", "says"),
    [(None, [0], "x is None"), (np.arange(20), [1.5], "lags=1.5 must be whole"), (np.arange(20), "3", "lags='3' must")],
)
def test_what_is_no_series_or_lag_is_told(x, lags, says):
    with pytest.raises(TypeError, match=says):
        infold.lagged_mutual_information(x, np.arange(20) % 7, lags, **QUIET)


def test_a_series_that_never_changes_is_told(rng):
    found = infold.lagged_mutual_information(np.ones(50), rng.normal(size=50), [0], n_surrogates=19)
    assert found.pvalue == 1
    assert found.notes == ("x never changes in column 0, which tells nothing.",)


def test_lags_that_leave_surrogates_without_rows_are_refused_given_others(rng):
    x, y, z = rng.normal(size=(3, 200))
    with pytest.raises(ValueError, match=r"lag 150 is too long .* at most a third of a series \(66 steps\)"):
        infold.lagged_mutual_information(x, y, [0, 150], given=z, random_state=0)
    assert infold.lagged_mutual_information(x, y, [0, 150], given=z, n_surrogates=0).mi.shape == (2,)
    groups = np.repeat(np.arange(8), 25)
    with pytest.raises(ValueError, match="lag -20 is too long"):
        infold.lagged_mutual_information(x, y, range(-20, 21, 5), given=z, groups=groups, random_state=0)


def test_phases_given_others_leave_no_row_as_it_is(rng):
    """Rows that only some lags have would keep their true pairs: what follows x after 60 steps would never be found."""
    x, z = rng.normal(size=(2, 200))
    y = np.roll(x, 60) + 0.3 * rng.normal(size=200)
    found = infold.lagged_mutual_information(
        x, y, [-60, 60], given=z, surrogates="phases", n_surrogates=39, random_state=0, verbose=0
    )
    assert found.pvalues[1] == 1 / 40
    assert found.pvalues[0] > 0.05
