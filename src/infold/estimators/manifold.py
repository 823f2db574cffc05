"""GeodesicForest: the forest by itself, for neighbours and distances on a manifold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from infold.data.checks import check_count
from infold.data.tables import check_table

from .geodesic import check_forest_parameters, forest_plan


class GeodesicForest(BaseEstimator):  # type: ignore[misc]
    """An unsupervised forest whose leaves follow the manifold that the data lie on (Madhyastha et al. 2020).

    Parameters
    ----------
    n_estimators, criterion, min_samples_split, max_samples, local_distance, split_search, standardize, random_state, \
n_jobs, verbose
        As in :class:`infold.GeodesicKSG`.

    Attributes
    ----------
    n_features_in_ : int
        Columns of the table it was grown on.
    leaves_ : ndarray of shape (n_samples, n_estimators)
        The leaf of each row in each tree.

    Examples
    --------
    >>> import numpy as np, infold
    >>> helix = infold.datasets.make_helix(n_samples=300, random_state=0)
    >>> forest = infold.GeodesicForest(random_state=0).fit(helix.Y)
    >>> distances, neighbors = forest.kneighbors(n_neighbors=5)
    >>> along = helix.X[neighbors, 0] - helix.X  # neighbours in the forest are neighbours along the helix
    >>> bool(np.median(np.abs(along)) < 0.5)
    True
    """

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        criterion: str = "fast_bic",
        min_samples_split: int | None = None,
        max_samples: int | float | str | None = "auto",
        local_distance: str = "paper",
        split_search: str = "fast",
        standardize: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.max_samples = max_samples
        self.local_distance = local_distance
        self.split_search = split_search
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest on the rows of X; `y` is ignored."""
        from infold.core.forest.forest import grow_forest
        from infold.core.scaling import column_scales, unit_of

        check_forest_parameters(self)
        table = check_table(X, "X", discrete=False)
        if len(table.values) < 2:
            raise ValueError("X has 1 sample (n_samples = 1), but a tree needs at least 2; pass more rows.")
        self.n_features_in_ = table.values.shape[1]
        if table.names:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if self.standardize:
            self._shift, scale = column_scales(table.values.T)
            self._scale = np.where(scale > 0, scale, 1.0)
        else:
            self._shift = np.zeros(self.n_features_in_)
            self._scale = np.full(self.n_features_in_, unit_of(table.values))
        self._points = self._prepared(table.values)
        plan = forest_plan(self, len(table.values))
        self.trees_ = grow_forest(self._points, plan, n_jobs=self.n_jobs, verbose=self.verbose)
        self.leaves_ = self._leaves(self._points, None).T
        return self

    def apply(self, X: Any, *, columns: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """Return the leaf of each row of X in each tree, (n_samples, n_estimators).

        With `columns` (numbers, or a mask) the others count as 0: the marginal leaves of that subspace.
        """
        return self._leaves(self._prepared(self._checked(X)), columns).T

    def proximity(self, X: Any = None, *, columns: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """Return the share of trees in which rows share a leaf, (n_samples, n_fitted).

        Rows of X against the rows that the forest was grown on; X=None takes these on both sides. This is an n × n
        array: `kneighbors` needs none.
        """
        from infold.core.geodesic.matrix import apart_matrix

        leaves, _, rows = self._both(X, columns)
        return 1.0 - apart_matrix(leaves, rows, self._points.shape[1]) / self.n_estimators

    def distance(self, X: Any = None, *, columns: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """Return the geodesic distances d_G, (n_samples, n_fitted): an n × n array, since it is asked for."""
        from infold.core.geodesic.matrix import geodesic_matrix

        leaves, points, rows = self._both(X, columns)
        return geodesic_matrix(leaves, points, rows, self._points.shape[1], self._local_part(points))

    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, *, columns: Sequence[int] | np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (distances, rows) of the nearest fitted rows, nearest first, each (n_samples, n_neighbors).

        With X=None a row is not its own neighbour.
        """
        from infold.core.geodesic.matrix import geodesic_neighbors

        check_is_fitted(self, "trees_")
        n = self._points.shape[1]
        check_count("n_neighbors", n_neighbors)
        if n_neighbors > n - (X is None):
            raise ValueError(
                f"n_neighbors={n_neighbors} needs more than the {n} samples of the forest; lower n_neighbors."
            )
        leaves, points, rows = self._both(X, columns)
        local = self._local_part(points)
        return geodesic_neighbors(leaves, points, rows, n, local, n_neighbors, n_jobs=self.n_jobs, verbose=self.verbose)

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "trees_")
        values = check_table(X, "X", discrete=False).values
        if values.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {values.shape[1]} features, but GeodesicForest is expecting {self.n_features_in_} features "
                f"as input; pass the columns it was fitted on."
            )
        return values

    def _prepared(self, values: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray((values.T - self._shift[:, None]) / self._scale[:, None])

    def _mask(self, columns: Sequence[int] | np.ndarray | None) -> np.ndarray:
        used = np.full(self.n_features_in_, columns is None)
        if columns is not None:
            try:
                used[np.asarray(columns)] = True
            except IndexError as error:
                raise ValueError(
                    f"columns={columns!r} must be numbers below {self.n_features_in_} or a mask ({error}); pass these."
                ) from None
        return used

    def _leaves(self, points: np.ndarray, columns: Sequence[int] | np.ndarray | None) -> np.ndarray:
        from infold.core.forest.forest import leaf_nodes

        return leaf_nodes(self.trees_, points, self._mask(columns), n_jobs=self.n_jobs, verbose=self.verbose)

    def _local_part(self, points: np.ndarray) -> Any:
        from infold.core.geodesic.distance import local_part

        return local_part(self.local_distance, self.n_estimators, [points[:, : self._points.shape[1]]])

    def _both(self, X: Any, columns: Sequence[int] | np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return leaves and used columns of the fitted rows followed by those of X, and the rows that are asked for."""
        check_is_fitted(self, "trees_")
        n = self._points.shape[1]
        points, rows = self._points, np.arange(n)
        if X is not None:
            new = self._prepared(self._checked(X))
            points, rows = np.concatenate((points, new), axis=1), np.arange(n, n + new.shape[1])
        leaves = self._leaves(points, columns)
        leaves = leaves.astype(np.min_scalar_type(max(256, int(leaves.max()))))  # fewer bytes to compare
        return leaves, np.ascontiguousarray(points[self._mask(columns)]), rows
