"""KSG of many tables that are drawn from one: rows paired anew, or fewer of them.

An estimate from 500 rows takes a tenth of a millisecond, about as long as the Python around it; and Python runs on one
core at a time. So a kernel goes from table to table, and numpy finishes all of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
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
AT_A_TIME = 32_768  # values in the tables that are counted before they are averaged: more would leave the cache


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
    ends: np.ndarray  # (2, d): the middle of each column, and how far it reaches from there
    by_value: np.ndarray  # (d, n): the rows of each column in the order of its values; empty if there are too many
    ordered: np.ndarray  # the columns in that order


def share(x: np.ndarray, y: np.ndarray, metrics: tuple[str, str], k: int, *, standardize: bool) -> Shared | None:
    """Return what tables drawn from columns x (d_x, n) and y (d_y, n), none of them constant, have in common.

    None for columns of extreme size, if they are taken as they are: their unit then depends on which are used.
    """
    points = joined(x, y)
    if not standardize and not usual(np.maximum(points.max(axis=1), -points.min(axis=1))):
        return None
    points, weights = weighted(points, standardize)
    low, high = points.min(axis=1) / 2, points.max(axis=1) / 2
    by_value = points[:, : points.shape[1] if points.shape[1] <= LARGEST else 0].argsort(axis=1)
    ordered = np.take_along_axis(points, by_value, axis=1)
    return Shared(
        points, len(x), weights, metrics, k, standardize, np.array([low + high, high - low]), by_value, ordered
    )


def paired_anew(shared: Shared, columns: list[int], moved: list[int], orders: np.ndarray) -> np.ndarray:
    """Return the MI of each pairing of some `columns`: those `moved` are in one of the orders (B, n)."""
    return np.concatenate(
        [mean_of_sorted(_local_of_pairs(shared, columns, moved, some)) for some in _pieces(orders, len(columns))]
    )


def subsampled(shared: Shared, rows: np.ndarray) -> np.ndarray | None:
    """Return the MI of each subsample, rows (B, n) of both sides.

    None where that needs more care, or is not worth it: if a column of one is constant or of extreme size, or if they
    are large.
    """
    d, n = len(shared.points), rows.shape[1]
    norms = joined_norms(shared.metrics, shared.n_x, d - shared.n_x)
    if n > SMALL or shared.points.shape[1] > LARGEST or any(norms) or (d > 2 and trees_may_pay(d, n)):
        return None
    found = []
    for some in _pieces(rows, d):
        ordered, by_first = sorted_parts(shared.ordered, shared.by_value, some)
        if (ordered[:, :, 0] == ordered[:, :, -1]).any():
            return None
        weights = np.ones((len(some), d))
        if shared.standardize:
            columns = ordered.reshape(-1, n)
            deviations = sorted_scales(columns.copy() if d == 2 else columns)[1]
            if not usual(deviations):
                return None
            np.divide(1.0, deviations.reshape(weights.shape), out=weights)
        if d == 2:
            counts = _swept(ordered, shared.points[1], by_first, weights, shared.k)
        else:
            counts = _by_brute_force(shared, np.arange(d), np.ones(d, np.bool_), some, weights)
        found.append(mean_of_sorted(local_of_counts(counts)))
    return np.concatenate(found)


def _pieces(rows: np.ndarray, d: int) -> list[np.ndarray]:
    step = max(1, AT_A_TIME // (rows.shape[1] * d))
    return [rows[first : first + step] for first in range(0, len(rows), step)]


def _local_of_pairs(shared: Shared, columns: list[int], moved: list[int], orders: np.ndarray) -> np.ndarray:
    """Return the local MI (B, n) of pairings, the rows of each in any order: no mean depends on it."""
    d, n, n_x = len(columns), orders.shape[1], sum(column < shared.n_x for column in columns)
    norms, weights = joined_norms(shared.metrics, n_x, d - n_x), shared.weights.take(columns)
    if any(norms):
        tables = _tables(shared, columns, moved, orders)
        return np.array([exact_ksg(table, n_x, weights, norms, shared.k, ONE_THREAD) for table in tables])
    if d == 2 and n < SWEEP_BELOW:
        still, other = (columns[0], columns[1]) if columns[0] not in moved else (columns[1], columns[0])
        two = [still, other]  # which of them is X makes no difference
        partners = orders if len(moved) == 1 else np.broadcast_to(np.arange(n), orders.shape)  # else rows stay pairs
        ordered, weights = shared.ordered.take(two, axis=0)[None], shared.weights.take(two)[None]
        counts = _swept(ordered, shared.points[other], partners.take(shared.by_value[still], axis=1), weights, shared.k)
    elif trees_may_pay(d, n):
        tables = _tables(shared, columns, moved, orders)
        counts = np.array([ksg_counts(table, n_x, weights, shared.k, ONE_THREAD) for table in tables])
    else:
        moves = np.array([column in moved for column in columns])
        every = np.empty((len(orders), d))
        every[:] = weights
        counts = _by_brute_force(shared, np.array(columns), moves, orders, every)
    return local_of_counts(counts)


def _tables(shared: Shared, columns: list[int], moved: list[int], orders: np.ndarray) -> Iterator[np.ndarray]:
    moves = [column in moved for column in columns]
    for order in orders:
        table = shared.points.take(columns, axis=0)
        table[moves] = shared.points[moved].take(order, axis=1)
        yield table


def _swept(ordered: np.ndarray, values: np.ndarray, partners: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    counts = np.empty((len(partners), 3, partners.shape[1]), np.intp)
    sweep_each(ordered, values, partners, weights, k, counts)
    return counts


def _by_brute_force(
    shared: Shared, columns: np.ndarray, moves: np.ndarray, rows: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    n, n_x = rows.shape[1], int(np.count_nonzero(columns < shared.n_x))
    width, counts = WIDE if n >= WIDE_FROM else NARROW, np.empty((len(rows), 3, n), np.intp)
    tiles, tables, units = drawn_tables(shared.points, shared.ends, columns, moves, rows, weights, width)
    brute_counts(tiles, n_x, tables, weights, units, shared.k, 0, n, counts)
    return counts


@kernel
def sorted_parts(ordered, by_value, rows):
    """Return the columns of each set of rows (B, n) sorted, (B, d, n), and its rows by the first of them, (B, n).

    `ordered` (d, N) are the sorted columns, `by_value` the rows of their values. To pick those of a set, in order,
    takes a fraction of the time of sorting them.
    """
    d, n = ordered.shape[0], rows.shape[1]
    out, by_first, inside = np.empty((rows.shape[0], d, n)), np.empty(rows.shape, np.intp), np.empty_like(by_value[0])
    for b in range(rows.shape[0]):
        for i in range(inside.size):
            inside[i] = 0
        for i in range(n):
            inside[rows[b, i]] = 1
        for f in range(d):
            at, place = 0, 0
            while place < n:  # a branch on what is inside would be mispredicted: what is not is overwritten
                row = by_value[f, at]
                out[b, f, place] = ordered[f, at]
                if f == 0:
                    by_first[b, place] = row
                place += inside[row]
                at += 1
    return out, by_first


@kernel
def sweep_each(ordered, values, partners, weights, k, counts):
    """Fill counts (B, 3, n) of tables of two columns.

    `ordered` (B, 2, n), or (1, 2, n) for all, are the sorted columns, with weights alike; beside the i-th value of the
    first stands values[partners[b, i]].
    """
    n = partners.shape[1]
    in_order, first, second = np.empty(n, np.intp), np.empty(n + 2 * STEP), np.empty(n + 2 * STEP)
    for i in range(n):
        in_order[i] = i
    for j in range(STEP):
        first[j], first[n + STEP + j] = -np.inf, np.inf
        second[j], second[n + STEP + j] = 0.0, 0.0
    for b in range(partners.shape[0]):
        own = b if ordered.shape[0] > 1 else FIRST
        for i in range(n):
            first[STEP + i], second[STEP + i] = ordered[own, 0, i], values[partners[b, i]]
        sweep_counts(first, second, in_order, ordered[own, 1], weights[own], k, FIRST, n, counts[b])


@kernel
def drawn_tables(points, ends, columns, moves, rows, weights, width):
    """Return what `brute_counts` takes, (tiles, rows, units), for tables of some columns.

    Table b has rows[b] of the columns that move, all rows of the others, and weights (B, d). The middles of all
    columns, and how far they reach from there, are `ends`.
    """
    d, n = columns.size, rows.shape[1]
    n_tiles = (n + width - 1) // width
    tables, tiles = np.empty((rows.shape[0], n, d)), np.empty((rows.shape[0], n_tiles, d, width), np.float32)
    units = np.empty(rows.shape[0])
    for b in range(rows.shape[0]):
        size = 0.0
        for f in range(d):
            reach = ends[1, columns[f]] * weights[b, f]
            if reach > size:
                size = reach
        units[b] = math.ldexp(1.0, -math.frexp(size)[1])
        for f in range(d):
            values, middle, factor = points[columns[f]], ends[0, columns[f]], weights[b, f] * units[b]
            for t in range(n_tiles):
                for j in range(width):
                    i = t * width + j
                    if i >= n:
                        tiles[b, t, f, j] = FAR
                        continue
                    value = values[rows[b, i] if moves[f] else i]
                    tables[b, i, f] = value
                    tiles[b, t, f, j] = (value - middle) * factor
    return tiles, tables, units
