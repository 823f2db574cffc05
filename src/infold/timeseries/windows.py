"""The same question in sliding windows: does what two series share change with time?"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.core.random import draw_seeds
from infold.data.checks import check_count
from infold.display import Shown, as_frame, axes_for
from infold.parallel.scheduler import in_order
from infold.results import plain_types

from .embedding import Blocks, Method, embed
from .grid import Grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Windows(Shown):
    """Estimates in sliding windows of a series.

    Attributes
    ----------
    starts, stops : ndarray of int
        First row of each window, and the row after its last, in order of time.
    labels : tuple
        What the columns of `values` are: lags, or the direction of a transfer entropy.
    values : ndarray of shape (windows, labels)
        Estimates, in `units`; NaN where a window has too few rows without missing values.
    units : {"nats", "bits"}
        The unit.

    Examples
    --------
    >>> import numpy as np, infold
    >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
    >>> found = infold.lagged_mutual_information(x, y, [0, 1], windows=(40, 20), n_surrogates=0).windows
    >>> found.values.shape, found.starts.tolist()
    ((4, 2), [0, 20, 40, 60])
    """

    starts: np.ndarray
    stops: np.ndarray
    labels: tuple[Any, ...]
    values: np.ndarray = field(compare=False)
    units: str = "nats"

    def to_frame(self) -> Any:
        """Return a pandas table, a row for each window."""
        columns = {str(label): column for label, column in zip(self.labels, self.values.T, strict=True)}
        return as_frame({"start": self.starts, "stop": self.stops, **columns})

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON."""
        return {f.name: plain_types(getattr(self, f.name)) for f in fields(self)}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the estimates over time."""
        from infold.plotting.series import IN_TIME, plot_windows

        return plot_windows(self, ax=axes_for(ax, *IN_TIME))

    def _headline(self) -> str:
        found = self.values[np.isfinite(self.values)]
        said = f"from {found.min():.3g} to {found.max():.3g} {self.units}" if found.size else "no value"
        return f"{len(self.starts)} windows of {int(self.stops[0] - self.starts[0])} rows: {said}"


def check_windows(windows: Any, n: int) -> tuple[int, int]:
    """Return (length, step) of windows, given as a length or as this pair; the step is a quarter by default."""
    pair = windows if isinstance(windows, tuple | list) else (windows, None)
    if len(pair) != 2:
        raise ValueError(f"windows={windows!r} must be a length or (length, step); pass one of these.")
    length = check_count("windows", pair[0], minimum=10)
    if length > n:
        raise ValueError(f"windows={length} is longer than the {n} rows; pass a shorter length.")
    return length, max(1, length // 4) if pair[1] is None else check_count("windows", pair[1])


def in_windows(
    grid: Grid,
    questions: tuple[Blocks, ...],
    labels: tuple[Any, ...],
    method: Method,
    size: tuple[int, int],
    units: str,
    unit: float,
    n_jobs: int | None,
    verbose: int,
) -> Windows:
    """Return the estimates in windows of `size` (length, step); groups are one after the other."""
    times, (length, step) = grid.times, size
    starts = np.arange(0, times.size - length + 1, step)
    seeds = draw_seeds(method.random_state, starts.size * len(questions)).reshape(starts.size, -1).tolist()
    jobs = [
        (grid, questions, method, times[start : start + length], own) for start, own in zip(starts, seeds, strict=True)
    ]
    found = list(in_order(_in_window, jobs, n_jobs=n_jobs, label="windows", verbose=verbose, batch=4))
    return Windows(starts, starts + length, labels, np.array(found) / unit, units)


def _in_window(
    grid: Grid, questions: tuple[Blocks, ...], method: Method, times: np.ndarray, seeds: list[int]
) -> list[float]:
    least = max(2 * method.n_neighbors, method.n_neighbors + 1 + 2 * method.theiler)
    rows = (embed(grid, question, times) for question in questions)
    return [
        method._replace(random_state=seed).value(found) if found.times.size > least else np.nan
        for found, seed in zip(rows, seeds, strict=True)
    ]
