"""What all estimators share, after scikit-learn's contract: `__init__` stores, `fit(X, Y, Z)` asks and estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator

from infold.data.checks import check_count, warn
from infold.data.order import alike_rows
from infold.data.question import Question, ask
from infold.data.tables import listed
from infold.parallel.scheduler import interruptible, n_workers

if TYPE_CHECKING:
    from infold.core.knn.information import Spaces


class Blocks(NamedTuple):
    """The columns of a question that vary, as kernels take them."""

    columns: np.ndarray  # (d, n), a copy
    sizes: list[int]  # how many columns each block has
    nominal: np.ndarray | None  # (d,), a mask; None if no column is
    spaces: Spaces | None  # to count in; None for those of mutual information


def joined_blocks(question: Question) -> Blocks:
    """Return the columns of all blocks."""
    from infold.core.knn.information import CONDITIONAL
    from infold.core.scaling import joined

    blocks, nominal = [question.columns(block) for block in question.blocks], None
    if any(table.nominal for table in question.blocks.values()):
        nominal = np.concatenate([question.nominal(block) for block in question.blocks])
    spaces = CONDITIONAL if "Z" in question.blocks else None
    return Blocks(joined(blocks), [len(block) for block in blocks], nominal, spaces)


Measure = Callable[[np.ndarray, int | None], np.ndarray]  # versions (B, q, n) of Y and n_jobs → test statistics (B,)


def entropy_of_labels(question: Question, block: str) -> float | None:
    """Return the entropy of a block of nominal columns, in nats; None if it has others."""
    if not question.blocks[block].nominal or not question.nominal(block).all() or not question.columns(block).size:
        return None
    from infold.core.copula.labels import label_entropy
    from infold.core.knn.discrete import row_codes

    return label_entropy(row_codes(question.columns(block)))


def _order_notes(question: Question) -> tuple[str, ...]:
    """Point out where autocorrelated rows make the standard error and the p-value too small.

    The estimate stays consistent.
    """
    found = alike_rows(question)
    return () if found is None or found.by_class else (found.note(given="Z" in question.blocks),)


FEW_ROWS = 4  # per combination of classes: with fewer, Miller and Madow's correction is far too small


class MutualInformationEstimator(BaseEstimator):  # type: ignore[misc]
    """What all estimators share: checks before, attributes after."""

    n_neighbors: int
    test_statistic_name = "mi"
    takes_nominal = True  # whether columns may be classes
    knows_pvalue = False  # whether a fit has a p-value of independence, `pvalue_`
    takes_given = True  # whether there may be a Z
    counts_classes = False  # whether classes on several sides are simply counted

    def fit(
        self,
        X: Any,
        Y: Any = None,
        Z: Any = None,
        *,
        discrete_x: Any = None,
        discrete_y: Any = None,
        discrete_z: Any = None,
        missing: str = "error",
    ) -> Self:
        """Estimate the mutual information of X and Y, given Z if there is one.

        Parameters
        ----------
        X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
            Row i of all is the same sample.
        Z : the same, or None, default=None
            What is known already.
        discrete_x, discrete_y, discrete_z, missing
            As in :func:`conditional_mutual_information`.

        Returns
        -------
        self
            With `mi_` (nats), `local_mi_` (one value per sample), `n_features_in_`, `n_samples_`.
        """
        self.check_parameters()
        # Kernels copy their input into a table of their own, so no copy is made before.
        return self.fit_question(
            ask(
                X,
                Y,
                Z,
                min_samples=self.n_neighbors + 1,
                as_it_is=True,
                discrete_x=discrete_x,
                discrete_y=discrete_y,
                discrete_z=discrete_z,
                missing=missing,
            )
        )

    def fit_question(self, question: Question) -> Self:
        """Estimate as the user asked: remember the columns, and warn of what makes the estimate less reliable."""
        self.check_question(question)
        self._n_features, self._names, self._kinds = question.n_features, question.names, question.kinds
        self._dropped_rows, self._notes = question.dropped, question.notes
        self._entropies = tuple(entropy_of_labels(question, block) for block in ("X", "Y"))
        self.n_features_in_ = question.n_features[0]
        if question.names[0]:
            self.feature_names_in_ = np.array(question.names[0], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        interruptible(self._fit, question)
        if self.knows_pvalue and self.mi_:
            self._notes += _order_notes(question)
        for doubt in (*self._doubts, *self._sparse_classes(question)):
            warn(doubt)
        return self

    def _sparse_classes(self, question: Question) -> Iterator[str]:
        """Say so if combinations of classes on several sides are rare, and the method simply counts them."""
        sides = [question.columns(block)[question.nominal(block)] for block in question.blocks]
        sides = [side for side in sides if len(side)]
        if self.counts_classes and len(sides) > 1:
            rows = question.n_samples / len(np.unique(np.vstack(sides), axis=1).T)
            if rows < FEW_ROWS:
                yield (
                    f"There are classes on several sides, and only {rows:.1f} rows for each combination of them that "
                    f"occurs: the estimate is too high. Join rare classes, or take method='auto', which allows for it."
                )

    def check_question(self, question: Question) -> None:
        """Refuse a question that is not for this method."""
        if "Z" in question.blocks and not self.takes_given:
            raise TypeError(
                f"{type(self).__name__} is for X and Y alone, but Z has {question.n_features[2]} columns; leave Z out, "
                f"or take another method, such as 'ksg'."
            )
        for block, table in question.blocks.items():
            if table.nominal and not self.takes_nominal:
                raise TypeError(
                    f"{block} has nominal columns ({listed(table.nominal, table.names)}), but {type(self).__name__} is "
                    f"for numbers only; take another method, such as 'ksg', or leave them out."
                )

    def _fit(self, question: Question) -> Self:
        """Estimate without warnings: resampling does this hundreds of times."""
        self._doubts: list[str] = []
        self.n_samples_ = question.n_samples
        if "Z" in question.blocks and not question.is_conditional:
            question = question.without("Z")
        if all(question.columns(block).size for block in ("X", "Y")):
            self.local_mi_ = self._local_mi(question)
        else:
            self.local_mi_ = self._local_mi_of_constants(question)
        # Sorted, the sum does not depend on the order of samples; math.fsum takes five times as long.
        n_values = len(self.local_mi_)
        self.mi_ = float(np.add.reduce(np.sort(self.local_mi_))) / n_values
        left_out = 1 - n_values / self.n_samples_
        self.query_error_ = float(self.local_mi_.std() * math.sqrt(left_out / n_values)) if left_out else 0.0
        return self

    def _local_mi(self, question: Question) -> np.ndarray:
        """Return the local MI, in nats; every block has a column that varies."""
        raise NotImplementedError  # pragma: no cover

    def _local_mi_of_constants(self, question: Question) -> np.ndarray:
        """Return the local MI where the whole of X or of Y is constant."""
        return np.zeros(question.n_samples)

    @property
    def test_statistic_(self) -> float:
        """What a permutation test compares: large means dependent."""
        return self.mi_

    def versions_measure(self, question: Question, redrawn: np.ndarray) -> Measure | None:
        """Return f(versions, n_jobs), the test statistics of versions (B, q, n) of Y, if that is faster than fits.

        `redrawn` (q,) are the columns of Y that get new values; others are re-paired.
        """
        return None

    @property
    def known_error_(self) -> float:
        """Standard error, in nats, that the method knows of by itself; 0 if it knows none."""
        return 0.0

    @property
    def score(self) -> Any:
        """Refused: a larger estimate is not a better one, so there is nothing to maximise over settings."""
        raise AttributeError(
            f"{type(self).__name__} has no score: a larger estimate is not a better one, so GridSearchCV has nothing "
            f"to maximise; compare settings by infold.diagnose, or score the model that follows in a Pipeline."
        )

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense."""
        check_count("n_neighbors", self.n_neighbors)
        n_workers(getattr(self, "n_jobs", None))  # refuses 0

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that Y is required, and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.two_d_labels = True
        tags.target_tags.multi_output = True
        return tags
