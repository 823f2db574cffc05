"""Plots of samples whose mutual information is known, and of what each method estimates on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .figures import STYLES, axes_or_new, legend_above, mi_label, new_figure, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infold.datasets import Dataset


def plot_methods(
    noise_dims: Sequence[int],
    estimates: Mapping[str, Sequence[float]],
    truth: float,
    *,
    units: str = "nats",
    ax: Axes | None = None,
) -> Axes:
    """Plot the estimates of each method against the number of noise columns, with the truth.

    Parameters
    ----------
    noise_dims : sequence of int
        Number of irrelevant columns of each sample.
    estimates : mapping of str to sequence of float
        Name of each method, as shown in the legend, and its estimate on each sample.
    truth : float
        True mutual information, the same for every sample; drawn as a dashed line.
    units : str
        Unit on the vertical axis.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> ax = plot_methods([0, 4, 10], {"KSG": [5.1, 2.0, 0.9], "G-KSG": [5.0, 3.1, 2.2]}, truth=6.77)
    >>> ax.get_ylabel()
    'mutual information (nats)'
    """
    ax = axes_or_new(ax)
    ax.axhline(truth, color="black", linestyle="dashed", linewidth=1.2, label=f"truth ({truth:.2f})")
    for i, (name, values) in enumerate(estimates.items()):
        color, marker, line = STYLES[i % len(STYLES)]
        ax.plot(noise_dims, values, color=color, marker=marker, linestyle=line, markersize=6, label=name)
    ax.set_xlabel("noise columns")
    ax.set_ylabel(mi_label(units))
    ax.set_xticks(list(noise_dims))
    ax.set_ylim(bottom=min(0.0, *(value for values in estimates.values() for value in values)))
    ax.margins(y=0.08)
    legend_above(ax, ncols=len(estimates) + 1)
    open_frame(ax)
    return ax


def plot_sample(dataset: Dataset, *, ax: Axes | None = None) -> Axes:
    """Plot the first two columns of Y as points, coloured by the first column of X.

    Parameters
    ----------
    dataset : Dataset
        A sample from `infold.datasets` with at least two columns in Y.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from infold.datasets import make_helix
    >>> ax = plot_sample(make_helix(100, random_state=0))
    >>> ax.get_title()
    'helix: 100 rows'
    """
    ax = axes_or_new(ax)
    Y = dataset.Y
    points = ax.scatter(Y[:, 0], Y[:, 1], c=dataset.X[:, 0], cmap="cividis", s=9, linewidths=0)
    ax.figure.colorbar(points, ax=ax, label="X, first column")
    ax.set_aspect("equal")
    ax.set_xlabel("Y, first column")
    ax.set_ylabel("Y, second column")
    ax.set_title(f"{dataset.name}: {len(Y)} rows", fontsize="medium")
    open_frame(ax)
    return ax


def plot_demo(
    dataset: Dataset, noise_dims: Sequence[int], estimates: Mapping[str, Sequence[float]], truth: float
) -> Figure:
    """Return the figure of the demo: the sample on the left, the methods' estimates on the right.

    Parameters
    ----------
    dataset : Dataset
        The sample without noise columns, for `plot_sample`.
    noise_dims, estimates, truth
        For `plot_methods`.

    Returns
    -------
    matplotlib Figure
    """
    figure = new_figure(9.6, 4.0)
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    plot_sample(dataset, ax=left)
    plot_methods(noise_dims, estimates, truth, ax=right)
    right.set_title("what each method finds", fontsize="medium", pad=24)  # above the legend
    return figure
