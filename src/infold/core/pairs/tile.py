"""MI and p-values of all pairs from two ranges of nodes: one tile of the matrix, and one job of the scheduler."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .given import LocalNull
from .groups import group_pair
from .mixed import basis_of, mixed_pair
from .ranked import fill_ranked
from .work import LOG_P, RANKED, Column, Work

SIDE = 128  # nodes per side
LAYERS = np.arange(2)


class Tile(NamedTuple):
    """The pairs of nodes top … bottom − 1 and left … right − 1; if a pair occurs twice, the upper one counts."""

    top: int
    bottom: int
    left: int
    right: int


def tiles(rows: tuple[int, int], columns: tuple[int, int]) -> list[Tile]:
    """Return the tiles of nodes rows[0] … rows[1] − 1 and columns[0] … columns[1] − 1, above the diagonal."""
    side = max(1, min(SIDE, -(-max(rows[1] - rows[0], columns[1] - columns[0]) // 4)))
    starts = [range(first, stop, side) for first, stop in (rows, columns)]
    return [
        Tile(i, min(i + side, rows[1]), j, min(j + side, columns[1]))
        for i in starts[0]
        for j in starts[1]
        if i < min(j + side, columns[1]) - 1
    ]


def tile_values(work: Work, tile: Tile) -> np.ndarray:
    """Return MI and log p, (2, rows, columns); NaN on and below the diagonal, and log p = 0 where rows are too few."""
    rows, columns = np.arange(tile.top, tile.bottom), np.arange(tile.left, tile.right)
    out = np.full((2, rows.size, columns.size), np.nan)
    wanted = rows[:, None] < columns
    local = None if work.neighbors is None else LocalNull(work)
    single = np.array([node.is_single for node in work.nodes])
    for a, have_a in _by_holes(work, rows[single[rows]]):
        for b, have_b in _by_holes(work, columns[single[columns]]):
            where = np.ix_(LAYERS, a - tile.top, b - tile.left)
            part = out[where]
            _fill(work, a, b, have_a & have_b, a[:, None] < b, part, local)
            out[where] = part
    for i, j in np.argwhere(wanted & ~(single[rows][:, None] & single[columns])):
        out[:, i, j] = group_pair(work, rows[i], columns[j])
    return out


def _by_holes(work: Work, nodes: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return sets of single-column nodes that lack the same rows, each with the mask of the rows that are present."""
    parts: dict[bytes, list[int]] = {}
    for node in nodes:
        parts.setdefault(np.isnan(work.values[work.nodes[node].first]).tobytes(), []).append(node)
    return [(np.array(some), ~np.frombuffer(holes, bool)) for holes, some in parts.items()]


def _fill(
    work: Work,
    a: np.ndarray,
    b: np.ndarray,
    there: np.ndarray,
    wanted: np.ndarray,
    out: np.ndarray,
    local: LocalNull | None,
) -> None:
    """Fill out (2, a, b) for the wanted pairs of single-column nodes, on the rows `there`, present in all of them."""
    if np.count_nonzero(there) < work.fewest_rows:
        out[LOG_P][wanted] = 0.0
        return
    sides = [[_column(work, node, there) for node in nodes] for nodes in (a, b)]
    ranked = [np.array([kind == RANKED for kind, _ in side]) for side in sides]
    if ranked[0].any() and ranked[1].any():
        where = np.ix_(LAYERS, *map(np.flatnonzero, ranked))
        part, (x, y) = out[where], (np.array([v for kind, v in side if kind == RANKED]) for side in sides)
        fill_ranked(work, x, y, wanted[where[1][0], where[2][0]], part, local)
        out[where] = part
    others = np.argwhere(wanted & ~(ranked[0][:, None] & ranked[1]))
    bases = [{k: basis_of(sides[s][k]) for k in np.unique(others[:, s])} for s in range(2)]
    for i, j in others:
        out[:, i, j] = mixed_pair(work, sides[0][i], sides[1][j], bases[0][i], bases[1][j], local)


def _column(work: Work, node: int, there: np.ndarray) -> Column:
    number = work.nodes[node].first
    return int(work.kinds[number]), work.values[number, there]
