"""Where a grown tree sends rows, under a mask of columns (Sec. 5.3).

Most trees have long chains of nodes that peel a few rows off. So rows travel in groups, and only those that part from a
group are marked. A cut of a single column finds them at an end of the column's sorted rows; for a cut of a sum, all
rows are compared with it, several at a time. Rows of small groups go one by one.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel

CHUNK = 8192  # rows that travel together: their values and marks stay in the cache
SMALL = 64  # groups of up to 1 / SMALL of a chunk travel row by row


def sorted_rows(points: np.ndarray) -> np.ndarray:
    """Return (d, n): for each column of `points` (d, n), the rows of each chunk, counted from its first, by value."""
    order = np.empty(points.shape, np.uint16)
    for column, rows in zip(points, order, strict=True):
        for base in range(0, column.size, CHUNK):
            rows[base : base + CHUNK] = np.argsort(column[base : base + CHUNK])
    return order


@kernel
def masked_terms(tree, used):
    """Return (start, feature, sign): the nodes' projections without the columns that are not used."""
    n_nodes, n_terms = tree.cut.size, tree.proj_feature.size
    start, feature, sign = np.empty(n_nodes + 1, np.int64), np.empty(n_terms, np.int64), np.empty(n_terms)
    n = 0
    for node in range(n_nodes):
        start[node] = n
        for t in range(tree.proj_start[node], tree.proj_stop[node]):
            if used[tree.proj_feature[t]]:
                feature[n], sign[n] = tree.proj_feature[t], tree.proj_sign[t]
                n += 1
    start[n_nodes] = n
    return start, feature, sign


@kernel
def part_by_column(values, order, sign, cut, bounds, mark, group, children):
    """Mark the rows of a group at one end of a sorted column with the child where they go; return (how many, left?).

    The group's rows are among order[bounds[0]:bounds[1]], which is narrowed. The shorter end is looked at.
    """
    low, high = bounds[0], bounds[1]
    while low < high:  # binary search: rows before `low` are on the side of small values
        middle = (low + high) // 2
        if (sign * values[order[middle]] < cut) == (sign > 0):
            low = middle + 1
        else:
            high = middle
    from_below = low - bounds[0] <= bounds[1] - low
    begin, stop = (bounds[0], low) if from_below else (low, bounds[1])
    to_left = from_below == (sign > 0)
    new, n = children[0 if to_left else 1], 0
    for i in range(begin, stop):
        if mark[order[i]] == group:
            mark[order[i]] = new
            n += 1
    bounds[0 if from_below else 1] = low
    return n, to_left


@kernel
def part_by_sum(points, base, feature, sign, cut, value, mark, group, children):
    """Mark the rows of a group on the side of a sum's cut where the fewer are; return (how many, left?).

    `value` is scratch. Nine arguments: the sum, the cut, and the group.
    """
    n_left, n = 0, 0
    for t in range(feature.size):
        column, its_sign = points[feature[t], base : base + mark.size], sign[t]
        for i in range(mark.size):
            term = its_sign * column[i]
            value[i] = term if t == 0 else value[i] + term
    for i in range(mark.size):
        n_left += (mark[i] == group) & (value[i] < cut)
        n += mark[i] == group
    to_left = 2 * n_left < n
    new = children[0 if to_left else 1]
    for i in range(mark.size):
        parts = (mark[i] == group) & ((value[i] < cut) == to_left)
        mark[i] = new if parts else mark[i]
    return n_left if to_left else n - n_left, to_left


@kernel
def route_groups(tree, terms, points, order, base, mark, goal):
    """Mark each row of a chunk, the first of which is `base`, with a group; goal[group] is the node to which it came.

    A group has the number of the node at which it parted from another one.
    """
    start, feature, sign = terms
    n, small = mark.size, mark.size // SMALL
    value, children = np.empty(n), np.empty(2, np.int64)
    groups, sizes = np.empty(SMALL + 2, np.int64), np.empty(SMALL + 2, np.int64)
    bounds = np.empty((SMALL + 3, points.shape[0], 2), np.int64)  # of each group in each column's order
    for i in range(n):
        mark[i] = 0
    for f in range(points.shape[0]):
        bounds[0, f, 0], bounds[0, f, 1] = 0, n
    groups[0], sizes[0], height = 0, n, 1
    while height > 0:
        height -= 1
        group, size = groups[height], sizes[height]
        node, own = group, bounds[height]
        while tree.left[node] >= 0 and size > small:
            cut, first, stop = tree.cut[node], start[node], start[node + 1]
            children[0], children[1] = tree.left[node], tree.right[node]
            if first == stop:  # no column that is used: all rows go where 0 goes
                node = children[0 if cut > 0.0 else 1]
                continue
            f = feature[first]
            before, after = own[f, 0], own[f, 1]
            if stop == first + 1:
                values, rows = points[f, base : base + n], order[f, base : base + n]
                n_parting, to_left = part_by_column(values, rows, sign[first], cut, own[f], mark, group, children)
            else:
                n_parting, to_left = part_by_sum(
                    points, base, feature[first:stop], sign[first:stop], cut, value, mark, group, children
                )
            parting, node = children[0 if to_left else 1], children[1 if to_left else 0]
            goal[parting] = parting
            size -= n_parting
            if n_parting > small:  # it waits where this group was, which moves one up
                for g in range(points.shape[0]):
                    for side in range(2):
                        bounds[height + 1, g, side] = own[g, side]
                if stop == first + 1:
                    own[f, 0], own[f, 1] = (before, own[f, 0]) if own[f, 0] > before else (own[f, 1], after)
                groups[height], sizes[height] = parting, n_parting
                height += 1
                own = bounds[height]
        goal[group] = node


@kernel
def route(tree, points, order, used, leaf):
    """Fill leaf[i] with the node where row i of points (d, n) ends, columns outside the mask `used` counting as 0.

    `order` is that of `sorted_rows`.
    """
    terms = masked_terms(tree, used)
    start, feature, sign = terms
    goal = np.empty(tree.cut.size, np.int64)
    for base in range(0, leaf.size, CHUNK):
        mark = leaf[base : base + CHUNK]
        route_groups(tree, terms, points, order, base, mark, goal)
        for i in range(mark.size):
            node = goal[mark[i]]
            while tree.left[node] >= 0:
                total = 0.0
                for t in range(start[node], start[node + 1]):
                    total += sign[t] * points[feature[t], base + i]
                node = tree.left[node] if total < tree.cut[node] else tree.right[node]
            mark[i] = node
