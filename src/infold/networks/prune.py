"""Edges that others explain: by the data-processing inequality, or by tests given a common neighbour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from infold.data.checks import check_choice
from infold.parallel.scheduler import in_order

from .inputs import Columns
from .make import make_laws, make_work
from .result import Network, neighbors_of, triangles

WAYS = ("conditional", "dpi")


def pruned(network: Network, how: str, fdr: float, tolerance: float, n_jobs: int | None, verbose: int) -> Network:
    """Return the network without edges that others explain."""
    check_choice("how", how, WAYS)
    if network.other_names is not None:
        raise ValueError("prune needs triangles, but pairs of two tables have none; join the tables into one.")
    if not 0 <= tolerance <= 1:
        raise ValueError(f"tolerance={tolerance!r} must be from 0 to 1; 0 removes most edges, 1 none.")
    i, j, _ = network.edge_indices(fdr)
    mi, pvalues = np.array(network.mi_matrix), np.array(network.pvalue_matrix)
    if how == "dpi":
        gone = np.array([e for e, third in triangles(i, j, len(mi)) if _is_weakest(mi, i[e], j[e], third, tolerance)])
        changed, new = gone.astype(np.int64), np.ones(gone.size)
        mi[i[changed], j[changed]] = mi[j[changed], i[changed]] = 0.0
    else:
        changed = np.arange(i.size)
        new = _conditional(network, i, j, pvalues, n_jobs, verbose)
    pvalues[i[changed], j[changed]] = pvalues[j[changed], i[changed]] = new
    return replace(network, mi_matrix=mi, pvalue_matrix=pvalues, pruned=how)


def _is_weakest(mi: np.ndarray, a: int, b: int, third: list[int], tolerance: float) -> bool:
    """Return whether an edge is weaker than both others of a triangle, in the matrix as it was."""
    return bool((mi[a, b] < (1 - tolerance) * np.minimum(mi[a, third], mi[b, third])).any())


def _conditional(
    network: Network, i: np.ndarray, j: np.ndarray, pvalues: np.ndarray, n_jobs: int | None, verbose: int
) -> np.ndarray:
    """Return the largest p-value of each edge, given none or one of the nodes with smaller p-values to both its ends.

    By the data-processing inequality, an indirect dependence is weaker than either of its steps. One job is one node
    c: the network of its neighbours, given c.
    """
    columns = network.columns
    if np.isnan(columns.values).any():
        raise ValueError(
            "prune(how='conditional') needs rows without missing values, but there are some; make the network with "
            "missing='drop', or pass how='dpi'."
        )
    if any(stop - first > 1 for first, stop in columns.nodes):
        raise ValueError("prune(how='conditional') is for nodes of one column, but some have several; pass how='dpi'.")
    k, seed = network.settings["n_neighbors"], network.settings["random_state"]
    near = neighbors_of(i, j, len(pvalues))
    parts = [(c, np.array(sorted(own))) for c, own in enumerate(near) if len(own) > 1]
    laws = make_laws(columns, k, n_jobs, verbose, is_given=True) if parts else {}
    jobs = [(columns, c, own, laws, k, seed) for c, own in parts]
    answers = in_order(_given_node, jobs, n_jobs=n_jobs, label="neighbours of nodes", verbose=verbose)
    largest = pvalues.copy()
    for (c, own), found in zip(parts, answers, strict=True):
        where, steps = np.ix_(own, own), pvalues[c, own]
        may_explain = np.maximum(steps[:, None], steps) <= pvalues[where]
        found = np.where(may_explain, np.fmax(found, found.T), np.nan)
        largest[where] = np.fmax(largest[where], found)
    return largest[i, j]


def given_column(columns: Columns, c: int, own: np.ndarray) -> Columns:
    """Return some columns, given another one and the confounders that there are."""
    given = columns.values[[c]].T if columns.given is None else np.column_stack([columns.values[c], columns.given])
    return columns._replace(
        values=columns.values[own],
        kinds=tuple(columns.kinds[one] for one in own),
        nodes=tuple((one, one + 1) for one in range(own.size)),
        names=tuple(columns.names[one] for one in own),
        n_rows=own.size,
        given=given,
        given_kinds=(columns.kinds[c], *columns.given_kinds),
    )


def _given_node(columns: Columns, c: int, own: np.ndarray, laws: Any, k: int, seed: int) -> np.ndarray:
    """Return the p-values of all pairs of some columns, given one; NaN on and below the diagonal."""
    from infold.core.pairs.tile import tile_values, tiles
    from infold.core.pairs.work import LOG_P

    work = make_work(given_column(columns, c, own), "ksg", k, seed, laws)
    out, whole = np.full((own.size, own.size), np.nan), (0, own.size)
    for tile in tiles(whole, whole):
        out[tile.top : tile.bottom, tile.left : tile.right] = np.exp(tile_values(work, tile)[LOG_P])
    return out
