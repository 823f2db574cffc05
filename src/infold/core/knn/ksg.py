"""KSG's local values of some blocks of columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..scaling import comparable, one_unit
from .classes import class_counts
from .counts import neighbor_counts
from .discrete import is_discrete, label_codes, local_discrete
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
    nominal: np.ndarray | None = None,
    discrete_bias: str | None = None,
    standardize: bool = False,
    strict: bool = False,
    n_queries: int | None = None,
    n_jobs: int | None = 1,
    verbose: int = 0,
) -> np.ndarray:
    """Return the local values (n,) of `columns` (d, n), which may be overwritten, in blocks of the given `sizes`.

    By default this is the total correlation of the blocks: of two blocks, their mutual information. Columns in the mask
    `nominal` (d,) have codes, such as 0, 1, 2, that can only be told apart. With a `discrete_bias`, one of
    `discrete.BIASES`, discrete tables get the plug-in estimate. With `n_queries` only the first so many rows get a
    value, from neighbours among all. With `strict`, numbers as far as the k-th neighbour never count.
    """
    asked = shared_spaces(len(sizes)) if spaces is None else spaces
    norms = None if metrics is None else [METRICS[metric] for metric in metrics]
    if discrete_bias is not None and is_discrete(columns, nominal):
        return local_discrete(columns, sizes, asked, discrete_bias)[:n_queries]
    if nominal is None or not nominal.any():
        points, far = comparable(columns, standardize=standardize), np.inf
    elif np.count_nonzero(nominal) == len(nominal) - 1 and not strict:
        single = ~nominal
        columns[single] = one_unit(columns[single], decimals=standardize)
        counts = class_counts(columns, sizes, asked.masks, k, nominal.tolist())
        return local_information(counts[:, :n_queries], asked, columns.shape[1])
    else:
        points, far = apart_by_class(columns, nominal, standardize=standardize)
    counts = neighbor_counts(
        points,
        sizes,
        asked.masks,
        k,
        metrics=norms,
        far=far,
        strict=strict,
        n_queries=n_queries,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return local_information(counts, asked, columns.shape[1])


def apart_by_class(columns: np.ndarray, nominal: np.ndarray, *, standardize: bool) -> tuple[np.ndarray, float]:
    """Return (columns, far): classes are at least `far` apart, and rows of one class are nearer, in any norm."""
    numeric = columns[~nominal]
    far = 1.0
    if len(numeric):
        numeric = columns[~nominal] = comparable(numeric, standardize=standardize)
        widest = float((numeric.max(axis=1) - numeric.min(axis=1)).max())
        far = math.ldexp(1.0, math.frexp(widest * len(numeric))[1])  # a power of two, so that products are exact
    columns[nominal] = [far * label_codes(column) for column in columns[nominal]]
    return columns, far
