"""KSG: mutual information, also given Z, by k nearest neighbours."""

from __future__ import annotations

import numpy as np

from infold.data.checks import check_choice
from infold.data.question import Question

from .base import Measure, MutualInformationEstimator, joined_blocks

TIES = (
    "Values repeat, and with standardize=False rows exactly as far as the k-th neighbour never count: the estimate is "
    "too high. Leave standardize=True, which allows for ties."
)


class KSG(MutualInformationEstimator):
    """Mutual information by k nearest neighbours (Kraskov, Stögbauer & Grassberger 2004, first estimator).

    Given Z, the conditional mutual information after Frenzel & Pompe (2007).

    Parameters
    ----------
    n_neighbors : int, default=3
        k. Small: little bias, more noise; large: the reverse.
    metric : {"chebyshev", "euclidean"} or a pair of them, or a triple with Z, default="chebyshev"
        The norm on X and on Y (and on Z); a pair (or triple) gives each its own. The joint distance is their maximum.
    standardize : bool, default=True
        Bring every column to standard deviation 1 first, so that units do not change the answer. Without it columns are
        used as they are, and rows exactly as far away as the k-th neighbour never count, as in other packages.
    discrete_bias : {"miller-madow", "none"}, default="miller-madow"
        Which bias is subtracted from the plug-in estimate of a discrete table.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats; never clamped, so independent data can give a little less than 0.
    local_mi_ : ndarray of shape (n_samples,)
        One value per sample; their mean is `mi_`.

    Notes
    -----
    Constant columns are left out with a warning; if X or Y is constant, the answer is 0.

    Ties: where several rows are as far as the k-th neighbour, the answer is the mean over all orders in which they
    might come, as if tiny noise had been added to the data again and again (scikit-learn adds some once). So counts,
    rounded values and mixtures of atoms and a density need no preparation. A row with k or more exact copies counts as
    an atom of a discrete distribution. With ``standardize=False`` only the rule for copies holds; rounded values then
    make the answer too high, and a warning says so where values repeat often.

    Nominal columns: another label is farther than any number, so neighbours are sought within a class. In a class of at
    most k rows, all are neighbours; a row alone in its class adds 0 to the information about numbers. For one
    nominal and one continuous column this is Ross's estimator (2014).

    Discrete tables: if all columns are nominal, or no more than one row in 20 is distinct, the answer is the plug-in
    estimate less its Miller-Madow bias. With more distinct rows this would be too high; the rule for ties is not.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=1000, random_state=0)  # truth: 0.830
    >>> round(infold.KSG(n_neighbors=3).fit(data.X, data.Y).mi_, 1)
    0.8
    >>> hint = data.Y + data.Y[::-1]  # a noisy Y: it leaves less for X to tell
    >>> round(infold.KSG(n_neighbors=3).fit(data.X, data.Y, Z=hint).mi_, 1)
    0.5
    """

    counts_classes = True

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        metric: str | tuple[str, ...] = "chebyshev",
        standardize: bool = True,
        discrete_bias: str = "miller-madow",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.standardize = standardize
        self.discrete_bias = discrete_bias
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _metrics(self) -> tuple[str, ...]:
        return (self.metric,) * 3 if isinstance(self.metric, str) else tuple(self.metric)

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        super().check_parameters()
        for metric in self._metrics():
            check_choice("metric", metric, ("chebyshev", "euclidean"))
        check_choice("discrete_bias", self.discrete_bias, ("miller-madow", "none"))

    def check_question(self, question: Question) -> None:
        """Refuse a question that is not for this method."""
        super().check_question(question)
        if not isinstance(self.metric, str) and len(self.metric) != len(question.blocks):
            several = "a triple, for X, Y and Z" if "Z" in question.blocks else "a pair, for X and for Y"
            raise ValueError(f"metric={self.metric!r} must be one name or {several}; pass one of these.")

    def _local_mi(self, question: Question) -> np.ndarray:
        from infold.core.knn.discrete import is_discrete
        from infold.core.knn.ksg import local_ksg

        columns, sizes, nominal, spaces = joined_blocks(question)
        if not self.standardize and not is_discrete(columns, nominal):
            numbers = columns if nominal is None else columns[~nominal]
            if any(2 * np.unique(column).size <= column.size for column in numbers):
                self._doubts.append(TIES)
        return local_ksg(
            columns,
            sizes,
            self.n_neighbors,
            spaces=spaces,
            metrics=self._metrics()[: len(sizes)],
            nominal=nominal,
            discrete_bias=self.discrete_bias,
            standardize=self.standardize,
            strict=not self.standardize,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def versions_measure(self, question: Question, redrawn: np.ndarray) -> Measure | None:
        """Return f(versions, n_jobs): the MI given Z of X with each of the versions (B, q, n) of Y."""
        from infold.core.knn.discrete import is_discrete
        from infold.core.knn.versions import comparable_blocks, information_of_versions

        columns, _, nominal, _ = joined_blocks(question)
        if not self.standardize or set(self._metrics()) != {"chebyshev"} or is_discrete(columns, nominal):
            return None
        masks = [question.nominal(name) for name in ("X", "Y", "Z")]
        x, y, z = (question.columns(name) for name in ("X", "Y", "Z"))
        blocks = comparable_blocks(x, y, z, masks, redrawn)

        def measure(versions: np.ndarray, n_jobs: int | None) -> np.ndarray:
            units = blocks.of_version(versions)
            return information_of_versions(blocks.x, blocks.z, units, self.n_neighbors, far=blocks.far, n_jobs=n_jobs)

        return measure
