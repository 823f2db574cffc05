import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from parts import from_python
from test_binned import KINDS

from infold.core import lists, split
from infold.core.binned import GAIN
from infold.core.bins import new_bins
from infold.core.forest import Plan, default_min_samples_split, pair_grower, renumber, router
from infold.core.lists import ABOVE, BELOW, GONE, N_LISTS, new_lists, sorted_lists
from infold.core.projection import room_for
from infold.core.room import new_room
from infold.core.split import CRITERIA, n_log_n_table
from infold.core.tree import Tree, bootstrap_rows, grow_tree

best_cut, fill_lists, begin_lists = map(from_python, (split.best_cut, lists.fill_lists, lists.begin_lists))
listed_cut, depart, divide = map(from_python, (lists.listed_cut, lists.depart, lists.divide))
weight_below = from_python(lists.weight_below)

PAIRS = {name: (lambda rng, make=make: make(rng, 2)) for name, make in KINDS.items()} | {
    "copies": lambda rng: rng.choice(rng.normal(size=(2, 40)), 900, axis=1),
    "just enough to split": lambda rng: rng.normal(size=(2, 7)),
}


def grown(points, criterion, exact, size, seeds, whole=False, smallest=None):
    smallest = smallest or default_min_samples_split(size)
    plan = Plan(np.array(seeds, np.uint64), criterion, size, smallest, exact)
    leaves = np.empty((2, 0 if whole else len(seeds), points.shape[1]), np.int32)
    return Tree(*pair_grower(points, plan)(0, len(seeds), leaves)), leaves


def grown_by_sorting(points, criterion, size, seed, smallest):
    n, state = points.shape[1], np.array([seed], np.uint64)
    drawn = bootstrap_rows(n, size, state)
    table = n_log_n_table(size)
    room, bins = new_room(n, size, 2, 2), new_bins(*room_for(2, size), size)
    views = np.ones(2, np.int64)
    return Tree(*grow_tree(points, drawn, views, smallest, 2, CRITERIA[criterion], table, True, state, room, bins))


@pytest.mark.parametrize("size", [1.0, 0.3])
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", PAIRS)
def test_the_exact_search_grows_the_same_trees_as_without_lists(rng, kind, criterion, size):
    points = np.ascontiguousarray(PAIRS[kind](rng))
    # Where just two of the copied points are left, all of two_means' scores are 0, and rounding decides: leave them be.
    size = max(4, int(size * points.shape[1]))
    smallest = 100 if (kind, criterion) == ("copies", "two_means") else default_min_samples_split(size)
    for seed in (1, 2):
        tree, _ = grown(points, criterion, True, size, [seed], whole=True, smallest=smallest)
        expected = grown_by_sorting(points, criterion, size, seed, smallest)
        for name in ("left", "right", "proj_start", "proj_feature", "proj_sign"):
            assert_array_equal(getattr(tree, name), getattr(expected, name))
        assert_allclose(tree.cut, expected.cut, rtol=1e-12)


@pytest.mark.parametrize("exact", [False, True])
def test_leaves_are_where_the_tree_sends_the_rows(rng, exact):
    points = rng.normal(size=(2, 500))
    seeds = [5, 6, 7]
    tree, leaves = grown(points, "fast_bic", exact, 500, seeds)
    for side, used in enumerate(np.eye(2, dtype=bool)):
        leaf = np.empty(500, np.int32)
        router(points, used)(tree, leaf)
        assert_array_equal(leaves[side, -1], leaf)
    alone = [grown(points, "fast_bic", exact, 500, [seed])[1][:, 0] for seed in seeds]
    assert_array_equal(leaves, np.stack(alone, axis=1))  # room is shared, but nothing of one tree is left in the next


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", PAIRS)
def test_nodes_that_no_row_comes_to_are_left_out(rng, kind, exact, centred):
    points = np.ascontiguousarray(PAIRS[kind](rng))
    points -= points.mean(axis=1, keepdims=True) if centred else 0.0  # or else 0 may be anywhere, or far away
    n, fewer = points.shape[1], 0
    for seed in range(5):
        whole, _ = grown(points, "fast_bic", exact, n, [seed], whole=True)
        tree, leaves = grown(points, "fast_bic", exact, n, [seed])
        for side, used in enumerate(np.eye(2, dtype=bool)):
            leaf = np.empty((1, n), np.int32)
            router(points, used)(whole, leaf[0])
            renumber(leaf), renumber(leaves[side])
            assert_array_equal(leaves[side], leaf)
        fewer += tree.cut.size < whole.cut.size
    if kind == "uniform" and centred:  # or else nothing was left out, nor put to the test
        assert fewer > 0


def column_of(points, a, rows, weights):
    x, y = points
    return np.sort(np.repeat((x, y, x - y, x + y)[a][rows], weights[rows]))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("kind", [*KINDS, "opposite"])
def test_a_list_is_cut_best_whoever_departs(rng, kind, criterion):
    values = rng.normal(size=900)
    points = np.ascontiguousarray(PAIRS[kind](rng) if kind != "opposite" else (values, -values))  # one list is all 0
    n, number, losses = points.shape[1], CRITERIA[criterion], []
    room = {exact: new_lists(n, n) for exact in (True, False)}
    weights = rng.integers(0, 4, size=n)
    for each in room.values():
        each.weights[:], each.place[:] = weights, BELOW
        n_here = fill_lists(each, *sorted_lists(points))
        begin_lists(each, 0, n_here)
    table, rows, n_departed = n_log_n_table(weights.sum()), np.flatnonzero(weights), 0
    assert n_here == rows.size
    while n_here > 60:
        m = int(weights[rows].sum())
        for a in rng.choice(N_LISTS, 2, replace=False):  # the others find several to be gone at their next turn
            column = column_of(points, a, rows, weights)
            cut, score = best_cut(column, number, table)
            found = listed_cut(room[True], a, *points, n_departed, n_here, m, number, table, True, np.inf)
            assert_allclose(found[0], score, rtol=1e-7)  # squares of few values far from the centre keep nine digits
            if score == np.inf:  # all values are equal
                continue
            assert found[1] < cut <= found[2]
            fast = listed_cut(room[False], a, *points, n_departed, n_here, m, number, table, False, np.inf)
            losses.append(fast[0] - score)
            below = weight_below(room[True], a, cut)
            assert below == np.count_nonzero(column < cut)
        # A few leave from an end of the last list, as when a tail is peeled off.
        end = column[[min(30, column.size // 8)]][0]
        for each in room.values():
            n_now = depart(each, a, end, True, n_departed)
        gone = room[True].departed[n_departed:n_now]
        assert_array_equal(np.sort(gone), rows[np.isin(rows, gone)])
        if n_now == n_departed:  # equal values at the end
            break
        rows, n_here, n_departed = np.setdiff1d(rows, gone), n_here - gone.size, n_now
    # As accurate as the fast search of bins is meant to be: where it looks, it finds the best, and it may miss GAIN.
    assert np.quantile(losses, 0.9) < GAIN if criterion == "fast_bic" else np.median(losses) < 1e-9 * abs(score)


def test_dividing_keeps_all_lists_sorted_and_leaves_out_who_is_gone(rng):
    n = 400
    points = np.round(rng.normal(size=(2, n)), 1)  # with ties
    each = new_lists(n, n)
    each.weights[:], each.place[:] = 1, BELOW
    fill_lists(each, *sorted_lists(points))
    begin_lists(each, 0, n)
    n_departed = depart(each, 0, -1.5, True, 0)
    n_below = divide(each, 3, 0.25, n_departed)
    rows = np.flatnonzero(points[0] >= -1.5)
    is_below = points[:, rows].sum(axis=0) < 0.25
    assert n_below == np.count_nonzero(is_below)
    for a in range(N_LISTS):
        for part, expected in (
            (slice(n_below), rows[is_below]),
            (slice(n_below, rows.size), rows[~is_below]),
        ):
            assert_array_equal(np.sort(each.rows[a, part]), expected)
            assert_array_equal(each.values[a, part], column_of(points, a, expected, each.weights))
    assert np.all(each.place[rows] == BELOW)
    assert np.count_nonzero(each.place == GONE) == n - rows.size
    assert not np.any(each.place == ABOVE)
