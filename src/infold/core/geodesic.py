"""G-KSG: KSG on the distances of a geodesic forest (Sec. 5.1)."""

from __future__ import annotations

import numpy as np

from .distance import LOCAL_DISTANCES, PAPER, diameter, fill_geodesic_row
from .folded import folded_apart, folded_side
from .forest import Plan, marginal_leaves
from .intervals import Runs, bound_radii, fill_within, find_radii, find_windows, runs_of
from .jit import kernel
from .neighbors import count_below, digammas, kth_smallest, local_value
from .parallel import blocks, run
from .scaling import joined, standardized, unit_sized

QUERIES = 64  # rows of distances at a time: they share the leaf ids in the cache
FAR = 65535  # trees apart of a row from itself: it is not its own neighbour
ROWS_PER_TASK = 256


@kernel
def geodesic_local_mi(side_x, side_y, x, y, diameter_x, diameter_y, variant, k, psi, start, stop, out):
    """Fill out[start:stop] with local MI by G-KSG. Sec. 5.1.

    The paper's distances are whole numbers of trees, so "<" is exact on integers; only a row whose k-th neighbour is 0
    trees apart on both sides needs the local part of d_G. The released code's local part can exceed the other side's
    tree counts, so there every row needs it.
    """
    n_trees, n = side_x.folded.shape
    n_together = min(QUERIES, stop - start)
    apart_x, apart_y = np.empty((n_together, n), np.uint16), np.empty((n_together, n), np.uint16)
    joint = np.empty(n, np.uint16)
    d_x, d_y, d_joint = np.empty(n), np.empty(n), np.empty(n)
    for first in range(start, stop, QUERIES):
        end = min(first + QUERIES, stop)
        folded_apart(side_x, (first, end), apart_x)
        folded_apart(side_y, (first, end), apart_y)
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
    queries: np.ndarray | None,
    *,
    standardize: bool,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return the local MI of the rows `queries` (None: all); x is (d_x, n), y (d_y, n), no column is constant."""
    points = joined(x, y)
    points = standardized(points, out=points) if standardize else unit_sized(points)
    n = points.shape[1]
    n_queries = n if queries is None else len(queries)
    if queries is not None:  # the rows asked for come first
        order = np.concatenate((queries, np.delete(np.arange(n), queries)))
        for column in points:  # one at a time: no second table
            column[:] = column[order]
    is_x = np.arange(len(points)) < len(x)
    leaves_x, leaves_y = marginal_leaves(points, plan, is_x, n_jobs=n_jobs, verbose=verbose)
    x, y = points[: len(x)], points[len(x) :]
    if len(x) == len(y) == 1 and local_distance == "paper":
        return by_walking(x[0], y[0], leaves_x, leaves_y, k, n_jobs=n_jobs, verbose=verbose)[:n_queries]
    diameters, variant = (diameter(x), diameter(y)), LOCAL_DISTANCES[local_distance]
    psi, out = digammas(n), np.empty(n_queries)
    sides = run(folded_side, [(leaves_x,), (leaves_y,)], n_jobs=n_jobs, label="G-KSG", verbose=verbose)

    def work(start: int, stop: int) -> None:
        geodesic_local_mi(*sides, x, y, *diameters, variant, k, psi, start, stop, out)

    run(work, blocks(n_queries, ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return out


def by_walking(
    x: np.ndarray,
    y: np.ndarray,
    leaves_x: np.ndarray,
    leaves_y: np.ndarray,
    k: int,
    *,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return what `geodesic_local_mi` gives, for one column a side: without a look at every pair.

    A few rows near by bound the radius; only rows within the bound on both sides are then compared.
    """
    n = x.size

    def line_up(values: np.ndarray, leaves: np.ndarray) -> Runs:
        return Runs(*runs_of(leaves, np.argsort(values, kind="stable").astype(np.int32)))

    sides = [(x, leaves_x), (y, leaves_y)]
    runs_x, runs_y = run(line_up, sides, n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    rows_of_y = np.ascontiguousarray(leaves_y.T)
    place_in_y = runs_y.rank[runs_x.order]
    radius, near_x, near_y = np.empty(n, np.int32), np.empty((n, 2), np.int32), np.empty((n, 2), np.int32)
    along_x = runs_x, place_in_y, rows_of_y

    def bound(start: int, stop: int) -> None:
        bound_radii(*along_x, k, start, stop, radius)

    def narrow(start: int, stop: int) -> None:
        find_windows(runs_y, radius, start, stop, near_y)

    def search(start: int, stop: int) -> None:
        find_radii(*along_x, near_y, k, start, stop, radius)

    def count(start: int, stop: int) -> None:
        find_windows(runs_x, radius, start, stop, near_x)
        find_windows(runs_y, radius, start, stop, near_y)

    tasks = blocks(n, max(ROWS_PER_TASK, n // 64))  # a walk is set up once a task
    for work in (bound, narrow, search, count):
        run(work, tasks, n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    psi = digammas(n)
    n_x, n_y = near_x[:, 1] - near_x[:, 0], near_y[:, 1] - near_y[:, 0]
    out = psi[k] + psi[n] - (psi[n_x] + psi[n_y])
    sizes = float(np.ptp(x)), float(np.ptp(y))
    fill_within(np.flatnonzero(radius == 0), runs_x, runs_y, near_x, near_y, x, y, *sizes, k, psi, out)
    return out
