import math

import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose
from parts import from_python

from infold.core import split
from infold.core.split import n_log_n_table

fast_bic_cut, two_means_cut = map(from_python, (split.fast_bic_cut, split.two_means_cut))
replace_by_logs = from_python(split.replace_by_logs)

COLUMNS = {
    "normal": lambda rng: rng.normal(size=100),
    "bootstrap ties": lambda rng: rng.choice(rng.normal(size=60), 100),
    "integers": lambda rng: rng.integers(0, 6, size=80).astype(float),
    "two groups": lambda rng: np.concatenate((rng.normal(0, 1, 30), rng.normal(20, 3, 50))),
    "one far point": lambda rng: np.append(rng.normal(size=50), 1e6),
    "two far points": lambda rng: np.append(rng.normal(size=50), [1e6, 1e6]),
    "heavy tails": lambda rng: rng.standard_cauchy(size=100),
    "four values": lambda rng: rng.normal(size=4),
    "three values": lambda rng: rng.normal(size=3),
    "one value": lambda rng: np.ones(1),
    "constant": lambda rng: np.full(20, 0.1),
    "neighbouring floats": lambda rng: np.repeat([1.0, np.nextafter(1.0, 2), 3.0, 3.5], 5),
}


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e9])
@pytest.mark.parametrize("kind", COLUMNS)
def test_fast_bic_matches_definition(rng, kind, scale, offset):
    values = np.sort(COLUMNS[kind](rng) * scale + offset)
    cut, score = fast_bic_cut(values, n_log_n_table(len(values)))
    expected_cut, expected_score = reference.bic_cut(values)
    # At an offset of 1e6 and a scale of 1e-9 the values themselves are rounding noise; the cut must agree all the same.
    assert_allclose(cut, expected_cut, rtol=1e-13)
    assert_allclose(score, expected_score, rtol=1e-9)


@pytest.mark.parametrize("kind", COLUMNS)
def test_two_means_matches_definition(rng, kind):
    values = np.sort(COLUMNS[kind](rng))
    cut, score = two_means_cut(values)
    expected_cut, expected_score = reference.two_means_cut(values)
    assert_allclose(cut, expected_cut)
    assert_allclose(score, expected_score, rtol=1e-9)


def test_a_single_extreme_point_is_never_cut_off():
    # The trap of method and rounding: one point has no variance, so its likelihood would be infinite.
    values = np.sort(np.append(np.random.default_rng(0).normal(size=200), 100.0))
    cut, _ = fast_bic_cut(values, n_log_n_table(201))
    assert cut < values[-2]


def test_both_sides_of_a_cut_are_taken():
    values = np.sort(np.random.default_rng(1).uniform(size=50))
    cut, _ = fast_bic_cut(values, n_log_n_table(50))
    assert 2 <= np.sum(values < cut) <= 48


def test_logs_match_libm(rng):
    values = np.concatenate((np.exp(rng.uniform(-700, 690, 10_000)), rng.uniform(0.5, 2.0, 10_000), [1.0, 2.0**1000]))
    logs = values.copy()
    replace_by_logs(logs)
    # A few units in the last place of the larger of log and 1: more than enough to rank cuts.
    assert_allclose(logs, [math.log(v) for v in values], rtol=1e-15, atol=1e-15)
