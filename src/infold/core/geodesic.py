"""G-KSG: KSG on the distances of a geodesic forest (Sec. 5.1)."""

from __future__ import annotations

import numpy as np

from .distance import EVERYWHERE, LOCAL_DISTANCES, RELEASED, diameter, fill_geodesic_row
from .folded import FAR, count_nearer, folded_side, list_same, look_around, look_away, look_from
from .forest import Plan, marginal_leaves
from .intervals import Runs, bound_radii, fill_within, find_radii, find_windows, runs_of
from .jit import FIRST, kernel, part
from .neighbors import digammas, local_value
from .parallel import blocks, run
from .scaling import joined, standardized, unit_sized
from .ties import fill_untied, look_at_border, untied_counts

ROWS_PER_TASK = 256
TOGETHER = 8  # rows that look for neighbours at a time: they share blocks in the cache, and their distances fit it
STEP = 16  # trees by which they look farther, while neighbours may be there


@part
def room_to_look(together, n_trees, n_blocks, width):
    """Return the room in which some rows look `together` at one side."""
    own, least = np.empty((together, n_trees), np.uint8), np.empty((together, n_blocks), np.int32)
    return own, least, np.full((together, n_blocks * width), np.int32(FAR))


@kernel
def geodesic_local_mi(side_x, side_y, x, y, diameter_x, diameter_y, variant, k, psi, places, out):
    """Fill out[row] with local MI by G-KSG for the rows that are at `places` of side_x, best in rising order. Sec. 5.1.

    Blocks of rows are compared where they may be near, on either side, farther and farther out until k neighbours are
    nearer than any other block. The paper's distances are whole numbers of trees, so "<" is exact on integers; only a
    row whose k-th neighbour is 0 trees apart on both sides needs the local part of d_G. The released code's local part
    can exceed the other side's tree counts, so there every row needs it, and all are compared. Everywhere added, the
    paper's local part decides among rows as many trees apart as the k-th neighbour.
    """
    n, n_trees, width = side_x.order.size, side_x.absent.shape[0], side_x.folded.shape[1]
    n_blocks = side_x.absent.shape[2]
    together = min(TOGETHER, places.size)
    own_x, least_x, apart_x = room_to_look(together, n_trees, n_blocks, width)
    own_y, least_y, apart_y = room_to_look(together, n_trees, n_blocks, width)
    rows, best = np.empty(together, np.int64), np.empty((together, k + 1), np.int64)  # the row itself is its best
    count, apart, near = np.empty(width, np.uint8), np.empty(n, np.int32), np.empty(n + 1, np.int32)
    d_x, d_y, d_joint = np.empty(n), np.empty(n), np.empty(n)
    for first in range(0, places.size, together):
        m = min(together, places.size - first)
        for q in range(m):
            rows[q] = side_x.order[places[first + q]]
            look_from(side_x, places[first + q], own_x[q], least_x[q], apart_x[q])
            look_from(side_y, side_y.place[rows[q]], own_y[q], least_y[q], apart_y[q])
        best[:] = FAR
        level, farthest = 0, FAR
        while level < farthest:
            level = level + STEP if variant != RELEASED else FAR
            look_around(level, m, side_x, own_x, least_x, apart_x, side_y, apart_y, count, best)
            look_around(level, m, side_y, own_y, least_y, apart_y, side_x, apart_x, count, best)
            farthest = 0
            for q in range(m):
                farthest = max(farthest, best[q, k])
        for q in range(m):
            row, radius = rows[q], best[q, k]
            if radius > 0 and variant != RELEASED:
                if variant == EVERYWHERE:
                    look_at_border(radius, side_x, own_x[q], least_x[q], apart_x[q], side_y, apart_y[q], count, best[q])
                    look_at_border(radius, side_y, own_y[q], least_y[q], apart_y[q], side_x, apart_x[q], count, best[q])
                    at_x, at_y = (side_x, least_x[q], apart_x[q]), (side_y, least_y[q], apart_y[q])
                    sizes, room = (x, y, diameter_x, diameter_y), (near, apart, d_x, d_y, d_joint)
                    n_x, n_y = untied_counts(radius, row, k, *at_x, *at_y, *sizes, best[q], room)
                else:
                    n_x = count_nearer(radius, least_x[q], apart_x[q])
                    n_y = count_nearer(radius, least_y[q], apart_y[q])
                out[row] = psi[k] + psi[n] - (psi[n_x] + psi[n_y])
            else:
                n_near = n
                if variant != RELEASED:  # a row that is one tree or more away on both sides is out of reach
                    n_near = list_same(side_x, least_x[q], apart_x[q], side_y, apart_y[q], False, near, FIRST)
                    n_near = list_same(side_y, least_y[q], apart_y[q], side_x, apart_x[q], True, near, n_near)
                own = FIRST
                for i in range(n_near):
                    near[i] = near[i] if variant != RELEASED else i
                    own = i if near[i] == row else own
                    apart[i] = apart_x[q, side_x.place[near[i]]]
                rows_near, trees_near = near[:n_near], apart[:n_near]
                fill_geodesic_row(trees_near, rows_near, x, row, n_trees, variant, diameter_x, d_x)
                for i in range(n_near):
                    apart[i] = apart_y[q, side_y.place[near[i]]]
                fill_geodesic_row(trees_near, rows_near, y, row, n_trees, variant, diameter_y, d_y)
                out[row] = local_value(d_x[:n_near], d_y[:n_near], d_joint[:n_near], own, k, n, psi)
            look_away(side_x, own_x[q], least_x[q], apart_x[q])
            look_away(side_y, own_y[q], least_y[q], apart_y[q])


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
    variant = LOCAL_DISTANCES[local_distance]
    if len(x) == len(y) == 1 and variant != RELEASED:
        return by_walking(x[0], y[0], leaves_x, leaves_y, variant, k, n_jobs=n_jobs, verbose=verbose)[:n_queries]
    diameters = diameter(x), diameter(y)
    psi, out = digammas(n), np.empty(n_queries)
    sides = run(folded_side, [(leaves_x,), (leaves_y,)], n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    del leaves_x, leaves_y  # what is needed of them is there
    places = np.sort(sides[0].place[:n_queries])

    def work(start: int, stop: int) -> None:
        geodesic_local_mi(*sides, x, y, *diameters, variant, k, psi, places[start:stop], out)

    run(work, blocks(n_queries, ROWS_PER_TASK), n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    return out


def by_walking(
    x: np.ndarray,
    y: np.ndarray,
    leaves_x: np.ndarray,
    leaves_y: np.ndarray,
    variant: int,
    k: int,
    *,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return what `geodesic_local_mi` gives, for one column a side: without a look at every pair.

    A few rows near by bound the radius; only rows within the bound on both sides are then compared.
    """
    n = x.size
    # One type whatever the number of leaves, for which alone the kernels are compiled.
    leaves_x, leaves_y = (side if side.itemsize > 1 else side.astype(np.uint16) for side in (leaves_x, leaves_y))

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
    if variant == EVERYWHERE:
        within_x, within_y = np.empty_like(near_x), np.empty_like(near_y)
        all_trees = radius == len(leaves_x)  # all rows are within them: no walk would stop
        up_to = np.where(all_trees, 0, radius + 1).astype(np.int32)

        def widen(start: int, stop: int) -> None:
            find_windows(runs_x, up_to, start, stop, within_x)
            find_windows(runs_y, up_to, start, stop, within_y)

        def break_ties(start: int, stop: int) -> None:
            windows = near_x, near_y, within_x, within_y
            fill_untied(radius, runs_x, runs_y, *windows, x, y, *sizes, k, psi, start, stop, out)

        run(widen, tasks, n_jobs=n_jobs, label="G-KSG", verbose=verbose)
        within_x[all_trees] = within_y[all_trees] = 0, n
        run(break_ties, tasks, n_jobs=n_jobs, label="G-KSG", verbose=verbose)
    fill_within(np.flatnonzero(radius == 0), runs_x, runs_y, near_x, near_y, x, y, *sizes, k, psi, out)
    return out
