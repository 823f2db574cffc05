"""What `network` returns: matrices with names, edges, and the ways out of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.checks import check_share
from infold.data.output import write_output
from infold.display import Shown, axes_for, pvalue_text
from infold.inference.multiple import benjamini_hochberg
from infold.results import NATS_PER_UNIT, plain_types, stamp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .inputs import Columns

MOST_LINES = 10
ROWS_AT_A_TIME = 512
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
      0 – 1: 1.3... nats, p < 1e-09, q < 1e-09
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
        p, out = self.pvalue_matrix, np.full(self.pvalue_matrix.shape, np.nan)
        if self.other_names is not None:
            return benjamini_hochberg(np.asarray(p).ravel()).reshape(p.shape)
        upper = np.triu_indices(len(p), 1)
        out[upper] = benjamini_hochberg(p[upper])
        out.T[upper] = out[upper]
        return out

    def edge_list(self, fdr: float = 0.05) -> list[dict[str, Any]]:
        """Return the edges as dictionaries, the smallest p-value first; see :meth:`edges`."""
        i, j, qvalues = self.edge_indices(fdr)
        mi, pvalues = self.mi_matrix[i, j] / NATS_PER_UNIT[self.units], self.pvalue_matrix[i, j]
        columns = self.other_names or self.names
        return [
            dict(zip(EDGE_FIELDS, (self.names[a], columns[b], float(m), float(p), float(q)), strict=True))
            for a, b, m, p, q in zip(i, j, mi, pvalues, qvalues, strict=True)
        ]

    def edge_indices(self, fdr: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, columns and q-values of the edges, the smallest p-value first, of equal ones the largest MI.

        Only p-values up to `fdr` can have such a q-value, so that no large matrix is sorted as a whole.
        """
        if fdr != 1:
            check_share("fdr", fdr)
        found = [np.empty((2, 0), np.int64)]
        for start in range(0, len(self.names), ROWS_AT_A_TIME):
            some = np.asarray(self.pvalue_matrix[start : start + ROWS_AT_A_TIME])
            i, j = np.nonzero(some <= fdr)
            kept = (i + start < j) | (self.other_names is not None)
            found.append(np.array([i[kept] + start, j[kept]]))
        i, j = np.hstack(found)
        pvalues = self.pvalue_matrix[i, j]
        qvalues = benjamini_hochberg(pvalues, self.n_pairs)
        order = np.lexsort((-self.mi_matrix[i, j], pvalues))
        order = order[qvalues[order] <= fdr]
        return i[order], j[order], qvalues[order]

    def edges(self, fdr: float = 0.05) -> Any:
        """Return the pairs that count as dependent, as a tidy frame: source, target, mi, pvalue, qvalue.

        Parameters
        ----------
        fdr : float, default=0.05
            Expected share of false edges among them, at most; 1 lists all pairs.
        """
        rows = self.edge_list(fdr)
        return make_frame({name: [row[name] for row in rows] for name in EDGE_FIELDS})

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
            each node with smaller p-values to both its ends. "dpi" takes it away untested if its MI is below
            (1 − tolerance) times that of both others, as ARACNe does: at once, but true edges of triangles go too.
        fdr : float, default=0.05
            Which edges there are to begin with.
        tolerance : float, default=0.1
            For "dpi": 0 takes away most, 1 nothing.
        n_jobs, verbose
            As in :func:`network`.

        Returns
        -------
        Network
            Edges taken away by "dpi" have an MI of 0 and a p-value of 1.
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
            values = {key: edge[key] for key in ("mi", "pvalue", "qvalue")}
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

    def __repr__(self) -> str:
        """Return a few lines for people."""
        return self.summary()

    def summary(self, fdr: float = 0.05) -> str:
        """Return a few lines for people, with the first edges."""
        edges = self.edge_list(fdr)
        known = f" given {len(self.given)}" if self.given else ""
        dropped = f" ({self.n_dropped} more dropped: missing values)" if self.n_dropped else ""
        pruned = f", pruned: {self.pruned}" if self.pruned else ""
        return "\n".join(
            [
                f"{_counted(len(edges), 'edge')} among {_counted(len(self.node_names), 'node')}{known} "
                f"({_counted(self.n_pairs, 'pair')}, FDR {100 * fdr:g} %)",
                *(f"  {_short(e['source'])} – {_short(e['target'])}: {_mi(e, self.units)}" for e in edges[:MOST_LINES]),
                *([f"  and {len(edges) - MOST_LINES} more"] if len(edges) > MOST_LINES else []),
                f"  data      {self.n_samples} samples{dropped}, method {self.method}{pruned}",
            ]
        )

    def _frame(self, matrix: np.ndarray) -> Any:
        columns = self.other_names or self.names
        return make_frame(dict(zip(columns, np.asarray(matrix).T, strict=True)), self.names)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _short(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:19]}…"


def _mi(edge: dict[str, Any], units: str) -> str:
    q = pvalue_text(edge["qvalue"]).replace("p", "q", 1)
    return f"{edge['mi']:.3g} {units}, {pvalue_text(edge['pvalue'])}, {q}"


def make_frame(columns: Mapping[str, Any], names: tuple[str, ...] | None = None) -> Any:
    """Return columns as a pandas frame, or, without pandas, as a polars frame with the names in front."""
    try:
        import pandas
    except ImportError:
        import polars

        front = {} if names is None else {"name": list(names)}
        return polars.DataFrame({**front, **{key: np.asarray(value) for key, value in columns.items()}})
    return pandas.DataFrame(columns, index=None if names is None else list(names))


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
