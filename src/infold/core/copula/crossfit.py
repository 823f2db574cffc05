"""Free looks: KSG on the columns, and on coordinates learned on rows other than those that are judged.

There is no guide, and nothing is added: by the data processing inequality no coordinates have more MI than the columns,
and what was overfitted to some rows carries no information about others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import run

from ..knn.discrete import local_discrete, row_codes
from ..knn.information import shared_spaces
from .coordinates import curved, draw_centres, ridge_cca
from .labels import Origin, label_entropy, plain
from .neighbors import Tables, judged_local, mean_error, stretched
from .scores import tied_ranks

FOLDS, MORE_FOLDS, SMALL = 5, 10, 1000  # up to so many rows there are more folds: each row to learn from counts
MOST_FIT, MOST_JUDGED = 5000, 5000  # rows to learn from, and rows to judge: more would cost time, and change little
COLUMNS = "columns"  # the look at the columns as they are
COUNTS = (1, 4, 9)  # coordinates per side
MOST_COLUMNS = 6  # per side: with more columns, KSG is biased upwards where they share a scale
N_PAIRINGS = 20  # of labels at random: their mean tells a bias to a hundredth of its spread
RIDGE = 0.1  # relative to variances of 1: features of a few hundred rows are noisy
WIDER = 2, 4  # times as many neighbours, to see what KSG loses by the width of neighbourhoods
SURELY_LOSES, SURELY_SHARPER = 2.0, 3.0  # standard errors of the difference
STILL_GROWS = 0.5  # what a further neighbour costs, of what a near one does: 1 where smooth, .8 if losses grow as √k


Look = list[tuple[Tables, np.ndarray]]  # tables, and the rows to judge by them


class Split(NamedTuple):
    """Rows to learn from, and other rows to judge, in random order."""

    fit: np.ndarray
    use: np.ndarray


def deal(n: int, rng: np.random.Generator) -> list[Split]:
    """Return splits of n rows; each row is judged at most once."""
    n_folds = MORE_FOLDS if n <= SMALL else FOLDS
    parts = np.array_split(rng.permutation(n), n_folds)
    splits = []
    for i, part in enumerate(parts):
        others = rng.permutation(np.concatenate(parts[:i] + parts[i + 1 :]))
        splits.append(Split(others[:MOST_FIT], part[: MOST_JUDGED // n_folds]))
    return splits


def regained(usual: np.ndarray, wider: np.ndarray, widest: np.ndarray) -> np.ndarray:
    """Return local values, adding back what KSG surely loses by the width of neighbourhoods.

    `wider` and `widest` have two and four times as many neighbours as `usual`. The loss grows in proportion to their
    number where densities are smooth, and more slowly at edges, so a line through two of them, down to no neighbours,
    does not overshoot. Where it grows faster, or hardly any more, neighbourhoods have become larger than clusters, and
    nothing is given back.
    """
    near, far = ((usual - wide) / (times - 1) for times, wide in zip(WIDER, (wider, widest), strict=True))
    outgrown = (far - near).mean() > SURELY_LOSES * mean_error(far - near) or far.mean() < STILL_GROWS * near.mean()
    if far.mean() > SURELY_LOSES * mean_error(far) and not outgrown:
        return usual + (near if near.mean() < far.mean() else far)
    return usual


def bump_views(a: np.ndarray, b: np.ndarray, labels: tuple[bool, bool], split: Split, seed: int) -> dict[str, Tables]:
    """Return coordinates of all rows, learned from bumps around some, by the look's name.

    `labels` says which sides are indicators alone: these are kept as they are, and so are as many coordinates of the
    other side as tell all labels apart.
    """
    centres = draw_centres(split.fit, np.random.default_rng(seed))
    features = [side if is_label else curved(side, centres) for side, is_label in zip((a, b), labels, strict=True)]
    maps = ridge_cca(features[0][split.fit], features[1][split.fit], max(COUNTS), RIDGE)
    u, v = (one(side) for one, side in zip(maps, features, strict=True))
    most = min(u.shape[1], v.shape[1])
    counts = {count for count in COUNTS if count <= most} | ({most} if any(labels) else set())
    return {f"bumps {c}": (a if labels[0] else u[:, :c], b if labels[1] else v[:, :c]) for c in sorted(counts)}


def label_local(a: np.ndarray, b: np.ndarray, seed: int) -> np.ndarray:
    """Return the local values (n,) of two sides of labels, from counts of equal rows.

    Miller and Madow's correction falls short where most combinations of labels are rare. So the answer is adjusted for
    what labels share that are paired at random (Vinh et al. 2010): nothing counts 0, and equal labels their entropy.
    Where chance alone makes half of that, the answer is 0.
    """
    codes = [row_codes(tied_ranks(side).T) for side in (a, b)]
    rng, n = np.random.default_rng(seed), len(a)

    def local(order: np.ndarray) -> np.ndarray:
        return local_discrete(np.array([codes[0], codes[1][order]]), [1, 1], shared_spaces(2), "miller-madow")

    most = min(label_entropy(side) for side in codes)
    chance = max(float(np.mean([local(rng.permutation(n)).mean() for _ in range(N_PAIRINGS)])), 0.0)
    found = local(np.arange(n))
    if chance > most / 2:
        return np.zeros(n)
    return found - found.mean() + most * (found.mean() - chance) / (most - chance)


def free_locals(
    a: np.ndarray,
    b: np.ndarray,
    splits: Sequence[Split],
    k: int,
    seed: int,
    *,
    origins: tuple[Origin, Origin] | None = None,
    only: str | None = None,
    n_jobs: int | None,
    verbose: int = 0,
) -> dict[str, np.ndarray]:
    """Return the local values of every free look at a (n, p) and b (n, q), by its name; NaN for rows not judged.

    With one column per side the columns are all there is to see; of many columns, only coordinates are looked at. What
    KSG loses by the width of neighbourhoods is added back to the look with the largest estimate, or a single neighbour
    is used there. `only` names a single look.
    """
    both = (plain(a.shape[1]), plain(b.shape[1])) if origins is None else origins
    n_columns, labels = [origin.n_columns for origin in both], tuple(bool(origin.label.all()) for origin in both)
    if all(labels):
        return {COLUMNS: label_local(a, b, seed)}
    judged = np.concatenate([split.use for split in splits])
    views: dict[str, Look] = {}
    if max(n_columns) <= MOST_COLUMNS and only in (None, COLUMNS):
        views[COLUMNS] = [(stretched((a, b), k), judged)]
    if sum(n_columns) > 2 and only != COLUMNS:
        tasks = [(a, b, labels, split, seed) for split in splits]
        parts = run(bump_views, tasks, n_jobs=n_jobs, label="coordinates", verbose=verbose)
        for name in parts[0]:
            views[name] = [(part[name], split.use) for part, split in zip(parts, splits, strict=True)]
    if only is not None:
        views = {only: views[only]}

    def judge(looks: Sequence[Look], ks: Sequence[int]) -> list[np.ndarray]:
        tasks = [(*part, one) for look in looks for one in ks for part in look]
        values = iter(run(judged_local, tasks, n_jobs=n_jobs, label="looks", verbose=verbose))
        return [np.concatenate([next(values) for _ in look]) for look in looks for _ in ks]

    found = dict(zip(views, judge(list(views.values()), [k]), strict=True))
    rows = min(rows_per_label(side[:, origin.label]) for side, origin in zip((a, b), both, strict=True))
    if rows >= 2 * max(WIDER) * k:  # among the few rows of a label, many neighbours are all: no loss by their width
        most = max(found, key=lambda name: found[name].mean())
        wider, widest, single = judge([views[most]], [*(times * k for times in WIDER), 1])
        found[most] = regained(found[most], wider, widest)
        more = np.where(repeats(a, b)[judged], 0.0, single - found[most])
        if more.mean() > SURELY_SHARPER * mean_error(more):  # of very fine structure, three neighbours are too wide
            found[most] = found[most] + more
    local = {name: np.full(len(a), np.nan) for name in found}
    for name, values in found.items():
        local[name][judged] = values
    return local


def repeats(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return which rows (n,) are copies of another: a copy's nearest neighbour is itself, which is uninformative."""
    codes = row_codes(tied_ranks(np.hstack([a, b])).T)
    return np.bincount(codes)[codes] > 1


def rows_per_label(labels: np.ndarray) -> float:
    """Return how many rows have the same labels (n, m) as a row, on average over the rows."""
    counts = np.bincount(row_codes(tied_ranks(labels).T)) if labels.shape[1] else np.array([len(labels)])
    return float((counts**2).sum() / counts.sum())
