"""What all plots share: figures without pyplot, styles that work in greyscale, labels for any name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
PALE = "#D9D9D9"

# Colour, marker and line style of the first series, the second, ...
STYLES = (
    (VERMILLION, "s", (0, (1, 1))),
    (BLUE, "o", "solid"),
    (GREEN, "^", (0, (5, 1))),
    (PURPLE, "D", (0, (3, 1, 1, 1))),
)

LONGEST_LABEL = 20  # characters; a longer name would leave no space for the plot


def new_figure(width: float = 5.0, height: float = 3.8) -> Figure:
    """Return an empty figure, sized in inches, that is not tied to a window."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "plotting needs matplotlib; install it with: pip install 'infold[plot]'", name="matplotlib"
        ) from error
    return Figure(figsize=(width, height), layout="constrained")


def axes_or_new(ax: Axes | None, width: float = 5.0, height: float = 3.8) -> Axes:
    """Return `ax`, or the axes of a new figure if it is None."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def open_frame(ax: Any) -> None:
    """Remove the top and right borders, which carry no information."""
    ax.spines[["top", "right"]].set_visible(False)


def label(name: Any) -> str:
    """Return a column's name as one short line; draw it with `parse_math=False`, as a name may contain a $.

    >>> label("a name that goes on and on and on")
    'a name tha…on and on'
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in str(name)).split())
    if len(text) <= LONGEST_LABEL:
        return text
    half = LONGEST_LABEL // 2
    return f"{text[:half].rstrip()}…{text[1 - half :].lstrip()}"


def mi_label(units: str) -> str:
    """Return the label of an axis of mutual information."""
    return f"mutual information ({units})"


def legend_above(ax: Any, *, right: bool = False, **options: Any) -> None:
    """Put the legend between the axes and their title, where it hides no data; use `right` if tick labels are wide."""
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)} if right else {"bbox_to_anchor": (0.0, 1.0)}
    ax.legend(
        frameon=False, fontsize="small", borderaxespad=0.2, columnspacing=1.0, handlelength=1.4,
        **{"loc": "lower left", **place, **options},
    )  # fmt: skip
    if ax.get_title():
        ax.set_title(ax.get_title(), fontsize="medium", pad=24, parse_math=False)
