"""Where a grown tree sends rows, under a mask of columns (Sec. 5.3).

Rows travel in groups. Most trees have long chains of nodes that a group passes almost whole: such a stretch is a box,
given by the cuts along it, and rows are compared with the box instead of with every cut.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel, part
from .projection import project, value_at

STRETCH = 32  # nodes that make one box at most
SHORTEST = 12  # nodes below which going step by step is as fast
PAUSE = 8  # steps before a stretch is looked for again where there was none
MANY = 256  # rows of a group for which looking pays
CHUNK = 4096  # rows that travel together: the points that they look at stay at hand
JURY = 32  # rows of a group that show which way most of it goes


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
def masked(proj_start, proj_feature, proj_sign, used, start, feature, sign):
    """Fill start, feature, sign with the nodes' projections without unused features."""
    t = 0
    for node in range(proj_start.size - 1):
        start[node] = t
        for place in range(proj_start[node], proj_start[node + 1]):
            if used[proj_feature[place]]:
                feature[t], sign[t] = proj_feature[place], proj_sign[place]
                t += 1
    start[proj_start.size - 1] = t


@part
def find_stretch(cut, left, right, start, feature, sign, points, rows, node, path, jury):
    """Fill path[0] with the nodes from `node` on that most of `rows` pass; return (how many, where they lead).

    path[1] is 1 where those rows go left. It ends where more than a fourth of the jury has left the group.
    """
    n_jury = min(JURY, rows.size)
    for i in range(n_jury):
        jury[i] = rows[i * rows.size // n_jury]
    enough = n_jury - n_jury // 4
    length = 0
    while left[node] >= 0 and length < STRETCH:
        first, end = start[node], start[node + 1]
        if first == end:
            node = left[node] if cut[node] > 0.0 else right[node]
            continue
        n_left = 0
        for i in range(n_jury):  # those that go left to the front
            if value_at(points, jury[i], feature, sign, first, end) < cut[node]:
                jury[i], jury[n_left] = jury[n_left], jury[i]
                n_left += 1
        goes_left = 2 * n_left >= n_jury
        stay = n_left if goes_left else n_jury - n_left
        if stay < enough:
            break
        if not goes_left:
            for i in range(stay):
                jury[i] = jury[n_left + i]
        n_jury = stay
        path[0, length], path[1, length] = node, goes_left
        length += 1
        node = left[node] if goes_left else right[node]
    return length, node


@part
def box_of(cut, start, feature, sign, path, length, low, high):
    """Narrow low <= value < high (low < value for a minus) by the cuts of single features along a path.

    Return how many nodes of the path look at several features; they are moved to path[2].
    """
    low[:] = -np.inf
    high[:] = np.inf
    n_wide = 0
    for i in range(length):
        node = path[0, i]
        if start[node + 1] - start[node] > 1:
            path[2, n_wide] = i
            n_wide += 1
            continue
        f = feature[start[node]]
        if sign[start[node]] > 0:
            if path[1, i]:
                high[f] = min(high[f], cut[node])
            else:
                low[f] = max(low[f], cut[node])
        elif path[1, i]:  # −value < cut: value > −cut, and the next float above that bounds it from below
            low[f] = max(low[f], np.nextafter(-cut[node], np.inf))
        else:
            high[f] = min(high[f], np.nextafter(-cut[node], np.inf))
    return n_wide


@part
def keep_in_box(cut, start, feature, sign, points, rows, path, n_wide, low, high, stays, values):
    """Set stays[i] to whether rows[i] goes along the whole path."""
    n = rows.size
    stays[:n] = True
    for f in range(low.size):
        if low[f] > -np.inf or high[f] < np.inf:
            column, least, most = points[f], low[f], high[f]
            for i in range(n):
                value = column[rows[i]]
                stays[i] &= (value >= least) & (value < most)
    for j in range(n_wide):
        at = path[2, j]
        node = path[0, at]
        a, b = start[node], start[node + 1]
        project(points, rows, feature[a:b], sign[a:b], values)
        if path[1, at]:
            for i in range(n):
                stays[i] &= values[i] < cut[node]
        else:
            for i in range(n):
                stays[i] &= values[i] >= cut[node]


@part
def leave_path(cut, start, feature, sign, points, row, path, length):
    """Return the place along the path where a row that does not stay leaves it."""
    for i in range(length):
        node = path[0, i]
        if (value_at(points, row, feature, sign, start[node], start[node + 1]) < cut[node]) != path[1, i]:
            return i
    return length


@kernel
def route(cut, left, right, proj_start, proj_feature, proj_sign, points, used, leaf):
    """Fill leaf[i] with the node where row i of `points` (d, n) ends, columns outside `used` counting as 0. Sec. 5.3.

    A node that looks at no used column moves its whole group at no cost, and an empty group ends the walk.
    """
    n = leaf.size
    start, feature = np.empty(proj_start.size, np.int32), np.empty(proj_feature.size, np.int32)
    sign = np.empty(proj_sign.size, np.int8)
    masked(proj_start, proj_feature, proj_sign, used, start, feature, sign)
    most = min(n, CHUNK)
    rows, spare, exit_at = np.empty(n, np.uint32), np.empty(most, np.uint32), np.empty(most, np.uint32)
    for i in range(n):
        rows[i] = i
    values, stays = np.empty(most), np.empty(most, np.bool_)
    path, jury, departed = np.empty((3, STRETCH), np.int32), np.empty(JURY, np.uint32), np.empty(STRETCH + 1, np.int64)
    low, high = np.empty(points.shape[0]), np.empty(points.shape[0])
    stack = np.empty((cut.size + 1, 3), np.int32)
    for company in range(0, n, CHUNK):
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, company, min(company + CHUNK, n)
        height = 1
        while height > 0:
            height -= 1
            node, first, end = stack[height, 0], stack[height, 1], stack[height, 2]
            wait = 0
            while left[node] >= 0:
                if start[node] == start[node + 1]:
                    node = left[node] if cut[node] > 0.0 else right[node]
                    continue
                members, length, last = rows[first:end], 0, node
                wait -= 1
                if wait < 0 and end - first >= MANY:
                    wait = PAUSE
                    length, last = find_stretch(
                        cut, left, right, start, feature, sign, points, members, node, path, jury
                    )
                if length >= SHORTEST:
                    wait = 0
                    n_wide = box_of(cut, start, feature, sign, path, length, low, high)
                    keep_in_box(cut, start, feature, sign, points, members, path, n_wide, low, high, stays, values)
                    # Those that leave are put behind those that stay, by the node where they leave.
                    departed[:] = 0
                    n_stay, n_leave = 0, 0
                    for i in range(end - first):
                        row = members[i]
                        if stays[i]:
                            members[n_stay] = row
                            n_stay += 1
                        else:
                            at = leave_path(cut, start, feature, sign, points, row, path, length)
                            spare[n_leave], exit_at[n_leave] = row, at
                            departed[at + 1] += 1
                            n_leave += 1
                    for at in range(length):
                        if departed[at + 1] > 0:
                            off = right[path[0, at]] if path[1, at] else left[path[0, at]]
                            begin = first + n_stay + departed[at]
                            stack[height, 0], stack[height, 1], stack[height, 2] = off, begin, begin + departed[at + 1]
                            height += 1
                        departed[at + 1] += departed[at]
                    for i in range(n_leave):
                        at = exit_at[i]
                        members[n_stay + departed[at]] = spare[i]
                        departed[at] += 1
                    end = first + n_stay
                    node = last
                    if n_stay == 0:
                        break
                    continue
                project(
                    points, members, feature[start[node] : start[node + 1]], sign[start[node] : start[node + 1]], values
                )
                n_left = partition(members, values, cut[node], spare)
                if n_left < end - first:
                    if n_left > 0:
                        stack[height, 0], stack[height, 1], stack[height, 2] = left[node], first, first + n_left
                        height += 1
                    first += n_left
                    node = right[node]
                else:
                    node = left[node]
            for i in range(first, end):
                leaf[rows[i]] = node
