"""How results show themselves: as a number, as text of at most 80 columns, as a small table in a notebook.

A result class inherits :class:`NumberLike` if it is about one number, and :class:`Shown` in any case.
"""

from __future__ import annotations

import base64
import csv
import html
import io
import operator
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

WIDTH = 80
LABEL = 10  # columns of the labels in front of the rows
TIED = "\N{NO-BREAK SPACE}"
SHORT_LABEL, NO_WRAP = 24, ";white-space:nowrap"
PIXELS_PER_INCH = 84  # of pictures in notebooks: their text is then about as large as the table's
SMALLEST_P = 1e-9  # no p-value is known any better


class NumberLike:
    """Lets a result stand where a number is expected: `r > 0.1`, `f"{r:.3f}"`, `round(r, 2)`, `r1 - r2`, sorting.

    A class defines `__float__`, and may define `_scale`, what that number is measured in: numbers of different scales
    are not mixed. Arithmetic gives plain floats. `==` and `hash` go by the number as well, so that they agree with `<`;
    to compare everything, compare what `to_dict` returns. A dataclass must say `eq=False`, or it has an `==` of its
    own.
    """

    def __float__(self) -> float:
        """Return the number."""
        raise NotImplementedError  # pragma: no cover

    @property
    def _scale(self) -> str:
        return str(getattr(self, "units", ""))

    def _other(self, other: Any) -> Any:
        """Return the other operand as a float, or NotImplemented if it is no single number."""
        if isinstance(other, NumberLike):
            if other._scale != self._scale:
                raise TypeError(
                    f"{self._scale} and {other._scale} do not mix; estimate both in the same units, or take float() of "
                    f"each."
                )
            return float(other)
        return float(other) if isinstance(other, int | float | np.number) else NotImplemented

    def _apply(self, operation: Callable[[Any, Any], Any], other: Any, *, swapped: bool = False) -> Any:
        number = self._other(other)
        if number is NotImplemented:
            return NotImplemented
        return operation(number, float(self)) if swapped else operation(float(self), number)

    def __eq__(self, other: object) -> bool:
        """Compare the numbers; on different scales they are never equal."""
        if isinstance(other, NumberLike) and other._scale != self._scale:
            return False
        return self._apply(operator.eq, other)

    def __hash__(self) -> int:
        """Return the hash of the number."""
        return hash(float(self))

    def __lt__(self, other: Any) -> bool:
        """Compare the numbers."""
        return self._apply(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        """Compare the numbers."""
        return self._apply(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        """Compare the numbers."""
        return self._apply(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        """Compare the numbers."""
        return self._apply(operator.ge, other)

    def __add__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.add, other)

    def __radd__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.add, other, swapped=True)

    def __sub__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.sub, other)

    def __rsub__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.sub, other, swapped=True)

    def __mul__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.mul, other)

    def __rmul__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.mul, other, swapped=True)

    def __truediv__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.truediv, other, swapped=True)

    def __pow__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.pow, other)

    def __rpow__(self, other: Any) -> float:
        """Return a float."""
        return self._apply(operator.pow, other, swapped=True)

    def __neg__(self) -> float:
        """Return a float."""
        return -float(self)

    def __abs__(self) -> float:
        """Return a float."""
        return abs(float(self))

    def __round__(self, digits: int | None = None) -> float:
        """Round the number."""
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        """Format the number; without a format, the whole result."""
        return format(float(self), spec) if spec else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the number as an array without dimensions."""
        return np.array(float(self), dtype=dtype)


class Shown:
    """Shows a result as text, and as a table with a picture in a notebook.

    A class defines `_headline()`, `_rows()`, pairs of a label and a text, and `_items()`, pairs of a name and a text,
    if there are many of a kind, such as columns. `plot(ax=None)`, which returns matplotlib Axes, draws the picture;
    without matplotlib there is none. A class with a `__repr__` of its own needs none of these: the notebook shows that
    text instead.
    """

    def _headline(self) -> str:
        raise NotImplementedError  # pragma: no cover

    def _items(self) -> Iterable[tuple[str, str]]:
        return ()

    def _rows(self) -> Iterable[tuple[str, str]]:
        return ()

    def __repr__(self) -> str:
        """Return a few lines for people."""
        return as_text(self._headline(), self._rows(), self._items())

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        if type(self).__repr__ is Shown.__repr__:
            return notebook_html(self, self._headline(), [*self._items(), *self._rows()])
        return f'<div class="infold"><pre>{html.escape(repr(self))}</pre>{_picture(self)}</div>'


def as_text(headline: str, rows: Iterable[tuple[str, str]], items: Iterable[tuple[str, str]] = ()) -> str:
    """Return a headline, named items and labelled rows as lines of at most 80 columns.

    >>> print(as_text("I(X; Y) = 0.8 nats", [("data", "500 rows"), ("note", "something that goes on " * 4)]))
    I(X; Y) = 0.8 nats
      data      500 rows
      note      something that goes on something that goes on something that goes on
                something that goes on
    >>> print(as_text("2 columns", [("data", "500 rows")], [("X bmi", "0.18 nats"), ("X age", "0.02 nats")]))
    2 columns
      X bmi  0.18 nats
      X age  0.02 nats
      data      500 rows
    """
    lines = (textwrap.wrap(headline, WIDTH, **_BREAKS) or [""]) + _aligned(list(items))
    for label, text in rows:
        lines += textwrap.wrap(
            text, WIDTH, initial_indent=f"  {label:<{LABEL}}", subsequent_indent=" " * (LABEL + 2), **_BREAKS
        )
    return "\n".join(lines).replace(TIED, " ")


def _aligned(items: Sequence[tuple[str, str]]) -> list[str]:
    """Return a line for each item, texts below each other; a name that is too long has lines of its own, uncut."""
    longest_name, longest_text = (max((len(item[i]) for item in items), default=0) for i in (0, 1))
    width = max(0, min(longest_name, WIDTH - 4 - longest_text))
    lines = []
    for name, text in items:
        if len(name) > width:
            lines += textwrap.wrap(name, WIDTH, initial_indent="  ", subsequent_indent="    ", **_BREAKS)
            name = ""
        lines.append(f"  {name:<{width}}  {text}".rstrip())
    return lines


def joined(items: Iterable[str]) -> str:
    """Return items separated by commas; lines break only between items."""
    return ", ".join(item.replace(" ", TIED) for item in items)


# A word longer than a line, such as the name of a column, is cut: nothing goes past the last column.
_BREAKS: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": True}


def notebook_html(result: Any, headline: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return the same as HTML, in the colours of the page around it, and the picture that the result plots."""
    top_left, wrapped = "text-align:left;vertical-align:top", "text-align:left;white-space:normal"
    cells = "".join(
        f'<tr><th style="{top_left}{NO_WRAP if len(label) <= SHORT_LABEL else ""}">{html.escape(label)}</th>'
        f'<td style="{wrapped}">{html.escape(text)}</td></tr>'
        for label, text in rows
    )
    top = f"<p><strong>{html.escape(headline)}</strong></p>"
    return f'<div class="infold">{top}<table>{cells}</table>{_picture(result)}</div>'


def _picture(result: Any) -> str:
    """Return what a result plots, as an image within the page; nothing without a plot, or without matplotlib."""
    if not hasattr(result, "plot"):
        return ""
    try:
        figure = result.plot().figure
    except ImportError:
        return ""
    image, width = io.BytesIO(), round(PIXELS_PER_INCH * figure.get_figwidth())
    figure.savefig(image, format="png", dpi=100)
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(figure)  # or the notebook would show it once more
    data = base64.b64encode(image.getvalue()).decode()
    return f'<img alt="plot" style="max-width:100%;width:{width}px" src="data:image/png;base64,{data}">'


def axes_for(ax: Any, width: float = 5.0, height: float = 3.8) -> Any:
    """Return `ax` or, if it is None, the axes of a new pyplot figure, which notebooks show by themselves."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "plotting needs matplotlib; install it with: pip install 'infold[plot]'", name="matplotlib"
        ) from error
    return pyplot.figure(figsize=(width, height), layout="constrained").add_subplot()


def as_frame(
    columns: Mapping[str, Any] | Sequence[Mapping[str, Any]], index: Any = None, index_name: str = "row"
) -> Any:
    """Return columns, or rows that are mappings, as a pandas frame; without pandas, as a polars frame.

    A polars frame has the index, if there is one, as its first column.
    """
    try:
        import pandas
    except ImportError:
        import polars

        frame = polars.DataFrame(columns)
        return frame if index is None else frame.insert_column(0, polars.Series(index_name, index))
    return pandas.DataFrame(columns, index=index)


def as_csv(fields: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV text, with the fields as its first line."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def pvalue_text(pvalue: float, digits: int = 2) -> str:
    """Return a p-value as text that never says 0.

    >>> pvalue_text(0.0051), pvalue_text(0.0), pvalue_text(float("nan"))
    ('p = 0.0051', 'p < 1e-09', 'p is unknown')
    """
    if pvalue != pvalue:
        return "p is unknown"
    return f"p < {SMALLEST_P:.0e}" if pvalue < SMALLEST_P else f"p = {pvalue:.{digits}g}"


def percent(share: float) -> str:
    """Return a share between 0 and 1 as a percentage, 100 % or 0 % only where that is exact.

    >>> percent(1.0), percent(0.9991), percent(0.0702), percent(0.0004), percent(0.0)
    ('100 %', 'over 99 %', '7 %', 'under 1 %', '0 %')
    """
    if 0.99 < share < 1:
        return "over 99 %"
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
