"""Which columns carry the information: a score for each, and a threshold that noise columns rarely pass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infold.data.checks import check_choice, check_count, check_share
from infold.data.question import Question, ask
from infold.estimators import MutualInformationEstimator
from infold.results import plain_types

from .notes import autocorrelation_note, tell
from .permutation import permutation_pvalue
from .resampling import Settings, Shuffle, described, prepared, refit, refits, seeds_for, shuffle_of

ALONE, TOGETHER = "alone", "together"
KINDS = (ALONE, TOGETHER)


@dataclass(frozen=True, repr=False, kw_only=True)
class Relevance:
    """How much each column carries about the other side.

    Attributes
    ----------
    scores_x, scores_y : ndarray
        One value for each column of X, and of Y, in `units`.
    null_x, null_y : ndarray
        The largest score of a column of that side in each permutation.
    threshold_x, threshold_y : float
        What the largest score of a side passes, if no column of it carries anything, with a chance of `level` at most.
    kind : {"alone", "together"}
        What a score means; see :func:`relevance`.
    level : float
        Chance of any false column on a side.
    mi : float
        The estimate with all columns.
    units, method, n_samples, n_features, settings, names, kinds, n_dropped
        As in :class:`MutualInformation`.
    notes : tuple of str
        Plain sentences about what may be wrong.
    """

    scores_x: np.ndarray = field(compare=False)
    scores_y: np.ndarray = field(compare=False)
    null_x: np.ndarray = field(compare=False)
    null_y: np.ndarray = field(compare=False)
    kind: str
    level: float
    mi: float
    units: str
    method: str
    n_samples: int
    n_features: tuple[int, int]
    settings: Mapping[str, Any]
    names: tuple[tuple[str, ...] | None, tuple[str, ...] | None] = (None, None)
    kinds: tuple[tuple[str, ...], ...] = ((), ())
    n_dropped: int = 0
    notes: tuple[str, ...] = ()

    @property
    def threshold_x(self) -> float:
        """Score that a column of X must pass."""
        return upper_quantile(self.null_x, self.level)

    @property
    def threshold_y(self) -> float:
        """Score that a column of Y must pass."""
        return upper_quantile(self.null_y, self.level)

    @property
    def relevant_x(self) -> np.ndarray:
        """Whether each column of X is above the threshold."""
        return self.scores_x > self.threshold_x

    @property
    def relevant_y(self) -> np.ndarray:
        """Whether each column of Y is above the threshold."""
        return self.scores_y > self.threshold_y

    @property
    def pvalues_x(self) -> np.ndarray:
        """P-value of each column of X, corrected for the number of columns."""
        return adjusted_pvalues(self.scores_x, self.null_x)

    @property
    def pvalues_y(self) -> np.ndarray:
        """P-value of each column of Y, corrected for the number of columns."""
        return adjusted_pvalues(self.scores_y, self.null_y)

    @property
    def names_x(self) -> tuple[str, ...]:
        """Names of the columns of X, or their numbers."""
        return self.names[0] or tuple(str(i) for i in range(self.scores_x.size))

    @property
    def names_y(self) -> tuple[str, ...]:
        """Names of the columns of Y, or their numbers."""
        return self.names[1] or tuple(str(i) for i in range(self.scores_y.size))

    @property
    def n_permutations(self) -> int:
        """Permutations behind the thresholds."""
        return self.null_x.size

    def columns(self) -> list[dict[str, Any]]:
        """Return one row per column, ready for a table: side, name, score, pvalue, relevant."""
        sides = (
            ("x", self.names_x, self.scores_x, self.pvalues_x, self.relevant_x),
            ("y", self.names_y, self.scores_y, self.pvalues_y, self.relevant_y),
        )
        return [
            {"side": side, "name": name, "score": float(score), "pvalue": float(pvalue), "relevant": bool(relevant)}
            for side, *columns in sides
            for name, score, pvalue, relevant in zip(*columns, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON."""
        kept = ("kind", "level", "mi", "units", "method", "n_samples", "n_features", "n_dropped", "settings", "notes")
        thresholds = {"threshold_x": self.threshold_x, "threshold_y": self.threshold_y}
        plain = plain_types({name: getattr(self, name) for name in kept} | thresholds)
        plain["x_kinds"], plain["y_kinds"] = (list(side) for side in self.kinds)
        return {**plain, "n_permutations": self.n_permutations, "columns": self.columns()}

    def __repr__(self) -> str:
        """Return a line for each column that matters, highest first."""
        rows = sorted(self.columns(), key=lambda row: -row["score"])
        found = [row for row in rows if row["relevant"]]
        lines = [
            f"  {row['side'].upper()} {row['name']}: {row['score']:.3g} {self.units}, p = {row['pvalue']:.2g}"
            for row in found[:MOST_LINES]
        ]
        if len(found) > MOST_LINES:
            lines.append(f"  and {len(found) - MOST_LINES} more")
        return "\n".join(
            [
                f"{len(found)} of {len(rows)} columns carry information ({self.kind}, {self.method}; thresholds: "
                f"X {self.threshold_x:.3g}, Y {self.threshold_y:.3g})",
                *lines,
                *([f"  {self.n_dropped} rows with missing values were dropped"] if self.n_dropped else []),
                *(f"  note: {note}" for note in self.notes),
            ]
        )


MOST_LINES = 20


def relevance(
    X: Any,
    Y: Any,
    *,
    method: str = "ksg",
    kind: str = ALONE,
    n_permutations: int = 199,
    level: float = 0.05,
    groups: Any = None,
    block: int | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    discrete_x: Any = None,
    discrete_y: Any = None,
    missing: str = "error",
    **options: Any,
) -> Relevance:
    """Score how much each column, on either side, carries about the other side.

    Parameters
    ----------
    X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
        Row i of both is the same sample.
    method : str, default="ksg"
        Estimator, as in :func:`mutual_information`. Every column is estimated `n_permutations` times, so the fastest is
        the default.
    kind : {"alone", "together"}, default="alone"
        What a score is. "alone": the MI of the column by itself with the whole other side. "together": what the MI of
        all columns loses when this one is shuffled. They answer different questions: of two copies of a signal, each
        is high alone, and low together, as the other one makes up for it; of two columns that tell only in combination
        (XOR), each is 0 alone, and high together.
    n_permutations : int, default=199
        Shuffles behind the thresholds; at least 1 / level − 1.
    level : float, default=0.05
        Chance that any column of a side that carries nothing is above the threshold.
    groups, block
        Rows that may change places, as in :func:`independence_test`.
    n_neighbors, units, random_state, n_jobs, verbose, discrete_x, discrete_y, missing, **options
        As in :func:`mutual_information`.

    Returns
    -------
    Relevance
        `scores_x`, `scores_y`, `threshold_x`, `threshold_y`, `relevant_x`, `relevant_y`.

    Notes
    -----
    The threshold is family-wise: a quantile of the largest score of all columns of a side over permutations (Westfall &
    Young's max-T). Alone, a permutation re-pairs the rows of X and Y as wholes. A column that is independent of the
    other side has the same law before and after, whatever the other columns carry. Together, a permutation shuffles a
    single column, all others staying as they are; what is compared is the MI after the shuffle less its mean over
    shuffles. That is exact for a column that is independent of everything else. A column that carries nothing itself
    but depends on columns of its own side that do can pass: the shuffle takes away that dependence too.

    Scores are estimates of a kNN method: with many noise columns on the other side they fall short. Use them to rank
    columns, and the threshold to tell them from noise.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=300, noise_dims=4, random_state=0)
    >>> found = infold.relevance(data.X, data.Y, random_state=0)
    >>> found.relevant_x, found.relevant_y
    (array([ True, False, False]), array([ True, False, False]))

    The sign of a product: neither column tells anything alone.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> Y = np.sign(X[:, 0] * X[:, 1]) + 0.1 * X[:, 2]
    >>> infold.relevance(X[:, :2], Y, random_state=0).relevant_x
    array([False, False])
    >>> infold.relevance(X[:, :2], Y, kind="together", random_state=0).relevant_x
    array([ True,  True])
    """
    settings = Settings(method, units, random_state, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_choice("kind", kind, KINDS)
    check_permutations(n_permutations, level)
    question = ask(
        X,
        Y,
        min_samples=estimator.n_neighbors + 1,
        discrete_x=discrete_x,
        discrete_y=discrete_y,
        missing=missing,
    )
    shuffle = shuffle_of(question, groups, block)
    estimator.fit_question(question)
    return column_relevance(
        question, estimator, settings, shuffle, kind=kind, n_permutations=n_permutations, level=level
    )


def column_relevance(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    *,
    kind: str = ALONE,
    n_permutations: int = 199,
    level: float = 0.05,
) -> Relevance:
    """Return what each column carries, beside the fitted estimator."""
    mi = estimator.mi_ / settings.unit
    first, *seeds = seeds_for(settings.random_state, 1 + n_permutations)
    if kind == ALONE:
        alone = _alone(question)
        jobs: list[tuple[Any, ...]] = [(_scores, estimator, alone, None, first)]
        jobs += [(_scores, estimator, alone, shuffle, seed) for seed in seeds]
    else:
        jobs = [(_scores_without, estimator, question, shuffle, seed) for seed in seeds]
    rows = np.array(list(refits(jobs, settings, "columns", n_samples=question.n_samples))) / settings.unit
    if kind == ALONE:
        scores, null = rows[0], rows[1:]
    else:
        scores, null = mi - rows.mean(axis=0), rows - rows.mean(axis=0)
    d_x = question.n_features[0]
    return Relevance(
        scores_x=scores[:d_x],
        scores_y=scores[d_x:],
        null_x=null[:, :d_x].max(axis=1),
        null_y=null[:, d_x:].max(axis=1),
        kind=kind,
        level=level,
        mi=mi,
        notes=question.notes + tell((autocorrelation_note(question, shuffle),)),
        **described(estimator, settings),
    )


def _alone(question: Question) -> list[Question]:
    """Return the question about each column by itself with the whole other side."""
    return [
        question.with_columns(block, [column])
        for block, table in question.blocks.items()
        for column in range(table.values.shape[1])
    ]


def _scores(
    estimator: MutualInformationEstimator, questions: Sequence[Question], shuffle: Shuffle | None, seed: int
) -> list[float]:
    """Return the MI of each question, rows of Y re-paired if there is a shuffle."""
    if shuffle is not None:
        order = shuffle.draw(seed)
        questions = [question.repaired("Y", order) for question in questions]
    return [refit(estimator, question, seed).mi for question in questions]


def _scores_without(
    estimator: MutualInformationEstimator, question: Question, shuffle: Shuffle, seed: int
) -> list[float]:
    """Return the MI of all columns, each of them shuffled in turn."""
    order = shuffle.draw(seed)
    return [
        refit(estimator, question.repaired_column(block, column, order), seed).mi
        for block, table in question.blocks.items()
        for column in range(table.values.shape[1])
    ]


def check_permutations(n_permutations: Any, level: Any) -> None:
    """Refuse a threshold that so few permutations cannot give."""
    check_count("n_permutations", n_permutations)
    check_share("level", level)
    if level * (n_permutations + 1) < 1 - 1e-9:
        raise ValueError(
            f"n_permutations={n_permutations} is too few for level={level:g}: the smallest p-value is "
            f"{1 / (n_permutations + 1):.2g}; pass at least {math.ceil(1 / level - 1e-9) - 1}."
        )


def upper_quantile(null: np.ndarray, level: float) -> float:
    """Return the value that one more draw from the same law passes with a chance of `level` at most."""
    rank = null.size + 1 - math.floor(level * (null.size + 1) + 1e-9)
    return float(np.sort(null)[rank - 1])


def adjusted_pvalues(scores: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Return the p-value of each score, by the draws that are at least as large."""
    above = null.size - np.searchsorted(np.sort(null), scores, side="left")
    return permutation_pvalue(above, null.size)
