"""What is taken, what is added, and what limits an answer."""

import math

import numpy as np
import pytest
import reference.copula as naive

from infold.core.copula import choice, looks
from infold.core.copula.looks import Candidate, Evidence, best, free_candidate, sampling_error, shifted, weigh


def candidate(mi, error, view="columns", **more):
    return Candidate("all", view, mi, error, local=np.full(5, mi), **more)


def test_the_largest_estimate_less_its_error_is_taken():
    noisy, sure = candidate(1.2, 0.5), candidate(1.0, 0.1)
    assert best([noisy, sure]) is sure
    assert best([noisy, sure, candidate(1.6, 0.5)]).mi == 1.6


def nothing(of_x, of_y):
    return 0.0


def test_rows_that_were_not_judged_get_the_mean():
    found = free_candidate("all", "bumps 4", np.array([1.0, np.nan, 3.0]), nothing)
    assert found.mi == 2.0
    assert found.local.tolist() == [1.0, 2.0, 3.0]
    assert shifted(np.array([1.0, 3.0]), 0.0).tolist() == [-1.0, 1.0]
    assert free_candidate("all", "columns", np.array([-1.0, -2.0]), nothing).mi == 0


def test_a_free_look_counts_beyond_the_gaussian_part_as_far_as_it_is_sure(rng):
    gaussian = Candidate("all", "gaussian", 0.5, 0.01, 0.5, local=np.full(400, 0.5))
    same = free_candidate("all", "columns", 0.5 + rng.normal(size=400), nothing, gaussian=gaussian)
    assert same.mi < 0.6
    more = free_candidate("all", "columns", 1.5 + 0.5 * rng.normal(size=400), nothing, gaussian=gaussian)
    assert more.mi == pytest.approx(1.5, abs=0.08)
    assert more.linear == 0.5


@pytest.mark.parametrize(("pvalue", "weight"), [(0.05 / 3, 0), (0.0025 / 3, 1), (1e-9, 1), (0.5, 0)])
def test_an_excess_over_surrogates_counts_as_far_as_it_is_proven(pvalue, weight):
    assert weigh(0.3, pvalue, 6, 0.5) == pytest.approx(weight)
    assert weigh(0.3, pvalue, 6, 0.0) == 1  # without a linear part there is nothing else
    assert weigh(-0.3, pvalue, 6, 0.0) == 0


def test_sampling_error_is_that_of_a_gaussian_pair(rng):
    n, rho = 200, 0.7
    truth, found = -0.5 * np.log1p(-(rho**2)), []
    for _ in range(1000):
        x, e = rng.normal(size=(2, n))
        y = rho * x + np.sqrt(1 - rho**2) * e
        found.append(truth + np.mean((x**2 + y**2) / 2 - (x**2 - 2 * rho * x * y + y**2) / (2 * (1 - rho**2))))
    assert np.std(found) == pytest.approx(sampling_error(truth, n), rel=0.1)  # four deviations of 1 / √2000


def test_looks_alone_must_be_confirmed_by_pairing_rows_anew():
    seeds = list(range(30))

    def always(of_x, of_y):  # high whatever the pairing
        return 0.3 + 1e-3 * of_y[0] / 50

    def paired(of_x, of_y):
        return 0.3 if (of_x == of_y).all() else 1e-3 * of_y[0] / 50

    odd, real = Evidence(1e-9, always), Evidence(1e-9, paired)
    assert choice._dependence([0.5, 0.5], [odd], seeds, 50) > choice.ALPHA_DEPENDENT
    assert choice._dependence([0.5, 0.5], [real], seeds, 50) < choice.ALPHA_DEPENDENT
    assert choice._dependence([1e-9, 0.5], [odd], seeds, 50) < choice.ALPHA_DEPENDENT
    assert choice._dependence([0.5], [], seeds, 50) == pytest.approx(0.5)


def test_weak_columns_are_added_as_far_as_they_are_above_their_noise():
    block = np.array([0]), np.array([0])
    every = np.arange(9), np.arange(9)
    taken = candidate(0.5, 0.1)
    plain, columns = choice._with_weak_columns(taken, block, (0.55, 0.1), False, every)
    assert (plain.mi, columns) == (0.5, block)
    more, columns = choice._with_weak_columns(taken, block, (1.5, 0.25), False, every)
    assert more.mi == pytest.approx(0.5 + 1.0 * (1 - 0.25**2))
    assert more.local.mean() == pytest.approx(more.mi)
    assert more.view == "columns + weak columns"
    assert columns is every


def test_directions_must_be_the_surer():
    block = np.array([0]), np.array([0])
    found, other = [(candidate(1.0, 0.1), block)], (np.arange(3), np.array([0]))
    assert choice._taken(found, [(candidate(1.05, 0.1), other)]) == found[0]
    better = [(candidate(1.3, 0.1), other)]
    assert choice._taken(found, better) == better[0]
    assert choice._taken([], better) == better[0]
    assert choice._taken([], []) is None


def test_entropy_of_a_discrete_side(rng):
    classes = rng.integers(0, 4, size=(300, 2)).astype(float)
    assert choice.side_entropy(classes) == pytest.approx(naive.entropy(classes))
    assert choice.side_entropy(rng.normal(size=(300, 1))) == math.inf
    assert choice.side_entropy(np.hstack([classes, rng.normal(size=(300, 1))])) == math.inf
    assert choice.side_entropy(rng.integers(0, 100, size=(300, 5)).astype(float)) == math.inf  # all rows differ


def test_an_answer_is_at_most_the_entropy_of_a_discrete_side(rng):
    label = rng.integers(0, 2, 200).astype(float)[:, None]
    high = candidate(1.5, 0.1, linear=1.0)
    found = choice._capped(high, choice.side_entropy(label))
    assert found.mi == pytest.approx(naive.entropy(label))
    assert found.local.mean() == pytest.approx(found.mi)
    assert choice._capped(high, choice.side_entropy(rng.normal(size=(200, 1)))) is high


def test_bias_is_what_halves_of_the_rows_say_less():
    def answer(refit, n_columns=2):
        taken = candidate(1.0, 0.3, refit=refit)
        return choice.Answer(np.zeros(40), taken, 0.0, "", (np.arange(1), np.arange(1)), (taken,), n_columns)

    assert choice.bias_error(answer(lambda x, y: 1.0), 0, 1) == pytest.approx(0.3)
    drifting = choice.bias_error(answer(lambda x, y: 0.8 if len(x) == 20 else 9.0), 0, 1)
    assert drifting == pytest.approx(math.hypot(0.3, choice.BIAS_FACTOR * 0.2))
    assert choice.bias_error(answer(lambda x, y: math.nan), 0, 1) == pytest.approx(0.3)
    assert choice.bias_error(answer(None), 0, 1) == pytest.approx(0.3)
    missed = looks.MISSED * (1.0 + choice.HIDDEN)
    assert choice.bias_error(answer(None, n_columns=3), 0, 1) == pytest.approx(math.hypot(0.3, missed))


def test_an_answer_of_0_may_hide_something_among_several_columns(rng):
    x, y = rng.normal(size=(2, 200, 3))
    several, single = (choice.adapt(x[:, :p], y[:, :p], 3, 0, n_jobs=1) for p in (3, 1))
    assert several.taken.mi == single.taken.mi == 0
    hidden = looks.AS_MUCH_AGAIN * choice.HIDDEN
    assert choice.bias_error(several, 0, 1) == pytest.approx(math.hypot(several.taken.standard_error, hidden))
    assert choice.bias_error(single, 0, 1) == single.taken.standard_error


@pytest.mark.slow
def test_a_scale_that_rows_share_is_no_sum_of_weak_columns():
    # More columns than n / 3; two scales are .61 nats, which canonical correlations of all columns show many times.
    rng = np.random.default_rng(3)
    scale = np.where(rng.random(300) < 0.3, 3.0, 1.0)[:, None]
    x, y = scale * rng.normal(size=(2, 300, 100))
    answer = choice.adapt(x, y, 3, 0, n_jobs=1)
    assert answer.pvalue < choice.ALPHA_DEPENDENT
    assert answer.taken.mi < 0.61 + 0.2


def test_a_gaussian_look_misses_much_where_the_data_refute_it(rng):
    def missed(x, y):
        found = choice.adapt(x, y, 3, 0, n_jobs=1).candidates
        return {c.missed for c in found if c.view == looks.GAUSSIAN}

    x, label = rng.normal(size=(400, 5)), rng.integers(0, 2, (400, 1))
    assert missed(x, x + rng.normal(size=(400, 5))) == {looks.MISSED}
    two_clusters = 4 * label + rng.normal(size=(2, 400, 5))
    assert looks.AS_MUCH_AGAIN in missed(*two_clusters)


def test_a_small_answer_from_end_to_end():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(80, 3))
    y = np.column_stack([x[:, 0] + 0.1 * rng.normal(size=80), np.abs(x[:, 1]) + 0.05 * rng.normal(size=80)])
    answer = choice.adapt(x, y, 3, 0, n_jobs=1)
    assert answer.pvalue < choice.ALPHA_DEPENDENT
    assert answer.local.mean() == pytest.approx(answer.taken.mi)
    assert 1.2 < answer.taken.mi < 4.5  # 2.3 linear, and the arch
    assert {"all", "screened", "2 blocks"} <= {c.columns for c in answer.candidates}
    assert choice.bias_error(answer, 0, 1) >= answer.taken.standard_error
    nothing_there = choice.adapt(x, rng.normal(size=(80, 2)), 3, 0, n_jobs=1)
    assert nothing_there.taken.mi == 0
