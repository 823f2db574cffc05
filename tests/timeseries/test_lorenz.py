"""A chain of three Lorenz systems: lags are found, and the indirect link vanishes given the system between."""

import numpy as np
import pytest

import infold

STEP, EVERY, BURN = 0.01, 20, 60


@pytest.fixture(scope="module")
def chain():
    """y of three systems, each driven by the square of the one before, 4 and 3 samples later; (3, 1000)."""
    n, delays = 1000, np.array([4, 3]) * EVERY
    state = np.random.default_rng(7).standard_normal((3, 3)) + np.array([[0.0], [0.0], [25.0]])  # coordinate, system
    past = np.zeros(((n + BURN) * EVERY, 3))

    def slope(s, drive):
        x, y, z = s
        return np.array([10 * (y - x), x * (28 - z) - y + drive, x * y - 8 / 3 * z])

    for t in range(len(past)):
        drive = np.array([0.0, *(0.5 * past[t - d, i] ** 2 if t >= d else 0.0 for i, d in enumerate(delays))])
        middle = slope(state, drive)  # the midpoint rule: it is chaos in any case
        state = state + STEP * slope(state + STEP / 2 * middle, drive)
        past[t] = state[1]
    return past[BURN * EVERY :: EVERY].T


# A driven system takes about one sample to respond.
@pytest.mark.parametrize(("driver", "driven", "delay"), [(0, 1, 4), (1, 2, 3), (0, 2, 7)])
def test_the_lag_of_the_peak_is_found(chain, driver, driven, delay):
    found = infold.lagged_mutual_information(
        chain[driver], chain[driven], range(-12, 13), n_surrogates=39, random_state=0, verbose=0
    )
    assert delay <= found.peak <= delay + 3
    assert found.pvalue == 0.025


def test_the_indirect_link_vanishes_given_what_is_between(chain):
    first, second, third = chain
    quiet = {"n_surrogates": 0, "verbose": 0}
    peak = infold.lagged_mutual_information(first, third, range(5, 13), **quiet)
    known = {"given": np.column_stack([second, third]), "given_lags": {0: [3, 4, 5], 1: [1, 2, 3]}}
    left = infold.lagged_mutual_information(first, third, [peak.peak], **known, **quiet)
    direct = infold.lagged_mutual_information(second, third, [4], third, given_lags=[1, 2, 3], **quiet)
    assert peak.mi.max() > 0.1
    assert abs(left.mi[0]) < 0.03  # three standard deviations of KSG at this size
    assert direct.mi[0] > 5 * abs(left.mi[0])
