"""Can this number be trusted? Drift, ceiling, ties, other methods and a planted truth; the verdict is in `verdict`."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from infold.data.checks import check_count
from infold.data.order import Memory, alike_rows, memory, ordered_values
from infold.data.question import Question, ask
from infold.estimators import MutualInformationEstimator
from infold.measures import DEFAULT_METHOD, as_result, make_estimator
from infold.results import Diagnosis, IndependenceTest

from .certificate import Certificate, certify
from .given import (
    GIVEN_METHOD,
    LeftByZ,
    left_by_z,
    refuse_with_given,
    statistics_given,
    with_more_neighbors,
    with_values,
)
from .notes import (
    autocorrelation_note,
    ceiling,
    ceiling_note,
    copies_note,
    few_samples_note,
    tell,
    tied_columns,
    ties_note,
)
from .permutation import permutation_pvalue
from .resampling import (
    Outcome,
    Settings,
    Shuffle,
    described,
    partition,
    prepared,
    refit,
    refit_repaired,
    refit_rows,
    refits,
    seeds_for,
    shuffle_of,
)
from .verdict import Evidence, verdict

N_NULL = 19  # random pairings: a value above all 19 is a test at exactly 5 %
SMALL, MIDDLE, LARGE = 0.1, 0.3, 1.0  # further planted MI, in nats; the estimate itself takes the place of LARGE
NEIGHBORS = (1, 2, 3, 5, 10, 20)
ROUNDS = {4: 5, 2: 8}  # times that the rows are dealt into quarters, and into halves
COMPARED = ("ksg", "gksg", "auto")

Outcomes = dict[tuple[str, Any], list[Outcome]]  # by kind of refit, and its key: a level, a size, a number, a method


def diagnose(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    method: str | None = None,
    n_simulations: int = 8,
    groups: Any = None,
    block: int | None = None,
    test: IndependenceTest | None = None,
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
) -> Diagnosis:
    """Say whether an estimate can be trusted, and why.

    Parameters
    ----------
    X, Y, Z, n_neighbors, units, discrete_x, discrete_y, discrete_z, missing, options
        As in :func:`conditional_mutual_information`. Without Z the estimate is that of I(X; Y).
    method : str or None, default=None
        None is "auto" without Z, and "ksg" with Z: a hundred fits of "auto" given Z take minutes.
    n_simulations : int, default=8
        Simulated data sets for each planted MI but 0, which has 19.
    groups, block
        As in :func:`independence_test`; not with Z.
    test : IndependenceTest or None, default=None
        A test of the same data, by the same method, if there is one already: the verdict then begins with its p-value
        instead of 19 pairings of its own.
    random_state : int, RandomState, Generator or None, default=None
        Seed of everything.
    n_jobs : int or None, default=-1
        Parallel fits; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.

    Returns
    -------
    Diagnosis
        `verdict` has a few plain sentences; the attributes have what they rest on.

    Notes
    -----
    This takes about 85 fits of `method`. Planting an MI keeps both tables as they are and re-pairs their rows: ranks
    along the first principal components of X and of Y get a Gaussian copula with exactly that MI, and nothing else is
    shared. What the method answers there shows which bias and power to expect at this n, with these columns, for a
    dependence of that simple kind; more intricate ones are harder. Given Z, the residuals of X and of Y are re-paired
    in this way and added back to what Z explains; the p-value is that of :func:`independence_test` with 19 draws.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=200, random_state=4)
    >>> found = infold.diagnose(data.X, data.Y, method="ksg", random_state=0)
    >>> print(found.verdict[0])
    X and Y are dependent: ...
    >>> sorted(found.methods)
    ['auto', 'cca', 'gksg', 'ksg']
    """
    if method is None:
        method = DEFAULT_METHOD if Z is None else GIVEN_METHOD
    settings = Settings(method, units, random_state, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_count("n_simulations", n_simulations, minimum=2)
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
    certificate = certify(question, settings, shuffle)
    return diagnosis(question, estimator, settings, shuffle, certificate, n_simulations=n_simulations, test=test)


def diagnosis(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    certificate: Certificate,
    *,
    n_simulations: int = 8,
    test: IndependenceTest | None = None,
) -> Diagnosis:
    """Return whether the answer of the fitted estimator can be trusted, and why."""
    n, mi, unit = question.n_samples, estimator.mi_, settings.unit
    found = _findings(question, estimator, settings, shuffle, n_simulations, test)
    near_ceiling = ceiling_note(mi, n, estimator.n_neighbors)
    rows = found.rows
    return Diagnosis(
        estimate=replace(as_result(estimator, settings.method, settings.units), certified=certificate.low),
        over_neighbors=found.over_neighbors,
        over_size={**found.over_size, n: (mi / unit, 0.0)},
        ceiling=ceiling(n, estimator.n_neighbors) / unit,
        log_n=math.log(n) / unit,
        tied_columns=rows.ties,
        duplicate_rows=rows.copied,
        intrinsic_dimension=_dimensions(question),
        methods=found.methods,
        planted=found.planted,
        autocorrelation={
            **{name.lower(): (one.lag_1, one.pvalue) for name, one in rows.autocorrelation.items()},
            "block": rows.block,
        },
        certified=certificate.low,
        verdict=verdict(_evidence(question, estimator, settings, found, near_ceiling is not None, certificate.low)),
        notes=question.notes
        + tell(
            (
                few_samples_note(n, sum(question.n_features)),
                autocorrelation_note(question, shuffle),
                near_ceiling,
                ties_note(rows.ties),
                None if question.is_discrete else copies_note(rows.copied),
                certificate.note,
            )
        ),
        **described(estimator, settings),
    )


class Rows(NamedTuple):
    """What the rows have that makes an estimate less reliable."""

    ties: dict[str, float]
    copied: float
    autocorrelation: dict[str, Memory]  # by block of columns
    block: int | None  # rows to keep together, if they are autocorrelated and not kept together yet


class Findings(NamedTuple):
    """Findings of the refits and about the rows; MI in the requested units."""

    over_size: dict[int, tuple[float, float]]  # rows → mean and deviation
    over_neighbors: dict[int, float]
    methods: dict[str, float]
    planted: tuple[Mapping[str, float], ...]
    pvalue: float
    null: tuple[int, float, float]  # random pairings: how many, their mean and deviation
    rows: Rows


def _findings(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    n_simulations: int,
    test: IndependenceTest | None,
) -> Findings:
    """Fit everything that a diagnosis needs."""
    n, mi, unit = question.n_samples, estimator.mi_, settings.unit
    levels = (0.0, SMALL, MIDDLE, mi if mi > MIDDLE + SMALL else LARGE)
    # Where rows may change places freely, data with a planted MI of 0 are random pairings.
    own_pairings = test is None and not shuffle.is_free
    left = None
    if _is_given(question):
        left = left_by_z(question, seeds_for(settings.random_state, 1)[0], labels=False)
    plan = _planned(question, left, estimator, settings, shuffle, levels, n_simulations, own_pairings)
    found: Outcomes = {}
    outcomes = refits([job for _, job in plan], settings, "diagnosis")
    for (name, _), outcome in zip(plan, outcomes, strict=True):
        found.setdefault(name, []).append(outcome)
    over_neighbors = {k: each[0].mi / unit for k, each in _of("neighbors", found).items()}
    over_neighbors[estimator.n_neighbors] = mi / unit
    pairings = found["pairing", 0] if own_pairings else found["planted", 0.0]
    pvalue, null = _against_null(estimator.test_statistic_, pairings, test, unit)
    if left is not None and test is None:
        pvalue = _pvalue_given(estimator, left, settings)
    return Findings(
        over_size={size: _mean_over_rounds(each, n // size, unit) for size, each in _of("size", found).items()},
        over_neighbors=dict(sorted(over_neighbors.items())),
        methods=_methods(question, settings, mi, found),
        planted=_planted(levels, found, unit),
        pvalue=pvalue,
        null=null,
        rows=_about_rows(question, shuffle),
    )


def _is_given(question: Question) -> bool:
    """Return whether there is a Z, and X and Y have columns left to explain."""
    return question.is_conditional and all(question.columns(block).size for block in ("X", "Y"))


def _pvalue_given(estimator: MutualInformationEstimator, left: LeftByZ, settings: Settings) -> float:
    """Return the p-value of independence given Z by a few draws."""
    tested = copy.copy(estimator)
    with_more_neighbors(tested, left.question)
    own, *seeds = seeds_for(settings.random_state, 1 + N_NULL)
    observed, *null = statistics_given(tested, left, seeds, own, settings._replace(verbose=0))
    return float(permutation_pvalue(sum(one >= observed for one in null), len(null)))


def _evidence(
    question: Question,
    estimator: MutualInformationEstimator,
    settings: Settings,
    found: Findings,
    near_ceiling: bool,
    certified: float | None,
) -> Evidence:
    """Return what the verdict rests on."""
    n, mi, over_size = question.n_samples, estimator.mi_ / settings.unit, found.over_size
    return Evidence(
        mi=mi,
        units=settings.units,
        n_samples=n,
        n_columns=sum(question.n_features),
        pvalue=found.pvalue,
        null=found.null,
        error=over_size[n // 2][1] / math.sqrt(2) if n // 2 in over_size else math.nan,
        over_size=[mean for mean, _ in over_size.values()] + [mi],
        over_neighbors=list(found.over_neighbors.values()),
        smallest=min(over_size, default=n),
        own=list(found.over_neighbors).index(estimator.n_neighbors),
        methods=found.methods,
        method=settings.method,
        planted=found.planted,
        near_ceiling=near_ceiling,
        mostly_tied=ties_note(found.rows.ties) is not None
        or (not question.is_discrete and copies_note(found.rows.copied) is not None),
        block=found.rows.block,
        certified=certified,
        given="Z" in question.blocks,
    )


def _planned(
    question: Question,
    left: LeftByZ | None,
    estimator: MutualInformationEstimator,
    settings: Settings,
    shuffle: Shuffle,
    levels: tuple[float, ...],
    n_simulations: int,
    own_pairings: bool,
) -> list[tuple[tuple[str, Any], tuple[Any, ...]]]:
    """Return all refits as ((kind, key), job), long ones first."""
    n, k = question.n_samples, estimator.n_neighbors
    seeds = iter(seeds_for(settings.random_state, 120 + len(levels) * n_simulations))
    plan: list[tuple[tuple[str, Any], tuple[Any, ...]]] = []
    for method in COMPARED:
        if method != settings.method:
            other = make_estimator(method, None, 0, 1, 0, {})
            plan.append((("method", method), (refit, other, question, next(seeds))))
    for other_k in NEIGHBORS:
        if other_k != k and other_k < n // 2:
            plan.append((("neighbors", other_k), (refit, estimator, question, next(seeds), other_k)))
    free = question if left is None else left.question
    along = main_direction(free["X"]), main_direction(free["Y"])
    for level in levels:
        for _ in range(n_simulations if level else N_NULL):
            plan.append((("planted", level), (refit_planted, estimator, left or question, along, level, next(seeds))))
    if own_pairings:
        for _ in range(N_NULL):
            plan.append((("pairing", 0), (refit_repaired, estimator, question, shuffle, next(seeds))))
    for parts, rounds in ROUNDS.items():
        if n // parts > k:
            for _ in range(rounds):
                for rows, seed in partition(shuffle, parts, next(seeds)):
                    plan.append((("size", n // parts), (refit_rows, estimator, question, rows, seed)))
    return plan


def _of(kind: str, found: Outcomes) -> dict[Any, list[Outcome]]:
    """Return the outcomes of one kind, by key."""
    return {key: each for (family, key), each in found.items() if family == kind}


def _mis(outcomes: list[Outcome], unit: float) -> np.ndarray:
    return np.array([one.mi for one in outcomes]) / unit


def _mean_over_rounds(outcomes: list[Outcome], parts: int, unit: float) -> tuple[float, float]:
    """Return the mean of estimates, and their standard deviation among parts that share no row."""
    values = _mis(outcomes, unit)
    deviation = math.sqrt(values.reshape(-1, parts).var(axis=1, ddof=1).mean())
    return float(values.mean()), deviation if deviation > 1e-12 else 0.0


def _methods(question: Question, settings: Settings, mi: float, found: Outcomes) -> dict[str, float]:
    """Return what each of the compared methods says."""
    others = {name: each[0].mi / settings.unit for name, each in _of("method", found).items()}
    own = {settings.method: mi / settings.unit} if settings.method in COMPARED else {}
    return {**own, **others, "cca": cca(question) / settings.unit}


def _planted(levels: tuple[float, ...], found: Outcomes, unit: float) -> tuple[Mapping[str, float], ...]:
    """Return what the method made of each planted MI."""
    threshold = max(one.statistic for one in found["planted", 0.0])
    rows = []
    for level in levels:
        values = _mis(found["planted", level], unit)
        mean, true = float(values.mean()), level / unit
        power = float(np.mean([one.statistic > threshold for one in found["planted", level]])) if level else 0.05
        rows.append({"true": true, "mean": mean, "sd": float(values.std(ddof=1)), "bias": mean - true, "power": power})
    return tuple(rows)


def _against_null(
    observed: float, pairings: list[Outcome], test: IndependenceTest | None, unit: float
) -> tuple[float, tuple[int, float, float]]:
    """Return the p-value of independence, and the number, mean and deviation of random pairings: a test's, or own."""
    if test is None:
        above = sum(one.statistic >= observed for one in pairings)
        against = len(pairings), *mean_and_deviation(_mis(pairings, unit))
        return permutation_pvalue(above, len(pairings)), against
    # Where the test compares something other than MI, 19 free pairings show what the method answers without dependence.
    told_mi = test.null if test.statistic_name == "mi" else _mis(pairings, unit)
    return test.pvalue, (test.n_permutations, *mean_and_deviation(told_mi))


def mean_and_deviation(values: np.ndarray) -> tuple[float, float]:
    """Return both; a deviation that is only rounding error is 0."""
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return float(values.mean()), deviation if deviation > 1e-12 else 0.0


def _about_rows(question: Question, shuffle: Shuffle) -> Rows:
    """Return ties, copies and autocorrelation of the rows."""
    from infold.inference.rows import copied_share

    found = {name: memory(ordered_values(table), shuffle.groups) for name, table in question.blocks.items()}
    alike = alike_rows(question, shuffle.groups) if shuffle.length == 1 else None
    block = None if alike is None or alike.by_class else alike.block
    return Rows(tied_columns(question), copied_share(question.joint), found, block)


def _dimensions(question: Question) -> dict[str, float]:
    """Return the intrinsic dimension of each block, and of all together."""
    from infold.inference.rows import intrinsic_dimension

    sides = {name.lower(): intrinsic_dimension(table.values) for name, table in question.blocks.items()}
    return {**sides, "joint": intrinsic_dimension(question.joint)}


def main_direction(table: np.ndarray) -> np.ndarray:
    """Return the position of each row along the first principal component of the standardised columns."""
    varying = table[:, table.min(axis=0) < table.max(axis=0)]
    if varying.shape[1] == 0:
        return np.zeros(len(table))
    z = varying / np.abs(varying).max(axis=0)  # so that squares can neither overflow nor vanish
    z = z - z.mean(axis=0)
    z /= z.std(axis=0)
    return np.linalg.svd(z, full_matrices=False)[0][:, 0]


def planted_rows(along: tuple[np.ndarray, np.ndarray], true: float, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return an order of the rows of X, one of the rows of Y, and a seed, such that I(X; Y) = `true` nats.

    The ranks of the rows of X along X's main direction are those of a normal variable, Y's those of another with the
    right correlation. Given these ranks, the rest of X is independent of Y, so their MI is that of the two variables.
    """
    rng = np.random.default_rng(seed)
    n = len(along[0])
    rho = math.sqrt(-math.expm1(-2 * true))
    u = rng.standard_normal(n)
    v = rho * u + math.exp(-true) * rng.standard_normal(n)
    orders = []
    for latent, position in zip((u, v), along, strict=True):
        shuffled = rng.permutation(n)  # ties take a random order
        rows = np.empty(n, np.intp)
        rows[np.argsort(latent)] = shuffled[np.argsort(position[shuffled], kind="stable")]
        orders.append(rows)
    return orders[0], orders[1], int(rng.integers(2**62))


def refit_planted(
    estimator: MutualInformationEstimator,
    data: Question | LeftByZ,
    along: tuple[np.ndarray, np.ndarray],
    true: float,
    seed: int,
) -> Outcome:
    """Fit re-paired rows with I(X; Y) = `true` nats; given Z, what it leaves is re-paired and put back on it."""
    rows_x, rows_y, own_seed = planted_rows(along, true, seed)
    if isinstance(data, Question):
        return refit(estimator, data.repaired("X", rows_x).repaired("Y", rows_y), own_seed)
    planted = {"X": data.found.x.with_noise(rows_x), "Y": data.found.y.with_noise(rows_y)}
    return refit(estimator, with_values(data.question, **planted), own_seed)


def cca(question: Question) -> float:
    """Return the Gaussian MI of the columns' normal scores, less its bias, in nats; NaN with more columns than rows.

    Given Z it is I(X; Y, Z) − I(X; Z).
    """
    from infold.core.copula.gaussian import gaussian_part
    from infold.core.copula.scores import copula_columns

    rng = np.random.default_rng(0)  # for the order within ties
    blocks = [question.columns(block).T for block in question.blocks]
    if not blocks[0].size or not blocks[1].size:
        return 0.0
    a, b, *given = (copula_columns(values, rng)[0] for values in blocks if values.size)
    if sum(block.shape[1] for block in (a, b, *given)) >= len(a) - 1:
        return math.nan
    known = gaussian_part(a, given[0]).mi if given else 0.0
    return gaussian_part(a, np.hstack([b, *given])).mi - known
