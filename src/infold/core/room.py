"""Arrays in which a tree grows, made once for many trees; and the points of small nodes, put side by side.

A node deep in a large tree has rows from all over the table of points, and every look at one of them would wait for
memory. So a node with far fewer rows than the table gets a table of its own, for itself and all nodes below it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import inlined
from .projection import n_keys
from .scan import N_WORK

SAMPLE = 64  # rows on which a sum of features is tried first, in nodes of twice as many
CACHE = 300_000  # bytes of points that a processor has at hand
SHRINK = 4  # a larger table is left once a node has so many times fewer rows: its own are then put side by side
MOST_LEVELS = 20  # of tables within tables: enough for SHRINK**20 rows


class Room(NamedTuple):
    """Arrays that growing a tree needs, made once for many trees."""

    weights: np.ndarray  # (n,) how often each row was drawn: copies of a row travel together
    members: np.ndarray  # the rows that were drawn; a node is a range of them
    where: np.ndarray  # (n,) the place of each member, as long as columns are grouped
    loads: np.ndarray  # weights of a node's members
    leaving: np.ndarray  # members on the lighter side of a cut
    few: np.ndarray  # a node's sample, and its weights
    few_loads: np.ndarray
    trial: np.ndarray  # a projected column, and the best so far
    best: np.ndarray
    work: np.ndarray  # scratch of kernels
    carried: np.ndarray
    code: np.ndarray
    stack: np.ndarray  # (node, first member, end, weight, level, views) of nodes that wait
    seed_of: np.ndarray  # what their random numbers begin with
    column_of: np.ndarray  # where the projection of each key is kept
    column: np.ndarray  # the directions of a node: non-zeros of a sparse matrix
    feature: np.ndarray
    sign: np.ndarray
    candidate: np.ndarray  # (2, candidates) the first of each distinct direction, and the end
    table: np.ndarray  # points of nodes far smaller than the whole table, side by side, one node within another
    table_weights: np.ndarray


def new_room(n: int, size: int, n_features: int, n_candidates: int) -> Room:
    """Return room for trees on `size` rows out of n."""
    most = min(n, size)
    largest = min(n // SHRINK, most) if 8 * n_features * n > CACHE else 0
    n_apart = largest * SHRINK // (SHRINK - 1)  # those within it have fewer and fewer
    return Room(
        weights=np.empty(n, np.uint32),
        members=np.empty(most + 1, np.uint32),
        where=np.empty(n, np.uint32),
        loads=np.empty(most, np.uint32),
        leaving=np.empty(most, np.uint32),
        few=np.empty(2 * SAMPLE, np.uint32),
        few_loads=np.empty(2 * SAMPLE, np.uint32),
        trial=np.empty(most),
        best=np.empty(most),
        work=np.empty((N_WORK, size)),
        carried=np.empty(most, np.uint32),
        code=np.empty(3 * most + 1, np.uint32),
        stack=np.empty((most + 1, 6), np.int32),
        seed_of=np.empty(most + 1, np.uint64),
        column_of=np.empty(n_keys(n_features), np.int32),
        column=np.empty(n_candidates, np.int32),
        feature=np.empty(n_candidates, np.int32),
        sign=np.empty(n_candidates, np.int8),
        candidate=np.empty((2, n_candidates), np.int32),
        table=np.empty(n_features * n_apart),
        table_weights=np.empty(n_apart, np.uint32),
    )


@inlined
def rows_apart(room, n_features, first, end):
    """Return the table and the weights of the rows first to end that are set apart."""
    table = room.table[n_features * first : n_features * end].reshape((n_features, end - first))
    return table, room.table_weights[first:end]


@inlined
def set_rows_apart(points, weights, members, table, table_weights):
    """Copy the `members` to a table of their own; then number them as they stand there."""
    for f in range(points.shape[0]):
        values, to = points[f], table[f]
        for i in range(members.size):
            to[i] = values[members[i]]
    for i in range(members.size):
        table_weights[i] = weights[members[i]]
        members[i] = i
