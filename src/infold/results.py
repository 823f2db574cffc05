"""What functions return: frozen, readable, and ready for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

NATS_PER_UNIT = {"nats": 1.0, "bits": math.log(2.0)}


class _Sides:
    """What results tell of X, Y and, where it is given, Z."""

    n_features: tuple[int, ...]
    names: tuple[tuple[str, ...] | None, ...]
    kinds: tuple[tuple[str, ...], ...]

    @property
    def given(self) -> tuple[str, ...] | int | None:
        """Names of the columns of Z, or how many they are if they have none; None without Z."""
        return (self.names[2] or self.n_features[2]) if len(self.n_features) > 2 else None

    def _asked(self) -> str:
        return "I(X; Y)" if self.given is None else "I(X; Y | Z)"

    def _columns(self) -> str:
        d_x, d_y, *d_z = self.n_features
        return f"{d_x} + {d_y} columns" + "".join(f" given {d}" for d in d_z)

    def _sides_to_dict(self) -> dict[str, Any]:
        """Return names and kinds of columns for JSON."""
        out: dict[str, Any] = {}
        for side, names, kinds in zip("xyz", self.names, self.kinds, strict=False):
            out |= {f"{side}_names": list(names) if names else None, f"{side}_kinds": list(kinds)}
        return out if self.given is None else out | {"given": plain_types(self.given)}


@dataclass(frozen=True, repr=False)
class MutualInformation(_Sides):
    """An estimate of mutual information, or, given Z, of conditional mutual information.

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
        Names of the columns of Z, or how many they are if they have none; None without Z.
    settings : mapping
        Every parameter of the estimator, so that the estimate can be made again.
    query_error : float
        Standard error that averaging over `max_queries` rows, instead of all, adds; 0 without.
    names : tuple
        Column names of X and of Y where they came with names, else None.
    query_rows : ndarray of int or None
        The rows that `local` belongs to, where these are not all.
    certified : float or None
        Lower bound on the MI at 95 %, in `units`, whatever the distribution, for independent rows; None if not asked
        for.
    explanation : mapping or None
        How `method="auto"` came to its answer: its linear part, the excess, the view that was taken and why.
    kinds : tuple
        Kinds of the columns of X and of Y: "continuous", "ordinal" (numbers with many ties) or "nominal".
    dropped_rows : ndarray of int or None
        Rows of the input that were left out, as a value was missing; None if there were none.
    n_dropped : int
        How many they are.
    notes : tuple of str
        Plain sentences about the columns.
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

    @property
    def n_dropped(self) -> int:
        """Rows of the input that were left out, as a value was missing."""
        return 0 if self.dropped_rows is None else self.dropped_rows.size

    def __float__(self) -> float:
        """Return the estimate."""
        return self.mi

    def to_dict(self, *, local: bool = False) -> dict[str, Any]:
        """Return plain types for JSON; `local=True` adds the n local values."""
        out = {
            "mi": self.mi,
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
        if local:
            out["local"] = self.local.tolist()
        return out

    def __repr__(self) -> str:
        """Return a few lines for people."""
        own = {k: v for k, v in self.settings.items() if k not in ("n_jobs", "verbose") and v is not None}
        queried = f", {self.local.size} of them queried: ± {self.query_error:.2g}" if self.query_error else ""
        return (
            f"{self._asked()} = {self.mi:.4g} {self.units}\n"
            f"  method    {self.method}: {', '.join(f'{k}={v!r}' for k, v in own.items())}\n"
            f"  data      {self.n_samples} samples{_dropped(self.n_dropped)}{queried}, {self._columns()}\n"
            + "".join(f"  {line}\n" for line in _kinds(self.kinds))
            + f"  local     from {self.local.min():.3g} to {self.local.max():.3g}, deviation {self.local.std():.3g}"
            + self._why()
            + "".join(f"\n  {line}" for line in _certified(self.certified, self.units))
            + "".join(f"\n  note      {note}" for note in self.notes)
        )

    def _why(self) -> str:
        """Return how an adaptive answer came about, as further lines."""
        if self.explanation is None:
            return ""
        e = self.explanation
        error = "unknown" if e["standard_error"] is None else f"{e['standard_error']:.2g}"
        return (
            f"\n  parts     linear {e['linear']:.3g}, beyond it {e['excess']:.3g}; standard error {error}"
            f"\n  view      {e['view']}: {e['reason']}"
            f"\n  columns   X {_few(e['columns_x'])} | Y {_few(e['columns_y'])}; independence: p = {e['pvalue']:.2g}"
        )


def _dropped(count: int) -> str:
    """Return how many rows were left out, in brackets, if any were."""
    return f" ({count} more dropped: missing values)" if count else ""


def _kinds(kinds: tuple[tuple[str, ...], ...]) -> list[str]:
    """Return the line about kinds of columns, unless all are continuous."""
    if all(kind == "continuous" for side in kinds for kind in side):
        return []
    sides = (", ".join(f"{side.count(kind)} {kind}" for kind in dict.fromkeys(side)) for side in kinds)
    return [f"kinds     {' | '.join(f'{name} {said}' for name, said in zip('XYZ', sides, strict=False) if said)}"]


def _certified(bound: float | None, units: str) -> list[str]:
    """Return the line about the certified bound, if there is one."""
    if bound is None:
        return []
    if not bound:
        return ["certified nothing above 0 (95 %)"]
    return [f"certified at least {rounded_down(bound)} {units} (95 %, whatever the distribution)"]


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


@dataclass(frozen=True, repr=False, kw_only=True)
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON."""
        out = {f.name: plain_types(getattr(self, f.name)) for f in fields(self)}
        del out["names"], out["kinds"]
        return out | self._sides_to_dict()

    def _lines(self, *lines: str) -> str:
        rows = f"{self.n_samples} samples{_dropped(self.n_dropped)}"
        data = f"data      {rows}, {self._columns()}, method {self.method}"
        return "\n  ".join([*lines, data, *_kinds(self.kinds), *(f"note      {note}" for note in self.notes)])


@dataclass(frozen=True, repr=False, kw_only=True)
class IndependenceTest(_Inference):
    """What re-pairing the rows, or X drawn anew given Z, says of independence.

    Attributes
    ----------
    mi : float
        The estimate, in `units`.
    pvalue : float
        Chance of data as dependent as these if X and Y were independent (given Z); never 0. `float(result)` is this.
    statistic, statistic_name : float, str
        What was compared: "mi", or "-log10 p" for `method="auto"`, whose MI is exactly 0 for most independent data.
    null : ndarray
        The statistic of every permutation looked at, in order; in `units` if it is the MI.
    null_mean, null_std : float
        Mean and standard deviation of `null`: what the method answers without dependence.
    n_permutations, n_permutations_asked : int
        Permutations looked at, and asked for.
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
        """Permutations looked at."""
        return self.null.size

    @property
    def null_mean(self) -> float:
        """Mean of the statistic without dependence."""
        return float(self.null.mean())

    @property
    def null_std(self) -> float:
        """Standard deviation of the statistic without dependence."""
        return float(self.null.std(ddof=1)) if self.null.size > 1 else 0.0

    def __float__(self) -> float:
        """Return the p-value."""
        return self.pvalue

    def to_dict(self) -> dict[str, Any]:
        """Return plain types for JSON."""
        more = {"n_permutations": self.n_permutations, "null_mean": self.null_mean, "null_std": self.null_std}
        return super().to_dict() | more

    def __repr__(self) -> str:
        """Return a few lines for people."""
        early = f", stopped early of {self.n_permutations_asked}" if self.stopped_early else ""
        what = "" if self.statistic_name == "mi" else f"; statistic {self.statistic_name} = {self.statistic:.3g}"
        return self._lines(
            f"p = {self.pvalue:.3g}, {self._asked()} = {self.mi:.4g} {self.units}{what}",
            f"null      {self.null_mean:.3g} ± {self.null_std:.2g} over {self.n_permutations} permutations{early}",
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class ConfidenceInterval(_Inference):
    """An interval for the expectation of an estimate, and whether its bias looks small.

    Attributes
    ----------
    mi, low, high : float
        The estimate and the ends of the interval, in `units`; never clamped.
    level : float
        Share of such intervals that hold the estimator's expectation; the truth too where the bias is small.
    standard_error : float
        Of `mi`, from the spread over subsamples.
    subsample_size : int
        Rows of the subsamples that the standard error comes from.
    subsamples : ndarray
        Their estimates.
    sizes, means : tuple
        The drift over the number of rows: mean estimate of subsamples of these sizes; the last is the whole.
    over_neighbors : mapping
        The drift over k: the estimate with other numbers of neighbours.
    bias_is_small : bool
        Whether both drifts are small beside the standard error. If not, `notes` says so in words.
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

    def __repr__(self) -> str:
        """Return a few lines for people."""
        drift = ", ".join(f"{mean:.3g} (n = {size})" for size, mean in zip(self.sizes, self.means, strict=True))
        over_k = ", ".join(f"{mi:.3g} (k = {k})" for k, mi in self.over_neighbors.items())
        return self._lines(
            f"{self._asked()} = {self.mi:.4g} {self.units}, "
            f"{100 * self.level:g} % interval [{self.low:.4g}, {self.high:.4g}]",
            f"error     {self.standard_error:.2g}, by {self.subsamples.size} subsamples of {self.subsample_size} rows",
            f"drift     {drift}",
            *([f"          {over_k}"] if over_k else []),
            f"bias      {'looks small' if self.bias_is_small else 'may NOT be small: see the notes'}",
            *_certified(self.certified, self.units),
        )


@dataclass(frozen=True, repr=False, kw_only=True)
class Diagnosis(_Inference):
    """Whether an estimate can be trusted, and why.

    Attributes
    ----------
    estimate : MutualInformation
        The estimate in question.
    over_neighbors : mapping
        k → the estimate with k neighbours.
    over_size : mapping
        Rows → (mean, standard deviation) of estimates from so many rows; the last is the whole, without a deviation.
    ceiling, log_n : float
        ψ(n) − ψ(k), the most that kNN counts can say, and log n, the most that n samples can certify; in `units`.
    tied_columns : mapping
        Column → share of its values that some other row has too; columns without ties are left out.
    duplicate_rows : float
        Share of rows that repeat another row in every column.
    intrinsic_dimension : mapping
        "x", "y", "joint" → dimension that the distances between neighbours show.
    methods : mapping
        "ksg", "gksg", "cca" and "auto" → what each says.
    planted : tuple of mapping
        One for each planted MI, the data's own margins kept: true, mean, sd, bias, and the power of a test at 5 %.
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

    def __repr__(self) -> str:
        """Return a page for people."""

        def listed(values: Mapping[Any, float], sign: str = "=") -> str:
            return ", ".join(f"{key} {sign} {value:.3g}" for key, value in values.items())

        sizes = ", ".join(
            f"{n}: {mean:.3g}" + (f" ± {sd:.2g}" if sd else "") for n, (mean, sd) in self.over_size.items()
        )
        planted = "; ".join(
            f"{p['true']:.2g} → {p['mean']:.2g} ± {p['sd']:.2g}" + (f", power {p['power']:.0%}" if p["true"] else "")
            for p in self.planted
        )
        return self._lines(
            " ".join(self.verdict),
            f"estimate  {self.estimate.mi:.4g} {self.units}; ceiling {self.ceiling:.3g}, log n {self.log_n:.3g}",
            *_certified(self.certified, self.units),
            f"over k    {listed(self.over_neighbors, ':')}",
            f"over n    {sizes}",
            f"methods   {listed(self.methods)}",
            f"planted   {planted}",
            f"dimension {listed(self.intrinsic_dimension)}",
            f"ties      {len(self.tied_columns)} columns with ties, {self.duplicate_rows:.0%} of rows are copies",
        )


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
