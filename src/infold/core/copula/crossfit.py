"""Free looks: KSG on the columns, and on coordinates learned on other rows than those that are judged.

There is no guide, and nothing is added: by the data processing inequality no coordinates have more MI than the columns,
and what was overfitted to some rows says nothing about others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import run

from .blocks import apart
from .coordinates import curved, draw_centres, ridge_cca, turned
from .neighbors import Tables, judged_local, mean_error

FOLDS = 5
MOST_FIT, MOST_JUDGED = 5000, 5000  # rows to learn from, and rows to judge: more would cost time, and change little
BUMP_COUNTS, TURNED_COUNTS = (1, 4, 9), (1, 2, 3)  # coordinates per side
MOST_COLUMNS = 9  # per side: in more columns, KSG comes out high where they share a scale
BUMP_RIDGE, TURNED_RIDGE_ROWS = 0.1, 5  # beside variances of 1; as the weight of so many rows
SHARP, FEW_ROWS = 1, 5000  # where MI is high, KSG loses about .1 nat for each further neighbour; less with many rows
SURELY_SHARPER = 3.0  # standard errors of the difference


class Split(NamedTuple):
    """Rows to learn from, and other rows to judge, in random order."""

    fit: np.ndarray
    use: np.ndarray


def deal(n: int, rng: np.random.Generator) -> list[Split]:
    """Return splits of n rows; each row is judged at most once."""
    parts = np.array_split(rng.permutation(n), FOLDS)
    splits = []
    for i, part in enumerate(parts):
        others = rng.permutation(np.concatenate(parts[:i] + parts[i + 1 :]))
        splits.append(Split(others[:MOST_FIT], part[: MOST_JUDGED // FOLDS]))
    return splits


def sharpest(usual: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """Return the local values with one neighbour if they surely say more than the usual ones, else the latter."""
    more = sharp - usual
    return sharp if more.mean() > SURELY_SHARPER * mean_error(more) else usual


def learned_locals(
    a: np.ndarray, b: np.ndarray, squared: Tables, split: Split, ks: Sequence[int], seed: int
) -> dict[str, np.ndarray]:
    """Return local values (ks, rows judged) on learned coordinates, by the look's name.

    `squared` are the squared radii that turned columns turn with. Turned coordinates that do not depend on each other,
    on one side at least, are looked at one by one: KSG loses nothing to their number, and their MI is a sum.
    """
    centres = draw_centres(split.fit, np.random.default_rng(seed))
    found = {}
    for kind, counts, features, ridge in (
        ("bumps", BUMP_COUNTS, (curved(a, centres), curved(b, centres)), BUMP_RIDGE),
        ("turned", TURNED_COUNTS, (turned(a, squared[0]), turned(b, squared[1])), TURNED_RIDGE_ROWS / len(a)),
    ):
        maps = ridge_cca(features[0][split.fit], features[1][split.fit], max(counts), ridge)
        u, v = (one(side) for one, side in zip(maps, features, strict=True))
        for count in counts:
            if count > min(u.shape[1], v.shape[1]):
                break
            groups = [list(range(count))]
            if kind == "turned":
                groups = apart([(u[split.fit, i : i + 1], v[split.fit, i : i + 1]) for i in range(count)])
            found[f"{kind} {count}"] = np.array(
                [sum(judged_local((u[:, g], v[:, g]), split.use, k) for g in groups) for k in ks]
            )
    return found


def free_locals(
    a: np.ndarray,
    b: np.ndarray,
    squared: Tables,
    splits: Sequence[Split],
    k: int,
    seed: int,
    *,
    n_jobs: int | None,
    verbose: int = 0,
) -> dict[str, np.ndarray]:
    """Return the local values of every free look at a (n, p) and b (n, q), by its name; NaN for rows not judged.

    With one column per side the columns are all there is to see; of many columns, only coordinates are looked at.
    """
    ks = (k, SHARP) if len(a) <= FEW_ROWS else (k,)
    judged = np.concatenate([split.use for split in splits])
    found = {}
    if max(a.shape[1], b.shape[1]) <= MOST_COLUMNS:
        found["columns"] = np.array([judged_local((a, b), judged, one) for one in ks])
    if a.shape[1] + b.shape[1] > 2:
        tasks = [(a, b, squared, split, ks, seed) for split in splits]
        parts = run(learned_locals, tasks, n_jobs=n_jobs, label="looks", verbose=verbose)
        found |= {name: np.hstack([part[name] for part in parts]) for name in parts[0]}
    local = {}
    for name, by_k in found.items():
        local[name] = np.full(len(a), np.nan)
        local[name][judged] = sharpest(by_k[0], by_k[-1])
    return local
