"""One geodesic tree as flat arrays, and how to grow it (Sec. 5.2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..random import next_random, random_below
from .columns import (
    DENSITY,
    FEWEST_BINS,
    MOST_BINS,
    RENEW,
    SHRUNK,
    SPARE,
    Cut,
    Node,
    Slots,
    best_cut,
    bin_column,
    count_bins,
    edge_score,
    new_slots,
    value_after,
)
from .criterion import FAST_BIC, between
from .projection import draw_projections, project

# Sums of features are tried on a sample of rows first, and given up if they lose by MARGIN nats per row: three
# standard errors, √(2 / SAMPLE). A sum of two unit columns loses by log 2, so the margin must stay below.
SAMPLE, SAMPLE_BINS, MARGIN = 64, 12, 0.53
FEW_FEATURES = 4  # below which sums of two are few enough to be kept along a chain
MOST_SLOTS, SLOT_BYTES = 64, 48e6  # kept columns, and memory for them

STACK_ENTRY = np.dtype(
    [
        ("node", np.int64),
        ("first", np.int64),  # its rows are members[first:end]
        ("end", np.int64),
        ("m", np.float64),  # their weight
        ("reach", np.int64),  # bits of the blocks that send rows here
        ("seed", np.uint64),
    ]
)


class Tree(NamedTuple):
    """Nodes of a tree; node 0 is the root, and a leaf has left = right = −1.

    A row goes left if the sum of sign × value over the features proj_start[node] : proj_stop[node] of the projection is
    below `cut`.
    """

    cut: np.ndarray
    left: np.ndarray
    right: np.ndarray
    proj_start: np.ndarray
    proj_stop: np.ndarray
    proj_feature: np.ndarray
    proj_sign: np.ndarray


class Workspace(NamedTuple):
    """Buffers of a thread that grows trees."""

    members: np.ndarray  # rows, those of a node next to each other
    where: np.ndarray  # its inverse
    leaving: np.ndarray  # rows that a cut takes off
    stack: np.ndarray  # of STACK_ENTRY: nodes that wait
    column: np.ndarray  # the drawn projections, as `draw_projections` fills them
    feature: np.ndarray
    sign: np.ndarray


def new_workspace(n_features: int, n_rows: int) -> tuple[Workspace, Slots]:
    """Return buffers for trees on up to `n_rows` distinct rows."""
    n_candidates = math.ceil(math.sqrt(n_features))
    n_keys = n_features + (2 * n_features**2 if n_features < FEW_FEATURES else 0)
    n_slots = int(max(1, min(MOST_SLOTS, n_keys, SLOT_BYTES / (12 * n_rows))))
    work = Workspace(
        members=np.empty(n_rows, np.uint32),
        where=np.empty(n_rows, np.uint32),
        leaving=np.empty(max(n_rows, SAMPLE), np.uint32),
        stack=np.empty(n_rows + 1, STACK_ENTRY),
        column=np.empty(n_candidates, np.int64),
        feature=np.empty(n_candidates, np.int64),
        sign=np.empty(n_candidates, np.int8),
    )
    return work, new_slots(n_slots, max(n_rows, SAMPLE))


def new_tree(n_features: int, n_rows: int) -> Tree:
    """Return arrays that hold any tree on `n_rows` distinct rows."""
    most, n_terms = 2 * n_rows + 1, n_rows * math.ceil(math.sqrt(n_features))
    return Tree(
        cut=np.empty(most),
        left=np.empty(most, np.int32),
        right=np.empty(most, np.int32),
        proj_start=np.zeros(most, np.int64),
        proj_stop=np.zeros(most, np.int64),
        proj_feature=np.empty(n_terms, np.int32),
        proj_sign=np.empty(n_terms, np.int8),
    )


@kernel
def bootstrap_weights(n, size, state):
    """Return how often each of n rows is drawn, `size` times with replacement."""
    weights = np.zeros(n)
    for _ in range(size):
        weights[random_below(state, n)] += 1.0
    return weights


@kernel
def projection_key(feature, sign, n_features):
    """Return a number for the projection, or −1 if it is not kept along a chain."""
    if feature.size == 1:
        return feature[0]
    if feature.size == 2 and n_features < FEW_FEATURES:
        return n_features + 2 * (feature[0] * n_features + feature[1]) + (1 if sign[0] == sign[1] else 0)
    return np.int64(-1)


@kernel
def may_win(points, weights, node, feature, sign, work, slots, search, best_score):
    """Return whether a sum of features may have a cut as good as `best_score`, by a sample of the rows."""
    n_here = node.end - node.first
    if search.exact or search.criterion != FAST_BIC or best_score == np.inf or n_here <= SAMPLE:
        return True
    weight, sample, values = 0.0, work.leaving[:SAMPLE], slots.projected[:SAMPLE]
    for i in range(SAMPLE):
        sample[i] = node.members[node.first + i * n_here // SAMPLE]
        weight += weights[sample[i]]
    project(points, sample, feature, sign, values)
    if not bin_column(slots, slots.info.size - 1, sample, weights, np.int64(SAMPLE_BINS)):
        return False
    here = slots.info[slots.info.size - 1]
    moments = slots.moments[slots.info.size - 1, :SAMPLE_BINS]
    score = edge_score(search.criterion, moments, weight, here.scale, slots.edges, search.n_log_n)
    return score / weight <= best_score / node.m + MARGIN


@kernel
def refresh_column(points, weights, node, feature, sign, slots, slot, key, exact):
    """Bring a slot up to date with the node's rows; return (whether its column varies, whether it was binned anew)."""
    here, rows = slots.info[slot], node.members[node.first : node.end]
    known = key >= 0 and here.key == key and here.n_rows <= RENEW * rows.size
    if known and here.n_bins <= max(SHRUNK * here.n_occupied, FEWEST_BINS):
        gone = node.members[node.end : here.known_end]
        project(points, gone, feature, sign, slots.projected)
        moments = slots.moments[slot, : here.n_bins]
        count_bins(slots.projected[: gone.size], gone, weights, -1.0, here.low, here.scale, moments)
        here.known_end = node.end
        return True, False
    n_bins = 1 if exact else min(max(int(DENSITY * math.sqrt(rows.size)), FEWEST_BINS), MOST_BINS)
    project(points, rows, feature, sign, slots.projected)
    varies = bin_column(slots, slot, rows, weights, n_bins)
    here.key, here.known_end = key if varies else -1, node.end
    return varies, True


@kernel
def best_split(points, weights, node, work, slots, search):
    """Return (Cut, slot, first term, end of terms) of the best cut of the drawn projections."""
    n_kept = slots.info.size - SPARE
    best, best_slot, best_first, best_end = Cut(np.inf, np.nan, np.nan, 0, 0.0), -1, 0, 0
    for sums in range(2):  # single features first: most sums can then be given up early
        first = 0
        while first < work.column.size:
            end = first + 1
            while end < work.column.size and work.column[end] == work.column[first]:
                end += 1
            feature, sign = work.feature[first:end], work.sign[first:end]
            here, first = first, end
            if (feature.size > 1) != (sums == 1):
                continue
            key = projection_key(feature, sign, points.shape[0])
            slot = key % n_kept if key >= 0 else n_kept
            if slot == best_slot:
                if key >= 0 and slots.info[slot].key == key:
                    continue  # drawn twice
                slot, key = n_kept + (best_slot == n_kept), -1  # the best column so far must not be overwritten
            if sums == 1 and not may_win(points, weights, node, feature, sign, work, slots, search, best.score):
                continue
            varies, fresh = refresh_column(points, weights, node, feature, sign, slots, slot, key, search.exact)
            if not varies:
                continue
            cut = best_cut(points, weights, node, feature, sign, slots, slot, search, fresh, best.score)
            if cut.score < best.score:
                best, best_slot, best_first, best_end = cut, slot, here, end
    return best, best_slot, best_first, best_end


@kernel
def take_side(node, slots, slot, cut_bin, cut, below, leaving):
    """Move the node's rows on one side of a cut to the end of its members; return how many there are."""
    starts, values, rows = slots.starts[slot], slots.values[slot], slots.rows[slot]
    begin, stop = starts[0], starts[cut_bin + 1]
    if not below:
        begin, stop = starts[cut_bin], starts[slots.info[slot].n_bins]
    n = 0
    for i in range(begin, stop):
        if node.where[rows[i]] < node.end and (values[i] < cut) == below:
            leaving[n] = rows[i]
            n += 1
    for i in range(n):
        hole, last = node.where[leaving[i]], node.members[node.end - 1 - i]
        node.members[hole], node.members[node.end - 1 - i] = last, leaving[i]
        node.where[last], node.where[leaving[i]] = hole, node.end - 1 - i
    return n


@kernel
def record_split(tree, node, child, n_terms, cut, feature, sign):
    """Make an inner node with the children `child` and child + 1; return the number of terms so far."""
    tree.cut[node], tree.left[node], tree.right[node] = cut, child, child + 1
    for leaf in range(child, child + 2):
        tree.left[leaf] = tree.right[leaf] = -1
        tree.proj_start[leaf] = tree.proj_stop[leaf] = 0
        tree.cut[leaf] = np.nan
    tree.proj_start[node], tree.proj_stop[node] = n_terms, n_terms + feature.size
    for t in range(feature.size):
        tree.proj_feature[n_terms + t], tree.proj_sign[n_terms + t] = feature[t], sign[t]
    return n_terms + feature.size


@kernel
def begin_tree(weights, block_bits, seed, work, tree):
    """Make a root of all rows that were drawn, on top of an empty stack."""
    n, m, reach = 0, 0.0, 0
    for i in range(weights.size):
        if weights[i] > 0.0:
            work.members[n], work.where[i] = i, n
            n += 1
            m += weights[i]
    for f in range(block_bits.size):
        reach |= block_bits[f]
    root = work.stack[0]
    root.node, root.first, root.end, root.m, root.reach, root.seed = 0, 0, n, m, reach, seed
    tree.left[0] = tree.right[0] = -1
    tree.proj_start[0] = tree.proj_stop[0] = 0
    tree.cut[0] = np.nan


@kernel
def grow_tree(points, weights, block_bits, smallest, search, state, work, slots, tree):
    """Fill in a tree on the rows of points (d, n) that have weights; return the number of nodes and of terms.

    A node with less weight than `smallest` is a leaf. Column f belongs to the block with the bit block_bits[f]; rows
    are later sent through the tree with all columns but those of one block counting as 0, and where no such row can
    come, nothing is split. The heavier child of a node is split next, and the lighter one waits: along this chain,
    slots keep their columns. A node's random numbers depend only on its ancestors, as some branches are left out.

    Nine arguments: the rows, the rules, and where to work.
    """
    begin_tree(weights, block_bits, state[0], work, tree)
    n_nodes, n_terms, height = (
        np.int64(1),
        np.int64(0),
        1,
    )  # a written number is a type of its own, and compiled for anew
    while height > 0:
        height -= 1
        waiting = work.stack[height]
        number, first, end, m, reach = waiting.node, waiting.first, waiting.end, waiting.m, waiting.reach
        state[0] = waiting.seed
        for slot in range(slots.info.size):
            slots.info[slot].key = -1
        while m >= smallest and reach != 0:
            node = Node(work.members, work.where, first, end, m)
            draw_projections(points.shape[0], state, work.column, work.feature, work.sign)
            best, slot, at, stop = best_split(points, weights, node, work, slots, search)
            if best.score == np.inf:
                break
            high = best.high if best.high < np.inf else value_after(slots, slot, best.bin, work.where, end)
            cut, below = between(best.low, high), 2.0 * best.below <= m
            n_leaving = take_side(node, slots, slot, best.bin, cut, below, work.leaving)
            feature, sign = work.feature[at:stop], work.sign[at:stop]
            n_terms = record_split(tree, number, n_nodes, n_terms, cut, feature, sign)
            seen = 0  # blocks whose rows this cut can tell apart; those of others all go where 0 goes
            for t in range(feature.size):
                seen |= block_bits[feature[t]]
            light, zero_below = best.below if below else m - best.below, cut > 0.0
            lighter = work.stack[height]
            lighter.node, lighter.first, lighter.end = n_nodes + (0 if below else 1), end - n_leaving, end
            lighter.m, lighter.reach = light, reach if below == zero_below else reach & seen
            lighter.seed = next_random(state)
            height += 1
            number, end, m = n_nodes + (1 if below else 0), end - n_leaving, m - light
            reach = reach & seen if below == zero_below else reach
            n_nodes += 2
    return n_nodes, n_terms
