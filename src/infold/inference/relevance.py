"""Which columns carry the information: a score for each, and a p-value from its own null distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infold.data.checks import check_choice, check_count, check_share
from infold.data.kinds import column_kinds
from infold.data.question import Question, ask, ask_pairwise
from infold.data.tables import MISSING
from infold.display import TIED, Shown, as_frame, axes_for, joined, pvalue_text
from infold.estimators import MutualInformationEstimator
from infold.results import plain_types, stamp

from .given import given_note, left_by_z, refuse_with_given, statistics_given, with_more_neighbors
from .multiple import holm, max_t
from .notes import Note, autocorrelation_note, tell
from .resampling import (
    UNKNOWN,
    Outcome,
    Settings,
    Shuffle,
    outcome_of,
    prepared,
    refit,
    refits,
    seeds_for,
    shuffle_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALONE, TOGETHER = "alone", "together"
KINDS = (ALONE, TOGETHER)
PAIRWISE = "pairwise"
N_PERMUTATIONS = 199


@dataclass(frozen=True, repr=False, kw_only=True)
class Relevance(Shown):
    """How much each column carries about the other side.

    Attributes
    ----------
    scores_x, scores_y : ndarray
        One value for each column of X, and of Y, in `units`; NaN if it has too few rows (`missing="pairwise"`).
    pvalues_x, pvalues_y : ndarray
        P-value of each column, corrected for the number of columns of its side.
    threshold_x, threshold_y : ndarray
        For each column, the score that it must exceed; NaN where p-values do not come from scores (`method="auto"`,
        given Z).
    null_x, null_y : ndarray of shape (n_permutations, n_columns)
        What each column is compared with: scores after permutations, less their mean if `kind` is "together"; with
        `method="auto"` −log10 p; given Z the statistic of :func:`independence_test`. No rows if the p-values are the
        method's own.
    rows_x, rows_y : ndarray of int
        How many rows each column was scored on.
    kind : {"alone", "together"}
        What a score means; see :func:`relevance`.
    level : float
        Probability of any false column on a side.
    mi : float
        The estimate with all columns; NaN if too few rows have no missing value (`missing="pairwise"`).
    units, method, n_samples, n_features, settings, names, kinds, given, n_dropped
        As in :class:`MutualInformation`.
    notes : tuple of str
        Plain sentences about what may be wrong.
    """

    scores_x: np.ndarray = field(compare=False)
    scores_y: np.ndarray = field(compare=False)
    pvalues_x: np.ndarray = field(compare=False)
    pvalues_y: np.ndarray = field(compare=False)
    threshold_x: np.ndarray = field(compare=False)
    threshold_y: np.ndarray = field(compare=False)
    null_x: np.ndarray = field(compare=False)
    null_y: np.ndarray = field(compare=False)
    rows_x: np.ndarray = field(compare=False)
    rows_y: np.ndarray = field(compare=False)
    kind: str
    level: float
    mi: float
    units: str
    method: str
    n_samples: int
    n_features: tuple[int, ...]
    settings: Mapping[str, Any]
    names: tuple[tuple[str, ...] | None, ...] = (None, None)
    kinds: tuple[tuple[str, ...], ...] = ((), ())
    n_dropped: int = 0
    notes: tuple[str, ...] = ()

    @property
    def given(self) -> tuple[str, ...] | int | None:
        """Names of the columns of Z, or their number if they have none; None without Z."""
        return (self.names[2] or self.n_features[2]) if len(self.n_features) > 2 else None

    @property
    def relevant_x(self) -> np.ndarray:
        """Whether the p-value of each column of X is at most the level."""
        return self.pvalues_x <= self.level + ROUNDING

    @property
    def relevant_y(self) -> np.ndarray:
        """Whether the p-value of each column of Y is at most the level."""
        return self.pvalues_y <= self.level + ROUNDING

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
        """Permutations behind the p-values; 0 if these are the method's own."""
        return len(self.null_x)

    def columns(self) -> list[dict[str, Any]]:
        """Return one row per column, ready for a table: side, name, score, pvalue, threshold, relevant, n_samples."""
        return [
            {
                "side": side,
                "name": name,
                "score": None if math.isnan(score) else float(score),
                "pvalue": float(pvalue),
                "threshold": None if math.isnan(threshold) else float(threshold),
                "relevant": bool(relevant),
                "n_samples": int(rows),
            }
            for side in "xy"
            for name, score, pvalue, threshold, relevant, rows in zip(
                *(getattr(self, f"{what}_{side}") for what in COLUMN_FIELDS), strict=True
            )
        ]

    def to_frame(self) -> Any:
        """Return `columns()` as a frame: of pandas or, without it, of polars."""
        return as_frame(self.columns())

    def plot(self, *, max_columns: int = 15, ax: Axes | None = None) -> Axes:
        """Draw a bar for each column, as :func:`infold.plotting.plot_relevance` does.

        Parameters
        ----------
        max_columns : int, default=15
            Most bars per side; the columns with the largest scores are drawn.
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure, tall enough, by default.

        Returns
        -------
        matplotlib Axes
        """
        from infold.plotting.columns import plot_relevance, relevance_height

        ax = axes_for(ax, height=relevance_height(self, max_columns))
        return plot_relevance(self, max_columns=max_columns, ax=ax)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); `arrays=True` adds the null scores of each column."""
        kept = ("kind", "level", "units", "method", "n_samples", "n_features", "n_dropped", "settings", "notes")
        plain = plain_types({name: getattr(self, name) for name in kept})
        plain["mi"] = None if math.isnan(self.mi) else self.mi
        for side, names, kinds in zip("xyz", self.names, self.kinds, strict=False):
            plain |= {f"{side}_names": list(names) if names else None, f"{side}_kinds": list(kinds)}
        if self.given is not None:
            plain["given"] = plain_types(self.given)
        if arrays:
            plain |= {"x_null": plain_types(self.null_x), "y_null": plain_types(self.null_y)}
        return {**stamp("relevance"), **plain, "n_permutations": self.n_permutations, "columns": self.columns()}

    def _told(self) -> list[dict[str, Any]]:
        """Return the columns that the text is about; a single column of Y is the target of all, and not one of them."""
        return [row for row in self.columns() if row["side"] == "x" or self.n_features[1] > 1]

    def _found(self) -> list[dict[str, Any]]:
        """Return the columns that matter, highest first."""
        found = (row for row in self._told() if row["relevant"])
        return sorted(found, key=lambda row: (-row["score"], row["pvalue"]))

    def _headline(self) -> str:
        about = "" if self.given is None else " given Z"
        count = len(self._told())
        return f"{len(self._found())} of {count} columns carry information{about} (level {100 * self.level:g}{TIED}%)"

    def _items(self) -> Iterator[tuple[str, str]]:
        found = self._found()
        for row in found[:MOST_LINES]:
            rows = f", {row['n_samples']} rows" if self._is_pairwise else ""
            score = f"{row['score']:.3g} {self.units}, {pvalue_text(row['pvalue'])}{rows}"
            yield f"{row['side'].upper()} {row['name']}", score
        if len(found) > MOST_LINES:
            yield f"and {len(found) - MOST_LINES} more", ""

    def _rows(self) -> Iterator[tuple[str, str]]:
        others = [f"{row['name']} ({pvalue_text(row['pvalue'])})" for row in self._told() if not row["relevant"]]
        if others:
            more = [f"and {len(others) - MOST_LINES} more"] if len(others) > MOST_LINES else []
            yield "not found", joined([*others[:MOST_LINES], *more])
        source = f"{self.n_permutations} permutations" if self.n_permutations else "its own p-values"
        columns = "each column alone" if self.kind == ALONE else "columns together, each shuffled in turn"
        yield "method", f"{self.method}, {columns}; {source}"
        if self.n_dropped:
            kept = "are used for some columns only" if self._is_pairwise else "were dropped"
            yield "rows", f"{self.n_dropped} rows with missing values {kept}"
        yield from (("note", note) for note in self.notes)

    @property
    def _is_pairwise(self) -> bool:
        return bool((np.concatenate([self.rows_x, self.rows_y]) != self.n_samples).any())


COLUMN_FIELDS = ("names", "scores", "pvalues", "threshold", "relevant", "rows")
ROUNDING = 1e-12
MOST_LINES = 20


def relevance(
    X: Any,
    Y: Any,
    *,
    given: Any = None,
    method: str | None = None,
    kind: str = ALONE,
    n_permutations: int | None = None,
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
    discrete_z: Any = None,
    missing: str = "error",
    **options: Any,
) -> Relevance:
    """Score how much each column, on either side, carries about the other side.

    Parameters
    ----------
    X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
        Row i of both is the same sample.
    given : the same, or None, default=None
        Z, what is known already: each column is scored by what it tells about the other side once Z is known. For
        columns alone, without `groups`, `block` and `missing="pairwise"`.
    method : str or None, default=None
        Estimator, as in :func:`mutual_information`. None is "auto" where its own p-values will do: for columns alone,
        without `given`, `groups`, `block` or a number of permutations. Else it is "ksg", which is fast enough for
        permutations.
    kind : {"alone", "together"}, default="alone"
        What a score is. "alone": the MI of the column by itself with the whole other side. "together": what the MI of
        all columns loses when this one is shuffled. They answer different questions: two copies of a signal both score
        high alone and low together, because each makes up for the other; two columns that tell something only in
        combination (XOR) both score 0 alone and high together.
    n_permutations : int or None, default=None
        Permutations behind the p-values, at least 1 / level − 1. None is 199, or 0 where the method's own p-values do:
        "auto", columns alone, and neither `given`, `groups` nor `block`.
    level : float, default=0.05
        Probability that any uninformative column of a side is called relevant.
    groups, block
        Rows that may change places, as in :func:`independence_test`.
    missing : {"error", "drop", "pairwise"}, default="error"
        As in :func:`mutual_information`. "pairwise", for columns alone: a column is scored on all rows that have a
        value in it and in the whole other side.
    n_neighbors, units, random_state, n_jobs, verbose, discrete_x, discrete_y, discrete_z, **options
        As in :func:`conditional_mutual_information`; given Z, `n_neighbors` is as in :func:`independence_test`.

    Returns
    -------
    Relevance
        `scores_x`, `pvalues_x`, `relevant_x`, and the same for Y; `columns()` for a table.

    Notes
    -----
    A coin, a count and a measurement have different null distributions, so each column is compared with its own.
    Without permutations that is auto's p-value of independence, and Holm's method corrects for the number of columns on
    a side. Auto answers 0 where its p-value is .001 or more, so a column may be relevant with a score of 0.

    With permutations a score is standardised: its distance from the mean of the column's other scores (after the other
    permutations, or of the data), over the root mean square distance of those above the mean. That is a standard
    deviation that allows for skewed null distributions: with the usual one, classes and rare values would hide other
    columns. The p-value is the share of permutations in which the largest standardised score of any column of the side
    is as large (Westfall & Young's max-T). Data and permutations are treated alike, so the level is exact for
    exchangeable rows. Columns with missing values of their own are permuted separately, which makes p-values a little
    larger.

    Alone, a permutation re-pairs the rows of X and Y as wholes. A column that is independent of the other side has the
    same distribution before and after, whatever the other columns carry. Together, it shuffles a single column and
    leaves all others as they are, and the MI before is compared with the MI after. That is valid for a column that is
    independent of everything else. A column that carries nothing itself, but depends on columns of its own side that
    do, may pass: the shuffle removes that dependence too.

    Given Z, each column has the null distribution of :func:`independence_test`, with Y drawn anew given Z. All columns
    of a side share the rows that change places, and max-T corrects for their number as above.

    Scores are for ranking: with many noise columns on the other side, those of KSG are too low.

    References
    ----------
    P. H. Westfall and S. S. Young, "Resampling-Based Multiple Testing", Wiley 1993.

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
    _check_asked(kind, missing, given, groups, block)
    needs_no_permutations = kind == ALONE and groups is None and block is None and given is None
    if method is None:
        method = "auto" if needs_no_permutations and n_permutations is None else "ksg"
    settings = Settings(method, units, random_state, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_share("level", level)
    if n_permutations is None:
        n_permutations = 0 if needs_no_permutations and estimator.knows_pvalue else N_PERMUTATIONS
    else:
        check_count("n_permutations", n_permutations)
    if n_permutations:
        check_permutations(n_permutations, level)
    asked: dict[str, Any] = {
        "min_samples": estimator.n_neighbors + 1,
        "discrete_x": discrete_x,
        "discrete_y": discrete_y,
    }
    singles = None
    if missing == PAIRWISE:
        question, columns = ask_pairwise(X, Y, **asked)
        singles = [Single(one, shuffle_of(one, groups, block)) for one in columns]
    else:
        question = ask(X, Y, given, discrete_z=discrete_z, missing=missing, **asked)
    shuffle = shuffle_of(question, groups, block)
    if question.is_conditional and n_neighbors is None:
        with_more_neighbors(estimator, question)
    if question.n_samples > estimator.n_neighbors:
        estimator.fit_question(question)
    return column_relevance(
        question,
        estimator,
        settings,
        shuffle,
        kind=kind,
        n_permutations=n_permutations,
        level=level,
        singles=singles,
    )


def _check_asked(kind: str, missing: str, given: Any, groups: Any, block: Any) -> None:
    """Refuse unknown choices, and choices that do not go together."""
    check_choice("kind", kind, KINDS)
    check_choice("missing", missing, (*MISSING, PAIRWISE))
    if given is not None:
        refuse_with_given(groups, block)
        if kind != ALONE:
            raise ValueError(f"given is for kind='alone', but kind={kind!r}; leave one of them out.")
        if missing == PAIRWISE:
            raise ValueError("missing='pairwise' is for X and Y alone, but Z is given; pass missing='drop'.")
    if missing == PAIRWISE and kind != ALONE:
        raise ValueError(
            f"missing='pairwise' is for kind='alone', but kind={kind!r} needs all columns of a row; pass "
            f"missing='drop'."
        )


class Single(NamedTuple):
    """The question about one column, and how its rows may change places."""

    question: Question
    shuffle: Shuffle


class Fits(NamedTuple):
    """Estimates of each of d columns: on the data, and after each permutation."""

    observed: list[Outcome]  # NaN for a column that has too few rows
    null: np.ndarray  # (B, d, 2): MI and test statistic


def column_relevance(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    *,
    kind: str = ALONE,
    n_permutations: int = N_PERMUTATIONS,
    level: float = 0.05,
    singles: Sequence[Single] | None = None,
) -> Relevance:
    """Return what each column carries, for a fitted estimator.

    With 0 permutations p-values are the method's own. `singles` are the questions about single columns, if these have
    rows of their own.
    """
    whole = outcome_of(estimator) if question.n_samples > estimator.n_neighbors else UNKNOWN
    first, *seeds = seeds_for(settings.random_state, 1 + n_permutations)
    given = question.is_conditional and bool(seeds)
    about_z: tuple[Note, ...] = ()
    kinds = question.kinds if singles is None else _own_kinds(question, singles)
    if kind == ALONE:
        singles = _alone(question, shuffle) if singles is None else singles
        fits = _fits_alone(singles, question, whole, estimator, settings, first, [] if given else seeds)
        if given:
            fits, about_z = _with_null_given(fits, singles, estimator, settings, first, seeds)
        rows = [single.question.n_samples for single in singles]
    else:
        fits = _fits_together(question, whole, estimator, settings, shuffle, seeds)
        rows = [question.n_samples] * sum(question.n_features)
    sides: dict[str, np.ndarray] = {}
    start = 0
    by_score = estimator.test_statistic_name == "mi"
    for side, d in zip("xy", question.n_features, strict=False):
        of_side = slice(start, start + d)
        part = Fits(fits.observed[of_side], fits.null[:, of_side])
        found = _judged(part, kind, level, settings.unit, by_score)
        if given:  # the statistic is that of what Z leaves, and no score
            found["threshold"] = np.full(d, np.nan)
        sides |= {f"{name}_{side}": values for name, values in found.items()}
        sides[f"rows_{side}"] = np.array(rows[of_side])
        start += d
    told = (
        _few_rows_note(question, rows, estimator.n_neighbors),
        _no_score_note(question, sides, level),
        autocorrelation_note(question, shuffle),
        *about_z,
    )
    return Relevance(
        **sides,
        kind=kind,
        level=level,
        mi=whole.mi / settings.unit,
        units=settings.units,
        method=settings.method,
        n_samples=question.n_samples,
        n_features=question.n_features,
        settings=estimator.get_params(),
        names=question.names,
        kinds=kinds,
        n_dropped=question.n_dropped,
        notes=question.notes + tell(told),
    )


def _alone(question: Question, shuffle: Shuffle) -> list[Single]:
    """Return the question about each column by itself with the whole other side."""
    return [Single(question.single(block, column), shuffle) for block, column in question.all_columns]


def _own_kinds(question: Question, singles: Sequence[Single]) -> tuple[tuple[str, ...], ...]:
    """Return the kinds of the columns of each block, by the rows that each of them has."""
    found = [
        (block, *column_kinds(one.question.blocks[block]))
        for (block, _), one in zip(question.all_columns, singles, strict=True)
    ]
    return tuple(tuple(kind for owner, kind in found if owner == block) for block in question.blocks)


def _fits_alone(
    singles: Sequence[Single],
    question: Question,
    whole: Outcome,
    estimator: MutualInformationEstimator,
    settings: Settings,
    first: int,
    seeds: Sequence[int],
) -> Fits:
    """Fit each column by itself; a side's only column is the whole question, which has been fitted already."""
    distinct = {id(one.question): one for one in singles if one.question.n_samples > estimator.n_neighbors}
    known = {id(question): whole}
    new = [one.question for key, one in distinct.items() if key not in known]
    jobs: list[tuple[Any, ...]] = [(refit, estimator, one, first) for one in new]
    known |= dict(zip(map(id, new), refits(jobs, settings, "columns"), strict=True))
    observed = [known.get(id(one.question), UNKNOWN) for one in singles]
    null = np.full((len(seeds), len(singles), 2), np.nan)
    if seeds and distinct:
        jobs = [(_permuted, estimator, list(distinct.values()), seed) for seed in seeds]
        drawn = np.array(list(refits(jobs, settings, "permutations", n_samples=question.n_samples)))
        place = {key: i for i, key in enumerate(distinct)}
        for column, one in enumerate(singles):
            if id(one.question) in place:
                null[:, column] = drawn[:, place[id(one.question)]]
    return Fits(observed, null)


def _with_null_given(
    fits: Fits,
    singles: Sequence[Single],
    estimator: MutualInformationEstimator,
    settings: Settings,
    own: int,
    seeds: Sequence[int],
) -> tuple[Fits, tuple[Note, ...]]:
    """Return fits with the statistics of what Z leaves, of the data and of Y drawn anew, and notes about Z."""
    null, observed = np.zeros((len(seeds), len(singles), 2)), list(fits.observed)
    known: dict[int, list[float]] = {}
    notes: dict[str, Note] = {}
    for column, (question, _) in enumerate(singles):
        if not all(question.columns(block).size for block in ("X", "Y")):
            continue
        if id(question) not in known:
            left = left_by_z(question, own)
            known[id(question)] = list(statistics_given(estimator, left, seeds, own, settings))
            note = given_note(left)
            if note is not None:
                notes[note.text] = note
        statistic, *drawn = known[id(question)]
        observed[column] = observed[column]._replace(statistic=statistic)
        null[:, column] = np.array(drawn)[:, None]
    return Fits(observed, null), tuple(notes.values())


def _permuted(estimator: MutualInformationEstimator, singles: Sequence[Single], seed: int) -> list[tuple[float, float]]:
    """Return MI and test statistic of each question, rows of Y re-paired: in one order, where rows are the same."""
    orders = {id(shuffle): shuffle.draw(seed) for shuffle in {id(one.shuffle): one.shuffle for one in singles}.values()}
    return [refit(estimator, question.repaired("Y", orders[id(shuffle)]), seed)[:2] for question, shuffle in singles]


def _fits_together(
    question: Question,
    whole: Outcome,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    seeds: Sequence[int],
) -> Fits:
    """Fit all columns, each of them shuffled in turn."""
    jobs: list[tuple[Any, ...]] = [(_without, estimator, question, shuffle, seed) for seed in seeds]
    null = np.array(list(refits(jobs, settings, "permutations", n_samples=question.n_samples)))
    return Fits([whole] * null.shape[1], null)


def _without(
    estimator: MutualInformationEstimator, question: Question, shuffle: Shuffle, seed: int
) -> list[tuple[float, float]]:
    """Return MI and test statistic of all columns, each of them shuffled in turn."""
    order = shuffle.draw(seed)
    return [
        refit(estimator, question.repaired_column(block, column, order), seed)[:2]
        for block, column in question.all_columns
    ]


def _judged(fits: Fits, kind: str, level: float, unit: float, by_score: bool) -> dict[str, np.ndarray]:
    """Return scores, p-values, thresholds and null of the columns of a side.

    Tests may compare other statistics than scores.
    """
    mi, statistic, own = np.array(fits.observed).reshape(-1, 3).T  # a side may have no columns: Z has them all
    null_mi, null = fits.null[..., 0], fits.null[..., 1]
    n_permutations, d = null.shape
    pvalues, thresholds = np.ones(d), np.full(d, np.nan)
    scored = ~np.isnan(mi)
    if not n_permutations:
        pvalues[scored] = holm(own[scored])
    elif scored.any():
        pvalues[scored], thresholds[scored] = max_t(statistic[scored], null[:, scored], level)
    if kind == TOGETHER:
        mi, thresholds = mi - null_mi.mean(axis=0), thresholds - null.mean(axis=0)
        null = null - null.mean(axis=0)
    scale = unit if by_score else 1.0
    return {
        "scores": mi / unit,
        "pvalues": pvalues,
        "threshold": thresholds / unit if by_score else np.full(d, np.nan),
        "null": null / scale,
    }


def _few_rows_note(question: Question, rows: Sequence[int], n_neighbors: int) -> Note | None:
    """Point out columns with too few rows for a score."""
    few = [label for label, count in zip(_labels(question), rows, strict=True) if count <= n_neighbors]
    return Note(f"Too few rows have all the values that a score needs: {_first(few)}.", urgent=True) if few else None


def _no_score_note(question: Question, sides: Mapping[str, np.ndarray], level: float) -> Note | None:
    """Point out columns that are relevant without a score above 0."""
    scores, pvalues = (np.concatenate([sides[f"{what}_{side}"] for side in "xy"]) for what in ("scores", "pvalues"))
    found = (pvalues <= level + ROUNDING) & (scores <= 0)
    if question.n_features[1] == 1:
        found[-1] = False  # the target of all the others
    weak = [label for label, one in zip(_labels(question), found, strict=True) if one]
    if not weak:
        return None
    return Note(
        f"Relevant, but with no score above 0: {_first(weak)}. A test can detect a dependence that is too weak to be "
        f"measured."
    )


def _labels(question: Question) -> list[str]:
    """Return how notes name the columns of X and Y."""
    return [
        f"{side} {names[i]!r}" if names else f"{side} {i}"
        for side, names, d in zip("XY", question.names, question.n_features, strict=False)
        for i in range(d)
    ]


def _first(labels: Sequence[str], most: int = 5) -> str:
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def check_permutations(n_permutations: int, level: float) -> None:
    """Refuse p-values that so few permutations cannot give."""
    if level * (n_permutations + 1) < 1 - 1e-9:
        raise ValueError(
            f"n_permutations={n_permutations} is too few for level={level:g}: the smallest p-value is "
            f"{1 / (n_permutations + 1):.2g}; pass at least {math.ceil(1 / level - 1e-9) - 1}."
        )
