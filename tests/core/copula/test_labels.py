"""Nominal columns as indicators."""

import numpy as np
from numpy.testing import assert_array_equal

from infold.core.copula import labels


def test_each_label_has_an_indicator_and_two_have_one():
    table = np.array([[0.5, 0, 1], [0.1, 1, 0], [0.2, 2, 1], [0.3, 0, 0], [0.4, 1, 1], [0.6, 2, 1]])
    table = np.tile(table, (3, 1))
    found, origin = labels.with_indicators(table, np.array([False, True, True]))
    assert_array_equal(found[:, 0], table[:, 0])
    assert_array_equal(found[:, 1:4], table[:, [1]] == np.arange(3))
    assert_array_equal(found[:, 4], table[:, 2])
    assert_array_equal(origin.owner, [0, 1, 1, 1, 2])
    assert_array_equal(origin.label, [False, True, True, True, True])
    assert origin.n_columns == 3
    assert_array_equal(origin.with_siblings(np.array([2])), [1, 2, 3])
    assert origin.take(np.array([0, 2])).n_columns == 2


def test_rare_labels_are_one_together():
    codes = np.concatenate([np.repeat(np.arange(80.0), 6), np.arange(100.0, 110.0)])
    found = labels.indicators(codes)
    assert found.shape[1] == labels.MOST_LABELS
    assert (found.sum(axis=0) == 6).all()
    assert labels.indicators(np.arange(20.0)).shape == (20, 0)  # names of rows tell nothing
    assert labels.indicators(np.zeros(20)).shape == (20, 0)
