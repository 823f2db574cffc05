"""Transfer entropies of all ordered pairs of columns, with the false discovery rate under control."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import false_discovery_control

from infold.core.random import draw_seeds
from infold.data.checks import check_count
from infold.data.tables import check_table
from infold.display import Shown, as_frame, as_text
from infold.parallel.scheduler import in_order
from infold.results import plain_types, stamp

from .transfer import TransferEntropy, transfer_entropy

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ALPHA = 0.05  # the false discovery rate of `edges` and of the plot
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
        As asked.
    notes : tuple of str
        Plain sentences about what may be wrong.
    """

    te: np.ndarray = field(compare=False)
    effective: np.ndarray = field(compare=False)
    pvalues: np.ndarray = field(compare=False)
    qvalues: np.ndarray = field(compare=False)
    names: tuple[str, ...]
    units: str
    method: str
    n_surrogates: int
    notes: tuple[str, ...] = ()

    def edges(self, alpha: float = ALPHA) -> list[dict[str, Any]]:
        """Return the edges with q ≤ alpha, the strongest first."""
        found = [
            {
                "source": self.names[i],
                "target": self.names[j],
                "te": float(self.te[i, j]),
                "effective": float(self.effective[i, j]),
                "pvalue": float(self.pvalues[i, j]),
                "qvalue": float(self.qvalues[i, j]),
            }
            for i, j in np.argwhere(self.qvalues <= alpha)
        ]
        return sorted(found, key=lambda edge: -edge["effective"])

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

    def to_csv(self, alpha: float = ALPHA) -> str:
        """Return the edges with q ≤ alpha as text with commas."""
        text = io.StringIO()
        writer = csv.DictWriter(text, EDGE_FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.edges(alpha))
        return text.getvalue()

    def to_dict(self, alpha: float = ALPHA) -> dict[str, Any]:
        """Return plain types for JSON, edges with q ≤ alpha; NaN is null."""
        names = ("names", "te", "effective", "pvalues", "qvalues", "units", "method", "n_surrogates", "notes")
        plain = {name: plain_types(getattr(self, name)) for name in names}
        return {**stamp("transfer_entropy_matrix"), **plain, "edges": self.edges(alpha)}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the effective transfer entropies as a matrix; pairs with q ≤ 0.05 are marked."""
        from infold.plotting.series import plot_transfer_matrix

        return plot_transfer_matrix(self, ax=ax)

    def summary(self, alpha: float = ALPHA) -> str:
        """Return a few lines about the edges with q ≤ alpha."""
        return as_text(self._headline(alpha), self._rows(alpha))

    def _headline(self, alpha: float = ALPHA) -> str:
        d = len(self.names)
        found = f"{len(self.edges(alpha))} of {d * (d - 1)} transfer entropies"
        return f"{found} at a false discovery rate of {100 * alpha:g} %"

    def _rows(self, alpha: float = ALPHA) -> Iterator[tuple[str, str]]:
        edges = self.edges(alpha)
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
        Draws of each source. With many pairs more are needed: q cannot be below
        (number of pairs) / (edges found · (n_surrogates + 1)).
    random_state, n_jobs, verbose
        As in :func:`mutual_information`; pairs run in parallel.
    **options
        Of :func:`transfer_entropy`, such as `delay`, `target_history`, `groups`, `time` and `difference`.

    Returns
    -------
    TransferEntropyMatrix
        `.te`, `.pvalues`, `.qvalues`, `.edges()`, `.to_frame()`, `.plot()`.

    Notes
    -----
    Pairs are looked at one by one: where a drives b and b drives c, a → c is found as well. `transfer_entropy(a, c,
    given=b)` tells whether it is direct.

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
    columns = check_table(table, "table", missing="drop")
    d = columns.values.shape[1]
    if d < 2:
        raise ValueError(f"table has {d} column, but transfer entropy is between two; pass at least two columns.")
    names = columns.names or tuple(str(c) for c in range(d))
    pairs = [(i, j) for i in range(d) for j in range(d) if i != j]
    given = {**options, "n_surrogates": n_surrogates, "n_jobs": 1, "verbose": 0}
    seeds = draw_seeds(random_state, len(pairs)).tolist()
    jobs = [(columns, i, j, seed, given) for (i, j), seed in zip(pairs, seeds, strict=True)]
    found = list(in_order(_pair, jobs, n_jobs=n_jobs, label="pairs", verbose=verbose))
    te, effective, pvalues, qvalues = (np.full((d, d), np.nan) for _ in range(4))
    corrected = false_discovery_control([one.pvalue for one in found])
    for (i, j), one, q in zip(pairs, found, corrected, strict=True):
        te[i, j], effective[i, j], pvalues[i, j], qvalues[i, j] = one.te, one.effective, one.pvalue, q
    notes = []
    if len(pairs) / (n_surrogates + 1) > ALPHA:
        notes.append(
            f"A single edge among {len(pairs)} pairs cannot reach q ≤ {ALPHA:g} with n_surrogates={n_surrogates}; pass "
            f"at least {math.ceil(len(pairs) / ALPHA) - 1} to find it."
        )
    notes += [
        f"{names[i]} → {names[j]}: {note}" for (i, j), one in zip(pairs, found, strict=True) for note in one.notes
    ]
    return TransferEntropyMatrix(
        te, effective, pvalues, qvalues, names, found[0].units, found[0].method, n_surrogates, tuple(notes)
    )


def _pair(columns: Any, i: int, j: int, seed: int, options: dict[str, Any]) -> TransferEntropy:
    """Return the transfer entropy of one pair."""
    tables = (
        columns._replace(values=columns.values[:, [c]], names=None, nominal=(0,) if c in columns.nominal else ())
        for c in (i, j)
    )
    return transfer_entropy(*tables, random_state=seed, **options)
