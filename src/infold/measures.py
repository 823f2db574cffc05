"""The functions that most people call."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from .data.checks import check_choice
from .data.order import alike_rows
from .data.question import Question, ask
from .estimators import GKNN, KSG, LNN, Adaptive, GeodesicKSG, MutualInformationEstimator
from .results import NATS_PER_UNIT, MutualInformation

METHODS: dict[str, type[MutualInformationEstimator]] = {
    "auto": Adaptive,
    "gksg": GeodesicKSG,
    "ksg": KSG,
    "gknn": GKNN,
    "lnn": LNN,
}
DEFAULT_METHOD = "auto"
COMMON = ("discrete_x", "discrete_y", "missing", "units", "certify")  # what no estimator takes
NOT_CERTIFIED = (
    "No lower bound is certified: it requires independent rows, and neighbouring rows are alike here. If their order "
    "is arbitrary, shuffle them."
)


def mutual_information(
    X: Any,
    Y: Any,
    *,
    method: str = DEFAULT_METHOD,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: Any = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    certify: bool = False,
    discrete_x: Any = None,
    discrete_y: Any = None,
    missing: str = "error",
    **options: Any,
) -> MutualInformation:
    """Estimate how much X and Y tell you about each other.

    Parameters
    ----------
    X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
        Row i of both is the same sample.
    method : {"auto", "gksg", "ksg", "gknn", "lnn"}, default="auto"
        :class:`Adaptive`, the best of several views of the data and the most accurate method on most data;
        :class:`GeodesicKSG`, the method of the paper; plain :class:`KSG`; or the paper's other competitors,
        :class:`GKNN` and :class:`LNN`.
    n_neighbors : int or None, default=None
        k; None takes the method's own default, 3 for "auto", "gksg" and "ksg".
    units : {"nats", "bits"}, default="nats"
        Natural logarithm or base 2.
    random_state : int, RandomState, Generator or None, default=None
        Seed, for methods that use randomness.
    n_jobs : int or None, default=-1
        Threads; −1 uses all cores. The answer is the same to the bit.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.
    certify : bool, default=False
        Also give a lower bound at 95 % that holds whatever the distribution, for rows that are independent draws. It
        does not depend on the method.
    discrete_x, discrete_y : None, bool, name, position, or several of these, default=None
        Which columns are nominal: classes that can be told apart, without an order. None goes by type: text, categories
        and booleans are nominal, numbers are not. True stands for all columns, False for none; a name or position, a
        list of them, or a mask adds columns of numbers.
    missing : {"error", "drop"}, default="error"
        Whether rows with a missing value are refused, or left out and counted in `result.n_dropped`.
    **options
        Further parameters of the method's class, such as `n_estimators` of "gksg" or `metric` of "ksg".

    Returns
    -------
    MutualInformation
        `float(result)` or `result.mi` is the estimate; `result.local` has one value per sample; `result.certified` is
        the bound.

    Notes
    -----
    Rows should be independent samples. For the rows of a stationary time series the estimate is still consistent, but
    the standard error and the p-value of "auto" are too small, since such rows are worth fewer independent ones; a note
    in the result says so. Use :func:`independence_test` with `block`, or :func:`lagged_mutual_information`.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=500, noise_dims=4, random_state=0)
    >>> result = infold.mutual_information(data.X, data.Y, random_state=0)
    >>> 0.7 < float(result) < 1.0  # truth: 0.83
    True
    >>> infold.mutual_information(data.X, data.Y, method="ksg", units="bits").units
    'bits'
    >>> 0.5 < infold.mutual_information(data.X, data.Y, certify=True, random_state=0).certified < 0.83
    True
    """
    check_choice("units", units, NATS_PER_UNIT)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    estimator.check_parameters()
    # Kernels copy their input into a table of their own, so no copy is made before.
    question = ask(
        X,
        Y,
        min_samples=estimator.n_neighbors + 1,
        as_it_is=True,
        discrete_x=discrete_x,
        discrete_y=discrete_y,
        missing=missing,
    )
    result = as_result(estimator.fit_question(question), method, units)
    if not certify:
        return result
    alike = alike_rows(question)
    if alike is not None and not alike.by_class:
        return replace(result, notes=(*result.notes, NOT_CERTIFIED))
    bound = certified_nats(question, random_state, n_jobs, verbose)
    return replace(result, certified=bound / NATS_PER_UNIT[units])


def conditional_mutual_information(
    X: Any,
    Y: Any,
    Z: Any,
    *,
    method: str = DEFAULT_METHOD,
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
) -> MutualInformation:
    """Estimate how much X and Y tell you about each other once Z is known, I(X; Y | Z).

    Parameters
    ----------
    X, Y, Z : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
        Row i of all is the same sample. Z may be None: then this is I(X; Y).
    method : {"auto", "ksg", "gksg"}, default="auto"
        :class:`Adaptive`; plain :class:`KSG`, which given Z is the estimator of Frenzel and Pompe; or
        :class:`GeodesicKSG`, with a forest grown on the columns of X, Y and Z.
    n_neighbors, units, random_state, n_jobs, verbose, missing, **options
        As in :func:`mutual_information`.
    discrete_x, discrete_y, discrete_z : None, bool, name, position, or several of these, default=None
        Which columns are nominal, as in :func:`mutual_information`.

    Returns
    -------
    MutualInformation
        `float(result)` or `result.mi` is the estimate; `result.given` has the names of the columns of Z, or their
        number if they have none.

    Notes
    -----
    Columns of X or Y that are in Z as well are left out with a warning: once known, they tell nothing. Constant columns
    of Z are left out too.

    References
    ----------
    S. Frenzel and B. Pompe, "Partial Mutual Information for Coupling Analysis of Multivariate Time Series", PRL 2007.

    O. C. Mesner and C. R. Shalizi, "Conditional Mutual Information Estimation for Mixed, Discrete and Continuous Data",
    IEEE Transactions on Information Theory 2021.

    Examples
    --------
    >>> import infold
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=1000)
    >>> x, y = z + 0.5 * rng.normal(size=(2, 1000))  # Z is all that they share
    >>> bool(infold.mutual_information(x, y, method="ksg").mi > 0.4)
    True
    >>> abs(infold.conditional_mutual_information(x, y, z, method="ksg").mi) < 0.05
    True
    """
    check_choice("units", units, NATS_PER_UNIT)
    estimator = make_estimator(method, n_neighbors, random_state, n_jobs, verbose, options)
    fitted = estimator.fit(
        X, Y, Z, discrete_x=discrete_x, discrete_y=discrete_y, discrete_z=discrete_z, missing=missing
    )
    return as_result(fitted, method, units)


def certified_nats(question: Question, random_state: Any, n_jobs: int | None, verbose: int) -> float:
    """Return the lower bound on MI at 95 %, in nats, for rows that are independent draws."""
    from .core.certificate.bound import certified_bound
    from .core.copula.labels import with_indicators

    x, y = (with_indicators(question.columns(side).T, question.nominal(side))[0] for side in ("X", "Y"))
    return certified_bound(x, y, random_state, n_jobs=n_jobs, verbose=verbose).low if x.size and y.size else 0.0


def make_estimator(
    method: str,
    n_neighbors: int | None,
    random_state: Any,
    n_jobs: int | None,
    verbose: int,
    options: Mapping[str, Any],
) -> MutualInformationEstimator:
    """Return the estimator that the arguments of `mutual_information` ask for, not fitted yet."""
    estimator_class = METHODS[check_choice("method", method, METHODS)]
    if not options.keys().isdisjoint(("Z", "discrete_z")):
        raise TypeError(
            "Z is for conditional_mutual_information, independence_test, confidence_interval and diagnose, and is "
            "called given in relevance, but this is about X and Y alone; leave Z out, or call one of these."
        )
    settings = {"n_jobs": n_jobs, "verbose": verbose, **options}
    if n_neighbors is not None:
        settings["n_neighbors"] = n_neighbors
    known = estimator_class().get_params()
    if "random_state" in known:
        settings["random_state"] = random_state
    for name in options:
        if name not in known:
            others = [repr(m) for m, other in METHODS.items() if name in other().get_params()]
            remedy = f" {name} belongs to method={' or '.join(others)}." if others else ""
            if not others and (meant := get_close_matches(name, [*known, *COMMON], 1)):
                remedy = f" Did you mean {meant[0]}?"
            raise TypeError(
                f"{name}={options[name]!r} is not a parameter of method={method!r}, which takes {', '.join(known)}."
                f"{remedy}"
            )
    return estimator_class(**settings)


def as_result(estimator: Any, method: str, units: str) -> MutualInformation:
    """Return what a fitted estimator found, in `units`."""
    return MutualInformation(
        mi=estimator.mi_ / NATS_PER_UNIT[units],
        local=estimator.local_mi_ / NATS_PER_UNIT[units],
        units=units,
        method=method,
        n_samples=estimator.n_samples_,
        n_features=estimator._n_features,
        settings=estimator.get_params(),
        query_error=estimator.query_error_ / NATS_PER_UNIT[units],
        names=estimator._names,
        kinds=estimator._kinds,
        dropped_rows=estimator._dropped_rows,
        notes=estimator._notes,
        entropies=tuple(h and h / NATS_PER_UNIT[units] for h in estimator._entropies),
        query_rows=getattr(estimator, "query_rows_", None),
        explanation=explained(estimator, NATS_PER_UNIT[units]) if isinstance(estimator, Adaptive) else None,
    )


def explained(estimator: Adaptive, unit: float) -> dict[str, Any]:
    """Return how an adaptive answer came about, in plain types, MI in `unit` nats, columns by name if they have one."""

    def named(columns: Any, names: tuple[str, ...] | None) -> list[Any]:
        return [names[c] if names else int(c) for c in columns]

    candidates = [
        {
            "columns": c.columns,
            "view": c.view,
            **{key: getattr(c, key) / unit for key in ("mi", "standard_error", "linear", "overcount")},
        }
        for c in estimator.candidates_
    ]
    error = estimator.standard_error_
    return {
        "linear": estimator.linear_ / unit,
        "excess": estimator.excess_ / unit,
        "standard_error": None if math.isnan(error) else error / unit,
        "pvalue": estimator.pvalue_,
        "view": estimator.view_,
        "reason": estimator.reason_,
        "x_columns": named(estimator.columns_x_, estimator._names[0]),
        "y_columns": named(estimator.columns_y_, estimator._names[1]),
        "candidates": candidates,
    }
