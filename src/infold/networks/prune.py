"""Edges that others explain: by the data-processing inequality, or by tests given a common neighbour."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from infold.data.checks import check_choice
from infold.data.kinds import CONTINUOUS, NOMINAL
from infold.parallel.scheduler import in_order

from .result import Network, triangles

WAYS = ("conditional", "dpi")
CLEAR = 0.05  # a p-value given one neighbour beyond which no other is asked


def pruned(network: Network, how: str, fdr: float, tolerance: float, n_jobs: int | None, verbose: int) -> Network:
    """Return the network without edges that others explain."""
    check_choice("how", how, WAYS)
    if network.other_names is not None:
        raise ValueError("prune needs triangles, but pairs of two tables have none; join the tables into one.")
    if not 0 <= tolerance <= 1:
        raise ValueError(f"tolerance={tolerance!r} must be from 0 to 1; 0 takes away most edges, 1 none.")
    i, j, _ = network.edge_indices(fdr)
    mi, pvalues = np.array(network.mi_matrix), np.array(network.pvalue_matrix)
    if how == "dpi":
        gone = np.array([e for e, third in triangles(i, j, len(mi)) if _is_weakest(mi, i[e], j[e], third, tolerance)])
        changed, new = gone.astype(np.int64), np.ones(gone.size)
        mi[i[changed], j[changed]] = mi[j[changed], i[changed]] = 0.0
    else:
        found = list(triangles(i, j, len(mi)))
        changed = np.array([e for e, _ in found], np.int64)
        new = _conditional(network, i, j, mi, pvalues, found, n_jobs, verbose)
    pvalues[i[changed], j[changed]] = pvalues[j[changed], i[changed]] = new
    return replace(network, mi_matrix=mi, pvalue_matrix=pvalues, pruned=how)


def _is_weakest(mi: np.ndarray, a: int, b: int, third: list[int], tolerance: float) -> bool:
    """Return whether an edge is weaker than both others of a triangle, in the matrix as it was."""
    return bool((mi[a, b] < (1 - tolerance) * np.minimum(mi[a, third], mi[b, third])).any())


def _conditional(
    network: Network,
    i: np.ndarray,
    j: np.ndarray,
    mi: np.ndarray,
    pvalues: np.ndarray,
    found: list[tuple[int, list[int]]],
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return the largest p-value of each edge given one of its common neighbours, or given none."""
    from infold.core.pairs.null import draws_for, pair_laws

    columns, settings = network.columns, network.settings
    n = columns.values.shape[1]
    if np.isnan(columns.values).any():
        raise ValueError(
            "prune(how='conditional') needs rows without missing values, but there are some; make the network with "
            "missing='drop', or pass how='dpi'."
        )
    if any(stop - first > 1 for first, stop in columns.nodes):
        raise ValueError("prune(how='conditional') is for nodes of one column, but some have several; pass how='dpi'.")
    laws = {n: pair_laws(n, settings["n_neighbors"], draws_for(network.n_pairs), n_jobs, verbose)}
    jobs = []
    for edge, third in found:
        a, b = int(i[edge]), int(j[edge])
        order = sorted(third, key=lambda c: -min(mi[a, c], mi[b, c]))  # what explains most first
        jobs.append((columns, laws, settings["n_neighbors"], settings["random_state"], a, b, order))
    answers = in_order(_given_each, jobs, n_jobs=n_jobs, label="triangles", verbose=verbose)
    return np.maximum(np.array(list(answers)), pvalues[i, j][[e for e, _ in found]]) if found else np.empty(0)


def _given_each(columns: Any, laws: Any, k: int, seed: int, a: int, b: int, third: list[int]) -> float:
    """Return the largest p-value of two columns given each of others, or the first that is clear."""
    largest = 0.0
    for c in third:
        largest = max(largest, _given(columns, laws, k, seed, a, b, c))
        if largest > CLEAR:
            break
    return largest


def _given(columns: Any, laws: Any, k: int, seed: int, a: int, b: int, c: int) -> float:
    """Return the p-value of two columns given a third, and given the confounders that there are."""
    from infold.core.copula.local_shuffle import unconfounded
    from infold.core.pairs.given import without_rows_in_place
    from infold.core.pairs.tile import Tile, tile_values
    from infold.core.pairs.work import LOG_P, RANKED, TIED, Node, Work, as_ranks
    from infold.core.pairs.work import NOMINAL as CLASSES

    kinds = [columns.kinds[c] for c in (a, b)]
    masks = [np.array([kind == NOMINAL]) for kind in (*kinds, columns.kinds[c])]
    x, y, z = (columns.values[one][:, None] for one in (a, b, c))
    if columns.given is not None:
        z = np.hstack([z, columns.given])
        masks[2] = np.concatenate([masks[2], [kind == NOMINAL for kind in columns.given_kinds]])
    left = unconfounded(x, y, z, (masks[0], masks[1], masks[2]), seed)
    codes = np.array([{CONTINUOUS: RANKED, NOMINAL: CLASSES}.get(kind, TIED) for kind in kinds])
    values = [
        as_ranks(column, np.random.default_rng((seed, side))) if code == RANKED else column
        for side, (column, code) in enumerate(zip((left.x[:, 0], left.y[:, 0]), codes, strict=True))
    ]
    work = Work(
        np.array(values), codes, (Node(0, 1), Node(1, 2)), laws, "ksg", k, seed, without_rows_in_place(left.shuffle)
    )
    return float(np.exp(tile_values(work, Tile(0, 1, 1, 2))[LOG_P, 0, 0]))
