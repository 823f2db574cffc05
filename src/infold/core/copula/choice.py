"""What auto answers: the candidates, how much of an excess counts, and which candidate is taken.

A Gaussian-copula part, plus what the best view of the data shows beyond Gaussian surrogates; exactly 0 where no test
tells the two sides from independent ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from infold.parallel.scheduler import blas

from ..random import draw_seeds
from .gaussian import gaussian_local, gaussian_part
from .scores import copula_columns
from .screen import Screen, either, screen_columns
from .surrogates import MAX_SURROGATES, excesses, pairing_pvalue
from .views import SHARP, Pair, Plan, draw_centres, view_local

ALPHA_DEPENDENT = 1e-3  # chance to call independent data dependent; below it the answer is 0
# An excess counts in part from the first p on and in full from the second, so that no answer hangs on one decision.
# In the middle is 1 %. These are chances over all views: of more columns about five that are not copies of each other,
# of one column per side fewer than two.
DOUBTFUL, SURE = 5e-2, 2.5e-3
VIEWS, VIEWS_OF_ONE_COLUMN = 5, 2
MARGIN = 2.0  # standard errors, of the linear parts' difference, by which all columns must beat the screened ones
ROWS_PER_COLUMN = 3  # canonical correlations of more than n / 3 columns are mostly noise

ALL, SCREENED, GAUSSIAN, NONE = "all", "screened", "gaussian", "none"


@dataclass(frozen=True)
class Candidate:
    """One view of one set of columns, as auto compares it with the others.

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


class Answer(NamedTuple):
    """What auto answers, and why."""

    local: np.ndarray  # (n,): their mean is the estimate
    taken: Candidate
    pvalue: float  # of independence, all tests together
    reason: str
    columns: tuple[np.ndarray, np.ndarray]  # numbers of the columns of x and of y that it rests on
    candidates: tuple[Candidate, ...]


def zero(n: int, pvalue: float, reason: str, candidates: Sequence[Candidate] = (), error: float = math.nan) -> Answer:
    """Answer that nothing tells the two sides from independent ones; without candidates the error is unknown."""
    error = max((c.standard_error for c in candidates), default=error)
    none, taken = np.array([], dtype=np.intp), Candidate(NONE, NONE, 0.0, 0.0, 0.0, 1.0, 0.0, error, 0.0)
    return Answer(np.zeros(n), taken, pvalue, reason, (none, none), tuple(candidates))


def adapt(
    x: np.ndarray, y: np.ndarray, n_neighbors: int, random_state: Any, *, n_jobs: int | None, verbose: int
) -> Answer:
    """Return auto's answer about x (n, p) and y (n, q), of which no column is constant."""
    # One thread of BLAS for each of ours: matrices are small, and its sums must not depend on n_jobs.
    with blas().limit(limits=1):
        return _adapt(x, y, n_neighbors, random_state, n_jobs, verbose)


def _adapt(
    x: np.ndarray, y: np.ndarray, n_neighbors: int, random_state: Any, n_jobs: int | None, verbose: int
) -> Answer:
    n = len(x)
    seed, *seeds = draw_seeds(random_state, 1 + MAX_SURROGATES)
    rng = np.random.default_rng(int(seed))
    most = n // (2 * ROWS_PER_COLUMN)  # columns per side that a joint look can bear
    if most == 0:
        return zero(n, 1.0, f"{n} rows show nothing at the level {ALPHA_DEPENDENT:g}")
    centres = draw_centres(n, rng)
    (x, index_x), (y, index_y) = copula_columns(x, rng), copula_columns(y, rng)
    screen = screen_columns(x, y, most)
    sets = _sets(screen, n, index_x.size, index_y.size)
    if not sets:
        reason = f"no pair or product of columns is dependent (p = {screen.pvalue:.2g}), too many for a joint look"
        return zero(n, screen.pvalue, reason)
    # The sharp look is noisy, and only columns known to matter are worth it.
    every_column = screen.x.size + screen.y.size == x.shape[1] + y.shape[1]
    pairs = {name: _pair(x, y, *columns) for name, columns in sets.items()}
    plans = {name: Plan(n_neighbors, centres, name == SCREENED or every_column) for name in sets}
    candidates: list[Candidate] = []
    pvalues = [screen.pvalue]
    for name, pair in pairs.items():
        found, pvalue = _candidates(name, pair, plans[name], seeds, n_jobs, verbose)
        candidates += found
        if name == ALL:  # screened columns were chosen for their dependence: no test on them alone
            pvalues += [pvalue, either(min(c.pvalue for c in found), len(found))]
    pvalue = float(either(min(pvalues), len(pvalues)))
    if pvalue < ALPHA_DEPENDENT <= either(min(pvalues[:2]), len(pvalues)):
        # Only views say so, against surrogates whose sides are Gaussian: let them be compared with the data's own.
        paired = pairing_pvalue(pairs[ALL], plans[ALL], seeds, n_jobs=n_jobs, verbose=verbose)
        pvalue = float(either(min(*pvalues[:2], max(pvalues[2], paired)), len(pvalues)))
    if pvalue >= ALPHA_DEPENDENT:
        return zero(n, pvalue, f"no test tells it from independence (p = {pvalue:.2g})", candidates)
    taken, reason = choose(candidates)
    cx, cy = sets[taken.columns]
    local = _local(taken.view, pairs[taken.columns], plans[taken.columns])
    local += taken.mi - local.mean()
    return Answer(local, taken, pvalue, reason, (index_x[cx], index_y[cy]), tuple(candidates))


def _sets(screen: Screen, n: int, p: int, q: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the sets of columns to look at: screened ones, unless they are all; all, unless they are too many."""
    sets: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    if 0 < screen.x.size + screen.y.size < p + q:
        sets[SCREENED] = screen.x, screen.y
    if ROWS_PER_COLUMN * (p + q) <= n:
        sets[ALL] = np.arange(p), np.arange(q)
    return sets


def _pair(x: np.ndarray, y: np.ndarray, columns_x: np.ndarray, columns_y: np.ndarray) -> Pair:
    """Return some columns of both sides, and what the others add to the squared radii."""
    a, b = x[:, columns_x], y[:, columns_y]
    return Pair(a, b, *((side**2).sum(axis=1) - (some**2).sum(axis=1) for side, some in ((x, a), (y, b))))


def _candidates(
    name: str, pair: Pair, plan: Plan, seeds: Sequence[int], n_jobs: int | None, verbose: int
) -> tuple[list[Candidate], float]:
    """Return the Gaussian part and every view of one set of columns, and the p-value of no correlation."""
    gauss = gaussian_part(pair.a, pair.b)
    out = [Candidate(name, GAUSSIAN, gauss.mi, 0.0, 0.0, 1.0, 0.0, gauss.standard_error, 0.0)]
    for view, e in excesses(pair, plan, seeds, n_jobs=n_jobs, verbose=verbose).items():
        weight = weigh(view, e.value, e.pvalue, gauss.mi, pair.a.shape[1] + pair.b.shape[1])
        error = math.hypot(e.deviation, sampling_error(weight * e.value, len(pair.a)))
        parts = gauss.mi, e.value, e.z, e.pvalue, weight, gauss.standard_error, error, e.share
        out.append(Candidate(name, view, *parts))
    return out, gauss.pvalue


def _local(view: str, pair: Pair, plan: Plan) -> np.ndarray:
    """Return the local values that belong to a view, up to a constant."""
    if view == GAUSSIAN:
        return gaussian_local(pair.a, pair.b, gaussian_part(pair.a, pair.b).n_pairs)
    return view_local(view, pair, plan)
