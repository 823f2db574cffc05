"""Plots: results and samples in, matplotlib Axes out.

matplotlib is imported where it is used, and figures are made without pyplot, so no global state changes and no window
opens. Colours are those of Okabe and Ito; every series also has its own marker and line style, so that a plot can be
read in greyscale.
"""

from .columns import plot_local, plot_local_values, plot_relevance
from .figures import new_figure
from .inference import plot_comparison, plot_drift, plot_interval, plot_null, plot_planted
from .network import plot_network
from .samples import plot_demo, plot_methods, plot_sample
from .selection import plot_selection
from .series import plot_lags, plot_transfer, plot_transfer_matrix, plot_windows

__all__ = [
    "new_figure",
    "plot_comparison",
    "plot_demo",
    "plot_drift",
    "plot_interval",
    "plot_lags",
    "plot_local",
    "plot_local_values",
    "plot_methods",
    "plot_network",
    "plot_null",
    "plot_planted",
    "plot_relevance",
    "plot_sample",
    "plot_selection",
    "plot_transfer",
    "plot_transfer_matrix",
    "plot_windows",
]
