"""Adaptive: a Gaussian-copula part, plus what the best view of the data shows beyond Gaussian surrogates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ._validation import Table, check_random_state
from .estimators import MutualInformationEstimator

ALPHA_DEPENDENT = 1e-3  # chance to call independent data dependent; below it the answer is 0
ALPHA_EXCESS = 2e-3  # chance that one view shows an excess on Gaussian data: 1 % over five views
MARGIN = 2.0  # standard errors, of the linear parts' difference, by which all columns must beat the screened ones
ROWS_PER_COLUMN = 3  # canonical correlations of more than n / 3 columns are mostly noise

ALL, SCREENED, GAUSSIAN, NONE = "all", "screened", "gaussian", "none"
SHARP = "sharp columns"


@dataclass(frozen=True)
class Candidate:
    """One view of one set of columns, as :class:`Adaptive` compared it with the others.

    Attributes
    ----------
    columns : {"all", "screened"}
        The set of columns.
    view : str
        "gaussian" (no excess), "columns", "sharp columns", "radii", or "learned 1" to "learned 3".
    linear : float
        The Gaussian-copula part of the set, in nats.
    excess : float
        What KSG on the view shows beyond Gaussian surrogates, in nats.
    z, pvalue : float
        The excess in standard deviations of the surrogates, and its one-sided p-value.
    linear_error, excess_error : float
        Standard errors of the two parts.
    """

    columns: str
    view: str
    linear: float
    excess: float
    z: float
    pvalue: float
    linear_error: float
    excess_error: float

    @property
    def mi(self) -> float:
        """The estimate, in nats, if this one is taken."""
        return self.linear + self.excess

    @property
    def standard_error(self) -> float:
        """Standard error of `mi`, bias not counted."""
        return math.hypot(self.linear_error, self.excess_error)

    @property
    def name(self) -> str:
        """The set and the view, such as "screened: radii"."""
        return f"{self.columns}: {self.view}"


def counting(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return those that may answer: no excess, or a proven one.

    If there is no linear part, "no excess" would say 0 although the data are dependent, so every view counts; not the
    sharp look, which is a second look at one of them.
    """
    proven = [c for c in candidates if c.pvalue < ALPHA_EXCESS]
    if any(c.linear for c in candidates):
        return [c for c in candidates if c.view == GAUSSIAN or c in proven]
    return [c for c in candidates if c.view not in (GAUSSIAN, SHARP) or c in proven]


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, str]:
    """Return the candidate to answer with, and why: screened columns, unless all columns say more beyond doubt.

    In a set, the largest estimate less its standard error. Every view's excess tends to fall short of the truth, so
    larger is nearer; the standard error handicaps noisy views.
    """
    choices = counting(candidates)
    best = {c.columns: c for c in sorted(choices, key=lambda c: c.mi - c.standard_error)}
    if len(best) == 1:
        (winner,) = best.values()
        return winner, f"the largest estimate less its standard error, of {len(choices)} that count"
    few, every = best[SCREENED], best[ALL]
    # An excess was tested, so only the linear part can grow by noise columns; the sets are nested: variances subtract.
    margin = MARGIN * math.sqrt(max(every.linear_error**2 - few.linear_error**2, 0.0))
    more = every.mi - few.mi
    if more > margin:
        return every, f"all columns say {more:.3f} nats more than the screened ones, beyond the margin {margin:.3f}"
    return few, f"all columns say {more:+.3f} nats beside the screened ones, within the margin {margin:.3f}"


class Adaptive(MutualInformationEstimator):
    """Mutual information as a Gaussian-copula part plus the excess of the best view over Gaussian surrogates.

    Only ranks count. A bias-corrected Gaussian MI of the normal scores is the linear part. What is beyond it is sought
    by KSG on several views of the data: the columns, two radii, learned coordinates. Each is compared with the same
    view of Gaussian samples that have exactly the same correlations, so that what KSG loses in many columns cancels.
    All of this is done for the columns that a screen finds dependent, and for all columns. Data that no test tells
    from independent give exactly 0.

    Parameters
    ----------
    n_neighbors : int, default=3
        k of KSG in every view.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the surrogates, of the rows queried and of the order within ties. The same seed gives the same bits for
        any `n_jobs`.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats, `linear_` + `excess_`.
    linear_, excess_ : float
        The Gaussian-copula part, and what the view shows beyond it.
    z_ : float
        The excess in standard deviations of its surrogates; 0 if there is none.
    standard_error_ : float
        Of `mi_`. It counts no bias, and is too small for about a fifth of data sets; see the method's page.
    pvalue_ : float
        Of independence, all tests together. At or above 0.001 the answer is 0.
    view_ : str
        The set of columns and the view taken, such as "screened: radii"; "none" if the answer is 0.
    reason_ : str
        Why.
    columns_x_, columns_y_ : ndarray of int
        Columns of X and of Y that the answer rests on; without constant ones and monotone copies.
    candidates_ : tuple of Candidate
        All that was compared.
    local_mi_ : ndarray of shape (n_samples,)
        One value a sample; their mean is `mi_`. KSG's local values in the view taken, or log ratios of Gaussian
        densities if that is the Gaussian one, shifted by a constant; zeros if the answer is 0. With more than 2,000
        samples, one value for each of the rows `query_rows_`.
    query_rows_ : ndarray of int or None
        The rows with local values, where these are not all.
    query_error_ : float
        Standard error that looking at these rows only adds; 0 otherwise.

    Notes
    -----
    Unlike the other estimators this one can answer exactly 0, and does so on all but about one in 1,000 independent
    data sets. Strictly increasing maps of single columns change no bit of the answer. Neither this answer nor its
    linear part is a bound in general, although both usually fall short of the truth.

    Examples
    --------
    >>> import infold
    >>> from infold.adaptive import Adaptive
    >>> data = infold.datasets.make_gaussian(n_samples=500, noise_dims=20, random_state=0)  # truth: 0.830
    >>> fitted = Adaptive(random_state=0).fit(data.X, data.Y)
    >>> 0.75 < fitted.mi_ < 0.91
    True
    >>> fitted.view_, fitted.columns_x_, fitted.columns_y_
    ('screened: gaussian', array([0]), array([0]))
    """

    def __init__(
        self, n_neighbors: int = 3, *, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0
    ) -> None:
        self.n_neighbors = n_neighbors
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    test_statistic_name = "-log10 p"

    @property
    def test_statistic_(self) -> float:
        """What a permutation test compares: `mi_` is 0 for most independent data, and ranks nothing."""
        return -math.log10(max(self.pvalue_, 1e-300))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_random_state(self.random_state)

    def _remember(self, x: Table, y: Table) -> None:
        super()._remember(x, y)
        # Constant columns are gone when _local_mi gets to see the tables, or it is not called at all.
        self._varying = [np.flatnonzero(t.values.min(axis=0) < t.values.max(axis=0)) for t in (x, y)]
        self.query_rows_: np.ndarray | None = None
        self._answer_zero(1.0, "a side has no column that varies", ())

    def _answer_zero(self, pvalue: float, reason: str, candidates: Sequence[Candidate]) -> np.ndarray:
        """Record that nothing tells the two sides from independent ones."""
        error = max((c.standard_error for c in candidates), default=0.0)
        none = np.array([], dtype=np.intp)
        self._explain(Candidate(NONE, NONE, 0.0, 0.0, 0.0, 1.0, error, 0.0), pvalue, reason, none, none, candidates)
        return np.zeros(self.n_samples_ if self.query_rows_ is None else self.query_rows_.size)

    def _explain(
        self,
        answer: Candidate,
        pvalue: float,
        reason: str,
        columns_x: np.ndarray,
        columns_y: np.ndarray,
        candidates: Sequence[Candidate],
    ) -> None:
        self.linear_, self.excess_, self.z_ = answer.linear, answer.excess, answer.z
        self.standard_error_, self.pvalue_ = answer.standard_error, pvalue
        self.view_ = NONE if answer.view == NONE else answer.name
        self.reason_ = reason
        self.columns_x_, self.columns_y_ = columns_x, columns_y
        self.candidates_ = tuple(candidates)

    def _local_mi(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        # One thread of BLAS for each of ours: matrices are small, and its sums must not depend on n_jobs.
        with threadpool_limits(1):
            return self._adapt(x.T, y.T)

    def _adapt(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Explain and return the local values; x (n, p), y (n, q)."""
        from .core.copula import copula_columns
        from .core.jit import draw_seeds
        from .core.screen import screen_columns
        from .core.views import MAX_SURROGATES, make_plan

        n = len(x)
        seed, *seeds = draw_seeds(self.random_state, 1 + MAX_SURROGATES)
        rng = np.random.default_rng(int(seed))
        plan = make_plan(n, self.n_neighbors, rng)
        self.query_rows_ = plan.queries if plan.queries.size < n else None
        most = n // (2 * ROWS_PER_COLUMN)  # columns a side that a joint look can bear
        if most == 0:
            return self._answer_zero(1.0, f"{n} rows show nothing at the level {ALPHA_DEPENDENT:g}", ())
        (x, index_x), (y, index_y) = copula_columns(x, rng), copula_columns(y, rng)
        screen = screen_columns(x, y, most)

        every = np.arange(index_x.size), np.arange(index_y.size)
        n_screened, n_columns = screen.x.size + screen.y.size, index_x.size + index_y.size
        sets: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        if 0 < n_screened < n_columns:
            sets[SCREENED] = screen.x, screen.y
        if ROWS_PER_COLUMN * n_columns <= n:
            sets[ALL] = every
        if not sets:
            reason = f"no pair or product of columns is dependent (p = {screen.pvalue:.2g}), too many for a joint look"
            return self._answer_zero(screen.pvalue, reason, ())

        candidates: list[Candidate] = []
        pvalues = [screen.pvalue]
        for name, (cx, cy) in sets.items():
            # The sharp look is noisy, and only columns known to matter are worth it.
            sharp = name == SCREENED or n_screened == n_columns
            found, pvalue = self._candidates(name, x[:, cx], y[:, cy], plan, seeds, sharp=sharp)
            candidates += found
            if name == ALL:  # screened columns were chosen for their dependence: no test on them alone
                pvalues += [pvalue, min(c.pvalue for c in found) * len(found)]
        pvalue = min(1.0, len(pvalues) * min(pvalues))
        if pvalue >= ALPHA_DEPENDENT:
            return self._answer_zero(pvalue, f"no test tells it from independence (p = {pvalue:.2g})", candidates)

        answer, reason = choose(candidates)
        cx, cy = sets[answer.columns]
        columns_x, columns_y = self._varying[0][index_x[cx]], self._varying[1][index_y[cy]]
        self._explain(answer, pvalue, reason, columns_x, columns_y, candidates)
        local = self._view_local(answer.view, x[:, cx], y[:, cy], plan)
        return local - local.mean() + answer.mi

    def _candidates(
        self, name: str, a: np.ndarray, b: np.ndarray, plan: Any, seeds: Sequence[int], *, sharp: bool
    ) -> tuple[list[Candidate], float]:
        """Return the Gaussian part and every view of one set of columns, and the p-value of no correlation."""
        from .core.copula import gaussian_part
        from .core.views import excesses

        gauss = gaussian_part(a, b)
        found = excesses(a, b, plan, seeds, sharp=sharp, n_jobs=self.n_jobs, verbose=self.verbose)
        error = gauss.standard_error
        out = [Candidate(name, GAUSSIAN, gauss.mi, 0.0, 0.0, 1.0, error, 0.0)]
        out += [Candidate(name, v, gauss.mi, e.value, e.z, e.pvalue, error, e.deviation) for v, e in found.items()]
        return out, gauss.pvalue

    def _view_local(self, view: str, a: np.ndarray, b: np.ndarray, plan: Any) -> np.ndarray:
        """Return the local values that belong to a view, at the plan's rows, up to a constant."""
        from .core.copula import gaussian_local, gaussian_part
        from .core.views import view_local

        if view == GAUSSIAN:
            return gaussian_local(a, b, gaussian_part(a, b).n_pairs)[plan.queries]
        return view_local(view, a, b, plan)
