"""Plots of series: information over lags, transfer entropy in time and between columns, sliding windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infold.display import pvalue_text

from .figures import BLUE, VERMILLION, axes_or_new, label, legend_above, mi_label, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.timeseries import LaggedInformation, TransferEntropy, TransferEntropyMatrix, Windows


IN_TIME = 7.0, 3.0  # width and height of plots over time


def plot_lags(found: LaggedInformation, *, ax: Axes | None = None) -> Axes:
    """Plot the estimates over the lags, and the threshold that one must exceed to be significant among them.

    Parameters
    ----------
    found : LaggedInformation
        From :func:`infold.lagged_mutual_information`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, infold
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> found = infold.lagged_mutual_information(x[2:], x[:-2], range(-3, 4), n_surrogates=19, random_state=0)
    >>> infold.plotting.plot_lags(found).get_title()
    'p = 0.05 over 7 lags'
    """
    ax = axes_or_new(ax)
    order = np.argsort(found.lags)
    lags, mi = np.array(found.lags)[order], found.mi[order]
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.plot(lags, mi, color=BLUE, linewidth=1.2, marker="o", markersize=4, markerfacecolor="white", label="estimate")
    if found.n_surrogates:
        significant = found.corrected_pvalues[order] <= found.alpha
        ax.plot(
            lags[significant], mi[significant], color=BLUE, marker="o", markersize=5, linestyle="none",
            label=f"corrected p ≤ {found.alpha:g}",
        )  # fmt: skip
        ax.plot(
            lags, found.thresholds[order], color=VERMILLION, linewidth=1.2, linestyle=(0, (5, 1)),
            label="threshold, all lags together",
        )  # fmt: skip
        family = f" over {len(lags)} lags" if len(lags) > 1 else ""
        ax.set_title(pvalue_text(found.pvalue) + family, fontsize="medium")
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("lag (steps by which x is earlier)")
    ax.set_ylabel(mi_label(found.units))
    legend_above(ax, ncols=3)
    open_frame(ax)
    return ax


def plot_transfer(found: TransferEntropy, *, ax: Axes | None = None) -> Axes:
    """Plot the local transfer entropies over time.

    Parameters
    ----------
    found : TransferEntropy
        From :func:`infold.transfer_entropy`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, infold
    >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
    >>> found = infold.transfer_entropy(x, y, n_surrogates=19, random_state=0)
    >>> infold.plotting.plot_transfer(found).get_xlabel()
    'row'
    """
    ax = axes_or_new(ax, *IN_TIME)
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.plot(found.rows, found.local, color=BLUE, marker=".", markersize=2, linestyle="none", label="local")
    ax.axhline(found.te, color=VERMILLION, linestyle="dashed", linewidth=1.4, label=f"mean: {found.te:.3g}")
    ax.set_xlabel("row")
    ax.set_ylabel(f"transfer entropy ({found.units})")
    if found.null.size:
        ax.set_title(f"{pvalue_text(found.pvalue)}, effective {found.effective:.3g}", fontsize="medium")
    legend_above(ax, ncols=2)
    open_frame(ax)
    return ax


def plot_windows(found: Windows, *, ax: Axes | None = None) -> Axes:
    """Plot estimates in sliding windows over time: a line, or a map over the lags if there are several.

    Parameters
    ----------
    found : Windows
        `result.windows`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, infold
    >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
    >>> found = infold.lagged_mutual_information(x, y, [0], windows=40, n_surrogates=0)
    >>> infold.plotting.plot_windows(found.windows).get_xlabel()
    'row in the middle of the window'
    """
    ax = axes_or_new(ax, *IN_TIME)
    middles = (found.starts + found.stops - 1) / 2
    ax.set_xlabel("row in the middle of the window")
    what = f"information ({found.units})"
    if len(found.labels) == 1:
        ax.axhline(0.0, color="black", linewidth=0.8)
        ax.plot(middles, found.values[:, 0], color=BLUE, marker="o", markersize=3, linewidth=1.2)
        ax.set_ylabel(what)
        open_frame(ax)
        return ax
    order = np.argsort(found.labels)
    image = ax.pcolormesh(
        middles, np.array(found.labels)[order], found.values[:, order].T, cmap="cividis", shading="nearest"
    )
    ax.figure.colorbar(image, ax=ax, label=what)
    ax.set_ylabel("lag")
    return ax


def plot_transfer_matrix(found: TransferEntropyMatrix, *, ax: Axes | None = None) -> Axes:
    """Plot the effective transfer entropy from each column to each other; pairs with q ≤ 0.05 have a dot.

    Parameters
    ----------
    found : TransferEntropyMatrix
        From :func:`infold.transfer_entropy_matrix`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, infold
    >>> table = np.random.default_rng(0).normal(size=(100, 3))
    >>> found = infold.transfer_entropy_matrix(table, n_surrogates=19, random_state=0)
    >>> infold.plotting.plot_transfer_matrix(found).get_ylabel()
    'source'
    """
    d = len(found.names)
    ax = axes_or_new(ax, *matrix_size(found))
    image = ax.imshow(found.effective, cmap="cividis")
    ax.figure.colorbar(image, ax=ax, label=f"effective transfer entropy ({found.units})")
    sources, targets = np.nonzero(found.qvalues <= 0.05)
    ax.plot(targets, sources, color="white", marker="o", markeredgecolor="black", linestyle="none")
    names = [label(name) for name in found.names]
    ax.set_xticks(range(d), names, rotation=90, parse_math=False)
    ax.set_yticks(range(d), names, parse_math=False)
    ax.set_xlabel("target")
    ax.set_ylabel("source")
    return ax


def matrix_size(found: TransferEntropyMatrix) -> tuple[float, float]:
    """Return the width and height of the figure in inches."""
    d = len(found.names)
    return 2.5 + 0.4 * d, 2.0 + 0.4 * d
