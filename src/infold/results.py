"""What functions return: frozen, readable, and ready for JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from infold.display import NumberLike, Shown, as_frame, axes_for, joined, percent, pvalue_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NATS_PER_UNIT = {"nats": 1.0, "bits": math.log(2.0)}
DOUBTFUL_PVALUE = 0.05  # of an answer of 0: below, something may be there
SCHEMA_VERSION = 1  # of what to_dict returns, and of all JSON; docs/json.md tells when it is raised


def information_coefficient(mi: float, units: str = "nats") -> float:
    """Return the correlation of two normal variables with this MI, √(1 − e^(−2I)); 0 for estimates below 0.

    >>> round(information_coefficient(0.83), 3), information_coefficient(-0.01)
    (0.9, 0.0)
    """
    return math.sqrt(-math.expm1(-2 * max(mi, 0.0) * NATS_PER_UNIT[units]))


class _Sides(NumberLike, Shown):
    """What results tell of X, Y and, where it is given, Z; of the MI, and how to read it."""

    mi: float
    units: str
    method: str
    n_samples: int
    n_dropped: int
    n_features: tuple[int, ...]
    settings: Mapping[str, Any]
    names: tuple[tuple[str, ...] | None, ...]
    kinds: tuple[tuple[str, ...], ...]
    entropies: tuple[float | None, ...]
    notes: tuple[str, ...]

    def __float__(self) -> float:
        """Return the estimate."""
        return float(self.mi)

    @property
    def information_coefficient(self) -> float:
        """The correlation that two normal variables with this MI have, √(1 − e^(−2I)); 0 for estimates below 0."""
        return information_coefficient(self.mi, self.units)

    @property
    def entropy_share(self) -> float | None:
        """I / min H over the nominal sides, between 0 and 1; None if both sides have numbers, and given Z."""
        known = [entropy for entropy in self.entropies if entropy]
        return min(max(self.mi, 0.0) / min(known), 1.0) if known and self.given is None else None

    def _reads_as(self) -> Iterator[tuple[str, str]]:
        """Say what the number means: as a share of a nominal side's entropy if there is one, else as a correlation."""
        share = self.entropy_share
        if share and self.mi > 0:
            side, most = min(
                ((side, h) for side, h in zip("XY", self.entropies, strict=False) if h), key=lambda pair: pair[1]
            )
            yield "reads as", f"{percent(share)} of all that {side} could tell, its entropy of {most:.3g} {self.units}"
        elif self.mi > 0 and not any("nominal" in kinds for kinds in self.kinds[:2]):
            found = self.information_coefficient
            size = "over 0.99" if found > 0.99 else f"{found:.2f}"
            yield "reads as", f"a correlation of {size}, if both were normal (information coefficient)"
        elif self.mi < 0:
            yield "reads as", "about 0: without dependence estimates scatter around 0"

    @property
    def given(self) -> tuple[str, ...] | int | None:
        """Names of the columns of Z, or their number if they have none; None without Z."""
        return (self.names[2] or self.n_features[2]) if len(self.n_features) > 2 else None

    def _asked(self) -> str:
        return "I(X; Y)" if self.given is None else "I(X; Y | Z)"

    def _columns(self) -> str:
        d_x, d_y, *d_z = self.n_features
        return f"{d_x} + {d_y} columns" + "".join(f" given {d}" for d in d_z)

    def _data_rows(self, queried: str = "") -> Iterator[tuple[str, str]]:
        """Say how many rows and columns there are, and of which kinds."""
        dropped = f" ({self.n_dropped} more dropped: missing values)" if self.n_dropped else ""
        yield "data", f"{self.n_samples} samples{dropped}{queried}, {self._columns()}"
        if any(kind != "continuous" for side in self.kinds for kind in side):
            sides = (", ".join(f"{side.count(kind)} {kind}" for kind in dict.fromkeys(side)) for side in self.kinds)
            yield "kinds", " | ".join(f"{name} {said}" for name, said in zip("XYZ", sides, strict=False) if said)

    def _last_rows(self) -> Iterator[tuple[str, str]]:
        """Say which method and settings were used, and what may be wrong."""
        own = {k: v for k, v in self.settings.items() if k not in ("n_jobs", "verbose") and v is not None}
        yield "method", f"{self.method}: {', '.join(f'{k}={v!r}' for k, v in own.items())}"
        yield from (("note", note) for note in self.notes)

    def _sides_to_dict(self) -> dict[str, Any]:
        """Return names and kinds of columns for JSON."""
        out: dict[str, Any] = {}
        for side, names, kinds in zip("xyz", self.names, self.kinds, strict=False):
            out |= {f"{side}_names": list(names) if names else None, f"{side}_kinds": list(kinds)}
        return out


@dataclass(frozen=True, repr=False, eq=False)
class MutualInformation(_Sides):
    """An estimate of mutual information, or, given Z, of conditional mutual information.

    It behaves like the number it holds: compare, sort, format, round or add it. `==` and `hash` go by the number too;
    results in different units are never equal, and cannot be mixed.

    Attributes
    ----------
    mi : float
        The estimate, in `units`. Never clamped: a small negative value means "about 0".
    local : ndarray of shape (n_samples,)
        One value per sample; their mean is `mi`. High where a sample's X and Y predict each other well.
    units : {"nats", "bits"}
        The unit of `mi` and `local`.
    method : str
        The estimator's short name.
    n_samples : int
        Rows of X and of Y.
    n_features : tuple of int
        Columns of X and of Y, and of Z if something is given; likewise in `names` and `kinds`.
    given : tuple of str, int or None
        Names of the columns of Z, or their number if they have none; None without Z.
    settings : mapping
        Every parameter of the estimator, so that the estimate can be reproduced.
    query_error : float
        Standard error added by averaging over `max_queries` rows instead of all; 0 without.
    names : tuple
        Column names of X and of Y where they came with names, else None.
    query_rows : ndarray of int or None
        The rows that `local` belongs to, if not all.
    certified : float or None
        Lower bound on the MI at 95 %, in `units`, whatever the distribution, for independent rows; None if not
        requested.
    explanation : mapping or None
        How `method="auto"` arrived at its answer: the linear part, the excess, and which candidate was chosen and why.
    kinds : tuple
        Kinds of the columns of X and of Y: "continuous", "ordinal" (numbers with many ties) or "nominal".
    dropped_rows : ndarray of int or None
        Rows of the input that were dropped because a value was missing; None if there were none.
    n_dropped : int
        Their number.
    notes : tuple of str
        Plain sentences about the data and what may be wrong.
    entropies : tuple of float or None
        Entropy of X and of Y, in `units`, for a side whose columns are all nominal: no MI is larger; else None.
    normalized : float
        Between 0 and 1: `entropy_share` where a side is nominal, else `information_coefficient`.
    information_coefficient : float
        The correlation that two normal variables with this MI have, √(1 − e^(−2I)); 0 for estimates below 0.
    entropy_share : float or None
        I / min H over the nominal sides: the share of the labels' information that is shared. None if both sides have
        numbers, and given Z.
    """

    mi: float
    local: np.ndarray = field(compare=False)
    units: str
    method: str
    n_samples: int
    n_features: tuple[int, ...]
    settings: Mapping[str, Any]
    query_error: float = 0.0
    names: tuple[tuple[str, ...] | None, ...] = (None, None)
    explanation: Mapping[str, Any] | None = None
    query_rows: np.ndarray | None = field(default=None, compare=False)
    certified: float | None = None
    kinds: tuple[tuple[str, ...], ...] = ((), ())
    dropped_rows: np.ndarray | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    entropies: tuple[float | None, ...] = (None, None)

    @property
    def n_dropped(self) -> int:  # type: ignore[override]
        """Rows of the input that were dropped because a value was missing."""
        return 0 if self.dropped_rows is None else self.dropped_rows.size

    @property
    def normalized(self) -> float:
        """`entropy_share` where a side is nominal, else `information_coefficient`: between 0 and 1."""
        share = self.entropy_share
        return self.information_coefficient if share is None else share

    def plot(self, points: Any = None, *, ax: Axes | None = None) -> Axes:
        """Draw the local values: how they are distributed or, given `points`, where they are high.

        Parameters
        ----------
        points : array, table or series, optional
            The columns to draw samples at, as in :func:`infold.plotting.plot_local`.
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default.

        Returns
        -------
        matplotlib Axes
        """
        from infold.plotting import plot_local, plot_local_values

        ax = axes_for(ax)
        return plot_local_values(self, ax=ax) if points is None else plot_local(self, points, ax=ax)

    def to_frame(self) -> Any:
        """Return a frame with the local value of each sample, indexed by its row of the input."""
        rows = np.arange(self.n_samples + self.n_dropped)
        if self.dropped_rows is not None:
            rows = np.delete(rows, self.dropped_rows)
        return as_frame({"local": self.local}, index=rows if self.query_rows is None else rows[self.query_rows])

    def to_dict(self, *, arrays: bool = False, local: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); `arrays=True`, or `local=True`, adds the n local values."""
        out = {
            **stamp("mutual_information"),
            "mi": self.mi,
            "information_coefficient": self.information_coefficient,
            "entropy_share": self.entropy_share,
            "certified": self.certified,
            "query_error": self.query_error,
            "units": self.units,
            "method": self.method,
            "n_samples": self.n_samples,
            "n_features": list(self.n_features),
            **self._sides_to_dict(),
            "n_dropped": self.n_dropped,
            "notes": list(self.notes),
            "settings": {key: _plain(value) for key, value in self.settings.items()},
        }
        if self.explanation is not None:
            out["explanation"] = dict(self.explanation)
        if local or arrays:
            out["local"] = self.local.tolist()
        return out

    def _headline(self) -> str:
        error = self.explanation and self.explanation["standard_error"]
        return f"{self._asked()} = {self.mi:.4g}{f' ± {error:.2g}' if error else ''} {self.units}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield from self._reads_as()
        yield from self._why()
        yield from _certified(self.certified, self.units)
        queried = f", {self.local.size} of them queried: ± {self.query_error:.2g}" if self.query_error else ""
        yield from self._data_rows(queried)
        if self.local.any():
            spread = f"standard deviation {self.local.std():.3g}"
            yield "local", f"one value per sample, from {self.local.min():.3g} to {self.local.max():.3g}, {spread}"
        yield from self._last_rows()

    def _why(self) -> Iterator[tuple[str, str]]:
        """Say how an adaptive answer came about."""
        if self.explanation is None:
            return
        e, given = self.explanation, "" if self.given is None else " given Z"
        if self.mi == 0:
            said = f"nothing tells X and Y from independent{given}"
            if e["pvalue"] < DOUBTFUL_PVALUE:
                said = "too little for auto, which answers 0 unless p < 0.001; a test may tell more"
            yield "evidence", f"{pvalue_text(e['pvalue'])}: {said}"
            if not e["reason"].startswith("no test tells"):
                yield "because", e["reason"]
            return
        yield "evidence", f"{pvalue_text(e['pvalue'])}: X and Y are dependent{given}"
        excess = e["excess"] if e["excess"] > 1e-9 * self.mi else 0.0  # not what rounding leaves
        yield "parts", f"linear {e['linear']:.3g}, nonlinear {excess:.3g}"
        yield "columns", f"X {_few(e['x_columns'])} | Y {_few(e['y_columns'])}"
        count = len(e["candidates"])
        yield "model", view_words(e["view"]) + (f"; the best of {count} candidates" if count > 1 else "")


# How auto's views, and the sets of columns that they use, are named in text for people.
_VIEW_WORDS = {
    r"^all: (.*)": r"\1, on all columns",
    r"^screened: (.*)": r"\1, on the columns that a screen found dependent",
    r"\b(\d+) blocks: [^+]*?(?= \+|$)": r"the sum over \1 blocks of columns",
    r"^directions of ([XY]): (\d+) columns": r"nearest neighbours along directions of \1, summed over \2 columns",
    r"\bgaussian\b": "a Gaussian copula",
    r"\bclasses\b": "Gaussian classes",
    r"\bbumps 1\b": "nearest neighbours along one learned coordinate",
    r"\bbumps (\d+)": r"nearest neighbours in \1 learned coordinates",
    r"\bturned 1\b": "a Gaussian copula, and nearest neighbours along one rotated coordinate",
    r"\bturned (\d+)": r"a Gaussian copula, and nearest neighbours in \1 rotated coordinates",
    r"\bstudent\b": "a Student t copula",
    r"^columns\b": "nearest neighbours in the columns themselves",
    r" \+ weak columns\b": ", with many weak columns together",
}


def view_words(view: str) -> str:
    """Return the name of a view of auto in words.

    >>> view_words("screened: bumps 4")
    'nearest neighbours in 4 learned coordinates, on the columns that a screen found dependent'
    >>> view_words("given Z: all: bumps 1 and all: student").split("; or ")[1]
    'a Student t copula, on all columns'
    """
    if view.startswith("given Z: "):
        return "of what Z leaves: " + "; or ".join(map(view_words, view.removeprefix("given Z: ").split(" and ")))
    for pattern, words in _VIEW_WORDS.items():
        view = re.sub(pattern, words, view)
    return view


def _certified(bound: float | None, units: str) -> Iterator[tuple[str, str]]:
    """Return the row about the certified bound, if there is one."""
    if bound is None:
        return
    least = f"at least {rounded_down(bound)} {units} (95 %, whatever the distribution)" if bound else ""
    yield "certified", least or "nothing above 0 (95 %)"


def rounded_down(bound: float, digits: int = 3) -> str:
    """Return a positive bound as text that is not above it.

    >>> rounded_down(0.74996), rounded_down(0.75), rounded_down(12.39, 2)
    ('0.749', '0.75', '12')
    """
    unit = 10.0 ** (math.floor(math.log10(bound)) + 1 - digits)
    return f"{math.floor(bound / unit + 1e-9) * unit:.{digits}g}"


def _few(columns: list[Any]) -> str:
    """Return the first columns, and how many more there are."""
    more = f" and {len(columns) - 6} more" if len(columns) > 6 else ""
    return (", ".join(str(c) for c in columns[:6]) or "none") + more


def _plain(value: Any) -> Any:
    """Return `value` as JSON can take it; a random generator becomes its description."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class _Inference(_Sides):
    """What the results of resampling share; `notes` are plain sentences about what may be wrong."""

    units: str
    method: str
    n_samples: int
    n_features: tuple[int, ...]
    settings: Mapping[str, Any]
    names: tuple[tuple[str, ...] | None, ...] = (None, None)
    kinds: tuple[tuple[str, ...], ...] = ((), ())
    n_dropped: int = 0
    notes: tuple[str, ...] = ()
    entropies: tuple[float | None, ...] = (None, None)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); `arrays=True` adds arrays with a value per resample."""
        hidden = ("names", "kinds", "entropies", *(() if arrays else self._arrays))
        shown = [f.name for f in fields(self) if f.name not in hidden]
        kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        return stamp(kind) | {name: plain_types(getattr(self, name)) for name in shown} | self._sides_to_dict()

    _arrays: ClassVar[tuple[str, ...]] = ()  # long arrays, in JSON only if asked for

    def _about_data(self) -> Iterator[tuple[str, str]]:
        """Return the rows that all these results end with."""
        yield from self._data_rows()
        yield from self._last_rows()


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class IndependenceTest(_Inference):
    """What re-pairing the rows, or drawing Y anew given Z, says about independence.

    Attributes
    ----------
    mi : float
        The estimate, in `units`.
    pvalue : float
        Probability of data as dependent as these if X and Y were independent (given Z); never 0. `float(result)` is
        this.
    statistic, statistic_name : float, str
        What was compared: "mi", or "-log10 p" for `method="auto"`, whose MI is exactly 0 for most independent data.
    null : ndarray
        The statistic of every permutation used, in order; in `units` if it is the MI.
    null_mean, null_std : float
        Mean and standard deviation of `null`: what the method answers without dependence.
    n_permutations, n_permutations_asked : int
        Permutations used, and requested.
    stopped_early : bool
        Whether the test stopped because the answer was clear.
    units, method, n_samples, n_features, settings, names, kinds, given, n_dropped
        As in :class:`MutualInformation`.
    notes : tuple of str
        Plain sentences about what may be wrong.
    """

    mi: float
    pvalue: float
    statistic: float
    statistic_name: str
    null: np.ndarray = field(compare=False)
    n_permutations_asked: int
    stopped_early: bool

    @property
    def n_permutations(self) -> int:
        """Permutations used."""
        return self.null.size

    @property
    def null_mean(self) -> float:
        """Mean of the statistic without dependence."""
        return float(self.null.mean())

    @property
    def null_std(self) -> float:
        """Standard deviation of the statistic without dependence."""
        return float(self.null.std(ddof=1)) if self.null.size > 1 else 0.0

    _arrays = ("null",)
    _scale = "p-values"

    def __float__(self) -> float:
        """Return the p-value."""
        return self.pvalue

    @property
    def n_as_dependent(self) -> int:
        """Permutations whose statistic is at least that of the data."""
        return int(np.sum(self.null >= self.statistic))

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the null distribution and what was observed, on `ax` or a new pyplot figure."""
        from infold.plotting import plot_null

        return plot_null(self, ax=axes_for(ax))

    def to_frame(self) -> Any:
        """Return a frame with the statistic of each permutation."""
        return as_frame({"null": self.null})

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); `arrays=True` adds the statistic of each permutation."""
        more = {"n_permutations": self.n_permutations, "null_mean": self.null_mean, "null_std": self.null_std}
        return super().to_dict(arrays=arrays) | more

    def _headline(self) -> str:
        return f"{pvalue_text(self.pvalue, 3)}, {self._asked()} = {self.mi:.4g} {self.units}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        count, early = self.n_as_dependent, f" (stopped early, of {self.n_permutations_asked})"
        draws = "random pairings of the rows" if self.given is None else "draws of Y given Z"
        draws = f"{self.n_permutations} {draws}{early if self.stopped_early else ''}"
        yield "compared", f"{count or 'none'} of {draws} {'is' if count < 2 else 'are'} as dependent"
        null = f"{self.null_mean:.3g} ± {self.null_std:.2g} {self.units}"
        if self.statistic_name != "mi":
            yield "statistic", "auto's own p-value, since its MI is 0 for most pairings"
        elif self.given is None:
            yield "null", f"the MI of these pairings is {null}"
        else:
            yield "statistic", f"MI of what Z leaves of X and of Y: {self.statistic:.3g}; the draws give {null}"
        yield from self._about_data()


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ConfidenceInterval(_Inference):
    """An interval for the expectation of an estimate, and whether its bias looks small.

    Attributes
    ----------
    mi, low, high : float
        The estimate and the ends of the interval, in `units`; never clamped.
    level : float
        Share of such intervals that cover the estimator's expectation; the truth too where the bias is small.
    standard_error : float
        Of `mi`, from the spread over subsamples.
    subsample_size : int
        Rows of the subsamples that the standard error comes from.
    subsamples : ndarray
        Their estimates.
    sizes, means : tuple
        The drift over the number of rows: mean estimate of subsamples of these sizes; the last is all rows.
    over_neighbors : mapping
        The drift over k: the estimate with other numbers of neighbours.
    bias_is_small : bool
        Whether both drifts are small compared with the standard error. If not, `notes` says so in words.
    certified : float or None
        Lower bound on the MI at 95 %, in `units`, whatever the distribution; None where rows are not independent, and
        given Z.
    units, method, n_samples, n_features, settings, names, kinds, given, n_dropped, notes
        As in :class:`IndependenceTest`.
    """

    mi: float
    low: float
    high: float
    level: float
    standard_error: float
    subsample_size: int
    subsamples: np.ndarray = field(compare=False)
    sizes: tuple[int, ...]
    means: tuple[float, ...]
    over_neighbors: Mapping[int, float]
    bias_is_small: bool
    certified: float | None

    _arrays = ("subsamples",)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the interval, and the estimate on fewer rows, on `ax` or a new pyplot figure."""
        from infold.plotting import plot_interval

        return plot_interval(self, ax=axes_for(ax))

    def to_frame(self) -> Any:
        """Return a frame with the estimate of each subsample."""
        return as_frame({"mi": self.subsamples})

    def _headline(self) -> str:
        level = f"{100 * self.level:g} % interval [{self.low:.4g}, {self.high:.4g}]"
        return f"{self._asked()} = {self.mi:.4g} {self.units}, {level}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        drift = joined(f"{mean:.3g} ({size} rows)" for size, mean in zip(self.sizes, self.means, strict=True))
        over_k = joined(f"{mi:.3g} ({k} neighbours)" for k, mi in self.over_neighbors.items())
        yield from self._reads_as()
        yield (
            "error",
            f"{self.standard_error:.2g}, from {self.subsamples.size} subsamples of {self.subsample_size} rows",
        )
        yield "drift", drift
        if over_k:
            yield "", over_k
        yield "bias", "looks small" if self.bias_is_small else "may NOT be small: see the notes"
        yield from _certified(self.certified, self.units)
        yield from self._about_data()


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Diagnosis(_Inference):
    """Whether an estimate can be trusted, and why.

    Attributes
    ----------
    estimate : MutualInformation
        The estimate in question.
    over_neighbors : mapping
        k → the estimate with k neighbours.
    over_size : mapping
        Rows → (mean, standard deviation) of estimates from that many rows; the last is all rows, without a deviation.
    ceiling, log_n : float
        ψ(n) − ψ(k), the maximum for kNN counts, and log n, the most that n samples can certify; in `units`.
    tied_columns : mapping
        Column → share of its values that some other row has too; columns without ties are left out.
    duplicate_rows : float
        Share of rows that repeat another row in every column; 0 if these are a few that occur again and again, such as
        rows of zeros.
    intrinsic_dimension : mapping
        "x", "y", "joint" → dimension that the distances between neighbours show.
    methods : mapping
        "ksg", "gksg", "cca" and "auto" → the estimate of each.
    planted : tuple of mapping
        One for each planted MI, with the margins of the data: true, mean, sd, bias, and the power of a test at 5 %.
    autocorrelation : mapping
        "x", "y" → (largest lag-1 autocorrelation of a column's ranks, p-value of no autocorrelation), "block" → the
        length of block to permute, or None if there is no need.
    certified : float or None
        Lower bound on the MI at 95 %, in `units`, whatever the distribution; None where rows are not independent.
    verdict : tuple of str
        A few plain sentences.
    units, method, n_samples, n_features, settings, names, kinds, n_dropped, notes
        As in :class:`IndependenceTest`.
    """

    estimate: MutualInformation
    over_neighbors: Mapping[int, float]
    over_size: Mapping[int, tuple[float, float]]
    ceiling: float
    log_n: float
    tied_columns: Mapping[str, float]
    duplicate_rows: float
    intrinsic_dimension: Mapping[str, float]
    methods: Mapping[str, float]
    planted: tuple[Mapping[str, float], ...]
    autocorrelation: Mapping[str, Any]
    certified: float | None
    verdict: tuple[str, ...]

    @property
    def mi(self) -> float:  # type: ignore[override]
        """The estimate in question."""
        return self.estimate.mi

    def plot(self, what: str = "methods", *, ax: Axes | None = None) -> Axes:
        """Draw the evidence.

        Parameters
        ----------
        what : {"methods", "neighbors", "size", "planted"}, default="methods"
            Other methods, other numbers of neighbours, fewer rows, or planted MI.
        ax : matplotlib Axes, optional
            Where to draw; a new pyplot figure by default.

        Returns
        -------
        matplotlib Axes
        """
        from infold.data.checks import check_choice
        from infold.plotting import plot_comparison, plot_drift, plot_planted

        check_choice("what", what, ("methods", "neighbors", "size", "planted"))
        ax = axes_for(ax)
        if what == "methods":
            return plot_comparison(self, ax=ax)
        return plot_planted(self, ax=ax) if what == "planted" else plot_drift(self, over=what, ax=ax)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md)."""
        return {**super().to_dict(arrays=arrays), "mi": self.mi, "estimate": self.estimate.to_dict(arrays=arrays)}

    def _headline(self) -> str:
        return " ".join(self.verdict)

    def _rows(self) -> Iterator[tuple[str, str]]:
        def each(values: Mapping[Any, float]) -> str:
            return joined(f"{key} {value:.3g}" for key, value in values.items())

        sizes = joined(
            f"{mean:.3g} {f'± {sd:.2g} ' if sd else ''}({n} rows)" for n, (mean, sd) in self.over_size.items()
        )
        planted = joined(
            f"{p['true']:.2g} → {p['mean']:.2g} ± {p['sd']:.2g}"
            + (f" (seen: {percent(p['power'])})" if p["true"] else "")
            for p in self.planted
        )
        yield "estimate", f"{self.mi:.4g} {self.units}, out of at most {self.ceiling:.3g} that so many samples can show"
        yield from self._reads_as()
        yield from _certified(self.certified, self.units)
        yield "over k", joined(f"{mi:.3g} ({k})" for k, mi in self.over_neighbors.items()) + " neighbours"
        yield "over n", sizes
        yield "methods", each(self.methods)
        yield "planted", planted
        yield "dimension", each(self.intrinsic_dimension)
        yield "ties", f"{len(self.tied_columns)} columns with ties, {percent(self.duplicate_rows)} of rows are copies"
        yield from self._about_data()


def stamp(kind: str) -> dict[str, Any]:
    """Return what every JSON object of a result starts with."""
    return {"schema_version": SCHEMA_VERSION, "type": kind}


def plain_types(value: Any) -> Any:
    """Return `value` as JSON can take it: arrays as lists, keys as text, results as their `to_dict`."""
    if isinstance(value, np.ndarray | np.generic):
        return plain_types(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain_types(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain_types(one) for one in value]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _plain(value)
