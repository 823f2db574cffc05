"""Adaptive: the largest of several estimates, each of which the data may refute."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Self

import numpy as np

from infold.data.checks import check_random_state
from infold.data.question import Question, varying

from .base import MutualInformationEstimator

NONE = "none"  # the view of an answer of exactly 0
LEAST_PVALUE = 1e-300  # no p-value is 0


class Adaptive(MutualInformationEstimator):
    """Mutual information by the largest of several estimates, each of which the data may refute.

    Only ranks matter. Candidates are the MI of a Gaussian copula, less what it significantly counts twice; KSG on the
    columns; and KSG on coordinates learned on other rows. They are computed for all columns, for those that a screen
    finds dependent, for blocks of columns that are independent of each other, and along directions with which single
    columns vary. The answer is the largest estimate after one standard error is subtracted from each; 0 if no test
    rejects independence.

    Parameters
    ----------
    n_neighbors : int, default=3
        k of KSG. What KSG loses by the width of neighbourhoods is given back in part, and the nearest neighbour alone
        is used where that gives significantly more.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the splits of the rows, of the centres of bumps and of the order within ties. The same seed gives the
        same bits for any `n_jobs`.
    n_jobs : int or None, default=None
        Threads; −1 uses all cores.
    verbose : int, default=0
        1 shows a progress bar on a terminal when the work is long.

    Attributes
    ----------
    mi_ : float
        The estimate in nats, `linear_` + `excess_`.
    linear_, excess_ : float
        What a Gaussian copula of the same columns explains (Gaussian classes, if one side is a label), and what is
        beyond it.
    standard_error_ : float
        Of `mi_`, with bias as far as halves of the rows show it and, with several columns, a share for what is out of
        sight at any sample size, from a tenth to all of `mi_` + 0.3: see the pages on the method and on accuracy.
    pvalue_ : float
        Of independence, all tests together. At or above 0.001 the answer is 0.
    view_ : str
        The set of columns and the candidate chosen, such as "screened: bumps 4"; "none" if the answer is 0.
    reason_ : str
        Why.
    columns_x_, columns_y_ : ndarray of int
        Columns of X and of Y that the answer rests on; without constant ones and monotone copies.
    candidates_ : tuple of Candidate
        All that was compared.
    local_mi_ : ndarray of shape (n_samples,)
        One value per sample; their mean is `mi_`. Log ratios of densities, by KSG or by the Gaussian copula, shifted by
        a constant; zeros if the answer is 0.

    Notes
    -----
    Unlike the other estimators this one can answer exactly 0, and does so on all but about one in 1,000 independent
    data sets. Strictly increasing maps of single columns change no bit of the answer. The answer is no bound, although
    it usually falls short of the truth: `mutual_information(X, Y, certify=True)` gives a bound.

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
    knows_pvalue = True

    @property
    def test_statistic_(self) -> float:
        """What a permutation test compares: `mi_` is 0 for most independent data, and ranks nothing."""
        return 0.0 - math.log10(max(self.pvalue_, 1e-300))

    @property
    def known_error_(self) -> float:
        """Standard error, in nats, bias included; ∞ if an answer of 0 comes without any candidate."""
        return math.inf if math.isnan(self.standard_error_) else self.standard_error_

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        super().check_parameters()
        check_random_state(self.random_state)

    def fit_question(self, question: Question) -> Self:
        """Estimate what the user asked for; only then is bias worth the time it takes to find."""
        from infold.core.copula.choice import bias_error

        super().fit_question(question)
        self.standard_error_ = bias_error(self._answer, self.random_state, self.n_jobs)
        del self._answer  # it holds the data
        return self

    def _local_mi_of_constants(self, question: Question) -> np.ndarray:
        from infold.core.copula.choice import zero

        return self._explain(zero(question.n_samples, 1.0, "a side has no column that varies", error=0.0), question)

    def _local_mi(self, question: Question) -> np.ndarray:
        from infold.core.copula.choice import adapt
        from infold.core.copula.conditional import adapt_given
        from infold.core.copula.labels import FEWEST_ROWS, has_common_labels

        tables = [np.ascontiguousarray(question.columns(block), np.float64).T for block in question.blocks]
        nominal = tuple(question.nominal(block) for block in question.blocks)
        k, seed, n_jobs, verbose = self.n_neighbors, self.random_state, self.n_jobs, self.verbose
        answer: Any = adapt if len(tables) == 2 else adapt_given
        rare = 0 if len(tables) == 2 else int(np.sum(~has_common_labels(tables[2], nominal[2])))
        if rare:
            self._doubts.append(
                f"{rare} of {question.n_samples} rows have labels in Z that fewer than {FEWEST_ROWS} rows share, and "
                f"count as 0, so the estimate may be low; merge rare labels."
            )
        return self._explain(answer(*tables, k, seed, nominal=nominal, n_jobs=n_jobs, verbose=verbose), question)

    def _explain(self, answer: Any, question: Question) -> np.ndarray:
        """Keep how the answer came about; return its local values."""
        taken, self._answer = answer.taken, answer
        self.linear_, self.excess_ = taken.linear, max(taken.mi - taken.linear, 0.0)
        self.standard_error_, self.pvalue_ = taken.standard_error, max(answer.pvalue, LEAST_PVALUE)
        self.view_ = NONE if taken.view == NONE else taken.name
        self.reason_ = answer.reason
        self.candidates_ = tuple(replace(c, local=None, refit=None) for c in answer.candidates)
        self.columns_x_, self.columns_y_ = (
            _positions(question, block)[columns] for block, columns in zip("XY", answer.columns[:2], strict=True)
        )
        return answer.local


def _positions(question: Question, block: str) -> np.ndarray:
    """Return where, among all columns of a block, those are that vary."""
    values = question[block]
    return np.arange(values.shape[1])[varying(values)]
