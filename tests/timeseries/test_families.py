"""The p-value of many lags of one short series, whose shifts overlap."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.signal import lfilter

import infold
from infold.inference.multiple import max_t
from infold.timeseries.families import find_peaks, judge_family


def circle(rng, n, memory):
    """Statistics of all turns of a circle, independent or smooth."""
    return lfilter([1], [1, -memory], rng.standard_normal(2 * n))[n:]


def family(values, reach):
    """The lags from −reach to reach, and those of all shifts that share none with them."""
    n, lags = values.size, np.arange(-reach, reach + 1)
    shifts = np.arange(2 * reach + 1, n - 2 * reach)
    turns = (shifts[:, None] + lags) % n
    return values[lags], values[turns], turns


# 600 circles: a share of 5 % has a standard error of 0.9 %. Ranks of shifts reject a fifth of families of 41 lags.
@pytest.mark.parametrize("memory", [0.0, 0.7])
@pytest.mark.parametrize("reach", [5, 20])
def test_families_hold_their_level(reach, memory):
    pvalues = []
    for seed in range(600):
        asked = family(circle(np.random.default_rng([seed, 3]), 200, memory), reach)
        pvalues.append(judge_family(*asked, level=0.05).pvalues.min())
    assert 0.02 < np.mean(np.array(pvalues) <= 0.05) < 0.075
    assert np.mean(np.array(pvalues) <= 0.01) < 0.025


def test_ranks_alone_do_not():
    rejected = 0
    for seed in range(100):
        observed, null, _ = family(circle(np.random.default_rng([seed, 3]), 200, 0.0), 20)
        rejected += max_t(observed, null, 0.05).pvalues.min() <= 0.05
    assert rejected > 12


def test_thresholds_are_where_pvalues_pass_the_level(rng):
    observed, null, turns = family(circle(rng, 300, 0.5), 8)
    for more in np.linspace(0, 6, 25):
        judged = judge_family(observed + more, null, turns, 0.05)
        assert_array_equal(observed + more > judged.thresholds, judged.pvalues <= 0.05)


def test_pvalues_fall_as_statistics_grow(rng):
    _, null, turns = family(circle(rng, 300, 0.5), 8)
    peaks = find_peaks(null, turns)
    steps = peaks.pvalues(np.linspace(-2, 9, 200))
    assert (np.diff(steps) <= 0).all()
    assert steps[-1] < 0.01
    assert_allclose(peaks.pvalues(np.array([peaks.quantile(0.05)])), 0.05, rtol=1e-9)


def test_statistics_that_never_change_are_left_to_ranks(rng):
    observed, null, turns = family(np.zeros(100), 3)
    assert (judge_family(observed, null, turns, 0.05).pvalues == 1).all()


def test_a_true_lag_is_found_among_many(rng):
    x = rng.normal(size=200)
    y = np.roll(x, 7) + rng.normal(size=200)
    found = infold.lagged_mutual_information(x, y, n_surrogates=99, random_state=0, verbose=0)
    assert found.peak == 7
    assert found.pvalue <= 0.02
