"""A network as one self-contained HTML page: pictures, and a table of edges to search and sort."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from infold.plotting import plot_network

from .page import HEIGHT, Picture, _axes, make_environment, readable, svg_data

if TYPE_CHECKING:
    from infold.networks import Network

MOST_EDGES = 50_000  # in the table: some 3 MB


def network_page(network: Network, fdr: float = 0.05, title: str | None = None) -> str:
    """Return the page."""
    environment = make_environment()
    environment.filters["name"] = readable
    from markupsafe import Markup

    from infold import __version__

    templates = files("infold.report").joinpath("templates")
    script = templates.joinpath("network.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    i, j, qvalues = network.edge_indices(fdr)
    listed = slice(0, MOST_EDGES)
    return environment.from_string(templates.joinpath("network.html").read_text(encoding="utf-8")).render(
        network=network,
        fdr=fdr,
        title=title or "Network of mutual information",
        version=__version__,
        n_edges=i.size,
        n_listed=min(i.size, MOST_EDGES),
        pictures=pictures(network, fdr),
        data=Markup(_data(network, i[listed], j[listed], qvalues[listed])),
        script=Markup(script),
        script_hash=f"sha256-{digest}",
    )


def pictures(network: Network, fdr: float) -> list[Picture]:
    """Return the graph and the matrix."""
    drawn = [
        ("graph", "Edges as lines, thicker with more information. Nodes that are near each other share much."),
        ("matrix", "MI of all edges; similar nodes are side by side, so that groups of them are blocks."),
    ]
    return [
        Picture(kind, svg_data(plot_network(network, kind, fdr=fdr, ax=_axes(1.15 * HEIGHT)).figure), caption, caption)
        for kind, caption in drawn
    ]


def _data(network: Network, i: Any, j: Any, qvalues: Any) -> str:
    """Return names and edges as JSON that no name can end early."""
    shift = 0 if network.other_names is None else len(network.names)
    _, _, *columns = network.edge_columns(i, j, qvalues).values()
    edges = [
        [a, b + shift, *(None if math.isnan(x) else float(f"{x:.4g}") if isinstance(x, float) else x for x in numbers)]
        for a, b, *numbers in zip(*(c.tolist() for c in (i, j, *columns)), strict=True)
    ]
    plain = json.dumps({"names": [readable(name) for name in network.node_names], "edges": edges})
    return plain.replace("<", "\\u003c").replace("&", "\\u0026")
