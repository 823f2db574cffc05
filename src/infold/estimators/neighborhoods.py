"""GKNN and LNN: estimators from the shape of each sample's neighbourhood, I = h(X) + h(Y) − h(X, Y)."""

from __future__ import annotations

import numpy as np

from infold.data.checks import check_choice
from infold.data.question import Question

from .base import MutualInformationEstimator


class _EntropySum(MutualInformationEstimator):
    """Local MI as the sum of local entropies of X and of Y, less those of both together."""

    takes_nominal = False
    takes_given = False
    standardize: bool

    def _local_mi(self, question: Question) -> np.ndarray:
        from infold.core.scaling import joined, standardized
        from infold.parallel.scheduler import one_blas_thread

        x, y = question.columns("X"), question.columns("Y")
        points = joined([x, y])
        points = np.ascontiguousarray((standardized(points) if self.standardize else points).T)
        d_x = len(x)
        sides = {"X": points[:, :d_x], "Y": points[:, d_x:], "X and Y together": points}
        # One thread of BLAS for each of ours: the matrices are small, and its threads would wait for each other.
        with one_blas_thread():
            in_x, in_y, in_both = (self._local_entropy(side, name) for name, side in sides.items())
        return in_x + in_y - in_both

    def _local_entropy(self, points: np.ndarray, name: str) -> np.ndarray:
        raise NotImplementedError  # pragma: no cover

    def _doubt(self, name: str, what: str) -> None:
        self._doubts.append(f"{type(self).__name__} on {name} ({self.n_samples_} samples): {what}.")


class GKNN(_EntropySum):
    """Mutual information by k nearest neighbours with ellipsoids for volumes (Lord, Sun & Bollt 2018).

    Parameters
    ----------
    n_neighbors : int, default=20
        k. The ellipsoid is fitted to a sample and its k neighbours, so k should be well above the number of columns.
    standardize : bool, default=True
        Bring every column to mean 0 and standard deviation 1 first.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=0
        Accepted as by the other methods; the work is too short for a progress bar.

    Attributes
    ----------
    mi_ : float
        The estimate in nats; never clamped.
    local_mi_ : ndarray of shape (n_samples,)
        One value per sample; their mean is `mi_`.

    Notes
    -----
    Volumes are computed as logarithms. Where the method does not apply, it warns and says what it did: directions that
    k neighbours cannot show (k < columns) take the narrowest width seen, flat neighbourhoods are given a width of
    1e-10 of their longest, and a sample that coincides with its k neighbours counts as dense as the densest other.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=1000, random_state=0)  # truth: 0.830
    >>> 0.6 < infold.GKNN().fit(data.X, data.Y).mi_ < 1.1
    True
    """

    def __init__(
        self, n_neighbors: int = 20, *, standardize: bool = True, n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.n_neighbors = n_neighbors
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _local_entropy(self, points: np.ndarray, name: str) -> np.ndarray:
        from infold.core.entropy.gknn import gknn_local

        local, status = gknn_local(points, self.n_neighbors, n_jobs=self.n_jobs)
        d = points.shape[1]
        if status.unseen:
            self._doubt(
                name,
                f"{self.n_neighbors} neighbours cannot show the shape of {d} dimensions, so {status.unseen} widths "
                f"were taken to be the narrowest seen, and the estimate means little; raise n_neighbors above {d}",
            )
        elif status.singular:
            self._doubt(
                name,
                f"{status.singular} neighbourhoods are flat, and were given a width of 1e-10 of their longest; "
                f"drop columns that follow from others",
            )
        if status.zero_distance:
            self._doubt(
                name,
                f"{status.zero_distance} samples coincide with all their neighbours, and were taken to be as dense as "
                f"the densest other; raise n_neighbors or drop copies",
            )
        return local


class LNN(_EntropySum):
    """Mutual information by local Gaussian likelihood with nearest-neighbour bandwidths (Gao, Oh & Viswanath 2017).

    Parameters
    ----------
    n_neighbors : int, default=5
        The neighbour whose distance is the bandwidth (k' in the paper).
    variant : {"defined", "rmi"}, default="defined"
        As its authors define it, or as the R package rmi computes it, with three defects: neighbours in max norm, a
        truncated quadratic form, and entropy 0 where no local value is positive. G-KSG's paper was compared with that.
    standardize : bool, default=True
        Bring every column to mean 0 and standard deviation 1 first.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=0
        Accepted as by the other methods; the work is too short for a progress bar.

    Attributes
    ----------
    mi_ : float
        The estimate in nats; never clamped.
    local_mi_ : ndarray of shape (n_samples,)
        One value per sample; their mean is `mi_`. A sample that was left out holds the mean of the others.

    Notes
    -----
    The likelihood runs over 30 neighbours, or twice the number of columns where that is not enough, with a warning.
    Samples whose neighbourhood is flat are left out, with a warning; if none would be left, all are widened a little,
    with a warning. If every sample coincides with its neighbours, that is an error.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=1000, random_state=0)  # truth: 0.830
    >>> 0.4 < infold.LNN().fit(data.X, data.Y).mi_ < 1.1
    True
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        variant: str = "defined",
        standardize: bool = True,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.standardize = standardize
        self.n_jobs = n_jobs
        self.verbose = verbose

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        super().check_parameters()
        check_choice("variant", self.variant, ("defined", "rmi"))

    def _local_entropy(self, points: np.ndarray, name: str) -> np.ndarray:
        from infold.core.entropy.lnn import LNN_SPAN, lnn_local

        n, d = points.shape
        span = LNN_SPAN if d < LNN_SPAN or self.variant == "rmi" else 2 * d
        if span > LNN_SPAN:
            self._doubt(
                name,
                f"{LNN_SPAN} neighbours are too few for {d} dimensions, so {min(span, n - 1)} were used, and the "
                f"estimate means little; use fewer columns",
            )
        local, status = lnn_local(points, self.n_neighbors, span=span, variant=self.variant, n_jobs=self.n_jobs)
        if status.widened:
            self._doubt(
                name,
                f"all {status.widened} neighbourhoods are flat, so each was widened by 1e-4 of its squared bandwidth, "
                f"and the estimate means little; drop columns that follow from others",
            )
        if left_out := status.zero_distance + status.singular:
            self._doubt(name, f"{left_out} samples with flat neighbourhoods were left out; drop copied rows or columns")
        if status.set_to_zero:
            self._doubt(name, "no local entropy was positive, so variant='rmi' took the entropy to be 0, as rmi does")
        return local
