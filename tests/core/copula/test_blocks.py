"""Blocks: which columns belong together, and which blocks may be added up."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import norm

from infold.core.copula import blocks
from infold.core.copula.labels import plain
from infold.core.copula.scores import Scores, normal_scores
from infold.core.copula.screen import rank_waves


def as_sets(found):
    return {(frozenset(map(int, x)), frozenset(map(int, y))) for x, y in found}


def test_columns_go_with_what_they_depend_on_most(rng):
    x = rng.normal(size=(400, 4))
    e = rng.normal(size=(400, 3))
    y = np.column_stack(
        [x[:, 2] + e[:, 0], np.abs(x[:, 0]) + 0.3 * e[:, 1], np.sign(x[:, 1] * x[:, 3]) * np.abs(e[:, 2])]
    )
    found = blocks.linked_blocks(normal_scores(x), normal_scores(y), np.arange(4), np.arange(3))
    assert as_sets(found) == {
        (frozenset({2}), frozenset({0})),
        (frozenset({0}), frozenset({1})),
        (frozenset({1, 3}), frozenset({2})),  # which only their product shows
    }


def test_blocks_are_joined_if_they_depend_on_each_other_on_both_sides(rng):
    z = rng.normal(size=(500, 6))
    common = rng.normal(size=(500, 1))
    independent = [(z[:, [0]], z[:, [3]]), (z[:, [1]], z[:, [4]])]
    assert blocks.apart(independent) == [[0], [1]]
    on_one_side = [(z[:, [0]] + common, z[:, [3]]), (z[:, [1]] + common, z[:, [4]])]
    assert blocks.apart(on_one_side) == [[0], [1]]
    on_both = [(z[:, [0]] + common, z[:, [3]] + common), (z[:, [1]] + common, z[:, [4]] - common)]
    assert blocks.apart([*on_both, (z[:, [2]], z[:, [5]])]) == [[0, 1], [2]]


def test_rare_classes_that_exclude_each_other_are_not_apart(rng):
    label = rng.integers(0, 8, 500)
    other = np.where(rng.random(500) < 0.5, label, rng.integers(0, 8, 500))
    x, y = (np.eye(8)[c] + 1e-7 * rng.normal(size=(500, 8)) for c in (label, other))
    found = blocks.apart([(x[:, [i]], y[:, [i]]) for i in range(8)])
    assert found == [list(range(8))]  # any two have a correlation of −1/7 only


def test_level_where_the_columns_of_a_group_say_the_same(rng):
    """Two groups of ten noisy copies each: the sum of their 100 squared correlations is one number, 100 times."""
    joined = 0
    for _ in range(100):
        factors = rng.normal(size=(150, 2))
        copies = np.repeat(factors, 10, axis=1)
        x, y = (copies + 0.3 * rng.normal(size=copies.shape) for _ in range(2))
        joined += len(blocks.apart([(x[:, [i]], y[:, [i]]) for i in range(20)])) == 1
    assert joined <= 11  # 5 % of 100, and three standard errors


def test_level_of_joining_blocks_for_nothing(rng):
    joined = 0
    for _ in range(200):
        z = rng.normal(size=(150, 6))
        pair = [(z[:, :1], z[:, 1:3]), (z[:, 3:4], z[:, 4:])]
        # Both sides must be found dependent; with one side truly dependent the other decides.
        pair[1] = (pair[1][0] + 3 * pair[0][0], pair[1][1])
        joined += len(blocks.apart(pair)) == 1
    assert joined / 200 < 0.15  # two tests at .05 each, at the most; binomial deviation .02


@pytest.mark.slow
@pytest.mark.parametrize("n", [1500, 5000])
def test_blocks_are_merged_where_they_say_more_together(n):
    rng = np.random.default_rng(n)
    sign = rng.choice([-1, 1], size=(n, 1))
    x = rng.normal(size=(n, 3))
    y = 0.95 * sign * x + np.sqrt(1 - 0.95**2) * rng.normal(size=(n, 3))
    y[:, 2] = x[:, 2] + rng.normal(size=n)  # a pair of its own
    single = [(np.array([i]), np.array([i])) for i in range(3)]
    found = blocks.merged_blocks(x, y, single, 3)
    assert as_sets(found) == {(frozenset({0, 1}), frozenset({0, 1})), (frozenset({2}), frozenset({2}))}


def test_clusters_are_no_sum():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 400)
    x, y = (4 * rng.normal(size=(3, 6))[label] + rng.normal(size=(400, 6)) for _ in range(2))
    every = np.arange(6)
    scores = Scores(x, y, x, y, plain(6), plain(6))
    assert blocks.partitions(scores, every, every, 3, 0) == []


def test_indicators_of_one_label_stay_together(rng):
    x = rng.normal(size=(300, 3))
    label = np.digitize(x[:, 0], [-0.5, 0.5])
    y = (label[:, None] == np.arange(3)).astype(float)
    owners = np.arange(3), np.zeros(3, int)
    found = blocks.linked_blocks(x, y, np.arange(3), np.arange(3), owners)
    assert as_sets(found) == {(frozenset({0}), frozenset({0, 1, 2}))}
    pairs = [(rng.normal(size=(300, 1)), rng.normal(size=(300, 1))) for _ in range(3)]
    assert blocks.apart(pairs, np.array([0, 1, 0])) == [[0, 2], [1]]


def sums_modulo(rng, n, base):
    """Return four columns (n, 4), any two of which tell nothing of a third, but three do of the fourth."""
    a, b = rng.integers(0, base, (2, n))
    return np.column_stack([a, b, (a + b) % base, (a + 2 * b) % base]) + rng.random((n, 4))


@pytest.mark.slow
def test_blocks_that_depend_in_threes_on_both_sides_are_one():
    rng = np.random.default_rng(0)
    x, y = sums_modulo(rng, 600, 5), rng.normal(size=(600, 4))
    assert len(blocks.apart([(x[:, [i]], x[:, [i]]) for i in range(4)])) == 1
    assert len(blocks.apart([(x[:, [i]], y[:, [i]]) for i in range(4)])) == 4  # one side is enough to add up


@pytest.mark.slow
def test_links_in_threes_match_their_definition():
    rng = np.random.default_rng(1)
    columns = np.column_stack([sums_modulo(rng, 300, 3), rng.normal(size=(300, 2))])
    owner = np.array([0, 1, 2, 2, 3, 4])
    waves = rank_waves(columns, 2)
    least = norm.isf(blocks.ALPHA_APART / 2 / (12**3 / 6)) / np.sqrt(300)
    expected = np.zeros((5, 5), bool)
    for (i, a), (j, b), (k, c) in itertools.combinations(enumerate(owner), 3):
        if len({a, b, c}) == 3:
            found = np.einsum("in,jn,kn->ijk", waves[:, :, i], waves[:, :, j], waves[:, :, k]) * np.sqrt(300)
            if np.abs(found).max() > least:
                expected[np.ix_([a, b, c], [a, b, c])] = True
    assert_array_equal(blocks.linked_in_threes(waves, owner), expected)
    assert expected[0, 1]
    assert not expected[3, 4]


@pytest.mark.slow
def test_what_no_three_blocks_show_is_taken_off_a_sum():
    rng = np.random.default_rng(0)
    sign = rng.choice([-1, 1], size=(600, 4))
    sign = np.column_stack([sign, sign.prod(axis=1)])  # any four of five are independent
    x, y = (sign * np.abs(rng.normal(size=sign.shape)) for _ in range(2))
    pairs = [(x[:, [i]], y[:, [i]]) for i in range(5)]
    assert len(blocks.apart(pairs)) == 5
    # Five times log 2 where there are four. Kernels smooth, so they see it only roughly.
    assert 0.1 < blocks.share_counted_twice(pairs) < 0.3
    free = rng.normal(size=(600, 14))
    apart = [(free[:, [i]], free[:, [i]] + 0.5 * free[:, [i + 7]]) for i in range(7)]
    assert blocks.share_counted_twice(apart) < 0.1
    assert blocks.share_counted_twice(pairs[:1]) == 0


def test_partitions_with_a_column_in_common_are_joined():
    first = [([0], [3, 1]), ([1, 2], [0]), ([5], [4])]
    merged = [([0], [1, 3]), ([2, 1, 5], [0, 4])]
    blocks_of = [(np.array(x), np.array(y)) for x, y in first + merged]
    found = blocks.overlapping_joined(blocks_of)
    assert [(x.tolist(), y.tolist()) for x, y in found] == [([0], [1, 3]), ([1, 2, 5], [0, 4])]
    assert blocks.overlapping_joined([]) == []


def test_what_was_linked_stays_linked_in_larger_blocks(rng, monkeypatch):
    """Coordinates learned from more columns may hide what two blocks have in common."""
    z = rng.normal(size=(400, 6))
    scores = Scores(z, z, z, z, plain(6), plain(6))
    pairs = [(np.array([i]), np.array([i])) for i in range(3)]
    monkeypatch.setattr(blocks, "linked_blocks", lambda *args: pairs)
    monkeypatch.setattr(blocks, "merged_blocks", lambda a, b, first, k: [blocks.join(first, [[1, 2]])[0], first[0]])
    for seen, expected in (([[0], [1], [2]], 2), ([[0, 1], [2]], 1)):
        answers = iter([seen, [[0], [1]]])
        monkeypatch.setattr(blocks, "apart", lambda tables, answers=answers: next(answers))
        found = blocks.partitions(scores, np.arange(6), np.arange(6), 3, 0)
        assert len(found) == expected  # the second has one block only, if the first two are linked
