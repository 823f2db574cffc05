"""The estimators, after scikit-learn's contract: `__init__` stores, `fit(X, Y)` estimates, no arithmetic here."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from ._validation import (
    Table,
    check_bootstrap_size,
    check_choice,
    check_count,
    check_pair,
    check_random_state,
    drop_constant,
    warn_repeated_rows,
    warn_tied_trees,
)

paper_settings: dict[str, Any] = {
    "n_neighbors": 3,
    "n_estimators": 300,
    "criterion": "fast_bic",
    "min_samples_split": None,
    "max_samples": None,
    "local_distance": "paper",
    "split_search": "exact",
    "standardize": False,
}
"""What the paper did, for ``GeodesicKSG(**infold.paper_settings)``: raw columns, in whatever units they are."""

CRITERIA = ("fast_bic", "two_means")


def check_forest_parameters(estimator: Any) -> None:
    """Judge the parameters that GeodesicKSG and GeodesicForest share."""
    check_count("n_estimators", estimator.n_estimators)
    check_choice("criterion", estimator.criterion, CRITERIA)
    check_choice("local_distance", estimator.local_distance, ("paper", "released", "everywhere"))
    check_choice("split_search", estimator.split_search, ("fast", "exact"))
    check_random_state(estimator.random_state)
    if estimator.n_estimators > 65_000:
        raise ValueError(f"n_estimators={estimator.n_estimators} must be at most 65000; pass a smaller number.")


def forest_plan(estimator: Any, n_samples: int) -> Any:
    """Return the Plan (of core.forest) that an estimator's parameters ask for."""
    from .core.forest import Plan, default_min_samples_split
    from .core.jit import draw_seeds

    size = check_bootstrap_size(estimator.max_samples, n_samples)
    smallest = estimator.min_samples_split
    return Plan(
        seeds=draw_seeds(check_random_state(estimator.random_state), estimator.n_estimators),
        criterion=estimator.criterion,
        n_bootstrap=size,
        min_samples_split=default_min_samples_split(size)
        if smallest is None
        else check_count("min_samples_split", smallest, minimum=2),
        exact=estimator.split_search == "exact",
    )


class MutualInformationEstimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators share: checks before, attributes after."""

    n_neighbors: int
    test_statistic_name = "mi"
    _quiet = False
    _converts = False  # whether `_local_mi` takes float32 and any order of memory: then no copy is made before it

    def fit(self, X: Any, Y: Any = None) -> Self:
        """Estimate the mutual information of X and Y.

        Parameters
        ----------
        X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
            Row i of both is the same sample.

        Returns
        -------
        self
            With `mi_` (nats), `local_mi_` (one value a sample), `n_features_in_`, `n_samples_`.
        """
        self._check_parameters()
        x, y = check_pair(X, Y, n_neighbors=self.n_neighbors, as_it_is=self._converts)
        self._remember(x, y)
        x, y = drop_constant(x, "X"), drop_constant(y, "Y")
        if x.values.size and y.values.size:
            warn_repeated_rows(x.values, y.values)
            if self._leaves_ties:
                warn_tied_trees(self.n_samples_)
        return self._estimate(x.values, y.values)

    def _refit(self, x: Table, y: Table) -> Self:
        """Fit tables that were judged before, without a warning: resampling does so hundreds of times."""
        self._quiet = True
        self._remember(x, y)
        return self._estimate(*(t.values[:, t.values.min(axis=0) < t.values.max(axis=0)] for t in (x, y)))

    def _estimate(self, x: np.ndarray, y: np.ndarray) -> Self:
        if x.size == 0 or y.size == 0:
            self.local_mi_ = np.zeros(self.n_samples_)
        else:
            columns = (x.T, y.T) if self._converts else (np.ascontiguousarray(x.T), np.ascontiguousarray(y.T))
            self.local_mi_ = self._local_mi(*columns)
        # Sorted, the sum does not depend on the order of samples; math.fsum takes five times as long.
        ordered, n_values = self.local_mi_.copy(), len(self.local_mi_)
        ordered.sort()
        self.mi_ = float(np.add.reduce(ordered)) / n_values
        left_out = 1 - n_values / self.n_samples_
        self.query_error_ = float(self.local_mi_.std() * math.sqrt(left_out / n_values)) if left_out else 0.0
        return self

    def _share(self, x: np.ndarray, y: np.ndarray) -> Any:
        """Return what pairings of columns x (d_x, n) and y (d_y, n) share, or None: then each is fitted as a whole."""
        return None

    @property
    def _leaves_ties(self) -> bool:
        """Whether distances are whole numbers, so that ties grow with n."""
        return False

    @property
    def test_statistic_(self) -> float:
        """What a permutation test compares: large means dependent."""
        return self.mi_

    @property
    def silent_error_(self) -> float:
        """Standard error, in nats, of an answer of exactly 0 by rule; 0 for methods that have no such rule."""
        return 0.0

    def _check_parameters(self) -> None:
        check_count("n_neighbors", self.n_neighbors)

    def _local_mi(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the local MI, in nats, of columns x (d_x, n) and y (d_y, n), none of which is constant."""
        raise NotImplementedError  # pragma: no cover

    def _remember(self, x: Table, y: Table) -> None:
        self.n_samples_, self.n_features_in_ = x.values.shape
        self.n_features_y_ = y.values.shape[1]
        self._names = (x.names, y.names)
        if x.names:
            self.feature_names_in_ = np.array(x.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that Y is required, and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        return tags


class KSG(MutualInformationEstimator):
    """Mutual information by k nearest neighbours (Kraskov, Stögbauer & Grassberger 2004, first estimator).

    Parameters
    ----------
    n_neighbors : int, default=3
        k. Small: little bias, more noise; large: the reverse.
    metric : {"chebyshev", "euclidean"} or a pair of them, default="chebyshev"
        The norm on X and on Y; a pair gives each side its own.
    standardize : bool, default=True
        Bring every column to standard deviation 1 first, so that units do not change the answer.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats; never clamped, so independent data can give a little less than 0.
    local_mi_ : ndarray of shape (n_samples,)
        One value a sample; their mean is `mi_`.

    Notes
    -----
    Constant columns are left out with a warning; if a whole side is constant, the answer is 0. A row with k or more
    exact copies counts as an atom of a discrete distribution.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=1000, random_state=0)  # truth: 0.830
    >>> round(infold.KSG(n_neighbors=3).fit(data.X, data.Y).mi_, 1)
    0.8
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        metric: str | tuple[str, str] = "chebyshev",
        standardize: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.verbose = verbose

    _converts = True

    def _metrics(self) -> tuple[str, str]:
        both = (self.metric, self.metric) if isinstance(self.metric, str) else tuple(self.metric)
        if len(both) != 2:
            raise ValueError(f"metric={self.metric!r} must be one name or a pair, for X and for Y; pass one of these.")
        return both

    def _check_parameters(self) -> None:
        super()._check_parameters()
        for metric in self._metrics():
            check_choice("metric", metric, ("chebyshev", "euclidean"))

    def _local_mi(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        from .core.neighbors import ksg

        return ksg(
            x,
            y,
            self._metrics(),
            self.n_neighbors,
            standardize=self.standardize,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def _share(self, x: np.ndarray, y: np.ndarray) -> Any:
        from .core.many import share

        return share(x, y, self._metrics(), self.n_neighbors, standardize=self.standardize)


class GeodesicKSG(MutualInformationEstimator):
    """G-KSG: mutual information by k nearest neighbours in a geodesic forest (Marx & Fischer 2022).

    An unsupervised forest is grown on the joint table. Two rows are as far apart on the side of X as the share of trees
    that, looking at the columns of X alone, tell them apart; likewise for Y. Rows that no tree tells apart are compared
    by their Euclidean distance. Columns of pure noise then cost less than they cost plain KSG.

    Parameters
    ----------
    n_neighbors : int, default=3
        k.
    n_estimators : int, default=300
        Trees. Distances are multiples of 1 / n_estimators.
    criterion : {"fast_bic", "two_means"}, default="fast_bic"
        What makes a cut good: two Gaussians that fit well, or two groups of small spread.
    min_samples_split : int or None, default=None
        The smallest node that is split; None means round(√(2 n)).
    max_samples : int, float or None, default=None
        Rows that a tree draws, with replacement: None means n, a float a part of n.
    local_distance : {"paper", "released", "everywhere"}, default="paper"
        How rows in the same leaves are compared: by a Euclidean distance below that of one tree, as in the paper, or as
        in the code that its authors released. "everywhere" adds the paper's to all distances, so that rows equally many
        trees apart are no ties: for 10,000 rows or more, where the paper's estimate can rise past the truth.
    max_queries : int or None, default=None
        Average over this many rows, drawn at random, instead of all; their neighbours are still sought among all. For
        large n: the cost then grows in proportion to n, and `query_error_` is the standard error that this adds.
    split_search : {"fast", "exact"}, default="fast"
        How a node's best cut is found: among bins, opening the promising ones, or among all values. Estimates agree
        within the noise of the forest's seed.
    standardize : bool, default=True
        Bring every column to mean 0 and standard deviation 1 first. Without it, units and offsets change the answer.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the forest. The same seed gives the same bits for any `n_jobs`.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats; never clamped.
    local_mi_ : ndarray of shape (n_samples,)
        One value a sample; their mean is `mi_`. With `max_queries`, one value for each of the rows `query_rows_`.
    query_error_ : float
        Standard error that `max_queries` adds; 0 without.

    Notes
    -----
    Constant columns are left out with a warning; if a whole side is constant, the answer is 0. A row with k or more
    exact copies counts as an atom of a discrete distribution.

    With the paper's distance, rows tie at the distance of the k-th neighbour, and the more rows, the more ties: the
    estimate then rises with n, on independent data too, to .1 nats at 10,000 rows and .4 at 100,000. From 10,000
    rows on this is a warning. With `local_distance="everywhere"` it does not happen; with few rows and a large MI, that
    comes out lower than the paper's (uniform data, 500 rows: 3.96 instead of 4.31, truth 4.61).

    References
    ----------
    A. Marx and J. Fischer, "Estimating Mutual Information via Geodesic kNN", SDM 2022.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_helix(n_samples=500, noise_dims=10, random_state=0)
    >>> gksg = infold.GeodesicKSG(random_state=0).fit(data.X, data.Y)
    >>> ksg = infold.KSG().fit(data.X, data.Y)
    >>> gksg.mi_ > 3 * ksg.mi_  # noise columns drown plain KSG first
    True
    """

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        n_estimators: int = 300,
        criterion: str = "fast_bic",
        min_samples_split: int | None = None,
        max_samples: int | float | None = None,
        local_distance: str = "paper",
        max_queries: int | None = None,
        split_search: str = "fast",
        standardize: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.max_samples = max_samples
        self.local_distance = local_distance
        self.max_queries = max_queries
        self.split_search = split_search
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    _converts = True

    @property
    def _leaves_ties(self) -> bool:
        return self.local_distance != "everywhere"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest_parameters(self)
        if self.max_queries is not None:
            check_count("max_queries", self.max_queries)

    def _local_mi(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        from .core.geodesic import geodesic_ksg

        plan = forest_plan(self, self.n_samples_)
        self.query_rows_ = None
        if self.max_queries is not None and self.max_queries < self.n_samples_:
            rng = np.random.default_rng(plan.seeds)
            self.query_rows_ = np.sort(rng.choice(self.n_samples_, self.max_queries, replace=False))
        return geodesic_ksg(
            x,
            y,
            plan,
            self.local_distance,
            self.n_neighbors,
            self.query_rows_,
            standardize=self.standardize,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
