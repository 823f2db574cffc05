"""Plots of where the information is: which samples and which columns carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.checks import check_count
from infold.data.tables import check_table

from .figures import BLUE, PALE, axes_or_new, label, legend_above, mi_label, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.inference.relevance import Relevance
    from infold.results import MutualInformation

FOUND: dict[str, Any] = {"facecolor": BLUE}
NOT_FOUND: dict[str, Any] = {"facecolor": "white", "hatch": "////"}
THRESHOLD: dict[str, Any] = {"color": "black", "linewidth": 1.6}

MANY_POINTS = 1_000  # more points than this are drawn as one bitmap in a vector image, not as a shape each


def plot_local(result: MutualInformation, points: Any, *, ax: Axes | None = None) -> Axes:
    """Plot samples in a plane, darker where X and Y carry more information about each other.

    Parameters
    ----------
    result : MutualInformation
        From :func:`infold.mutual_information`. Samples without a local value (`max_queries`) are left out.
    points : array, table or series, of shape (n_samples, n_columns) or (n_samples,)
        Where to draw each sample: the columns of X, of Y, or of both. Two columns are the axes; with more, the axes are
        the first two principal components (of standardised columns); one column is drawn against the local values.
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
    table = check_table(points, "points", discrete=False)
    if len(table.values) != result.n_samples:
        raise ValueError(
            f"points has {len(table.values)} rows, but the result is about {result.n_samples} samples; pass the "
            f"rows of the same table."
        )
    local = np.asarray(result.local)
    values = table.values if result.query_rows is None else table.values[result.query_rows]
    names = [label(name) for name in table.names or (f"column {i}" for i in range(values.shape[1]))]
    value_label = f"local value ({result.units})"
    coordinates, x_label, y_label = _in_a_plane(values, names, local, value_label)
    low, high = np.quantile(local, (0.02, 0.98))  # a few extreme rows would use up the colour scale
    order = np.argsort(local, kind="stable")  # dark on top of pale
    x, y = coordinates[order].T
    ax = axes_or_new(ax)
    drawn = ax.scatter(
        x, y, c=local[order], cmap="cividis_r", vmin=low, vmax=high if high > low else low + 1,
        s=14, linewidths=0.3, edgecolors="#555555", rasterized=local.size > MANY_POINTS,
    )  # fmt: skip
    ax.figure.colorbar(drawn, ax=ax, label=value_label, extend="both")
    ax.set_xlabel(x_label, parse_math=False)
    ax.set_ylabel(y_label, parse_math=False)
    open_frame(ax)
    return ax


def plot_local_values(result: MutualInformation, *, ax: Axes | None = None) -> Axes:
    """Plot how the local values are distributed, and their mean, the estimate.

    Parameters
    ----------
    result : MutualInformation
        From :func:`infold.mutual_information`.
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
    >>> infold.plotting.plot_local_values(result).get_xlabel()
    'local value (nats)'
    """
    ax = axes_or_new(ax)
    local = np.asarray(result.local)
    bins = min(40, max(5, round(local.size**0.5)))
    ax.hist(local, bins=bins, color=PALE, edgecolor="black", linewidth=0.7, label="samples")
    ax.axvline(result.mi, color=BLUE, linewidth=2.5, label=f"mean, the estimate: {result.mi:.3g}")
    ax.set_xlabel(f"local value ({result.units})")
    ax.set_ylabel("samples")
    legend_above(ax, ncols=2)
    open_frame(ax)
    return ax


def _in_a_plane(
    values: np.ndarray, names: list[str], local: np.ndarray, value_label: str
) -> tuple[np.ndarray, str, str]:
    """Return coordinates (n, 2) of samples with any number of columns, and the names of the two axes."""
    if values.shape[1] == 1:
        return np.column_stack((values, local)), names[0], value_label
    if values.shape[1] == 2:
        return values, names[0], names[1]
    plane, shares = principal_plane(values)
    first, second = (f"component {i + 1} ({100 * share:.0f} % of variance)" for i, share in enumerate(shares))
    return plane, first, second


def principal_plane(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first two principal components of standardised columns (n, 2), and their shares of the variance."""
    centred = values - values.mean(axis=0)
    deviation = centred.std(axis=0)
    z = centred[:, deviation > 0] / deviation[deviation > 0]
    if z.shape[1] < 2:
        z = np.column_stack((z, np.zeros((len(z), 2 - z.shape[1]))))
    variances, axes = np.linalg.eigh(z.T @ z / len(z)) if z.shape[1] <= len(z) else _eigen_by_svd(z)
    two = axes[:, ::-1][:, :2]
    two = two * np.where(
        two[np.abs(two).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0
    )  # a sign that does not depend on the library
    return z @ two, variances[::-1][:2] / max(z.shape[1], 1)


def _eigen_by_svd(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues of the covariance, ascending, and their axes, for more columns than rows."""
    _, singular, axes = np.linalg.svd(z, full_matrices=False)
    return singular[::-1] ** 2 / len(z), axes[::-1].T


def plot_relevance(relevance: Relevance, *, max_columns: int = 15, ax: Axes | None = None) -> Axes:
    """Plot a bar for each column, filled if it is relevant, and its threshold, if it has one.

    Parameters
    ----------
    relevance : Relevance
        From :func:`infold.relevance`.
    max_columns : int, default=15
        Maximum number of bars per side; the columns with the largest scores are drawn.
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
    check_count("max_columns", max_columns)
    rows = [row for row in relevance.columns() if row["score"] is not None]
    sides = [sorted((r for r in rows if r["side"] == side), key=lambda r: -r["score"])[:max_columns] for side in "xy"]
    n_bars = sum(map(len, sides))
    ax = axes_or_new(ax, 5.0, relevance_height(relevance, max_columns))
    places: list[int] = []
    for side in sides:
        top = places[-1] + 2 if places else 0  # a gap between the sides
        _draw_side(ax, side, top)
        places += range(top, top + len(side))
    names = [f"{row['side'].upper()} {label(row['name'])}" for side in sides for row in side]
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(places[-1] + 0.6, -0.6)
    lost = "" if relevance.kind == "alone" else "loss of "
    ax.set_xlabel(lost + mi_label(relevance.units))
    if n_bars < len(rows):
        ax.set_title(f"the {max_columns} highest columns per side, of {len(rows)} in all", fontsize="medium")
    _relevance_legend(ax, any(row["threshold"] is not None for row in rows))
    open_frame(ax)
    return ax


def relevance_height(relevance: Relevance, max_columns: int) -> float:
    """Return the height in inches that the bars need."""
    sides = relevance.scores_x, relevance.scores_y
    n_bars = sum(min(int(np.isfinite(scores).sum()), max_columns) for scores in sides)
    return 1.3 + 0.24 * (n_bars + 1)


def _draw_side(ax: Axes, rows: list[dict[str, Any]], top: int) -> None:
    """Draw the bars of one side from `top` downwards, and the threshold of each across it."""
    for place, row in enumerate(rows, top):
        look = FOUND if row["relevant"] else NOT_FOUND
        ax.barh(place, row["score"], height=0.75, edgecolor="black", linewidth=0.7, **look)
        if row["threshold"] is not None:
            ends = [row["threshold"]] * 2, [place - 0.5, place + 0.5]
            ax.plot(*ends, color="white", linewidth=3.2)  # so that it shows on a dark bar
            ax.plot(*ends, **THRESHOLD)


def _relevance_legend(ax: Axes, has_threshold: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    bars = (("relevant", FOUND), ("not relevant", NOT_FOUND))
    patches = [Patch(edgecolor="black", linewidth=0.7, label=words, **look) for words, look in bars]
    lines = [Line2D([], [], label="threshold", **THRESHOLD)] if has_threshold else []
    legend_above(ax, right=True, handles=[*lines, *patches], ncols=3)
