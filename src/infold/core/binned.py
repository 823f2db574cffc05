"""The best cut of a projected column without sorting it: bins, and a look into the few that matter.

A column's rows are grouped into bins of equal width, each with its weight and its first two moments. The score at the
edges of bins tells which bins to open; only their rows are sorted and tried one by one. The fast search opens both ends
and the bins beside the best edge. The exact search opens every bin that a bound does not exclude: its cut is that of
`split.best_cut` on all rows, up to the rounding of sums.

Fast-BIC peels tails: on Gaussian data most cuts take off a handful of rows, and a tree is a chain of hundreds of such
nodes. Along a chain, columns stay in their bins: rows that have left are taken off when a column is next looked at.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .jit import kernel
from .split import FAST_BIC, VARIANCE_FLOOR, between, replace_by_logs

SMALL = 128  # rows below which sorting all of them is as fast
MOST_BINS = 512
TINY = 1e-300  # stands for a sum of squares of 0 in a logarithm


class Bins(NamedTuple):
    """Room for some projected columns of the rows members[first:end], each grouped by bins."""

    key: np.ndarray  # (c,) which projection it is
    values: np.ndarray  # (c, size) projected values, by bin
    member: np.ndarray  # (c, size) the row of each, as a number within the tree
    place: np.ndarray  # (c, size) where each row stands
    n_rows: np.ndarray  # (c,) rows that were grouped, those that have left included
    known_end: np.ndarray  # (c,) `end` when last looked at: members[end:known_end] have left since
    n_bins: np.ndarray  # (c,) 0 if all values are equal
    low: np.ndarray  # (c,) where the first bin begins
    width: np.ndarray  # (c,)
    start: np.ndarray  # (c, bins) first entry of each bin
    stop: np.ndarray  # (c, bins) end of its entries
    weight: np.ndarray  # (c, bins) rows, copies counted
    first_moment: np.ndarray  # (c, bins) about the middle of the bin, in bin widths: no offset costs digits
    second_moment: np.ndarray
    edge_weight: np.ndarray  # (bins + 1,) scratch: rows to the left of each edge
    edge: np.ndarray  # (7, bins + 1) scratch
    code: np.ndarray  # (size,) scratch
    spare: np.ndarray  # (size,) scratch


@kernel
def new_bins(n_columns, size):
    """Return room for `n_columns` columns of up to `size` rows."""
    return Bins(
        np.empty(n_columns, np.int64),
        np.empty((n_columns, size)),
        np.empty((n_columns, size), np.int32),
        np.empty((n_columns, size), np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns),
        np.empty(n_columns),
        np.empty((n_columns, MOST_BINS), np.int32),
        np.empty((n_columns, MOST_BINS), np.int32),
        np.empty((n_columns, MOST_BINS), np.int64),
        np.empty((n_columns, MOST_BINS)),
        np.empty((n_columns, MOST_BINS)),
        np.empty(MOST_BINS + 1, np.int64),
        np.empty((7, MOST_BINS + 1)),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )


@kernel
def lay_out_bins(bins, c, projected):
    """Set the bins of column c to cover the `projected` values, empty them, and return how many there are."""
    low, high = projected[0], projected[0]
    for i in range(projected.size):
        low, high = min(low, projected[i]), max(high, projected[i])
    n_bins = min(max(np.int64(2.0 * math.sqrt(projected.size)), 8), MOST_BINS)
    width = (high - low) / n_bins
    if not (width > 0.0 and 1.0 / width < np.inf):
        n_bins = 0
    bins.low[c], bins.width[c], bins.n_bins[c] = low, width, n_bins
    bins.weight[c, :n_bins] = 0
    bins.first_moment[c, :n_bins] = 0.0
    bins.second_moment[c, :n_bins] = 0.0
    return n_bins


@kernel
def count_bins(bins, c, projected, members, weights):
    """Fill the weights and moments of column c with the `projected` values of `members`."""
    n_bins = lay_out_bins(bins, c, projected)
    if n_bins == 0:
        return
    low, scale = bins.low[c], 1.0 / bins.width[c]
    weight, first_moment, second_moment = bins.weight[c], bins.first_moment[c], bins.second_moment[c]
    code = bins.code
    for i in range(members.size):
        at = (projected[i] - low) * scale
        b = min(np.int64(at), n_bins - 1)
        code[i] = b
        w, off = weights[members[i]], at - b - 0.5
        weight[b] += w
        first_moment[b] += w * off
        second_moment[b] += w * off * off


@kernel
def group_bins(bins, c, projected, members, limit):
    """Group the rows of column c by bin, after `count_bins`: of all bins, or of those with edge[6] below `limit`."""
    n_bins, bound, start, stop = bins.n_bins[c], bins.edge[6], bins.start[c], bins.stop[c]
    total = 0
    for b in range(n_bins):
        start[b] = stop[b] = total
        total += bins.weight[c, b] if bound[b] < limit else 0  # no fewer than there are rows
    for i in range(members.size):
        b = bins.code[i]
        if bound[b] < limit:
            at = stop[b]
            stop[b] += 1
            bins.values[c, at], bins.member[c, at], bins.place[c, members[i]] = projected[i], members[i], at


@kernel
def keep_bins(bins, c, projected, members, weights, end):
    """Make column c of the `projected` values of `members`, to be kept along a chain."""
    count_bins(bins, c, projected, members, weights)
    bins.edge[6] = 0.0
    group_bins(bins, c, projected, members, np.inf)
    bins.n_rows[c], bins.known_end[c] = members.size, end


@kernel
def forget_departed(bins, c, members, first, end, where, weights, scratch):
    """Bring column c up to date: members[end:known_end] have left."""
    if 2 * (end - first) < bins.n_rows[c]:  # the bins have become coarse for the rows that are left
        n = 0
        for i in range(first, end):
            bins.spare[n] = members[i]
            scratch[0, n] = bins.values[c, bins.place[c, members[i]]]
            n += 1
        keep_bins(bins, c, scratch[0, :n], bins.spare[:n], weights, end)
        return
    low, scale, n_bins = bins.low[c], 1.0 / bins.width[c], bins.n_bins[c]
    for i in range(end, bins.known_end[c]):
        row = members[i]
        at = (bins.values[c, bins.place[c, row]] - low) * scale
        b = min(np.int64(at), n_bins - 1)
        w, off = weights[row], at - b - 0.5
        bins.weight[c, b] -= w
        bins.first_moment[c, b] -= w * off
        bins.second_moment[c, b] -= w * off * off
    bins.known_end[c] = end


@kernel
def score_of(criterion, n_left, left, n_right, right, n_log_n):
    """Return the score of a cut less what all share; sums of squares come as logs for fast_bic, else as they are."""
    if criterion == FAST_BIC:
        return n_left * left + n_right * right - 3.0 * (n_log_n[n_left] + n_log_n[n_right])
    return left + right


@kernel
def sum_edges(bins, c, m):
    """Fill `edge` with weights, means and squares left and right of each edge, in bin widths from the mean."""
    n_bins = bins.n_bins[c]
    weight, first_moment, second_moment = bins.weight[c], bins.first_moment[c], bins.second_moment[c]
    edge_weight, edge = bins.edge_weight, bins.edge
    total = 0.0
    for b in range(n_bins):
        total += weight[b] * (b + 0.5) + first_moment[b]
    mean = total / m
    sums, squares, n = 0.0, 0.0, 0
    edge_weight[0], edge[0, 0], edge[1, 0] = 0, 0.0, 0.0
    for b in range(n_bins):
        middle = b + 0.5 - mean
        n += weight[b]
        sums += weight[b] * middle + first_moment[b]
        squares += middle * (weight[b] * middle + 2.0 * first_moment[b]) + second_moment[b]
        edge_weight[b + 1], edge[0, b + 1], edge[1, b + 1] = n, sums, squares
    sums, squares = 0.0, 0.0
    edge[2, n_bins], edge[3, n_bins] = 0.0, 0.0
    for b in range(n_bins - 1, -1, -1):
        middle = b + 0.5 - mean
        sums += weight[b] * middle + first_moment[b]
        squares += middle * (weight[b] * middle + 2.0 * first_moment[b]) + second_moment[b]
        edge[2, b], edge[3, b] = sums, squares
    for e in range(n_bins + 1):
        n_left = edge_weight[e]
        n_right = m - n_left
        edge[0, e] /= max(n_left, 1)
        edge[1, e] = max(edge[1, e] - edge[0, e] ** 2 * n_left, 0.0)
        edge[2, e] /= max(n_right, 1)
        edge[3, e] = max(edge[3, e] - edge[2, e] ** 2 * n_right, 0.0)
    return mean


@kernel
def binned_cut(bins, c, m, projected, members, where, end, weights, criterion, n_log_n, exact, to_beat, scratch):
    """Return (score, value below, value above, bin) of the best cut of column c, m copies of rows, if below `to_beat`.

    A column that is not kept has its `projected` values of `members` grouped as far as needed; else these are empty.
    The value above is nan if it is the lowest of a later bin; the score is inf if no cut is below `to_beat`.
    """
    n_bins = bins.n_bins[c]
    if n_bins == 0:
        return np.inf, np.nan, np.nan, 0
    mean = sum_edges(bins, c, m)
    edge = bins.edge
    total = edge[1, n_bins]
    if criterion == FAST_BIC:
        floor = VARIANCE_FLOOR * total / m
        share = m * (math.log(2.0 * math.pi) + 2.0 * math.log(m) + 1.0) + 5.0 * math.log(m)
        share += 2.0 * m * math.log(bins.width[c])
        factor = 1.0
    else:
        floor, share, factor = -1.0, 0.0, bins.width[c] ** 2
    best = (to_beat - share) / factor
    if exact:
        bound_bins(bins, n_bins, m, criterion, n_log_n)
    else:
        pick_bins(bins, n_bins, m, criterion, floor, n_log_n)
    if members.size > 0:
        group_bins(bins, c, projected, members, best)
    bound = edge[6, :n_bins]
    promising = int(np.argmin(bound))
    found, found_low, found_high, found_bin = np.inf, np.nan, np.nan, 0
    for turn in range(-1, n_bins):
        b = promising if turn < 0 else turn
        if bound[b] >= best:
            continue
        bound[b] = np.inf
        score, low, high = open_bin(bins, c, b, mean, where, end, weights, criterion, floor, n_log_n, scratch)
        # Of equal scores the leftmost counts, as in a full scan.
        if score < best or (score == best and b < found_bin):
            best = found = score
            found_low, found_high, found_bin = low, high, b
    return found * factor + share if found < np.inf else np.inf, found_low, found_high, found_bin


@kernel
def bound_of(criterion, n_0, n_1, m, left, right, n_log_n):
    """Return a value that no score of a cut is below, with n_0 to n_1 rows to the left, squares no less than given.

    With squares fixed at the least they can be, the score is concave in the number of rows to the left: it is smallest
    at an end.
    """
    bound = min(
        score_of(criterion, n_0, left, m - n_0, right, n_log_n), score_of(criterion, n_1, left, m - n_1, right, n_log_n)
    )
    # The sums behind a bound are rounded too: a hair's breadth is given away.
    return bound - 1e-9 * abs(bound)


@kernel
def bound_bins(bins, n_bins, m, criterion, n_log_n):
    """Fill edge[6] with a bound that no score of a cut in a bin is below; inf for an empty bin.

    Within a bin squares are no less than at its outer edges.
    """
    edge_weight, edge = bins.edge_weight, bins.edge
    left, right, bound = edge[4], edge[5], edge[6]
    for b in range(n_bins):
        left[b], right[b] = max(edge[1, b], TINY), max(edge[3, b + 1], TINY)
    if criterion == FAST_BIC:
        replace_by_logs(left[:n_bins])
        replace_by_logs(right[:n_bins])
    for b in range(n_bins):
        n_0, n_1 = edge_weight[b], edge_weight[b + 1]
        bound[b] = np.inf
        if n_1 > n_0:
            bound[b] = bound_of(criterion, n_0, n_1, m, left[b], right[b], n_log_n)


@kernel
def pick_bins(bins, n_bins, m, criterion, floor, n_log_n):
    """Fill edge[6] with bounds for the bins to look at, inf for others: both ends, and the two beside the best edge."""
    edge_weight, edge = bins.edge_weight, bins.edge
    left, right, chosen = edge[4], edge[5], edge[6]
    for e in range(1, n_bins):
        left[e], right[e] = max(edge[1, e], TINY), max(edge[3, e], TINY)
    if criterion == FAST_BIC:
        replace_by_logs(left[1:n_bins])
        replace_by_logs(right[1:n_bins])
    best, best_edge = np.inf, 1
    for e in range(1, n_bins):
        n_left = edge_weight[e]
        score = score_of(criterion, n_left, left[e], m - n_left, right[e], n_log_n)
        sound = 0 < n_left < m and edge[1, e] > floor * n_left and edge[3, e] > floor * (m - n_left)
        if sound and score < best:
            best, best_edge = score, e
    chosen[:n_bins] = np.inf
    first, last, below, above = 0, n_bins - 1, best_edge - 1, best_edge
    while first < n_bins and edge_weight[first + 1] == 0:
        first += 1
    while last > 0 and edge_weight[last] == m:
        last -= 1
    while below > 0 and edge_weight[below + 1] == edge_weight[below]:
        below -= 1
    while above < n_bins - 1 and edge_weight[above + 1] == edge_weight[above]:
        above += 1
    left[0], right[n_bins] = np.log(TINY), np.log(TINY)
    if criterion != FAST_BIC:
        left[0], right[n_bins] = 0.0, 0.0
    for b in (first, last, below, above):
        n_0, n_1 = edge_weight[b], edge_weight[b + 1]
        if n_1 > n_0:
            chosen[b] = bound_of(criterion, n_0, n_1, m, left[b], right[b + 1], n_log_n)


@kernel
def open_bin(bins, c, b, mean, where, end, weights, criterion, floor, n_log_n, scratch):
    """Return (score, value below, value above) of the best cut right after a row of bin b."""
    inside, left, right, left_squares, right_squares = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    n = 0
    for i in range(bins.start[c, b], bins.stop[c, b]):
        row = bins.member[c, i]
        if where[row] < end:
            for _ in range(weights[row]):
                inside[n] = bins.values[c, i]
                n += 1
    inside[:n].sort()
    low, scale = bins.low[c], 1.0 / bins.width[c]
    n_before = bins.edge_weight[b]
    n_after = bins.edge_weight[bins.n_bins[c]] - bins.edge_weight[b + 1]
    first, last = (inside[0] - low) * scale - mean, (inside[n - 1] - low) * scale - mean
    n_left, middle, squares = n_before, bins.edge[0, b] if n_before > 0 else first, bins.edge[1, b]
    for i in range(n):
        n_left += 1
        value = (inside[i] - low) * scale - mean
        delta = value - middle
        middle += delta * (1.0 / n_left)
        squares += delta * (value - middle)
        left_squares[i] = squares
        left[i] = max(squares, TINY)
    n_right, middle, squares = n_after, bins.edge[2, b + 1] if n_after > 0 else last, bins.edge[3, b + 1]
    for i in range(n - 1, -1, -1):
        right_squares[i] = squares
        right[i] = max(squares, TINY)
        n_right += 1
        value = (inside[i] - low) * scale - mean
        delta = value - middle
        middle += delta * (1.0 / n_right)
        squares += delta * (value - middle)
    if criterion == FAST_BIC:
        replace_by_logs(left[:n])
        replace_by_logs(right[:n])
    best, best_low, best_high = np.inf, np.nan, np.nan
    for i in range(n):
        n_left, n_right = n_before + i + 1, n_after + n - i - 1
        is_last = i + 1 == n
        apart = n_right > 0 if is_last else inside[i] < inside[i + 1]
        if apart and left_squares[i] > floor * n_left and right_squares[i] > floor * n_right:
            score = score_of(criterion, n_left, left[i], n_right, right[i], n_log_n)
            if score < best:
                best, best_low, best_high = score, inside[i], np.nan if is_last else inside[i + 1]
    return best, best_low, best_high


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
    n_below = np.sum(bins.weight[c, :b])
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
