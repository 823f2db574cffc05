"""A network as a graph, and as a matrix with similar nodes side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.results import NATS_PER_UNIT

from .figures import BLUE, axes_or_new, label, mi_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.networks import Network

KINDS = ("graph", "matrix")
MOST_NODES, MOST_LABELS = 400, 60  # that can be told apart, and read
STEPS = 120  # of the layout


def plot_network(network: Network, kind: str = "graph", *, fdr: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the graph of the edges, or the matrix of MI.

    Parameters
    ----------
    network : Network
        What :func:`infold.network` returned.
    kind : {"graph", "matrix"}, default="graph"
        The graph of the edges, or the matrix of MI, clustered; pairs that are no edges are white.
    fdr : float, default=0.05
        Which pairs are edges.
    ax : matplotlib Axes or None, default=None
        Where; None makes a figure.
    """
    from infold.data.checks import check_choice

    check_choice("kind", kind, KINDS)
    return _graph(network, fdr, ax) if kind == "graph" else _matrix(network, fdr, ax)


def _graph(network: Network, fdr: float, ax: Axes | None) -> Axes:
    """Draw nodes that have edges, those with the strongest if they are many."""
    ax = axes_or_new(ax, 6.0, 5.0)
    from matplotlib.collections import LineCollection

    i, j, _ = network.edge_indices(fdr)
    mi = np.maximum(network.mi_matrix[i, j], 0.0) / NATS_PER_UNIT[network.units]
    shift = 0 if network.other_names is None else len(network.names)
    ends = np.array([i, j + shift])
    ends, mi, nodes = _strongest(ends, mi)
    places = layout(len(nodes), ends, mi)
    widths = 0.4 + 2.6 * mi / mi.max() if mi.size and mi.max() > 0 else np.ones(mi.size)
    ax.add_collection(LineCollection(list(places[ends.T]), colors="#666666", linewidths=widths, zorder=1))
    ax.scatter(
        places[:, 0], places[:, 1], s=60 if len(nodes) <= MOST_LABELS else 14, color=BLUE, edgecolors="white", zorder=2
    )
    if len(nodes) <= MOST_LABELS:
        for node, place in zip(nodes, places, strict=True):
            name = label(network.node_names[node])
            ax.annotate(name, place, (0, 5), textcoords="offset points", ha="center", fontsize=7, parse_math=False)
    shown = f"{len(nodes)} of {len(network.node_names)} nodes" if len(nodes) < len(network.node_names) else "all nodes"
    ax.set_title(f"{mi.size} edges (FDR {100 * fdr:g} %), {shown}", fontsize="medium")
    ax.set_axis_off()
    ax.margins(0.12)
    return ax


def _strongest(ends: np.ndarray, mi: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return edges, renumbered, their MI, and their nodes: of too many, those of the strongest edges."""
    order = np.argsort(-mi, kind="stable")
    first_seen: dict[int, None] = {}
    for edge in order:
        first_seen.update(dict.fromkeys(ends[:, edge].tolist()))
        if len(first_seen) >= MOST_NODES:
            break
    nodes = np.array(sorted(first_seen), np.int64)
    kept = np.isin(ends, nodes).all(axis=0) if nodes.size else np.zeros(mi.size, bool)
    return np.searchsorted(nodes, ends[:, kept]), mi[kept], nodes


def layout(n_nodes: int, ends: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return places (n, 2): edges pull, nodes push each other away (Fruchterman and Reingold 1991)."""
    angle = np.arange(n_nodes) * math.pi * (3 - math.sqrt(5))  # a sunflower: the same start every time
    places = np.sqrt((np.arange(n_nodes) + 0.5) / max(n_nodes, 1))[:, None] * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    if n_nodes < 2:
        return places
    spacing = math.sqrt(math.pi / n_nodes)
    pull = 0.5 + weights / max(float(weights.max(initial=0.0)), 1e-12)
    for step in range(STEPS):
        apart = places[:, None] - places
        squared = np.maximum((apart**2).sum(axis=2), 1e-6)
        push = (apart * (spacing**2 / squared)[:, :, None]).sum(axis=1)
        along = places[ends[0]] - places[ends[1]]
        force = along * (np.sqrt((along**2).sum(axis=1)) * pull / spacing)[:, None]
        np.add.at(push, ends[0], -force)
        np.add.at(push, ends[1], force)
        push -= 0.3 * places  # nodes without a way to each other stay on the page
        length = np.maximum(np.sqrt((push**2).sum(axis=1)), 1e-9)
        places = places + push * (np.minimum(length, 0.1 * (1 - step / STEPS)) / length)[:, None]
    return places


def _matrix(network: Network, fdr: float, ax: Axes | None) -> Axes:
    """Draw the MI of edges, rows and columns in the order of a clustering."""
    i, j, _ = network.edge_indices(fdr)
    mi = np.zeros(network.mi_matrix.shape)
    mi[i, j] = np.maximum(network.mi_matrix[i, j], 0.0) / NATS_PER_UNIT[network.units]
    if network.other_names is None:
        mi = np.maximum(mi, mi.T)
    rows = clustered(mi)
    columns = rows if network.other_names is None else clustered(mi.T)
    ax = axes_or_new(ax, 6.0, 5.0)
    image = ax.imshow(mi[np.ix_(rows, columns)], cmap="Blues", aspect="auto", interpolation="nearest", vmin=0.0)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(mi_label(network.units))
    names: Any = network.names, network.other_names or network.names
    for axis, order, own in ((ax.yaxis, rows, names[0]), (ax.xaxis, columns, names[1])):
        axis.set_ticks([])
        if order.size <= MOST_LABELS:
            axis.set_ticks(range(order.size))
            axis.set_ticklabels([label(own[c]) for c in order], fontsize=6, parse_math=False)
    ax.tick_params(axis="x", rotation=90)
    ax.set_title(f"MI of edges (FDR {100 * fdr:g} %)", fontsize="medium")
    return ax


def clustered(mi: np.ndarray) -> np.ndarray:
    """Return the rows in an order that puts similar ones side by side."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(mi) < 3 or not mi.any():
        return np.arange(len(mi))
    scaled = np.sqrt(mi / mi.max())
    if mi.shape[0] == mi.shape[1]:
        np.fill_diagonal(scaled, 1.0)
    return np.asarray(leaves_list(linkage(scaled, "average")))
