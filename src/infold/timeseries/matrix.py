"""Transfer entropies of all ordered pairs of columns, with the false discovery rate under control."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.core.random import draw_seeds
from infold.data.checks import check_count, check_share
from infold.data.tables import Table, check_table
from infold.display import Shown, as_csv, as_frame, as_text, axes_for
from infold.inference.multiple import benjamini_hochberg
from infold.inference.notes import Note, tell
from infold.parallel.scheduler import in_order
from infold.results import plain_types, stamp

from .grid import differenced, read_series
from .lags import plain_lags
from .stationarity import column_notes
from .testing import fixed_seed
from .transfer import Settings, TransferEntropy, estimate, read_pair, transfer_entropy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


FDR = 0.05  # the false discovery rate of `edges` and of the plot
MOST_LINES = 10
EDGE_FIELDS = ("source", "target", "te", "effective", "pvalue", "qvalue")


@dataclass(frozen=True, repr=False)
class TransferEntropyMatrix(Shown):
    """Transfer entropies from each column of a table to each other.

    Attributes
    ----------
    te, effective, pvalues, qvalues : ndarray of shape (d, d)
        Row i, column j is from i to j; the diagonal is NaN. `qvalues` are p-values corrected after Benjamini and
        Hochberg: among edges with q ≤ 0.05, one in twenty is expected to be false.
    names : tuple of str
        The columns.
    units, method, n_surrogates
        As requested.
    settings : mapping
        Every parameter besides the data: with these and the same table, results are identical to the last bit.
        `random_state` is the seed that was used, even if none was given.
    notes : tuple of str
        Plain sentences about what may be wrong.

    Examples
    --------
    >>> import numpy as np, infold
    >>> a = np.random.default_rng(0).normal(size=(300, 2))
    >>> a[1:, 1] += a[:-1, 0]  # the first drives the second
    >>> found = infold.transfer_entropy_matrix(a, n_surrogates=99, random_state=0)
    >>> found
    1 of 2 transfer entropies at a false discovery rate of 5 %
      0 → 1:    0.34... nats (q = 0.02)
    """

    te: np.ndarray = field(compare=False)
    effective: np.ndarray = field(compare=False)
    pvalues: np.ndarray = field(compare=False)
    qvalues: np.ndarray = field(compare=False)
    names: tuple[str, ...]
    units: str
    method: str
    n_surrogates: int
    settings: Mapping[str, Any] = field(compare=False, default_factory=dict)
    notes: tuple[str, ...] = ()

    def edge_list(self, fdr: float = FDR) -> list[dict[str, Any]]:
        """Return the edges with q ≤ fdr as dictionaries, the strongest first; fdr=1 lists all pairs."""
        if fdr != 1:
            check_share("fdr", fdr)
        found = [
            {
                "source": self.names[i],
                "target": self.names[j],
                "te": float(self.te[i, j]),
                "effective": float(self.effective[i, j]),
                "pvalue": float(self.pvalues[i, j]),
                "qvalue": float(self.qvalues[i, j]),
            }
            for i, j in np.argwhere(self.qvalues <= fdr)
        ]
        return sorted(found, key=lambda edge: -edge["effective"])

    def edges(self, fdr: float = FDR) -> list[dict[str, Any]]:
        """Return the same as :meth:`edge_list`."""
        return self.edge_list(fdr)

    def to_frame(self) -> Any:
        """Return a pandas table with a row for each ordered pair."""
        pairs = [(i, j) for i in range(len(self.names)) for j in range(len(self.names)) if i != j]
        columns: dict[str, list[Any]] = {
            "source": [self.names[i] for i, _ in pairs],
            "target": [self.names[j] for _, j in pairs],
        }
        for name in ("te", "effective", "pvalues", "qvalues"):
            columns[name.removesuffix("s")] = [float(getattr(self, name)[pair]) for pair in pairs]
        return as_frame(columns)

    def to_csv(self, fdr: float = FDR) -> str:
        """Return the edges with q ≤ fdr as comma-separated text."""
        return as_csv(EDGE_FIELDS, self.edge_list(fdr))

    def to_dict(self, fdr: float = FDR) -> dict[str, Any]:
        """Return plain types for JSON, edges with q ≤ fdr; NaN is null."""
        plain = {f.name: plain_types(getattr(self, f.name)) for f in fields(self)}
        return {**stamp("transfer_entropy_matrix"), **plain, "fdr": fdr, "edges": self.edge_list(fdr)}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the effective transfer entropies as a matrix; pairs with q ≤ 0.05 are marked."""
        from infold.plotting.series import matrix_size, plot_transfer_matrix

        return plot_transfer_matrix(self, ax=axes_for(ax, *matrix_size(self)))

    def summary(self, fdr: float = FDR) -> str:
        """Return a few lines about the edges with q ≤ fdr."""
        return as_text(self._headline(fdr), self._rows(fdr))

    def _headline(self, fdr: float = FDR) -> str:
        d = len(self.names)
        found = f"{len(self.edge_list(fdr))} of {d * (d - 1)} transfer entropies"
        return f"{found} at a false discovery rate of {100 * fdr:g} %"

    def _rows(self, fdr: float = FDR) -> Iterator[tuple[str, str]]:
        edges = self.edge_list(fdr)
        for e in edges[:MOST_LINES]:
            yield f"{e['source']} → {e['target']}: ", f"{e['effective']:.3g} {self.units} (q = {e['qvalue']:.2g})"
        if len(edges) > MOST_LINES:
            yield "", f"and {len(edges) - MOST_LINES} more"
        yield from (("note", note) for note in self.notes)


def transfer_entropy_matrix(
    table: Any,
    *,
    n_surrogates: int = 199,
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    **options: Any,
) -> TransferEntropyMatrix:
    """Estimate the transfer entropy from each column of a table to each other, with p- and q-values.

    Parameters
    ----------
    table : array, pandas or polars table of shape (n_times, n_columns)
        Two or more series; row i of all is the same time.
    n_surrogates : int, default=199
        Number of surrogates of each source. With many pairs more are needed: q cannot be below
        (number of pairs) / (edges found · (n_surrogates + 1)).
    random_state, n_jobs, verbose
        As in :func:`mutual_information`; pairs run in parallel.
    **options
        Options of :func:`transfer_entropy`, such as `delay`, `target_history`, `groups`, `time` and `difference`; all
        but `windows`.

    Returns
    -------
    TransferEntropyMatrix
        `.te`, `.pvalues`, `.qvalues`, `.edges()`, `.to_frame()`, `.plot()`.

    Notes
    -----
    Pairs are analysed one by one: if a drives b and b drives c, a → c is found as well. `transfer_entropy(a, c,
    given=b)` shows whether it is direct.

    Examples
    --------
    >>> import numpy as np, infold
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=(400, 3))
    >>> a[1:, 1] += a[:-1, 0]  # the first drives the second
    >>> found = infold.transfer_entropy_matrix(a, random_state=0)
    >>> [(edge["source"], edge["target"]) for edge in found.edges()]
    [('0', '1')]
    """
    check_count("n_surrogates", n_surrogates, minimum=1)
    if options.get("windows") is not None:
        raise ValueError(
            f"windows={options['windows']!r} is for one pair, but this is a matrix of all; pass it to transfer_entropy."
        )
    columns = check_table(table, "table", missing="drop")
    d = columns.values.shape[1]
    if d < 2:
        raise ValueError(f"table has {d} column, but transfer entropy is between two; pass at least two columns.")
    names = columns.names or tuple(str(c) for c in range(d))
    series, settings = _asked({**options, "n_surrogates": n_surrogates, "random_state": fixed_seed(random_state)})
    pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    seeds = draw_seeds(settings.random_state, len(pairs)).tolist()
    jobs = [
        (columns, i, j, series, settings._replace(random_state=seed)) for (i, j), seed in zip(pairs, seeds, strict=True)
    ]
    found = list(in_order(_pair, jobs, n_jobs=n_jobs, label="pairs", verbose=verbose))
    te, effective, pvalues, qvalues = (np.full((d, d), np.nan) for _ in range(4))
    corrected = benjamini_hochberg(np.array([one.pvalue for one in found]))
    for (i, j), one, q in zip(pairs, found, corrected, strict=True):
        te[i, j], effective[i, j], pvalues[i, j], qvalues[i, j] = one.te, one.effective, one.pvalue, q
    grid = read_series({"table": columns}, groups=series["groups"], time=series["time"], reach=1)
    changes = settings.difference > 0
    notes = list(column_notes(differenced(grid) if changes else grid, "table", names, changes=changes))
    notes += _few_surrogates([one.null.size for one in found], n_surrogates)
    return TransferEntropyMatrix(
        te=te,
        effective=effective,
        pvalues=pvalues,
        qvalues=qvalues,
        names=names,
        units=settings.units,
        method=settings.method,
        n_surrogates=n_surrogates,
        settings=settings._asdict(),
        notes=(*grid.notes, *tell(notes)),
    )


def _few_surrogates(compared: list[int], asked: int) -> Iterator[Note]:
    """Report how few shifts short series have, and whether a single edge could be found."""
    fewest, most, pairs = min(compared), max(compared), len(compared)
    if fewest < asked:
        ways = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        yield Note(f"The series can be shifted in only {ways} ways: all were compared, and p is no finer.")
    if pairs / (most + 1) > FDR:
        remedy = f"pass n_surrogates={math.ceil(pairs / FDR) - 1} or more"
        if most < asked:
            remedy = "the series have no more, so take fewer columns or longer series"
        yield Note(f"A single edge among {pairs} pairs cannot reach q ≤ {FDR:g} with {most} surrogates; {remedy}.")


def _asked(options: dict[str, Any]) -> tuple[dict[str, Any], Settings]:
    """Return the series among the options of a transfer entropy, and its settings, with the defaults of others."""
    bound = signature(transfer_entropy).bind(None, None, **options)
    bound.apply_defaults()
    asked = {**bound.arguments, "given_lags": plain_lags(bound.arguments["given_lags"])}
    series = {name: asked[name] for name in ("given", "groups", "time")}
    return series, Settings(**{name: asked[name] for name in Settings._fields})


def _pair(columns: Table, i: int, j: int, series: dict[str, Any], settings: Settings) -> TransferEntropy:
    """Return the transfer entropy of one pair; notes about its test are those of all pairs."""
    source, target = (
        columns._replace(values=columns.values[:, [c]], names=None, nominal=(0,) if c in columns.nominal else ())
        for c in (i, j)
    )
    inputs = {"source": source, "target": target, "given": series["given"]}
    return estimate(read_pair(inputs, series["groups"], series["time"], settings), settings, 1, 0)[0]
