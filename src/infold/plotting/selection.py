"""Plot of a forward selection: what each column adds, in the order in which they were selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infold.display import pvalue_text

from .figures import BLUE, PALE, axes_or_new, label, legend_above, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.selection import InformationSelector


MOST_COLUMNS = 20


def plot_selection(selector: InformationSelector, *, max_columns: int = MOST_COLUMNS, ax: Axes | None = None) -> Axes:
    """Plot the path of a fitted selector: two bars for each selected column, first at the top, and its p-value.

    Parameters
    ----------
    selector : InformationSelector
        A fitted selector.
    max_columns : int, default=20
        Maximum number of columns to draw: those selected first.
    ax : matplotlib Axes, optional
        Where to draw; a new figure, tall enough, by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, noise_dims=2, random_state=0)
    >>> selector = infold.selection.InformationSelector(random_state=0).fit(data.X, data.Y)
    >>> ax = infold.plotting.plot_selection(selector)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['column 0']
    """
    path = selector.path_[:max_columns]
    ax = axes_or_new(ax, 5.4, selection_height(selector, max_columns))
    for place, step in enumerate(path):
        alone = ax.barh(place - 0.19, selector.scores_[step.column], 0.36, color=PALE, edgecolor="black", linewidth=0.7)
        value = ax.barh(place + 0.19, step.score, 0.36, color=BLUE, edgecolor="black", linewidth=0.7)
        if place == 0:
            alone.set_label("alone: I(column; target)")
            value.set_label(f"when selected: {selector.criterion}")
        right = max(selector.scores_[step.column], step.score, 0.0)
        ax.annotate(pvalue_text(step.pvalue), (right, place), (4, 0), textcoords="offset points", va="center")
    names = [label(step.name) if step.name is not None else f"column {step.column}" for step in path]
    ax.set_yticks(range(len(path)), names, parse_math=False)
    ax.set_ylim(max(len(path), 1) - 0.4, -0.6)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.margins(x=0.18)
    ax.set_xlabel("information (nats)")
    if len(path) < len(selector.path_):
        ax.set_title(f"the first {len(path)} of {len(selector.path_)} selected columns", fontsize="medium")
    if path:
        legend_above(ax, ncols=2)
    else:
        ax.text(0.5, 0.5, "no column was selected", transform=ax.transAxes, ha="center", va="center")
    open_frame(ax)
    return ax


def selection_height(selector: InformationSelector, max_columns: int = MOST_COLUMNS) -> float:
    """Return the height of the figure in inches."""
    return 1.5 + 0.4 * max(min(len(selector.path_), max_columns), 1)
