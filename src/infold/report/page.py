"""A report as HTML: figures as data, words for them, and a template that escapes everything it is given."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.tables import Table
from infold.display import percent, pvalue_text
from infold.plotting import (
    new_figure,
    plot_comparison,
    plot_drift,
    plot_interval,
    plot_local,
    plot_null,
    plot_planted,
    plot_relevance,
)
from infold.results import rounded_down

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from infold.inference.relevance import Relevance

    from .make import Report

WIDTH, HEIGHT = 4.2, 3.2  # inches; small, so that text stays readable where a page is 400 pixels wide
KINDS = ("alone", "together")
NO_COLUMN_SETTINGS = ("n_jobs", "verbose", "random_state")


@dataclass(frozen=True)
class Picture:
    """A figure of the page: an image as data, what it shows for those who cannot see it, and how to read it."""

    name: str
    image: str
    alt: str
    caption: str


def render(report: Report) -> str:
    """Return the page."""
    environment = make_environment()
    environment.filters |= {"name": readable, "number": number, "rounded_down": rounded_down}
    environment.filters |= {"percent": percent, "pvalue": pvalue_text}
    text = files("infold.report").joinpath("templates", "report.html").read_text(encoding="utf-8")
    return environment.from_string(text).render(
        report=report,
        estimate=report.estimate,
        settings={k: v for k, v in report.estimate.settings.items() if k not in NO_COLUMN_SETTINGS},
        trust=trust_pictures(report),
        places=local_pictures(report),
        columns=column_pictures(report),
        rows=column_rows(report),
    )


def make_environment() -> Any:
    """Return what fills templates in; it escapes everything."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "a report needs jinja2; install it with: pip install 'infold[report]'", name="jinja2"
        ) from error
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def check_extras() -> None:
    """Complain now, not after minutes of work, if the page could not be made."""
    make_environment()
    new_figure()


def readable(name: Any) -> str:
    """Return a name without what could not be shown, or would change how the rest of the page is shown."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(name))


def number(value: float | None, digits: int = 3) -> str:
    """Return a number for people, with a true minus sign."""
    if value is None:
        return "–"
    text = f"{value:.{digits}g}"
    if "e" in text:
        text = f"{value:.0f}" if 1 <= abs(value) < 1e6 else f"{value:.1e}"
    return text.replace("-", "\N{MINUS SIGN}")


def trust_pictures(report: Report) -> list[Picture]:
    """Return the figures about the number: null, interval, drift, other methods, planted MI."""
    test, interval, diagnosis, units = report.test, report.interval, report.diagnosis, report.estimate.units
    draws = "on re-paired rows" if report.z is None else "on draws of Y given Z"
    out = [
        _picture(
            "null",
            plot_null(test, ax=_axes()),
            f"Histogram of {test.n_permutations} permutations, from {number(test.null.min())} to "
            f"{number(test.null.max())}, and a line for what was observed, {number(test.statistic)}.",
            f"What the method answers {draws}, where there is no dependence, and on the data as observed. The further "
            "to the right the line is, the clearer the dependence.",
        ),
        _picture(
            "interval",
            plot_interval(interval, ax=_axes()),
            f"Estimate {number(interval.mi)} {units} with its interval from {number(interval.low)} to "
            f"{number(interval.high)}, and the mean on smaller samples.",
            "The interval, and the mean estimate on smaller samples. It covers chance, not bias: if the line still "
            "moves on its way to the full sample, more data would move it further.",
        ),
    ]
    if len(diagnosis.over_neighbors) > 1:
        values = list(diagnosis.over_neighbors.values())
        out.append(
            _picture(
                "neighbours",
                plot_drift(diagnosis, over="neighbors", ax=_axes()),
                f"Estimates with {min(diagnosis.over_neighbors)} to {max(diagnosis.over_neighbors)} neighbours, from "
                f"{number(min(values))} to {number(max(values))} {units}.",
                "The estimate with other numbers of neighbours. A flat line is a good sign; a falling one shows "
                "that the data have finer structure than the sample can resolve.",
            )
        )
    listed = ", ".join(f"{name} {number(value)}" for name, value in diagnosis.methods.items())
    out.append(
        _picture(
            "methods",
            plot_comparison(diagnosis, ax=_axes()),
            f"What other methods answer on the same data, in {units}: {listed}.",
            "What other methods answer on the same data. Canonical correlation (cca) sees linear dependence only.",
        )
    )
    if diagnosis.planted:
        out.append(
            _picture(
                "planted",
                plot_planted(diagnosis, ax=_axes()),
                "Mean estimate against planted mutual information: "
                + "; ".join(f"{number(row['true'])} gives {number(row['mean'])}" for row in diagnosis.planted)
                + ".",
                "A known mutual information planted in data of this size and shape, and its estimates: the bias and, "
                "for a test at 5 %, the power to expect.",
            )
        )
    return out


def local_pictures(report: Report) -> list[Picture]:
    """Return the figures of local values: one plane for one column per side, else one for each side."""
    result = report.estimate
    x, y = _telling(report.x, "X", report), _telling(report.y, "Y", report)
    if x.values.shape[1] == y.values.shape[1] == 1:
        planes = {"X and Y": Table(np.hstack((x.values, y.values)), (*(x.names or ()), *(y.names or ())))}
    else:
        planes = {"X": x, "Y": y}
    low, high = number(result.local.min()), number(result.local.max())
    return [
        _picture(
            f"local-{i}",
            plot_local(result, table, ax=_axes()),
            f"Samples in the plane of {side}, shaded by local value, from {low} to {high} {result.units}.",
            f"Samples by {side} (relevant columns, if any), dark where X and Y tell much about each other. "
            "The mean of all local values is the estimate.",
        )
        for i, (side, table) in enumerate(planes.items())
    ]


def column_pictures(report: Report) -> list[Picture]:
    """Return the figures of relevance."""
    captions = {
        "alone": "What each column, by itself, tells about the whole other side.",
        "together": "What all columns together lose when this one is shuffled. High if a column adds what no other one "
        "has; low for a copy of another.",
    }
    out = []
    for found in (report.alone, report.together):
        if found is not None:
            n_bars = min(found.scores_x.size, 15) + min(found.scores_y.size, 15)
            out.append(
                _picture(
                    f"columns-{found.kind}",
                    plot_relevance(found, ax=_axes(1.5 + 0.23 * (n_bars + 1))),
                    f"Bars for each column. Relevant: {_listed(found)}.",
                    captions[found.kind],
                )
            )
    return out


def column_rows(report: Report) -> list[dict[str, Any]]:
    """Return one row per column: its name, side, and what it carries alone and together."""
    if report.alone is None:
        return []
    together = report.together.columns() if report.together else [None] * len(report.alone.columns())
    both = zip(report.alone.columns(), together, strict=True)
    return [{"side": a["side"].upper(), "name": a["name"], "alone": a, "together": t} for a, t in both]


def _listed(found: Relevance) -> str:
    names = [f"{row['side'].upper()} {readable(row['name'])}" for row in found.columns() if row["relevant"]]
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return (", ".join(names[:10]) or "none") + more


def _telling(table: Table, side: str, report: Report) -> Table:
    """Return the columns of one side that carry information, or all of them if none was found to."""
    names = table.names or tuple(f"{side} {i}" for i in range(table.values.shape[1]))
    rows = [row for row in column_rows(report) if row["side"] == side]
    found = [i for i, row in enumerate(rows) if any(row[kind] and row[kind]["relevant"] for kind in KINDS)]
    chosen = found or list(range(len(names)))
    return Table(table.values[:, chosen], tuple(names[i] for i in chosen))


def _axes(height: float = HEIGHT) -> Axes:
    return new_figure(WIDTH, height).add_subplot()


def _picture(name: str, ax: Axes, alt: str, caption: str) -> Picture:
    return Picture(name, svg_data(ax.figure), alt, caption)


def svg_data(figure: Any) -> str:
    """Return a figure as a data address: no date, and names that depend on nothing but the figure."""
    import matplotlib

    file = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "infold", "svg.fonttype": "path"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a name in a script that the font lacks
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None}, dpi=200)
    return "data:image/svg+xml;base64," + base64.b64encode(file.getvalue()).decode("ascii")
