"""The best cut of a projected column: bins of equal width, and a look into the few that matter.

Each bin keeps the weight and the first two moments of its rows, so the score at the edges between bins tells which bins
to open: both ends and the two beside the best edge. Only the rows of those are sorted and
tried one by one. With a single bin all rows are: that is the exact search.

Fast-BIC peels tails: on Gaussian data most cuts take off a handful of rows, and a tree is a chain of hundreds of such
nodes. So columns are kept along a chain, in *slots*: rows that have left are taken off a slot's moments when its column
is next looked at, and are passed over among its rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from .criterion import (
    FAST_BIC,
    TWO_MEANS,
    best_position,
    variance_floor,
    whole_score,
)
from .projection import project
from .sorting import range_of, sort_pairs

MOST_BINS, FEWEST_BINS, DENSITY = 512, 8, 1.5  # bins: DENSITY × √rows
RENEW = 1.6  # a column is binned anew once it had so many times the rows that are left,
SHRUNK = 4  # or so many times the bins that still have rows
GAIN = 3.0  # nats that a cut in a bin beside the best edge may add to it: nine columns in ten add less than 1
SPARE = 3  # slots that keep nothing: for the best column of a node, for another, and for samples

SLOT = np.dtype(
    [
        ("key", np.int64),  # which projection it is; −1 if none
        ("low", np.float64),  # where the first bin begins
        ("scale", np.float64),  # bins per unit
        ("n_bins", np.int64),
        ("n_occupied", np.int64),  # bins from the first to the last with rows, when last looked at
        ("n_rows", np.int64),  # rows that were binned
        ("known_end", np.int64),  # rows that have left since are members[end:known_end]
        ("is_grouped", np.bool_),  # do `values` and `rows` have its rows by bin?
    ]
)


class Slots(NamedTuple):
    """Columns of a node and of the chain that led to it, and buffers to work on one of them."""

    info: np.ndarray  # (slots,) of SLOT
    moments: np.ndarray  # (slots, bins, 3): weight, and moments about a bin's middle in units of its width
    starts: np.ndarray  # (slots, bins + 1): where the rows of each bin begin
    values: np.ndarray  # (slots, rows): projected values by bin
    rows: np.ndarray  # (slots, rows): the row of each
    edges: np.ndarray  # (5, bins): sums to the left of the right edge of each bin, as `best_position` takes them
    inner: np.ndarray  # (5, rows): the same after each distinct value of an opened bin
    projected: np.ndarray  # (rows,)
    loads: np.ndarray  # (rows,): weights of an opened bin's rows
    last: np.ndarray  # (rows,): the place of the last of equal values
    spare_values: np.ndarray  # scratch of sorting
    spare_rows: np.ndarray
    code: np.ndarray


def new_slots(n_slots: int, n_rows: int) -> Slots:
    """Return buffers for `n_slots` kept columns of up to `n_rows` rows."""
    n_all = n_slots + SPARE
    return Slots(
        info=np.zeros(n_all, SLOT).view(np.recarray),  # its fields are attributes with the JIT off, too
        moments=np.empty((n_all, MOST_BINS, 3)),
        starts=np.empty((n_all, MOST_BINS + 1), np.int64),
        values=np.empty((n_all, n_rows)),
        rows=np.empty((n_all, n_rows), np.uint32),
        edges=np.empty((5, MOST_BINS)),
        inner=np.empty((5, n_rows)),
        projected=np.empty(n_rows),
        loads=np.empty(n_rows),
        last=np.empty(n_rows, np.int64),
        spare_values=np.empty(n_rows),
        spare_rows=np.empty(n_rows, np.uint32),
        code=np.empty(2 * n_rows + 1, np.int32),
    )


@kernel
def count_bins(values, rows, weights, sign, low, scale, moments):
    """Add the `values` of `rows` to the moments of their bins; with sign −1, take them off."""
    last = moments.shape[0] - 1
    for i in range(values.size):
        at = (values[i] - low) * scale
        b = min(np.int64(at), last)
        off, w = at - b - 0.5, sign * weights[rows[i]]
        moments[b, 0] += w
        moments[b, 1] += w * off
        moments[b, 2] += w * off * off


@kernel
def bin_column(slots, slot, rows, weights, n_bins):
    """Fill a slot's bins with the projected values of `rows`; return whether these differ at all."""
    here, values = slots.info[slot], slots.projected[: rows.size]
    low, high = range_of(values)
    scale = n_bins / (high - low)
    if not 0.0 < scale < np.inf:
        return False
    here.low, here.scale, here.n_bins, here.n_occupied = low, scale, n_bins, n_bins
    here.n_rows, here.is_grouped = rows.size, False
    moments = slots.moments[slot, :n_bins]
    for b in range(n_bins):
        moments[b, 0] = moments[b, 1] = moments[b, 2] = 0.0
    count_bins(values, rows, weights, 1.0, low, scale, moments)
    return True


@kernel
def group_rows(slots, slot, rows):
    """Put `rows` and their projected values in the order of their bins."""
    here, values, code = slots.info[slot], slots.projected, slots.code
    starts, n_bins = slots.starts[slot], here.n_bins
    for b in range(n_bins + 1):
        starts[b] = 0
    for i in range(rows.size):
        code[i] = min(np.int64((values[i] - here.low) * here.scale), n_bins - 1)
        starts[code[i] + 1] += 1
    for b in range(n_bins):
        starts[b + 1] += starts[b]
    for i in range(rows.size):
        at = starts[code[i]]
        starts[code[i]] += 1
        slots.values[slot, at], slots.rows[slot, at] = values[i], rows[i]
    for b in range(n_bins, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = 0
    here.is_grouped = True


@kernel
def sum_edges(moments, m, edges):
    """Fill edges[:3] with weight, sum and squares to the left of the right edge of each bin, about the mean.

    Bins without rows at either end are left out. Return (first bin with rows, how many bins from there on, mean).
    """
    first, last, mean = 0, moments.shape[0], 0.0
    while moments[first, 0] == 0.0:
        first += 1
    while moments[last - 1, 0] == 0.0:
        last -= 1
    for b in range(first, last):
        mean += moments[b, 0] * (b + 0.5) + moments[b, 1]
    mean /= m
    w, s, q = 0.0, 0.0, 0.0
    for b in range(first, last):
        middle = b + 0.5 - mean
        w += moments[b, 0]
        s += moments[b, 0] * middle + moments[b, 1]
        q += middle * (moments[b, 0] * middle + 2.0 * moments[b, 1]) + moments[b, 2]
        edges[0, b - first], edges[1, b - first], edges[2, b - first] = w, s, q
    return first, last - first, mean


@kernel
def edge_score(criterion, moments, m, scale, edges, n_log_n):
    """Return the score of the best edge between bins to cut at."""
    _, n, _ = sum_edges(moments, m, edges)
    total = (m, edges[1, n - 1], edges[2, n - 1])
    partial, _ = best_position(criterion, np.int64(0), n - 1, edges, total, variance_floor(criterion, total), n_log_n)
    return whole_score(criterion, partial, m, scale)


@kernel
def sum_values(values, loads, low, scale, mean, before, sums, last):
    """Fill sums[:3] with weight, sum and squares up to each distinct one of the sorted values; return how many.

    last[i] is the place of the last of those equal to the i-th. Sums begin with `before`.
    """
    w, s, q = before
    n = -1
    for i in range(values.size):
        at = (values[i] - low) * scale - mean
        w += loads[i]
        s += loads[i] * at
        q += loads[i] * at * at
        if i == 0 or values[i] != values[i - 1]:
            n += 1
        sums[0, n], sums[1, n], sums[2, n], last[n] = w, s, q, i
    return n + 1


@kernel
def load_bin(slots, slot, b, where, end, weights):
    """Sort the rows of bin b, and copy the values and weights of those still there; return how many."""
    begin, stop = slots.starts[slot, b], slots.starts[slot, b + 1]
    values, rows = slots.values[slot, begin:stop], slots.rows[slot, begin:stop]
    sort_pairs(values, rows, slots.spare_values, slots.spare_rows, slots.code)
    n = 0
    for i in range(stop - begin):
        if where[rows[i]] < end:
            slots.projected[n], slots.loads[n] = values[i], weights[rows[i]]
            n += 1
    return n


@kernel
def value_after(slots, slot, b, where, end):
    """Return the lowest value after bin b of a row still there."""
    lowest = np.inf
    while lowest == np.inf and b + 1 < slots.info[slot].n_bins:
        b += 1
        for i in range(slots.starts[slot, b], slots.starts[slot, b + 1]):
            if where[slots.rows[slot, i]] < end:
                lowest = min(lowest, slots.values[slot, i])
    return lowest


class Search(NamedTuple):
    """How cuts are scored, and whether all of them are."""

    criterion: int
    exact: bool
    n_log_n: np.ndarray


class Node(NamedTuple):
    """Rows of a node: members[first:end], of weight m; `where` is the inverse of `members`."""

    members: np.ndarray
    where: np.ndarray
    first: int
    end: int
    m: float


class Cut(NamedTuple):
    """A cut of a slot's column: its score, the values around it, its bin, and the weight below it."""

    score: float
    low: float
    high: float
    bin: int
    below: float


@kernel
def best_cut(points, weights, node, feature, sign, slots, slot, search, fresh, to_beat):
    """Return the best Cut of a slot's column with a score below `to_beat`; its score is inf if there is none.

    `fresh` says that slots.projected has the values of the node's rows. Ten arguments: the column, the rows, where to
    work, how to score, and what to beat.
    """
    here = slots.info[slot]
    first_bin, n, mean = sum_edges(slots.moments[slot, : here.n_bins], node.m, slots.edges)
    here.n_occupied = n
    edges, inner, criterion = slots.edges, slots.inner, search.criterion
    total = (node.m, edges[1, n - 1], edges[2, n - 1])
    floor = variance_floor(criterion, total)
    at_edge, edge = best_position(criterion, np.int64(0), n - 1, edges, total, floor, search.n_log_n)
    best = Cut(np.inf, np.nan, np.nan, 0, 0.0)
    limit = to_beat
    # The bins to open: both ends, and those with rows on either side of the best edge.
    below, above = max(edge, 0), min(max(edge, 0) + 1, n - 1)
    while below > 0 and edges[0, below] == edges[0, below - 1]:
        below -= 1
    while above < n - 1 and edges[0, above] == edges[0, above - 1]:
        above += 1
    for turn in range(4):
        i = (below, above, 0, n - 1)[turn]
        if (turn > 0 and i == below) or (turn > 1 and i == above) or (turn > 2 and i == 0):
            continue
        at_best = whole_score(criterion, at_edge - GAIN, node.m, here.scale)
        if criterion == FAST_BIC and 0 < i < n - 1 and at_best >= limit:
            continue
        if not here.is_grouped:
            if not fresh:
                project(points, node.members[node.first : node.end], feature, sign, slots.projected)
            group_rows(slots, slot, node.members[node.first : node.end])
        b = first_bin + i
        n_values = load_bin(slots, slot, b, node.where, node.end, weights)
        before = (edges[0, i - 1], edges[1, i - 1], edges[2, i - 1]) if i > 0 else (0.0, 0.0, 0.0)
        values = slots.projected[:n_values]
        n_cuts = sum_values(values, slots.loads, here.low, here.scale, mean, before, inner, slots.last)
        # No cut is after the last value. A side of one value has no variance: what is computed is rounding.
        alone = 0 if criterion == TWO_MEANS else 1
        skipped = alone if i == 0 else 0
        n_cuts = max(n_cuts - (1 + alone if i == n - 1 else 0), 0)
        partial, found = best_position(criterion, skipped, n_cuts, inner, total, floor, search.n_log_n)
        value = whole_score(criterion, partial, node.m, here.scale)
        if found >= 0 and value < limit:
            place = slots.last[found]
            high = values[place + 1] if place + 1 < n_values else np.inf
            best, limit = Cut(value, values[place], high, b, inner[0, found]), value
    return best
