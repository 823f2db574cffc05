"""G-KSG's local values of some blocks of columns (Sec. 5.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..forest.forest import Plan, marginal_leaves
from ..knn.discrete import local_discrete, row_codes
from ..knn.information import Spaces, local_information, shared_spaces
from ..scaling import standardized, unit_sized
from .counts import geodesic_counts
from .distance import local_part


def local_gksg(
    columns: np.ndarray,
    sizes: Sequence[int],
    plan: Plan,
    k: int,
    *,
    spaces: Spaces | None = None,
    local_distance: str = "paper",
    nominal: np.ndarray | None = None,
    discrete_bias: str = "miller-madow",
    queries: np.ndarray | None = None,
    standardize: bool = False,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> np.ndarray:
    """Return the local values of the rows `queries` (None: all) of `columns` (d, n), which may be overwritten.

    Blocks have the given `sizes`. The forest is grown on all columns. By default this is the total correlation of the
    blocks: of two blocks, their mutual information.

    Columns in the mask `nominal` (d,) have codes, such as 0, 1, 2, that can only be told apart. No tree is grown on
    them: the two Gaussians of a cut have a spread, and an indicator's 0 and 1 have none, so that it would never be cut.
    Rows with other codes in a block are farther apart in it than all trees can tell. If all columns are nominal, the
    answer is the plug-in estimate, see `knn.discrete.local_discrete`.
    """
    asked = shared_spaces(len(sizes)) if spaces is None else spaces
    codes = None
    if nominal is not None and nominal.any():
        if nominal.all():
            local = local_discrete(columns, sizes, asked, discrete_bias)
            return local if queries is None else local[queries]
        codes = block_codes(columns, sizes, nominal)
        sizes = [int(np.count_nonzero(~own)) for own in np.split(nominal, np.cumsum(sizes)[:-1])]
        columns = columns[~nominal]
    points = standardized(columns, out=columns) if standardize else unit_sized(columns)
    n, starts = points.shape[1], np.concatenate(([0], np.cumsum(sizes)))
    # Along the order of its only column a block's leaves are intervals; several columns have no order.
    orders = [
        np.argsort(points[first], kind="stable") if size == 1 else np.arange(n)
        for first, size in zip(starts, sizes, strict=False)
    ]
    leaves = marginal_leaves(points, sizes, plan, orders, n_jobs=n_jobs, verbose=verbose)
    blocks = [points[first:stop] for first, stop in pairwise(starts)]
    counts = geodesic_counts(
        leaves,
        points,
        sizes,
        orders,
        local_part(local_distance, len(plan.seeds), blocks),
        asked.masks,
        k,
        np.arange(n) if queries is None else queries,
        codes=codes,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return local_information(counts, asked, n)


def block_codes(columns: np.ndarray, sizes: Sequence[int], nominal: np.ndarray) -> np.ndarray:
    """Return codes (blocks, n) that are equal for rows with equal labels in all nominal columns of a block."""
    codes = np.zeros((len(sizes), columns.shape[1]), np.int64)
    for own, (first, stop) in zip(codes, pairwise(np.concatenate(([0], np.cumsum(sizes)))), strict=True):
        labels = columns[first:stop][nominal[first:stop]]
        if len(labels):
            own[:] = row_codes(labels)
    return codes
