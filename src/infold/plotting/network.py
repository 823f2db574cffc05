"""A network as a graph, and as a matrix with similar nodes side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from infold.results import NATS_PER_UNIT

from .figures import BLUE, axes_or_new, label, mi_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.networks import Network

KINDS = ("graph", "matrix")
MOST_NODES, MOST_LABELS, MOST_ROWS = 400, 60, 1000  # nodes and labels that stay legible; rows of the matrix
FONT, GAP = 7, 5  # points: size of names, and how far they are from their nodes
MOST_LINES = 5_000  # drawn as vector lines; more are rasterised, or a page would be large and slow
SIDES = np.array([(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)])
OFFSETS = np.vstack([GAP * SIDES, 2 * GAP * SIDES])  # of a name from its node, nearer ones first
STEPS = 120  # of the layout


def plot_network(network: Network, kind: str = "graph", *, fdr: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw the graph of the edges, or the matrix of MI.

    Parameters
    ----------
    network : Network
        What :func:`infold.network` returned.
    kind : {"graph", "matrix"}, default="graph"
        The graph of the edges, or the matrix of MI, clustered; pairs that are not edges are white.
    fdr : float, default=0.05
        False discovery rate at which pairs count as edges.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.
    """
    from infold.data.checks import check_choice

    check_choice("kind", kind, KINDS)
    return _graph(network, fdr, ax) if kind == "graph" else _matrix(network, fdr, ax)


def _graph(network: Network, fdr: float, ax: Axes | None) -> Axes:
    """Draw the nodes that have edges; if there are too many, those with the strongest edges."""
    ax = axes_or_new(ax, 6.0, 5.0)
    from matplotlib.collections import LineCollection

    i, j, _ = network.edge_indices(fdr)
    mi = np.maximum(network.mi_matrix[i, j], 0.0) / NATS_PER_UNIT[network.units]
    shift = 0 if network.other_names is None else len(network.names)
    ends = np.array([i, j + shift])
    ends, mi, nodes = _strongest(ends, mi, MOST_NODES)
    places = layout(len(nodes), ends, mi)
    widths = 0.4 + 2.6 * mi / mi.max() if mi.size and mi.max() > 0 else np.ones(mi.size)
    lines = LineCollection(list(places[ends.T]), colors="#666666", linewidths=widths, zorder=1)
    lines.set_rasterized(mi.size > MOST_LINES)
    ax.add_collection(lines)
    ax.scatter(
        places[:, 0], places[:, 1], s=60 if len(nodes) <= MOST_LABELS else 14, color=BLUE, edgecolors="white", zorder=2
    )
    ax.set_title(f"{mi.size} edges (FDR {100 * fdr:g} %), {_shown(len(nodes), network)}", fontsize="medium")
    ax.set_axis_off()
    ax.margins(0.12)
    if len(nodes) <= MOST_LABELS:
        _write_names(ax, places, [label(network.node_names[node]) for node in nodes])
    return ax


def _shown(count: int, network: Network) -> str:
    return f"{count} of {len(network.node_names)} nodes" if count < len(network.node_names) else "all nodes"


def _write_names(ax: Axes, places: np.ndarray, names: list[str]) -> None:
    """Write names next to their nodes, where they overlap least."""
    from matplotlib.patheffects import withStroke

    in_points = ax.transData.transform(places) * 72 / ax.figure.dpi if names else places
    sizes = np.array([(0.55 * FONT * len(name), 1.2 * FONT) for name in names]).reshape(-1, 2)
    across, up = ("center", "left", "right"), ("center", "bottom", "top")  # the last for −1
    for name, place, offset in zip(names, places, name_offsets(in_points, sizes), strict=True):
        x, y = np.sign(offset)
        ax.annotate(
            name, place, offset, textcoords="offset points", ha=across[x], va=up[y], fontsize=FONT, parse_math=False,
            path_effects=[withStroke(linewidth=2, foreground="white")],
        )  # fmt: skip


def name_offsets(places: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return each name's offset from its node, in points: above if there is space, else where it covers least.

    Positions of the nodes and sizes of the names are (n, 2), in points.
    """
    corners = [places - GAP * 0.8, places + GAP * 0.8]  # of everything drawn so far: nodes, later also names
    offsets = np.zeros((len(places), 2), np.int64)
    for i, (place, size) in enumerate(zip(places, sizes, strict=True)):
        low = place + OFFSETS + (np.sign(OFFSETS) - 1) * size / 2
        both = np.minimum((low + size)[:, None], corners[1]) - np.maximum(low[:, None], corners[0])
        covered = np.maximum(both, 0).prod(axis=2).sum(axis=1)
        best = int(np.argmin(covered))
        offsets[i] = OFFSETS[best]
        corners = [np.vstack([corners[0], low[best]]), np.vstack([corners[1], low[best] + size])]
    return offsets


def _strongest(ends: np.ndarray, mi: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return renumbered edges, their MI, and their nodes: if there are too many, those of the strongest edges."""
    order = np.argsort(-mi, kind="stable")
    first_seen: dict[int, None] = {}
    for edge in order:
        first_seen.update(dict.fromkeys(ends[:, edge].tolist()))
        if len(first_seen) >= most:
            break
    nodes = np.array(sorted(first_seen), np.int64)
    kept = np.isin(ends, nodes).all(axis=0) if nodes.size else np.zeros(mi.size, bool)
    return np.searchsorted(nodes, ends[:, kept]), mi[kept], nodes


def layout(n_nodes: int, ends: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return positions (n, 2): edges attract, nodes repel each other (Fruchterman and Reingold 1991)."""
    angle = np.arange(n_nodes) * math.pi * (3 - math.sqrt(5))  # a sunflower: the same start every time
    places = np.sqrt((np.arange(n_nodes) + 0.5) / max(n_nodes, 1))[:, None] * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )
    if n_nodes < 2:
        return places
    spacing = math.sqrt(math.pi / n_nodes)
    degrees = np.bincount(ends.ravel(), minlength=n_nodes)
    # Otherwise nodes with many edges would be pulled into one clump.
    pull = (0.5 + weights / max(float(weights.max(initial=0.0)), 1e-12)) / np.sqrt(degrees[ends]).prod(axis=0)
    for step in range(STEPS):
        apart = places[:, None] - places
        squared = np.maximum((apart**2).sum(axis=2), 1e-6)
        push = (apart * (spacing**2 / squared)[:, :, None]).sum(axis=1)
        along = places[ends[0]] - places[ends[1]]
        force = along * (np.sqrt((along**2).sum(axis=1)) * pull / spacing)[:, None]
        np.add.at(push, ends[0], -force)
        np.add.at(push, ends[1], force)
        push -= 0.3 * places  # keeps nodes that are not connected to each other on the page
        length = np.maximum(np.sqrt((push**2).sum(axis=1)), 1e-9)
        places = places + push * (np.minimum(length, 0.1 * (1 - step / STEPS)) / length)[:, None]
    return places


def _matrix(network: Network, fdr: float, ax: Axes | None) -> Axes:
    """Draw the MI of edges, rows and columns ordered by clustering; if there are many nodes, those of the strongest."""
    i, j, _ = network.edge_indices(fdr)
    values = np.maximum(network.mi_matrix[i, j], 0.0) / NATS_PER_UNIT[network.units]
    is_square, split = network.other_names is None, len(network.names)
    ends, nodes = np.array([i, j if is_square else j + split]), np.arange(len(network.node_names))
    if nodes.size > MOST_ROWS:
        numbers, values, nodes = _strongest(ends, values, MOST_ROWS)
        ends = nodes[numbers]
    rows = nodes[nodes < split]
    columns = rows if is_square else nodes[nodes >= split]
    mi = np.zeros((rows.size, columns.size))
    mi[np.searchsorted(rows, ends[0]), np.searchsorted(columns, ends[1])] = values
    if is_square:
        mi = np.maximum(mi, mi.T)
    down = clustered(mi)
    along = down if is_square else clustered(mi.T)
    ax = axes_or_new(ax, 6.0, 5.0)
    image = ax.imshow(mi[np.ix_(down, along)], cmap="Blues", aspect="auto", interpolation="nearest", vmin=0.0)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label(mi_label(network.units))
    for axis, order in ((ax.yaxis, rows[down]), (ax.xaxis, columns[along])):
        axis.set_ticks([])
        if order.size <= MOST_LABELS:
            axis.set_ticks(range(order.size))
            axis.set_ticklabels([label(network.node_names[c]) for c in order], fontsize=6, parse_math=False)
    ax.tick_params(axis="x", rotation=90)
    shown = f", {_shown(nodes.size, network)}" if nodes.size < len(network.node_names) else ""
    ax.set_title(f"MI of edges (FDR {100 * fdr:g} %){shown}", fontsize="medium")
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
