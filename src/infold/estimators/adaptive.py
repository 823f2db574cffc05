"""Adaptive: a Gaussian-copula part, plus what the best view of the data shows beyond Gaussian surrogates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infold.data.checks import check_random_state
from infold.data.question import Question, varying

from .base import MutualInformationEstimator

ALPHA_DEPENDENT = 1e-3  # chance to call independent data dependent; below it the answer is 0
# An excess counts in part from the first p on and in full from the second, so that no answer hangs on one decision.
# In the middle is 1 %. These are chances over all views: of more columns about five that are not copies of each other,
# of one column per side fewer than two.
DOUBTFUL, SURE = 5e-2, 2.5e-3
VIEWS, VIEWS_OF_ONE_COLUMN = 5, 2
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
        "gaussian" (no excess), "columns", "sharp columns", "radii", "turned 1" to "turned 3", "curved 1" to "curved 3".
    linear : float
        The Gaussian-copula part of the set, in nats.
    excess : float
        What the view shows beyond it, by KSG and Gaussian surrogates, in nats.
    z, pvalue : float
        The excess in standard deviations of the surrogates, and its one-sided p-value.
    weight : float
        The share of the excess that counts: 0 where it is doubtful, 1 where it is sure.
    linear_error, excess_error : float
        Standard errors of the two parts.
    share : float
        What KSG shows of an excess like this, by which `excess` was divided; 1 in all but turned views.
    """

    columns: str
    view: str
    linear: float
    excess: float
    z: float
    pvalue: float
    weight: float
    linear_error: float
    excess_error: float
    share: float = 1.0

    @property
    def mi(self) -> float:
        """The estimate, in nats, if this one is taken."""
        return self.linear + self.weight * self.excess

    @property
    def standard_error(self) -> float:
        """Standard error of `mi`; bias is not in it."""
        return math.hypot(self.linear_error, self.excess_error)

    @property
    def name(self) -> str:
        """The set and the view, such as "screened: radii"."""
        return f"{self.columns}: {self.view}"


def weigh(view: str, excess: float, pvalue: float, linear: float, n_columns: int) -> float:
    """Return the share of an excess that counts: a ramp in the logarithm of p.

    Without linear part "no excess" would say 0 although the data are dependent, so every view counts in full; not the
    sharp look, which is a second look at one of them. A negative excess never counts.
    """
    if excess <= 0:
        return 0.0
    if linear == 0 and view != SHARP:
        return 1.0
    chance = pvalue * (VIEWS if n_columns > 2 or view == SHARP else VIEWS_OF_ONE_COLUMN)
    return min(1.0, max(0.0, math.log(DOUBTFUL / max(chance, 1e-300)) / math.log(DOUBTFUL / SURE)))


def sampling_error(nats: float, n: int) -> float:
    """Return the standard error of the mean log ratio of densities, as if one Gaussian pair of columns had this MI."""
    return math.sqrt(-math.expm1(-2 * max(nats, 0.0)) / n)


def choose(candidates: Sequence[Candidate]) -> tuple[Candidate, str]:
    """Return the candidate to answer with, and why: screened columns, unless all columns say more beyond doubt.

    In a set, the largest estimate less its standard error. Every view's excess tends to fall short of the truth, so
    larger is nearer; the standard error handicaps noisy views.
    """
    best = {c.columns: c for c in sorted(candidates, key=lambda c: c.mi - c.standard_error)}
    if len(best) == 1:
        (winner,) = best.values()
        return winner, f"the largest estimate less its standard error, of {len(candidates)}"
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
        k of KSG; but the sharp look takes the nearest neighbour, the smooth one and radii take ten.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the surrogates, of the centres of bumps and of the order within ties. The same seed gives the same bits
        for any `n_jobs`.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats, `linear_` + `excess_`.
    linear_, excess_ : float
        The Gaussian-copula part, and what the view shows beyond it, as far as it counts.
    z_ : float
        The excess in standard deviations of its surrogates; 0 if there is none.
    standard_error_ : float
        Of `mi_`. It counts no bias: see the method's page for how often the truth is within two of them.
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
        One value per sample; their mean is `mi_`. KSG's local values in the view taken, or log ratios of Gaussian
        densities if that is the Gaussian one, shifted by a constant; zeros if the answer is 0.

    Notes
    -----
    Unlike the other estimators this one can answer exactly 0, and does so on all but about one in 1,000 independent
    data sets. Strictly increasing maps of single columns change no bit of the answer. Neither this answer nor its
    linear part is a bound in general, although both usually fall short of the truth.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=500, noise_dims=20, random_state=0)  # truth: 0.830
    >>> fitted = infold.Adaptive(random_state=0).fit(data.X, data.Y)
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
        return 0.0 - math.log10(max(self.pvalue_, 1e-300))

    @property
    def silent_error_(self) -> float:
        """Standard error, in nats, of the answer 0: subsamples all answer 0 as well, and show no spread."""
        if self.view_ != NONE:
            return 0.0
        return math.inf if math.isnan(self.standard_error_) else self.standard_error_

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        super().check_parameters()
        check_random_state(self.random_state)

    def _answer_zero(
        self, pvalue: float, reason: str, candidates: Sequence[Candidate] = (), error: float = math.nan
    ) -> np.ndarray:
        """Record that nothing tells the two sides from independent ones; without candidates the error is unknown."""
        error = max((c.standard_error for c in candidates), default=error)
        none = np.array([], dtype=np.intp)
        answer = Candidate(NONE, NONE, 0.0, 0.0, 0.0, 1.0, 0.0, error, 0.0)
        self._explain(answer, pvalue, reason, none, none, candidates)
        return np.zeros(self.n_samples_)

    def _explain(
        self,
        answer: Candidate,
        pvalue: float,
        reason: str,
        columns_x: np.ndarray,
        columns_y: np.ndarray,
        candidates: Sequence[Candidate],
    ) -> None:
        self.linear_, self.excess_, self.z_ = answer.linear, answer.weight * answer.excess, answer.z
        self.standard_error_, self.pvalue_ = answer.standard_error, pvalue
        self.view_ = NONE if answer.view == NONE else answer.name
        self.reason_ = reason
        self.columns_x_, self.columns_y_ = columns_x, columns_y
        self.candidates_ = tuple(candidates)

    def _local_mi_of_constants(self, question: Question) -> np.ndarray:
        return self._answer_zero(1.0, "a side has no column that varies", error=0.0)

    def _local_mi(self, question: Question) -> np.ndarray:
        # One thread of BLAS for each of ours: matrices are small, and its sums must not depend on n_jobs.
        from infold.core.parallel import blas

        x, y = (np.ascontiguousarray(question.columns(block), np.float64) for block in ("X", "Y"))
        with blas().limit(limits=1):
            return self._adapt(x.T, y.T, question)

    def _adapt(self, x: np.ndarray, y: np.ndarray, question: Question) -> np.ndarray:
        """Explain and return the local values; x (n, p), y (n, q)."""
        from infold.core.copula.scores import copula_columns
        from infold.core.copula.screen import either, screen_columns
        from infold.core.copula.surrogates import MAX_SURROGATES, pairing_pvalue
        from infold.core.copula.views import Pair, Plan, draw_centres
        from infold.core.random import draw_seeds

        n = len(x)
        seed, *seeds = draw_seeds(self.random_state, 1 + MAX_SURROGATES)
        rng = np.random.default_rng(int(seed))
        most = n // (2 * ROWS_PER_COLUMN)  # columns per side that a joint look can bear
        if most == 0:
            return self._answer_zero(1.0, f"{n} rows show nothing at the level {ALPHA_DEPENDENT:g}")
        centres = draw_centres(n, rng)
        (x, index_x), (y, index_y) = copula_columns(x, rng), copula_columns(y, rng)
        screen = screen_columns(x, y, most)
        sets = self._sets(screen, index_x.size, index_y.size)
        if not sets:
            reason = f"no pair or product of columns is dependent (p = {screen.pvalue:.2g}), too many for a joint look"
            return self._answer_zero(screen.pvalue, reason)

        squared_x, squared_y = (x**2).sum(axis=1), (y**2).sum(axis=1)
        pairs: dict[str, tuple[Pair, Plan]] = {}
        candidates: list[Candidate] = []
        pvalues = [screen.pvalue]
        for name, (cx, cy) in sets.items():
            a, b = x[:, cx], y[:, cy]
            pair = Pair(a, b, squared_x - (a**2).sum(axis=1), squared_y - (b**2).sum(axis=1))
            # The sharp look is noisy, and only columns known to matter are worth it.
            every_column = screen.x.size + screen.y.size == x.shape[1] + y.shape[1]
            plan = Plan(self.n_neighbors, centres, name == SCREENED or every_column)
            pairs[name] = pair, plan
            found, pvalue = self._candidates(name, pair, plan, seeds)
            candidates += found
            if name == ALL:  # screened columns were chosen for their dependence: no test on them alone
                pvalues += [pvalue, either(min(c.pvalue for c in found), len(found))]
        pvalue = float(either(min(pvalues), len(pvalues)))
        if pvalue < ALPHA_DEPENDENT <= either(min(pvalues[:2]), len(pvalues)):
            # Only views say so, against surrogates whose sides are Gaussian: let them be compared with the data's own.
            paired = pairing_pvalue(*pairs[ALL], seeds, n_jobs=self.n_jobs, verbose=self.verbose)
            pvalue = float(either(min(*pvalues[:2], max(pvalues[2], paired)), len(pvalues)))
        if pvalue >= ALPHA_DEPENDENT:
            return self._answer_zero(pvalue, f"no test tells it from independence (p = {pvalue:.2g})", candidates)

        answer, reason = choose(candidates)
        cx, cy = sets[answer.columns]
        columns_x, columns_y = _positions(question, "X")[index_x[cx]], _positions(question, "Y")[index_y[cy]]
        self._explain(answer, pvalue, reason, columns_x, columns_y, candidates)
        local = self._view_local(answer.view, *pairs[answer.columns])
        return local - local.mean() + answer.mi

    def _sets(self, screen: Any, p: int, q: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return the sets of columns to look at: screened ones, unless they are all; all, unless they are too many."""
        sets: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        if 0 < screen.x.size + screen.y.size < p + q:
            sets[SCREENED] = screen.x, screen.y
        if ROWS_PER_COLUMN * (p + q) <= self.n_samples_:
            sets[ALL] = np.arange(p), np.arange(q)
        return sets

    def _candidates(self, name: str, pair: Any, plan: Any, seeds: Sequence[int]) -> tuple[list[Candidate], float]:
        """Return the Gaussian part and every view of one set of columns, and the p-value of no correlation."""
        from infold.core.copula.gaussian import gaussian_part
        from infold.core.copula.surrogates import excesses

        n, gauss = self.n_samples_, gaussian_part(pair.a, pair.b)
        out = [Candidate(name, GAUSSIAN, gauss.mi, 0.0, 0.0, 1.0, 0.0, gauss.standard_error, 0.0)]
        for view, e in excesses(pair, plan, seeds, n_jobs=self.n_jobs, verbose=self.verbose).items():
            weight = weigh(view, e.value, e.pvalue, gauss.mi, pair.a.shape[1] + pair.b.shape[1])
            error = math.hypot(e.deviation, sampling_error(weight * e.value, n))
            parts = gauss.mi, e.value, e.z, e.pvalue, weight, gauss.standard_error, error, e.share
            out.append(Candidate(name, view, *parts))
        return out, gauss.pvalue

    def _view_local(self, view: str, pair: Any, plan: Any) -> np.ndarray:
        """Return the local values that belong to a view, up to a constant."""
        from infold.core.copula.gaussian import gaussian_local, gaussian_part
        from infold.core.copula.views import view_local

        if view == GAUSSIAN:
            return gaussian_local(pair.a, pair.b, gaussian_part(pair.a, pair.b).n_pairs)
        return view_local(view, pair, plan)


def _positions(question: Question, block: str) -> np.ndarray:
    """Return where, among all columns of a block, those are that vary."""
    values = question[block]
    return np.arange(values.shape[1])[varying(values)]
