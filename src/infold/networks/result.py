"""What `network` returns: matrices with names, edges, and the ways out of them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.checks import check_share
from infold.data.output import write_output
from infold.display import SMALLEST_P, Shown, as_frame, as_text, axes_for, notebook_html, pvalue_text
from infold.inference.multiple import benjamini_hochberg
from infold.results import NATS_PER_UNIT, plain_types, stamp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .inputs import Columns

MOST_LINES = 10
ROWS_AT_A_TIME, EDGES_AT_A_TIME = 512, 10_000
EDGE_FIELDS = ("source", "target", "mi", "pvalue", "qvalue")


@dataclass(frozen=True, repr=False, kw_only=True)
class Network(Shown):
    """Mutual information and p-values of all pairs of nodes.

    Attributes
    ----------
    mi, pvalues, qvalues : frame
        Matrices with names, NaN on the diagonal: pandas frames where pandas is installed, else polars frames with the
        names in a first column. `mi` is in `units`; q-values are those of Benjamini and Hochberg, over all pairs.
    mi_matrix, pvalue_matrix : ndarray
        The same as plain arrays, mapped from disk if there is a folder; `mi_matrix` is in nats.
    names, other_names : tuple of str
        Names of rows, and of columns if these are of another table; else None.
    units, method, n_samples, kinds, n_dropped, settings
        As in :class:`MutualInformation`; kinds are those of all columns.
    given : tuple of str
        Names of the confounders.
    pruned : str or None
        How edges were pruned.

    Examples
    --------
    >>> import infold
    >>> import numpy as np
    >>> a, b, c = np.random.default_rng(0).normal(size=(3, 300))
    >>> found = infold.network(np.column_stack([a, a + 0.3 * b, c]))
    >>> print(found)
    1 edge among 3 nodes (3 pairs, FDR 5 %)
      0 – 1  1.3... nats, p < 1e-09, q < 1e-09
      data      300 samples, method ksg
    >>> found.pvalue_matrix.shape
    (3, 3)
    >>> [edge["target"] for edge in found.to_dict()["edges"]]
    ['1']
    """

    mi_matrix: np.ndarray = field(compare=False)
    pvalue_matrix: np.ndarray = field(compare=False)
    names: tuple[str, ...]
    other_names: tuple[str, ...] | None
    units: str
    method: str
    n_samples: int
    kinds: tuple[str, ...]
    given: tuple[str, ...]
    n_dropped: int
    settings: Mapping[str, Any]
    columns: Columns = field(compare=False)
    pruned: str | None = None

    @property
    def n_pairs(self) -> int:
        """How many pairs were tested."""
        p = len(self.names)
        return p * (p - 1) // 2 if self.other_names is None else p * len(self.other_names)

    @property
    def node_names(self) -> tuple[str, ...]:
        """Names of all nodes, those of the second table last."""
        return self.names + (self.other_names or ())

    @property
    def mi(self) -> Any:
        """MI of all pairs, in `units`, as a frame."""
        return self._frame(self.mi_matrix / NATS_PER_UNIT[self.units])

    @property
    def pvalues(self) -> Any:
        """P-values of all pairs as a frame."""
        return self._frame(self.pvalue_matrix)

    @property
    def qvalues(self) -> Any:
        """Q-values of all pairs (Benjamini and Hochberg) as a frame."""
        return self._frame(self.qvalue_matrix())

    def qvalue_matrix(self) -> np.ndarray:
        """Return q-values as a plain array."""
        pvalues = np.sort(np.concatenate([p[asked] for _, p, asked in self._strips()]))
        qvalues, out = benjamini_hochberg(pvalues), np.full(self.pvalue_matrix.shape, np.nan)
        for start, p, asked in self._strips():  # equal p-values have equal q-values
            i, j = np.nonzero(asked)
            out[i + start, j] = qvalues[np.searchsorted(pvalues, p[asked])]
            if self.other_names is None:
                out[j, i + start] = out[i + start, j]
        return out

    def edge_list(self, fdr: float = 0.05) -> list[dict[str, Any]]:
        """Return the edges as dictionaries, the smallest p-value first; see :meth:`edges`."""
        return self._as_list(*self.edge_indices(fdr))

    def edge_indices(self, fdr: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, columns and q-values of the edges, the smallest p-value first, of equal ones the largest MI.

        No large matrix is held or sorted as a whole: first the p-value of the last edge is found, then the edges.
        """
        if fdr != 1:
            check_share("fdr", fdr)
        small = np.sort(np.concatenate([p[asked & (p <= fdr)] for _, p, asked in self._strips()]))
        largest = small[benjamini_hochberg(small, self.n_pairs) <= fdr].max(initial=-1.0)
        found = [np.argwhere(asked & (p <= largest)) + np.array([start, 0]) for start, p, asked in self._strips()]
        i, j = np.concatenate(found).T
        pvalues = self.pvalue_matrix[i, j]
        qvalues = benjamini_hochberg(pvalues, self.n_pairs)
        order = np.lexsort((-self.mi_matrix[i, j], pvalues))
        return i[order], j[order], qvalues[order]

    def _strips(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield rows of the matrix of p-values, some at a time: the first, the p-values, and a mask of the pairs."""
        columns = np.arange(self.pvalue_matrix.shape[1])
        for start in range(0, len(self.names), ROWS_AT_A_TIME):
            some = np.asarray(self.pvalue_matrix[start : start + ROWS_AT_A_TIME])
            rows = np.arange(start, start + len(some))[:, None]
            yield start, some, (rows < columns if self.other_names is None else np.ones(some.shape, bool))

    @property
    def edge_fields(self) -> tuple[str, ...]:
        """Fields of an edge: also its number of samples, where pairs have different rows."""
        return (*EDGE_FIELDS, "n_samples") if self._is_pairwise else EDGE_FIELDS

    @functools.cached_property
    def _is_pairwise(self) -> bool:
        return bool(np.isnan(self.columns.values).any())

    def edge_columns(self, i: np.ndarray, j: np.ndarray, qvalues: np.ndarray) -> dict[str, np.ndarray]:
        """Return the fields of the edges that :meth:`edge_indices` returned, or of some of them, as columns."""
        rows, others = (np.array(names, object) for names in (self.names, self.other_names or self.names))
        mi = self.mi_matrix[i, j] / NATS_PER_UNIT[self.units]
        own = (self._common_rows(i, j),) if self._is_pairwise else ()
        return dict(
            zip(self.edge_fields, (rows[i], others[j], mi, self.pvalue_matrix[i, j], qvalues, *own), strict=True)
        )

    def _as_list(self, i: np.ndarray, j: np.ndarray, qvalues: np.ndarray) -> list[dict[str, Any]]:
        columns = [column.tolist() for column in self.edge_columns(i, j, qvalues).values()]
        return [dict(zip(self.edge_fields, edge, strict=True)) for edge in zip(*columns, strict=True)]

    def _common_rows(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return how many rows without a missing value each of some pairs has."""
        values, nodes = self.columns.values, self.columns.nodes
        there = np.array([~np.isnan(values[first:stop]).any(axis=0) for first, stop in nodes])
        j = j if self.other_names is None else j + len(self.names)
        parts = [slice(start, start + EDGES_AT_A_TIME) for start in range(0, i.size, EDGES_AT_A_TIME)]
        counts = [np.count_nonzero(there[i[some]] & there[j[some]], axis=1) for some in parts]
        return np.concatenate([np.empty(0, np.int64), *counts])

    def edges(self, fdr: float = 0.05) -> Any:
        """Return the pairs that count as dependent, as a tidy frame: source, target, mi, pvalue, qvalue.

        With `missing="pairwise"`, and values missing, also n_samples, the rows that both have.

        Parameters
        ----------
        fdr : float, default=0.05
            Expected share of false edges among them, at most; 1 lists all pairs.
        """
        return as_frame(self.edge_columns(*self.edge_indices(fdr)))

    def to_frame(self) -> Any:
        """Return all pairs as a tidy frame."""
        return self.edges(fdr=1)

    def prune(
        self,
        how: str = "conditional",
        *,
        fdr: float = 0.05,
        tolerance: float = 0.1,
        n_jobs: int | None = -1,
        verbose: int = 1,
    ) -> Network:
        """Return the network without edges that others explain.

        Parameters
        ----------
        how : {"conditional", "dpi"}, default="conditional"
            By the data-processing inequality, the weakest edge of a triangle may be indirect. "conditional" tests it
            given the third node, as `given` does; its p-value becomes the largest of these, so that it must hold given
            each node with smaller p-values to both its ends. "dpi" removes it untested if its MI is below
            (1 − tolerance) times that of both others, as ARACNe does: fast, but true edges of triangles go too.
        fdr : float, default=0.05
            Which edges there are to begin with.
        tolerance : float, default=0.1
            For "dpi": 0 removes most, 1 nothing.
        n_jobs, verbose
            As in :func:`network`.

        Returns
        -------
        Network
            Edges removed by "dpi" have an MI of 0 and a p-value of 1.
        """
        from .prune import pruned

        return pruned(self, how, fdr, tolerance, n_jobs, verbose)

    def to_networkx(self, fdr: float = 0.05) -> Any:
        """Return the edges as a networkx graph of all nodes; edges have mi, pvalue, qvalue, and mi as weight."""
        try:
            import networkx
        except ImportError as error:
            raise ImportError(
                "graphs need networkx; install it with: pip install 'infold[network]'", name="networkx"
            ) from error
        graph = networkx.Graph()
        graph.add_nodes_from(self.node_names)
        for edge in self.edge_list(fdr):
            values = {key: edge[key] for key in self.edge_fields[2:]}
            graph.add_edge(edge["source"], edge["target"], weight=max(edge["mi"], 0.0), **values)
        return graph

    def write(self, path: str | Path, fdr: float = 0.05) -> None:
        """Write the edges to a file: .csv, .graphml (for Cytoscape and Gephi), .json, or an .html page."""
        from .files import edge_file

        write_output(path, edge_file(self, Path(path), fdr))

    def write_html(self, path: str | Path, fdr: float = 0.05, title: str | None = None) -> None:
        """Write one self-contained page: the graph, the clustered matrix, and a table to search and sort."""
        from infold.report.network import network_page

        write_output(path, network_page(self, fdr, title))

    def plot(self, kind: str = "graph", *, fdr: float = 0.05, ax: Axes | None = None) -> Axes:
        """Draw the network.

        Parameters
        ----------
        kind : {"graph", "matrix"}, default="graph"
            The graph of the edges, or the matrix of MI with similar nodes next to each other.
        fdr : float, default=0.05
            Which edges are drawn.
        ax : matplotlib Axes or None, default=None
            Where; None makes a pyplot figure, which notebooks show.

        Returns
        -------
        matplotlib Axes
        """
        from infold.plotting.network import plot_network

        return plot_network(self, kind, fdr=fdr, ax=axes_for(ax, 6.0, 5.0))

    def to_dict(self, fdr: float = 0.05) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); pairs that are no edges are left out."""
        kept = ("units", "method", "n_samples", "n_pairs", "given", "n_dropped", "pruned", "settings")
        split = len(self.kinds) if self.other_names is None else len(self.names)
        sides: dict[str, Any] = {
            "n_features": [split, len(self.kinds) - split],
            "x_names": self.names,
            "y_names": self.other_names,
            "x_kinds": self.kinds[:split],
            "y_kinds": self.kinds[split:],
        }
        if self.given:
            sides["n_features"].append(len(self.given))
            sides |= {"z_names": self.given, "z_kinds": self.columns.given_kinds}
        edges = {"nodes": self.node_names, "fdr": fdr, "edges": self.edge_list(fdr), "notes": ()}
        plain = plain_types({**{name: getattr(self, name) for name in kept}, **sides, **edges})
        return {**stamp("network"), **plain}

    def summary(self, fdr: float = 0.05) -> str:
        """Return a few lines for people, with the first edges."""
        headline, edges, data = self._shown(fdr)
        return as_text(headline, [("data", data)], edges)

    def __repr__(self) -> str:
        """Return a few lines for people."""
        return self.summary()

    def _repr_html_(self) -> str:
        """Return a small table for notebooks, and the graph."""
        headline, edges, data = self._shown()
        return notebook_html(self, headline, [*edges, ("data", data)])

    def _shown(self, fdr: float = 0.05) -> tuple[str, list[tuple[str, str]], str]:
        """Return a headline, the first edges with what is known of them, and a line about the data."""
        i, j, qvalues = self.edge_indices(fdr)
        n_edges = i.size
        # P-values that are printed alike count as equal here.
        order = np.lexsort((-self.mi_matrix[i, j], np.maximum(self.pvalue_matrix[i, j], SMALLEST_P)))[:MOST_LINES]
        known = f" given {len(self.given)}" if self.given else ""
        headline = (
            f"{_counted(n_edges, 'edge')} among {_counted(len(self.node_names), 'node')}{known} "
            f"({_counted(self.n_pairs, 'pair')}, FDR {100 * fdr:g} %)"
        )
        first = self._as_list(i[order], j[order], qvalues[order])
        edges = [(f"{e['source']} – {e['target']}", _mi(e, self.units)) for e in first]
        if n_edges > MOST_LINES:
            edges.append((f"and {n_edges - MOST_LINES} more", ""))
        dropped = f" ({self.n_dropped} more dropped: missing values)" if self.n_dropped else ""
        pairwise = ", of a pair those that both have" if self._is_pairwise else ""
        pruned = f", pruned: {self.pruned}" if self.pruned else ""
        return headline, edges, f"{self.n_samples} samples{dropped}{pairwise}, method {self.method}{pruned}"

    def _frame(self, matrix: np.ndarray) -> Any:
        columns = self.other_names or self.names
        return as_frame(dict(zip(columns, np.asarray(matrix).T, strict=True)), self.names, "name")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _mi(edge: dict[str, Any], units: str) -> str:
    q = pvalue_text(edge["qvalue"]).replace("p", "q", 1)
    own = f", n = {edge['n_samples']}" if "n_samples" in edge else ""
    return f"{edge['mi']:.3g} {units}, {pvalue_text(edge['pvalue'])}, {q}{own}"


def neighbors_of(i: np.ndarray, j: np.ndarray, n_nodes: int) -> list[set[int]]:
    """Return the neighbours of each node, from the ends of edges."""
    out: list[set[int]] = [set() for _ in range(n_nodes)]
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        out[a].add(b)
        out[b].add(a)
    return out


def triangles(i: np.ndarray, j: np.ndarray, n_nodes: int) -> Iterator[tuple[int, list[int]]]:
    """Yield the number of each edge that is in a triangle, and the third nodes of these."""
    near = neighbors_of(i, j, n_nodes)
    for number, (a, b) in enumerate(zip(i.tolist(), j.tolist(), strict=True)):
        third = sorted(near[a] & near[b])
        if third:
            yield number, third
