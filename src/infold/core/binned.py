"""The best cut of a projected column without sorting it: bins, and a look into the few that matter.

A column's rows are grouped into bins of equal width, each with its weight and its first two moments. The score at the
edges of bins tells which bins to open; only their rows are sorted and tried one by one. The fast search opens both ends
and the bins beside the best edge. The exact search opens every bin that a bound does not exclude: its cut is that of
`split.best_cut` on all rows, up to the rounding of sums.

Fast-BIC peels tails: on Gaussian data most cuts take off a handful of rows, and a tree is a chain of hundreds of such
nodes. Along a chain, columns keep their moments: rows that have left are taken off when a column is next looked at. As
long as every cut peels, rows stay grouped by bins too; else only the bins that are opened are filled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .jit import kernel
from .projection import project, value_at
from .scan import TINY, range_of, score_cuts, sort_pairs
from .split import FAST_BIC, VARIANCE_FLOOR, between, replace_by_logs

SMALL = 128  # rows below which sorting all of them is as fast
MOST_BINS = 512
STRIDE = 16  # edges are taken so many at a time, by several instructions at once
DENSITY = 2.0  # bins for the square root of the number of rows; with half as many, estimates move by a seed's worth
GAIN = 3.0  # nats that a cut in a bin beside the best edge may add to it: nine columns in ten add less than 1
LEFT, RIGHT, BOUND = 2, 3, 4  # rows of `edge`, behind sums and squares to the left


class Bins(NamedTuple):
    """Room for some projected columns of the rows members[first:end], each grouped by bins."""

    key: np.ndarray  # (c,) which projection it is
    values: np.ndarray  # (c, size) projected values, by bin
    member: np.ndarray  # (c, size) the row of each, as a number within the tree
    n_rows: np.ndarray  # (c,) rows that were counted, those that have left included
    known_end: np.ndarray  # (c,) `end` when last looked at: members[end:known_end] have left since
    n_bins: np.ndarray  # (c,) 0 if all values are equal
    low: np.ndarray  # (c,) where the first bin begins
    width: np.ndarray  # (c,)
    grouped: np.ndarray  # (c,) do `values` and `member` hold all of its rows? Else only what `group_bins` last took
    start: np.ndarray  # (c, bins) first entry of each bin
    stop: np.ndarray  # (c, bins) end of its entries
    in_order: np.ndarray  # (c, bins) have its entries been sorted?
    moments: np.ndarray  # (c, bins, 3) weight, and moments about the bin's middle in bin widths: no offset costs digits
    edge_weight: np.ndarray  # (bins + 1,) scratch: weight to the left of each edge
    edge: np.ndarray  # (6, bins + 1) scratch
    code: np.ndarray  # (size,) scratch
    offset: np.ndarray  # (size,) scratch


def new_bins(n_columns: int, size: int) -> Bins:
    """Return room for `n_columns` columns of up to `size` rows."""
    return Bins(
        key=np.empty(n_columns, np.int64),
        values=np.empty((n_columns, size)),
        member=np.empty((n_columns, size), np.int32),
        n_rows=np.empty(n_columns, np.int32),
        known_end=np.empty(n_columns, np.int32),
        n_bins=np.empty(n_columns, np.int32),
        low=np.empty(n_columns),
        width=np.empty(n_columns),
        grouped=np.empty(n_columns, np.bool_),
        start=np.empty((n_columns, MOST_BINS), np.int32),
        stop=np.empty((n_columns, MOST_BINS), np.int32),
        in_order=np.empty((n_columns, MOST_BINS), np.bool_),
        moments=np.empty((n_columns, MOST_BINS, 3)),
        edge_weight=np.empty(MOST_BINS + STRIDE, np.int64),
        edge=np.empty((6, MOST_BINS + STRIDE)),
        code=np.empty(size, np.int32),
        offset=np.empty(max(size, MOST_BINS + STRIDE)),
    )


@kernel
def count_bins(bins, c, projected, loads, end):
    """Lay out bins for column c, and fill their moments with the `projected` values, each with its load."""
    low, high = range_of(projected)
    n_bins = min(max(int(DENSITY * math.sqrt(projected.size)), 8), MOST_BINS)
    width = (high - low) / n_bins
    if not (width > 0.0 and 1.0 / width < np.inf):
        n_bins = 0
    bins.low[c], bins.width[c], bins.n_bins[c] = low, width, n_bins
    bins.n_rows[c], bins.known_end[c], bins.grouped[c] = projected.size, end, False
    if n_bins == 0:
        return
    find_bins(bins, c, projected)
    moments, code, offset = bins.moments[c], bins.code, bins.offset
    moments[:n_bins] = 0.0
    for i in range(projected.size):
        b, w = code[i], loads[i]
        first = w * offset[i]
        moments[b, 0] += w
        moments[b, 1] += first
        moments[b, 2] += first * offset[i]


@kernel
def find_bins(bins, c, projected):
    """Fill `code` and `offset` with the bin of each of the `projected` values, and its distance from the middle."""
    low, scale, last = bins.low[c], 1.0 / bins.width[c], np.int32(bins.n_bins[c] - 1)
    code, offset = bins.code, bins.offset
    for i in range(projected.size):
        at = (projected[i] - low) * scale
        b = np.int32(at)
        b = b if b < last else last
        code[i] = b
        offset[i] = at - b - 0.5


@kernel
def group_bins(bins, c, to, projected, members, all_bins, limit):
    """Group rows of column c by bin in room `to`, after `find_bins`: of all bins, or where a bound is below `limit`."""
    n_bins, bound, start, stop = bins.n_bins[c], bins.edge[BOUND], bins.start[to], bins.stop[to]
    total = 0
    for b in range(n_bins):
        start[b] = stop[b] = total
        bins.in_order[to, b] = False
        total += int(bins.moments[c, b, 0]) if all_bins or bound[b] < limit else 0  # no fewer than there are rows
    for i in range(members.size):
        b = bins.code[i]
        if all_bins or bound[b] < limit:
            at = stop[b]
            stop[b] += 1
            bins.values[to, at], bins.member[to, at] = projected[i], members[i]


@kernel
def forget_departed(bins, c, members, end, weights, points, feature, sign):
    """Bring the moments of column c, the given sum of features, up to date: members[end:known_end] have left."""
    low, scale, n_bins, wide = bins.low[c], 1.0 / bins.width[c], bins.n_bins[c], feature.size
    moments = bins.moments[c]
    for i in range(end, bins.known_end[c] if n_bins > 0 else end):
        row = members[i]
        # Read anew from the points: shorter than the way to where the value stands among the bins.
        at = (value_at(points, row, feature, sign, 0, wide) - low) * scale
        b = min(np.int64(at), n_bins - 1)
        w, off = weights[row], at - b - 0.5
        moments[b, 0] -= w
        moments[b, 1] -= w * off
        moments[b, 2] -= w * off * off
    bins.known_end[c] = end


@kernel
def score_of(criterion, n_left, left, n_right, right, n_log_n):
    """Return the score of a cut less what all share; sums of squares come as logs for fast_bic, else as they are."""
    if criterion == FAST_BIC:
        return n_left * left + n_right * right - 3.0 * (n_log_n[n_left] + n_log_n[n_right])
    return left + right


@kernel
def shared_score(m, width):
    """Return what fast_bic's scores of all cuts of m rows, with squares in units of `width`, share."""
    return m * (math.log(2.0 * math.pi) + 2.0 * math.log(m * width) + 1.0) + 5.0 * math.log(m)


@kernel
def padded(n):
    """Return n, rounded up to a multiple of STRIDE."""
    return (n + STRIDE - 1) // STRIDE * STRIDE


@kernel
def sum_edges(bins, c, m):
    """Fill `edge` with sums, squares and squared deviations on both sides of each edge; return the mean, in widths."""
    n_bins, moments = bins.n_bins[c], bins.moments[c]
    edge_weight, edge = bins.edge_weight, bins.edge
    sums, squares, left, right = edge[0], edge[1], edge[LEFT], edge[RIGHT]
    total = 0.0
    for b in range(n_bins):
        total += moments[b, 0] * (b + 0.5) + moments[b, 1]
    mean = total / m
    w, s, q = 0.0, 0.0, 0.0
    edge_weight[0], sums[0], squares[0] = 0, 0.0, 0.0
    for b in range(n_bins):
        middle = b + 0.5 - mean
        w += moments[b, 0]
        s += moments[b, 0] * middle + moments[b, 1]
        q += middle * (moments[b, 0] * middle + 2.0 * moments[b, 1]) + moments[b, 2]
        edge_weight[b + 1], sums[b + 1], squares[b + 1] = np.int64(w), s, q
    n_edges = padded(n_bins + 1)
    for e in range(n_bins + 1, n_edges):
        edge_weight[e], sums[e], squares[e] = m, s, q
    for e in range(n_edges):
        n_left, n_right = max(edge_weight[e], 1), max(m - edge_weight[e], 1)
        left[e] = max(squares[e] - sums[e] * sums[e] / n_left, TINY)
        right[e] = max((q - squares[e]) - (s - sums[e]) * (s - sums[e]) / n_right, TINY)
    return mean


@kernel
def binned_cut(
    bins,
    c,
    m,
    projected,
    is_fresh,
    keep,
    points,
    feature,
    sign,
    members,
    where,
    end,
    weights,
    criterion,
    n_log_n,
    exact,
    to_beat,
    work,
    carried,
    code,
):
    """Return (score, value below, value above, bin) of the best cut of column c, of weight m, if below `to_beat`.

    Where bins must be opened, a column that is not grouped has its `members` grouped: all, to `keep` them so, or as far
    as needed. `projected` then holds their values; before that only if it `is_fresh`.
    The value above is nan if it is the lowest of a later bin; the score is inf if no cut is below `to_beat`.
    """
    n_bins = bins.n_bins[c]
    if n_bins == 0:
        return np.inf, np.nan, np.nan, 0
    mean = sum_edges(bins, c, m)
    edge = bins.edge
    if criterion == FAST_BIC:
        floor = VARIANCE_FLOOR * edge[LEFT, n_bins] / m
        least = math.log(max(floor, TINY))
        share, factor = shared_score(m, bins.width[c]), 1.0
        replace_by_logs(edge[LEFT, : padded(n_bins + 1)], bins.offset)
        replace_by_logs(edge[RIGHT, : padded(n_bins + 1)], bins.offset)
    else:
        floor, least, share, factor = -np.inf, 0.0, 0.0, bins.width[c] ** 2
    best = (to_beat - share) / factor
    if exact:
        for b in range(n_bins):
            bound_bin(bins, b, m, criterion, least, n_log_n)
    else:
        pick_bins(bins, n_bins, m, criterion, least, n_log_n)
    bound = edge[BOUND, :n_bins]
    promising = int(np.argmin(bound))
    found, found_low, found_high, found_bin = np.inf, np.nan, np.nan, 0
    if not bound[promising] < best:
        return found, found_low, found_high, found_bin
    room = c if keep else bins.key.size - 1  # what is not kept is grouped in one place, which stays in the cache
    if not bins.grouped[c]:
        if not is_fresh:
            project(points, members, feature, sign, projected)
            find_bins(bins, c, projected[: members.size])
        group_bins(bins, c, room, projected, members, keep, best)
        bins.grouped[c] = keep
    for turn in range(-1, n_bins):
        b = promising if turn < 0 else turn
        if bound[b] >= best:
            continue
        bound[b] = np.inf
        score, low, high = open_bin(
            bins, c, room, b, mean, where, end, weights, criterion, floor, n_log_n, work, carried, code
        )
        # Of equal scores the leftmost counts, as in a full scan.
        if score < best or (score == best and b < found_bin):
            best = found = score
            found_low, found_high, found_bin = low, high, b
    return found * factor + share if found < np.inf else np.inf, found_low, found_high, found_bin


@kernel
def bound_bin(bins, b, m, criterion, least, n_log_n):
    """Set the bound of bin b: no sound cut after one of its rows has a score below it; inf if there are no rows.

    Squares are no less than at the bin's outer edges, nor than `least`. With these the score is concave in the number
    of rows to the left, so that it is smallest at an end.
    """
    n_0, n_1 = bins.edge_weight[b], bins.edge_weight[b + 1]
    bins.edge[BOUND, b] = np.inf
    if n_1 > n_0:
        left, right = max(bins.edge[LEFT, b], least), max(bins.edge[RIGHT, b + 1], least)
        bound = min(
            score_of(criterion, n_0, left, m - n_0, right, n_log_n),
            score_of(criterion, n_1, left, m - n_1, right, n_log_n),
        )
        # The sums behind a bound are rounded too: a hair's breadth is given away.
        bins.edge[BOUND, b] = bound - 1e-9 * abs(bound)


@kernel
def best_edge(bins, n_bins, m, criterion, least, n_log_n):
    """Return (score, edge) of the best edge between bins to cut at."""
    edge_weight, left, right = bins.edge_weight, bins.edge[LEFT], bins.edge[RIGHT]
    best, at = np.inf, 1
    for e in range(1, n_bins):
        n_left = edge_weight[e]
        score = score_of(criterion, n_left, left[e], m - n_left, right[e], n_log_n)
        if score < best and 0 < n_left < m and left[e] > least and right[e] > least:
            best, at = score, e
    return best, at


@kernel
def pick_bins(bins, n_bins, m, criterion, least, n_log_n):
    """Set bounds for the bins to look at, inf for others: both ends, and the two beside the best edge."""
    score, at = best_edge(bins, n_bins, m, criterion, least, n_log_n)
    edge_weight, edge = bins.edge_weight, bins.edge
    edge[BOUND, :n_bins] = np.inf
    first, last, below, above = 0, n_bins - 1, at - 1, at
    while first < n_bins - 1 and edge_weight[first + 1] == 0:
        first += 1
    while last > 0 and edge_weight[last] == m:
        last -= 1
    while below > 0 and edge_weight[below + 1] == edge_weight[below]:
        below -= 1
    while above < n_bins - 1 and edge_weight[above + 1] == edge_weight[above]:
        above += 1
    for b in (below, above):
        bound_bin(bins, b, m, criterion, least, n_log_n)
        if criterion == FAST_BIC:
            edge[BOUND, b] = max(edge[BOUND, b], score - GAIN)
    for b in (first, last):
        bound_bin(bins, b, m, criterion, least, n_log_n)


@kernel
def score_a_row(bins, c, m, n_log_n, work):
    """Return fast_bic's score of column c, at the best edge of its bins, by weight: m in all."""
    n_bins = bins.n_bins[c]
    if n_bins == 0:
        return np.inf
    sum_edges(bins, c, m)
    replace_by_logs(bins.edge[LEFT, : padded(n_bins + 1)], bins.offset)
    replace_by_logs(bins.edge[RIGHT, : padded(n_bins + 1)], bins.offset)
    least = bins.edge[LEFT, n_bins] + math.log(VARIANCE_FLOOR / m)
    score, _ = best_edge(bins, n_bins, m, FAST_BIC, least, n_log_n)
    return (score + shared_score(m, bins.width[c])) / m


@kernel
def open_bin(bins, c, room, b, mean, where, end, weights, criterion, floor, n_log_n, work, carried, code):
    """Return (score, value below, value above) of the best cut of column c, grouped in `room`, after a row of bin b."""
    start, stop = bins.start[room, b], bins.stop[room, b]
    values, member = bins.values[room, start:stop], bins.member[room, start:stop]
    if not bins.in_order[room, b]:
        sort_pairs(values, member, work, code)
        bins.in_order[room, b] = True
    inside = work[7]
    n = 0
    for i in range(stop - start):
        if where[member[i]] < end or not bins.grouped[c]:
            inside[n], carried[n] = values[i], weights[member[i]]
            n += 1
    n_bins, edge_weight, sums, squares = bins.n_bins[c], bins.edge_weight, bins.edge[0], bins.edge[1]
    before = (float(edge_weight[b]), sums[b], squares[b])
    after = (
        float(edge_weight[n_bins] - edge_weight[b + 1]),
        sums[n_bins] - sums[b + 1],
        squares[n_bins] - squares[b + 1],
    )
    score, i = score_cuts(
        inside[:n], carried[:n], bins.low[c], 1.0 / bins.width[c], mean, before, after, floor, criterion, n_log_n, work
    )
    if i < 0:
        return np.inf, np.nan, np.nan
    return score, inside[i], inside[i + 1] if i + 1 < n else np.nan


@kernel
def cut_above(bins, c, b, low, high, where, end):
    """Return the cut above `low` in bin b of a kept column: halfway to `high`, or to the lowest value after bin b."""
    while math.isnan(high):
        b += 1
        for i in range(bins.start[c, b], bins.stop[c, b]):
            if where[bins.member[c, i]] < end and not bins.values[c, i] >= high:
                high = bins.values[c, i]
    return between(low, high)


@kernel
def lighter_bins(bins, c, b, cut, where, end, m, weights, leaving):
    """Fill `leaving` with the rows of a kept column on the lighter side of `cut`, in or right after bin b.

    Return (how many, their weight, are they below).
    """
    n_below = 0
    for a in range(b):
        n_below += int(bins.moments[c, a, 0])
    for i in range(bins.start[c, b], bins.stop[c, b]):
        if where[bins.member[c, i]] < end and bins.values[c, i] < cut:
            n_below += weights[bins.member[c, i]]
    below = 2 * n_below <= m
    n = 0
    for a in range(0 if below else b, b + 1 if below else bins.n_bins[c]):
        for i in range(bins.start[c, a], bins.stop[c, a]):
            if where[bins.member[c, i]] < end and (bins.values[c, i] < cut) == below:
                leaving[n] = bins.member[c, i]
                n += 1
    return n, n_below if below else m - n_below, below
