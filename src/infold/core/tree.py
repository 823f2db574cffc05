"""One geodesic tree as flat arrays, and how to grow it (Sec. 5.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .binned import (
    SMALL,
    binned_cut,
    cut_above,
    lighter_bins,
    score_a_row,
)
from .bins import count_bins, forget_departed
from .jit import FIRST, inlined, kernel, next_random, part, random_below
from .projection import draw_projections, project, projection_key
from .room import CACHE, MOST_LEVELS, SAMPLE, SHRINK, rows_apart, set_rows_apart
from .scan import lowest_above, small_cut, sort_pairs
from .split import FAST_BIC, best_cut, between

PEEL = 8  # a cut that takes off less than 1 / PEEL of the rows peels
FORGET = 8  # a column is counted anew once 1 / FORGET as many rows have left as are left, unless columns are kept
MARGIN = 0.53  # nats a row by which it must then lose to be given up: three standard errors, √(2 / SAMPLE)
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
    rows = np.empty(size, np.uint32)
    for i in range(size):
        rows[i] = random_below(state, n)
    return rows


@inlined
def split_off(members, where, first, end, leaving, n_leaving):
    """Move the rows leaving[:n_leaving] to the end of members[first:end], keep `where` its inverse."""
    for i in range(n_leaving):
        hole, last = where[leaving[i]], members[end - 1 - i]
        members[hole], members[end - 1 - i] = last, leaving[i]
        where[last], where[leaving[i]] = hole, end - 1 - i


@part
def lighter_side(values, cut, m, loads):
    """Return (the load of the lighter side of `cut`, is it the one below) of `values` with `loads`, m in all."""
    n_below = 0
    for i in range(values.size):
        n_below += loads[i] if values[i] < cut else 0
    below = 2 * n_below <= m
    return n_below if below else m - n_below, below


@part
def list_side(members, values, cut, below, leaving):
    """Fill `leaving` with the members on one side of `cut`; return how many there are."""
    n = 0
    for i in range(members.size):
        leaving[n] = members[i]
        n += (values[i] < cut) == below
    return n


@part
def set_apart(members, values, cut, below, leaving):
    """Move the members on one side of `cut`, which go to `leaving` too, behind the others; return how many.

    Both sides stay in order.
    """
    n, n_leaving = 0, 0
    for i in range(members.size):
        members[n] = leaving[n_leaving] = members[i]
        leaves = (values[i] < cut) == below
        n, n_leaving = n + (not leaves), n_leaving + leaves
    for i in range(n_leaving):
        members[n + i] = leaving[i]
    return n_leaving


@part
def sorted_cut(values, loads, criterion, n_log_n, work, code):
    """Return (cut, score) of `values`, each as often as its load, by sorting them all. Sorts both."""
    sort_pairs(values, loads, work, code)
    scratch, m = work[1], 0
    for i in range(loads.size):
        for _ in range(loads[i]):
            scratch[m] = values[i]
            m += 1
    return best_cut(scratch[:m], criterion, n_log_n)


@part
def sample(members, weights, few, few_loads):
    """Fill in SAMPLE of the `members`, or somewhat more, and their weights; return (number, weight)."""
    step = members.size // SAMPLE
    n, weight = (members.size + step - 1) // step, 0
    for i in range(n):
        few[i], few_loads[i] = members[i * step], weights[members[i * step]]
        weight += few_loads[i]
    return n, weight


@part
def list_candidates(column, feature, sign, first, end):
    """Fill first, end with the places of each distinct projection, single features first; return how many.

    Sums of several features vary more, so that after the single ones most of them can be given up early.
    """
    count = 0
    for wide in (False, True):
        begin = 0
        while begin < column.size:
            stop = begin + 1
            while stop < column.size and column[stop] == column[begin]:
                stop += 1
            if (stop - begin > 1) == wide:
                is_new = True
                for other in range(count):
                    if end[other] - first[other] == stop - begin:
                        same = True
                        for t in range(stop - begin):
                            same &= feature[first[other] + t] == feature[begin + t]
                            same &= sign[first[other] + t] == sign[begin + t]
                        is_new &= not same
                if is_new:
                    first[count], end[count] = begin, stop
                    count += 1
            begin = stop
    return count


@part
def cut_after(values, low, high):
    """Return the cut above `low`: halfway to `high` or, if that is nan, to the lowest of `values` above `low`."""
    return between(low, lowest_above(values, low) if math.isnan(high) else high)


@inlined
def reached(below, cut, sees, views):
    """Return the `views` whose rows may come to one side of `cut`: all that see it, and those whose 0 is there."""
    return views & (sees if below != (cut > 0.0) else views)


@kernel
def grow_tree(points, drawn, views, min_samples_split, n_candidates, criterion, n_log_n, exact, state, room, bins):
    """Return the arrays of a Tree grown on the bootstrap sample `drawn` of `points` (d, n). Sec. 5.2.

    Rows will be sent through the tree with some columns counting as 0, once for each bit of `views`: views[f] has the
    bits of those that see column f. A node that none of them can come to is not split.
    A node's heavier child is split next, and its lighter one waits: along this chain, projections keep their bins.
    With room for none every candidate is sorted instead: slower, and the tree of the exact search.
    """
    n_features = points.shape[0]
    n_kept_columns, n_used = bins.key.size - 1, 0  # the last column is for projections that are not kept
    n_grouped = bins.values.shape[0] - 1
    chain = max(2, int(CHAIN * n_features))
    weights, members, where, leaving, member_loads = room.weights, room.members, room.where, room.leaving, room.loads
    few, few_loads, trial, best_values = room.few, room.few_loads, room.trial, room.best
    work, carried, code, stack, seed_of = room.work, room.carried, room.code, room.stack, room.seed_of
    column_of, column, feature, sign = room.column_of, room.column, room.feature, room.sign
    candidate_first, candidate_end = room.candidate[0], room.candidate[1]
    all_points, all_weights, level = points, weights, 0
    level_end = np.zeros(MOST_LEVELS, np.int64)  # where the rows of each level end in the tables of rows set apart
    column_of[:] = -1
    weights[:] = 0
    for i in range(drawn.size):
        weights[drawn[i]] += 1
    size = 0
    for i in range(weights.size):
        members[size] = i
        size += weights[i] > 0
    capacity = 2 * size
    cut, proj_size = np.empty(capacity), np.zeros(capacity, np.int32)
    left, right = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    for i in range(capacity):
        cut[i], left[i], right[i] = np.nan, -1, -1
    # Projections in the order in which their nodes are split; put in node order at the end.
    split_node, split_place = np.empty(size, np.int32), np.empty(size + 1, np.int32)
    kept_feature, kept_sign = np.empty(4 * size + n_candidates, np.int32), np.empty(4 * size + n_candidates, np.int8)
    n_nodes, n_splits, n_kept, n_few, few_weight, tracked = 1, 0, 0, 0, 0, False

    come = FIRST  # the views from which rows may come to a node
    for f in range(n_features):
        come |= views[f]
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4], stack[0, 5] = 0, 0, size, drawn.size, 0, come
    seed_of[0], height = state[0], 1
    node, first, end, m, n_peeled, chain_over, is_new_chain = 0, 0, 0, 0, 0, True, True
    while height > 0 or not chain_over:
        if chain_over:
            height -= 1
            node, first, end, m = stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3]
            come, state[0] = stack[height, 5], seed_of[height]
            n_peeled, chain_over, is_new_chain = 0, False, True
            if level != stack[height, 4]:
                level = stack[height, 4]
                points, weights = all_points, all_weights
                if level > 0:
                    points, weights = rows_apart(room, n_features, level_end[level - 1], level_end[level])
        if m < min_samples_split or come == 0:
            chain_over = True
            continue
        n_here, here = end - first, members[first:end]
        if SHRINK * n_here <= weights.size and 8 * points.size > CACHE and room.table.size > 0:
            level += 1
            level_end[level] = level_end[level - 1] + n_here
            next_points, next_weights = rows_apart(room, n_features, level_end[level - 1], level_end[level])
            set_rows_apart(points, weights, here, next_points, next_weights)
            points, weights, tracked, is_new_chain = next_points, next_weights, False, True
        if n_peeled == 0:
            # Many rows have left, or all: moments are soon brought up to date, but groups would be full of holes.
            tracked = False
            for c in range(n_used):
                bins.grouped[c] = False
        if is_new_chain or (exact and n_peeled < chain):
            for c in range(n_used):
                column_of[bins.key[c]] = -1
            n_used, is_new_chain = 0, False
        small = n_here < SMALL
        keep = n_peeled >= chain and not small
        if keep and not tracked:
            for i in range(first, end):
                where[members[i]] = i
            tracked = True
        gathered, n_few = False, 0
        draw_projections(n_features, n_candidates, state, column, feature, sign)
        best_score, best_at, best_first, best_end = np.inf, np.nan, 0, 0
        best_column, best_low, best_high, best_bin = FIRST - 1, np.nan, np.nan, FIRST
        for candidate in range(list_candidates(column, feature, sign, candidate_first, candidate_end)):
            begin, stop = candidate_first[candidate], candidate_end[candidate]
            features, signs = feature[begin:stop], sign[begin:stop]
            key, c = FIRST - 1, FIRST - 1
            if not small and (keep or not exact):
                key = projection_key(features, signs, n_features)
                c = column_of[key] if key >= 0 else -1
            # Counted anew: a column whose bins are coarse for the rows that are left, or with many to take off.
            known = c >= 0 and 2 * n_here >= bins.n_rows[c]
            known = known and (keep or FORGET * (bins.known_end[c] - end) <= n_here)
            if not known:
                if stop - begin > 1 and not exact and criterion == FAST_BIC and n_here >= 2 * SAMPLE:
                    if n_few == 0:
                        n_few, few_weight = sample(here, weights, few, few_loads)
                    project(points, few[:n_few], features, signs, trial)
                    count_bins(bins, n_kept_columns, trial[:n_few], few_loads, end)
                    if score_a_row(bins, n_kept_columns, few_weight, n_log_n) > best_score / m + MARGIN:
                        continue
                if not gathered:
                    for i in range(n_here):
                        member_loads[i] = weights[here[i]]
                    gathered = True
                project(points, here, features, signs, trial)
            low, high, b, at = np.nan, np.nan, 0, np.nan
            by_sorting = exact and (small or key < 0 or n_kept_columns == 0)
            if by_sorting or small:
                c = -1
                values, loads = work[6, :n_here], carried[:n_here]
                for i in range(n_here):
                    values[i], loads[i] = trial[i], member_loads[i]
                if by_sorting:
                    at, score = sorted_cut(values, loads, criterion, n_log_n, work, code)
                else:
                    at, score = small_cut(values, loads, m, criterion, n_log_n, work, code)
            else:
                if known:
                    forget_departed(bins, c, members, end, weights, points, features, signs, trial)
                else:
                    if key < 0 or (c < 0 and n_used == n_kept_columns):
                        c = n_kept_columns
                    elif c < 0:
                        c = n_used
                        bins.key[c], column_of[key] = key, c
                        n_used += 1
                    count_bins(bins, c, trial[:n_here], member_loads, end)
                score, low, high, b = binned_cut(
                    bins,
                    c,
                    m,
                    trial,
                    not known,
                    keep and c < n_grouped,
                    points,
                    features,
                    signs,
                    here,
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
            if score < best_score:
                best_score, best_at, best_first, best_end = score, at, begin, stop
                best_column, best_low, best_high, best_bin = c, low, high, b
                if c < 0 or not bins.grouped[c]:
                    trial, best_values = best_values, trial
        if best_score == np.inf:
            chain_over = True
            continue
        if best_column < 0 or not bins.grouped[best_column]:
            if best_column >= 0:
                best_at = cut_after(best_values[:n_here], best_low, best_high)
            if not gathered:
                for i in range(n_here):
                    member_loads[i] = weights[here[i]]
            light, below = lighter_side(best_values[:n_here], best_at, m, member_loads)
            if tracked:
                n_leaving = list_side(here, best_values, best_at, below, leaving)
            else:
                n_leaving = set_apart(here, best_values, best_at, below, leaving)
        else:
            best_at = cut_above(bins, best_column, best_bin, best_low, best_high, where, end)
            n_leaving, light, below = lighter_bins(
                bins, best_column, best_bin, best_at, where, end, m, weights, leaving
            )
        if tracked:
            split_off(members, where, first, end, leaving, n_leaving)
        if n_kept + n_candidates > kept_feature.size:
            old_feature, old_sign = kept_feature, kept_sign
            kept_feature, kept_sign = np.empty(2 * old_sign.size, np.int32), np.empty(2 * old_sign.size, np.int8)
            for t in range(n_kept):
                kept_feature[t], kept_sign[t] = old_feature[t], old_sign[t]
        split_node[n_splits], split_place[n_splits] = node, n_kept
        for t in range(best_first, best_end):
            kept_feature[n_kept], kept_sign[n_kept] = feature[t], sign[t]
            n_kept += 1
        n_splits += 1
        split_place[n_splits] = n_kept
        proj_size[node] = best_end - best_first
        cut[node], left[node], right[node] = best_at, n_nodes, n_nodes + 1
        sees = FIRST
        for t in range(best_first, best_end):
            sees |= views[feature[t]]
        seed_of[height] = next_random(state)  # a node's depends on no other branch: some are left out
        stack[height, 0] = n_nodes if below else n_nodes + 1
        stack[height, 1], stack[height, 2], stack[height, 3], stack[height, 4] = end - n_leaving, end, light, level
        stack[height, 5] = reached(below, best_at, sees, come)
        come, height = reached(not below, best_at, sees, come), height + 1
        n_peeled = n_peeled + 1 if PEEL * n_leaving < n_here else 0
        node, end, m = n_nodes + 1 if below else n_nodes, end - n_leaving, m - light
        n_nodes += 2

    proj_start = np.zeros(n_nodes + 1, np.int32)
    for i in range(n_nodes):
        proj_start[i + 1] = proj_start[i] + proj_size[i]
    proj_feature, proj_sign = np.empty(n_kept, np.int32), np.empty(n_kept, np.int8)
    for s in range(n_splits):
        place, to = split_place[s], proj_start[split_node[s]]
        for t in range(split_place[s + 1] - place):
            proj_feature[to + t], proj_sign[to + t] = kept_feature[place + t], kept_sign[place + t]
    return cut[:n_nodes].copy(), left[:n_nodes].copy(), right[:n_nodes].copy(), proj_start, proj_feature, proj_sign
