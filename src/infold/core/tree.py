"""One geodesic tree as flat arrays: grow it, and route rows through it under a mask of columns (Sec. 5.2, 5.3)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .binned import (
    SMALL,
    binned_cut,
    count_bins,
    cut_above,
    forget_departed,
    keep_bins,
    lighter_bins,
    new_bins,
)
from .jit import kernel, random_below
from .projection import draw_projections, project, projection_key
from .split import best_cut, between

PEEL = 8  # a cut that takes off less than 1 / PEEL of the rows: the next one is likely to be of that kind too


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
def lighter_side(values, cut, m, members, weights, leaving):
    """Fill `leaving` with the members on the lighter side of `cut`; return (how many, their weight, are they below)."""
    n_below = 0
    for i in range(members.size):
        n_below += weights[members[i]] if values[i] < cut else 0
    below = 2 * n_below <= m
    n = 0
    for i in range(members.size):
        leaving[n] = members[i]
        n += (values[i] < cut) == below
    return n, n_below if below else m - n_below, below


@kernel
def sorted_cut(values, members, weights, criterion, n_log_n, scratch):
    """Return (cut, score) of `values`, each as often as its member's weight, by sorting them all."""
    m = 0
    for i in range(members.size):
        for _ in range(weights[members[i]]):
            scratch[m] = values[i]
            m += 1
    scratch[:m].sort()
    return best_cut(scratch[:m], criterion, n_log_n)


@kernel
def cut_after(values, low, high):
    """Return the cut above `low`: halfway to `high` or, if that is nan, to the lowest of `values` above `low`."""
    if math.isnan(high):
        high = np.inf
        for i in range(values.size):
            if low < values[i] < high:
                high = values[i]
    return between(low, high)


@kernel
def grow_tree(points, drawn, min_samples_split, n_candidates, criterion, n_log_n, n_kept_columns, exact, state):
    """Return the arrays of a Tree grown on the bootstrap sample `drawn` of `points` (d, n). Sec. 5.2.

    A node's heavier child is split next, and its lighter one waits: along this chain, projections keep their bins.
    With n_kept_columns = 0 every candidate is sorted instead: slower, and the tree of the exact search.
    """
    n_features, n = points.shape
    # Copies of a row travel together: a row and its weight.
    weights = np.bincount(drawn, minlength=n)
    rows = np.flatnonzero(weights > 0).astype(np.int32)
    weights = weights[rows].astype(np.int32)
    size = rows.size
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
    trial, best_values, scratch = np.empty(size), np.empty(size), np.empty((5, drawn.size))
    # A node is a range of `members`, numbers of `rows`; `where` is the inverse.
    members, where = np.arange(size).astype(np.int32), np.arange(size).astype(np.int32)
    member_rows, leaving = np.empty(size, np.int32), np.empty(size, np.int32)
    bins, n_used = new_bins(n_kept_columns + 1, drawn.size), 0  # the last column is for projections that are not kept

    stack = np.empty((size + 1, 4), np.int32)  # (node, first member, end, weight)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, size, drawn.size
    height = 1
    node, first, end, m, peeled, chain_over = 0, 0, 0, 0, False, True
    while height > 0 or not chain_over:
        if chain_over:
            height -= 1
            node, first, end, m = stack[height]
            peeled, chain_over = False, False
        if m < min_samples_split:
            chain_over = True
            continue
        if not peeled:
            n_used = 0
        small = end - first < SMALL or n_kept_columns == 0
        gathered = False
        draw_projections(n_features, n_candidates, state, column, feature, sign)
        best_score, best_at, best_first, best_end = np.inf, np.nan, 0, 0
        best_column, best_low, best_high, best_bin = -1, np.nan, np.nan, 0
        begin = 0
        while begin < n_candidates:
            stop = begin + 1
            while stop < n_candidates and column[stop] == column[begin]:
                stop += 1
            key, c = np.int64(-1), 0
            if peeled and not small:
                key = projection_key(feature[begin:stop], sign[begin:stop], n_features)
                while c < n_used and bins.key[c] != key:
                    c += 1
            known = key >= 0 and c < n_used
            if not known:
                if not gathered:
                    for i in range(end - first):
                        member_rows[i] = rows[members[first + i]]
                    gathered = True
                project(points, member_rows[: end - first], feature[begin:stop], sign[begin:stop], trial)
            low, high, b = np.nan, np.nan, 0
            if small or (exact and key < 0):
                c = -1
                at, score = sorted_cut(trial, members[first:end], weights, criterion, n_log_n, scratch[0])
            else:
                fresh = 0
                if known:
                    forget_departed(bins, c, members, first, end, where, weights, scratch)
                elif key >= 0 and c < n_kept_columns:
                    bins.key[c] = key
                    n_used += 1
                    keep_bins(bins, c, trial[: end - first], members[first:end], weights, end)
                else:
                    c, fresh = n_kept_columns, end - first
                    count_bins(bins, c, trial[:fresh], members[first:end], weights)
                score, low, high, b = binned_cut(
                    bins,
                    c,
                    m,
                    trial[:fresh],
                    members[first : first + fresh],
                    where,
                    end,
                    weights,
                    criterion,
                    n_log_n,
                    exact,
                    best_score,
                    scratch,
                )
                at = np.nan
            if score < best_score:
                best_score, best_at, best_first, best_end = score, at, begin, stop
                best_column, best_low, best_high, best_bin = c, low, high, b
                if c < 0 or c == n_kept_columns:
                    trial, best_values = best_values, trial
            begin = stop
        if best_score == np.inf:
            chain_over = True
            continue
        if best_column < 0 or best_column == n_kept_columns:
            if best_column >= 0:
                best_at = cut_after(best_values[: end - first], best_low, best_high)
            n_leaving, light, below = lighter_side(best_values, best_at, m, members[first:end], weights, leaving)
        else:
            best_at = cut_above(bins, best_column, best_bin, best_low, best_high, where, end)
            n_leaving, light, below = lighter_bins(
                bins, best_column, best_bin, best_at, where, end, m, weights, leaving
            )
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
        stack[height, 1], stack[height, 2], stack[height, 3] = end - n_leaving, end, light
        height += 1
        peeled = PEEL * n_leaving < end - first
        node, end, m = n_nodes + 1 if below else n_nodes, end - n_leaving, m - light
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
