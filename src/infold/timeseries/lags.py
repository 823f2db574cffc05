"""Mutual information of two series over lags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infold.data.checks import check_choice, check_count
from infold.display import NumberLike, Shown, as_frame, axes_for, pvalue_text
from infold.inference.multiple import Judged
from infold.inference.notes import Note, tell
from infold.inference.permutation import permutation_pvalue
from infold.measures import METHODS
from infold.results import NATS_PER_UNIT, plain_types, stamp

from .embedding import (
    NEIGHBORS,
    Blocks,
    Method,
    Term,
    check_lags,
    check_rows,
    embed,
    given_term,
    same_lags,
    standardized,
)
from .families import judge_family
from .grid import Grid, differenced, read_series
from .stationarity import stationarity_notes
from .testing import Plan, Tested, compare_with_surrogates, fixed_seed
from .windows import Windows, check_windows, in_windows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class LaggedInformation(NumberLike, Shown):
    """What two series share at each lag.

    Attributes
    ----------
    lags : tuple of int
        The lags as given; if a series is compared with itself, l and −l appear once. At a positive lag x comes first: x
        at time t − lag is paired with y at time t.
    mi : ndarray of shape (lags,)
        Estimates, in `units`, from all rows available at each lag.
    pvalues : ndarray of shape (lags,)
        Of each lag by itself; NaN without surrogates.
    pvalue : float
        Of the whole family, whose null hypothesis is that x and y share nothing at any lag. `float(result)` is this.
    corrected_pvalues : ndarray of shape (lags,)
        Of each lag, corrected for their number (max-T); the smallest is `pvalue`.
    thresholds : ndarray of shape (lags,)
        What an estimate would have to exceed for a corrected p-value of `alpha`.
    peak : int
        The lag with the largest estimate.
    n_samples : ndarray of int, shape (lags,)
        Rows behind each estimate.
    windows : Windows or None
        The same in sliding windows, if asked for.
    n_surrogates : int
        How many surrogates were compared: fewer than requested if a short series has no more shifts.
    units, method, n_neighbors, surrogates, alpha, names, given
        As requested.
    settings : mapping
        Every parameter besides the data: with these and the same series, results are identical to the last bit.
        `random_state` is the seed that was used, even if none was given.
    notes : tuple of str
        Plain sentences about what may be wrong.

    Examples
    --------
    >>> import numpy as np, infold
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> y = np.roll(x, 2) + 0.5 * rng.normal(size=200)
    >>> found = infold.lagged_mutual_information(x, y, range(-3, 4), n_surrogates=19, random_state=0)
    >>> found.peak, found.pvalue, found.settings["surrogates"]
    (2, 0.05, 'shifts')
    """

    lags: tuple[int, ...]
    mi: np.ndarray = field(compare=False)
    pvalues: np.ndarray = field(compare=False)
    pvalue: float
    corrected_pvalues: np.ndarray = field(compare=False)
    thresholds: np.ndarray = field(compare=False)
    n_samples: np.ndarray = field(compare=False)
    units: str
    method: str
    n_neighbors: int
    surrogates: str
    n_surrogates: int
    alpha: float
    names: Mapping[str, tuple[str, ...] | None]
    settings: Mapping[str, Any]
    given: tuple[str, ...] | int | None = None
    windows: Windows | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()

    _scale = "p-values"

    @property
    def peak(self) -> int:
        """The lag with the largest estimate."""
        return self.lags[int(np.argmax(self.mi))]

    def __float__(self) -> float:
        """Return the p-value of the family."""
        return self.pvalue

    def to_frame(self) -> Any:
        """Return a pandas table with a row for each lag."""
        return as_frame(
            {
                "lag": self.lags,
                "mi": self.mi,
                "pvalue": self.pvalues,
                "corrected_pvalue": self.corrected_pvalues,
                "threshold": self.thresholds,
                "n_samples": self.n_samples,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON; NaN is null."""
        plain = {f.name: plain_types(getattr(self, f.name)) for f in fields(self) if f.name != "names"}
        return {**stamp("lagged_mutual_information"), "peak": self.peak, **plain, **names_to_dict(self.names)}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the estimates over the lags, with the threshold."""
        from infold.plotting.series import plot_lags

        return plot_lags(self, ax=axes_for(ax))

    def _headline(self) -> str:
        asked = "I(x; y)" if self.given is None else "I(x; y | z)"
        leads = {0: "at the same time", 1: "x leads", -1: "y leads"}[int(np.sign(self.peak))]
        return f"{asked} = {self.mi.max():.4g} {self.units} at lag {self.peak} ({leads})"

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.n_surrogates:
            below = np.count_nonzero(self.corrected_pvalues <= self.alpha)
            family = f" over all lags; {below} of {len(self.lags)} lags at {100 * self.alpha:g} %"
            yield "test", pvalue_text(self.pvalue, 3) + (family if len(self.lags) > 1 else "")
            kind = self.surrogates if self.n_surrogates > 1 else self.surrogates.removesuffix("s")
            yield "null", f"{self.n_surrogates} {kind} of x"
        else:
            yield "test", "none (n_surrogates=0)"
        fewest, most = self.n_samples.min(), self.n_samples.max()
        rows = f"{most}" if fewest == most else f"{fewest} to {most}"
        yield "data", f"{rows} rows, method {self.method}, k = {self.n_neighbors}"
        if self.windows:
            yield "windows", self.windows._headline()
        yield from (("note", note) for note in self.notes)


def lagged_mutual_information(
    x: Any,
    y: Any,
    lags: Any = range(-20, 21),
    given: Any = None,
    *,
    given_lags: Any = 0,
    method: str = "ksg",
    n_neighbors: int = NEIGHBORS,
    n_surrogates: int = 199,
    surrogates: str = "shifts",
    block: int | None = None,
    alpha: float = 0.05,
    groups: Any = None,
    time: Any = None,
    difference: int = 0,
    windows: Any = None,
    standardize: bool = True,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
) -> LaggedInformation:
    """Estimate what two series share at each lag, with p-values that allow for autocorrelation.

    Parameters
    ----------
    x, y : array, pandas or polars table, or series, of shape (n_times, n_columns) or (n_times,)
        Row i of both is the same time. Missing values are left out, never bridged.
    lags : sequence of int, default=range(-20, 21)
        At lag l, x at time t − l is compared with y at time t: at positive lags x comes first. Where x and y are the
        same series, lags l and −l are one, and lag 0 is left out.
    given : table or None, default=None
        Other series to condition on.
    given_lags : int, sequence of int, or mapping of column to these, default=0
        The lags at which they are conditioned on, counted from the time of y.
    method : {"ksg", "auto", "gksg", …}, default="ksg"
        The estimator. Tests compare KSG's statistic in any case, which is fast and ranks small values as well.
    n_neighbors : int, default=4
        k. More neighbours detect weak and smooth dependence better; fewer, strong and intricate dependence.
    n_surrogates : int, default=199
        Number of surrogates of x for the test; 0 for none. The smallest p-value is 1 / (n_surrogates + 1).
    surrogates : {"shifts", "blocks", "phases"}, default="shifts"
        How surrogates of x are made: by circular shifts, by permuting blocks, or with random phases (IAAFT). See Notes.
    block : int or None, default=None
        The shortest shift, or the length of blocks, at most a quarter of the longest series. None chooses by the memory
        of x and of y, and by the lags.
    alpha : float, default=0.05
        The level of `thresholds`.
    groups : array of shape (n_times,) or None, default=None
        Trials or subjects: their rows are pooled, and no lag crosses from one to another.
    time : array of shape (n_times,) or None, default=None
        Numbers or dates. Rows are sorted by it, and gaps are detected; without it rows are one step apart.
    difference : int, default=0
        1 replaces all series by their changes from step to step.
    windows : int, (length, step) or None, default=None
        Also estimate in sliding windows: `result.windows`.
    standardize : bool, default=True
        Scale every column to standard deviation 1, once, before lags are taken.
    units, random_state, n_jobs, verbose
        As in :func:`mutual_information`.

    Returns
    -------
    LaggedInformation
        `.lags`, `.mi`, `.pvalues`, `.pvalue` of all lags together, `.thresholds`, `.to_frame()`, `.plot()`.

    Notes
    -----
    The null hypothesis is that x is independent of y (and of what is given) as a whole. The largest standardised
    statistic over all lags is compared with that of each surrogate (Westfall and Young's max-T), so the family's
    p-value is corrected for the number of lags and for how much they have in common. Shifts of many lags overlap, so
    ranks alone would reject too often: the p-value is no smaller than what the peaks over all shifts allow.

    Shifts preserve any memory of x, including seasons, and assume that x is stationary. They are longer than the lags
    and the memory reach, and x is trimmed so that its end fits its beginning. For a series that may be a random walk,
    changes are compared, and a note says so; if others are given, what they leave of both sides is. The guide to
    series reports how often each kind of surrogate rejects when nothing is shared.

    References
    ----------
    A. E. Yuan and W. Shou, "A rigorous and versatile statistical test for correlations between stationary time series",
    PLOS Biology 2024, on what tests of series assume.

    T. Schreiber and A. Schmitz, "Improved surrogate data for nonlinearity tests", PRL 1996.

    Examples
    --------
    >>> import numpy as np, infold
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = np.roll(x, 3) + rng.normal(size=500)  # y follows x three steps later
    >>> found = infold.lagged_mutual_information(x, y, range(-5, 6), random_state=0)
    >>> found.peak, found.pvalue
    (3, 0.005)
    """
    seed = fixed_seed(random_state)
    settings = {
        "lags": check_lags("lags", lags),
        "given_lags": plain_lags(given_lags),
        "method": check_choice("method", method, METHODS),
        "n_neighbors": check_count("n_neighbors", n_neighbors),
        "n_surrogates": n_surrogates,
        "surrogates": surrogates,
        "block": block,
        "alpha": alpha,
        "difference": int(check_choice("difference", str(difference), ("0", "1"))),
        "windows": windows,
        "standardize": standardize,
        "units": check_choice("units", units, NATS_PER_UNIT),
        "random_state": seed,
    }
    plan = Plan(n_surrogates, surrogates, block, alpha, seed, n_jobs, verbose, difference)
    plan.check()
    reach = max(*map(abs, settings["lags"]), lag_reach(given_lags))
    grid = read_series({"x": x, "y": y, "given": given}, groups=groups, time=time, reach=reach)
    grid = differenced(grid) if difference else grid
    size = None if windows is None else check_windows(windows, grid.times.size)
    notes = [*stationarity_notes(grid, ("x", "y"), changes=difference > 0)]
    asked, same = (settings["lags"], []) if "given" in grid or not _same_values(grid) else _each_once(settings["lags"])
    names, known = {name: series.names for name, series in grid.series.items()}, names_of(grid, "given")
    grid = standardized(grid, exact_ties=True) if standardize else grid
    questions = tuple(_question(grid, lag, given_lags) for lag in asked)
    rows = [embed(grid, question) for question in questions]
    estimator = Method(method, n_neighbors, random_state=seed)
    for lag, found in zip(asked, rows, strict=True):
        check_rows(found, estimator, f"lag {lag}")
    unit = NATS_PER_UNIT[units]
    mi = np.array([estimator.value(found) for found in rows]) / unit
    judged = _judge(grid, asked, questions, estimator, plan) if n_surrogates else _not_judged(len(asked))
    in_time = None
    if size is not None:
        in_time = in_windows(grid, questions, asked, estimator, size, units, unit, n_jobs, verbose)
    return LaggedInformation(
        lags=asked,
        mi=mi,
        pvalues=judged.pvalues,
        pvalue=float(judged.corrected.min()),
        corrected_pvalues=judged.corrected,
        thresholds=mi + judged.lacking / unit,
        n_samples=np.array([found.times.size for found in rows]),
        units=units,
        method=method,
        n_neighbors=n_neighbors,
        surrogates=surrogates,
        n_surrogates=judged.drawn,
        alpha=alpha,
        settings=settings,
        names=names,
        given=known,
        windows=in_time,
        notes=(*grid.notes, *tell([*notes, *same, *judged.notes])),
    )


def _same_values(grid: Grid) -> bool:
    """Return whether x and y are the same series."""
    return np.array_equal(grid["x"].values, grid["y"].values, equal_nan=True)


def _each_once(lags: tuple[int, ...]) -> tuple[tuple[int, ...], list[Note]]:
    """Return the lags of a series with itself: of −3 and 3, which are equivalent, only 3; and 0 only if alone."""
    kept = tuple(sorted({abs(lag) for lag in lags} - {0})) or lags
    if len(kept) == len(lags):
        return lags, []
    text = "x and y are the same series: lag −1 asks what lag 1 asks, so each is taken once, and lag 0 is left out."
    return kept, [Note(text)]


class _Judged(NamedTuple):
    """The test's results for each lag, and its notes."""

    pvalues: np.ndarray
    corrected: np.ndarray  # for the number of lags
    lacking: np.ndarray  # what the statistic lacks to be significant, in nats; below 0 if it is
    drawn: int = 0
    notes: tuple[Note, ...] = ()


def _not_judged(n_lags: int) -> _Judged:
    return _Judged(*np.full((3, n_lags), np.nan))


def _judge(grid: Grid, lags: tuple[int, ...], questions: tuple[Blocks, ...], method: Method, plan: Plan) -> _Judged:
    """Compare all lags with surrogates of x, each lag with its own law and all with that of the largest statistic."""
    reach = max(*lags, 0) - min(*lags, 0) + 1  # includes 0, where a series compared with itself is identical
    tested = compare_with_surrogates(
        grid, "x", "y", questions, method, plan, reach=reach, changing=("x", "y"), lags=lags
    )
    drawn = len(tested.null)  # fewer than requested if there are no more shifts
    pvalues = permutation_pvalue((tested.null >= tested.observed).sum(axis=0), drawn)
    family = _family(lags, tested, max(plan.alpha, 1 / (drawn + 1)))
    # The test has its own statistic (fewer rows, or changes): an estimate falls as far short as that does.
    enough = plan.alpha * (drawn + 1) >= 1
    lacking = family.thresholds - tested.observed if enough else np.full(len(lags), np.nan)
    return _Judged(pvalues, family.pvalues, lacking, drawn, tested.notes)


def _family(lags: tuple[int, ...], tested: Tested, level: float) -> Judged:
    """Return corrected p-values and thresholds in the order of `lags`, whatever that is."""
    order = np.argsort(lags)
    turns = None if tested.turns is None else tested.turns[:, order]
    found = judge_family(tested.observed[order], tested.null[:, order], turns, level)
    back = np.argsort(order)
    return Judged(found.pvalues[back], found.thresholds[back])


def _question(grid: Grid, lag: int, given_lags: Any) -> Blocks:
    """Return the blocks x at time t − lag, y at time t, and what is given."""
    x = same_lags("x", grid["x"].values.shape[1], [lag])
    y = same_lags("y", grid["y"].values.shape[1], [0])
    known: tuple[tuple[Term, ...], ...] = ((given_term(grid, given_lags),),) if "given" in grid else ()
    return (x,), (y,), *known


def lag_reach(given_lags: Any) -> int:
    """Return the largest lag of the given series, before it is known which columns the lags belong to."""
    if isinstance(given_lags, Mapping):
        return max((lag_reach(own) for own in given_lags.values()), default=0)
    return max((abs(lag) for lag in check_lags("given_lags", given_lags)), default=0)


def plain_lags(given_lags: Any) -> Any:
    """Return the lags of the given series as whole numbers, lists of them, or a mapping to these."""
    if isinstance(given_lags, Mapping):
        return {key: plain_lags(own) for key, own in given_lags.items()}
    lags = check_lags("given_lags", given_lags)
    return lags[0] if len(lags) == 1 else list(lags)


def names_to_dict(names: Mapping[str, tuple[str, ...] | None]) -> dict[str, Any]:
    """Return the names of columns for JSON, where the given series is called z, as everywhere."""
    return {f"{'z' if side == 'given' else side}_names": plain_types(own) for side, own in names.items()}


def names_of(grid: Grid, name: str) -> tuple[str, ...] | int | None:
    """Return the names of the columns of a series, or their number; None if there is no such series."""
    if name not in grid:
        return None
    return grid[name].names or grid[name].values.shape[1]
