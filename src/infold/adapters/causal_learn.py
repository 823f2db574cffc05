"""A test of conditional independence for causal-learn's PC and FCI."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from .pairs import PairSettings, pair_test


def register_with_causal_learn(name: str = "infold") -> str:
    """Make infold's test known to causal-learn under a name.

    Parameters
    ----------
    name : str, default="infold"
        What to pass to `pc` as `indep_test`, or to `fci` as `independence_test_method`.

    Returns
    -------
    str
        The name.

    Notes
    -----
    `pc` and `fci` hand further arguments over to the test:

    * `discrete`: positions of nominal columns, whose numbers are classes without an order; none by default;
    * `n_permutations` (199), `early_stop` (True), `random_state` (0), `n_jobs` (−1), `method` ("ksg"), `n_neighbors`
      (a tenth of the rows, 3 at least and 200 at most), as in :func:`independence_test`.

    The smallest p-value is 1 / (n_permutations + 1), so `alpha` must not be smaller.

    Examples
    --------
    >>> from infold.adapters import register_with_causal_learn
    >>> register_with_causal_learn()  # doctest: +SKIP
    'infold'
    >>> from causallearn.search.ConstraintBased.PC import pc  # doctest: +SKIP
    >>> graph = pc(table, alpha=0.05, indep_test="infold", discrete=[2])  # doctest: +SKIP
    """
    try:
        from causallearn.utils.cit import CIT_Base, register_ci_test
    except ImportError as error:
        raise ImportError(
            "register_with_causal_learn needs causal-learn 0.1.4 or later; install it with: "
            "pip install 'infold[causal-learn]'",
            name="causallearn",
        ) from error

    class InfoldTest(CIT_Base):  # type: ignore[misc]
        """Independence of two columns given others, by conditional mutual information."""

        def __init__(self, data: Any, *, discrete: Collection[int] = (), **kwargs: Any) -> None:
            own = {field.name: kwargs.pop(field.name) for field in fields(PairSettings) if field.name in kwargs}
            super().__init__(data, **kwargs)
            self.discrete, self.settings = frozenset(discrete), PairSettings(**own)
            self.check_cache_method_consistent(name, f"{self.settings}, discrete={sorted(self.discrete)}")
            self.assert_input_data_is_valid()

        def __call__(self, X: Any, Y: Any, condition_set: Any = None) -> float:
            """Return the p-value."""
            *sides, key = self.get_formatted_XYZ_and_cachekey(X, Y, condition_set)
            if key not in self.pvalue_cache:
                labels = [[i for i, column in enumerate(side) if column in self.discrete] for side in sides]
                x, y, z = (self.data[:, side] for side in sides)
                found = pair_test(x, y, z, (labels[0], labels[1], labels[2]), self.settings)
                self.pvalue_cache[key] = found.pvalue
            return float(self.pvalue_cache[key])

    register_ci_test(name, InfoldTest)
    return name
