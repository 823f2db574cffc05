"""One geodesic tree as flat arrays, and how to grow it (Sec. 5.2)."""

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
    score_a_row,
)
from .jit import kernel, random_below
from .projection import draw_projections, project, projection_key
from .scan import N_WORK, small_cut
from .split import FAST_BIC, best_cut, between

PEEL = 8  # a cut that takes off less than 1 / PEEL of the rows peels
SAMPLE = 512  # rows on which a sum of features is tried first, in nodes of twice as many
MARGIN = 0.3  # nats a row by which it must then lose to be given up: some five standard errors of its score
CHAIN = 0.5  # of the number of features: after so many that peel, columns are kept, to be met again before it ends


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
def sample(members, rows, weights, few_rows, few_weights):
    """Fill in rows and weights of SAMPLE of the `members`, or somewhat more; return (number, weight)."""
    step = members.size // SAMPLE
    n, weight = 0, 0
    for i in range(0, members.size, step):
        few_rows[n], few_weights[n] = rows[members[i]], weights[members[i]]
        weight += weights[members[i]]
        n += 1
    return n, weight


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
    chain = max(2, int(CHAIN * n_features))
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
    trial, best_values, work = np.empty(size), np.empty(size), np.empty((N_WORK, drawn.size))
    carried, code = np.empty(size, np.int32), np.empty(3 * size + 1, np.int32)
    # A node is a range of `members`, numbers of `rows`; `where` is the inverse.
    members, where = np.arange(size).astype(np.int32), np.arange(size).astype(np.int32)
    member_rows, leaving, member_weight = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size)
    bins, n_used = new_bins(n_kept_columns + 1, drawn.size), 0  # the last column is for projections that are not kept

    stack = np.empty((size + 1, 4), np.int32)  # (node, first member, end, weight)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, size, drawn.size
    height = 1
    node, first, end, m, n_peeled, chain_over = 0, 0, 0, 0, 0, True
    while height > 0 or not chain_over:
        if chain_over:
            height -= 1
            node, first, end, m = stack[height]
            n_peeled, chain_over = 0, False
        if m < min_samples_split:
            chain_over = True
            continue
        if n_peeled < chain:
            n_used = 0
        small = end - first < SMALL
        gathered = False
        draw_projections(n_features, n_candidates, state, column, feature, sign)
        best_score, best_at, best_first, best_end = np.inf, np.nan, 0, 0
        best_column, best_low, best_high, best_bin = -1, np.nan, np.nan, 0
        begin, wide = 0, False
        while begin < n_candidates:
            # Single features come first: sums of several vary more, so most of them can then be given up early.
            stop = begin + 1
            while stop < n_candidates and column[stop] == column[begin]:
                stop += 1
            if (stop - begin > 1) != wide:
                begin = stop
                if begin == n_candidates and not wide:
                    begin, wide = 0, True
                continue
            key, c = np.int64(-1), 0
            if n_peeled >= chain and not small:
                key = projection_key(feature[begin:stop], sign[begin:stop], n_features)
                while c < n_used and bins.key[c] != key:
                    c += 1
            known = key >= 0 and c < n_used
            if not known:
                if wide and not exact and criterion == FAST_BIC and end - first >= 2 * SAMPLE:
                    n, weight = sample(members[first:end], rows, weights, carried, work[1])
                    project(points, carried[:n], feature[begin:stop], sign[begin:stop], trial)
                    count_bins(bins, n_kept_columns, trial[:n], work[1])
                    if score_a_row(bins, n_kept_columns, weight, n_log_n, work) > best_score / m + MARGIN:
                        begin = stop
                        continue
                if not gathered:
                    for i in range(end - first):
                        member_rows[i] = rows[members[first + i]]
                        member_weight[i] = weights[members[first + i]]
                    gathered = True
                project(points, member_rows[: end - first], feature[begin:stop], sign[begin:stop], trial)
            low, high, b = np.nan, np.nan, 0
            if exact and (small or key < 0 or n_kept_columns == 0):
                c = -1
                at, score = sorted_cut(trial, members[first:end], weights, criterion, n_log_n, work[0])
            elif small:
                c = -1
                values, loads = work[7, : end - first], carried[: end - first]
                for i in range(end - first):
                    values[i], loads[i] = trial[i], weights[members[first + i]]
                at, score = small_cut(values, loads, m, criterion, n_log_n, work, code)
            else:
                fresh = 0
                if known:
                    forget_departed(
                        bins,
                        c,
                        members,
                        first,
                        end,
                        weights,
                        points,
                        rows,
                        feature[begin:stop],
                        sign[begin:stop],
                        work,
                    )
                elif key >= 0 and c < n_kept_columns:
                    bins.key[c] = key
                    n_used += 1
                    keep_bins(bins, c, trial[: end - first], members[first:end], member_weight, end)
                else:
                    c, fresh = n_kept_columns, end - first
                    count_bins(bins, c, trial[:fresh], member_weight)
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
                    work,
                    carried,
                    code,
                )
                at = np.nan
            if score < best_score:
                best_score, best_at, best_first, best_end = score, at, begin, stop
                best_column, best_low, best_high, best_bin = c, low, high, b
                if c < 0 or c == n_kept_columns:
                    trial, best_values = best_values, trial
            begin = stop
            if begin == n_candidates and not wide:
                begin, wide = 0, True
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
        n_peeled = n_peeled + 1 if PEEL * n_leaving < end - first else 0
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
