"""Plots: results and samples in, matplotlib Axes out.

matplotlib is imported where it is used, and figures are made without pyplot, so no global state changes and no window
opens. Colours are those of Okabe and Ito; every series also has its own marker and line style, so that a plot can be
read in greyscale.
"""

from .columns import plot_local, plot_relevance
from .figures import new_figure
from .inference import plot_comparison, plot_drift, plot_interval, plot_null, plot_planted
from .samples import plot_demo, plot_methods, plot_sample
from .selection import plot_selection

__all__ = [
    "new_figure",
    "plot_comparison",
    "plot_demo",
    "plot_drift",
    "plot_interval",
    "plot_local",
    "plot_methods",
    "plot_null",
    "plot_planted",
    "plot_relevance",
    "plot_sample",
    "plot_selection",
]
