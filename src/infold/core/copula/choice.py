"""What auto answers: the best of looks at all columns, at screened ones, at blocks of them, and along directions.

Exactly 0 where no test tells the two sides from independent ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student_t

from infold.parallel.scheduler import one_blas_thread, run

from ..knn.discrete import is_discrete, row_codes
from ..random import draw_seeds
from .blocks import Block, partitions, share_counted_twice
from .crossfit import deal
from .directions import ROWS_PER_COLUMN as ROWS_PER_DIRECTION
from .directions import Side, direction_locals
from .gaussian import canonical_pairs, dense_part, pairing_test, shrunk
from .labels import Origin, label_entropy, with_indicators
from .looks import (
    AS_MUCH_AGAIN,
    Candidate,
    Evidence,
    Rows,
    Setting,
    best,
    free_candidate,
    free_evidence,
    look,
    most_refutable,
)
from .scores import Scores, copula_columns, even_scores
from .screen import either, lengths_pvalue, screen_columns
from .surrogates import MAX_SURROGATES

ALPHA_DEPENDENT = 1e-3  # chance to call independent data dependent; below it the answer is 0
ROWS_PER_COLUMN = 3  # canonical correlations of more than n / 3 columns are mostly noise
WIDE_MARGIN = 2.0  # noises by which the Gaussian part of more columns than that must exceed the answer
SURE_DIRECTIONS = 2.0  # standard errors; other looks are handicapped by one
MAX_BLOCKS = 40  # so many looks are worth their time
N_PAIRINGS = 20
BIAS_FACTOR = 1.5  # what n rows still miss, relative to what they gain over n / 2
HIDDEN = 0.3  # nats to add to an answer before its missed share is taken: little or nothing found may hide as much

ALL, SCREENED, NONE = "all", "screened", "none"

Found = list[tuple[Candidate, Block]]
Labelled = tuple[np.ndarray, Origin]  # the columns of a side, nominal ones as indicators


class Answer(NamedTuple):
    """What auto answers, and why."""

    local: np.ndarray  # (n,): their mean is the estimate
    taken: Candidate
    pvalue: float  # of independence, all tests together
    reason: str
    columns: Block  # numbers of the columns of x and of y that it rests on
    candidates: tuple[Candidate, ...]
    n_columns: int  # examined, on both sides


def zero(
    n: int,
    pvalue: float,
    reason: str,
    candidates: Sequence[Candidate] = (),
    error: float = math.nan,
    n_columns: int = 0,
) -> Answer:
    """Answer that nothing tells the two sides from independent ones; without candidates the error is unknown."""
    error = max((c.standard_error for c in candidates), default=error)
    none, taken = np.array([], dtype=np.intp), Candidate(NONE, NONE, 0.0, error, missed=AS_MUCH_AGAIN)
    return Answer(np.zeros(n), taken, pvalue, reason, (none, none), tuple(candidates), n_columns)


def adapt(
    x: np.ndarray,
    y: np.ndarray,
    n_neighbors: int,
    random_state: Any,
    *,
    nominal: tuple[np.ndarray, np.ndarray] | None = None,
    n_jobs: int | None,
    verbose: int = 0,
) -> Answer:
    """Return auto's answer about x (n, p) and y (n, q), of which no column is constant.

    `nominal` says which columns of x and of y are nominal.
    """
    if not (x.size and y.size):
        return zero(len(x), 1.0, "a side has no column that varies", error=0.0)
    most = min(side_entropy(x), side_entropy(y))
    mask_x, mask_y = nominal or (None, None)
    if is_discrete(np.hstack([x, y]).T, None):  # many rows for each combination of values: counts tell all
        mask_x, mask_y = np.ones(x.shape[1], bool), np.ones(y.shape[1], bool)
    side_x, side_y = with_indicators(x, mask_x), with_indicators(y, mask_y)
    if not (side_x[0].size and side_y[0].size):
        return zero(len(x), 1.0, "all labels are rare")
    # One thread of BLAS for each of ours: matrices are small, and its sums must not depend on n_jobs.
    with one_blas_thread():
        return _adapt(side_x, side_y, most, n_neighbors, random_state, n_jobs, verbose)


def bias_error(answer: Answer, random_state: Any, n_jobs: int | None) -> float:
    """Return the standard error of the answer with its bias: n rows may still miss as much as they gain over n / 2.

    The chosen look is repeated on two halves of the rows. With several columns, some dependence is invisible at any
    realistic number of rows: the share of the answer that such looks miss, by experience, accounts for it.
    """
    refit, n, taken = answer.taken.refit, len(answer.local), answer.taken
    missed = taken.missed * (taken.mi + HIDDEN) if answer.n_columns > 2 else 0.0
    drift = 0.0
    if refit is not None:
        halves = np.array_split(np.random.default_rng(draw_seeds(random_state, 1)[0]).permutation(n), 2)
        with one_blas_thread():
            again = run(refit, [(half, half) for half in halves], n_jobs=n_jobs, label="halves", verbose=0)
        drift = taken.mi - sum(max(mi, 0.0) for mi in again) / 2
    return math.hypot(taken.standard_error, missed, 0.0 if math.isnan(drift) else BIAS_FACTOR * drift)


def _adapt(
    side_x: Labelled,
    side_y: Labelled,
    most_nats: float,
    n_neighbors: int,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
) -> Answer:
    (x, origin_x), (y, origin_y) = side_x, side_y
    n = len(x)
    most = n // (2 * ROWS_PER_COLUMN)  # columns per side that a joint look can bear
    if most == 0:
        return zero(n, 1.0, f"{n} rows show nothing at the level {ALPHA_DEPENDENT:g}")
    seed, *seeds = (int(s) for s in draw_seeds(random_state, 1 + MAX_SURROGATES))
    rng = np.random.default_rng(seed)
    (a, kept_x), (b, kept_y) = copula_columns(x, rng), copula_columns(y, rng)
    even = even_scores(x[:, kept_x], rng), even_scores(y[:, kept_y], rng)
    scores = Scores(a, b, *even, origin_x.take(kept_x), origin_y.take(kept_y))
    setting = Setting(n_neighbors, deal(n, rng), seeds, n_jobs, verbose)
    screen = screen_columns(*even, most, (scores.origin_x.label, scores.origin_y.label))
    screen = screen._replace(x=scores.origin_x.with_siblings(screen.x), y=scores.origin_y.with_siblings(screen.y))
    every = np.arange(kept_x.size), np.arange(kept_y.size)
    wide = ROWS_PER_COLUMN * (kept_x.size + kept_y.size) > n
    lengths = 1.0 if scores.have_labels or len(kept_x) + len(kept_y) == 2 else lengths_pvalue(*even)
    weak = (0.0, 0.0) if scores.are_labels else dense_part(a, b)
    found: Found = []
    pvalues, evidence = [screen.pvalue, *([lengths] if lengths < 1 else [])], []
    if screen.x.size and screen.y.size and (wide or screen.x.size + screen.y.size < kept_x.size + kept_y.size):
        found += [(c, (screen.x, screen.y)) for c in look(SCREENED, scores, screen.x, screen.y, setting).candidates]
    if wide:
        pvalues.append(float(norm.sf(weak[0] / weak[1])) if weak[1] else 1.0)
    else:
        looks = look(ALL, scores, *every, setting)
        found += [(c, every) for c in looks.candidates]
        # Labels in random order would lose power; the test holds for any columns.
        pvalues.append(pairing_test(*canonical_pairs(*even)) if scores.have_labels else looks.gaussian.pvalue)
        evidence += looks.evidence
    along = _along_directions(scores, setting)
    pvalue = _dependence(pvalues, evidence + _evidence(along), setting.seeds, n)
    candidates = tuple(c for c, _ in found + along)
    n_columns = sum(origin.n_columns for origin in (scores.origin_x, scores.origin_y))
    if pvalue >= ALPHA_DEPENDENT:
        reason = f"no test tells it from independence (p = {pvalue:.2g})"
        return zero(n, pvalue, reason, candidates, weak[1] or math.nan, n_columns)
    found += _sums(scores, screen.x, screen.y, setting)
    taken, columns = _taken(found, along) or (Candidate(ALL, "", 0.0, 0.0, local=np.zeros(n)), every)
    found += along
    # Gaussian parts count something twice, if others did; and the columns of a label tell the same thing.
    if not any(c.overcount for c, _ in found) and not (scores.one_is_label and taken.mi):
        taken, columns = _with_weak_columns(taken, columns, weak, wide, every)
    if taken.linear == 0:  # directions have no Gaussian part of their own
        taken = replace(taken, linear=min(max((c.linear for c, _ in found), default=0.0), taken.mi))
    taken = _capped(taken, most_nats)
    candidates = tuple(c for c, _ in found)
    reason = f"the largest estimate less its standard error, of {len(candidates)}"
    assert taken.local is not None
    origins = scores.origin_x, scores.origin_y
    used = tuple(np.unique(origin.owner[some]) for origin, some in zip(origins, columns, strict=True))
    return Answer(taken.local, taken, pvalue, reason, (used[0], used[1]), candidates, n_columns)


def _evidence(along: Found) -> list[Evidence]:
    return [free_evidence(c.mi, c.standard_error, c.refit) for c, _ in along if c.refit is not None]


def _dependence(pvalues: Sequence[float], evidence: Sequence[Evidence], seeds: Sequence[int], n: int) -> float:
    """Return the p-value of independence, all tests together.

    The tests' laws are exact or conservative. Looks' are not: sides of odd shapes, such as columns that share a scale,
    can move KSG although they are independent. If looks alone speak for dependence, the strongest is repeated on rows
    that are paired at random.
    """
    n_tests = len(pvalues) + len(evidence)
    sure = float(either(min(pvalues), n_tests))
    if not evidence:
        return sure
    strongest = min(evidence, key=lambda e: e.pvalue)
    pvalue = min(sure, float(either(strongest.pvalue, n_tests)))
    if pvalue < ALPHA_DEPENDENT <= sure:
        rows = np.arange(n)
        orders = [np.random.default_rng(seed).permutation(n) for seed in seeds[:N_PAIRINGS]]
        null = np.array([strongest.refit(rows, order) for order in orders])
        spread = float(null.std(ddof=1)) * math.sqrt(1 + 1 / null.size)
        above = strongest.refit(rows, rows) - null.mean()
        pvalue = max(pvalue, float(student_t.sf(above / spread, null.size - 1))) if spread > 0 else 1.0
    return pvalue


def _along_directions(scores: Scores, setting: Setting) -> Found:
    """Return a candidate for the directions of each side."""
    found: Found = []
    sides = [name for name, origin in (("X", scores.origin_x), ("Y", scores.origin_y)) if not origin.all_label]
    for side, answer in zip(sides, _directions(scores, setting, sides), strict=True):
        if answer is None:
            continue
        local, responses = answer
        turned = np.arange((scores.origin_x if side == "X" else scores.origin_y).label.size)

        def refit(of_x: Rows, of_y: Rows, side: str = side, turned: np.ndarray = turned) -> float:
            [answer] = _directions(scores.rows(of_x, of_y), setting.of(len(of_x)), [side])
            if answer is None:  # nothing is found, or nothing can be: the rows are too few for the columns
                return 0.0 if turned.size * ROWS_PER_DIRECTION <= len(of_x) else math.nan
            return min(float(np.nanmean(answer[0])), most_refutable(len(of_x)))

        block = (turned, responses) if side == "X" else (responses, turned)
        name, view = f"directions of {side}", f"{responses.size} columns"
        candidate = free_candidate(name, view, local, refit, missed=AS_MUCH_AGAIN)
        found.append((_capped(candidate, most_refutable(len(local))), block))
    return found


def _directions(scores: Scores, setting: Setting, names: Sequence[str]) -> list[tuple[np.ndarray, np.ndarray] | None]:
    """Return local values along the directions of some sides, and the columns of the other that these tell of."""
    sides = {
        "X": Side(scores.x, scores.even_y, scores.origin_y.owner),
        "Y": Side(scores.y, scores.even_x, scores.origin_x.owner),
    }
    k, splits, _, n_jobs, verbose = setting
    return direction_locals([sides[name] for name in names], splits, k, n_jobs=n_jobs, verbose=verbose)


def _sums(scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, setting: Setting) -> Found:
    """Return a candidate for every partition of the screened columns into blocks that add up."""
    found: Found = []
    all_blocks = partitions(scores, columns_x, columns_y, setting.n_neighbors, setting.seeds[0])
    all_blocks = [blocks for blocks in all_blocks if len(blocks) <= MAX_BLOCKS]
    different = {_key(block): block for blocks in all_blocks for block in blocks}

    def best_look(block: Block) -> Candidate:
        return best(look("block", scores, *block, setting, guided=False).candidates)

    jobs = [(block,) for block in different.values()]
    found_in = run(best_look, jobs, n_jobs=setting.n_jobs, label="blocks", verbose=setting.verbose)
    known = dict(zip(different, found_in, strict=True))
    for blocks in all_blocks:
        parts = [known[_key(block)] for block in blocks]
        twice = sum(part.mi for part in parts) * share_counted_twice(
            [(scores.even_x[:, i], scores.even_y[:, j]) for i, j in blocks]
        )

        def refit(of_x: Rows, of_y: Rows, parts: Sequence[Candidate] = tuple(parts), twice: float = twice) -> float:
            return sum(part.refit(of_x, of_y) for part in parts if part.refit is not None) - twice

        local = np.sum([part.local for part in parts], axis=0)  # type: ignore[arg-type]
        total = Candidate(
            f"{len(blocks)} blocks",
            ", ".join(part.view for part in parts),
            sum(part.mi for part in parts) - twice,
            math.hypot(*(part.standard_error for part in parts)),
            max(sum(part.linear for part in parts) - twice, 0.0),
            twice + sum(part.overcount for part in parts),
            sum(part.missed * part.mi for part in parts) / max(sum(part.mi for part in parts), 1e-300),
            local=local - twice,
            refit=refit,
        )
        x, y = (np.sort(np.concatenate(side)) for side in zip(*blocks, strict=True))
        found.append((total, (x, y)))
    return found


def _key(block: Block) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(side.tolist()) for side in block)


def _taken(found: Found, along: Found) -> tuple[Candidate, Block] | None:
    """Return the best candidate and its columns; directions, which rest on all columns, must be the surer."""
    sure = max((c.bound(SURE_DIRECTIONS) for c, _ in along), default=-math.inf)
    if not found or sure > best([c for c, _ in found]).bound():
        found = along
    taken = best([c for c, _ in found]) if found else None
    return next(((c, block) for c, block in found if c is taken), None)


def _with_weak_columns(
    taken: Candidate, columns: Block, weak: tuple[float, float], wide: bool, every: Block
) -> tuple[Candidate, Block]:
    """Return a candidate and its columns; the excess of the Gaussian part of all columns is shrunk and added."""
    more = shrunk(weak[0] - taken.mi, weak[1], WIDE_MARGIN if wide else 1.0)
    assert taken.local is not None
    more = min(more, most_refutable(len(taken.local)) - taken.mi)
    if more <= 0:
        return taken, columns
    added = replace(
        taken,
        view=" + ".join(filter(None, (taken.view, "weak columns"))),
        mi=taken.mi + more,
        linear=taken.linear + more,
        standard_error=math.hypot(taken.standard_error, weak[1]),
        local=taken.local + more,
        refit=None,  # half of the rows would show less than half of the weak dependence
    )
    return added, every


def _capped(taken: Candidate, most: float) -> Candidate:
    """Return the candidate, with at most this many nats."""
    if taken.mi <= most:
        return taken
    assert taken.local is not None
    return replace(taken, mi=most, linear=min(taken.linear, most), local=taken.local + (most - taken.mi))


def side_entropy(table: np.ndarray) -> float:
    """Return the entropy of the rows of a discrete side, with Miller and Madow's correction; ∞ if it is not discrete.

    A side is discrete if neither a column has more distinct values than half the rows, nor the side more distinct rows.
    """
    n = len(table)
    if any(np.unique(column).size > n // 2 for column in table.T):
        return math.inf
    codes = row_codes(table.T)
    return math.inf if codes.max() >= n // 2 else label_entropy(codes)
