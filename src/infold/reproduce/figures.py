"""Figures of the experiments, in the paper's form: means over repetitions, truth as a dashed line.

Colour and marker stand for the method, the line style for k (or whatever else is compared). "Default" means infold's
defaults, with standardised columns. A hollow marker means that the method itself warned in at least one repetition.
"""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from infold.data.output import write_output
from infold.plotting.figures import new_figure, open_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .plan import Experiment

Row = dict[str, Any]
TASKS = ("uniform", "gaussian", "helix", "sphere")


class Look(NamedTuple):
    """Name, colour and marker of a method."""

    name: str
    color: str
    marker: str


LOOKS = {  # method, variant, standardize
    ("ksg", "", False): Look("KSG", "#D55E00", "s"),
    ("ksg", "", True): Look("KSG, default", "#E69F00", "p"),
    ("gksg", "paper", False): Look("G-KSG", "#0072B2", "o"),
    ("gksg", "paper", True): Look("G-KSG, default", "#56B4E9", "P"),
    ("gksg", "released", False): Look("G-KSG, released d_G", "#000000", "X"),
    ("gknn", "", False): Look("gKNN", "#009E73", "^"),
    ("lnn", "defined", False): Look("LNN", "#CC79A7", "D"),
    ("lnn", "rmi", False): Look("LNN as in rmi", "#888888", "v"),
}
DASHES: tuple[Any, ...] = ("solid", (0, (1, 1.2)), (0, (4, 1, 1, 1)))


class Line(NamedTuple):
    """One line of a figure: its points, and at which of them the method warned."""

    look: Look
    mark: Any
    x: list[float]
    y: list[float]
    warned: list[bool]


def lines(rows: Sequence[Row], x: str, mark: str, value: Callable[[Sequence[Row]], float] | None = None) -> list[Line]:
    """Return a line for each method and value of `mark`: the mean (or another `value`) of repetitions against `x`."""
    cells: dict[Hashable, dict[Any, dict[float, list[Row]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in rows:
        cells[row["method"], row["variant"], row["standardize"]][row[mark]][row[x]].append(row)
    summary = value or mean_estimate
    return [
        Line(
            LOOKS[key],  # type: ignore[index]
            marked,
            sorted(points),
            [summary(points[at]) for at in sorted(points)],
            [any(row["warned"] for row in points[at]) for at in sorted(points)],
        )
        for key, by_mark in cells.items()
        for marked, points in by_mark.items()
    ]


def mean_estimate(rows: Sequence[Row]) -> float:
    """Return the mean of the estimates."""
    return fmean(row["estimate"] for row in rows)


def mean_squared_error(rows: Sequence[Row]) -> float:
    """Return the mean squared error."""
    return fmean((row["estimate"] - row["truth"]) ** 2 for row in rows)


def median_seconds(rows: Sequence[Row]) -> float:
    """Return the median time: the first estimate in a process may be slower than the others."""
    return median(row["seconds"] for row in rows)


def only(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """Return the rows with the wanted values; a tuple lists alternatives."""
    sets = {name: value if isinstance(value, tuple) else (value,) for name, value in wanted.items()}
    return [row for row in rows if all(row[name] in values for name, values in sets.items())]


def draw_lines(
    ax: Axes, found: Sequence[Line], label: str = "k = {}", dashes: Callable[[Line], Any] | None = None
) -> None:
    """Draw lines; those of one method differ in their dash pattern, in order of appearance."""
    seen: dict[Look, list[Any]] = defaultdict(list)
    for line in found:
        if line.mark not in seen[line.look]:
            seen[line.look].append(line.mark)
        dash = dashes(line) if dashes else DASHES[seen[line.look].index(line.mark) % len(DASHES)]
        style = {"color": line.look.color, "linestyle": dash, "linewidth": 1.3}
        own = label.replace("k =", "k' =") if line.look.name.startswith("LNN") else label
        name = f"{line.look.name}, {own.format(line.mark)}"
        ax.plot(line.x, line.y, marker=line.look.marker, markersize=4, label=name, **style)
        hollow = [(a, b) for a, b, warned in zip(line.x, line.y, line.warned, strict=True) if warned]
        if hollow:
            ax.plot(*zip(*hollow, strict=True), line.look.marker, color=line.look.color, markersize=4, mfc="white")
    open_frame(ax)


def draw_truth(ax: Axes, rows: Sequence[Row]) -> float:
    """Draw the true values as dashed lines, grey where the paper's is only a bound, and return the highest."""
    highest = 0.0
    for row in {(row["truth"], row["truth_monte_carlo"], row["form"]): row for row in rows}.values():
        bound, best = row["truth"], row["truth_monte_carlo"]
        if best is None:
            ax.axhline(bound, color="black", linestyle="dashed", linewidth=1.2, label="truth")
        else:
            ax.axhline(bound, color="0.6", linestyle="dashed", linewidth=1.2, label="the paper's lower bound")
            ax.axhline(best, color="black", linestyle="dashed", linewidth=1.2, label="truth (Monte Carlo)")
        highest = max(highest, bound if best is None else best)
    return highest


def _finish(ax: Axes, title: str, x: str = "noise columns", y: str = "mutual information (nats)") -> None:
    ax.set_title(title, fontsize="medium")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if x == "noise columns":
        ax.locator_params("x", integer=True)


def _legend(figure: Figure, axes: Sequence[Axes], columns: int) -> None:
    """Draw one legend for all panels, below them."""
    names: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        names |= {label: handle for handle, label in zip(handles, labels, strict=True) if label not in names}
    figure.legend(names.values(), names.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8)


def draw_samples(rows: Sequence[Row]) -> Figure:
    """Draw the helix, and the sphere as in the authors' code and as in the supplement."""
    from infold.datasets import make_helix, make_sphere

    figure = new_figure(10.0, 3.9)
    helix, patch = make_helix(500, random_state=0), make_sphere(500, random_state=0)
    whole = make_sphere(500, form="released", random_state=0)
    panels = (
        ("sphere, as released (colour: longitude)", whole.X, whole.Y[:, 1]),
        ("sphere, as printed (colour: X₂)", patch.Y, patch.X[:, 1]),
        ("helix (colour: P)", helix.Y, helix.X[:, 0]),
    )
    axes = figure.subplots(1, 3, subplot_kw={"projection": "3d"})
    for ax, (title, points, color) in zip(axes, panels, strict=True):
        ax.scatter(*points.T, c=color, cmap="viridis", s=7, linewidths=0)
        ax.set_title(title, fontsize="medium")
        ax.tick_params(labelsize=7, pad=-2)
        ax.locator_params(nbins=4)
        ax.set_box_aspect((4, 4, 3.4), zoom=0.98)
    return figure


def draw_efficiency(rows: Sequence[Row]) -> Figure:
    """Draw estimate, squared error, time and ratio of times against the number of samples, and the control."""
    figure = new_figure(11.5, 6.4)
    axes = figure.subplots(2, 3).ravel()
    task, independent = _split(rows)
    first, error, control, time, ratio, legend = axes
    draw_truth(first, task)
    draw_lines(first, lines(task, "n", "k"))
    first.set_ylim(-1, 6)
    _finish(first, "uniform", "samples")
    draw_lines(error, lines(task, "n", "k", mean_squared_error))
    error.set_yscale("log")
    _finish(error, "mean squared error", "samples", "squared error (nats²)")
    draw_truth(control, independent)
    draw_lines(control, lines(independent, "n", "k"))
    _finish(control, "independent control", "samples")
    _draw_times(time, ratio, task)
    for ax in axes[:5]:
        ax.set_xscale("log")
        ax.set_xticks([100, 300, 1000, 3000, 8000], ["100", "300", "1000", "3000", "8000"])
        ax.minorticks_off()
    legend.axis("off")
    legend.legend(*first.get_legend_handles_labels(), loc="center", ncols=2, frameon=False, fontsize=8)
    return figure


def _draw_times(time: Axes, ratio: Axes, rows: Sequence[Row]) -> None:
    """Draw the time of one estimate for each method, and the ratio of G-KSG's time to KSG's."""
    fastest = only(rows, k=(3, 20)) if any(row["k"] == 20 for row in rows) else rows
    times = lines(fastest, "n", "k", median_seconds)
    draw_lines(time, times)
    time.set_yscale("log")
    _finish(time, "time of one estimate, one core", "samples", "seconds")
    by_method = {line.look.name: line for line in times}
    plain, geodesic = by_method.get("KSG"), by_method.get("G-KSG")
    if plain and geodesic and plain.x == geodesic.x:
        quotients = [a / b for a, b in zip(geodesic.y, plain.y, strict=True)]
        ratio.plot(plain.x, quotients, color="black", marker="o", markersize=4)
    ratio.axhline(10, color="0.6", linestyle="dashed", linewidth=1.2, label="10, the paper's")
    ratio.set_ylim(bottom=0)
    ratio.legend(frameon=False, fontsize=8)
    open_frame(ratio)
    _finish(ratio, "time of G-KSG / time of KSG, k = 3", "samples", "ratio")


def draw_noise(rows: Sequence[Row]) -> Figure:
    """Draw the estimates of all methods against the number of noise columns, and the control."""
    figure = new_figure(10.5, 5.2)
    left, right = figure.subplots(1, 2)
    task, independent = _split(rows)
    top = draw_truth(left, task)
    draw_lines(left, lines(task, "noise_dims", "k"))
    left.set_ylim(-1, max(2 * top, top + 3) if top < 6 else 1.6 * top)
    _finish(left, f"{task[0]['task']}, n = {task[0]['n']}")
    draw_truth(right, independent)
    draw_lines(right, lines(independent, "noise_dims", "k"))
    right.set_ylim(-1, 4)
    _finish(right, "independent control, the same marginals")
    _legend(figure, (left, right), 4)
    return figure


def draw_high(rows: Sequence[Row]) -> Figure:
    """Draw KSG and G-KSG with up to hundreds of noise columns, and their controls."""
    figure = new_figure(10.5, 6.6)
    axes = figure.subplots(2, 2)
    for (above, below), task in zip(axes.T, ("uniform", "sphere"), strict=True):
        for ax, name in ((above, task), (below, f"independent-{task}")):
            found = only(rows, task=name, form="paper", method=("ksg", "gksg"))
            top = draw_truth(ax, found)
            draw_lines(ax, lines(found, "noise_dims", "k"))
            ax.set_ylim(-0.3, top + 0.5 if top else 1.0)
            _finish(ax, name.replace("independent-", "independent control of "))
    _legend(figure, axes.ravel(), 4)
    return figure


def _split(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows of the tasks, and those of their controls."""
    tasks: list[Row] = []
    controls: list[Row] = []
    for row in rows:
        (controls if row["task"].startswith("independent-") else tasks).append(row)
    return tasks, controls


def _grid(rows: Sequence[Row], mark: str, label: str) -> Figure:
    """Draw tasks side by side, controls last; the top row is without standardisation, the bottom row with it."""
    figure = new_figure(12.5, 5.8)
    axes = figure.subplots(2, len(TASKS) + 1, sharex=True, sharey="col")
    marks = sorted({row[mark] for row in rows})
    for ax_row, standardize in zip(axes, (False, True), strict=True):
        for ax, task in zip(ax_row, (*TASKS, "independent"), strict=True):
            found = [
                {**row, "standardize": False}  # the panel says so; a method keeps its colour
                for row in rows
                if row["standardize"] == standardize and row["task"].split("-")[0] == task
            ]
            if not found:
                continue
            draw_truth(ax, found)
            draw_lines(ax, lines(found, "noise_dims", mark), label, lambda line: DASHES[marks.index(line.mark)])
            _finish(ax, task + (", standardised" if standardize else ""), y="nats")
    _legend(figure, axes.ravel(), 5)
    return figure


def draw_units(rows: Sequence[Row]) -> Figure:
    """Draw KSG and G-KSG with noise columns in other units."""
    return _grid(rows, "noise_scale", "noise × {:g}")


def draw_shape(rows: Sequence[Row]) -> Figure:
    """Draw KSG and G-KSG with noise columns of other shapes."""
    return _grid(rows, "noise", "{} noise")


def draw_released(rows: Sequence[Row]) -> Figure:
    """Draw KSG and G-KSG on both forms of the helix and the sphere, and the controls."""
    figure = new_figure(11.5, 4.6)
    axes = figure.subplots(1, 3)
    found = only(rows, method=("ksg", "gksg"), k=3)
    for ax, task in zip(axes, ("helix", "sphere", "independent"), strict=True):
        shown = [row for row in found if row["task"].split("-")[0] == task]
        draw_truth(ax, shown)
        draw_lines(ax, lines(shown, "noise_dims", "form"), "{}", lambda line: DASHES[int(line.mark == "paper")])
        _finish(ax, task)
        for form, truth in {row["form"]: row["truth_monte_carlo"] for row in shown}.items():
            if task == "sphere":  # where the truth differs between the forms
                ax.annotate(form, (20, truth), ha="right", va="bottom", fontsize=8)
    axes[2].set_ylim(-0.5, 1.0)
    _legend(figure, axes, 4)
    return figure


DRAWINGS = {
    "samples": draw_samples,
    "efficiency": draw_efficiency,
    "noise": draw_noise,
    "high": draw_high,
    "units": draw_units,
    "shape": draw_shape,
    "released": draw_released,
}


def draw(experiment: Experiment, rows: Sequence[Row], path: Path) -> None:
    """Draw the figure of an experiment to a small PNG file."""
    figure = DRAWINGS[experiment.figure](rows)
    from PIL import Image  # matplotlib depends on it

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    image = Image.open(buffer).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    small = io.BytesIO()
    image.save(small, format="png", optimize=True)
    write_output(path, small.getvalue())
