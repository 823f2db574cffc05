"""The MI of two labels, from counts of their combinations, most of which may have been seen once or never.

The plug-in estimate is then far too high. Two corrections of it fail in different places: an adjustment for chance
(Vinh et al. 2010) assumes errors as common as chance has them, and what the unseen combinations add to the entropy,
judged by the rare ones (Chao, Wang & Jost 2013), falls short where most were never seen. The smaller is taken, but no
less than what one label predicts of the other on rows left out, which is a lower bound.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import digamma

from ..knn.discrete import local_discrete, row_codes
from ..knn.information import shared_spaces
from .labels import label_entropy

N_PAIRINGS = 20  # of labels at random: their mean tells a bias to a hundredth of its spread
PRIOR_ROWS = np.geomspace(0.01, 1e4, 40)  # weights of the marginal law that are compared


def contingency_local(x: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Return the local values (n,) of two labels, given as codes 0, 1, …; their mean is the estimate."""
    local = local_discrete(np.array([x, y]), [1, 1], shared_spaces(2), "none")
    mi = max(min(chance_adjusted(x, y, seed), unseen_adjusted(x, y)), predicted(x, y), predicted(y, x), 0.0)
    return local - local.mean() + min(mi, label_entropy(x), label_entropy(y))


def chance_adjusted(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Return the MI on a scale where labels paired at random have 0, and equal ones their entropy.

    Where chance alone makes half of that, it is 0, and so it is where a label has one value.
    """
    rng = np.random.default_rng(seed)

    def miller_madow(y: np.ndarray) -> float:
        return float(local_discrete(np.array([x, y]), [1, 1], shared_spaces(2), "miller-madow").mean())

    most = min(label_entropy(x), label_entropy(y))
    chance = max(float(np.mean([miller_madow(rng.permutation(y)) for _ in range(N_PAIRINGS)])), 0.0)
    return most * (miller_madow(y) - chance) / (most - chance) if chance <= most / 2 < most else 0.0


def unseen_adjusted(x: np.ndarray, y: np.ndarray) -> float:
    """Return the MI as a sum of entropies, each of which accounts for what was not seen."""
    x_counts, y_counts, counts = (np.bincount(codes) for codes in (x, y, row_codes([x, y])))
    return entropy_with_unseen(x_counts) + entropy_with_unseen(y_counts) - entropy_with_unseen(counts)


def entropy_with_unseen(counts: np.ndarray) -> float:
    """Return the entropy of a discrete law from the counts of what was seen (Chao, Wang & Jost 2013).

    The first part is what samples of up to n rows show of it, without bias; the second what more rows would add, where
    values seen once and twice tell how common the unseen ones are.
    """
    counts = counts[counts > 0]
    n = int(counts.sum())
    entropy = float((counts / n * (digamma(n) - digamma(counts))).sum())
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    if once == 0 or n == 1:
        return entropy
    if twice:
        rare = 2 * twice / ((n - 1) * once + 2 * twice)  # the mean share of a value seen once
    else:
        rare = 2 / ((n - 1) * (once - 1) + 2)
    if rare >= 1:
        return entropy
    # Σ (1 − rare)^(r + 1 − n) / r from r = n on: all terms less the first, or one by one where that would cancel.
    log_rest = math.log1p(-rare)
    if n * rare < 20:
        first = np.arange(1, n)
        more = math.exp((1 - n) * log_rest) * float(-math.log(rare) - (np.exp(first * log_rest) / first).sum())
    else:
        r = np.arange(n, n + math.ceil(40 / rare))
        more = float((np.exp((r + 1 - n) * log_rest) / r).sum())
    return entropy + once / n * more


def predicted(x: np.ndarray, y: np.ndarray) -> float:
    """Return how much better y is predicted from x than without: the mean log ratio on rows left out of the counts.

    The prediction mixes what rows with the same x say with the marginal law. Its mean is at most the MI, but for the
    choice of one weight.
    """
    n, joint = len(x), row_codes([x, y])
    same, of_x, of_y = (np.bincount(codes)[codes] - 1 for codes in (joint, x, y))  # other rows
    marginal = np.maximum(of_y, 0.5) / (n - 1)  # of a label that no other row has, half a row
    weights = PRIOR_ROWS[:, None]
    gain = np.log((same + weights * marginal) / (of_x + weights)) - np.log((of_y + 1) / n)
    return float(gain.mean(axis=1).max())
