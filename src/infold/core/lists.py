"""The rows of a node of two columns x and y, sorted along x, y, x − y and x + y, and cuts of one of these lists.

There are no other projections of two columns, so that sorting is done once for all trees: a list of a child is that of
its parent with rows left out. Blocks of a long list keep their weight and moments, so that most rows are passed over.
Rows that are peeled off stay in the lists until a list is looked at again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .binned import SMALL, pick_bins, shared_score, square_edges
from .bins import BOUND, SQUARES, STRIDE, SUM, WEIGHT
from .jit import FIRST, inlined
from .scan import N_WORK, best_of_sorted, score_cuts
from .split import FAST_BIC

N_LISTS = 4
MOST_BLOCKS = 320
DENSITY = 1.0  # blocks for the square root of the number of rows; with twice as many, tails are peeled half as fast
SMALLEST = 8  # rows of the blocks at both ends, which are opened every time; towards the middle they grow
ENDS = 64  # blocks that this adds at most
RENEW = 16  # blocks are made anew once 1 / RENEW as many rows have departed as are left
FAR = 30.0  # standard deviations beyond which a difference of squares would be all rounding
BELOW, GONE, ABOVE = 0, 1, 2  # where a row is: below a cut or not cut off, in a leaf, above a cut


class Lists(NamedTuple):
    """Room for the lists of trees on up to `size` of n rows."""

    values: np.ndarray  # (4, size) each sorted, in blocks
    rows: np.ndarray  # (4, size) the row of each
    n_blocks: np.ndarray  # (4,) 0 if the rows are not in blocks, but together from start[0] to stop[0]
    n_counted: np.ndarray  # (4,) rows when blocks were made
    known: np.ndarray  # (4,) how many of those departed have been taken out
    start: np.ndarray  # (4, blocks) first entry of each block
    stop: np.ndarray  # (4, blocks) end of its entries
    low: np.ndarray  # (4, blocks) its lowest value when it was made
    centre: np.ndarray  # (4,) a value amid the list
    deviation: np.ndarray  # (4,) a standard deviation from it
    moments: np.ndarray  # (4, blocks, 3) weight, and moments about the centre
    has_holes: np.ndarray  # (4, blocks) does it still hold rows that have departed?
    weights: np.ndarray  # (n,) how often each row was drawn
    place: np.ndarray  # (n,) BELOW, GONE or ABOVE
    departed: np.ndarray  # (size,) rows that have been peeled off since the node's lists were made
    spare_values: np.ndarray  # scratch of kernels
    spare_rows: np.ndarray
    loads: np.ndarray
    work: np.ndarray
    edge: np.ndarray
    picked: np.ndarray


def new_lists(n: int, size: int) -> Lists:
    """Return room for lists of up to `size` of n rows."""
    return Lists(
        values=np.empty((N_LISTS, size + 1)),
        rows=np.empty((N_LISTS, size + 1), np.uint32),
        n_blocks=np.empty(N_LISTS, np.int32),
        n_counted=np.empty(N_LISTS, np.int32),
        known=np.empty(N_LISTS, np.int32),
        start=np.empty((N_LISTS, MOST_BLOCKS), np.uint32),
        stop=np.empty((N_LISTS, MOST_BLOCKS), np.uint32),
        low=np.empty((N_LISTS, MOST_BLOCKS)),
        centre=np.empty(N_LISTS),
        deviation=np.empty(N_LISTS),
        moments=np.empty((N_LISTS, MOST_BLOCKS, 3)),
        has_holes=np.empty((N_LISTS, MOST_BLOCKS), np.bool_),
        weights=np.empty(n, np.uint32),
        place=np.empty(n, np.int8),
        departed=np.empty(size, np.uint32),
        spare_values=np.empty(size),
        spare_rows=np.empty(size, np.uint32),
        loads=np.empty(size, np.uint32),
        work=np.empty((N_WORK, size)),
        edge=np.empty((6, MOST_BLOCKS + STRIDE)),
        picked=np.empty(MOST_BLOCKS, np.int64),
    )


def sorted_lists(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted values (4, n) of x, y, x − y and x + y of `points` (2, n), and the row of each."""
    x, y = points
    values = np.stack((x, y, x - y, x + y))
    rows = np.argsort(values, axis=1, kind="stable").astype(np.uint32)
    return np.take_along_axis(values, rows, axis=1), rows


@inlined
def fill_lists(lists, sorted_values, sorted_rows):
    """Fill the lists with the rows that were drawn; return their number."""
    n = 0
    for a in range(N_LISTS):
        n = 0
        values, rows = lists.values[a], lists.rows[a]
        for i in range(sorted_rows.shape[1]):
            row = sorted_rows[a, i]
            values[n], rows[n] = sorted_values[a, i], row
            n += lists.weights[row] > 0
    return n


@inlined
def begin_lists(lists, first, end):
    """From now on, the lists are those of a node whose entries lie together."""
    for a in range(N_LISTS):
        lists.n_blocks[a], lists.known[a], lists.start[a, 0], lists.stop[a, 0] = 0, 0, first, end


@inlined
def gather(lists, a, n_departed):
    """Put the entries of list a together; those departed are left out."""
    values, rows, start, stop = lists.values[a], lists.rows[a], lists.start[a], lists.stop[a]
    if lists.n_blocks[a] > 0 or lists.known[a] < n_departed:
        at = start[0]
        for b in range(max(1, lists.n_blocks[a])):
            for i in range(start[b], stop[b]):
                values[at], rows[at] = values[i], rows[i]
                at += lists.place[rows[at]] == BELOW
        stop[0] = at
    lists.n_blocks[a], lists.known[a] = 0, n_departed


@inlined
def count_block(lists, a, b):
    """Fill in the moments of a block of list a."""
    values, rows, centre = lists.values[a], lists.rows[a], lists.centre[a]
    weight, total, squares = 0.0, 0.0, 0.0
    for i in range(lists.start[a, b], lists.stop[a, b]):
        w, off = lists.weights[rows[i]], values[i] - centre
        weight += w
        total += w * off
        squares += w * off * off
    lists.moments[a, b, 0], lists.moments[a, b, 1], lists.moments[a, b, 2] = weight, total, squares


@inlined
def make_blocks(lists, a):
    """Make blocks of list a, whose entries lie together. Equal values share one."""
    values, first, end = lists.values[a], FIRST + lists.start[a, 0], FIRST + lists.stop[a, 0]
    n = end - first
    largest = math.ceil(n / min(max(int(DENSITY * math.sqrt(n)), 8), MOST_BLOCKS - ENDS))
    lists.centre[a], lists.n_counted[a] = values[first + n // 2], n
    b, begin = FIRST, first
    while begin < end:
        size = min(largest, max(SMALLEST, (begin - first) // 2), max(SMALLEST, (end - begin) // 3))
        stop = min(begin + size, end)
        while stop < end and values[stop] == values[stop - 1]:
            stop += 1
        lists.start[a, b], lists.stop[a, b], lists.low[a, b] = begin, stop, values[begin]
        lists.has_holes[a, b] = False
        count_block(lists, a, b)
        b, begin = b + 1, stop
    lists.n_blocks[a] = b
    weight, squares = 0.0, 0.0
    for b in range(lists.n_blocks[a]):
        weight += lists.moments[a, b, 0]
        squares += lists.moments[a, b, 2]
    lists.deviation[a] = math.sqrt(squares / weight)


@inlined
def block_of(lists, a, value):
    """Return the block of list a in which a value is, or was."""
    low, b, n = lists.low[a], FIRST, FIRST + lists.n_blocks[a]
    while n > 1:
        half = n // 2
        b += half if low[b + half] <= value else 0
        n -= half
    return b


@inlined
def forget_departed(lists, a, x, y, n_departed, far):
    """Take those who have departed since the last look off the moments of their blocks of list a.

    Blocks that lose one `far` from the centre are counted anew: differences of large squares would be all rounding.
    """
    centre, moments = lists.centre[a], lists.moments[a]
    for i in range(lists.known[a], n_departed):
        row = lists.departed[i]
        value = along(a, x, y, row)
        b = block_of(lists, a, value)
        w, off = lists.weights[row], value - centre
        moments[b, 0] -= w
        moments[b, 1] -= w * off
        moments[b, 2] -= w * off * off
        lists.has_holes[a, b] = True
    # Only now that all are taken off: a block counted anew has none of them left.
    for i in range(lists.known[a], n_departed):
        value = along(a, x, y, lists.departed[i])
        if abs(value - centre) > far:
            b = block_of(lists, a, value)
            close_holes(lists, a, b)
            count_block(lists, a, b)
    lists.known[a] = n_departed


@inlined
def close_holes(lists, a, b):
    """Put the entries of a block together: those departed are left out."""
    values, rows = lists.values[a], lists.rows[a]
    if lists.has_holes[a, b]:
        at = lists.start[a, b]
        for i in range(lists.start[a, b], lists.stop[a, b]):
            values[at], rows[at] = values[i], rows[i]
            at += lists.place[rows[at]] == BELOW
        lists.stop[a, b], lists.has_holes[a, b] = at, False


@inlined
def along(a, x, y, row):
    """Return the value of a row in list a."""
    if a < 2:
        return x[row] if a == 0 else y[row]
    return x[row] - y[row] if a == 2 else x[row] + y[row]


@inlined
def listed_cut(lists, a, x, y, n_departed, n_here, m, criterion, n_log_n, exact, to_beat):
    """Return (score, cut) of the best cut of list a, of n_here rows of weight m; inf if none is below `to_beat`."""
    if n_here < SMALL:
        gather(lists, a, n_departed)
        score, low, high = best_of_few(lists, a, m, criterion, n_log_n)
    else:
        if lists.n_blocks[a] == 0 or RENEW * (lists.n_counted[a] - n_here) > n_here:
            gather(lists, a, n_departed)
            make_blocks(lists, a)
        else:
            forget_departed(lists, a, x, y, n_departed, FAR * lists.deviation[a])
        score, low, high = best_in_blocks(lists, a, m, criterion, n_log_n, exact, to_beat)
    return score, low, high


@inlined
def best_of_few(lists, a, m, criterion, n_log_n):
    """Return (score, value below, value above) of the best cut of list a, whose entries lie together."""
    first, stop = lists.start[a, 0], lists.stop[a, 0]
    values, n = lists.values[a, first:stop], stop - first
    for i in range(n):
        lists.loads[i] = lists.weights[lists.rows[a, first + i]]
    score, i = best_of_sorted(values, lists.loads[:n], m, criterion, n_log_n, lists.work)
    if i < 0:
        return np.inf, np.nan, np.nan
    return score, values[i], values[i + 1]


@inlined
def best_in_blocks(lists, a, m, criterion, n_log_n, exact, to_beat):
    """Return (score, value below, value above) of the best cut of list a, which is in blocks, if below `to_beat`."""
    moments, edge = lists.moments[a], lists.edge
    first, last = 0, lists.n_blocks[a]
    while moments[first, 0] == 0.0:
        first += 1
    while moments[last - 1, 0] == 0.0:
        last -= 1
    w, s, q = 0.0, 0.0, 0.0
    edge[WEIGHT, first], edge[SUM, first], edge[SQUARES, first] = 0.0, 0.0, 0.0
    for b in range(first, last):
        w += moments[b, 0]
        s += moments[b, 1]
        q += moments[b, 2]
        edge[WEIGHT, b + 1], edge[SUM, b + 1], edge[SQUARES, b + 1] = w, s, q
    floor, least = square_edges(edge, first, last, m, criterion)
    share = shared_score(m, 1.0) if criterion == FAST_BIC else 0.0
    n_picked, promising = pick_bins(edge, first, last, m, criterion, least, n_log_n, exact, lists.picked)
    best, found, found_low, found_high = to_beat - share, np.inf, np.nan, np.nan
    bound, found_block = edge[BOUND], 0
    for turn in range(n_picked + 1):
        k = turn - 1 if turn > 0 else promising
        if bound[k] >= best:
            continue
        b, bound[k] = lists.picked[k], np.inf
        close_holes(lists, a, b)
        begin, stop = lists.start[a, b], lists.stop[a, b]
        values, n = lists.values[a, begin:stop], stop - begin
        for i in range(n):
            lists.loads[i] = lists.weights[lists.rows[a, begin + i]]
        before = (edge[WEIGHT, b], edge[SUM, b], edge[SQUARES, b])
        after = (m - edge[WEIGHT, b + 1], s - edge[SUM, b + 1], q - edge[SQUARES, b + 1])
        score, i = score_cuts(
            values, lists.loads[:n], lists.centre[a], 1.0, 0.0, before, after, floor, criterion, n_log_n, lists.work
        )
        # Of equal scores the leftmost counts, as in a full scan.
        if i >= 0 and (score < best or (score == best and b < found_block)):
            best = found = score
            found_block, found_low = b, values[i]
            if i + 1 < n:
                found_high = values[i + 1]
            else:
                b += 1
                close_holes(lists, a, b)
                while lists.start[a, b] == lists.stop[a, b]:
                    b += 1
                    close_holes(lists, a, b)
                found_high = lists.values[a, lists.start[a, b]]
    return found + share, found_low, found_high


@inlined
def weight_below(lists, a, cut):
    """Return the weight of the rows of list a below the cut."""
    values, rows, start, stop = lists.values[a], lists.rows[a], lists.start[a], lists.stop[a]
    weight, b = FIRST, FIRST
    while b < lists.n_blocks[a] and (start[b] == stop[b] or values[stop[b] - 1] < cut):
        weight += np.int64(lists.moments[a, b, 0])
        b += 1
    for i in range(start[b], stop[b]):
        if values[i] < cut and lists.place[rows[i]] == BELOW:
            weight += lists.weights[rows[i]]
    return weight


@inlined
def depart(lists, a, cut, below, n_departed):
    """Note the rows of list a on one side of the cut as departed; return how many have departed now."""
    values, rows, start, stop = lists.values[a], lists.rows[a], lists.start[a], lists.stop[a]
    for b in range(max(1, lists.n_blocks[a])):
        if start[b] == stop[b] or (values[start[b]] >= cut if below else values[stop[b] - 1] < cut):
            continue
        for i in range(start[b], stop[b]):
            if (values[i] < cut) == below and lists.place[rows[i]] == BELOW:
                lists.place[rows[i]] = GONE
                lists.departed[n_departed] = rows[i]
                n_departed += 1
    return n_departed


@inlined
def divide(lists, chosen, cut, n_departed):
    """Divide all lists at a cut of the chosen one: entries below it, then those above; return how many are below."""
    for b in range(max(1, lists.n_blocks[chosen])):
        for i in range(lists.start[chosen, b], lists.stop[chosen, b]):
            if lists.values[chosen, i] >= cut and lists.place[lists.rows[chosen, i]] == BELOW:
                lists.place[lists.rows[chosen, i]] = ABOVE
    n_below, n_above = FIRST, FIRST
    for a in range(N_LISTS):
        if a == chosen and n_departed == 0:
            continue
        values, rows, start, stop = lists.values[a], lists.rows[a], lists.start[a], lists.stop[a]
        first = FIRST + start[0]
        below, above = first, FIRST
        for b in range(max(1, lists.n_blocks[a])):
            for i in range(start[b], stop[b]):
                value, row = values[i], rows[i]
                values[below], rows[below] = value, row
                lists.spare_values[above], lists.spare_rows[above] = value, row
                below += lists.place[row] == BELOW
                above += lists.place[row] == ABOVE
        for i in range(above):
            values[below + i], rows[below + i] = lists.spare_values[i], lists.spare_rows[i]
        n_below, n_above = below - first, above
    first = FIRST + lists.start[0, 0] + n_below
    for i in range(first, first + n_above):
        lists.place[lists.rows[0, i]] = BELOW
    return n_below
