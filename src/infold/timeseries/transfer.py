"""Transfer entropy: what the past of one series tells about the next step of another, beyond that one's own past."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infold.data.checks import check_choice, check_count
from infold.display import NumberLike, Shown, as_frame, axes_for, pvalue_text
from infold.inference.notes import Note, tell
from infold.inference.permutation import permutation_pvalue
from infold.measures import METHODS
from infold.results import NATS_PER_UNIT, plain_types, stamp

from .embedding import (
    MAX_HISTORY,
    NEIGHBORS,
    Blocks,
    Method,
    Term,
    check_rows,
    embed,
    given_term,
    has_many_ties,
    same_lags,
    standardized,
)
from .grid import Grid, differenced, read_series
from .history import chosen_histories
from .lags import lag_reach, names_of, names_to_dict, plain_lags
from .stationarity import stationarity_notes
from .testing import Plan, compare_with_surrogates, fixed_seed
from .windows import Windows, check_windows, in_windows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EMBEDDINGS = ("fixed", "auto")


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class TransferEntropy(NumberLike, Shown):
    """What the past of a source tells about the next step of a target.

    Attributes
    ----------
    te : float
        The estimate, in `units`. Never clamped: a small negative value means "about 0". `float(result)` is this.
    effective : float
        `statistic` less the mean of `null`, both of which are KSG estimates, whatever the method of `te`: free of most
        of the bias. NaN without surrogates.
    pvalue : float
        Chance of a statistic this large if the source were independent of the target; NaN without surrogates.
    local : ndarray of shape (n_samples,)
        One value per step of the target; their mean is `te`.
    rows : ndarray of int
        The row of the input that each local value belongs to: that of the target's present.
    null : ndarray
        The statistic of each surrogate, in `units`, and
    statistic : float
        that of the original series, from fewer rows than `te` where ends were trimmed to fit.
    delay, source_history, target_history : int
        Steps of the source are t − delay, t − delay − 1, …; of the target t − 1, t − 2, …
    embedding : {"fixed", "auto"}
        Whether histories were fixed or chosen from the data.
    windows : Windows or None
        The same in sliding windows, if asked for.
    units, method, n_neighbors, theiler, surrogates, names, given
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
    >>> y = np.roll(x, 1) + 0.5 * rng.normal(size=200)
    >>> found = infold.transfer_entropy(x, y, n_surrogates=19, random_state=0)
    >>> found.te > 0.3, found.pvalue, found.settings["delay"]
    (True, 0.05, 1)
    """

    te: float
    effective: float
    pvalue: float
    local: np.ndarray = field(compare=False)
    rows: np.ndarray = field(compare=False)
    null: np.ndarray = field(compare=False)
    statistic: float
    delay: int
    source_history: int
    target_history: int
    embedding: str
    theiler: int
    units: str
    method: str
    n_neighbors: int
    surrogates: str
    names: Mapping[str, tuple[str, ...] | None]
    settings: Mapping[str, Any]
    given: tuple[str, ...] | int | None = None
    windows: Windows | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()

    @property
    def n_samples(self) -> int:
        """Steps of the target behind the estimate."""
        return self.local.size

    def __float__(self) -> float:
        """Return the estimate."""
        return self.te

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON; `arrays=True` adds the local values, their rows and the null distribution."""
        kept = [
            f.name for f in fields(self) if f.name != "names" and (arrays or f.name not in ("local", "rows", "null"))
        ]
        plain = {name: plain_types(getattr(self, name)) for name in kept}
        return {**stamp("transfer_entropy"), **plain, **names_to_dict(self.names), "n_samples": self.n_samples}

    def to_frame(self) -> Any:
        """Return a pandas table of the local values, a row for each step of the target."""
        return as_frame({"row": self.rows, "local": self.local})

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the local values over time."""
        from infold.plotting.series import IN_TIME, plot_transfer

        return plot_transfer(self, ax=axes_for(ax, *IN_TIME))

    def _headline(self) -> str:
        known = "" if self.given is None else f" given {_said(self.given)}"
        return f"TE = {self.te:.4g} {self.units}, source → target{known}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        if self.null.size:
            yield "test", f"{pvalue_text(self.pvalue, 3)}, effective {self.effective:.4g}"
            draws = f"{self.null.size} {self.surrogates} of the source"
            yield "null", f"{self.null.mean():.3g} ± {self.null.std():.2g} over {draws}"
        else:
            yield "test", "none (n_surrogates=0)"
        chosen = " (chosen)" if self.embedding == "auto" else ""
        yield "pasts", f"source {self.source_history}, target {self.target_history}{chosen}; delay {self.delay}"
        apart = f", Theiler window {self.theiler}" if self.theiler else ""
        yield "data", f"{self.n_samples} rows, method {self.method}, k = {self.n_neighbors}{apart}"
        if self.windows:
            yield "windows", self.windows._headline()
        yield from (("note", note) for note in self.notes)


def _said(given: tuple[str, ...] | int) -> str:
    return ", ".join(given[:3]) + (" …" if len(given) > 3 else "") if isinstance(given, tuple) else f"{given} series"


def transfer_entropy(
    source: Any,
    target: Any,
    *,
    delay: int = 1,
    source_history: int = 1,
    target_history: int = 1,
    given: Any = None,
    given_lags: Any = 1,
    theiler: int = 0,
    embedding: str = "fixed",
    method: str = "ksg",
    n_neighbors: int = NEIGHBORS,
    n_surrogates: int = 199,
    surrogates: str = "shifts",
    block: int | None = None,
    groups: Any = None,
    time: Any = None,
    difference: int = 0,
    windows: Any = None,
    standardize: bool = True,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
) -> TransferEntropy:
    """Estimate the transfer entropy from one series to another: I(source's past; target's present | target's past).

    Parameters
    ----------
    source, target : array, pandas or polars table, or series, of shape (n_times, n_columns) or (n_times,)
        Row i of both is the same time. Missing values are left out, never bridged.
    delay : int, default=1
        The source's latest step, counted back from the target's present.
    source_history, target_history : int, default=1
        How many steps of each past to use. If the target's is too short, its own memory is attributed to the source.
    given : table or None, default=None
        Other series whose past is conditioned on as well: the result is what the source adds to them.
    given_lags : int, sequence of int, or mapping of column to these, default=1
        The lags at which they are conditioned on, counted from the target's present.
    theiler : int, default=0
        Rows up to this many steps apart are neither neighbours nor counted (JIDT's dynamic correlation exclusion). For
        densely sampled smooth flows, whose nearest neighbours are the steps before and after.
    embedding : {"fixed", "auto"}, default="fixed"
        "auto" chooses both histories, up to five steps: the shortest that predict the target about as well as any
        (Ragwitz and Kantz). The result reports them.
    method : {"ksg", "auto", "gksg"}, default="ksg"
        The estimator. Tests compare KSG's statistic in any case.
    n_neighbors : int, default=4
        k. Four is what most published transfer entropies use, so results can be compared with them.
    n_surrogates, surrogates, block
        As in :func:`lagged_mutual_information`; the surrogates are of the source.
    groups, time, difference, windows, standardize
        As in :func:`lagged_mutual_information`.
    units, random_state, n_jobs, verbose
        As in :func:`mutual_information`.

    Returns
    -------
    TransferEntropy
        `float(result)` or `.te`; `.effective`, `.pvalue`, `.local` values in time, `.plot()`.

    Notes
    -----
    KSG's estimate is that of Frenzel and Pompe in the maximum norm; each series is standardised once, before it is
    embedded. On continuous series it equals what JIDT and infomeasure compute from such series, to 1e-12, if they add
    no noise. Series with many ties (distinct values fewer than half of the rows) get the mean over all orders of tied
    rows instead, as everywhere in this package, where others add noise.

    The test uses surrogates of the source, so the null hypothesis is that it is independent of the target as a whole.
    If only the target drives the source, the estimate is also near 0, and the test does not reject. The target's own
    past is given, so random walks need no special care beyond a long enough past. If other series are given, the test
    compares what they leave of both, and changes of what may be a random walk.

    References
    ----------
    T. Schreiber, "Measuring information transfer", PRL 2000.

    S. Frenzel and B. Pompe, "Partial Mutual Information for Coupling Analysis of Multivariate Time Series", PRL 2007.

    M. Ragwitz and H. Kantz, "Markov models from data by simple nonlinear time series predictors in delay embedding
    spaces", PRE 2002.

    Examples
    --------
    >>> import numpy as np, infold
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=500)
    >>> y = np.zeros(500)
    >>> for t in range(1, 500):
    ...     y[t] = 0.5 * y[t - 1] + x[t - 1] + rng.normal()  # truth: 0.35
    >>> there = infold.transfer_entropy(x, y, random_state=0)
    >>> round(there.te, 1), there.pvalue
    (0.3, 0.005)
    >>> back = infold.transfer_entropy(y, x, random_state=0)
    >>> abs(back.te) < 0.05, back.pvalue > 0.05
    (True, True)
    """
    settings = Settings(
        delay=delay,
        source_history=source_history,
        target_history=target_history,
        given_lags=plain_lags(given_lags),
        theiler=theiler,
        embedding=embedding,
        method=method,
        n_neighbors=n_neighbors,
        n_surrogates=n_surrogates,
        surrogates=surrogates,
        block=block,
        difference=difference,
        windows=windows,
        standardize=standardize,
        units=units,
        random_state=fixed_seed(random_state),
    )
    grid = read_pair({"source": source, "target": target, "given": given}, groups, time, settings)
    notes = stationarity_notes(grid, ("source", "target"), changes=difference > 0)
    found, more = estimate(grid, settings, n_jobs, verbose)
    return replace(found, notes=(*grid.notes, *tell([*notes, *more])))


class Settings(NamedTuple):
    """The parameters of a transfer entropy, besides the data."""

    delay: int
    source_history: int
    target_history: int
    given_lags: Any
    theiler: int
    embedding: str
    method: str
    n_neighbors: int
    n_surrogates: int
    surrogates: str
    block: int | None
    difference: int
    windows: Any
    standardize: bool
    units: str
    random_state: int

    def plan(self, n_jobs: int | None, verbose: int) -> Plan:
        """Return how to test."""
        return Plan(
            self.n_surrogates, self.surrogates, self.block, 0.05, self.random_state, n_jobs, verbose, self.difference
        )

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_count("delay", self.delay)
        check_count("source_history", self.source_history)
        check_count("target_history", self.target_history)
        check_count("theiler", self.theiler, minimum=0)
        check_choice("embedding", self.embedding, EMBEDDINGS)
        check_choice("method", self.method, METHODS)
        check_count("n_neighbors", self.n_neighbors)
        if self.theiler and self.method != "ksg":
            raise ValueError(
                f"theiler={self.theiler} is for method='ksg', but method={self.method!r}; take one of both."
            )
        self.plan(1, 0).check()
        check_choice("units", self.units, NATS_PER_UNIT)
        check_choice("difference", str(self.difference), ("0", "1"))


def read_pair(inputs: Mapping[str, Any], groups: Any, time: Any, asked: Settings) -> Grid:
    """Return source, target and given series on a grid, or their changes."""
    asked.check()
    longest = max(asked.source_history, asked.target_history, MAX_HISTORY if asked.embedding == "auto" else 1)
    reach = max(asked.delay + longest, lag_reach(asked.given_lags), asked.theiler)
    grid = read_series(inputs, groups=groups, time=time, reach=reach)
    if asked.theiler and any(series.nominal.any() for series in grid.series.values()):
        raise ValueError(f"theiler={asked.theiler} is for numbers, but there are classes; leave theiler out.")
    return differenced(grid) if asked.difference else grid


def estimate(grid: Grid, asked: Settings, n_jobs: int | None, verbose: int) -> tuple[TransferEntropy, tuple[Note, ...]]:
    """Return the transfer entropy of the series on a grid, and notes about its test."""
    unit = NATS_PER_UNIT[asked.units]
    size = None if asked.windows is None else check_windows(asked.windows, grid.times.size)
    many = any(map(has_many_ties, grid.series.values()))
    # Even continuous series tie once they are embedded: step t is as far from t − 1 as t + 1 is in the column before.
    method = Method(asked.method, asked.n_neighbors, asked.theiler, strict=not many, random_state=asked.random_state)
    grid = standardized(grid, exact_ties=many) if asked.standardize else grid
    pasts = asked.source_history, asked.target_history
    if asked.embedding == "auto":
        pasts = chosen_histories(grid, asked.delay, asked.theiler)
    question = _question(grid, asked.delay, *pasts, asked.given_lags)
    rows = embed(grid, question)
    check_rows(rows, method, "the embedding")
    local = method.local(rows) / unit
    judged = (
        _judge(grid, question, method, asked.plan(n_jobs, verbose), sum(pasts)) if asked.n_surrogates else _Judged()
    )
    null = judged.null / unit
    in_time = None
    if size is not None:
        in_time = in_windows(grid, (question,), ("te",), method, size, asked.units, unit, n_jobs, verbose)
    found = TransferEntropy(
        te=float(np.add.reduce(np.sort(local))) / local.size,
        effective=judged.statistic / unit - float(null.mean()) if null.size else float("nan"),
        pvalue=judged.pvalue,
        local=local,
        rows=grid.rows[rows.times],
        null=null,
        statistic=judged.statistic / unit,
        delay=asked.delay,
        source_history=pasts[0],
        target_history=pasts[1],
        embedding=asked.embedding,
        theiler=asked.theiler,
        units=asked.units,
        method=asked.method,
        n_neighbors=asked.n_neighbors,
        surrogates=asked.surrogates,
        settings=asked._asdict(),
        names={name: series.names for name, series in grid.series.items()},
        given=names_of(grid, "given"),
        windows=in_time,
    )
    return found, judged.notes


class _Judged(NamedTuple):
    """The test's results, in nats, and its notes."""

    null: np.ndarray = np.empty(0)
    statistic: float = float("nan")
    pvalue: float = float("nan")
    notes: tuple[Note, ...] = ()


def _judge(grid: Grid, question: Blocks, method: Method, plan: Plan, reach: int) -> _Judged:
    """Compare the statistic with that of surrogates of the source."""
    # The target's own past makes up for a random walk, but not once others are taken off.
    changing = ("source", "target") if "given" in grid else ()
    tested = compare_with_surrogates(
        grid, "source", "target", (question,), method, plan, reach=reach, changing=changing
    )
    statistic, null = float(tested.observed[0]), tested.null[:, 0]
    return _Judged(null, statistic, float(permutation_pvalue((null >= statistic).sum(), null.size)), tested.notes)


def _question(grid: Grid, delay: int, source_history: int, target_history: int, given_lags: Any) -> Blocks:
    """Return the blocks source's past, target's present, and target's past with what is given."""
    past = same_lags("source", grid["source"].values.shape[1], range(delay, delay + source_history))
    d = grid["target"].values.shape[1]
    known: tuple[Term, ...] = (same_lags("target", d, range(1, target_history + 1)),)
    if "given" in grid:
        known += (given_term(grid, given_lags),)
    return (past,), (same_lags("target", d, [0]),), known
