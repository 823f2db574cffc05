"""Projected columns as bins of equal width, each with its weight and its first two moments, and perhaps its rows.

Along a chain of nodes, columns keep their moments: rows that have left are taken off when a column is next looked at.
As long as every cut peels, rows stay grouped by bins too; else only the bins that are opened are filled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .jit import inlined, part
from .projection import project
from .scan import range_of

MOST_BINS = 512
STRIDE = 4  # edges are taken so many at a time, by several instructions at once
DENSITY = 1.5  # bins for the square root of the number of rows; with a third fewer, estimates move by a seed's worth
AT_A_TIME = 1024  # rows whose bins are found before they are counted: what is between stays at hand
WEIGHT, SUM, SQUARES, LEFT, RIGHT, BOUND = range(6)  # rows of `edge`: to the left; squared deviations; bounds


class Bins(NamedTuple):
    """Room for some projected columns of the rows members[first:end], each grouped by bins."""

    key: np.ndarray  # (c,) which projection it is
    values: np.ndarray  # (g, size) projected values, by bin: of the first columns, and last of any other
    member: np.ndarray  # (g, size) the row of each, as a number within the tree
    n_rows: np.ndarray  # (c,) rows that were counted, those that have left included
    known_end: np.ndarray  # (c,) `end` when last looked at: members[end:known_end] have left since
    n_bins: np.ndarray  # (c,) 0 if all values are equal
    first: np.ndarray  # (c,) bins before this one are empty
    last: np.ndarray  # (c,) and from this one on
    low: np.ndarray  # (c,) where the first bin begins
    width: np.ndarray  # (c,)
    grouped: np.ndarray  # (c,) do `values` and `member` hold all of its rows? Else only what `group_bins` last took
    start: np.ndarray  # (c, bins) first entry of each bin
    stop: np.ndarray  # (c, bins) end of its entries
    in_order: np.ndarray  # (c, bins) have its entries been sorted?
    moments: np.ndarray  # (c, bins, 3) weight, and moments about the bin's middle in bin widths: no offset costs digits
    edge: np.ndarray  # (6, edges) scratch
    picked: np.ndarray  # (bins,) scratch: those that may be opened
    wanted: np.ndarray  # (bins,) scratch: those that will be grouped
    code: np.ndarray  # (size,) scratch
    offset: np.ndarray  # (size,) scratch


def new_bins(n_columns: int, n_grouped: int, size: int) -> Bins:
    """Return room for `n_columns` columns of up to `size` rows, `n_grouped` of them with their rows, and one more."""
    n_columns += 1
    return Bins(
        key=np.empty(n_columns, np.int64),
        values=np.empty((n_grouped + 1, size)),
        member=np.empty((n_grouped + 1, size), np.uint32),
        n_rows=np.empty(n_columns, np.int32),
        known_end=np.empty(n_columns, np.int32),
        n_bins=np.empty(n_columns, np.int32),
        first=np.empty(n_columns, np.int32),
        last=np.empty(n_columns, np.int32),
        low=np.empty(n_columns),
        width=np.empty(n_columns),
        grouped=np.empty(n_columns, np.bool_),
        start=np.empty((n_columns, MOST_BINS), np.uint32),
        stop=np.empty((n_columns, MOST_BINS), np.uint32),
        in_order=np.empty((n_columns, MOST_BINS), np.bool_),
        moments=np.empty((n_columns, MOST_BINS, 3)),
        edge=np.empty((6, MOST_BINS + STRIDE)),
        picked=np.empty(MOST_BINS, np.int64),
        wanted=np.empty(MOST_BINS, np.bool_),
        code=np.empty(size, np.uint32),
        offset=np.empty(max(size, MOST_BINS + STRIDE)),
    )


@inlined
def count_bins(bins, c, projected, loads, end):
    """Lay out bins for column c, and fill their moments with the `projected` values, each with its load."""
    low, width, n_bins = fill_moments(projected, loads, bins.moments[c], bins.code, bins.offset)
    bins.low[c], bins.width[c], bins.n_bins[c] = low, width, n_bins
    bins.n_rows[c], bins.known_end[c], bins.grouped[c] = projected.size, end, False
    bins.first[c], bins.last[c] = 0, n_bins


@part
def fill_moments(projected, loads, moments, code, offset):
    """Count `projected` values, each with its load, in bins; return (low, width, number of bins), 0 if all are equal.

    What comes as a tuple of many arrays costs a call more than this loop: so only those that it needs.
    """
    low, high = range_of(projected)
    n_bins = min(max(int(DENSITY * math.sqrt(projected.size)), 8), MOST_BINS)
    width = (high - low) / n_bins
    if not (0.0 < width < np.inf and 1.0 / width < np.inf):
        return low, width, 0
    moments[:n_bins] = 0.0
    for begin in range(0, projected.size, AT_A_TIME):
        stop = min(begin + AT_A_TIME, projected.size)
        here, weight = code[begin:stop], loads[begin:stop]
        find_bins(low, width, n_bins, projected[begin:stop], here, offset)
        for i in range(here.size):
            b, w, off = here[i], weight[i], offset[i]
            moments[b, 0] += w
            moments[b, 1] += w * off
            moments[b, 2] += w * off * off
    return low, width, n_bins


@part
def find_bins(low, width, n_bins, projected, code, offset):
    """Fill `code` with the bins of `projected` values, `offset` with their distances from the middle."""
    scale, last = 1.0 / width, np.int32(n_bins - 1)
    for i in range(projected.size):
        at = (projected[i] - low) * scale
        b = np.int32(at)
        b = b if b < last else last
        code[i] = b
        offset[i] = at - b - 0.5


@inlined
def group_bins(bins, c, to, projected, members, all_bins, n_picked, limit):
    """Group rows of column c by bin in room `to`, after `find_bins`: of all bins, or those picked with a low bound."""
    wanted, start, stop = bins.wanted, bins.start[to], bins.stop[to]
    wanted[bins.first[c] : bins.last[c]] = all_bins
    for k in range(n_picked):
        wanted[bins.picked[k]] |= bins.edge[BOUND, k] < limit
    total = 0
    for b in range(bins.first[c], bins.last[c]):
        start[b] = stop[b] = total
        bins.in_order[to, b] = False
        total += int(bins.moments[c, b, 0]) if wanted[b] else 0  # no fewer than there are rows
    for i in range(members.size):
        b = bins.code[i]
        if wanted[b]:
            at = stop[b]
            stop[b] += 1
            bins.values[to, at], bins.member[to, at] = projected[i], members[i]


@inlined
def forget_departed(bins, c, members, end, weights, points, feature, sign, scratch):
    """Bring the moments of column c, the given sum of features, up to date: members[end:known_end] have left."""
    n_bins, moments, code, offset = np.int64(bins.n_bins[c]), bins.moments[c], bins.code, bins.offset
    departed = members[end : bins.known_end[c] if n_bins > 0 else end]
    # Read anew from the points: shorter than the way to where the value stands among the bins.
    project(points, departed, feature, sign, scratch)
    find_bins(bins.low[c], bins.width[c], n_bins, scratch[: departed.size], code, offset)
    for i in range(departed.size):
        b, w, off = code[i], weights[departed[i]], offset[i]
        moments[b, 0] -= w
        moments[b, 1] -= w * off
        moments[b, 2] -= w * off * off
    bins.known_end[c] = end
