"""A test of conditional independence for tigramite's PCMCI and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from .pairs import PairSettings, pair_test


def tigramite_test(
    *,
    n_permutations: int = 199,
    early_stop: bool = True,
    random_state: int = 0,
    n_jobs: int | None = -1,
    method: str = "ksg",
    n_neighbors: int | None = None,
    mask_type: str | None = None,
    verbosity: int = 0,
) -> Any:
    """Return infold's test as a `CondIndTest` of tigramite.

    Parameters
    ----------
    n_permutations, early_stop, n_jobs, method
        As in :func:`independence_test`. The smallest p-value is 1 / (n_permutations + 1), so `alpha_level` and
        `pc_alpha` must not be smaller.
    random_state : int, default=0
        Seed of every test.
    n_neighbors : int or None, default=None
        k; None is a tenth of the rows, 3 at least and 200 at most.
    mask_type, verbosity
        As in tigramite.

    Returns
    -------
    CondIndTest
        What to pass to `PCMCI` as `cond_ind_test`. Columns that tigramite's DataFrame calls discrete (`data_type` 1)
        are nominal.

    Notes
    -----
    The value of a link is the conditional mutual information, in nats; the test is one-sided.

    Examples
    --------
    >>> from infold.adapters import tigramite_test
    >>> from tigramite.pcmci import PCMCI  # doctest: +SKIP
    >>> pcmci = PCMCI(dataframe, cond_ind_test=tigramite_test())  # doctest: +SKIP
    """
    try:
        from tigramite.independence_tests.independence_tests_base import CondIndTest
    except ImportError as error:
        raise ImportError(
            "tigramite_test needs tigramite 5.2 or later; install it with: pip install 'infold[tigramite]'",
            name="tigramite",
        ) from error
    settings = PairSettings(n_permutations, early_stop, random_state, n_jobs, method, n_neighbors)

    class InfoldTest(CondIndTest):  # type: ignore[misc]
        """Conditional mutual information, and the p-value of its test."""

        two_sided = False
        residual_based = False

        def __init__(self) -> None:
            self._last: tuple[Any, Any] = (None, None)
            super().__init__(
                mask_type=mask_type, significance="shuffle_test", sig_samples=n_permutations, verbosity=verbosity
            )

        @property
        def measure(self) -> str:
            """The name of the measure."""
            return "infold_cmi"

        def get_dependence_measure(self, array: np.ndarray, xyz: np.ndarray, data_type: Any = None) -> float:
            """Return the conditional mutual information, in nats."""
            return float(self._tested(array, xyz, data_type).mi)

        def get_shuffle_significance(
            self,
            array: np.ndarray,
            xyz: np.ndarray,
            value: float,
            return_null_dist: bool = False,
            data_type: Any = None,
        ) -> Any:
            """Return the p-value, and the null distribution if it is asked for."""
            found = self._tested(array, xyz, data_type)
            return (found.pvalue, found.null) if return_null_dist else found.pvalue

        def _tested(self, array: np.ndarray, xyz: np.ndarray, data_type: Any) -> Any:
            """Return the test; tigramite asks for the value first, and for the p-value of the same data then."""
            key = array.tobytes(), np.asarray(xyz).tobytes()
            if self._last[0] != key:
                sides = [np.flatnonzero(np.asarray(xyz) == side) for side in range(3)]
                is_label = (
                    np.zeros(len(array), bool) if data_type is None else np.all(np.asarray(data_type) == 1, axis=1)
                )
                labels = [np.flatnonzero(is_label[side]).tolist() for side in sides]
                x, y, z = (np.ascontiguousarray(array[side].T) for side in sides)
                self._last = key, pair_test(x, y, z, (labels[0], labels[1], labels[2]), settings)
            return self._last[1]

    return InfoldTest()
