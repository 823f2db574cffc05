"""What auto answers given Z: the MI of what Z leaves of one side with what it leaves of the other, and Z.

I(X; Y | Z) = I(X; Y, Z) − I(X; Z), and X may be replaced by residuals, which only Z is needed to undo. Then the second
term is about 0, and the result is not a difference of two large numbers. Z stays on the other side, since what X and Y
share may be visible only together with Z, as with a product.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2, norm, rankdata
from scipy.stats import t as student

from infold.parallel.scheduler import one_blas_thread

from ..knn.discrete import is_discrete, local_discrete, row_codes
from ..knn.information import CONDITIONAL
from ..knn.versions import comparable_blocks, information_of_versions
from ..random import draw_seeds
from .choice import ALPHA_DEPENDENT, Answer, adapt, zero
from .labels import has_common_labels
from .looks import Candidate
from .neighbors import mean_error
from .null_given import neighbors_of_test, unconfounded
from .residuals import Known, as_smooth_columns, is_smooth, residuals
from .screen import either

Masks = tuple[np.ndarray, np.ndarray, np.ndarray]  # which columns of x, y and z are nominal

GIVEN = "given Z"
DRAWS = 50  # of a test: enough for a mean and a standard deviation


class Difference(NamedTuple):
    """I(A; B, Z) − I(A; Z): local values, the p-value of 0, and the first answer."""

    local: np.ndarray
    pvalue: float
    first: Answer
    direct: bool  # whether the second term is 0


def adapt_given(
    x: np.ndarray,
    y: np.ndarray,
    z: np.ndarray,
    n_neighbors: int,
    random_state: Any,
    *,
    nominal: Masks,
    n_jobs: int | None,
    verbose: int = 0,
) -> Answer:
    """Return auto's answer about x (n, p) and y (n, q) given z (n, r), of which no column is constant.

    Rows with rare labels in z count as 0: what z tells of x and y there cannot be learned, and would seem shared.
    """
    columns = np.hstack([x, y, z]).T
    if is_discrete(columns, np.concatenate(nominal)):
        return _of_tables(columns, [side.shape[1] for side in (x, y, z)])
    seed = int(draw_seeds(random_state, 1)[0])
    known_label = has_common_labels(z, nominal[2])
    if not known_label.all():
        of_x, of_y, of_z = (side[known_label] for side in (x, y, z))
        if not (known_label.any() and all(np.ptp(side, axis=0).any() for side in (of_x, of_y))):
            return zero(len(x), 1.0, "labels of Z are rare: too few rows share one")
        answer = adapt_given(of_x, of_y, of_z, n_neighbors, seed, nominal=nominal, n_jobs=n_jobs, verbose=verbose)
        return _with_rare_rows_as_zero(answer, known_label)

    def differences(rows: np.ndarray) -> tuple[Difference, Difference]:
        """Return the differences both ways, of some rows."""
        sides, masks = zip(
            *(_varying(side[rows], mask) for side, mask in zip((x, y, z), nominal, strict=True)), strict=True
        )
        rng = np.random.default_rng(seed)
        with one_blas_thread():
            known = Known(as_smooth_columns(sides[2], masks[2], tied_scores), rng)
            a, b = [without_z(side, mask, known, rng) for side, mask in zip(sides[:2], masks[:2], strict=True)]

        def mi(one: np.ndarray, other: np.ndarray, of_one: np.ndarray, of_other: np.ndarray) -> Answer:
            kinds = of_one, of_other
            return adapt(one, other, n_neighbors, seed, nominal=kinds, n_jobs=n_jobs, verbose=verbose)

        def difference(one: np.ndarray, other: np.ndarray, of_one: np.ndarray, of_other: np.ndarray) -> Difference:
            both, of_both = np.hstack([other, sides[2]]), np.concatenate([of_other, masks[2]])
            first, second = mi(one, both, of_one, of_both), mi(one, sides[2], of_one, masks[2])
            if second.taken.mi == 0:
                return Difference(first.local - _same_look(first, second), first.pvalue, first, direct=True)
            local = first.local - second.local
            error = mean_error(local)
            pvalue = float(norm.sf(local.mean() / error)) if error > 0 else 1.0
            return Difference(local, pvalue, first, direct=False)

        return difference(a, b, *masks[:2]), difference(b, a, masks[1], masks[0])

    def refit(of_x: np.ndarray, of_y: np.ndarray) -> float:
        if not all(_varying(side[of_x], mask)[0].size for side, mask in zip((x, y), nominal, strict=False)):
            return math.nan
        return float(np.mean([part.local.mean() for part in differences(of_x)]))

    n = len(x)
    parts = differences(np.arange(n))
    pvalue = float(either(min(part.pvalue for part in parts), 2))
    if pvalue >= ALPHA_DEPENDENT and not all(part.direct for part in parts):
        # A difference of two noisy terms hides what a test of what Z leaves on both sides may still see.
        pvalue = float(either(min(pvalue, _pvalue_of_draws(x, y, z, nominal, seed, n_jobs)), 2))
    candidates = tuple(c for part in parts for c in part.first.candidates)
    if pvalue >= ALPHA_DEPENDENT:
        return zero(n, pvalue, f"no test tells X and Y from independent given Z (p = {pvalue:.2g})", candidates)
    local = np.mean([part.local for part in parts], axis=0)
    mi = max(float(local.mean()), 0.0)
    local = local - local.mean() + mi
    views = " and ".join(dict.fromkeys(part.first.taken.name for part in parts if part.first.taken.mi))
    linear = min(mi, float(np.mean([part.first.taken.linear for part in parts])))
    taken = Candidate(GIVEN, views, mi, mean_error(local), linear, local=local, refit=refit)
    used_x, used_y = (np.arange(side.shape[1]) for side in (x, y))
    reason = "the MI of what Z leaves of one side with what it leaves of the other, and Z; the mean of both ways"
    return Answer(local, taken, pvalue, reason, (used_x, used_y), candidates, len(columns))


def _pvalue_of_draws(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, nominal: Masks, seed: int, n_jobs: int | None
) -> float:
    """Return the p-value of the test given Z, by the mean and deviation of a few draws of Y."""
    with one_blas_thread():
        found = unconfounded(x, y, z, nominal, seed)
        drawn = found.draw(draw_seeds(seed, DRAWS))
    masks = [nominal[0] & ~found.x.taken_off, nominal[1] & ~found.y.taken_off, nominal[2]]
    blocks = comparable_blocks(found.x.values.T, found.y.values.T, z.T, masks, found.y.redraws)
    versions = blocks.of_version(np.concatenate([found.y.values.T[None], drawn]))
    k = neighbors_of_test(len(x))
    own, *null = information_of_versions(blocks.x, blocks.z, versions, k, far=blocks.far, n_jobs=n_jobs)
    error = float(np.std(null, ddof=1)) * math.sqrt(1 + 1 / DRAWS)
    return float(student.sf((own - np.mean(null)) / error, DRAWS - 1)) if error > 0 else 1.0


def _with_rare_rows_as_zero(answer: Answer, kept: np.ndarray) -> Answer:
    """Return an answer about some of the rows as one about all, in which the others contribute 0."""
    local, share = np.zeros(kept.size), float(kept.mean())
    local[kept] = answer.local
    was = answer.taken
    taken = replace(
        was,
        mi=was.mi * share,
        linear=was.linear * share,
        standard_error=was.standard_error * share,
        local=local,
        refit=None,
    )
    return answer._replace(
        local=local, taken=taken, reason=f"{answer.reason}; rows whose label of Z is rare count as 0"
    )


def _same_look(first: Answer, second: Answer) -> np.ndarray | float:
    """Return the local values of the second question by the look chosen for the first; 0 if there are none.

    Even if dependence on Z alone is not proven, it is in the first answer: the same look errs in the same way on both.
    """
    same = [c for c in second.candidates if c.name == first.taken.name and c.mi > c.linear]
    return same[0].local if same and same[0].local is not None else 0.0


def _varying(table: np.ndarray, nominal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that are not constant, and which of them are nominal: among fewer rows some may be."""
    varies = table.min(axis=0) < table.max(axis=0)
    return table[:, varies], nominal[varies]


def tied_scores(table: np.ndarray) -> np.ndarray:
    """Return normal scores of the columns by average ranks: of equal rows of Z the same must be known."""
    return np.asarray(ndtri(rankdata(table, axis=0) / (len(table) + 1)))


def without_z(side: np.ndarray, nominal: np.ndarray, known: Known, rng: np.random.Generator) -> np.ndarray:
    """Return the columns of a side, continuous ones minus what `known` predicts of them."""
    smooth, out = is_smooth(side, nominal), side.copy()
    if smooth.any():
        out[:, smooth] = residuals(side[:, smooth], known, rng).residuals
    return out


def _of_tables(columns: np.ndarray, sizes: list[int]) -> Answer:
    """Return the answer from counts of equal rows; the test is the G-test within each value of Z."""
    n, (p, q, _) = columns.shape[1], sizes
    plain = local_discrete(columns, sizes, CONDITIONAL, "none")
    local = local_discrete(columns, sizes, CONDITIONAL, "miller-madow")
    x, y, z = (row_codes(part) for part in np.split(columns, [p, p + q]))
    degrees = sum(
        (np.unique(x[z == value]).size - 1) * (np.unique(y[z == value]).size - 1) for value in range(z.max() + 1)
    )
    pvalue = float(chi2.sf(2 * n * plain.mean(), degrees)) if degrees else 1.0
    if pvalue >= ALPHA_DEPENDENT or local.mean() <= 0:
        return zero(n, pvalue, f"no test tells X and Y from independent given Z (p = {pvalue:.2g})", error=0.0)
    taken = Candidate(GIVEN, "counts", float(local.mean()), mean_error(local), local=local)
    return Answer(local, taken, pvalue, "counts of equal rows", (np.arange(p), np.arange(q)), (taken,), len(columns))
