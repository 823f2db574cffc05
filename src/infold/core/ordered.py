"""Columns kept in order while a node sheds rows, so that its heavier child need not be sorted and scanned again.

Fast-BIC peels tails: on Gaussian data most cuts take off a handful of rows, and a tree is a chain of hundreds of such
nodes. Along a chain a projection is sorted once. Its values stand in blocks with their count, mean and sum of squared
deviations; rows that have left are dropped from their blocks when the projection is next looked at. A cut is searched
block by block: a bound on the score of every boundary in a block tells which few blocks to open. The cut is the same
as that of a full scan (`split.best_cut`), up to the rounding of sums.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .jit import kernel
from .split import FAST_BIC, VARIANCE_FLOOR, best_cut, between, replace_by_logs

SMALL = 48  # rows below which a plain scan is as fast
BYTES = 32e6  # room for ordered columns, a thread
TINY = 1e-300  # stands for a sum of squares of 0 in a logarithm


class Ordered(NamedTuple):
    """Room for some projected columns of the rows members[first:end], each in order and cut into blocks."""

    key: np.ndarray  # (c,) which projection it is
    values: np.ndarray  # (c, size) projected values, rising
    member: np.ndarray  # (c, size) the row of each, as a number of the bootstrap sample
    place: np.ndarray  # (c, size) where each row stands
    length: np.ndarray  # (c,) entries, those of rows that have left included
    known_end: np.ndarray  # (c,) `end` when it was last looked at: members[end:known_end] have left since
    width: np.ndarray  # (c,) entries a block
    anchor: np.ndarray  # (c,) a value in the middle, from which means are measured: an offset costs no digits
    counts: np.ndarray  # (c, blocks)
    mean: np.ndarray
    squares: np.ndarray  # sum of squared deviations from the block's mean
    lowest: np.ndarray
    highest: np.ndarray
    edge_count: np.ndarray  # (2, blocks) scratch
    edge: np.ndarray  # (9, blocks) scratch


@kernel
def new_ordered(n_columns, size):
    """Return room for `n_columns` columns of up to `size` rows."""
    n_blocks = size // 8 + 2
    return Ordered(
        np.empty(n_columns, np.int64),
        np.empty((n_columns, size)),
        np.empty((n_columns, size), np.int32),
        np.empty((n_columns, size), np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns, np.int32),
        np.empty(n_columns),
        np.empty((n_columns, n_blocks), np.int32),
        np.empty((n_columns, n_blocks)),
        np.empty((n_columns, n_blocks)),
        np.empty((n_columns, n_blocks)),
        np.empty((n_columns, n_blocks)),
        np.empty((2, n_blocks), np.int64),
        np.empty((9, n_blocks)),
    )


def room_for(n_features: int, size: int) -> int:
    """Return how many columns to keep: single features always, sums of two where these are few, within BYTES."""
    n_projections = n_features**2 if n_features <= 4 else n_features
    return int(max(2, min(n_projections, BYTES / (16 * size))))


@kernel
def projection_key(feature, sign, n_features):
    """Return a number for the projection, up to its sign, or −1 if it is not kept in order."""
    if feature.size == 1:
        return np.int64(feature[0])
    if feature.size == 2 and n_features <= 4:
        pair = np.int64(feature[0]) * n_features + feature[1]
        return (2 * pair + (1 if sign[0] == sign[1] else 2)) * n_features + n_features
    return np.int64(-1)


@kernel
def summarise_block(room, c, b, where, end):
    """Set count, mean, squares, lowest and highest of block b to those of the rows that are still there."""
    first = b * room.width[c]
    stop = min(first + room.width[c], room.length[c])
    values, member, anchor = room.values[c], room.member[c], room.anchor[c]
    count, mean, squares = 0, 0.0, 0.0
    for i in range(first, stop):
        if where[member[i]] < end:
            value = values[i] - anchor
            if count == 0:
                room.lowest[c, b] = values[i]
                mean = value
            room.highest[c, b] = values[i]
            count += 1
            delta = value - mean
            mean += delta / count
            squares += delta * (value - mean)
    room.counts[c, b], room.mean[c, b], room.squares[c, b] = count, mean, squares


@kernel
def summarise(room, c, where, end):
    """Cut column c into blocks of about √length entries and summarise each."""
    room.width[c] = max(8, np.int64(math.sqrt(room.length[c]) * 0.7))
    for b in range(n_blocks_of(room, c)):
        summarise_block(room, c, b, where, end)
    room.known_end[c] = end


@kernel
def n_blocks_of(room, c):
    """Return how many blocks column c has."""
    return (room.length[c] + room.width[c] - 1) // room.width[c]


@kernel
def put_in_order(room, c, key, projected, members, first, end, where):
    """Make column c of the `projected` values of members[first:end]."""
    room.key[c] = key
    order = np.argsort(projected[: end - first])
    for i in range(order.size):
        row = members[first + order[i]]
        room.values[c, i] = projected[order[i]]
        room.member[c, i] = row
        room.place[c, row] = i
    room.length[c] = order.size
    room.anchor[c] = room.values[c, order.size // 2]
    summarise(room, c, where, end)


@kernel
def forget_departed(room, c, members, first, end, where):
    """Bring column c up to date: members[end:known_end] have left."""
    gone = room.known_end[c] - end
    if gone == 0:
        return
    length = room.length[c]
    # Entries of departed rows are passed over while they are few, and dropped when they are many.
    if 4 * gone > length or 2 * (end - first) < length:
        kept = 0
        for i in range(length):
            row = room.member[c, i]
            room.values[c, kept] = room.values[c, i]
            room.member[c, kept] = row
            room.place[c, row] = kept
            kept += where[row] < end
        room.length[c] = kept
        summarise(room, c, where, end)
        return
    last = -1
    for i in range(end, room.known_end[c]):
        block = room.place[c, members[i]] // room.width[c]
        if block != last:
            summarise_block(room, c, block, where, end)
        last = block
    room.known_end[c] = end


@kernel
def merge(n_a, mean_a, squares_a, n_b, mean_b, squares_b):
    """Return (count, mean, squares) of two groups put together."""
    if n_b == 0:
        return n_a, mean_a, squares_a
    n = n_a + n_b
    delta = mean_b - mean_a if n_a > 0 else 0.0
    share = n_b / n
    mean = mean_a + delta * share if n_a > 0 else mean_b
    return n, mean, squares_a + squares_b + delta * delta * n_a * share


@kernel
def score_of(criterion, n_left, log_left, n_right, log_right, n_log_n):
    """Return the score of a cut less what is the same for all; squares come as logs for fast_bic, else as they are."""
    if criterion == FAST_BIC:
        return n_left * log_left + n_right * log_right - 3.0 * (n_log_n[n_left] + n_log_n[n_right])
    return log_left + log_right


@kernel
def bound_blocks(room, c, n_blocks, m, criterion, n_log_n, bound):
    """Fill bound[b] with a value that no score of a cut in block b is below.

    In the first half of a block the squares to the left are no less than at the block's left edge, and those to the
    right no less than if the second half stood at its lowest place; likewise in the second half. With such constants
    the score is concave in the number of rows to the left, so smallest at an end of the half.
    """
    left_n, left_mean, left_squares = room.edge_count[0], room.edge[0], room.edge[1]
    right_n, right_mean, right_squares = room.edge_count[1], room.edge[2], room.edge[3]
    if criterion != FAST_BIC:
        for b in range(n_blocks):
            bound[b] = left_squares[b] + right_squares[b + 1]
        return
    left_1, right_1, left_2, right_2 = room.edge[5], room.edge[6], room.edge[7], room.edge[8]
    anchor = room.anchor[c]
    for b in range(n_blocks):
        half = room.counts[c, b] // 2
        rest = room.counts[c, b] - half
        n_left, n_right = left_n[b], right_n[b + 1]
        step_left = max(room.lowest[c, b] - anchor - left_mean[b], 0.0)
        step_right = max(right_mean[b + 1] + anchor - room.highest[c, b], 0.0)
        left_1[b] = max(left_squares[b], TINY)
        right_1[b] = max(right_squares[b + 1] + step_right**2 * n_right * rest / max(n_right + rest, 1), TINY)
        left_2[b] = max(left_squares[b] + step_left**2 * n_left * half / max(n_left + half, 1), TINY)
        right_2[b] = max(right_squares[b + 1], TINY)
    replace_by_logs(left_1[:n_blocks])
    replace_by_logs(right_1[:n_blocks])
    replace_by_logs(left_2[:n_blocks])
    replace_by_logs(right_2[:n_blocks])
    for b in range(n_blocks):
        start, stop = left_n[b], left_n[b + 1]
        middle = start + room.counts[c, b] // 2
        bound[b] = min(
            min(
                score_of(criterion, start, left_1[b], m - start, right_1[b], n_log_n),
                score_of(criterion, middle, left_1[b], m - middle, right_1[b], n_log_n),
            ),
            min(
                score_of(criterion, middle, left_2[b], m - middle, right_2[b], n_log_n),
                score_of(criterion, stop, left_2[b], m - stop, right_2[b], n_log_n),
            ),
        )


@kernel
def ordered_cut(room, c, where, first, end, criterion, n_log_n, scratch):
    """Return (cut, score) of column c, which is up to date: what `best_cut` says of its values."""
    m = end - first
    if m < SMALL:
        kept = 0
        values, member = room.values[c], room.member[c]
        for i in range(room.length[c]):
            scratch[0, kept] = values[i]
            kept += where[member[i]] < end
        return best_cut(scratch[0, :m], criterion, n_log_n)

    n_blocks = n_blocks_of(room, c)
    count, mean, squares = room.counts[c], room.mean[c], room.squares[c]
    # Statistics of all blocks before edge b, and of all blocks from edge b on.
    left_n, left_mean, left_squares = room.edge_count[0], room.edge[0], room.edge[1]
    right_n, right_mean, right_squares = room.edge_count[1], room.edge[2], room.edge[3]
    left_n[0], left_mean[0], left_squares[0] = 0, 0.0, 0.0
    right_n[n_blocks], right_mean[n_blocks], right_squares[n_blocks] = 0, 0.0, 0.0
    for b in range(n_blocks):
        left_n[b + 1], left_mean[b + 1], left_squares[b + 1] = merge(
            left_n[b], left_mean[b], left_squares[b], count[b], mean[b], squares[b]
        )
        e = n_blocks - 1 - b
        right_n[e], right_mean[e], right_squares[e] = merge(
            right_n[e + 1], right_mean[e + 1], right_squares[e + 1], count[e], mean[e], squares[e]
        )
    total = left_squares[n_blocks]
    if total <= 0.0:
        return np.nan, np.inf
    floor = VARIANCE_FLOOR * total / m if criterion == FAST_BIC else -1.0
    bound = room.edge[4]
    bound_blocks(room, c, n_blocks, m, criterion, n_log_n, bound)
    bound = bound[:n_blocks]

    best, best_low, best_high = np.inf, np.nan, np.nan
    most_promising = int(np.argmin(bound))
    for turn in range(-1, n_blocks):
        b = most_promising if turn < 0 else turn
        # The sums behind a bound are rounded too: a hair's breadth is given away.
        if count[b] == 0 or bound[b] > best + 1e-9 * abs(best):
            continue
        bound[b] = np.inf
        score, low, high = open_block(
            room,
            c,
            b,
            n_blocks,
            where,
            end,
            (left_n[b], left_mean[b], left_squares[b]),
            (right_n[b + 1], right_mean[b + 1], right_squares[b + 1]),
            criterion,
            floor,
            n_log_n,
            scratch,
        )
        # Of equal scores the leftmost counts, as in a full scan.
        if score < best or (score == best and low < best_low):
            best, best_low, best_high = score, low, high
    if best == np.inf:
        return np.nan, np.inf
    if criterion == FAST_BIC:
        best += m * (math.log(2.0 * math.pi) + 2.0 * math.log(m) + 1.0) + 5.0 * math.log(m)
    return between(best_low, best_high), best


@kernel
def open_block(room, c, b, n_blocks, where, end, left, right, criterion, floor, n_log_n, scratch):
    """Return (score, value below, value above) of the best cut right after a row of block b."""
    values, member = room.values[c], room.member[c]
    inside, left_squares, right_squares = scratch[0], scratch[1], scratch[2]
    n = 0
    for i in range(b * room.width[c], min((b + 1) * room.width[c], room.length[c])):
        inside[n] = values[i]
        n += where[member[i]] < end
    after = b + 1
    while after < n_blocks and room.counts[c, after] == 0:
        after += 1
    following = room.lowest[c, after] if after < n_blocks else inside[n - 1]
    anchor = room.anchor[c]
    n_left, mean, squares = left
    if n_left == 0:
        mean = inside[0] - anchor
    for i in range(n):
        n_left += 1
        value = inside[i] - anchor
        delta = value - mean
        mean += delta / n_left
        squares += delta * (value - mean)
        left_squares[i] = squares
    n_right, mean, squares = right
    if n_right == 0:
        mean = inside[n - 1] - anchor
    for i in range(n - 1, -1, -1):
        right_squares[i] = squares
        n_right += 1
        value = inside[i] - anchor
        delta = value - mean
        mean += delta / n_right
        squares += delta * (value - mean)
    n_before, n_after = left[0], right[0] + n
    log_left, log_right = scratch[3], scratch[4]
    for i in range(n):
        log_left[i] = max(left_squares[i], TINY)
        log_right[i] = max(right_squares[i], TINY)
    if criterion == FAST_BIC:
        replace_by_logs(log_left[:n])
        replace_by_logs(log_right[:n])
    best, best_low, best_high = np.inf, np.nan, np.nan
    for i in range(n):
        n_left, n_right = n_before + i + 1, n_after - i - 1
        high = inside[i + 1] if i + 1 < n else following
        if inside[i] < high and left_squares[i] > floor * n_left and right_squares[i] > floor * n_right:
            score = score_of(criterion, n_left, log_left[i], n_right, log_right[i], n_log_n)
            if score < best:
                best, best_low, best_high = score, inside[i], high
    return best, best_low, best_high


@kernel
def lighter_end(room, c, cut, where, end, leaving):
    """Fill `leaving` with the rows of column c on the smaller side of `cut`; return (how many, are they below)."""
    values, member = room.values[c], room.member[c]
    # The first entry not below the cut, by bisection; entries of departed rows are in order too.
    low, high = 0, room.length[c]
    while low < high:
        middle = (low + high) // 2
        if values[middle] < cut:
            low = middle + 1
        else:
            high = middle
    # Walk outwards from both ends at once, to touch no more than twice the smaller side.
    i, j, n_below, n_above = 0, room.length[c] - 1, 0, 0
    while i < low and j >= low:
        n_below += where[member[i]] < end
        n_above += where[member[j]] < end
        i += 1
        j -= 1
    while i < low and n_below <= n_above:
        n_below += where[member[i]] < end
        i += 1
    while j >= low and n_above <= n_below:
        n_above += where[member[j]] < end
        j -= 1
    below = (i == low) and (j >= low or n_below <= n_above)
    n = 0
    for t in range(0 if below else low, low if below else room.length[c]):
        leaving[n] = member[t]
        n += where[member[t]] < end
    return n, below
