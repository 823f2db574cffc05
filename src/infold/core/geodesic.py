"""G-KSG: KSG on the distances of a geodesic forest (Sec. 5.1)."""

from __future__ import annotations

import numpy as np

from .distance import LOCAL_DISTANCES, PAPER, diameter, fill_geodesic_row, trees_apart
from .forest import Plan, marginal_leaves
from .jit import kernel
from .neighbors import count_below, digammas, kth_smallest, local_value
from .parallel import blocks, run
from .scaling import standardized, unit_sized

QUERIES = 64  # rows of distances at a time: they share the leaf ids in the cache
FAR = 65535  # trees apart of a row from itself: it is not its own neighbour
ROWS_PER_TASK = 256


@kernel
def geodesic_local_mi(leaves_x, leaves_y, x, y, diameter_x, diameter_y, variant, k, psi, start, stop, out):
    """Fill out[start:stop] with local MI by G-KSG. Sec. 5.1.

    The paper's distances are whole numbers of trees, so "<" is exact on integers; only a row whose k-th neighbour is 0
    trees apart on both sides needs the local part of d_G. The released code's local part can exceed the other side's
    tree counts, so there every row needs it.
    """
    n_trees, n = leaves_x.shape
    apart_x, apart_y = np.empty((QUERIES, n), np.uint16), np.empty((QUERIES, n), np.uint16)
    joint = np.empty(n, np.uint16)
    d_x, d_y, d_joint = np.empty(n), np.empty(n), np.empty(n)
    for first in range(start, stop, QUERIES):
        end = min(first + QUERIES, stop)
        trees_apart(leaves_x, (first, end), (0, n), apart_x)
        trees_apart(leaves_y, (first, end), (0, n), apart_y)
        for i in range(first, end):
            in_x, in_y = apart_x[i - first], apart_y[i - first]
            for j in range(n):
                joint[j] = max(in_x[j], in_y[j])
            joint[i] = FAR
            radius = kth_smallest(joint, k)
            if radius > 0 and variant == PAPER:
                out[i] = psi[k] + psi[n] - (psi[count_below(in_x, radius)] + psi[count_below(in_y, radius)])
            else:
                fill_geodesic_row(in_x, x, i, n_trees, variant, diameter_x, d_x)
                fill_geodesic_row(in_y, y, i, n_trees, variant, diameter_y, d_y)
                out[i] = local_value(d_x, d_y, d_joint, i, k, psi)


def geodesic_ksg(
    x: np.ndarray,
    y: np.ndarray,
    plan: Plan,
    local_distance: str,
    k: int,
    *,
    standardize: bool,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return the local MI (n,) of columns x (d_x, n) and y (d_y, n), none of them constant."""
    points = np.concatenate((x, y))
    points = standardized(points) if standardize else unit_sized(points)
    is_x = np.arange(len(points)) < len(x)
    leaves_x, leaves_y = marginal_leaves(points, plan, is_x, n_jobs=n_jobs, verbose=verbose)
    x, y = points[: len(x)], points[len(x) :]
    diameters, variant = (diameter(x), diameter(y)), LOCAL_DISTANCES[local_distance]
    n = x.shape[1]
    psi, out = digammas(n), np.empty(n)

    def work(start: int, stop: int) -> None:
        geodesic_local_mi(leaves_x, leaves_y, x, y, *diameters, variant, k, psi, start, stop, out)

    run(work, blocks(n, ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return out
