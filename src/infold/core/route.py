"""Where a grown tree sends rows, under a mask of columns (Sec. 5.3).

Rows travel in groups. Most trees have long chains of nodes that peel a few rows off an end of a column. Columns are
sorted once for all trees, so a large group looks at these few rows only. All rows of a small group are compared with
every cut.
"""

from __future__ import annotations

import numpy as np

from .jit import inlined, kernel, part
from .projection import project, value_at

COMPANY = 1 << 16  # rows that travel together: their numbers within it take 16 bits
SHARE = 16  # a group is large with more than 1 / SHARE of its company: with less, others' rows are in its way
NEARLY = 1 - 2.0**-30  # leaves room for rounding


def sorted_rows(points: np.ndarray, used: np.ndarray) -> np.ndarray:
    """Return (d, n): for each column of the mask `used`, the rows of a company, counted from its first, by value."""
    order = np.empty(points.shape, np.uint16)
    for f in np.flatnonzero(used):
        for base in range(0, points.shape[1], COMPANY):
            company = slice(base, base + COMPANY)
            order[f, company] = np.argsort(points[f, company])
    return order


@part
def masked(proj_start, proj_feature, proj_sign, used, start, feature, sign):
    """Fill start, feature, sign with the nodes' projections without unused features."""
    kept = np.empty(proj_feature.size + 1, np.int32)
    t = 0
    for place in range(proj_feature.size):
        kept[place], feature[t], sign[t] = t, proj_feature[place], proj_sign[place]
        t += used[proj_feature[place]]
    kept[proj_feature.size] = t
    for node in range(proj_start.size):
        start[node] = kept[proj_start[node]]


@inlined
def peel(points, order, base, feature, sign, first, end, cut, left, right, low, high, middle, here, group):
    """Mark the rows of a group that part from the others at a node: here[row] becomes `left` or `right`.

    Return (how many, whether the others go left). The node has the terms first to end (at least one) as its projection.
    The group's rows have here[row] == group, and are among low[f] to high[f] in the order of column f.
    """
    centre = 0.0
    for t in range(first, end):  # of the row amid those of each column among which the group is
        f = feature[t]
        middle[f] = sign[t] * points[f, base + order[f, base + (low[f] + high[f]) // 2]]
        centre += middle[f]
    stay_left = centre < cut
    off, side = (right, 1.0) if stay_left else (left, -1.0)
    # A row parts only if one of its terms is farther out than that of the centre by more than `gap`: a sum of terms
    # that are not is on the centre's side of the cut, since rounded sums do not fall where terms rise.
    single = end - first == 1
    gap, farthest = (cut - centre) / (end - first) * NEARLY, 0.0
    for t in range(first, end):
        farthest += middle[feature[t]] + gap
    if (farthest < cut) != stay_left:
        gap = 0.0
    n_off = 0
    for t in range(first, end):
        f = feature[t]
        outward = side * sign[t]
        column, line = points[f, base : base + here.size], order[f, base : base + here.size]
        bound = side * (middle[f] + gap)
        if single:  # value < cut goes left
            bound = np.nextafter(cut, -np.inf) if stay_left else -cut
        i, step = (high[f] - 1, -1) if outward > 0.0 else (low[f], 1)
        while True:  # the row in the middle ends it
            row = line[i]
            if not outward * column[row] > bound:
                break
            was = here[row]
            parts = was == group
            if parts and not single:
                parts = (value_at(points, base + row, feature, sign, first, end) < cut) != stay_left
            here[row] = off if parts else was  # without a branch, which would often be mispredicted
            n_off += parts
            i += step
        if single:
            if outward > 0.0:
                high[f] = i + 1
            else:
                low[f] = i
    return n_off, stay_left


@part
def peel_groups(cut, left, right, start, feature, sign, points, order, base, here, goal, waiting):
    """Send a company of rows down the tree while they are in large groups.

    Then the rows with here[row] == group are at the node goal[group], and waiting[node] rows are to go on from there.
    """
    n_columns, few = points.shape[0], here.size // SHARE
    low, high, middle = (
        np.empty((SHARE, n_columns), np.int32),
        np.empty((SHARE, n_columns), np.int32),
        np.empty(n_columns),
    )
    groups, sizes = np.empty(SHARE, np.int32), np.empty(SHARE, np.int32)
    for node in range(cut.size):
        goal[node], waiting[node] = node, 0
    for row in range(here.size):
        here[row] = 0
    for f in range(n_columns):
        low[1, f], high[1, f] = 0, here.size
    lows, highs = low[0], high[0]  # of the group that travels; less than SHARE others are large
    groups[1], sizes[1] = 0, here.size
    n_groups = 2
    while n_groups > 1:
        n_groups -= 1
        for f in range(n_columns):
            lows[f], highs[f] = low[n_groups, f], high[n_groups, f]
        group, size = groups[n_groups], sizes[n_groups]
        node = group
        while left[node] >= 0 and size > few:
            first, end, below, above = start[node], start[node + 1], left[node], right[node]
            if first == end:
                node = below if cut[node] > 0.0 else above
                continue
            f = feature[first]
            least, most = lows[f], highs[f]
            n_off, stay_left = peel(
                points,
                order,
                base,
                feature,
                sign,
                first,
                end,
                cut[node],
                below,
                above,
                lows,
                highs,
                middle,
                here,
                group,
            )
            node, off = (below, above) if stay_left else (above, below)
            size -= n_off
            if left[off] >= 0:
                if n_off > few:
                    groups[n_groups], sizes[n_groups] = off, n_off
                    for g in range(n_columns):
                        low[n_groups, g], high[n_groups, g] = lows[g], highs[g]
                    if end - first == 1:  # they are at the end that was peeled
                        from_top = highs[f] < most
                        low[n_groups, f] = highs[f] if from_top else least
                        high[n_groups, f] = most if from_top else lows[f]
                    n_groups += 1
                else:
                    waiting[off] = n_off
        goal[group] = node
        if left[node] >= 0:
            waiting[node] = size


@part
def partition(rows, values, cut, spare):
    """Move rows whose value is below `cut` to the front, in order, and return how many; `spare` is scratch."""
    n_left, n_right = 0, 0
    for i in range(rows.size):
        row = rows[i]
        goes_left = values[i] < cut
        rows[n_left] = row
        spare[n_right] = row
        n_left += goes_left
        n_right += not goes_left
    for i in range(n_right):
        rows[n_left + i] = spare[i]
    return n_left


@part
def step_down(cut, left, right, start, feature, sign, points, rows, groups, n_groups, values, spare, leaf):
    """Fill leaf[row] for the small groups: groups[g] is (node, first, end), its rows are rows[first:end]."""
    while n_groups > 0:
        n_groups -= 1
        node, first, end = groups[n_groups, 0], groups[n_groups, 1], groups[n_groups, 2]
        while left[node] >= 0:
            a, b = start[node], start[node + 1]
            if a == b:
                node = left[node] if cut[node] > 0.0 else right[node]
                continue
            members = rows[first:end]
            project(points, members, feature[a:b], sign[a:b], values)
            n_left = partition(members, values, cut[node], spare)
            if n_left < end - first:
                if n_left > 0:
                    groups[n_groups, 0], groups[n_groups, 1], groups[n_groups, 2] = left[node], first, first + n_left
                    n_groups += 1
                first += n_left
                node = right[node]
            else:
                node = left[node]
        for i in range(first, end):
            leaf[rows[i]] = node


@kernel
def route(cut, left, right, proj_start, proj_feature, proj_sign, points, used, order, leaf):
    """Fill leaf[i] with the node where row i of `points` (d, n) ends, columns outside `used` counting as 0. Sec. 5.3.

    `order` is `sorted_rows` of the points. A node that looks at no used column moves its whole group at no cost.
    """
    start, feature = np.empty(proj_start.size, np.int32), np.empty(proj_feature.size, np.int32)
    sign = np.empty(proj_sign.size, np.int8)
    masked(proj_start, proj_feature, proj_sign, used, start, feature, sign)
    most = min(leaf.size, COMPANY)
    goal, waiting, groups = (
        np.empty(cut.size, np.int32),
        np.empty(cut.size, np.int32),
        np.empty((cut.size, 3), np.int32),
    )
    rows, spare, values = np.empty(most + 1, np.uint32), np.empty(most, np.uint32), np.empty(most)
    for base in range(0, leaf.size, COMPANY):
        here = leaf[base : base + COMPANY]
        peel_groups(cut, left, right, start, feature, sign, points, order, base, here, goal, waiting)
        for i in range(here.size):
            here[i] = goal[here[i]]
        n_groups, n_rows = 0, 0
        for node in range(cut.size):
            size = waiting[node]
            waiting[node] = most  # where no one waits, rows are put out of the way
            if size > 0:
                groups[n_groups, 0], groups[n_groups, 1], groups[n_groups, 2] = node, n_rows, n_rows + size
                waiting[node] = n_rows
                n_rows += size
                n_groups += 1
        if n_groups > 0:
            for i in range(here.size):
                place = waiting[here[i]]
                rows[place] = base + i
                waiting[here[i]] += place < most
            step_down(cut, left, right, start, feature, sign, points, rows, groups, n_groups, values, spare, leaf)
