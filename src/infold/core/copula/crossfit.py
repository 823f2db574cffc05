"""Free looks: KSG on the columns, and on coordinates learned on rows other than those that are judged.

There is no guide, and nothing is added: by the data processing inequality no coordinates have more MI than the columns,
and what was overfitted to some rows carries no information about others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import run

from ..knn.discrete import row_codes
from .contingency import contingency_local
from .coordinates import curved, draw_centres, ridge_cca
from .labels import Origin
from .neighbors import Tables, judged_local, mean_error, stretched
from .scores import tied_ranks
from .screen import telling_lengths

FOLDS, MORE_FOLDS, SMALL = 5, 10, 1000  # up to so many rows there are more folds: each row to learn from counts
MOST_FIT, MOST_JUDGED = 5000, 5000  # rows to learn from, and rows to judge: more would cost time, and change little
COUNTS = (1, 4, 9)  # learned coordinates per side
MOST_COLUMNS = 6  # per side: with more columns, KSG is biased upwards where they share a scale
MOST_AMONG = 20_000  # rows that learned coordinates are judged among: in nine dimensions all of 100,000 take minutes
RIDGE = 0.1  # relative to variances of 1: features of a few hundred rows are noisy
WIDER = 2, 4  # times as many neighbours, to see what KSG loses by the width of neighbourhoods
SURELY_LOSES, SURELY_SHARPER = 2.0, 3.0  # standard errors of the difference
STILL_GROWS = 0.5  # what a further neighbour costs, of what a near one does: 1 where smooth, .8 if losses grow as √k


Parts = list[tuple[Tables, np.ndarray, int | None]]  # tables, the rows to judge by them, and among how many


class FreeLook(NamedTuple):
    """KSG on the leading learned coordinates of either side, or on the columns themselves."""

    n_coordinates: int | None = None

    @property
    def name(self) -> str:
        """ "columns", "bumps 4" …"""
        return f"bumps {self.n_coordinates}" if self.n_coordinates else "columns"


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


def regained(single: np.ndarray, usual: np.ndarray, wider: np.ndarray, widest: np.ndarray, k: int) -> np.ndarray:
    """Return local values, adding back what KSG surely loses by the width of neighbourhoods.

    `usual` has k neighbours, `wider` and `widest` two and four times as many, and `single` has one. The loss grows in
    proportion to their number where densities are smooth, and more slowly at edges, so a line through two of them, down
    to no neighbours, does not overshoot. Where it grows faster, or hardly any more, or where a single neighbour surely
    shows less than that line, neighbourhoods have become larger than clusters, and nothing is given back.
    """

    def surely_positive(values: np.ndarray) -> bool:
        return bool(values.mean() > SURELY_LOSES * mean_error(values))

    near, far = ((usual - wide) / (times - 1) for times, wide in zip(WIDER, (wider, widest), strict=True))
    lost = near if near.mean() < far.mean() else far
    short = lost - k / max(k - 1, 1) * (single - usual)
    outgrown = surely_positive(far - near) or far.mean() < STILL_GROWS * near.mean() or surely_positive(short)
    return usual + lost if surely_positive(far) and not outgrown else usual


def free_looks(origins: tuple[Origin, Origin]) -> list[FreeLook]:
    """Return the looks at two sides.

    With one column per side the columns are all there is to see; of many columns, only coordinates are looked at. Of a
    label, as many coordinates of the other side as tell all labels apart are one more look. Labels on both sides are
    counted, however many columns they are.
    """
    n_columns, n_labels = [origin.n_columns for origin in origins], [int(o.label.sum()) for o in origins if o.all_label]
    looks = [FreeLook()] if max(n_columns) <= MOST_COLUMNS or len(n_labels) == 2 else []
    if sum(n_columns) > 2:
        most = min([max(COUNTS), *n_labels])
        looks += [FreeLook(count) for count in sorted({*COUNTS, most}) if count <= most]
    return looks


def bump_coordinates(
    a: np.ndarray, b: np.ndarray, lengths: Sequence[np.ndarray], origins: tuple[Origin, Origin], split: Split, seed: int
) -> dict[FreeLook, Tables]:
    """Return coordinates of all rows, learned from bumps around some, for each look; a label is kept as it is.

    `lengths` are further features of either side.
    """
    centres = draw_centres(split.fit, np.random.default_rng(seed))
    is_label = [origin.all_label and origin.n_columns == 1 for origin in origins]
    features = [
        side if label else np.hstack([curved(side, centres), more])
        for side, more, label in zip((a, b), lengths, is_label, strict=True)
    ]
    maps = ridge_cca(features[0][split.fit], features[1][split.fit], max(COUNTS), RIDGE)
    u, v = (one(side) for one, side in zip(maps, features, strict=True))
    return {
        look: (a if is_label[0] else u[:, : look.n_coordinates], b if is_label[1] else v[:, : look.n_coordinates])
        for look in free_looks(origins)
        if look.n_coordinates
    }


def free_locals(
    looks: Sequence[FreeLook],
    a: np.ndarray,
    b: np.ndarray,
    origins: tuple[Origin, Origin],
    splits: Sequence[Split],
    k: int,
    seed: int,
    *,
    n_jobs: int | None,
    verbose: int = 0,
) -> list[np.ndarray]:
    """Return the local values of some looks at a (n, p) and b (n, q); NaN for rows not judged.

    What KSG loses by the width of neighbourhoods is added back to the look with the largest estimate, or a single
    neighbour is used there.
    """
    if looks and looks[0] == FreeLook() and all(origin.all_label for origin in origins):
        codes = [row_codes(tied_ranks(side).T) for side in (a, b)]
        others = free_locals(looks[1:], a, b, origins, splits, k, seed, n_jobs=n_jobs, verbose=verbose)
        return [contingency_local(codes[0], codes[1], seed), *others]
    judged = np.concatenate([split.use for split in splits])
    views: dict[FreeLook, Parts] = {}
    if FreeLook() in looks:
        views[FreeLook()] = [(stretched((a, b), k), judged, None)]
    if any(look.n_coordinates for look in looks):
        lengths = telling_lengths(a, b)
        tasks = [(a, b, lengths, origins, split, seed) for split in splits]
        learned = run(bump_coordinates, tasks, n_jobs=n_jobs, label="coordinates", verbose=verbose)
        for look in (look for look in looks if look.n_coordinates):
            views[look] = [(part[look], split.use, MOST_AMONG) for part, split in zip(learned, splits, strict=True)]

    def judge(views: Sequence[Parts], ks: Sequence[int]) -> list[np.ndarray]:
        tasks = [(tables, rows, one, most) for parts in views for one in ks for tables, rows, most in parts]
        values = iter(run(judged_local, tasks, n_jobs=n_jobs, label="looks", verbose=verbose))
        return [np.concatenate([next(values) for _ in parts]) for parts in views for _ in ks]

    found = judge([views[look] for look in looks], [k])
    rows = min(rows_per_label(side[:, origin.label]) for side, origin in zip((a, b), origins, strict=True))
    if found and rows >= 2 * max(WIDER) * k:  # a label with few rows has no others: no loss by the width
        most = int(np.argmax([values.mean() for values in found]))
        wider, widest, single = judge([views[looks[most]]], [*(times * k for times in WIDER), 1])
        found[most] = regained(single, found[most], wider, widest, k)
        more = np.where(repeats(a, b)[judged], 0.0, single - found[most])
        if more.mean() > SURELY_SHARPER * mean_error(more):  # of very fine structure, three neighbours are too wide
            found[most] = found[most] + more
    local = np.full((len(looks), len(a)), np.nan)
    for i, values in enumerate(found):
        local[i, judged] = values
    return list(local)


def repeats(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return which rows (n,) are copies of another: a copy's nearest neighbour is itself, which is uninformative."""
    codes = row_codes(tied_ranks(np.hstack([a, b])).T)
    return np.bincount(codes)[codes] > 1


def rows_per_label(labels: np.ndarray) -> float:
    """Return how many rows have the same labels (n, m) as a row, on average over the rows."""
    counts = np.bincount(row_codes(tied_ranks(labels).T)) if labels.shape[1] else np.array([len(labels)])
    return float((counts**2).sum() / counts.sum())
