"""Plots of how far an estimate can be trusted: null distribution, interval, drift, other methods, planted MI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.checks import check_choice
from infold.display import pvalue_text

from .figures import BLUE, PALE, VERMILLION, axes_or_new, legend_above, mi_label, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.results import ConfidenceInterval, Diagnosis, IndependenceTest

NEAR_CEILING = 0.6  # the ceiling is drawn if the estimate exceeds this fraction of it


def plot_null(test: IndependenceTest, *, ax: Axes | None = None) -> Axes:
    """Plot the null distribution, the estimates on re-paired rows, and the estimate itself.

    Parameters
    ----------
    test : IndependenceTest
        From :func:`infold.independence_test`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> test = infold.independence_test(data.X, data.Y, method="ksg", n_permutations=99, random_state=0)
    >>> ax = infold.plotting.plot_null(test)
    >>> ax.get_title()
    'p = 0.01, 99 permutations'
    """
    ax = axes_or_new(ax)
    null = np.asarray(test.null)
    ax.hist(null, bins=_bins(null), color=PALE, edgecolor="black", linewidth=0.7, label="re-paired")
    ax.axvline(test.null_mean, color="black", linestyle="dashed", linewidth=1.2, label="their mean")
    ax.axvline(test.statistic, color=BLUE, linewidth=2.5, label=f"observed: {test.statistic:.3g}")
    ax.set_xlabel(mi_label(test.units) if test.statistic_name == "mi" else _statistic_label(test))
    ax.set_ylabel("permutations")
    stopped = ", stopped early" if test.stopped_early else ""
    ax.set_title(f"{pvalue_text(test.pvalue)}, {test.n_permutations} permutations{stopped}", fontsize="medium")
    legend_above(ax, ncols=3)
    open_frame(ax)
    return ax


def plot_interval(interval: ConfidenceInterval, *, ax: Axes | None = None) -> Axes:
    """Plot the estimate with its interval, and its mean on smaller samples: a line that still climbs shows bias.

    Parameters
    ----------
    interval : ConfidenceInterval
        From :func:`infold.confidence_interval`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, random_state=0)
    >>> interval = infold.confidence_interval(data.X, data.Y, method="ksg", random_state=0)
    >>> ax = infold.plotting.plot_interval(interval)
    >>> ax.get_xlabel()
    'samples'
    """
    ax = axes_or_new(ax)
    n, mi = interval.n_samples, interval.mi
    smaller = sorted((s, m) for s, m in zip(interval.sizes, interval.means, strict=True) if s < n)
    path = [*smaller, (n, mi)]
    ax.plot(*zip(*path, strict=True), color="black", linestyle=(0, (5, 1)), linewidth=1.0, zorder=1)
    if smaller:
        ax.scatter(*zip(*smaller, strict=True), color="white", edgecolors="black", zorder=2, label="mean of subsamples")
    errors = [[max(mi - interval.low, 0.0)], [max(interval.high - mi, 0.0)]]
    ax.errorbar(
        [n], [mi], yerr=errors, color=BLUE, marker="s", markersize=7, linewidth=2.5, capsize=6, capthick=2.5,
        linestyle="none", label=f"{100 * interval.level:g} % interval",
    )  # fmt: skip
    _size_axis(ax, [s for s, _ in path])
    ax.set_ylabel(mi_label(interval.units))
    ax.set_title(f"{mi:.3g} [{interval.low:.3g}, {interval.high:.3g}] {interval.units}", fontsize="medium")
    _widen_y(ax)
    ax.legend(frameon=False, loc="upper left", fontsize="small")
    open_frame(ax)
    return ax


def plot_drift(diagnosis: Diagnosis, *, over: str = "size", ax: Axes | None = None) -> Axes:
    """Plot how the estimate changes with the number of samples, or with the number of neighbours.

    Parameters
    ----------
    diagnosis : Diagnosis
        From :func:`infold.diagnose`.
    over : {"size", "neighbors"}, default="size"
        What varies.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> diagnosis = infold.diagnose(data.X, data.Y, method="ksg", n_simulations=2, random_state=0)
    >>> infold.plotting.plot_drift(diagnosis, over="neighbors").get_xlabel()
    'neighbours k'
    """
    check_choice("over", over, ("size", "neighbors"))
    ax = axes_or_new(ax)
    mi = diagnosis.estimate.mi
    ax.axhline(mi, color=BLUE, linewidth=2.0, zorder=1, label=f"estimate: {mi:.3g}")
    draw = _draw_over_size if over == "size" else _draw_over_neighbors
    draw(ax, diagnosis)
    if mi > NEAR_CEILING * diagnosis.ceiling:
        ax.axhline(
            diagnosis.ceiling, color=VERMILLION, linestyle=(0, (1, 1)), linewidth=2.0,
            label=f"maximum possible: {diagnosis.ceiling:.3g}",
        )  # fmt: skip
    ax.set_ylabel(mi_label(diagnosis.estimate.units))
    _widen_y(ax)
    ax.legend(frameon=False, loc="upper left", fontsize="small")
    open_frame(ax)
    return ax


def plot_comparison(diagnosis: Diagnosis, *, ax: Axes | None = None) -> Axes:
    """Plot what each method estimates on the same data; the marker of the method in use is filled.

    Parameters
    ----------
    diagnosis : Diagnosis
        From :func:`infold.diagnose`.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> diagnosis = infold.diagnose(data.X, data.Y, method="ksg", n_simulations=2, random_state=0)
    >>> ax = infold.plotting.plot_comparison(diagnosis)
    >>> ax.get_xlabel()
    'mutual information (nats)'
    """
    ax = axes_or_new(ax)
    used = diagnosis.estimate.method
    methods = {used: diagnosis.estimate.mi, **diagnosis.methods}
    rows = range(len(methods))
    for row, (name, value) in zip(rows, methods.items(), strict=True):
        color = BLUE if name == used else "white"
        ax.plot([0, value], [row, row], color="black", linewidth=1.0, zorder=1)
        ax.plot(value, row, marker="o", markersize=9, markerfacecolor=color, markeredgecolor="black", zorder=2)
        offset, align = (12, "left") if value >= 0 else (-12, "right")
        ax.annotate(
            f"{value:.3g}", (value, row), (offset, 0), textcoords="offset points", ha=align, va="center",
            fontsize="small",
        )  # fmt: skip
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(rows, [f"{name} (used)" if name == used else name for name in methods])
    ax.set_ylim(len(methods) - 0.5, -0.5)
    ax.margins(x=0.18)
    ax.set_xlabel(mi_label(diagnosis.estimate.units))
    open_frame(ax)
    return ax


def plot_planted(diagnosis: Diagnosis, *, ax: Axes | None = None) -> Axes:
    """Plot the estimates when a known MI is planted in data of the same size: bias, spread and power to expect.

    Parameters
    ----------
    diagnosis : Diagnosis
        From :func:`infold.diagnose`, with a planted simulation.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> diagnosis = infold.diagnose(data.X, data.Y, method="ksg", n_simulations=2, random_state=0)
    >>> infold.plotting.plot_planted(diagnosis).get_xlabel()
    'planted (nats)'
    """
    ax = axes_or_new(ax)
    rows = sorted(diagnosis.planted, key=lambda row: row["true"])
    places = range(len(rows))
    ax.errorbar(
        places, [row["mean"] for row in rows], yerr=[row["sd"] for row in rows], color=VERMILLION, marker="D",
        markeredgecolor="black", linestyle="none", linewidth=1.2, capsize=4, label="estimated, ± 1 deviation",
    )  # fmt: skip
    ax.hlines(
        [row["true"] for row in rows], [p - 0.3 for p in places], [p + 0.3 for p in places], color="black",
        linewidth=1.6, label="planted",
    )  # fmt: skip
    power = [f"\npower {100 * row['power']:.0f} %" if row["true"] > 0 else "\n" for row in rows]
    ax.set_xticks(places, [f"{row['true']:.2g}{p}" for row, p in zip(rows, power, strict=True)], fontsize="small")
    ax.margins(x=0.08, y=0.12)
    units = diagnosis.estimate.units
    ax.set_xlabel(f"planted ({units})")
    ax.set_ylabel(f"estimated ({units})")
    legend_above(ax, ncols=2)
    open_frame(ax)
    return ax


def _draw_over_size(ax: Axes, diagnosis: Diagnosis) -> None:
    whole = {diagnosis.n_samples: (diagnosis.estimate.mi, 0.0)}
    rows = sorted((n, *pair) for n, pair in {**whole, **diagnosis.over_size}.items())
    sizes, means, deviations = zip(*rows, strict=True)
    ax.errorbar(
        sizes, means, yerr=deviations, color="black", marker="o", markerfacecolor="white", linestyle=(0, (5, 1)),
        linewidth=1.0, capsize=3, label="subsamples, ± 1 deviation",
    )  # fmt: skip
    _size_axis(ax, sizes)


def _draw_over_neighbors(ax: Axes, diagnosis: Diagnosis) -> None:
    k, values = zip(*sorted(diagnosis.over_neighbors.items()), strict=True)
    ax.plot(k, values, color="black", marker="^", markerfacecolor="white", linestyle=(0, (5, 1)), linewidth=1.0)
    ax.set_xscale("log")
    _plain_ticks(ax, k)
    ax.set_xlabel("neighbours k")


def _statistic_label(test: IndependenceTest) -> str:
    name = test.statistic_name.replace("-", "\N{MINUS SIGN}")
    return f"evidence of dependence ({name})"


def _bins(values: np.ndarray) -> Any:
    """Return the bins of a histogram; values that are all the same still get a bin."""
    spread = float(np.ptp(values))
    if spread <= 1e-12 * float(np.abs(values).max()):
        width = 0.05 * float(np.abs(values).max()) or 0.01
        return [float(values[0]) - width, float(values[0]) + width]
    return min(40, max(8, round(values.size**0.5)))


def _size_axis(ax: Axes, sizes: Any) -> None:
    """Make x a log axis of the number of samples, with a tick at each size."""
    ax.set_xscale("log")
    _plain_ticks(ax, sizes)
    ax.set_xlabel("samples")


def _plain_ticks(ax: Axes, values: Any) -> None:
    """Put ticks at the values only, in plain numbers; of two that would overlap, keep the larger."""
    chosen: list[float] = []
    gap = (max(values) / min(values)) ** 0.08
    for value in sorted(set(values), reverse=True):
        if not chosen or chosen[-1] / value > gap:
            chosen.append(value)
    ax.set_xticks(chosen, [f"{value:g}" if value < 1e5 else f"{value:.3g}" for value in chosen])
    ax.minorticks_off()


def _widen_y(ax: Axes) -> None:
    """Leave space for a legend at the top, and make the axis span wide enough that noise does not look like drift."""
    low, high = ax.get_ylim()
    middle, least = (low + high) / 2, max(0.2, 0.2 * abs(low + high) / 2)
    half = max(high - low, least) / 2
    ax.set_ylim(middle - half, middle + 1.6 * half)
