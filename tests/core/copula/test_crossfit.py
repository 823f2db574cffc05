"""Free looks: splits, neighbours among all rows, and what was learned on other rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors as naive

from infold.core.copula import crossfit
from infold.core.copula.labels import Origin, plain
from infold.core.copula.neighbors import judged_local, ksg_local, stretched
from infold.core.copula.scores import even_scores


def looks_at(a, b, origin_a, origin_b, rng, seed=0):
    """Return the local values of all free looks, by name."""
    looks = crossfit.free_looks((origin_a, origin_b))
    splits = crossfit.deal(len(a), rng)
    found = crossfit.free_locals(looks, a, b, (origin_a, origin_b), splits, 3, seed, n_jobs=1)
    return {look.name: local for look, local in zip(looks, found, strict=True)}


@pytest.mark.parametrize("n", [6, 50, 30_000])
def test_splits_judge_rows_that_nothing_was_learned_from(n):
    splits = crossfit.deal(n, np.random.default_rng(0))
    judged = np.concatenate([split.use for split in splits])
    assert len(set(judged)) == judged.size == min(n, crossfit.MOST_JUDGED)
    for fit, use in splits:
        assert not set(fit) & set(use)
        assert fit.size <= crossfit.MOST_FIT


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 900])
def test_judged_rows_have_the_values_of_the_whole_table(rng, n):
    a = rng.normal(size=(n, 2))
    b = a[:, :1] + rng.normal(size=(n, 1))
    rows = rng.permutation(n)[:25]
    found = judged_local((a, b), rows, 3)
    assert_array_equal(found, ksg_local((a, b), 3)[rows])
    counts = naive.counts([naive.block_distance(side.T, "chebyshev") for side in (a, b)], [(0,), (1,)], 3)
    assert_allclose(found, naive.mutual_information(counts, n)[rows], rtol=1e-12)


def test_rows_are_judged_among_some_of_the_others(rng):
    a, b = rng.normal(size=(2, 900, 2))
    rows = rng.permutation(900)[:25]
    some = np.concatenate([rows, np.setdiff1d(np.arange(900), rows)[::3]])  # a third of the others
    assert_array_equal(judged_local((a, b), rows, 3, 300), ksg_local((a[some], b[some]), 3)[:25])
    assert_array_equal(judged_local((a, b), rows, 3, 900), judged_local((a, b), rows, 3))


def test_what_wide_neighbourhoods_surely_lose_is_given_back(rng):
    usual = rng.normal(size=400)
    noise = rng.normal(size=400)
    assert_array_equal(crossfit.regained(usual, usual, usual + noise, usual + noise, 3), usual)
    single = usual + 0.3
    wider, widest = usual - 0.4 + noise, usual - 0.9 + noise  # more slowly than in proportion
    found = crossfit.regained(single, usual, wider, widest, 3)
    assert_allclose(found, usual + (usual - widest) / 3)


def test_nothing_is_given_back_where_neighbourhoods_outgrow_clusters(rng):
    usual = rng.normal(size=400)
    single, noise = usual + 1, rng.normal(size=400)
    faster = crossfit.regained(single, usual, usual - 0.1, usual - 0.9 + noise, 3)
    hardly = crossfit.regained(single, usual, usual - 3 + noise, usual - 3.3 + noise, 3)
    not_at_first = crossfit.regained(usual, usual, usual - 0.4 + noise, usual - 0.9 + noise, 3)
    for found in (faster, hardly, not_at_first):
        assert_array_equal(found, usual)


def test_a_side_is_stretched_only_along_fast_waves(rng):
    x = rng.normal(size=(400, 1))
    wave, line = (f + 0.1 * rng.normal(size=(400, 1)) for f in (np.sin(8 * x), x))
    for tables, scale in (((x, wave), 8), ((wave, x), 1 / 8), ((x, line), 1)):
        u, v = stretched(tables, 3)
        assert_array_equal(u, scale * tables[0])
        assert_array_equal(v, tables[1])


@pytest.mark.slow
def test_the_loss_at_an_edge_is_given_back_in_part():
    # y is uniform above x: KSG is low by what it sees across the edges; the truth is .1 / 2 − log .1.
    truth, lost = 0.05 - np.log(0.1), []
    for seed in range(5):
        r = np.random.default_rng(seed)
        x = r.random((500, 1))
        a, b = even_scores(x, r), even_scores(x + 0.1 * r.random((500, 1)), r)
        given_back = np.nanmean(looks_at(a, b, plain(1), plain(1), r)["columns"])
        lost.append((truth - ksg_local((a, b), 3).mean(), truth - given_back))
    of_ksg, ours = np.mean(lost, axis=0)
    assert 0 < ours < 0.8 * of_ksg


@pytest.mark.slow
def test_what_is_learned_from_noise_says_nothing(rng):
    values = []
    for seed in range(10):
        a, b = rng.normal(size=(200, 8)), rng.normal(size=(200, 8))
        found = looks_at(a, b, plain(8), plain(8), rng, seed)
        values.append([np.nanmean(local) for local in found.values()])
    # A look's mean over ten samples has a standard error of about .03.
    assert np.mean(values, axis=0).max() < 0.1


@pytest.mark.slow
def test_copies_within_a_side_do_not_make_neighbours_tie(rng):
    # 60 different rows a side, drawn again and again; two classes, so the truth is log 2.
    pool_x, pool_y = rng.normal(size=(2, 60, 5))
    label = np.arange(60) % 2
    pool_x[label == 1] += 6
    pool_y[label == 1] += 6
    i = rng.integers(0, 60, 500)
    j = np.array([rng.choice(np.flatnonzero(label == label[k])) for k in i])
    x, y = pool_x[i], pool_y[j]
    torn = ksg_local((even_scores(x, rng), even_scores(y, rng)), 3).mean()
    assert abs(torn - np.log(2)) < 0.12  # standard error .03; ties would make it about .3 too high


def test_of_many_columns_only_coordinates_are_looked_at():
    def names(*origins):
        return [look.name for look in crossfit.free_looks(origins)]

    label = Origin(np.zeros(3, int), np.ones(3, bool))
    most, bumps = crossfit.MOST_COLUMNS, ["bumps 1", "bumps 4", "bumps 9"]
    assert names(plain(1), plain(1)) == ["columns"]
    assert names(plain(most), plain(most)) == ["columns", *bumps]
    assert names(plain(most), plain(most + 1)) == bumps
    assert names(plain(1), label) == names(label, label) == ["columns"]
    assert names(plain(8), label) == ["bumps 1", "bumps 3"]  # three coordinates tell three labels apart


def test_two_sides_of_labels_share_what_tables_of_counts_say(rng):
    n, k = 600, 4
    label = rng.integers(0, k, n)
    noisy = np.where(rng.random(n) < 0.4, rng.integers(0, k, n), label)
    x, y = ((side[:, None] == np.arange(k)).astype(float) for side in (label, noisy))
    same = Origin(np.zeros(k, int), np.ones(k, bool))
    (local,) = looks_at(x, y, same, same, rng).values()
    joint = np.full((k, k), 0.4 / k**2) + np.eye(k) * 0.6 / k
    truth = (joint * np.log(joint * k * k)).sum()
    assert abs(local.mean() - truth) < 0.12  # three standard errors of .04


def test_coordinates_keep_labels_as_they_are(rng):
    label = rng.integers(0, 3, 300)
    x = rng.normal(size=(300, 4)) + 2 * (label[:, None] == np.arange(4))
    y = (label[:, None] == np.arange(3)).astype(float)
    origins = (plain(4), Origin(np.zeros(3, int), np.ones(3, bool)))
    found = looks_at(x, y, *origins, rng)
    assert set(found) == {"columns", "bumps 1", "bumps 3"}
    assert np.nanmean(found["bumps 3"]) > 0.3


@pytest.mark.slow
def test_nothing_is_given_back_among_the_few_rows_of_a_label():
    label = np.repeat(np.arange(50), 10)
    assert crossfit.rows_per_label((label[:, None] == np.arange(50)).astype(float)) == 10
    assert crossfit.rows_per_label(np.empty((30, 0))) == 30
    rng = np.random.default_rng(0)
    x = (rng.normal(size=500) + 2 * (label % 5))[:, None]
    y = (label[:, None] == np.arange(50)).astype(float)
    origins = (plain(1), Origin(np.zeros(50, int), np.ones(50, bool)))
    found = looks_at(even_scores(x, rng), y, *origins, rng)
    assert np.nanmean(found["columns"]) < 1.03 + 0.15  # truth 1.03
