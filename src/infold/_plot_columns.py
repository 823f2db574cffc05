"""Pictures of where the information is: among samples, and among columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._figures import BLUE, label, legend_above, mi_label, new_figure, open_frame
from .data.checks import check_count
from .data.tables import check_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .inference.relevance import Relevance
    from .results import MutualInformation

FOUND: dict[str, Any] = {"facecolor": BLUE}
NOT_FOUND: dict[str, Any] = {"facecolor": "white", "hatch": "////"}
THRESHOLD: dict[str, Any] = {"color": "black", "linestyle": "dashed", "linewidth": 1.6}

MANY_POINTS = 1_000  # from here on points are one picture in a drawing, not a shape each


def plot_local(result: MutualInformation, points: Any, *, ax: Axes | None = None) -> Axes:
    """Samples in a plane, dark where X and Y tell much about each other.

    Parameters
    ----------
    result : MutualInformation
        From :func:`infold.mutual_information`. Samples without a local value (`max_queries`) are left out.
    points : array, table or series, of shape (n_samples, n_columns) or (n_samples,)
        Where to draw each sample: the columns of X, of Y, or of both. Two columns are the axes; of more, the first two
        principal components (of standardised columns) are; a single one is drawn against the local values.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_helix(n_samples=200, random_state=0)
    >>> result = infold.mutual_information(data.X, data.Y, method="ksg")
    >>> ax = infold.plotting.plot_local(result, data.Y)
    >>> ax.get_xlabel()
    'component 1 (46 % of variance)'
    """
    table = check_table(points, "points")
    if len(table.values) != result.n_samples:
        raise ValueError(
            f"points has {len(table.values)} rows, but the result is about {result.n_samples} samples; pass the "
            f"rows of the same table."
        )
    local = np.asarray(result.local)
    values = table.values if result.query_rows is None else table.values[result.query_rows]
    ax = new_figure().add_subplot() if ax is None else ax
    names = table.names or tuple(f"column {i}" for i in range(values.shape[1]))
    if values.shape[1] == 1:
        coordinates = np.column_stack((values, local))
        labels = label(names[0]), f"local value ({result.units})"
    elif values.shape[1] == 2:
        coordinates, labels = values, (label(names[0]), label(names[1]))
    else:
        coordinates, shares = principal_plane(values)
        first, second = (f"component {i + 1} ({100 * share:.0f} % of variance)" for i, share in enumerate(shares))
        labels = first, second
    low, high = np.quantile(local, (0.02, 0.98))  # a few extreme rows would take all of the colours
    order = np.argsort(local, kind="stable")  # dark on top of pale
    across, up = coordinates[order].T
    drawn = ax.scatter(
        across, up, c=local[order], cmap="cividis_r", vmin=low, vmax=high if high > low else low + 1,
        s=14, linewidths=0.3, edgecolors="#555555", rasterized=local.size > MANY_POINTS,
    )  # fmt: skip
    ax.figure.colorbar(drawn, ax=ax, label=f"local value ({result.units})", extend="both")
    ax.set_xlabel(labels[0], parse_math=False)
    ax.set_ylabel(labels[1], parse_math=False)
    open_frame(ax)
    return ax


def principal_plane(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first two principal components of standardised columns (n, 2), and their shares of the variance."""
    centred = values - values.mean(axis=0)
    deviation = centred.std(axis=0)
    z = centred[:, deviation > 0] / deviation[deviation > 0]
    if z.shape[1] < 2:
        z = np.column_stack((z, np.zeros((len(z), 2 - z.shape[1]))))
    variances, axes = np.linalg.eigh(z.T @ z / len(z)) if z.shape[1] <= len(z) else _by_rows(z)
    two = axes[:, ::-1][:, :2]
    two = two * np.where(two[np.abs(two).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)  # a sign that no library chooses
    return z @ two, variances[::-1][:2] / max(z.shape[1], 1)


def _by_rows(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues, ascending, and axes of more columns than rows."""
    _, singular, axes = np.linalg.svd(z, full_matrices=False)
    return singular[::-1] ** 2 / len(z), axes[::-1].T


def plot_relevance(relevance: Relevance, *, max_columns: int = 15, ax: Axes | None = None) -> Axes:
    """A bar for each column, filled where it is above the threshold.

    Parameters
    ----------
    relevance : Relevance
        From :func:`infold.relevance`.
    max_columns : int, default=15
        Bars a side, at most; those with the largest scores are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, tall enough, by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, noise_dims=2, random_state=0)
    >>> relevance = infold.relevance(data.X, data.Y, random_state=0)
    >>> ax = infold.plotting.plot_relevance(relevance)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['X 0', 'X 1', 'Y 0', 'Y 1']
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    check_count("max_columns", max_columns)
    rows = relevance.columns()
    sides = [sorted((r for r in rows if r["side"] == side), key=lambda r: -r["score"])[:max_columns] for side in "xy"]
    n_bars = sum(map(len, sides))
    ax = new_figure(5.0, 1.3 + 0.24 * (n_bars + 1)).add_subplot() if ax is None else ax
    places: list[int] = []
    for side, threshold in zip(sides, (relevance.threshold_x, relevance.threshold_y), strict=True):
        top = places[-1] + 2 if places else 0  # a gap between the sides
        here = range(top, top + len(side))
        for place, row in zip(here, side, strict=True):
            look = FOUND if row["relevant"] else NOT_FOUND
            ax.barh(place, row["score"], height=0.75, edgecolor="black", linewidth=0.7, **look)
        ends = [threshold] * 2, [here[0] - 0.5, here[-1] + 0.5]
        ax.plot(*ends, color="white", linewidth=3.2)  # so that it shows on a dark bar
        ax.plot(*ends, **THRESHOLD)
        places += here
    names = [f"{row['side'].upper()} {label(row['name'])}" for side in sides for row in side]
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(places[-1] + 0.6, -0.6)
    lost = "" if relevance.kind == "alone" else "loss of "
    ax.set_xlabel(lost + mi_label(relevance.units))
    if n_bars < len(rows):
        ax.set_title(f"the {max_columns} highest columns of a side, of {len(rows)} in all", fontsize="medium")
    bars = (("above", FOUND), ("not above", NOT_FOUND))
    patches = [Patch(edgecolor="black", linewidth=0.7, label=words, **look) for words, look in bars]
    legend_above(ax, handles=[Line2D([], [], label="threshold", **THRESHOLD), *patches], ncols=3)
    open_frame(ax)
    return ax
