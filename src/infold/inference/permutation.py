"""Is there any dependence: the permutation test, also given Z, and the p-value of permutations."""

from __future__ import annotations

import copy
import math
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from infold.data.checks import check_count, check_share
from infold.data.question import Question, ask
from infold.estimators import MutualInformationEstimator
from infold.measures import DEFAULT_METHOD
from infold.results import IndependenceTest

from .given import (
    GIVEN_METHOD,
    given_note,
    left_by_z,
    refuse_with_given,
    statistics_given,
    with_more_neighbors,
)
from .notes import Note, autocorrelation_note, ceiling_note, fixed_rows_note, resolution_note, tell
from .resampling import (
    Settings,
    Shuffle,
    described,
    prepared,
    refit_repaired,
    refits,
    seeds_for,
    shuffle_of,
)


def independence_test(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    method: str | None = None,
    n_permutations: int = 199,
    early_stop: bool = False,
    alpha: float = 0.05,
    groups: Any = None,
    block: int | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    discrete_x: Any = None,
    discrete_y: Any = None,
    discrete_z: Any = None,
    missing: str = "error",
    **options: Any,
) -> IndependenceTest:
    """Test whether X and Y are independent, by re-pairing their rows, or independent given Z.

    Parameters
    ----------
    X, Y, Z, n_neighbors, units, discrete_x, discrete_y, discrete_z, missing, options
        As in :func:`conditional_mutual_information`. Without Z, X and Y are tested alone.
    method : str or None, default=None
        None is "auto" without Z, and "ksg" with Z: hundreds of fits of "auto" given Z would take minutes.
    n_permutations : int, default=199
        Random pairings. The smallest p-value is 1 / (n_permutations + 1).
    early_stop : bool, default=False
        Stop when `alpha` · (n_permutations + 1) pairings, rounded up to h, were at least as dependent as the data. Then
        p = h / (pairings looked at), which is a valid p-value (Besag & Clifford 1991), and p ≤ alpha holds exactly when
        it would without stopping. On independent data this saves most of the time.
    alpha : float, default=0.05
        The level that you mean to judge p by: for `early_stop`, and for a warning if p cannot be as small.
    groups : array of shape (n_samples,) or None, default=None
        Rows change places only with rows of the same label: subjects, batches, sites. With Z, make the labels a column
        of Z instead.
    block : int or None, default=None
        Consecutive rows that stay together, for time series and trials: whole blocks change places. Blocks should be
        several times as long as the autocorrelation; with blocks that are trials the test is exact. Not with Z.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the pairings and of the method.
    n_jobs : int or None, default=-1
        Parallel pairings; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.

    Returns
    -------
    IndependenceTest
        `float(result)` or `result.pvalue`; `result.mi`, `result.null`, its mean and spread, and `result.notes`.

    Notes
    -----
    The estimator is fitted again on every pairing, because it has seen the true one. With independent rows (or
    exchangeable groups or blocks), P(p ≤ a) ≤ a for every a, whatever the method and the data: ties count against
    dependence. `method="auto"` answers exactly 0 on most independent data, so its own p-value is compared instead.

    Given Z, re-pairing rows at random would break what X shares with Z as well, and so find a dependence wherever Z is
    a common cause. So what a function of Z tells of the columns is subtracted from X and Y, which does not change
    I(X; Y | Z), and rows with similar Z change places (Runge 2018). Of labels and counts, the chance of each value
    given Z is subtracted. A draw of Y is the fitted function plus re-paired residuals, put through the same regression
    as the data: whatever it leaves of Z, or removes of the noise, is in the null as well. P(p ≤ a) is about a where
    the rows suffice to show how Z acts; measured levels are in the documentation. Where they do not, or Z has too many
    columns, a warning says so. `n_neighbors` is a tenth of the rows (with the same labels in Z) by default, 200 at
    most.

    References
    ----------
    J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 1991.

    J. Runge, "Conditional independence testing based on a nearest-neighbor estimator of conditional mutual
    information", AISTATS 2018.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, rho=0.7, random_state=4)
    >>> infold.independence_test(data.X, data.Y, method="ksg", random_state=0).pvalue
    0.005
    """
    if method is None:
        method = DEFAULT_METHOD if Z is None else GIVEN_METHOD
    settings = Settings(method, units, random_state, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_permutations(n_permutations, alpha)
    if Z is not None:
        refuse_with_given(groups, block)
    question = ask(
        X,
        Y,
        Z,
        min_samples=estimator.n_neighbors + 1,
        discrete_x=discrete_x,
        discrete_y=discrete_y,
        discrete_z=discrete_z,
        missing=missing,
    )
    shuffle = shuffle_of(question, groups, block)
    estimator.fit_question(question)
    tested = copy.copy(estimator)
    if question.is_conditional and n_neighbors is None:
        with_more_neighbors(tested, question)
    return permutation_test(
        question,
        tested,
        settings,
        shuffle,
        n_permutations=n_permutations,
        alpha=alpha,
        early_stop=early_stop,
    )


def check_permutations(n_permutations: Any, alpha: Any) -> None:
    """Refuse settings of a permutation test that make no sense."""
    check_count("n_permutations", n_permutations)
    check_share("alpha", alpha)


def permutation_test(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    *,
    n_permutations: int = 199,
    alpha: float = 0.05,
    early_stop: bool = False,
) -> IndependenceTest:
    """Return what re-pairing the rows of Y, or Y drawn anew given Z, says beside the fitted estimator."""
    enough = math.ceil(alpha * (n_permutations + 1) - 1e-9) if early_stop else n_permutations + 1
    given = question.is_conditional and all(question.columns(block).size for block in ("X", "Y"))
    seeds = seeds_for(settings.random_state, n_permutations + given)
    about_z: Note | None = None
    statistics: Generator[float, None, None]
    if given:
        own = seeds.pop()
        left = left_by_z(question, own)
        about_z = given_note(left)
        statistics = statistics_given(estimator, left, seeds, own, settings)
        observed = next(statistics)
    else:
        jobs: list[tuple[Any, ...]] = [(refit_repaired, estimator, question, shuffle, seed) for seed in seeds]
        observed = estimator.test_statistic_
        statistics = _statistics(jobs, settings, question.n_samples)
    with closing(statistics):
        null, above = _until_clear(statistics, observed, enough)
    # When `enough` stops the test, the pairing that did so is the last one counted.
    pvalue = above / len(null) if above >= enough else permutation_pvalue(above, len(null))
    scale = settings.unit if estimator.test_statistic_name == "mi" else 1.0
    return IndependenceTest(
        mi=estimator.mi_ / settings.unit,
        pvalue=float(pvalue),
        statistic=observed / scale,
        statistic_name=estimator.test_statistic_name,
        null=np.array(null) / scale,
        n_permutations_asked=n_permutations,
        stopped_early=len(null) < n_permutations,
        notes=question.notes
        + tell((about_z,))
        + _notes(question, estimator, shuffle, n_permutations, alpha, len(null) if not above else None),
        **described(estimator, settings),
    )


def permutation_pvalue(above: Any, count: int) -> Any:
    """Return the p-value of a statistic that `above` of `count` permutations reach.

    The data as they are count as one more permutation, so that p is never 0 and P(p ≤ a) ≤ a for every a.
    """
    return (above + 1) / (count + 1)


def _statistics(jobs: Sequence[tuple[Any, ...]], settings: Settings, n_samples: int) -> Generator[float, None, None]:
    """Yield the statistic of each refit; to close it ends the work."""
    with closing(refits(jobs, settings, "permutations", n_samples=n_samples)) as outcomes:
        for outcome in outcomes:
            yield outcome.statistic


def _until_clear(statistics: Iterable[float], observed: float, enough: int) -> tuple[list[float], int]:
    """Return the statistics up to where `enough` of them reach what was observed, and how many do."""
    null, above = [], 0
    for statistic in statistics:
        null.append(statistic)
        above += statistic >= observed
        if above >= enough:
            break
    return null, above


def _notes(
    question: Question,
    estimator: MutualInformationEstimator,
    shuffle: Shuffle,
    n_permutations: int,
    alpha: float,
    all_below: int | None,
) -> tuple[str, ...]:
    """Return what may be wrong; `all_below` is the number of permutations if none reached what was observed."""
    smallest = all_below and Note(
        f"p is the smallest that {all_below} permutations can show; a larger n_permutations shows how small it is."
    )
    return tell(
        (
            resolution_note(n_permutations, shuffle.log_count, alpha),
            fixed_rows_note(shuffle.n_blocks),
            autocorrelation_note(question, shuffle),
            ceiling_note(estimator.mi_, question.n_samples, estimator.n_neighbors),
            smallest or None,
        )
    )
