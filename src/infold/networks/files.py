"""Edges as files for other programs."""

from __future__ import annotations

import json
from pathlib import Path

from infold.display import as_csv

from .result import Network

SUFFIXES = (".csv", ".graphml", ".html", ".htm", ".json")


def edge_file(network: Network, path: Path, fdr: float) -> str:
    """Return the content of a file by its suffix."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path} has the suffix {path.suffix!r}, but it must be one of {', '.join(SUFFIXES)}.")
    if suffix == ".csv":
        return as_csv(network.edge_fields, network.edge_list(fdr))
    if suffix == ".json":
        return json.dumps(network.to_dict(fdr), indent=2) + "\n"
    if suffix == ".graphml":
        return as_graphml(network, fdr)
    from infold.report.network import network_page

    return network_page(network, fdr)


def as_graphml(network: Network, fdr: float) -> str:
    """Return nodes and edges as GraphML, which Cytoscape, Gephi and igraph read."""
    from xml.sax.saxutils import escape

    def clean(name: str) -> str:  # XML has no place for control characters
        return escape("".join(c if c.isprintable() else " " for c in name))

    number = {name: i for i, name in enumerate(network.node_names)}
    numbers = network.edge_fields[2:]
    keys = ['<key id="name" for="node" attr.name="name" attr.type="string"/>']
    types = {one: "int" if one == "n_samples" else "double" for one in numbers}
    keys += [f'<key id="{one}" for="edge" attr.name="{one}" attr.type="{kind}"/>' for one, kind in types.items()]
    nodes = [f'<node id="n{i}"><data key="name">{clean(name)}</data></node>' for name, i in number.items()]
    edges = [
        f'<edge source="n{number[e["source"]]}" target="n{number[e["target"]]}">'
        + "".join(f'<data key="{one}">{e[one]!r}</data>' for one in numbers if e[one] == e[one])
        + "</edge>"
        for e in network.edge_list(fdr)
    ]
    head = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    graph = ['<graph edgedefault="undirected">', *nodes, *edges, "</graph>", "</graphml>", ""]
    return "\n".join([*head, *keys, *graph])
