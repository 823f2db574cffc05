"""The certified bound: critics fitted on some rows and judged on others by InfoNCE (van den Oord et al. 2018).

For any critic f and any number N of rows that it has not seen,

    E [ f(x_i, y_i) − log (1/N) Σ_j e^f(x_i, y_j) ] ≤ I(X; Y)

so a poor critic makes the bound low, never wrong.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import norm

from infold.parallel.scheduler import one_blas_thread, run

from ..random import draw_seeds
from .critics import Plan, fit_critics, make_plan, scores_among

FOLDS = 4  # critics learn from three quarters of the rows; fewer rows in a fold can show less: at most log N
INNER_FOLDS = 3  # of the fitted rows, for the weights
MIN_SAMPLES = 40  # with fewer there is nothing to fit, and no standard error to rely on
MAX_SAMPLES = 3_000  # drawn at random from more; the rest would add little but time
MAX_JUDGED = 250  # rows of an inner fold that weights are fitted on
MAX_WEIGHT = 3.0
REPEATS_OF_ATOMS = 10  # of rows that repeat, on average: atoms are few and frequent, copies are many and rare
PENALTY = 1e-3  # on squared weights, so that they are unique
CERTAIN = 1 - 1e-9  # share of one candidate beyond which its rivals are rounding noise
GUESS = 0.02  # share of a mere guess in what critics say, so that no term falls below its logarithm
LEVEL = 0.95


class Bound(NamedTuple):
    """A lower confidence bound on MI, in nats, and the mean and standard error that it comes from."""

    low: float
    mean: float
    standard_error: float


def certified_bound(
    x: np.ndarray,
    y: np.ndarray,
    random_state: Any,
    *,
    level: float = LEVEL,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> Bound:
    """Return the bound for tables x (n, p) and y (n, q), whose rows are independent draws.

    Each fold of the rows judges critics that the other folds have fitted, and its mean is at most the MI whatever
    those are. The bound is the mean over folds less a margin, and never below 0. The margin joins a normal quantile of
    the standard error with what rows may cost that are too rare to be among n: up to −log(1 − level) / n of all rows,
    each as low as a term can be. (If y is a copy of x with rare errors, a sample without errors has no spread at all.)
    """
    seed, *seeds = draw_seeds(random_state, 1 + FOLDS).tolist()
    rows = np.random.default_rng(seed).permutation(len(x))[:MAX_SAMPLES]
    rows = rows[without_copies(np.hstack([x[rows], y[rows]]))]
    if len(rows) < MIN_SAMPLES:
        return Bound(0.0, 0.0, 0.0)
    folds = np.array_split(rows, FOLDS)
    jobs = [(x, y, np.concatenate(folds[:k] + folds[k + 1 :]), folds[k], seeds[k]) for k in range(FOLDS)]
    # Linear algebra on one thread for each of ours: its sums must not depend on n_jobs.
    with one_blas_thread():
        means, variances = np.transpose(run(judge_fold, jobs, n_jobs=n_jobs, label="certificate", verbose=verbose))
    mean, error = float(means.mean()), math.sqrt(variances.sum()) / FOLDS
    unseen = -math.log(1 - level) / len(rows) * (mean - math.log(GUESS))
    return Bound(max(0.0, mean - math.hypot(float(norm.ppf(level)) * error, unseen)), mean, error)


def without_copies(joint: np.ndarray) -> np.ndarray:
    """Return the rows of joint (n, d) to use, ascending: all, or one of each kind if repeats cannot be draws.

    Where a column has no ties but those of rows that repeat as a whole, independent draws would not repeat at all: a
    critic would know judged rows by their copies. But a few rows that repeat again and again, such as rows of zeros,
    are atoms of the distribution: without them the bound would be that of another one.
    """
    _, first, counts = np.unique(joint, axis=0, return_index=True, return_counts=True)
    first.sort()
    repeated = counts[counts > 1]
    if repeated.size == 0 or repeated.mean() >= REPEATS_OF_ATOMS:
        return np.arange(len(joint))
    ordered = np.sort(joint[first], axis=0)
    untied = (ordered[1:] > ordered[:-1]).all(axis=0)
    return first if untied.any() else np.arange(len(joint))


def judge_fold(x: np.ndarray, y: np.ndarray, fitted: np.ndarray, judged: np.ndarray, seed: int) -> tuple[float, float]:
    """Return InfoNCE, and its variance, of the judged rows, by critics and weights that know the fitted rows alone."""
    known, asked = (x[fitted], y[fitted]), (x[judged], y[judged])
    varying = [side.min(axis=0) < side.max(axis=0) for side in known]
    if not all(one.any() for one in varying):
        return 0.0, 0.0
    known_x, known_y = (side[:, one] for side, one in zip(known, varying, strict=True))
    asked_x, asked_y = (side[:, one] for side, one in zip(asked, varying, strict=True))
    plan, rng = make_plan(scores_among(known_x, known_x), scores_among(known_y, known_y)), np.random.default_rng(seed)
    parts = np.array_split(np.arange(len(fitted)), INNER_FOLDS)
    trials = []
    for k, part in enumerate(parts):
        others, part = np.concatenate(parts[:k] + parts[k + 1 :]), part[:MAX_JUDGED]
        trials.append(opinions(known_x[others], known_y[others], known_x[part], known_y[part], plan, rng))
    weights = fit_weights(trials)
    return infonce(np.tensordot(weights, opinions(known_x, known_y, asked_x, asked_y, plan, rng), 1))


def opinions(
    known_x: np.ndarray,
    known_y: np.ndarray,
    asked_x: np.ndarray,
    asked_y: np.ndarray,
    plan: Plan,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return what critics fitted on known rows say of all pairs of N other rows, (c, N, N)."""
    critic = fit_critics(scores_among(known_x, known_x), scores_among(known_y, known_y), plan, rng)
    return critic(scores_among(known_x, asked_x), scores_among(known_y, asked_y))


def fit_weights(trials: list[np.ndarray]) -> np.ndarray:
    """Return the weights ≥ 0 of critics, (c,), that tell best which y belongs to each x, from opinions (c, N, N).

    Conditional logistic regression, so the problem is concave.
    """
    count = len(trials[0])
    own = np.mean([np.einsum("cii->c", values, dtype=float) / values.shape[1] for values in trials], axis=0)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = PENALTY * weights @ weights - weights @ own, 2 * PENALTY * weights - own
        for values in trials:
            joined = np.tensordot(weights.astype(np.float32), values, 1)
            top = joined.max(axis=1)
            shares = np.exp(joined - top[:, None])
            total = shares.sum(axis=1)
            shares /= (total * (len(total) * len(trials)))[:, None]
            value += float(np.mean(top + np.log(total), dtype=float)) / len(trials)
            gradient = gradient + values.reshape(count, -1) @ shares.ravel()
        return value, gradient

    start, limits = np.full(count, 0.5 / count), [(0.0, MAX_WEIGHT)] * count
    options = {"ftol": 1e-6, "gtol": 1e-4}  # as far as float32 goes
    weights: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=limits, options=options).x
    return weights


def infonce(values: np.ndarray) -> tuple[float, float]:
    """Return InfoNCE of a critic's values (N, N), the true pairs on the diagonal, and its jackknife variance.

    The bound holds for any shares that a critic gives to the candidates y_j of an x_i, so also for a mixture with equal
    shares. Leaving out a row takes away its own term and, from all other terms, its y: rows share their candidates, so
    the spread of the terms alone would be too small.
    """
    n, values = len(values), values.astype(float)
    shares = np.exp(values - logsumexp(values, axis=1)[:, None])
    own = np.diagonal(shares)
    terms = np.log((1 - GUESS) * own + GUESS / n)
    remaining = 1 - np.minimum(shares, CERTAIN)  # for i, of all candidates but r
    others = np.log((1 - GUESS) * own[:, None] / remaining + GUESS / (n - 1))
    np.fill_diagonal(others, 0)
    without = others.sum(axis=0) / (n - 1)
    return float(terms.mean() + math.log(n)), float((n - 1) * without.var())
