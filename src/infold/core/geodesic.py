"""G-KSG: KSG on the distances of a geodesic forest (Sec. 5.1)."""

from __future__ import annotations

import numpy as np

from .distance import LOCAL_DISTANCES, diameter, euclidean, local_scale, trees_apart
from .forest import Plan, compact, grow_forest, leaf_nodes
from .jit import kernel
from .neighbors import count_below, count_zeros, digammas, kth_smallest
from .parallel import blocks, run
from .scaling import standardized, unit_sized

QUERIES = 64  # rows of distances at a time: they share the leaf ids in the cache
FAR = 65535  # trees apart of a row from itself: it is not its own neighbour
ROWS_PER_TASK = 256


@kernel
def within_leaves(apart_x, apart_y, x, y, scale_x, scale_y, i, k, psi):
    """Return (local MI, atom or not) of row i, whose k nearest neighbours share all of its leaves on both sides."""
    n = apart_x.size
    in_x, in_y, joint = np.empty(n), np.empty(n), np.empty(n)
    n_x, n_y, n_joint = 0, 0, 0
    for j in range(n):
        if apart_x[j] == 0:
            in_x[n_x] = euclidean(x, i, j) / scale_x[0] * scale_x[1]
            n_x += 1
        if apart_y[j] == 0:
            in_y[n_y] = euclidean(y, i, j) / scale_y[0] * scale_y[1]
            n_y += 1
        if apart_x[j] == 0 and apart_y[j] == 0:
            joint[n_joint] = max(in_x[n_x - 1], in_y[n_y - 1])
            n_joint += 1
    radius = kth_smallest(joint[:n_joint], k)
    if radius > 0.0:
        near_x, near_y = count_below(in_x[:n_x], radius), count_below(in_y[:n_y], radius)
        return psi[k] + psi[n] - (psi[near_x + 1] + psi[near_y + 1]), False
    copies = 1 + count_zeros(joint[:n_joint])
    return psi[copies] + psi[n] - (psi[1 + count_zeros(in_x[:n_x])] + psi[1 + count_zeros(in_y[:n_y])]), True


@kernel
def geodesic_local_mi(leaves_x, leaves_y, x, y, diameter_x, diameter_y, variant, k, psi, start, stop, out):
    """Fill out[start:stop] with local MI by G-KSG; return how many rows were atoms. Sec. 5.1.

    Distances are whole numbers of trees, so "<" is exact; only a row whose k-th neighbour is 0 trees apart on both
    sides needs the local part of d_G.
    """
    n_trees, n = leaves_x.shape
    apart_x, apart_y = np.empty((QUERIES, n), np.uint16), np.empty((QUERIES, n), np.uint16)
    joint = np.empty(n, np.uint16)
    atoms = 0
    for first in range(start, stop, QUERIES):
        end = min(first + QUERIES, stop)
        trees_apart(leaves_x, (first, end), (0, n), apart_x)
        trees_apart(leaves_y, (first, end), (0, n), apart_y)
        for i in range(first, end):
            in_x, in_y = apart_x[i - first], apart_y[i - first]
            in_x[i] = in_y[i] = FAR
            for j in range(n):
                joint[j] = max(in_x[j], in_y[j])
            radius = kth_smallest(joint, k)
            if radius > 0:
                out[i] = psi[k] + psi[n] - (psi[1 + count_below(in_x, radius)] + psi[1 + count_below(in_y, radius)])
                continue
            scale_x = local_scale(variant, in_x, x, i, n_trees, diameter_x)
            scale_y = local_scale(variant, in_y, y, i, n_trees, diameter_y)
            out[i], is_atom = within_leaves(in_x, in_y, x, y, scale_x, scale_y, i, k, psi)
            atoms += is_atom
    return atoms


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
    forest = grow_forest(points, plan, n_jobs=n_jobs, verbose=verbose)
    leaves_x = compact(leaf_nodes(forest, points, is_x, n_jobs=n_jobs, verbose=verbose))
    leaves_y = compact(leaf_nodes(forest, points, ~is_x, n_jobs=n_jobs, verbose=verbose))
    x, y = points[: len(x)], points[len(x) :]
    diameters, variant = (diameter(x), diameter(y)), LOCAL_DISTANCES[local_distance]
    n = x.shape[1]
    psi, out = digammas(n), np.empty(n)

    def work(start: int, stop: int) -> None:
        geodesic_local_mi(leaves_x, leaves_y, x, y, *diameters, variant, k, psi, start, stop, out)

    run(work, blocks(n, ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return out
