import numpy as np
import pytest
from numpy.testing import assert_array_equal

from infold.core.forest import default_min_samples_split
from infold.core.ordered import (
    forget_departed,
    lighter_end,
    new_ordered,
    ordered_cut,
    put_in_order,
    room_for,
)
from infold.core.split import CRITERIA, best_cut, n_log_n_table
from infold.core.tree import bootstrap_rows, grow_tree, split_off

KINDS = {
    "normal": lambda rng, d: rng.normal(size=(d, 700)),
    "correlated": lambda rng, d: rng.normal(size=700) + 0.3 * rng.normal(size=(d, 700)),
    "uniform": lambda rng, d: rng.uniform(size=(d, 700)),
    "heavy tails": lambda rng, d: rng.standard_cauchy(size=(d, 700)),
    "integers": lambda rng, d: rng.integers(0, 30, size=(d, 700)).astype(float),
    "offset": lambda rng, d: rng.normal(size=(d, 700)) + 1e6,
}


def grown(points, criterion, n_ordered, seed):
    n = points.shape[1]
    state = np.array([seed], np.uint64)
    rows = bootstrap_rows(n, n, state)
    n_candidates = int(np.ceil(np.sqrt(len(points))))
    smallest = default_min_samples_split(n)
    return grow_tree(points, rows, smallest, n_candidates, CRITERIA[criterion], n_log_n_table(n), n_ordered, state)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_kept_order_grows_the_trees_of_sorting_anew(rng, kind, d, criterion):
    points = KINDS[kind](rng, d)
    for seed in range(4):
        anew = grown(points, criterion, 0, seed)
        kept = grown(points, criterion, room_for(d, 700), seed)
        for expected, found in zip(anew, kept, strict=True):
            assert_array_equal(found, expected)


def test_too_little_room_changes_nothing(rng):
    points = rng.normal(size=(6, 300))
    for expected, found in zip(grown(points, "fast_bic", 0, 1), grown(points, "fast_bic", 2, 1), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_cut_of_a_column_that_sheds_rows_is_that_of_a_full_scan(rng, criterion):
    n = 600
    values = np.round(rng.normal(size=n), 2)  # with ties
    members, where = np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
    room, scratch, table = new_ordered(1, n), np.empty((5, n)), n_log_n_table(n)
    put_in_order(room, 0, 7, values, members, 0, n, where)
    end = n
    for n_leaving in (1, 3, 40, 2, 200, 1, 100, 90, 120):  # a few at a time, many at a time, down to a small node
        leaving = rng.choice(members[:end], n_leaving, replace=False).astype(np.int32)
        split_off(members, where, 0, end, leaving, n_leaving)
        end -= n_leaving
        assert_array_equal(members[where], np.arange(n))
        assert set(members[end : end + n_leaving]) == set(leaving)
        forget_departed(room, 0, members, 0, end, where)
        found = ordered_cut(room, 0, where, 0, end, CRITERIA[criterion], table, scratch)
        ordered = np.sort(values[members[:end]])
        np.testing.assert_allclose(found, best_cut(ordered, CRITERIA[criterion], table), rtol=1e-12)
        light = np.empty(n, np.int32)
        count, below = lighter_end(room, 0, found[0], where, end, light)
        is_below = values[members[:end]] < found[0]
        assert count == min(is_below.sum(), end - is_below.sum())
        assert set(light[:count]) == set(members[:end][is_below == below])
