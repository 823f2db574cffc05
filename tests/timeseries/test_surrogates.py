"""Surrogates keep what they say they keep."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.timeseries.grid import differenced, read_series
from infold.timeseries.seasons import has_season, without_seasons
from infold.timeseries.stationarity import unit_root_t
from infold.timeseries.surrogates import fitting_ends, make_surrogates

from .samples import autoregression


def grid_of(x, y, groups=None):
    return read_series({"x": x, "y": y}, groups=groups, time=None, reach=3)


@pytest.mark.parametrize("kind", ["shifts", "blocks", "phases"])
def test_groups_keep_their_values(rng, kind):
    labels = np.repeat([0, 1, 2], [40, 60, 50])
    x, y = rng.normal(size=(2, 150))
    grid = grid_of(x, y, labels)
    draws = make_surrogates(grid, "x", "y", kind, 3, None)
    one, two = draws.draw(1), draws.draw(2)
    assert not np.array_equal(one, two, equal_nan=True)
    assert_array_equal(one, draws.draw(1))
    for start, stop in grid.segments:
        assert_array_equal(np.sort(one[start:stop], axis=0), np.sort(draws.values[start:stop], axis=0))
    outside = grid.rows < 0
    assert np.isnan(one[outside]).all()


def test_shifts_are_long_and_turn_the_series(rng):
    x, y = rng.normal(size=(2, 100))
    draws = make_surrogates(grid_of(x, y), "x", "y", "shifts", 10, None)
    for seed in range(50):
        turned = draws.draw(seed)[:, 0]
        turned = turned[np.isfinite(turned)]
        by = int(np.flatnonzero(turned == x[0])[0])
        assert_array_equal(turned, np.roll(x, by))
        assert 10 < by < 90


def test_phases_keep_the_spectrum():
    x, y = autoregression(np.random.default_rng(0), 512, 0.8)
    grid = grid_of(x, y)
    drawn = make_surrogates(grid, "x", "y", "phases", 3, None).draw(0)[np.flatnonzero(grid.rows >= 0), 0]
    lag_1 = [np.corrcoef(v[1:], v[:-1])[0, 1] for v in (x, drawn)]
    assert lag_1[0] == pytest.approx(lag_1[1], abs=0.03)
    assert abs(np.corrcoef(x, drawn)[0, 1]) < 0.5


def test_ends_that_fit_are_whole_periods():
    wave = np.sin(2 * np.pi * np.arange(205) / 20)
    start, stop = fitting_ends(wave[:, None], 0, 205)
    assert (stop - start) % 20 == 0
    assert stop - start >= 120


def test_groups_of_a_season_turn_in_step(rng):
    time = np.arange(250)
    x, y = np.cos(2 * np.pi * time / 10 + np.array([[1], [2]])) + 0.3 * rng.normal(size=(2, 250))
    draws = make_surrogates(grid_of(x, y, np.repeat([0, 1, 2], [100, 100, 50])), "x", "y", "shifts", 3, None)
    lengths = [stop - start for start, stop in draws.segments]
    assert draws.in_step
    assert draws.turns(7, 2) == tuple((draws.turns(0)[0] + 9) % n for n in lengths)
    assert draws.n_different <= 100
    assert_array_equal(np.diff(draws.places([3, 9], (0, 1, 2)), axis=0), np.full((1, 3), 6))
    noise = grid_of(*rng.normal(size=(2, 250)), np.repeat([0, 1], 125))
    assert not make_surrogates(noise, "x", "y", "shifts", 3, None).in_step


def test_many_groups_have_very_many_shifts(rng):
    x, y = rng.normal(size=(2, 300 * 40))
    draws = make_surrogates(grid_of(x, y, np.repeat(np.arange(300), 40)), "x", "y", "shifts", 3, None)
    assert draws.n_different > 10**308


@pytest.mark.parametrize("kind", ["shifts", "blocks"])
def test_blocks_longer_than_a_quarter_of_a_series_are_refused(rng, kind):
    x, y = rng.normal(size=(2, 160))
    grid = grid_of(x, y, np.repeat([0, 1], [60, 100]))
    make_surrogates(grid, "x", "y", kind, 3, 25)
    with pytest.raises(ValueError, match=r"block=26 .* at most 25"):
        make_surrogates(grid, "x", "y", kind, 3, 26)


def test_chosen_blocks_are_no_longer_than_a_quarter_of_a_series():
    x = np.linspace(0, 1, 100)  # remembers longer than that
    draws = make_surrogates(grid_of(x, x), "x", "y", "blocks", 3, None)
    assert draws.length == 25


@pytest.mark.filterwarnings("error")
def test_a_group_without_a_value_keeps_its_ends():
    values = np.full((60, 2), np.nan)
    values[:, 0] = np.arange(60)
    assert fitting_ends(values, 0, 60) == (0, 60)


def test_changes_cost_each_group_one_step(rng):
    grid = read_series(dict(zip("xyz", rng.normal(size=(3, 20)), strict=True)), groups=None, time=None, reach=0)
    ((start, stop),) = grid.segments
    assert differenced(grid).segments == ((start + 1, stop),)
    changed = differenced(grid, {"x": [0], "y": [0]})
    assert changed.segments == ((start + 1, stop),)
    assert_array_equal(changed["z"].values, grid["z"].values)
    assert_array_equal(np.diff(grid["x"].values, axis=0), changed["x"].values[1:])


def test_unit_roots():
    rng = np.random.default_rng(0)
    values = [unit_root_t(np.cumsum(rng.normal(size=300))) for _ in range(40)]
    assert np.median(values) == pytest.approx(-1.57, abs=0.4)  # the median of Dickey and Fuller's law; 40 draws
    assert unit_root_t(rng.normal(size=300)) < -4
    slow = autoregression(rng, 60, 0.9, 10)  # ten groups look like random walks as one does
    slow = np.hstack([slow, np.full((10, 6), np.nan)]).ravel()
    assert unit_root_t(slow, 10) == pytest.approx(unit_root_t(slow[:60]), abs=2)  # a t value varies by about 1
    assert unit_root_t(slow) < 2 * unit_root_t(slow, 10)
    broken = rng.normal(size=300)
    broken[100:120] = np.nan
    assert_allclose(unit_root_t(broken), unit_root_t(np.r_[broken[:100], np.full(99, np.nan), broken[120:]]))


# Of 200 series one in a thousand is allowed to be taken for a season: more than 2 have a chance of 0.1 %.
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.95])
def test_seasons(memory):
    rng = np.random.default_rng(0)
    series = autoregression(rng, 200, memory, 200)
    assert sum(map(has_season, series)) <= 2
    broken = series[0] + 2 * series[0].std() * np.sin(2 * np.pi * np.arange(200) / 12)
    broken[50:70] = np.nan
    assert has_season(broken)
    assert not has_season(np.ones(200))


def test_seasons_are_taken_off(rng):
    time, noise = np.arange(240), rng.normal(size=(2, 240))
    wave = 3 * np.sin(2 * np.pi * time / 23.3 + 1) + np.cos(4 * np.pi * time / 23.3)
    grid = grid_of(noise[0] + wave, noise[1] - wave)
    left = without_seasons(grid, ("x", "y"))
    there = grid.rows >= 0
    for name, own in zip(("x", "y"), noise, strict=True):
        assert not has_season(left[name].values[:, 0])
        assert np.corrcoef(left[name].values[there, 0], own)[0, 1] > 0.95
    plain = grid_of(*noise)
    assert without_seasons(plain, ("x", "y")) is plain


def test_no_shift_is_drawn_twice_and_few_are_all_drawn(rng):
    draws = make_surrogates(grid_of(*rng.normal(size=(2, 60))), "x", "y", "shifts", 3, None)
    numbers = draws.numbers(20, 0)
    assert len(set(numbers)) == 20
    assert draws.numbers(20, 0) == numbers
    assert sorted(draws.numbers(10_000, 0)) == list(range(draws.n_different))
    turned = {draws.draw(number).tobytes() for number in range(draws.n_different)}
    assert len(turned) == draws.n_different


def test_short_series_have_no_small_pvalue(rng):
    # Ten rows can be shifted in five ways: a p of .005 would be wrong in one of six pairs.
    x, y = rng.normal(size=(2, 10))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        found = infold.lagged_mutual_information(x, x + 0.01 * y, range(-2, 3), n_surrogates=199, random_state=0)
    assert found.pvalue >= 1 / 8
    assert any("ways" in note for note in found.notes)


def test_a_lag_of_a_shift_is_another_shift(rng):
    x, y = rng.normal(size=(2, 60))
    grid = grid_of(x, y)
    draws = make_surrogates(grid, "x", "y", "shifts", 5, None)
    for number in (0, 7):
        lagged = np.roll(draws.draw(number)[grid.times], 3, axis=0)
        assert_array_equal(draws.turned(draws.turns(number, 3))[grid.times], lagged)
    assert_array_equal(draws.turned(draws.lagged(-2))[grid.times, 0], np.roll(x, -2))
