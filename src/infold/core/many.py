"""KSG of many tables that are drawn from one: rows paired anew, or fewer of them.

An estimate from 500 rows takes a tenth of a millisecond, about as long as the Python around it; and Python runs on one
core at a time. So a kernel goes from table to table, and numpy finishes all of them at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .brute import NARROW, WIDE, WIDE_FROM, brute_counts
from .jit import FIRST, kernel
from .neighbors import exact_ksg, joined_norms, local_of_counts
from .scaling import joined, sorted_scales, usual, weighted
from .search import SWEEP_BELOW, Job, ksg_counts, trees_may_pay
from .sweep import STEP, sweep_counts
from .tiles import FAR

ONE_THREAD = Job(1, 0)
SMALL = 2048  # rows of subsamples that are worth taking together
LARGEST = 8192  # rows of a table that may have such subsamples, or be swept
AT_A_TIME = 16_384  # rows that are counted before they are averaged: more would leave the cache


def mean_of_sorted(local: np.ndarray) -> np.ndarray:
    """Return the means of local values (…, n): sorted, so that the order of samples cannot change a bit."""
    return np.add.reduce(np.sort(local, axis=-1), axis=-1) / local.shape[-1]  # math.fsum takes five times as long


class Shared(NamedTuple):
    """What all tables drawn from some columns (d, n) have in common; the first `n_x` of them are X."""

    points: np.ndarray
    n_x: int
    weights: np.ndarray
    metrics: tuple[str, str]
    k: int
    standardize: bool
    by_value: np.ndarray  # the rows of each column in the order of its values; empty if there are too many
    ordered: np.ndarray  # the columns in that order


class Drawn(NamedTuple):
    """Tables drawn from columns `points` (d, N): table b has the rows rows[b] of those that move, and all of others."""

    points: np.ndarray
    n_x: int
    moves: np.ndarray  # which columns do
    rows: np.ndarray  # (B, n)
    weights: np.ndarray  # (B, d), or (1, d) for all
    first_by_value: np.ndarray  # the N rows in the order of the first column
    ordered: np.ndarray  # (B, d, n), or (1, d, n) for all: the columns of each table, sorted


def share(x: np.ndarray, y: np.ndarray, metrics: tuple[str, str], k: int, *, standardize: bool) -> Shared | None:
    """Return what tables drawn from columns x (d_x, n) and y (d_y, n), none of them constant, have in common.

    None for columns of extreme size, if they are taken as they are: their unit then depends on which are used.
    """
    points = joined(x, y)
    if not standardize and not usual(np.maximum(points.max(axis=1), -points.min(axis=1))):
        return None
    points, weights = weighted(points, standardize)
    by_value = points[:, : points.shape[1] if points.shape[1] <= LARGEST else 0].argsort(axis=1)
    return Shared(points, len(x), weights, metrics, k, standardize, by_value, np.take_along_axis(points, by_value, 1))


def paired_anew(shared: Shared, columns: list[int], moved: list[int], orders: np.ndarray) -> np.ndarray:
    """Return the MI of each pairing of some `columns`: those `moved` are in one of the orders (B, n)."""
    n_x = sum(column < shared.n_x for column in columns)
    moves = np.array([column in moved for column in columns])
    points, weights, ordered = (of.take(columns, axis=0) for of in (shared.points, shared.weights, shared.ordered))
    drawn = Drawn(points, n_x, moves, orders, weights[None], shared.by_value[columns[0]], ordered[None])
    return _means(drawn, shared)


def subsampled(shared: Shared, rows: np.ndarray) -> np.ndarray | None:
    """Return the MI of each subsample, rows (B, n) of both sides.

    None where that needs more care, or is not worth it: if a column of one is constant or of extreme size, or if they
    are large.
    """
    (d, n), norms = shared.points.shape, joined_norms(shared.metrics, shared.n_x, len(shared.points) - shared.n_x)
    if rows.shape[1] > SMALL or n > LARGEST or any(norms):
        return None
    found = []
    for some in _pieces(rows):
        ordered = sorted_parts(shared.ordered, shared.by_value, some)
        if (ordered[:, :, 0] == ordered[:, :, -1]).any():
            return None
        weights = np.ones((len(some), d))
        if shared.standardize:
            deviations = sorted_scales(ordered.reshape(-1, rows.shape[1]).copy())[1]
            if not usual(deviations):
                return None
            np.divide(1.0, deviations.reshape(weights.shape), out=weights)
        moves = np.ones(d, np.bool_)
        found.append(
            _means(Drawn(shared.points, shared.n_x, moves, some, weights, shared.by_value[0], ordered), shared)
        )
    return np.concatenate(found)


def _pieces(rows: np.ndarray) -> list[np.ndarray]:
    step = max(1, AT_A_TIME // rows.shape[1])
    return [rows[first : first + step] for first in range(0, len(rows), step)]


def _means(drawn: Drawn, shared: Shared) -> np.ndarray:
    """Return the MI of each table."""
    norms = joined_norms(shared.metrics, drawn.n_x, len(drawn.points) - drawn.n_x)
    found = []
    for rows in _pieces(drawn.rows):
        some = drawn._replace(rows=rows)
        if any(norms):
            each = (exact_ksg(t, drawn.n_x, w, norms, shared.k, ONE_THREAD) for t, w in _tables(some))
            found.append(mean_of_sorted(np.array(list(each))))
        else:
            found.append(mean_of_sorted(local_of_counts(_counts(some, shared.k))))
    return np.concatenate(found)


def _counts(drawn: Drawn, k: int) -> np.ndarray:
    """Return counts (B, 3, n), the rows of each table in any order: no mean depends on it."""
    points, n_x, moves, rows, weights, first_by_value, ordered = drawn
    d, (count, n) = len(points), rows.shape
    counts = np.empty((count, 3, n), np.intp)
    if d == 2 and n < SWEEP_BELOW:
        sweep_each(ordered, first_by_value, points[1], moves, rows, weights, k, counts)
    elif trees_may_pay(d, n):
        for out, (table, own) in zip(counts, _tables(drawn), strict=True):
            out[:] = ksg_counts(table, n_x, own, k, ONE_THREAD)
    else:
        low, high = points.min(axis=1) / 2, points.max(axis=1) / 2
        width = WIDE if n >= WIDE_FROM else NARROW
        brute_each(points, n_x, low + high, high - low, moves, rows, weights, width, k, counts)
    return counts


def _tables(drawn: Drawn):
    for b, order in enumerate(drawn.rows):
        table = drawn.points[:, : len(order)].copy()
        table[drawn.moves] = drawn.points[drawn.moves].take(order, axis=1)
        yield table, drawn.weights[b if len(drawn.weights) > 1 else 0]


@kernel
def sorted_parts(ordered, by_value, rows):
    """Return (B, d, n), sorted: the values that columns have in each set of rows (B, n).

    `ordered` (d, N) are the sorted columns, `by_value` the rows of their values. Taking those that are in the set, in
    order, takes a fraction of the time of sorting them.
    """
    d, n = ordered.shape[0], rows.shape[1]
    parts, inside = np.empty((rows.shape[0], d, n)), np.empty(ordered.shape[1], np.intp)
    for i in range(inside.size):
        inside[i] = 0
    for b in range(rows.shape[0]):
        for i in range(n):
            inside[rows[b, i]] = 1
        for f in range(d):
            at, place = 0, 0
            while place < n:
                parts[b, f, place] = ordered[f, at]
                place += inside[by_value[f, at]]
                at += 1
        for i in range(n):
            inside[rows[b, i]] = 0
    return parts


@kernel
def sweep_each(ordered, by_value, y, moves, rows, weights, k, counts):
    """Fill counts (B, 3, n) of tables of two columns; see `Drawn`."""
    n = rows.shape[1]
    partner, in_order = np.empty(y.size, np.intp), np.empty(n, np.intp)
    padded_x, padded_y = np.empty(n + 2 * STEP), np.empty(n + 2 * STEP)
    for i in range(y.size):
        partner[i] = -1
    for i in range(n):
        in_order[i] = i
    for j in range(STEP):
        padded_x[j], padded_x[n + STEP + j] = -np.inf, np.inf
        padded_y[j], padded_y[n + STEP + j] = 0.0, 0.0
    for b in range(rows.shape[0]):
        own = b if ordered.shape[0] > 1 else FIRST
        for i in range(n):
            padded_x[STEP + i] = ordered[own, 0, i]
            partner[rows[b, i] if moves[0] else i] = rows[b, i] if moves[1] else i
        at, place = 0, STEP
        while place < n + STEP:
            other = partner[by_value[at]]
            padded_y[place] = y[other]  # of a row that is not in the table: soon overwritten, sooner than left out
            place += other >= 0
            at += 1
        sweep_counts(padded_x, padded_y, in_order, ordered[own, 1], weights[own], k, FIRST, n, counts[b])
        if n < y.size:
            for i in range(n):
                partner[rows[b, i]] = -1


@kernel
def brute_each(points, n_x, middles, reaches, moves, rows, weights, width, k, counts):
    """Fill counts (B, 3, n) of tables of any columns, which reach so far from their middles; see `Drawn`."""
    d, n = points.shape[0], rows.shape[1]
    n_tiles = (n + width - 1) // width
    table, tiles = np.empty((n, d)), np.empty((n_tiles, d, width), np.float32)
    for f in range(d):
        for j in range(width):
            tiles[n_tiles - 1, f, j] = FAR
    for b in range(rows.shape[0]):
        own = weights[b if weights.shape[0] > 1 else FIRST]
        size = 0.0
        for f in range(d):
            if reaches[f] * own[f] > size:
                size = reaches[f] * own[f]
        unit = math.ldexp(1.0, -math.frexp(size)[1])
        for f in range(d):
            middle, factor, moving = middles[f], own[f] * unit, moves[f]
            for t in range(n_tiles):
                first = t * width
                for j in range(width if first + width < n else n - first):
                    value = points[f, rows[b, first + j] if moving else first + j]
                    table[first + j, f] = value
                    tiles[t, f, j] = (value - middle) * factor
        brute_counts(tiles, n_x, table, own, unit, k, FIRST, n, counts[b])
