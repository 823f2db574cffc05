"""Relevance: scores by definition, p-values that noise gets at the stated rate, signals that are found."""

import json
import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import inference as reference
from samples import walk

import infold
from infold.data.tables import Table
from infold.inference.multiple import holm, max_t, upper_quantile
from infold.inference.resampling import make_shuffle, seeds_for


@pytest.fixture
def linked(rng):
    """Three columns and two; the first of each side depend on each other."""
    X, Y = rng.normal(size=(60, 3)), rng.normal(size=(60, 2))
    Y[:, 0] += 3 * X[:, 0]
    return X, Y


def slow_alone(X, Y):
    by_x = [reference.ksg(X[:, [i]], Y, 3) for i in range(X.shape[1])]
    return by_x + [reference.ksg(X, Y[:, [i]], 3) for i in range(Y.shape[1])]


def slow_together(X, Y, order):
    out = []
    for i in range(X.shape[1]):
        shuffled = X.copy()
        shuffled[:, i] = X[order, i]
        out.append(reference.ksg(shuffled, Y, 3))
    for i in range(Y.shape[1]):
        shuffled = Y.copy()
        shuffled[:, i] = Y[order, i]
        out.append(reference.ksg(X, shuffled, 3))
    return out


def orders(n, seed, count):
    """The permutations that the seed stands for; the first of the seeds is the observed data's."""
    return [make_shuffle(n, None, None).draw(s) for s in seeds_for(seed, count + 1)[1:]]


def test_alone_is_the_mi_of_one_column_with_the_other_side(linked):
    X, Y = linked
    found = infold.relevance(X, Y, n_permutations=4, level=0.25, random_state=5)
    null = np.array([slow_alone(X, Y[order]) for order in orders(60, 5, 4)])
    assert_allclose([*found.scores_x, *found.scores_y], slow_alone(X, Y), atol=1e-12)
    assert_allclose(found.null_x, null[:, :3], atol=1e-12)
    assert_allclose(found.null_y, null[:, 3:], atol=1e-12)


def test_together_is_the_loss_by_shuffling_one_column(linked):
    X, Y = linked
    found = infold.relevance(X, Y, kind="together", n_permutations=4, level=0.25, random_state=5)
    after = np.array([slow_together(X, Y, order) for order in orders(60, 5, 4)])
    losses, null = reference.ksg(X, Y, 3) - after.mean(axis=0), after - after.mean(axis=0)
    assert_allclose([*found.scores_x, *found.scores_y], losses, atol=1e-12)
    assert_allclose(found.null_x, null[:, :3], atol=1e-12)
    assert_allclose(found.null_y, null[:, 3:], atol=1e-12)


@pytest.mark.parametrize(("count", "level"), [(19, 0.05), (19, 0.2), (99, 0.05), (99, 0.07), (24, 0.5)])
def test_one_more_draw_passes_the_threshold_at_the_level(rng, count, level):
    draws = rng.normal(size=count + 1)
    passes = [draws[i] > upper_quantile(np.delete(draws, i), level) for i in range(count + 1)]
    assert sum(passes) == math.floor(level * (count + 1) + 1e-9)


def slow_max_t(observed, null):
    """P-values and statistics of max-T by its definition: each draw is compared with all others of its column."""
    draws = np.vstack((observed, null))
    t = np.zeros(draws.shape)
    for i, j in np.ndindex(t.shape):
        others = np.delete(draws[:, j], i)
        center = others.mean()
        above = others[others > center]
        t[i, j] = (draws[i, j] - center) / np.sqrt(np.mean((above - center) ** 2))
    largest = t[1:].max(axis=1)
    return [(1 + np.sum(largest >= one)) / len(draws) for one in t[0]], t, largest


@pytest.mark.parametrize("count", [4, 19, 60])
def test_max_t_by_its_definition(rng, count):
    null = np.column_stack((rng.normal(size=count), 1e3 + rng.chisquare(1, size=count), 1e-4 * rng.normal(size=count)))
    observed = null.mean(axis=0) + np.array([1.0, 9.0, 1.5e-4])
    found = max_t(observed, null, 0.25)
    expected, t, largest = slow_max_t(observed, null)
    assert_allclose(found.pvalues, expected)
    # The threshold is in the column's units: passing it is the same as p ≤ level.
    assert_array_equal(observed > found.thresholds, np.array(expected) <= 0.25)
    spread = (observed - null.mean(axis=0)) / t[0]
    assert_allclose(found.thresholds, null.mean(axis=0) + upper_quantile(largest, 0.25) * spread)


def test_every_draw_is_as_likely_to_be_called_relevant(rng):
    # Exact by exchangeability: exactly floor(level · N) of the N draws are beyond the others, whatever the laws.
    draws = np.column_stack((rng.normal(size=40), rng.chisquare(1, size=40), rng.standard_cauchy(size=40)))
    called = [(max_t(draws[i], np.delete(draws, i, axis=0), 0.1).pvalues <= 0.1).any() for i in range(40)]
    assert sum(called) == 4


def test_constant_nulls_need_no_care(rng):
    null = np.column_stack((np.zeros(19), np.full(19, 0.3), rng.normal(size=19), np.zeros(19)))
    found = max_t(np.array([0.0, 0.3, 0.0, 0.1]), null, 0.05)
    assert_array_equal(found.pvalues <= 0.05, [False, False, False, True])


def test_a_skewed_null_does_not_hide_other_columns():
    # 15 normal and 15 skewed null columns, one normal column 4 sd off: the usual sd would find it once in ten times.
    rng, found, false = np.random.default_rng(0), 0, 0
    for _ in range(60):
        null = np.column_stack((rng.normal(size=(200, 15)), rng.chisquare(1, size=(200, 15))))
        null[0, 0] = 4.0
        called = max_t(null[0], null[1:], 0.05).pvalues <= 0.05
        found, false = found + called[0], false + called[1:].any()
    assert found >= 25
    assert false <= 9  # 3 expected, more than 9 with a chance of 0.001


def test_holm_by_its_definition():
    assert_allclose(holm(np.array([0.01, 0.5, 0.04, 0.02])), [0.04, 0.5, 0.08, 0.06])
    assert_allclose(holm(np.array([0.3, 0.9])), [0.6, 0.9])


def false_positives(kind, n_sets, n_x, n_y):
    """In how many independent samples some column of X, and of Y, is called relevant at level 0.2."""
    rng, found_any = np.random.default_rng(11), np.zeros(2)
    for seed in range(n_sets):
        X, Y = rng.normal(size=(50, n_x)), rng.normal(size=(50, n_y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", infold.DataWarning)  # 50 rows look autocorrelated now and then
            found = infold.relevance(X, Y, kind=kind, n_permutations=4, level=0.2, random_state=seed, n_jobs=1)
        found_any += found.relevant_x.any(), found.relevant_y.any()
    return found_any


def test_noise_passes_the_threshold_at_the_stated_rate():
    # Exactly 0.2 in expectation; 200 samples have a standard deviation of 5.7 around 40.
    assert_allclose(false_positives("alone", 200, 2, 2), 40, atol=3.5 * 5.7)


def test_noise_rarely_passes_the_threshold_together():
    # At most 0.2: all columns share one estimate, which makes the largest of them smaller than the null's.
    found_any = false_positives("together", 150, 2, 2)
    assert np.all(found_any <= 30 + 3.5 * 5)
    assert np.all(found_any >= 5)  # a threshold that nothing passes would tell nothing


@pytest.mark.parametrize("kind", ["alone", "together"])
def test_signals_are_found_and_noise_beside_them_is_not(kind):
    rng, found_signal, found_noise = np.random.default_rng(3), [], []
    for seed in range(20):
        X, Y = rng.normal(size=(100, 3)), rng.normal(size=(100, 3))
        Y[:, 1] += 2 * X[:, 2]
        result = infold.relevance(X, Y, kind=kind, n_permutations=19, random_state=seed, n_jobs=1)
        found_signal += [result.relevant_x[2], result.relevant_y[1]]
        found_noise += [np.delete(result.relevant_x, 2).any(), np.delete(result.relevant_y, 1).any()]
    assert all(found_signal)
    assert sum(found_noise) <= 7  # level 0.05 of 40: 2 expected at most, more than 7 with a chance of 0.001


def test_a_combination_is_found_together_only(rng):
    X = rng.normal(size=(300, 3))
    Y = np.sign(X[:, 0] * X[:, 1]) + 0.1 * rng.normal(size=300)
    alone, together = (
        infold.relevance(X, Y, kind=kind, n_permutations=19, random_state=0) for kind in ("alone", "together")
    )
    assert_array_equal(alone.relevant_x, [False, False, False])
    assert_array_equal(together.relevant_x, [True, True, False])


def test_copies_are_high_alone_and_low_together(rng):
    x = rng.normal(size=300)
    X = np.column_stack((x + 0.01 * rng.normal(size=300), x + 0.01 * rng.normal(size=300)))
    Y = x + 0.3 * rng.normal(size=300)
    alone, together = (
        infold.relevance(X, Y, kind=kind, n_permutations=19, random_state=0) for kind in ("alone", "together")
    )
    assert alone.relevant_x.all()
    assert np.all(together.scores_x < 0.7 * alone.scores_x)


@pytest.mark.parametrize("method", ["gksg", "auto"])
def test_other_methods_and_the_same_bits_for_any_number_of_workers(linked, method):
    options = {"n_estimators": 10} if method == "gksg" else {}
    one, two = (
        infold.relevance(*linked, method=method, n_permutations=4, level=0.5, random_state=1, n_jobs=n, **options)
        for n in (1, 2)
    )
    for name in ("scores_x", "scores_y", "null_x", "null_y"):
        assert_array_equal(getattr(one, name), getattr(two, name))


def test_rows_change_places_within_groups_only(rng):
    # The group explains all: within groups X and Y are independent.
    groups = np.tile([0, 1], 60)
    X, Y = (rng.normal(size=120) + 6 * groups for _ in range(2))
    with pytest.warns(infold.DataWarning, match="Rows alternate"):  # the groups take turns
        assert infold.relevance(X, Y, n_permutations=19, random_state=0).relevant_x.all()
    assert not infold.relevance(X, Y, n_permutations=19, groups=groups, random_state=0).relevant_x.any()


def test_a_series_is_told_to_keep_its_blocks():
    x, y = walk(200, 0.95, 0), walk(200, 0.95, 1)
    with pytest.warns(infold.DataWarning, match="autocorrelated"):
        found = infold.relevance(x, y, random_state=0)
    assert "block=" in repr(found)
    assert any("block=" in note for note in found.to_dict()["notes"])
    assert not infold.relevance(x, y, n_permutations=19, block=20, random_state=0).notes


def test_a_constant_column_scores_nothing(linked):
    X, Y = linked
    with pytest.warns(infold.DataWarning, match="constant"):
        found = infold.relevance(np.column_stack((X, np.ones(60))), Y, n_permutations=19, random_state=0)
    assert found.scores_x[3] == 0
    assert not found.relevant_x[3]


def test_the_answer_in_bits_in_json_and_in_words(linked):
    X, Y = Table(linked[0], ("a", "b", "c")), Table(linked[1], ("d", "e"))
    nats = infold.relevance(X, Y, n_permutations=19, random_state=0)
    bits = infold.relevance(X, Y, n_permutations=19, random_state=0, units="bits")
    assert_allclose(bits.scores_x, nats.scores_x / math.log(2))
    assert_allclose(bits.threshold_y, nats.threshold_y / math.log(2))
    plain = json.loads(json.dumps(nats.to_dict()))
    assert [row["name"] for row in plain["columns"]] == ["a", "b", "c", "d", "e"]
    assert plain["columns"][0] == {
        "side": "x",
        "name": "a",
        "score": nats.scores_x[0],
        "pvalue": 0.05,
        "threshold": nats.threshold_x[0],
        "relevant": True,
        "n_samples": 60,
    }
    assert plain["n_permutations"] == 19
    assert "2 of 5 columns" in repr(nats)
    assert "X a  " in repr(nats)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "both"}, "kind='both' is not known"),
        ({"n_permutations": 9}, "n_permutations=9 is too few for level=0.05.*pass at least 19"),
        ({"level": 2}, "level=2 must be between 0 and 1"),
        ({"n_permutations": 0}, "n_permutations=0 must be"),
        ({"missing": "pair"}, "missing='pair' is not known; choose one of 'error', 'drop', 'pairwise'"),
        ({"missing": "pairwise", "kind": "together"}, "pass missing='drop'"),
        ({"method": "magic"}, "magic"),
        ({"units": "miles"}, "miles"),
    ],
)
def test_mistakes(linked, options, says):
    with pytest.raises(ValueError, match=says):
        infold.relevance(*linked, **options)
