"""G-KSG: mutual information, also given Z, by k nearest neighbours in a geodesic forest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from infold.data.checks import check_bootstrap_size, check_choice, check_count, check_most, check_random_state
from infold.data.question import Question

from .base import MutualInformationEstimator, joined_blocks

paper_settings: dict[str, Any] = {
    "n_neighbors": 3,
    "n_estimators": 300,
    "criterion": "fast_bic",
    "min_samples_split": None,
    "max_samples": None,
    "max_queries": None,
    "local_distance": "paper",
    "split_search": "exact",
    "standardize": False,
}
"""What the paper did, for ``GeodesicKSG(**infold.paper_settings)``: raw columns, in whatever units they are."""

CRITERIA = ("fast_bic", "two_means")
LOCAL_DISTANCES = ("paper", "released", "everywhere")
# What "auto" means: the cost of large tables grows in proportion to their rows, and ties are broken where they matter.
MOST_SAMPLES, MOST_QUERIES, MANY_ROWS = 10_000, 10_000, 10_000


def check_forest_parameters(estimator: Any, local_distances: Sequence[str] = LOCAL_DISTANCES) -> None:
    """Judge the parameters that GeodesicKSG and GeodesicForest share."""
    check_count("n_estimators", estimator.n_estimators)
    check_choice("criterion", estimator.criterion, CRITERIA)
    check_choice("local_distance", estimator.local_distance, local_distances)
    check_choice("split_search", estimator.split_search, ("fast", "exact"))
    check_random_state(estimator.random_state)
    if estimator.n_estimators > 65_000:
        raise ValueError(f"n_estimators={estimator.n_estimators} must be at most 65000; pass a smaller number.")


def forest_plan(estimator: Any, n_samples: int) -> Any:
    """Return the Plan (of core.forest) that an estimator's parameters ask for."""
    from infold.core.forest.forest import Plan, default_min_samples_split
    from infold.core.random import draw_seeds

    size = check_bootstrap_size(estimator.max_samples, n_samples, most=MOST_SAMPLES)
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


def _has_ties(question: Question) -> bool:
    """Return whether a column of numbers has fewer values than half of the rows."""
    numbers = (column for block in question.blocks for column in question.columns(block)[~question.nominal(block)])
    return any(2 * np.unique(column).size < column.size for column in numbers)


class GeodesicKSG(MutualInformationEstimator):
    """G-KSG: mutual information by k nearest neighbours in a geodesic forest (Marx & Fischer 2022).

    An unsupervised forest is grown on the joint table. The distance between two rows on the X side is the share of
    trees that separate them by the columns of X alone; likewise for Y. Rows that no tree separates are compared by
    their Euclidean distance. Noise columns then cost less than they cost plain KSG.

    Given Z, the forest is grown on the columns of X, Y and Z, distances in Z are defined in the same way, and
    neighbours are counted as :class:`infold.KSG` does given Z.

    Parameters
    ----------
    n_neighbors : int, default=3
        k.
    n_estimators : int, default=300
        Trees. Distances are multiples of 1 / n_estimators.
    criterion : {"fast_bic", "two_means"}, default="fast_bic"
        What makes a cut good: two Gaussians that fit well, or two groups of small spread.
    min_samples_split : int or None, default=None
        The smallest node that is split; None means round(√(2 m)), m being the number of rows that a tree draws.
    max_samples : int, float, "auto" or None, default="auto"
        Rows that a tree draws, with replacement: "auto" means n but no more than 10,000, None means n, a float is a
        share of n.
    local_distance : {"auto", "paper", "released", "everywhere"}, default="auto"
        How rows in the same leaves are compared: by a Euclidean distance below that of one tree, as in the paper, or as
        in the code that its authors released. "everywhere" adds the paper's to all distances, so that rows equally many
        trees apart do not tie. "auto" is "paper" below 10,000 rows, and "everywhere" from there on, and where a column
        of numbers has many ties: there the paper's estimate can rise past the truth.
    max_queries : int, "auto" or None, default="auto"
        Average over this many rows, drawn at random; their neighbours are still sought among all. "auto" means n but no
        more than 10,000, None means n. So the cost of large tables grows in proportion to n; `query_error_` is the
        standard error that this adds.
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
        One value per sample; their mean is `mi_`. With `max_queries`, one value for each of the rows `query_rows_`.
    query_error_ : float
        Standard error that `max_queries` adds; 0 without.

    Notes
    -----
    Constant columns are left out with a warning; if X or Y is constant, the answer is 0. A row with k or more exact
    copies counts as an atom of a discrete distribution.

    Nominal columns: no tree is grown on them, and rows with another label on a side are farther apart there than any
    number of trees. Neighbours are then sought within a class, as :class:`infold.KSG` does, and ties counted by its
    rule. If all columns are nominal, the answer is the plug-in estimate less its Miller-Madow bias.

    With the paper's distance, rows tie at the distance of the k-th neighbour, and the more rows, the more ties: the
    estimate then rises with n, on independent data too. With `local_distance="everywhere"` it does not; with few rows
    and a large MI, that comes out lower than the paper's (uniform data, 500 rows: 3.96 instead of 4.31, truth 4.61).

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

    counts_classes = True

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        n_estimators: int = 300,
        criterion: str = "fast_bic",
        min_samples_split: int | None = None,
        max_samples: int | float | str | None = "auto",
        local_distance: str = "auto",
        max_queries: int | str | None = "auto",
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

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        super().check_parameters()
        check_forest_parameters(self, ("auto", *LOCAL_DISTANCES))
        check_most("max_queries", self.max_queries)

    def _local_mi(self, question: Question) -> np.ndarray:
        from infold.core.geodesic.gksg import local_gksg

        n = question.n_samples
        local_distance = self.local_distance
        if local_distance == "auto":
            local_distance = "everywhere" if n >= MANY_ROWS or _has_ties(question) else "paper"
        elif local_distance != "everywhere" and n >= MANY_ROWS:
            self._doubts.append(
                f"G-KSG as in the paper rises with the number of rows, also past the truth: the more there are, the "
                f"more of them are equally many trees apart. With {n} rows, local_distance='everywhere' is nearer to "
                f"it: it breaks ties."
            )
        plan = forest_plan(self, n)
        n_queries = min(n, MOST_QUERIES if isinstance(self.max_queries, str) else self.max_queries or n)
        self.query_rows_ = None
        if n_queries < n:
            rng = np.random.default_rng(plan.seeds)
            self.query_rows_ = np.sort(rng.choice(n, n_queries, replace=False))
        columns, sizes, nominal, spaces = joined_blocks(question)
        return local_gksg(
            columns,
            sizes,
            plan,
            self.n_neighbors,
            spaces=spaces,
            local_distance=local_distance,
            nominal=nominal,
            queries=self.query_rows_,
            standardize=self.standardize,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
