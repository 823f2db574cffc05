import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from parts import from_python, kernel

from infold.core import binned, bins, projection, split, tree
from infold.core.bins import BOUND, new_bins
from infold.core.forest import default_min_samples_split
from infold.core.projection import n_keys, room_for
from infold.core.room import CACHE, SHRINK, new_room
from infold.core.scan import N_WORK
from infold.core.split import CRITERIA, n_log_n_table
from infold.core.tree import bootstrap_rows, grow_tree

binned_cut, cut_above, lighter_bins = map(from_python, (binned.binned_cut, binned.cut_above, binned.lighter_bins))
count_bins, forget_departed = map(from_python, (bins.count_bins, bins.forget_departed))
best_cut, cut_after, lighter_side = map(from_python, (split.best_cut, tree.cut_after, tree.lighter_side))
projection_key = from_python(projection.projection_key)
list_candidates, list_side = map(from_python, (tree.list_candidates, tree.list_side))
set_apart, split_off = map(from_python, (tree.set_apart, tree.split_off))

KINDS = {
    "normal": lambda rng, d: rng.normal(size=(d, 900)),
    "correlated": lambda rng, d: rng.normal(size=900) + 0.3 * rng.normal(size=(d, 900)),
    "uniform": lambda rng, d: rng.uniform(size=(d, 900)),
    "heavy tails": lambda rng, d: rng.standard_cauchy(size=(d, 900)),
    "integers": lambda rng, d: rng.integers(0, 30, size=(d, 900)).astype(float),
    "offset": lambda rng, d: rng.normal(size=(d, 900)) + 1e6,
}
FIRST, PLUS = np.zeros(1, np.int32), np.ones(1, np.int8)


def scratch(n):
    return np.empty((N_WORK, n)), np.empty(n, np.uint32), np.empty(3 * n + 1, np.uint32)


def grown(points, criterion, columns, seed, exact=True, apart=True, size=None):
    n_features, n = points.shape
    size = size or n
    state = np.array([seed], np.uint64)
    drawn = bootstrap_rows(n, size, state)
    n_candidates = int(np.ceil(np.sqrt(n_features)))
    smallest, table = default_min_samples_split(size), n_log_n_table(size)
    room, bins = new_room(n, size, n_features, n_candidates), new_bins(*columns, size)
    if not apart:
        room = room._replace(table=np.empty(0))
    views = np.ones(n_features, np.int64)
    return grow_tree(points, drawn, views, smallest, n_candidates, CRITERIA[criterion], table, exact, state, room, bins)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_exact_search_grows_the_trees_of_sorting_anew(rng, kind, d, criterion):
    points = KINDS[kind](rng, d)
    for seed in range(3):
        anew = grown(points, criterion, (0, 0), seed)
        n_kept, most = room_for(d, 900)
        for n_grouped in {most, 1, 0}:  # columns that have no room for their rows are grouped as needed
            kept = grown(points, criterion, (n_kept, n_grouped), seed)
            for expected, found in zip(anew, kept, strict=True):
                assert_array_equal(found, expected)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("share", [0.3, 1, 2])
def test_tables_set_apart_change_no_exact_tree(rng, share, criterion):
    d, n = 20, 9000
    points = np.vstack([rng.normal(size=(7, n)), rng.uniform(size=(7, n)), rng.integers(0, 50, size=(6, n))])
    assert 8 * points.size / SHRINK > CACHE  # so that tables are set apart within tables
    whole, apart = (
        grown(points, criterion, room_for(d, n), 5, apart=apart, size=int(share * n)) for apart in (False, True)
    )
    for expected, found in zip(whole, apart, strict=True):
        assert_array_equal(found, expected)


def test_with_tables_set_apart_fast_trees_are_others_of_the_same_kind(rng):
    points = rng.normal(size=(20, 9000))
    whole, apart = (grown(points, "fast_bic", (20, 20), 5, exact=False, apart=apart) for apart in (False, True))
    assert_allclose(apart[0].size, whole[0].size, rtol=0.1)  # columns are counted anew, in other bins
    assert not np.array_equal(apart[0], whole[0])


def test_values_at_the_ends_of_what_a_float_holds(rng):
    points = np.vstack([1.7e308 * rng.uniform(-1, 1, size=2000), rng.normal(size=2000)])
    for exact in (True, False):
        cut, left, *_ = grown(points, "fast_bic", room_for(2, 2000), 1, exact=exact)
        assert np.isfinite(cut[left >= 0]).all()


def test_too_little_room_changes_nothing(rng):
    points = rng.normal(size=(6, 900))
    for expected, found in zip(grown(points, "fast_bic", (0, 0), 1), grown(points, "fast_bic", (2, 2), 1), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_fast_search_grows_trees_of_about_the_same_size(rng, kind):
    points = KINDS[kind](rng, 2)
    exact = np.mean([len(grown(points, "fast_bic", (4, 4), seed, exact=True)[0]) for seed in range(8)])
    fast = np.mean([len(grown(points, "fast_bic", (4, 4), seed, exact=False)[0]) for seed in range(8)])
    assert_allclose(fast, exact, rtol=0.2)  # tree sizes vary by about a tenth from seed to seed


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_cut_of_a_column_that_sheds_rows(rng, criterion, exact, keep):
    n = 900
    values = np.round(rng.normal(size=n), 2)  # with ties
    weights = rng.integers(1, 4, size=n).astype(np.uint32)
    members, where = (np.arange(n, dtype=np.uint32) for _ in range(2))
    total = int(weights.sum())
    bins, table, room, projected = new_bins(1, 1, total), n_log_n_table(total), scratch(total), np.empty(n)
    count_bins(bins, 0, values, weights, n)
    end = n
    for n_leaving in (1, 3, 40, 2, 200, 1, 100, 90, 120, 200):  # a few, or many, down to a small node
        leaving = rng.choice(members[:end], n_leaving, replace=False).astype(np.uint32)
        split_off(members, where, 0, end, leaving, n_leaving)
        end -= n_leaving
        assert_array_equal(members[where], np.arange(n))
        assert set(members[end : end + n_leaving]) == set(leaving)
        there = members[:end]
        forget_departed(bins, 0, members, end, weights, values[None], FIRST, PLUS, projected)
        m = int(weights[there].sum())
        assert bins.moments[0, : bins.n_bins[0], 0].sum() == m
        column = (0, m, projected, False, keep, values[None], FIRST, PLUS, there, where, end, weights)
        score, low, high, b = binned_cut(bins, *column, CRITERIA[criterion], table, exact, np.inf, *room)
        assert bins.grouped[0] == keep
        cut = cut_above(bins, 0, b, low, high, where, end) if keep else cut_after(values[there], low, high)
        ordered = np.sort(np.repeat(values[there], weights[there]))
        expected_cut, expected_score = best_cut(ordered, CRITERIA[criterion], table)
        if exact:
            assert_allclose((cut, score), (expected_cut, expected_score), rtol=1e-10)
        else:
            assert score >= expected_score - 1e-9 * abs(expected_score)
        is_below, light = values[there] < cut, np.empty(n, np.uint32)
        if keep:
            count, weight, below = lighter_bins(bins, 0, b, cut, where, end, m, weights, light)
        else:
            assert_array_equal(projected[:end], values[there])
            weight, below = lighter_side(projected[:end], cut, m, weights[there])
            count, listed = list_side(there, projected, cut, below, light), light.copy()
            apart = there.copy()
            assert set_apart(apart, projected, cut, below, light) == count
            assert_array_equal(light[:count], listed[:count])
            assert_array_equal(apart, np.concatenate((there[is_below != below], there[is_below == below])))
        assert set(light[:count]) == set(there[is_below == below])
        assert weight == weights[light[:count]].sum() <= m / 2


@kernel
def bounded_bins(bins, m, criterion, table):
    first, last, _, (_, least) = binned.sum_bins(bins, 0, m, criterion)
    count, promising = binned.pick_bins(bins.edge, first, last, m, criterion, least, table, True, bins.picked)
    return first, last, count, promising


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("tail", [[], [9], [9, 9.001], [9, 9.001, 9.0011]])  # so many rows in the bin at either end
def test_no_cut_in_a_bin_is_better_than_its_bound(rng, tail, criterion):
    values = np.concatenate((rng.normal(size=200).round(1), tail, -np.array(tail) - 1))
    weights = rng.integers(1, 3, size=len(values)).astype(np.uint32)
    weights[200:] = 1
    m, is_bic = int(weights.sum()), criterion == "fast_bic"
    bins, table = new_bins(0, 0, m), n_log_n_table(m)
    count_bins(bins, 0, values, weights, len(values))
    first, last, count, promising = bounded_bins(bins, m, CRITERIA[criterion], table)
    assert_array_equal(bins.picked[:count], np.arange(first, last))
    bounds, scores = bins.edge[BOUND, :count], np.full(count, np.inf)
    assert promising == np.argmin(bounds)
    for b, value in zip(bins.code[: len(values)], values, strict=True):
        sides = [np.repeat(values, weights)[np.repeat(values <= value, weights) == side] for side in (True, False)]
        if any(np.unique(side).size < (2 if is_bic else 1) for side in sides):
            continue
        squares = [np.sum((side - side.mean()) ** 2) / bins.width[0] ** 2 for side in sides]
        if is_bic:
            parts = [len(side) * np.log(q / len(side) ** 3) for side, q in zip(sides, squares, strict=True)]
        scores[b - first] = min(scores[b - first], sum(parts if is_bic else squares))
    assert np.all(scores >= bounds)  # which give away 1e-9 of themselves, far more than rounding takes
    assert np.isfinite(scores).any()
    if is_bic and 0 < len(tail) < 3:  # one row is no side, and of two in the last bin the second would be one
        assert bounds[-1] == np.inf
        assert (bounds[0] == np.inf) == (len(tail) == 1)


@pytest.mark.parametrize("kind", KINDS)
def test_cut_of_a_fresh_column_is_near_the_best(rng, kind):
    values = KINDS[kind](rng, 1)[0]
    n = len(values)
    members, weights = np.arange(n, dtype=np.uint32), np.ones(n, np.uint32)
    bins, table, room = new_bins(0, 0, n), n_log_n_table(n), scratch(n)
    count_bins(bins, 0, values, weights, n)
    arguments = (values, True, False, values[None], FIRST, PLUS, members, members.copy(), n, weights, 0, table)
    score, low, high, _ = binned_cut(bins, 0, n, *arguments, False, np.inf, *room)
    cut = cut_after(values, low, high)
    ordered = np.sort(values)
    _, best = best_cut(ordered, CRITERIA["fast_bic"], table)
    assert best - 1e-9 * abs(best) <= score < best + 0.02 * n  # of 900 rows' worth of likelihood
    assert 2 <= np.sum(values < cut) <= n - 2
    # What it says of its cut is what the cut is worth.
    sides = values[values < cut], values[values >= cut]
    worth = (
        n
        + 5 * np.log(n)
        + sum(
            len(side) * np.log(2 * np.pi * np.var(side - ordered[n // 2])) - 2 * len(side) * np.log(len(side) / n)
            for side in sides
        )
    )
    assert_allclose(score, worth, rtol=1e-8)
    # A score to beat that is out of reach: nothing is found.
    assert binned_cut(bins, 0, n, *arguments, False, best - 1.0, *room)[0] == np.inf


def test_constant_columns_have_no_cut():
    n = 200
    members, weights, values = np.arange(n, dtype=np.uint32), np.ones(n, np.uint32), np.full(n, 0.1)
    bins = new_bins(0, 0, n)
    count_bins(bins, 0, values, weights, n)
    column = (0, n, values, True, False, values[None], FIRST, PLUS, members, members, n, weights)
    assert binned_cut(bins, *column, 0, n_log_n_table(n), False, np.inf, *scratch(n))[0] == np.inf


def test_candidates_are_distinct_and_single_features_come_first():
    # Five columns: features 3 − 4, 7, 7 again, 3 + 4, 3 − 4 again.
    column = np.array([0, 0, 1, 2, 3, 3, 4, 4], np.int32)
    feature = np.array([3, 4, 7, 7, 3, 4, 3, 4], np.int32)
    sign = np.array([1, -1, 1, 1, 1, 1, 1, -1], np.int8)
    first, end = np.empty(8, np.int32), np.empty(8, np.int32)
    count = list_candidates(column, feature, sign, first, end)
    assert list(zip(first[:count], end[:count], strict=True)) == [(2, 3), (0, 2), (4, 6)]


def test_projections_have_keys_of_their_own():
    keys = set()
    for f in range(4):
        keys.add(projection_key(np.array([f]), np.array([1]), 4))
        for g in range(f + 1, 4):
            keys.update(projection_key(np.array([f, g]), np.array([1, s]), 4) for s in (1, -1))
    assert len(keys) == 4 + 6 * 2
    assert max(keys) < n_keys(4)
    assert projection_key(np.array([0, 1]), np.array([1, 1]), 5) == -1
