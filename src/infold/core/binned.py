"""The best cut of a projected column without sorting it: bins, and a look into the few that matter.

A column's rows are grouped into bins of equal width, each with its weight and its first two moments. The score at the
edges of bins tells which bins to open; only their rows are sorted and tried one by one. The fast search opens both ends
and the bins beside the best edge. The exact search opens every bin that a bound does not exclude: its cut is that of
`split.best_cut` on all rows, up to the rounding of sums.

Fast-BIC peels tails: on Gaussian data most cuts take off a handful of rows, and a tree is a chain of hundreds of such
nodes. So bins are kept along a chain, and those that have become empty at either end are passed over.
"""

from __future__ import annotations

import math

import numpy as np

from .bins import BOUND, LEFT, RIGHT, SQUARES, STRIDE, SUM, WEIGHT, find_bins, group_bins
from .jit import inlined, part
from .projection import project
from .scan import TINY, score_cuts, sort_pairs
from .split import FAST_BIC, VARIANCE_FLOOR, between, replace_by_logs

SMALL = 128  # rows below which sorting all of them is as fast
GAIN = 3.0  # nats that a cut in a bin beside the best edge may add to it: nine columns in ten add less than 1


@part
def score_of(criterion, n_left, left, n_right, right, n_log_n):
    """Return the score of a cut less what all share; sums of squares come as logs for fast_bic, else as they are."""
    if criterion == FAST_BIC:
        return n_left * left + n_right * right - 3.0 * (n_log_n[np.uint32(n_left)] + n_log_n[np.uint32(n_right)])
    return left + right


@part
def shared_score(m, width):
    """Return what fast_bic's scores of all cuts of m rows, with squares in units of `width`, share."""
    return m * (math.log(2.0 * math.pi) + 2.0 * math.log(m * width) + 1.0) + 5.0 * math.log(m)


@part
def padded(n):
    """Return n, rounded up to a multiple of STRIDE."""
    return (n + STRIDE - 1) // STRIDE * STRIDE


@inlined
def sum_bins(bins, c, m, criterion):
    """Pass over empty bins at the ends of column c; return `sum_edges` of the others."""
    first, last = np.int64(bins.first[c]), np.int64(bins.last[c])
    first, last, mean = sum_edges(bins.moments[c], first, last, m, bins.edge)
    bins.first[c], bins.last[c] = first, last
    return first, last, mean, square_edges(bins.edge, first, last, m, criterion)


@part
def sum_edges(moments, first, last, m, edge):
    """Fill `edge` with weights, sums and squares to the left of each edge between the bins with rows.

    Return (first edge, last edge, mean in widths). Loops begin at 0, where no index can count from the end.
    """
    while moments[first, 0] == 0.0:
        first += 1
    while moments[last - 1, 0] == 0.0:
        last -= 1
    here = moments[first:last]
    weight, sums, squares = edge[WEIGHT, first : last + 1], edge[SUM, first : last + 1], edge[SQUARES, first : last + 1]
    total = 0.0
    for b in range(here.shape[0]):
        total += here[b, 0] * (first + b + 0.5) + here[b, 1]
    mean = total / m
    w, s, q = 0.0, 0.0, 0.0
    weight[0], sums[0], squares[0] = 0.0, 0.0, 0.0
    for b in range(here.shape[0]):
        middle = first + b + 0.5 - mean
        w += here[b, 0]
        s += here[b, 0] * middle + here[b, 1]
        q += middle * (here[b, 0] * middle + 2.0 * here[b, 1]) + here[b, 2]
        weight[b + 1], sums[b + 1], squares[b + 1] = w, s, q
    return first, last, mean


@part
def square_edges(edge, first, last, m, criterion):
    """Fill in the squared deviations on both sides of the edges first to last, from sums: for fast_bic their logs.

    Return (least squares that a sound side has a unit of weight, the same as a log). Several edges are taken at a time.
    """
    end = first + padded(last - first + 1)
    weight, sums, squares = edge[WEIGHT, first:end], edge[SUM, first:end], edge[SQUARES, first:end]
    left, right = edge[LEFT, first:end], edge[RIGHT, first:end]
    s, q = sums[last - first], squares[last - first]
    weight[last - first + 1 :] = m
    sums[last - first + 1 :] = s
    squares[last - first + 1 :] = q
    for e in range(weight.size):
        n_left, n_right = max(weight[e], 1.0), max(m - weight[e], 1.0)
        left[e] = max(squares[e] - sums[e] * sums[e] / n_left, TINY)
        right[e] = max((q - squares[e]) - (s - sums[e]) * (s - sums[e]) / n_right, TINY)
    if criterion != FAST_BIC:
        return -np.inf, 0.0
    floor = VARIANCE_FLOOR * left[last - first] / m
    replace_by_logs(left)
    replace_by_logs(right)
    return floor, math.log(max(floor, TINY))


@inlined
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
    if bins.n_bins[c] == 0:
        return np.inf, np.nan, np.nan, 0
    first, last, mean, (floor, least) = sum_bins(bins, c, m, criterion)
    share, factor = 0.0, bins.width[c] ** 2
    if criterion == FAST_BIC:
        share, factor = shared_score(m, bins.width[c]), 1.0
    best = (to_beat - share) / factor
    n_picked, promising = pick_bins(bins.edge, first, last, m, criterion, least, n_log_n, exact, bins.picked)
    bound = bins.edge[BOUND]
    found, found_low, found_high, found_bin = np.inf, np.nan, np.nan, 0
    if not bound[promising] < best:
        return found, found_low, found_high, found_bin
    room = c if keep else bins.values.shape[0] - 1  # what is not kept is grouped in one place, which stays in the cache
    if not bins.grouped[c]:
        if not is_fresh:
            project(points, members, feature, sign, projected)
            n_bins = np.int64(bins.n_bins[c])
            find_bins(bins.low[c], bins.width[c], n_bins, projected[: members.size], bins.code, work[0])
        group_bins(bins, c, room, projected, members, keep, n_picked, best)
        bins.grouped[c] = keep
    for turn in range(n_picked + 1):
        k = turn - 1 if turn > 0 else promising
        if bound[k] >= best:
            continue
        b, bound[k] = bins.picked[k], np.inf
        score, low, high = open_bin(
            bins, c, room, b, mean, where, end, weights, criterion, floor, n_log_n, work, carried, code
        )
        # Of equal scores the leftmost counts, as in a full scan.
        if score < best or (score == best and b < found_bin):
            best = found = score
            found_low, found_high, found_bin = low, high, b
    return found * factor + share if found < np.inf else np.inf, found_low, found_high, found_bin


@part
def bound_of(edge, b, m, criterion, least, n_log_n):
    """Return a bound: no sound cut after one of the rows of bin b has a score below it; inf if there are no rows.

    Squares are no less than at the bin's outer edges, nor than `least`. With these the score is concave in the number
    of rows to the left, so that it is smallest at an end. A single row is no side for fast_bic: the first bin needs
    two, which lie at its edge if there are no more, and the last one three.
    """
    n_0, n_1 = edge[WEIGHT, b], edge[WEIGHT, b + 1]
    if n_0 == n_1 or (criterion == FAST_BIC and (n_1 < 2 or m - n_0 < 3)):
        return np.inf
    left, right = max(edge[LEFT, b], least), max(edge[RIGHT, b + 1], least)
    if criterion == FAST_BIC and n_0 == 0 and n_1 == 2:
        n_0, left = n_1, max(edge[LEFT, b + 1], least)
    bound = min(
        score_of(criterion, n_0, left, m - n_0, right, n_log_n),
        score_of(criterion, n_1, left, m - n_1, right, n_log_n),
    )
    # The sums behind a bound are rounded too: a hair's breadth is given away.
    return bound - 1e-9 * abs(bound)


@part
def best_edge(edge, first, last, m, criterion, least, n_log_n):
    """Return (score, edge) of the best edge between the bins first to last to cut at."""
    weight, left, right = edge[WEIGHT, first:last], edge[LEFT, first:last], edge[RIGHT, first:last]
    best, at = np.inf, 1
    for e in range(1, weight.size):
        score = score_of(criterion, weight[e], left[e], m - weight[e], right[e], n_log_n)
        if score < best and 0 < weight[e] < m and left[e] > least and right[e] > least:
            best, at = score, e
    return best, first + at


@part
def pick_bins(edge, first, last, m, criterion, least, n_log_n, exact, picked):
    """Fill `picked` with bins to look at, in order, and the row BOUND of `edge` with their bounds.

    These are all bins, or both ends and the two beside the best edge. Return (number, which has the lowest bound).
    """
    weight, bound = edge[WEIGHT], edge[BOUND]
    count, promising = 0, 0
    if exact:
        for b in range(first, last):
            picked[b - first], bound[b - first] = b, bound_of(edge, b, m, criterion, least, n_log_n)
        count = last - first
    else:
        score, at = best_edge(edge, first, last, m, criterion, least, n_log_n)
        below, above = at - 1, min(at, last - 1)
        while below > first and weight[below + 1] == weight[below]:
            below -= 1
        while above < last - 1 and weight[above + 1] == weight[above]:
            above += 1
        for b in (first, below, above, last - 1):
            if count == 0 or picked[count - 1] < b:
                picked[count], bound[count] = b, bound_of(edge, b, m, criterion, least, n_log_n)
                if criterion == FAST_BIC and first < b < last - 1:
                    bound[count] = max(bound[count], score - GAIN)
                count += 1
    for k in range(count):
        promising = k if bound[k] < bound[promising] else promising
    return count, promising


@inlined
def score_a_row(bins, c, m, n_log_n):
    """Return fast_bic's score of column c, at the best edge of its bins, by weight: m in all."""
    if bins.n_bins[c] == 0:
        return np.inf
    criterion = np.int64(FAST_BIC)
    first, last, _, (_, least) = sum_bins(bins, c, m, criterion)
    score, _ = best_edge(bins.edge, first, last, m, criterion, least, n_log_n)
    return (score + shared_score(m, bins.width[c])) / m


@inlined
def open_bin(bins, c, room, b, mean, where, end, weights, criterion, floor, n_log_n, work, carried, code):
    """Return (score, value below, value above) of the best cut of column c, grouped in `room`, after a row of bin b."""
    start, stop = bins.start[room, b], bins.stop[room, b]
    values, member = bins.values[room, start:stop], bins.member[room, start:stop]
    if not bins.in_order[room, b]:
        sort_pairs(values, member, work, code)
        bins.in_order[room, b] = True
    inside = work[6]
    n = 0
    for i in range(stop - start):
        if where[member[i]] < end or not bins.grouped[c]:
            inside[n], carried[n] = values[i], weights[member[i]]
            n += 1
    last, weight, sums, squares = bins.last[c], bins.edge[WEIGHT], bins.edge[SUM], bins.edge[SQUARES]
    before = (weight[b], sums[b], squares[b])
    after = (
        weight[last] - weight[b + 1],
        sums[last] - sums[b + 1],
        squares[last] - squares[b + 1],
    )
    score, i = score_cuts(
        inside[:n], carried[:n], bins.low[c], 1.0 / bins.width[c], mean, before, after, floor, criterion, n_log_n, work
    )
    if i < 0:
        return np.inf, np.nan, np.nan
    return score, inside[i], inside[i + 1] if i + 1 < n else np.nan


@inlined
def cut_above(bins, c, b, low, high, where, end):
    """Return the cut above `low` in bin b of a kept column: halfway to `high`, or to the lowest value after bin b."""
    while math.isnan(high):
        b += 1
        for i in range(bins.start[c, b], bins.stop[c, b]):
            if where[bins.member[c, i]] < end and not bins.values[c, i] >= high:
                high = bins.values[c, i]
    return between(low, high)


@inlined
def lighter_bins(bins, c, b, cut, where, end, m, weights, leaving):
    """Fill `leaving` with the rows of a kept column on the lighter side of `cut`, in or right after bin b.

    Return (how many, their weight, are they below).
    """
    n_below = 0
    for a in range(bins.first[c], b):
        n_below += int(bins.moments[c, a, 0])
    for i in range(bins.start[c, b], bins.stop[c, b]):
        if where[bins.member[c, i]] < end and bins.values[c, i] < cut:
            n_below += weights[bins.member[c, i]]
    below = 2 * n_below <= m
    n = 0
    for a in range(bins.first[c] if below else b, b + 1 if below else bins.last[c]):
        for i in range(bins.start[c, a], bins.stop[c, a]):
            if where[bins.member[c, i]] < end and (bins.values[c, i] < cut) == below:
                leaving[n] = bins.member[c, i]
                n += 1
    return n, n_below if below else m - n_below, below
