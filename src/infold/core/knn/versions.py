"""KSG given Z for many versions of Y with the same X and Z: all draws of a test at once.

Distances in X and in Z are computed once for all versions. The k-th neighbour of a row is about as far in one version
as in the next. So only rows whose Z is within reach are looked at, a little more than that distance; if that turns out
to be too little, all rows are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import blocks, run

from ..jit import kernel, kernel_without_nan
from ..scaling import comparable
from .discrete import label_codes
from .information import digamma_of, digammas, expected_counts
from .scan import chebyshev_distances
from .selection import count_below, count_up_to

FEW, ROUNDS, STEPS = 4, 64, 8  # values left in an interval, to be looked at one by one; rounds to narrow it
DENSITY = 4.0  # so fast grows the number of rows with the distance, as in a space of so many dimensions
REACH = 1.1  # of the distance of the k-th neighbour in another version: so near must Z be to be looked at
LARGEST = np.int64(0x7FF0000000000000)  # the bits of infinity
TASKS = 16  # so that no thread waits long for the last one
COUNTED = 1e7  # rows × rows × versions: starting threads takes a millisecond or two, so many take twenty


@kernel_without_nan
def distances_to(columns, i, rows, out):
    """Fill `out` with the distances between row i of `columns` (q, n) and some rows, in the maximum norm."""
    for c in range(columns.shape[0]):
        values, at = columns[c], columns[c, i]
        if c == 0:
            for j in range(rows.size):
                out[j] = abs(values[rows[j]] - at)
        else:
            for j in range(rows.size):
                out[j] = max(out[j], abs(values[rows[j]] - at))


@kernel_without_nan
def larger_of(a, b, out):
    """Fill `out` with the larger of two distances."""
    for j in range(out.size):
        out[j] = max(a[j], b[j])


@kernel_without_nan
def count_larger(a, b, bound):
    """Return how many of the larger of two distances are below `bound`, and how many are not above it."""
    below, up_to = 0, 0
    for j in range(a.size):
        value = max(a[j], b[j])
        below += value < bound
        up_to += value <= bound
    return below, up_to


@kernel
def rows_within(reach, of_xz, of_z, rows):
    """Fill `rows` with those nearer than `reach` in XZ, then with others that are in Z; return both counts."""
    near = 0
    for j in range(of_z.size):
        rows[near] = j
        near += of_xz[j] < reach
    m = near
    for j in range(of_z.size):
        rows[m] = j
        m += of_z[j] < reach and of_xz[j] >= reach
    return near, m


@kernel
def smallest_from(values, low):
    """Return the smallest of `values` that is at least `low`; none is negative.

    As whole numbers their bits have the same order, and a minimum of these runs several at a time.
    """
    bits, least = values.view(np.int64), np.float64(low).view(np.int64)
    found = LARGEST
    for j in range(bits.size):
        found = min(found, bits[j] if bits[j] >= least else LARGEST)
    return np.int64(found).view(np.float64)


@kernel
def kth_smallest(values, k, guess):
    """Return the k-th smallest of `values` ≥ 0, how many are below it, and how many are not above it.

    The bounds of an interval are moved until few values are left in it. `guess` > 0 is where to begin.
    """
    low, high = 0.0, np.inf  # fewer than k values are below `low`, at least k are below `high`
    below_low, below_high, middle = 0, values.size + 1, guess
    for i in range(ROUNDS):
        found = count_below(values, middle)
        if found >= k:
            high, below_high = middle, found
        else:
            low, below_low = middle, found
        if below_high - below_low <= FEW:
            break
        if high == np.inf:  # just beyond the k-th, if the number grows as the DENSITY-th power of the distance
            middle *= min(1 + (k - found + 1) / (DENSITY * (found + 1)), 4.0)
        elif low == 0.0 and i < STEPS:
            middle *= max(1 - (found - k + 1) / (DENSITY * k), 0.25)
        elif i % 3 == 2:
            middle = 0.5 * (low + high)
        else:
            middle = low + (high - low) * (k - 0.5 - below_low) / (below_high - below_low)
        if not low < middle < high:
            break
    value = smallest_from(values, low)
    below, up_to = count_up_to(values, value)
    while up_to < k:
        value = smallest_from(values, np.nextafter(value, np.inf))
        below, up_to = count_up_to(values, value)
    return value, below, up_to


@kernel
def add_local_values(x, z, versions, k, far, psi, totals, begin, stop):
    """Add the local values of the rows begin to stop to totals (B,), given x (p, n), z (r, n) and versions (B, q, n).

    Rows that are `far` apart, or farther, are of different classes, and no neighbours.
    """
    n, center = x.shape[1], np.empty(z.shape[0])
    every, of_z, of_x, of_xz = np.arange(n).astype(np.uint32), np.empty(n), np.empty(n), np.empty(n)
    rows, in_z, in_xz, in_y, joint = np.empty(n + 1, np.uint32), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    nearer, within, counts = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4)
    for i in range(begin, stop):
        for c in range(center.size):
            center[c] = z[c, i]
        chebyshev_distances(z, 0, center.size, center, 0, of_z)
        distances_to(x, i, every, of_x)
        larger_of(of_z, of_x, of_xz)
        radius, reach, near, m = 1.0, 0.0, 0, 0  # the first m of `rows` are within reach in Z, the first `near` in XZ
        for b in range(versions.shape[0]):
            distances_to(versions[b], i, rows[:m], in_y)
            larger_of(in_xz[:near], in_y, joint[:near])
            if count_below(joint[:near], min(reach, far)) <= k:  # the k-th neighbour may be out of reach
                reach, near, m = np.inf, n, n
                for j in range(n):
                    in_z[j], in_xz[j] = of_z[j], of_xz[j]
                distances_to(versions[b], i, every, in_y)
                larger_of(in_xz, in_y, joint)
            used = k if reach <= far else min(k, count_below(joint, far) - 1)
            if used > 0:  # the row itself is the first
                radius, nearer[0], within[0] = kth_smallest(joint[:near], used + 1, radius if radius > 0.0 else 1.0)
            else:
                radius, nearer[0], within[0] = far, 1, 1
            nearer[1], within[1] = count_up_to(in_xz[:near], radius)
            nearer[2], within[2] = count_larger(in_z[:m], in_y, radius)
            nearer[3], within[3] = count_up_to(in_z[:m], radius)
            expected_counts(used, nearer, within, counts)
            known = digamma_of(counts[0], psi) + digamma_of(counts[3], psi)
            totals[b] += known - (digamma_of(counts[1], psi) + digamma_of(counts[2], psi))
            if reach == np.inf:
                reach = REACH * radius
                near, m = rows_within(reach, of_xz, of_z, rows)
                for j in range(m):
                    in_z[j], in_xz[j] = of_z[rows[j]], of_xz[rows[j]]


def information_of_versions(
    x: np.ndarray,
    z: np.ndarray,
    versions: np.ndarray,
    k: int,
    *,
    far: float = np.inf,
    n_jobs: int | None = 1,
) -> np.ndarray:
    """Return I(X; Y | Z) by KSG for each version of Y (B,), given x (p, n), z (r, n) and versions (B, q, n).

    Columns are in comparable units. Threads take rows, and their sums are added up in order: the same bits for any
    number of them.
    """
    n, psi = x.shape[1], digammas(x.shape[1])
    parts = blocks(n, -(-n // TASKS))
    totals = np.zeros((len(parts), len(versions)))
    jobs = [(x, z, versions, k, far, psi, totals[p], *rows) for p, rows in enumerate(parts)]
    threads = n_jobs if float(n) * n * len(versions) >= COUNTED else 1
    run(add_local_values, jobs, n_jobs=threads, label="KSG", verbose=0)
    return np.asarray(reduce(np.add, totals) / n)  # `sum` would add a single version in another order


class Blocks(NamedTuple):
    """X and Z in comparable units, and what brings Y into such units."""

    x: np.ndarray
    z: np.ndarray
    y: list[tuple[np.ndarray, np.ndarray] | None]  # values and their places; None for columns that get new values
    far: float

    def of_version(self, versions: np.ndarray) -> np.ndarray:
        """Return versions (B, q, n) in these units."""
        out = np.empty(versions.shape)
        for j, places in enumerate(self.y):
            drawn = versions[:, j]
            if places is None:
                out[:, j] = drawn / np.maximum(drawn.std(axis=1, keepdims=True), np.finfo(float).tiny)
            else:
                out[:, j] = places[1][np.searchsorted(places[0], drawn)]
        return out


def comparable_blocks(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, nominal: Sequence[np.ndarray], redrawn: np.ndarray
) -> Blocks:
    """Return the blocks x (p, n), y (q, n) and z (r, n), with masks of their `nominal` columns, in comparable units.

    Columns of y in the mask `redrawn` (q,) get new values in each version, others are re-paired.
    """
    n = x.shape[1]
    far = math.ldexp(1.0, math.frexp(4.0 * math.sqrt(n))[1])  # no two values are 2 √n standard deviations apart

    def scaled(table: np.ndarray, mask: np.ndarray) -> np.ndarray:
        out = np.array(table, np.float64)
        if not mask.all():
            out[~mask] = comparable(out[~mask], standardize=True)
        for j in np.flatnonzero(mask):
            out[j] = far * label_codes(out[j])
        return out

    of_y = scaled(y, nominal[1])
    places = []
    for raw, own, is_new in zip(y, of_y, redrawn, strict=True):
        values, first = np.unique(raw, return_index=True)
        places.append(None if is_new else (values, own[first]))
    any_label = any(mask.any() for mask in nominal)
    return Blocks(scaled(x, nominal[0]), scaled(z, nominal[2]), places, far if any_label else np.inf)
