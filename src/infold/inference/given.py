"""Tests given Z: what Z leaves of X and Y, the statistic of draws under the null, and what may be wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infold.data.question import Question
from infold.data.tables import Table
from infold.estimators import MutualInformationEstimator
from infold.parallel.scheduler import interruptible, one_blas_thread, progress_bar

from .notes import Note
from .resampling import Outcome, Settings, refit, refits

if TYPE_CHECKING:
    from infold.core.copula.null_given import Side, Unconfounded

GIVEN_METHOD = "ksg"  # what tests given Z take by default
FIRST, MOST_AT_A_TIME = 50, 200  # draws that are computed together: few at first, as a test may stop early
MOST_VALUES = 2_000_000  # of all draws at a time: 16 MB for each copy that is made of them
ALPHA_CONFOUNDED = 0.01
NEAR = 0.4  # of the distance between any two rows: beyond, rows of near Z are not near
ROUGH = 0.03  # of the error of a smooth function: so much less shows that steps or waves are there
MOST_TAKEN = 0.25  # of the degrees of freedom that taking Z off both sides may cost, if rows of near Z are not near


class LeftByZ(NamedTuple):
    """The question about what Z leaves of X and Y, and how to draw Y anew."""

    question: Question
    found: Unconfounded


def left_by_z(question: Question, seed: int, *, labels: bool = True) -> LeftByZ:
    """Return what Z leaves of X and Y; without `labels`, columns of few values stay as they are."""
    from infold.core.copula.null_given import unconfounded

    x, y, z = (np.ascontiguousarray(question.columns(block).T, np.float64) for block in ("X", "Y", "Z"))
    masks = question.nominal("X"), question.nominal("Y"), question.nominal("Z")
    found = interruptible(_on_one_thread, partial(unconfounded, labels=labels), x, y, z, masks, seed)
    masks = masks[0] & ~found.x.taken_off, masks[1] & ~found.y.taken_off, masks[2]
    tables = {
        name: Table(values, None, tuple(np.flatnonzero(mask).tolist()))
        for name, values, mask in zip(("X", "Y", "Z"), (found.x.values, found.y.values, z), masks, strict=True)
    }
    return LeftByZ(Question(tables), found)


def with_more_neighbors(estimator: MutualInformationEstimator, question: Question) -> None:
    """Give an estimator the number of neighbours that a test given Z takes by default.

    Of the rows that have the same labels in Z: others are no neighbours.
    """
    from infold.core.copula.null_given import neighbors_of_test
    from infold.core.knn.discrete import row_codes

    labels = [question["Z"][:, c] for c in question.blocks["Z"].nominal]
    counts = np.bincount(row_codes(labels)) if labels else np.array([question.n_samples])
    rows = int((counts**2).sum() / counts.sum())  # with the labels of a row, on average over the rows
    estimator.n_neighbors = max(estimator.n_neighbors, neighbors_of_test(rows))


def statistics_given(
    estimator: MutualInformationEstimator, left: LeftByZ, seeds: Sequence[int], own: int, settings: Settings
) -> Generator[float, None, None]:
    """Yield the statistic of what Z leaves, and then that of Y drawn anew for each seed."""
    measure = estimator.versions_measure(left.question, left.found.y.redraws)
    if measure is None:
        yield refit(estimator, left.question, own).statistic
        jobs: list[tuple[Any, ...]] = [(refit_drawn, estimator, left, seed) for seed in seeds]
        with closing(refits(jobs, settings, "permutations", n_samples=left.question.n_samples)) as outcomes:
            for outcome in outcomes:
                yield outcome.statistic
        return
    yield float(measure(left.found.y.values.T[None], 1)[0])
    bar = progress_bar(len(seeds), "permutations", settings.verbose)
    with closing(bar):
        most = max(1, min(MOST_AT_A_TIME, MOST_VALUES // left.found.y.values.size))
        start, count = 0, min(FIRST, most)
        while start < len(seeds):
            drawn = interruptible(_on_one_thread, left.found.draw, np.array(seeds[start : start + count], np.uint64))
            yield from measure(drawn, settings.n_jobs).tolist()
            bar.update(len(drawn))
            start, count = start + count, min(3 * count, most)


def _on_one_thread(function: Callable[..., Any], *args: Any) -> Any:
    """Return function(*args), with linear algebra on one thread."""
    with one_blas_thread():
        return function(*args)


def refit_drawn(estimator: MutualInformationEstimator, left: LeftByZ, seed: int) -> Outcome:
    """Fit Y drawn anew."""
    drawn = left.found.draw(np.array([seed], np.uint64))[0].T
    return refit(estimator, with_values(left.question, Y=np.ascontiguousarray(drawn)), seed)


def with_values(question: Question, **tables: np.ndarray) -> Question:
    """Return the question with other values in some blocks."""
    changed = {name: question.blocks[name]._replace(values=values) for name, values in tables.items()}
    return Question({**question.blocks, **changed})


def given_note(left: LeftByZ) -> Note | None:
    """Tell where p may be too small, since Z may not be gone."""
    from infold.core.copula.null_given import NEAR_LABELS

    found, columns, n = left.found, left.question.n_features[2], left.question.n_samples
    share = f"Rows of near Z ({columns} columns) are {found.apart:.0%} as far apart as any two rows"
    remedy = "Take fewer columns into Z, or more rows."
    labels_on_both = not found.x.taken_off.all() and not found.y.taken_off.all()
    if labels_on_both and found.apart > NEAR_LABELS:
        return Note(
            f"{share}, and Z cannot be taken off the many labels that are on both sides: p may be too small. {remedy}",
            urgent=True,
        )
    if found.apart > NEAR and min(taken_share(found.x), taken_share(found.y)) > MOST_TAKEN:
        return Note(
            f"Z has too many columns ({columns}) for {n} rows: what it tells of X and of Y is known too roughly to be "
            f"taken off, and p is too small more often than it should be. {remedy}",
            urgent=True,
        )
    if _is_rough(found) or found.pvalue <= ALPHA_CONFOUNDED:
        return Note(
            f"X and Y follow Z by steps, corners or fast waves, or with so little noise, that {n} rows show it only "
            f"roughly. Some of it is left on both sides: p may be too small. {remedy}",
            urgent=True,
        )
    if found.apart <= NEAR:
        return None
    return Note(
        f"{share}, so p rests on smooth functions of Z alone: if Z acts on both X and Y otherwise, by steps or "
        f"products of many columns, p is too small."
    )


def _is_rough(found: Unconfounded) -> bool:
    """Return whether rough functions of Z predict both sides better than smooth ones, and clearly so on average."""
    gains = [max((one.roughness for one in side.smoothers), default=0.0) for side in (found.x, found.y)]
    return min(gains) > 0 and sum(gains) > 2 * ROUGH


def taken_share(side: Side) -> float:
    """Return the largest share of the degrees of freedom that taking Z off a column took."""
    return max((float(one.leverages.mean()) for one in side.smoothers), default=0.0)


def refuse_with_given(groups: Any, block: Any) -> None:
    """Refuse what only says how rows may change places freely."""
    if groups is not None:
        raise ValueError(
            "groups is for tests without Z; make the labels a nominal column of Z instead (discrete_z), to the same "
            "end."
        )
    if block is not None:
        raise ValueError(f"block={block} is for tests without Z; leave it out, and thin rows that are autocorrelated.")
