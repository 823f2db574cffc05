"""KSG's local values of some blocks of columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..scaling import comparable
from .counts import neighbor_counts
from .information import Spaces, local_information, shared_spaces
from .scan import CHEBYSHEV, EUCLIDEAN

METRICS = {"chebyshev": CHEBYSHEV, "euclidean": EUCLIDEAN}


def local_ksg(
    columns: np.ndarray,
    sizes: Sequence[int],
    k: int,
    *,
    spaces: Spaces | None = None,
    metrics: Sequence[str] | None = None,
    standardize: bool = False,
    n_queries: int | None = None,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> np.ndarray:
    """Return the local values (n,) of `columns` (d, n), which may be overwritten, in blocks of the given `sizes`.

    By default this is the total correlation of the blocks: of two blocks, their mutual information. With `n_queries`
    only the first so many rows get a value, from neighbours among all.
    """
    asked = shared_spaces(len(sizes)) if spaces is None else spaces
    norms = None if metrics is None else [METRICS[metric] for metric in metrics]
    counts = neighbor_counts(
        comparable(columns, standardize=standardize),
        sizes,
        asked.masks,
        k,
        metrics=norms,
        n_queries=n_queries,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return local_information(counts, asked, columns.shape[1])
