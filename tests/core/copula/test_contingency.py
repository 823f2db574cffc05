"""The MI of two labels from counts, most of which may be small."""

import math
from collections import Counter

import numpy as np
import pytest

from infold.core.copula import contingency


def codes(values):
    return np.unique(values, return_inverse=True)[1]


def channel(rng, n, n_labels, errors, zipf=0):
    """Return labels, of which some are drawn anew, and their MI."""
    shares = 1 / np.arange(1, n_labels + 1) ** zipf
    shares /= shares.sum()
    x = rng.choice(n_labels, n, p=shares)
    y = np.where(rng.random(n) < errors, rng.choice(n_labels, n, p=shares), x)
    joint = (1 - errors) * np.diag(shares) + errors * np.outer(shares, shares)
    ratio = joint / np.outer(shares, shares)
    return codes(x), codes(y), float((joint * np.log(np.maximum(ratio, 1e-300))).sum())


def slow_entropy(counts):
    """Chao, Wang & Jost (2013), their equation, with exact sums."""
    n = sum(counts)
    seen = math.fsum(c / n * math.fsum(1 / k for k in range(c, n)) for c in counts)
    once, twice = counts.count(1), counts.count(2)
    if once == 0:
        return seen
    rare = 2 * twice / ((n - 1) * once + 2 * twice) if twice else 2 / ((n - 1) * (once - 1) + 2)
    if rare >= 1:
        return seen
    below = math.fsum((1 - rare) ** r / r for r in range(1, n))
    return seen + once / n * (1 - rare) ** (1 - n) * (-math.log(rare) - below)


@pytest.mark.parametrize(
    "counts",
    [[5, 5], [1], [1, 1], [1, 2], [1] * 50, [40, 1], [30, 2, 1, 1], [7, 5, 3, 2, 2, 1, 1, 1], [2] * 30 + [1] * 3, [9]],
)
def test_entropy_matches_definition(counts):
    assert contingency.entropy_with_unseen(np.array([0, *counts])) == pytest.approx(slow_entropy(counts), abs=1e-9)


def test_entropy_of_one_rare_value_among_many_rows_needs_little_memory():
    # The tail has some 10¹⁰ terms here.
    found = contingency.entropy_with_unseen(np.r_[50_000, np.ones(50_000, int)])
    assert math.log(2) < found < math.inf


def slow_prediction(x, y, weight):
    """Each row's label y, predicted from all other rows."""
    n, gains = len(x), []
    for i in range(n):
        others = [(a, b) for j, (a, b) in enumerate(zip(x, y, strict=True)) if j != i]
        of_y = Counter(b for _, b in others)
        marginal = max(of_y[y[i]], 0.5) / (n - 1)
        same_x = [b for a, b in others if a == x[i]]
        chance = (same_x.count(y[i]) + weight * marginal) / (len(same_x) + weight)
        gains.append(math.log(chance / ((of_y[y[i]] + 1) / n)))
    return sum(gains) / n


def test_prediction_matches_definition(rng):
    x, y, _ = channel(rng, 60, 5, 0.4, zipf=1)
    assert contingency.predicted(x, y) == pytest.approx(max(slow_prediction(x, y, w) for w in contingency.PRIOR_ROWS))


@pytest.mark.parametrize("n_labels", [4, 30])
def test_equal_labels_share_their_entropy(rng, n_labels):
    x = codes(rng.integers(0, n_labels, 300))
    shares = np.bincount(x) / 300
    assert contingency.contingency_local(x, x, 0).mean() == pytest.approx(-(shares * np.log(shares)).sum(), abs=0.06)


@pytest.mark.parametrize("zipf", [0, 1])
@pytest.mark.parametrize("errors", [0.1, 0.4, 0.7])
@pytest.mark.parametrize("n_labels", [10, 30, 50])
def test_labels_with_errors_are_hardly_ever_too_high(n_labels, errors, zipf):
    # 500 rows, so most combinations of 30 labels are never seen; plug-in estimates are .1 to 1.6 too high.
    rng, found = np.random.default_rng(8), []
    for seed in range(4):
        x, y, truth = channel(rng, 500, n_labels, errors, zipf)
        found.append(contingency.contingency_local(x, y, seed).mean())
    assert -0.1 - 0.25 * truth < np.mean(found) - truth < 0.1 + 0.05 * truth


def test_labels_that_no_two_rows_share_tell_nothing(rng):
    x, y = codes(rng.integers(0, 150, 600)), codes(rng.integers(0, 150, 600))
    assert contingency.contingency_local(x, y, 0).mean() == pytest.approx(0, abs=0.02)


def test_names_of_labels_are_irrelevant(rng):
    x, y, _ = channel(rng, 200, 8, 0.3)
    order = rng.permutation(8)
    other = contingency.contingency_local(order[x], y, 0)
    assert np.array_equal(contingency.contingency_local(x, y, 0), other)


def test_a_label_with_one_value_tells_nothing(rng):
    # A half of the rows may have no row of a rare label.
    constant, label = np.zeros(40, np.int64), rng.integers(0, 3, 40)
    assert contingency.chance_adjusted(constant, constant, 0) == 0
    assert contingency.chance_adjusted(constant, label, 0) == 0
    assert np.allclose(contingency.contingency_local(constant, label, 0), 0)
