"""KSG given Z for many versions of Y with the same X and Z: all draws of a test at once.

Distances in X and in Z are computed once for all versions. Whole rows of distances are counted, again and again, as a
count runs several values at a time: with k a tenth of the rows, that is faster than any list of neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infold.parallel.scheduler import blocks, run

from ..jit import kernel, kernel_without_nan
from ..scaling import comparable
from .discrete import label_codes
from .information import digamma_of, digammas, expected_counts
from .scan import chebyshev_distances
from .selection import count_below, count_up_to

FEW, ROUNDS, POWERS = 4, 64, 8  # values left in an interval, to be looked at one by one; rounds to narrow it
LARGEST = np.int64(0x7FF0000000000000)  # the bits of infinity
TASKS = 16  # so that no thread waits long for the last one
COUNTED = 1e7  # rows × rows × versions: starting threads takes a millisecond or two, so many take twenty


@kernel_without_nan
def farther(distances, block, i, out):
    """Fill `out` with the larger of `distances` between row i and all others and those in `block` (q, n)."""
    values, at = block[0], block[0, i]
    for j in range(out.size):
        out[j] = max(distances[j], abs(values[j] - at))
    for c in range(1, block.shape[0]):
        values, at = block[c], block[c, i]
        for j in range(out.size):
            out[j] = max(out[j], abs(values[j] - at))


@kernel_without_nan
def count_farther(distances, block, i, bound):
    """Return how many of what `farther` would fill in are below `bound`, and how many are not above it."""
    below, up_to = 0, 0
    values, at = block[0], block[0, i]
    for j in range(distances.size):
        value = max(distances[j], abs(values[j] - at))
        below += value < bound
        up_to += value <= bound
    return below, up_to


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

    The bounds of an interval are moved until few values are left in it. `guess` > 0 is where to begin. Counts are
    taken for powers of the distance, as in a space of three dimensions.
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
        if i < POWERS and (low == 0.0 or high == np.inf):
            middle *= ((k - 0.5) / max(found, 0.5)) ** (1 / 3) * (0.95 if found >= k else 1.05)
        elif high == np.inf:
            middle *= 4.0
        elif i % 3 == 2 or below_low == 0:
            middle = 0.5 * (low + high)
        else:
            middle = low * (high / low) ** (np.log((k - 0.5) / below_low) / np.log(below_high / below_low))
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
    n = x.shape[1]
    in_z, in_xz, others, center = np.empty(n), np.empty(n), np.empty(n), np.empty(z.shape[0])
    nearer, within, counts = np.empty(4, np.int64), np.empty(4, np.int64), np.empty(4)
    for i in range(begin, stop):
        for c in range(center.size):
            center[c] = z[c, i]
        chebyshev_distances(z, 0, center.size, center, 0, in_z)
        farther(in_z, x, i, in_xz)
        radius = 1.0
        for b in range(versions.shape[0]):
            farther(in_xz, versions[b], i, others)
            used = k
            if far < np.inf:
                used = min(k, count_below(others, far) - 1)
            if used > 0:  # the row itself is the first
                radius, nearer[0], within[0] = kth_smallest(others, used + 1, radius if radius > 0.0 else 1.0)
            else:
                radius, nearer[0], within[0] = far, 1, 1
            nearer[1], within[1] = count_up_to(in_xz, radius)
            if versions.shape[1] == 1:
                nearer[2], within[2] = count_farther(in_z, versions[b], i, radius)
            else:
                farther(in_z, versions[b], i, others)
                nearer[2], within[2] = count_up_to(others, radius)
            nearer[3], within[3] = count_up_to(in_z, radius)
            expected_counts(used, nearer, within, counts)
            known = digamma_of(counts[0], psi) + digamma_of(counts[3], psi)
            totals[b] += known - (digamma_of(counts[1], psi) + digamma_of(counts[2], psi))


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
    return np.asarray(totals.sum(axis=0) / n)


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
