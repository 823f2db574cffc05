"""Which columns to keep: a scikit-learn selector by conditional information, and a score for scikit-learn's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from infold.data.checks import check_choice, check_count, check_random_state, check_share
from infold.data.kinds import looks_like_labels
from infold.data.question import check_lengths, varying
from infold.data.tables import Table, check_table
from infold.display import axes_for
from infold.parallel.scheduler import one_blas_thread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.core.forward.information import Sample

LEAST_PVALUE = 1e-300  # no p-value is 0
MOST_PAIRED = 3_000  # columns whose pairs are tested by default: 4.5 million products, a few seconds
FEWEST_NEIGHBORS, MOST_NEIGHBORS = 3, 10
ROWS_PER_NEIGHBOR = 20


class Selected(NamedTuple):
    """A selected column: position, name (None without names), criterion in nats, and p-value when it was selected."""

    column: int
    name: str | None
    score: float
    pvalue: float


class InformationSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the columns that tell something about the target that the other selected columns do not.

    A forward search. A column may come next if a test shows that it depends on the target given all columns selected so
    far; of these, the one with the largest criterion is taken. The search ends when no column and no pair of columns
    does better than chance.

    Parameters
    ----------
    criterion : {"jmi", "cmim", "mrmr", "relevance"}, default="jmi"
        Which significant column f comes next, s being the columns selected before: the largest mean of I(f; y | s)
        ("jmi"), minimum of I(f; y | s) ("cmim"), I(f; y) − mean I(f; s) ("mrmr") or I(f; y) ("relevance"). The last one
        conditions on nothing, so it keeps every informative column, copies too.
    n_features_to_select : int or None, default=None
        Maximum number of columns to select; None for no limit.
    min_features_to_select : int, default=0
        Minimum number of columns to select. If too few are significant, the criterion chooses the others. With 0 a
        selector may keep no column at all, which most models refuse; in a pipeline pass 1. To get exactly k columns,
        pass k for both.
    alpha : float, default=0.05
        Level of the tests, which are corrected for the number of columns and of pairs.
    pairs : {"auto"} or bool, default="auto"
        Whether to test products of two columns when no single one is significant: neither column of an exclusive or is
        informative by itself. "auto" does so for tables of up to 3,000 columns.
    n_permutations : int, default=199
        Permutations behind a p-value; at least 2 / alpha − 1.
    n_neighbors : int or None, default=None
        k of the KSG estimates. None is a twentieth of the rows, from 3 to 10: when columns are compared, low variance
        matters more than low bias.
    discrete_x : bool, str, int, sequence of these or None, default=None
        Columns of X that are classes, by name, position or mask; True for all. Text, categories and booleans are
        classes anyway.
    discrete_y : bool, sequence or None, default=None
        The same for the target. None also treats a few whole numbers, each of which occurs often, as classes.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the permutations.
    n_jobs : int or None, default=None
        Threads for the estimates; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work takes more than a second.

    Attributes
    ----------
    path_ : tuple of Selected
        The selected columns in order: column, name, score, pvalue.
    scores_ : ndarray of shape (n_features,)
        I(column; target) of each column, in nats.
    pvalues_ : ndarray of shape (n_features,)
        Corrected p-values: of selected columns when they were selected, of others given the selected ones.
    ranking_ : ndarray of shape (n_features,)
        1 for the column that was selected first, and so on; then the others, by their p-value.
    support_ : ndarray of shape (n_features,)
        Whether each column is selected.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The tests correlate linear, quadratic and two wave-like functions of each column's normal scores with linear and
    quadratic ones of the target's, or with its classes. Before that, the selected columns (the same functions of them,
    and products of two linear ones) are regressed out of both sides by least squares. Products of a column with
    selected ones are tested too. The p-value comes from permutations of the target's residuals, for the largest
    statistic of all columns. With nothing selected the test is exact: if the columns are independent of the target, the
    probability of selecting any of them is at most `alpha`, up to the normal approximation in the test of pairs. Given
    selected columns it is as good as the regression.

    In the end each column is replaced by the one that is most informative given all others, and left out if it adds
    nothing, because early choices condition on little. This is not done for "relevance".

    Three columns that are informative only together are not found, nor is very fine structure, such as a wave of many
    periods. Nominal columns are tested by their four most frequent labels.

    References
    ----------
    G. Brown, A. Pocock, M.-J. Zhao and M. Luján, "Conditional likelihood maximisation: a unifying framework for
    information theoretic feature selection", JMLR 2012.

    R. D. Shah and J. Peters, "The hardness of conditional independence testing and the generalised covariance measure",
    Annals of Statistics 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from infold.selection import InformationSelector
    >>> X = np.random.default_rng(0).normal(size=(300, 10))
    >>> y = X[:, 2] + X[:, 5] * X[:, 7]
    >>> selector = InformationSelector(random_state=0).fit(X, y)
    >>> sorted(selector.get_support(indices=True).tolist())
    [2, 5, 7]
    >>> selector.transform(X).shape
    (300, 3)
    """

    def __init__(
        self,
        criterion: str = "jmi",
        *,
        n_features_to_select: int | None = None,
        min_features_to_select: int = 0,
        alpha: float = 0.05,
        pairs: str | bool = "auto",
        n_permutations: int = 199,
        n_neighbors: int | None = None,
        discrete_x: Any = None,
        discrete_y: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.n_features_to_select = n_features_to_select
        self.min_features_to_select = min_features_to_select
        self.alpha = alpha
        self.pairs = pairs
        self.n_permutations = n_permutations
        self.n_neighbors = n_neighbors
        self.discrete_x = discrete_x
        self.discrete_y = discrete_y
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select columns of X.

        Parameters
        ----------
        X : array, pandas or polars table of shape (n_samples, n_features)
            Numbers or classes, without missing values.
        y : array, series or table of shape (n_samples,) or (n_samples, n_outputs)
            Numbers for regression, classes for classification.

        Returns
        -------
        self
        """
        self._check_parameters()
        columns, target = _read(X, y, self.discrete_x, self.discrete_y, self.n_neighbors)
        validate_data(self, X, skip_check_array=True)
        kept, of_target = np.arange(columns.values.shape[1])[varying(columns.values)], varying(target.values)
        p = columns.values.shape[1]
        self.scores_, self.pvalues_, self.ranking_ = np.zeros(p), np.ones(p), np.arange(1, p + 1)
        self.path_: tuple[Selected, ...] = ()
        if kept.size and target.values[:, of_target].size:
            self._search(_sample(columns, target), kept, columns.names)
        self.support_ = self.ranking_ <= len(self.path_)
        return self

    def _search(self, sample: Sample, kept: np.ndarray, names: tuple[str, ...] | None) -> None:
        from infold.core.forward.information import Information
        from infold.core.forward.search import Search
        from infold.core.random import draw_seeds, random_orders

        n, p = sample.x.shape[1], self.scores_.size
        most = kept.size if self.n_features_to_select is None else min(self.n_features_to_select, kept.size)
        pairs = kept.size <= MOST_PAIRED if self.pairs == "auto" else bool(self.pairs)
        seeds = draw_seeds(check_random_state(self.random_state), self.n_permutations)
        orders = random_orders(seeds, np.arange(n), np.array([0, n]), 1)
        information = Information(sample, _neighbors(self.n_neighbors, n), self.n_jobs, self.verbose)
        with one_blas_thread():
            search = Search(sample, information, self.criterion, self.alpha, orders, pairs=pairs)
            found = search.run(min(self.min_features_to_select, most), most)
        self.path_ = tuple(
            Selected(int(kept[step.column]), names[kept[step.column]] if names else None, step.score, step.pvalue)
            for step in found.steps
        )
        self.scores_[kept] = information.about_target(list(range(kept.size)))
        self.pvalues_[kept] = found.pvalues
        order = np.concatenate((kept[found.order], np.setdiff1d(np.arange(p), kept)))
        self.ranking_[order] = np.arange(1, p + 1)

    def _check_parameters(self) -> None:
        from infold.core.forward.information import CRITERIA

        check_choice("criterion", self.criterion, CRITERIA)
        check_count("min_features_to_select", self.min_features_to_select, minimum=0)
        if self.n_features_to_select is not None:
            check_count("n_features_to_select", self.n_features_to_select)
            if self.min_features_to_select > self.n_features_to_select:
                raise ValueError(
                    f"min_features_to_select={self.min_features_to_select} is more than n_features_to_select="
                    f"{self.n_features_to_select}; pass at most that."
                )
        check_share("alpha", self.alpha)
        if self.pairs != "auto" and not isinstance(self.pairs, bool | np.bool_):
            raise ValueError(f"pairs={self.pairs!r} must be 'auto', True or False; pass one of these.")
        check_count("n_permutations", self.n_permutations)
        if self.alpha * (self.n_permutations + 1) + 1e-9 < 2:  # half of the level is for pairs
            raise ValueError(
                f"n_permutations={self.n_permutations} cannot show a p-value of alpha={self.alpha}; pass at least "
                f"{int(np.ceil(2 / self.alpha - 1 - 1e-9))}."
            )
        if self.n_neighbors is not None:
            check_count("n_neighbors", self.n_neighbors)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the criterion of each selected column, in order, beside its I(column; target).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure, tall enough, by default.

        Returns
        -------
        matplotlib Axes
        """
        from infold.plotting.selection import plot_selection, selection_height

        check_is_fitted(self)
        return plot_selection(self, ax=axes_for(ax, 5.4, selection_height(self)))

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that y is required, that it may have several columns, and X columns of classes."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def mutual_info_scores(
    X: Any,
    y: Any,
    *,
    discrete_x: Any = None,
    discrete_y: Any = None,
    n_neighbors: int | None = 3,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mutual information of each column with the target, and a p-value: a `score_func` for scikit-learn.

    It takes numbers and classes on either side. Unlike scikit-learn's `mutual_info_regression` and
    `mutual_info_classif` it has p-values, so `SelectFdr` and `SelectFwe` work as well.

    Parameters
    ----------
    X, y, discrete_x, discrete_y, n_jobs
        As in :class:`InformationSelector`.
    n_neighbors : int or None, default=3
        k of the KSG estimate; None is a twentieth of the rows, from 3 to 10.

    Returns
    -------
    scores : ndarray of shape (n_features,)
        In nats; never clamped, so a column that tells nothing can have a little less than 0.
    pvalues : ndarray of shape (n_features,)
        Of independence, not corrected for the number of columns: nested smooth tests of normal scores, without
        permutations.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from infold.selection import mutual_info_scores
    >>> X, y = load_iris(return_X_y=True)
    >>> SelectKBest(mutual_info_scores, k=2).fit(X, y).get_support(indices=True)
    array([2, 3])
    """
    from infold.core.forward.functions import column_functions, target_functions
    from infold.core.forward.given import single_pvalues
    from infold.core.forward.information import Information

    if n_neighbors is not None:
        check_count("n_neighbors", n_neighbors)
    columns, target = _read(X, y, discrete_x, discrete_y, n_neighbors)
    p = columns.values.shape[1]
    scores, pvalues, kept = np.zeros(p), np.ones(p), varying(columns.values)
    if not columns.values[:, kept].size or not target.values[:, varying(target.values)].size:
        return scores, pvalues
    sample = _sample(columns, target)
    information = Information(sample, _neighbors(n_neighbors, sample.x.shape[1]), n_jobs, 0)
    scores[kept] = information.about_target(list(range(len(sample.x))))
    with one_blas_thread():
        functions = column_functions(sample.x, sample.nominal_x)
        targets = target_functions(sample.y, sample.nominal_y)
        pvalues[kept] = np.maximum(single_pvalues(functions, sample.nominal_x, targets), LEAST_PVALUE)
    return scores, pvalues


def _read(X: Any, y: Any, discrete_x: Any, discrete_y: Any, n_neighbors: int | None) -> tuple[Table, Table]:
    """Return the columns and the target as tables of one length."""
    if y is None:
        raise ValueError("y is None: fit requires y to be passed, but the target y is None; call fit(X, y).")
    if len(getattr(X, "shape", (0, 0))) == 1:
        raise ValueError(
            "X has 1 dimension, but a selector needs columns. Reshape your data: X.reshape(-1, 1) is one column."
        )
    columns, target = check_table(X, "X", discrete=discrete_x), check_table(y, "y", discrete=discrete_y)
    n, fewest = check_lengths({"X": columns, "y": target})[1], 1 + (n_neighbors or FEWEST_NEIGHBORS)
    if n < fewest:
        raise ValueError(
            f"n_neighbors={fewest - 1} needs at least {fewest} samples, but X has {n} (n_samples = {n}); lower "
            f"n_neighbors or add samples."
        )
    if discrete_y is None:
        classes = [c for c, column in enumerate(target.values.T) if looks_like_labels(column)]
        target = check_table(target, "y", discrete=classes)
    return columns, target


def _sample(columns: Table, target: Table) -> Sample:
    """Return the columns that vary, as the search takes them."""
    from infold.core.forward.information import make_sample

    parts = []
    for values, _, nominal in (columns, target):
        mask, kept = np.isin(np.arange(values.shape[1]), nominal), varying(values)
        parts.append((values[:, kept], mask[kept]))
    (x, nominal_x), (y, nominal_y) = parts
    return make_sample(x, y, nominal_x, nominal_y)


def _neighbors(n_neighbors: int | None, n: int) -> int:
    if n_neighbors is not None:
        return n_neighbors
    return min(MOST_NEIGHBORS, max(FEWEST_NEIGHBORS, n // ROWS_PER_NEIGHBOR))
