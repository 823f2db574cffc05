"""Information of discrete columns beside its definition."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors

from infold.core.knn.discrete import is_discrete, label_codes, local_discrete, row_codes
from infold.core.knn.information import CONDITIONAL, shared_spaces
from infold.core.knn.ksg import local_ksg

QUESTIONS = [
    ((1, 1), shared_spaces(2), [(0,), (1,)]),
    ((2, 1), shared_spaces(2), [(0,), (1,)]),
    ((1, 1, 1), shared_spaces(3), [(0,), (1,), (2,)]),
    ((1, 2, 1), CONDITIONAL, [(0, 2), (1, 2), (2,)]),
]


@pytest.mark.parametrize("bias", ["miller-madow", "none"])
@pytest.mark.parametrize(("sizes", "spaces", "members"), QUESTIONS)
def test_local_values_have_the_plug_in_estimate_as_mean(rng, bias, sizes, spaces, members):
    columns = rng.integers(0, 3, (sum(sizes), 200)).astype(float)
    blocks = [list(map(tuple, block.T)) for block in np.split(columns, np.cumsum(sizes)[:-1])]
    expected = neighbors.plug_in(blocks, members, spaces.signs, miller_madow=bias == "miller-madow")
    found = local_discrete(columns, sizes, spaces, bias)
    assert found.shape == (200,)
    assert_allclose(found.mean(), expected, atol=1e-12)
    nominal = np.ones(len(columns), bool)
    assert_array_equal(local_ksg(columns.copy(), sizes, 3, spaces=spaces, nominal=nominal, discrete_bias=bias), found)


def test_labels_of_any_numbering_are_the_same(rng):
    codes, names = rng.integers(0, 5, (2, 100)), rng.normal(size=5)
    one, other = (local_discrete(x, (1, 1), shared_spaces(2), "none") for x in (codes.astype(float), names[codes]))
    assert one.tobytes() == other.tobytes()
    assert_array_equal(label_codes(np.array([0.0, 2.0, 1.0])), [0, 2, 1])
    for column in ([0.5, 0.7, 0.5], [-1.0, 4.0, -1.0], [1e300, -1e300, 1e300]):
        found = label_codes(np.array(column))
        assert found[0] == found[2] != found[1]


def test_what_is_discrete(rng):
    few, many = rng.integers(0, 4, 400).astype(float), rng.normal(size=400)
    nominal, numbers = np.array([True, True]), np.array([False, True])
    assert is_discrete(np.array([few, few]), None)
    assert not is_discrete(np.array([few, many]), numbers)
    assert not is_discrete(np.array([few, rng.integers(0, 30, 400)]), None)  # nearly 120 distinct rows
    assert is_discrete(np.array([few, many]), nominal)
    assert row_codes(np.array([few, many])).max() == 399


@pytest.mark.slow
def test_ordered_numbers_with_few_copies_are_not_taken_as_labels(rng):
    # 11 × 11 cells for 400 rows: Miller and Madow leave .08 of the plug-in's bias.
    x, y = rng.poisson(3, (2, 20, 400)).astype(float)
    found = [
        local_ksg(np.array(pair), (1, 1), 3, discrete_bias="miller-madow", standardize=True).mean()
        for pair in zip(x, y, strict=True)
    ]
    plug_in = [
        local_discrete(np.array(pair), (1, 1), shared_spaces(2), "miller-madow").mean()
        for pair in zip(x, y, strict=True)
    ]
    assert abs(np.mean(found)) < 0.01
    assert np.mean(plug_in) > 0.02
