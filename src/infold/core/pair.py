"""Trees of two columns: as `tree.grow_tree` grows them, but from lists that are sorted once for all trees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .intervals import route_column
from .jit import FIRST, inlined, kernel, next_random, part, random_below
from .lists import (
    BELOW,
    Lists,
    begin_lists,
    depart,
    divide,
    fill_lists,
    listed_cut,
    new_lists,
    weight_below,
)
from .projection import draw_projections
from .split import between

N_COLUMNS = FIRST + 2


class PairRoom(NamedTuple):
    """Arrays that growing a tree of two columns needs, made once for many trees."""

    cut: np.ndarray  # nodes, as in `tree.Tree`, but for their projections
    left: np.ndarray
    right: np.ndarray
    list_of: np.ndarray  # which list a node cuts
    proj_start: np.ndarray
    proj_feature: np.ndarray
    proj_sign: np.ndarray
    stack: np.ndarray  # (node, first entry, end, weight) of nodes that wait
    seed_of: np.ndarray  # what their random numbers begin with
    reach: np.ndarray  # (node, 4) the ranges of theirs (see `narrow`), and last those of the node at hand
    column: np.ndarray  # the directions of a node: non-zeros of a sparse matrix
    feature: np.ndarray
    sign: np.ndarray
    state: np.ndarray  # of random numbers


def new_pair_room(n: int, size: int) -> tuple[PairRoom, Lists]:
    """Return room for trees on `size` rows out of n."""
    most = min(n, size)
    room = PairRoom(
        cut=np.empty(2 * most),
        left=np.empty(2 * most, np.int32),
        right=np.empty(2 * most, np.int32),
        list_of=np.empty(2 * most, np.int8),
        proj_start=np.empty(2 * most + 1, np.int32),
        proj_feature=np.empty(2 * most, np.int32),
        proj_sign=np.empty(2 * most, np.int8),
        stack=np.empty((most + 1, 4), np.int64),
        seed_of=np.empty(most + 1, np.uint64),
        reach=np.empty((most + 2, 4)),
        column=np.empty(2, np.int32),
        feature=np.empty(2, np.int32),
        sign=np.empty(2, np.int8),
        state=np.empty(1, np.uint64),
    )
    return room, new_lists(n, most)


@kernel
def grow_pair_trees(
    points, sorted_values, sorted_rows, seeds, n_bootstrap, smallest, criterion, n_log_n, exact, room, lists, leaves
):
    """Grow one tree for each seed; fill leaves (2, T, n), if there are any, with where it sends each row by x and by y.

    Return the arrays of the last Tree.
    """
    n, n_nodes = points.shape[1], 0
    for t in range(seeds.size):
        room.state[0] = seeds[t]
        lists.weights[:] = 0
        for _ in range(n_bootstrap):
            lists.weights[random_below(room.state, n)] += 1
        size = fill_lists(lists, sorted_values, sorted_rows)
        reach = room.reach[0]
        for side in range(2):
            reach[2 * side], reach[2 * side + 1] = sorted_values[side, 0], sorted_values[side, n - 1]
        whole = leaves.shape[1] == 0
        n_nodes = grow_pair_tree(points, size, n_bootstrap, smallest, criterion, n_log_n, exact, whole, room, lists)
        n_features = list_projections(room, n_nodes)
        if leaves.shape[1] > 0:
            for side in range(2):
                route_column(
                    room.cut[:n_nodes],
                    room.left[:n_nodes],
                    room.right[:n_nodes],
                    room.proj_start[: n_nodes + 1],
                    room.proj_feature[:n_features],
                    room.proj_sign[:n_features],
                    side,
                    sorted_values[side],
                    sorted_rows[side],
                    leaves[side, t],
                )
    return (
        room.cut[:n_nodes].copy(),
        room.left[:n_nodes].copy(),
        room.right[:n_nodes].copy(),
        room.proj_start[: n_nodes + 1].copy(),
        room.proj_feature[: room.proj_start[n_nodes]].copy(),
        room.proj_sign[: room.proj_start[n_nodes]].copy(),
    )


@part
def narrow(reach, a, cut, below):
    """Narrow ranges low <= x <= high with y = 0, and the same for y with x = 0, to what comes to one side of a cut.

    `reach` has these four numbers; `a` is the list that is cut. Return whether anything comes there.
    """
    for side in range(2):
        low, high = 2 * side, 2 * side + 1
        if a == 1 - side:  # all of them are 0 along this list
            if below != (cut > 0.0):
                reach[low] = np.inf
        elif a == 2 and side == 1:  # −y is cut
            if below:
                reach[low] = max(reach[low], -cut)
            else:
                reach[high] = min(reach[high], -cut)
        elif below:
            reach[high] = min(reach[high], cut)
        else:
            reach[low] = max(reach[low], cut)
    return reach[0] <= reach[1] or reach[2] <= reach[3]


@part
def copy_reach(reach, to):
    """Copy four numbers; for `to[:] = reach` numba would compile how to write an error's text, for three seconds."""
    to[0], to[1], to[2], to[3] = reach[0], reach[1], reach[2], reach[3]


@inlined
def grow_pair_tree(points, size, m, smallest, criterion, n_log_n, exact, whole, room, lists):
    """Grow a tree on the lists' rows, `size` of them of weight m; return the number of nodes.

    A node's heavier child is split next, and its lighter one waits, unless it is a leaf. Unless the tree is to be
    `whole`, a node to which no row comes with x = 0 or y = 0 is not split.
    """
    x, y, stack, here = points[0], points[1], room.stack, room.reach[room.reach.shape[0] - 1]
    lists.place[:] = BELOW
    n_nodes, height = 1, 1
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, size, m
    room.left[0] = room.right[0] = -1
    room.seed_of[0] = room.state[0]
    while height > 0:
        height -= 1
        node, first, end, m = stack[height, 0], stack[height, 1], stack[height, 2], stack[height, 3]
        room.state[0] = room.seed_of[height]
        copy_reach(room.reach[height], here)
        begin_lists(lists, first, end)
        n_here, n_departed = end - first, FIRST
        while m >= smallest:
            draw_projections(N_COLUMNS, N_COLUMNS, room.state, room.column, room.feature, room.sign)
            both = room.column[0] == room.column[1]
            best_score, best_low, best_high, best_list = np.inf, np.nan, np.nan, FIRST
            for i in range(1 if both or room.feature[0] == room.feature[1] else 2):
                a = FIRST + room.feature[i]
                if both:
                    a = 3 if room.sign[0] == room.sign[1] else 2
                score, low, high = listed_cut(
                    lists, a, x, y, n_departed, n_here, m, criterion, n_log_n, exact, best_score
                )
                if score < best_score:
                    best_score, best_low, best_high, best_list = score, low, high, a
            if best_score == np.inf:
                break
            cut = between(best_low, best_high)
            light = weight_below(lists, best_list, cut)
            below = 2 * light <= m  # is the lighter side below?
            light = light if below else m - light
            room.cut[node], room.list_of[node] = cut, best_list
            room.left[node], room.right[node] = n_nodes, n_nodes + 1
            for child in (n_nodes, n_nodes + 1):
                room.left[child], room.right[child] = -1, -1
            lighter, node = (n_nodes, n_nodes + 1) if below else (n_nodes + 1, n_nodes)
            n_nodes += 2
            room.seed_of[height] = next_random(room.state)  # a node's depends on no other branch: some are left out
            if light < smallest:
                n_here += n_departed
                n_departed = depart(lists, best_list, cut, below, n_departed)
                n_here -= n_departed
            else:
                middle, end = first + divide(lists, best_list, cut, n_departed), first + n_here
                stack[height, 0], stack[height, 3] = lighter, light
                stack[height, 1], stack[height, 2] = (first, middle) if below else (middle, end)
                copy_reach(here, room.reach[height])
                height += whole or narrow(room.reach[height], best_list, cut, below)
                first, end = (middle, end) if below else (first, middle)
                begin_lists(lists, first, end)
                n_here, n_departed = end - first, FIRST
            m = m - light if whole or narrow(here, best_list, cut, not below) else 0
    return n_nodes


@inlined
def list_projections(room, n_nodes):
    """Fill in the projections of all nodes, and nan for the cuts of leaves; return how many features they have."""
    n = 0
    for node in range(n_nodes):
        room.proj_start[node] = n
        if room.left[node] < 0:
            room.cut[node] = np.nan
            continue
        a = room.list_of[node]
        room.proj_feature[n], room.proj_sign[n] = 0 if a != 1 else 1, 1
        n += 1
        if a > 1:
            room.proj_feature[n], room.proj_sign[n] = 1, 1 if a == 3 else -1
            n += 1
    room.proj_start[n_nodes] = n
    return n
