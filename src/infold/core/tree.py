"""One geodesic tree as flat arrays: grow it, and route rows through it under a mask of columns (Sec. 5.2, 5.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import kernel, random_below
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
def grow_tree(points, rows, min_samples_split, n_candidates, criterion, n_log_n, state):
    """Return the arrays of a Tree grown on `rows` (reordered in place) of `points` (d, n). Sec. 5.2."""
    size = rows.size
    capacity = 2 * size
    cut = np.full(capacity, np.nan)
    left, right = np.full(capacity, -1, np.int32), np.full(capacity, -1, np.int32)
    proj_size = np.zeros(capacity, np.int32)
    # Projections in the order in which their nodes are split; put in node order at the end.
    split_node, split_place = np.empty(size, np.int32), np.empty(size + 1, np.int32)
    kept_feature, kept_sign = (
        np.empty(4 * size + n_candidates, np.int32),
        np.empty(4 * size + n_candidates, np.int8),
    )
    n_nodes, n_splits, n_kept = 1, 0, 0

    column, feature = np.empty(n_candidates, np.int32), np.empty(n_candidates, np.int32)
    sign = np.empty(n_candidates, np.int8)
    trial, best_values, ordered = np.empty(size), np.empty(size), np.empty(size)
    spare = np.empty(size, np.int32)

    stack = np.empty((size + 1, 3), np.int32)  # (node, first row, end)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, size
    height = 1
    while height > 0:
        height -= 1
        node, first, end = stack[height]
        m = end - first
        if m < min_samples_split:
            continue
        members = rows[first:end]
        draw_projections(points.shape[0], n_candidates, state, column, feature, sign)
        best_score, best_at, best_first, best_end = np.inf, np.nan, 0, 0
        begin = 0
        while begin < n_candidates:
            stop = begin + 1
            while stop < n_candidates and column[stop] == column[begin]:
                stop += 1
            project(points, members, feature[begin:stop], sign[begin:stop], trial)
            ordered[:m] = trial[:m]
            ordered[:m].sort()
            at, score = best_cut(ordered[:m], criterion, n_log_n)
            if score < best_score:
                best_score, best_at, best_first, best_end = score, at, begin, stop
                trial, best_values = best_values, trial
            begin = stop
        if best_score == np.inf:
            continue
        n_left = partition(members, best_values, best_at, spare)
        if n_left == 0 or n_left == m:
            continue
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
        # The larger side waits, so that the stack stays short of log2(size) + 1 whatever the tree's shape.
        for side in range(2):
            is_left = (side == 0) == (n_left > m - n_left)
            stack[height, 0] = n_nodes if is_left else n_nodes + 1
            stack[height, 1] = first if is_left else first + n_left
            stack[height, 2] = first + n_left if is_left else end
            height += 1
        n_nodes += 2

    proj_start = np.zeros(n_nodes + 1, np.int32)
    proj_start[1:] = np.cumsum(proj_size[:n_nodes])
    proj_feature, proj_sign = np.empty(n_kept, np.int32), np.empty(n_kept, np.int8)
    for s in range(n_splits):
        place, to = split_place[s], proj_start[split_node[s]]
        width = split_place[s + 1] - place
        proj_feature[to : to + width] = kept_feature[place : place + width]
        proj_sign[to : to + width] = kept_sign[place : place + width]
    return (
        cut[:n_nodes].copy(),
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        proj_start,
        proj_feature,
        proj_sign,
    )


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
