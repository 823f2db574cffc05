"""A side with one column: its leaves are intervals, so that neither routing nor counting needs to look at every pair.

Along the sorted column each tree makes runs of rows, and the number of trees between two rows only grows with the rows'
distance in that order. G-KSG on one column a side thus walks outwards from each row, and stops early: at a bound that a
few rows near by give. Of the rows that it passes it compares those within the bound on the other side too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import kernel, part
from .neighbors import count_below, count_zeros, kth_smallest
from .tiles import insert


@kernel
def route_column(cut, left, right, proj_start, proj_feature, proj_sign, column, values, order, leaf):
    """Fill `leaf` as `route` does with `column` alone in use, whose sorted `values` belong to the rows `order`."""
    stack = np.empty((cut.size + 1, 3), np.int32)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, values.size
    height = 1
    while height > 0:
        height -= 1
        node, first, end = stack[height, 0], stack[height, 1], stack[height, 2]
        while left[node] >= 0:
            sign = 0.0
            for place in range(proj_start[node], proj_start[node + 1]):
                if proj_feature[place] == column:
                    sign = 1.0 * proj_sign[place]
            # Rows that go left are a prefix (for a minus, a suffix) of the range: bisect for where the side changes.
            first_goes_left = sign * values[first] < cut[node]
            low, high = first, end
            while low < high:
                middle = (low + high) // 2
                if (sign * values[middle] < cut[node]) == first_goes_left:
                    low = middle + 1
                else:
                    high = middle
            near, far = (left[node], right[node]) if first_goes_left else (right[node], left[node])
            if low < end:
                stack[height, 0], stack[height, 1], stack[height, 2] = far, low, end
                height += 1
                end = low
            node = near
        for i in range(first, end):
            leaf[order[i]] = node


class Runs(NamedTuple):
    """Where each tree's runs end along a sorted column: by tree, and by place."""

    order: np.ndarray  # (n,) rows in order of the column
    rank: np.ndarray  # (n,) its inverse
    start: np.ndarray  # (T + 1,) first end of each tree
    end: np.ndarray  # ends by tree, rising: place p if places p and p + 1 are in different leaves; the last is n − 1
    at: np.ndarray  # (n + 1,) first tree of each place
    tree: np.ndarray  # trees that have an end at a place


@kernel
def runs_of(leaves, order):
    """Return the fields of Runs for leaf ids `leaves` (T, n) of a column whose sorted order is `order`."""
    n_trees, n = leaves.shape
    start = np.zeros(n_trees + 1, np.int64)
    at = np.zeros(n + 1, np.int64)
    for t in range(n_trees):
        row = leaves[t]
        count = 1
        for p in range(n - 1):
            if row[order[p]] != row[order[p + 1]]:
                count += 1
                at[p + 1] += 1
        at[n] += 1
        start[t + 1] = start[t] + count
    for p in range(n):
        at[p + 1] += at[p]
    end, tree, filled = np.empty(start[n_trees], np.int32), np.empty(at[n], np.int32), np.zeros(n, np.int64)
    for t in range(n_trees):
        row = leaves[t]
        place = start[t]
        for p in range(n):
            if p == n - 1 or row[order[p]] != row[order[p + 1]]:
                end[place] = p
                place += 1
                tree[at[p] + filled[p]] = t
                filled[p] += 1
    rank = np.empty(n, np.int32)
    for p in range(n):
        rank[order[p]] = p
    return order, rank, start, end, at, tree


@part
def enter(runs, place, current, ahead, behind):
    """Set up a walk along the column at `place`: each tree's run, and how many trees' runs end and begin where.

    ahead[q] trees have their run end at q, behind[q] have it begin at q.
    """
    for q in range(ahead.size):
        ahead[q], behind[q] = 0, 0
    for t in range(current.size):
        low, high = runs.start[t], runs.start[t + 1] - 1
        while low < high:  # the first end that is not before `place`
            middle = (low + high) // 2
            if runs.end[middle] < place:
                low = middle + 1
            else:
                high = middle
        current[t] = low
        ahead[runs.end[low]] += 1
        behind[runs.end[low - 1] + 1 if low > runs.start[t] else 0] += 1


@part
def step(runs, place, current, ahead, behind):
    """Move a walk from `place` to the next: trees whose run ends here enter another."""
    for i in range(runs.at[place], runs.at[place + 1]):
        t = runs.tree[i]
        here = current[t]
        behind[runs.end[here - 1] + 1 if here > runs.start[t] else 0] -= 1
        behind[place + 1] += 1
        ahead[place] -= 1
        current[t] = here + 1
        ahead[runs.end[here + 1]] += 1


@kernel
def find_windows(runs, radius, start, stop, window):
    """Fill window[row] with the range of places that are 0, or fewer than radius[row], trees away.

    For the places start to stop along this column.
    """
    n = runs.order.size
    current = np.empty(runs.start.size - 1, np.int64)
    ahead, behind = np.empty(n, np.int32), np.empty(n, np.int32)
    enter(runs, start, current, ahead, behind)
    for place in range(start, stop):
        row = runs.order[place]
        reach = max(radius[row], 1)
        last, apart = place, ahead[place]
        while last < n - 1 and apart < reach:
            last += 1
            apart += ahead[last]
        first, apart = place, behind[place]
        while first > 0 and apart < reach:
            first -= 1
            apart += behind[first]
        window[row, 0], window[row, 1] = first, last + 1
        if place + 1 < stop:
            step(runs, place, current, ahead, behind)


@part
def trees_between(one, other):
    """Return in how many trees two rows of leaf ids differ."""
    count = np.int32(0)  # a sum of two int32 is an int64, which would halve the leaf ids compared at a time
    for t in range(one.size):
        count = np.int32(count + np.int32(one[t] != other[t]))
    return count


@kernel
def bound_radii(runs, other_place, other_leaves, k, start, stop, bound):
    """Fill bound[row] with the trees to the farthest of k rows near by, for the places start to stop of this column.

    These are the nearest by their places on both sides. `other_place` (n,) has the places on the other side, in the
    order of this column; `other_leaves` (n, T) are the rows' leaves on the other side.
    """
    n = runs.order.size
    current = np.empty(runs.start.size - 1, np.int64)
    ahead, behind = np.empty(n, np.int32), np.empty(n, np.int32)
    best = np.empty(k, np.int64)  # how far × n + place
    enter(runs, start, current, ahead, behind)
    for place in range(start, stop):
        row = runs.order[place]
        for i in range(k):
            best[i] = n * n
        away = 1
        while away * n <= best[k - 1]:
            for other in (place - away, place + away):
                if 0 <= other < n:
                    found = max(away, abs(other_place[other] - other_place[place])) * n + other
                    if found < best[k - 1]:
                        insert(best, found)
            away += 1
        first, last, apart = place, place, np.int32(0)
        for i in range(k):
            other = best[i] % n
            first, last = min(first, other), max(last, other)
            apart = max(apart, trees_between(other_leaves[row], other_leaves[runs.order[other]]))
        to_left, to_right = 0, 0
        for p in range(first, place):
            to_left += behind[p + 1]
        for p in range(place, last):
            to_right += ahead[p]
        bound[row] = max(apart, to_left, to_right)
        if place + 1 < stop:
            step(runs, place, current, ahead, behind)


@kernel
def find_radii(runs, other_place, other_leaves, window, k, start, stop, radius):
    """Turn radius[row] from a bound into the trees to its k-th neighbour on both sides, arguments as of `bound_radii`.

    Only rows in `window`, the places on the other side that are nearer than the bound, can be nearer on both sides.
    """
    n = runs.order.size
    current = np.empty(runs.start.size - 1, np.int64)
    ahead, behind = np.empty(n, np.int32), np.empty(n, np.int32)
    best = np.empty(k, np.int64)
    enter(runs, start, current, ahead, behind)
    for place in range(start, stop):
        row = runs.order[place]
        begin, end = window[row, 0], window[row, 1]
        for i in range(k):
            best[i] = radius[row]
        for direction in (-1, 1):
            trees, border = (behind, 0) if direction < 0 else (ahead, n - 1)
            other, apart = place, trees[place]
            while other != border and apart < best[k - 1]:
                other += direction
                if begin <= other_place[other] < end:
                    found = max(apart, trees_between(other_leaves[row], other_leaves[runs.order[other]]))
                    if found < best[k - 1]:
                        insert(best, found)
                apart += trees[other]
        radius[row] = best[k - 1]
        if place + 1 < stop:
            step(runs, place, current, ahead, behind)


@part
def local_mi_within(runs_x, runs_y, same_x, same_y, x, y, size_x, size_y, k, psi, row):
    """Return the local MI of a row whose k-th neighbour is 0 trees away on both sides: distances decide. Sec. 5.3."""
    n = x.size
    begin_x, end_x, begin_y, end_y = same_x[row, 0], same_x[row, 1], same_y[row, 0], same_y[row, 1]
    in_x, in_y, joint = np.empty(end_x - begin_x), np.empty(end_y - begin_y), np.empty(end_x - begin_x)
    n_joint = 0
    for p in range(begin_x, end_x):
        other = runs_x.order[p]
        in_x[p - begin_x] = abs(x[row] - x[other]) / size_x
        place_y = runs_y.rank[other]
        if other != row and begin_y <= place_y < end_y:
            joint[n_joint] = max(in_x[p - begin_x], abs(y[row] - y[other]) / size_y)
            n_joint += 1
    for p in range(begin_y, end_y):
        in_y[p - begin_y] = abs(y[row] - y[runs_y.order[p]]) / size_y
    radius = kth_smallest(joint[:n_joint], k)
    if radius > 0.0:
        return psi[k] + psi[n] - (psi[count_below(in_x, radius)] + psi[count_below(in_y, radius)])
    copies = 1 + count_zeros(joint[:n_joint])
    return psi[copies] + psi[n] - (psi[count_zeros(in_x)] + psi[count_zeros(in_y)])


@kernel
def fill_within(rows, runs_x, runs_y, same_x, same_y, x, y, size_x, size_y, k, psi, out):
    """Fill out[row] by `local_mi_within` for all `rows`."""
    for i in range(rows.size):
        out[rows[i]] = local_mi_within(runs_x, runs_y, same_x, same_y, x, y, size_x, size_y, k, psi, rows[i])
