"""One geodesic tree as flat arrays: grow it, and route rows through it under a mask of columns (Sec. 5.2, 5.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import kernel, random_below
from .ordered import SMALL, forget_departed, lighter_end, new_ordered, ordered_cut, projection_key, put_in_order
from .projection import draw_projections, project
from .split import best_cut


class Tree(NamedTuple):
    """Nodes of a tree; node 0 is the root, and a leaf has left = right = −1.

    A row goes left if the sum of sign × value over the features proj_start[node] : proj_start[node + 1] of the
    projection is below `cut`.
    """

    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    proj_start: np.ndarray
    proj_feature: np.ndarray
    proj_sign: np.ndarray


@kernel
def bootstrap_rows(n, size, state):
    """Return `size` rows out of n, drawn with replacement."""
    rows = np.empty(size, np.int32)
    for i in range(size):
        rows[i] = random_below(state, n)
    return rows


@kernel
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
    rows[n_left:] = spare[:n_right]
    return n_left


@kernel
def split_off(members, where, first, end, leaving, n_leaving):
    """Move the rows leaving[:n_leaving] to the end of members[first:end], keep `where` its inverse."""
    for i in range(n_leaving):
        hole, last = where[leaving[i]], members[end - 1 - i]
        members[hole], members[end - 1 - i] = last, leaving[i]
        where[last], where[leaving[i]] = hole, end - 1 - i


@kernel
def lighter_side(values, cut, n_rows, rows, leaving):
    """Fill `leaving` with the rows on the smaller side of `cut`; return (how many, whether they are those below)."""
    n_below = 0
    for i in range(n_rows):
        n_below += values[i] < cut
    below = 2 * n_below <= n_rows
    n = 0
    for i in range(n_rows):
        leaving[n] = rows[i]
        n += (values[i] < cut) == below
    return n, below


@kernel
def grow_tree(points, rows, min_samples_split, n_candidates, criterion, n_log_n, n_ordered, state):
    """Return the arrays of a Tree grown on the bootstrap sample `rows` of `points` (d, n). Sec. 5.2.

    A node's heavier child is split next, and its lighter one waits: along this chain projections stay in order.
    `n_ordered` tells for how many there is room; with 0 every node sorts anew.
    """
    size = rows.size
    n_features = points.shape[0]
    capacity = 2 * size
    cut = np.full(capacity, np.nan)
    left, right = np.full(capacity, -1, np.int32), np.full(capacity, -1, np.int32)
    proj_size = np.zeros(capacity, np.int32)
    # Projections in the order in which their nodes are split; put in node order at the end.
    split_node, split_place = np.empty(size, np.int32), np.empty(size + 1, np.int32)
    kept_feature, kept_sign = np.empty(4 * size + n_candidates, np.int32), np.empty(4 * size + n_candidates, np.int8)
    n_nodes, n_splits, n_kept = 1, 0, 0

    column, feature = np.empty(n_candidates, np.int32), np.empty(n_candidates, np.int32)
    sign = np.empty(n_candidates, np.int8)
    trial, best_values, scratch = np.empty(size), np.empty(size), np.empty((5, size))
    # A node is a range of `members`, numbers of the bootstrap sample; `where` is the inverse.
    members, where = np.arange(size).astype(np.int32), np.arange(size).astype(np.int32)
    member_rows, leaving = np.empty(size, np.int32), np.empty(size, np.int32)
    room, n_used = new_ordered(n_ordered, size), 0

    stack = np.empty((size + 1, 3), np.int32)  # (node, first member, end)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, size
    height = 1
    node, first, end, chain_over = 0, 0, 0, True
    while height > 0 or not chain_over:
        if chain_over:
            height -= 1
            node, first, end = stack[height]
            n_used, chain_over = 0, False
        m = end - first
        if m < min_samples_split:
            chain_over = True
            continue
        gathered = False
        draw_projections(n_features, n_candidates, state, column, feature, sign)
        best_score, best_at, best_first, best_end, best_column = np.inf, np.nan, 0, 0, -1
        begin = 0
        while begin < n_candidates:
            stop = begin + 1
            while stop < n_candidates and column[stop] == column[begin]:
                stop += 1
            key = projection_key(feature[begin:stop], sign[begin:stop], n_features) if m >= SMALL else -1
            c = 0
            while c < n_used and room.key[c] != key:
                c += 1
            if key < 0 or c == n_ordered:
                c = -1
            if c < 0 or c == n_used:
                if not gathered:
                    for i in range(m):
                        member_rows[i] = rows[members[first + i]]
                    gathered = True
                project(points, member_rows[:m], feature[begin:stop], sign[begin:stop], trial)
            if c < 0:
                scratch[0, :m] = trial[:m]
                scratch[0, :m].sort()
                at, score = best_cut(scratch[0, :m], criterion, n_log_n)
            else:
                if c == n_used:
                    n_used += 1
                    put_in_order(room, c, key, trial, members, first, end, where)
                else:
                    forget_departed(room, c, members, first, end, where)
                at, score = ordered_cut(room, c, where, first, end, criterion, n_log_n, scratch)
            if score < best_score:
                best_score, best_at, best_first, best_end, best_column = score, at, begin, stop, c
                if c < 0:
                    trial, best_values = best_values, trial
            begin = stop
        if best_score == np.inf:
            chain_over = True
            continue
        if best_column < 0:
            n_leaving, below = lighter_side(best_values, best_at, m, members[first:end], leaving)
        else:
            n_leaving, below = lighter_end(room, best_column, best_at, where, end, leaving)
        split_off(members, where, first, end, leaving, n_leaving)
        if n_kept + n_candidates > kept_feature.size:
            kept_feature = np.concatenate((kept_feature, np.empty_like(kept_feature)))
            kept_sign = np.concatenate((kept_sign, np.empty_like(kept_sign)))
        split_node[n_splits], split_place[n_splits] = node, n_kept
        for t in range(best_first, best_end):
            kept_feature[n_kept], kept_sign[n_kept] = feature[t], sign[t]
            n_kept += 1
        n_splits += 1
        split_place[n_splits] = n_kept
        proj_size[node] = best_end - best_first
        cut[node], left[node], right[node] = best_at, n_nodes, n_nodes + 1
        stack[height, 0] = n_nodes if below else n_nodes + 1
        stack[height, 1], stack[height, 2] = end - n_leaving, end
        height += 1
        node, end = n_nodes + 1 if below else n_nodes, end - n_leaving
        n_nodes += 2

    proj_start = np.zeros(n_nodes + 1, np.int32)
    proj_start[1:] = np.cumsum(proj_size[:n_nodes])
    proj_feature, proj_sign = np.empty(n_kept, np.int32), np.empty(n_kept, np.int8)
    for s in range(n_splits):
        place, to = split_place[s], proj_start[split_node[s]]
        width = split_place[s + 1] - place
        proj_feature[to : to + width] = kept_feature[place : place + width]
        proj_sign[to : to + width] = kept_sign[place : place + width]
    return cut[:n_nodes].copy(), left[:n_nodes].copy(), right[:n_nodes].copy(), proj_start, proj_feature, proj_sign


@kernel
def route(cut, left, right, proj_start, proj_feature, proj_sign, points, used, leaf):
    """Fill leaf[i] with the node where row i of `points` (d, n) ends, columns outside `used` counting as 0. Sec. 5.3.

    Rows travel in groups: a node that looks at no used column moves its whole group at no cost, and an empty group
    ends the walk.
    """
    n = leaf.size
    rows, spare, values = np.arange(n).astype(np.int32), np.empty(n, np.int32), np.empty(n)
    width = 1 + np.max(proj_start[1:] - proj_start[:-1])
    feature, sign = np.empty(width, np.int32), np.empty(width, np.int8)
    stack = np.empty((cut.size + 1, 3), np.int32)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, n
    height = 1
    while height > 0:
        height -= 1
        node, first, end = stack[height]
        while left[node] >= 0:
            t = 0
            for place in range(proj_start[node], proj_start[node + 1]):
                if used[proj_feature[place]]:
                    feature[t], sign[t] = proj_feature[place], proj_sign[place]
                    t += 1
            if t == 0:
                node = left[node] if cut[node] > 0.0 else right[node]
                continue
            members = rows[first:end]
            project(points, members, feature[:t], sign[:t], values)
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
