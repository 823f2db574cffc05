"""Forward search: tests decide which columns may come next and when to stop; a criterion picks one of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .functions import column_functions, target_functions
from .given import Given, Tested, best_pair, given, permutation_tests, smallest_pvalues, strengths
from .information import RELEVANCE, Information, Sample, criterion_values

MOST_SCORED = 50  # candidates with the smallest p-values, from which the criterion chooses
MOST_ROUNDS = 3  # of the search, and of replacements: both nearly always converge sooner
SHARES = 2  # of the level: one for columns, one for pairs of columns


class Step(NamedTuple):
    """A column that was selected: its number, the criterion in nats, and its corrected p-value at that time."""

    column: int
    score: float
    pvalue: float


class Found(NamedTuple):
    """What a search found: the selected columns in order, the p-value of every column, and all columns, best first."""

    steps: list[Step]
    pvalues: np.ndarray
    order: np.ndarray


class Candidates(NamedTuple):
    """The columns that are not selected yet, and their tests."""

    known: Given
    rest: np.ndarray
    tested: Tested

    @property
    def pvalues(self) -> np.ndarray:
        """P-values corrected for the number of columns, and for testing pairs as well."""
        return np.minimum(SHARES * self.tested.corrected(self.tested.smallest), 1.0)

    @property
    def by_pvalue(self) -> np.ndarray:
        """Positions in `rest`, the smallest p-value first."""
        return np.argsort(self.tested.smallest, kind="stable")


class Search:
    """A search for columns that tell something about the target that the ones before them do not.

    A column may come next if it depends on the target given all selected columns, by a test at level `alpha` that is
    corrected for the number of columns; of these, the one with the largest criterion is taken. If there is none, the
    pair with the most informative product is taken, if it is significant: neither column of an exclusive or is
    informative by itself. The criterion "relevance" conditions on nothing.
    """

    def __init__(
        self, sample: Sample, information: Information, criterion: str, alpha: float, orders: np.ndarray, *, pairs: bool
    ) -> None:
        self.nominal, self.information, self.criterion = sample.nominal_x, information, criterion
        self.alpha, self.orders, self.pairs = alpha, orders, pairs
        self.functions = column_functions(sample.x, sample.nominal_x)
        self.targets = target_functions(sample.y, sample.nominal_y)

    def run(self, fewest: int, most: int) -> Found:
        """Return at most `most` columns, and at least `fewest`, by the criterion alone if too few are significant."""
        steps: list[Step] = []
        for _ in range(MOST_ROUNDS):
            steps, tested = self._extended(steps, most)
            better = self._refined(steps, tested)
            if better == steps:
                break
            steps = better
        left = self._candidates(steps)
        while len(steps) < fewest:
            steps = [*steps, self._best(steps, left, left.by_pvalue)]
            left = self._candidates(steps)
        pvalues = np.empty(self.functions.shape[1])
        pvalues[left.rest] = left.pvalues
        for step in steps:
            pvalues[step.column] = step.pvalue
        return Found(steps, pvalues, np.concatenate((_columns(steps), left.rest[left.by_pvalue])).astype(int))

    def _extended(self, steps: list[Step], most: int) -> tuple[list[Step], Tested]:
        """Return the steps with further ones, as long as columns or pairs are significant, and the last tests."""
        while True:
            left = self._candidates(steps)
            significant = left.by_pvalue[left.pvalues[left.by_pvalue] <= self.alpha]
            if len(steps) >= most:
                break
            if significant.size:
                steps = [*steps, self._best(steps, left, significant)]
            elif self.pairs and len(steps) + 2 <= most and (pair := self._pair(left)):
                steps = [*steps, *pair]
            else:
                break
        return steps, left.tested

    def _candidates(self, steps: list[Step]) -> Candidates:
        rest = np.setdiff1d(np.arange(self.functions.shape[1]), _columns(steps))
        known = self._given([] if self.criterion == RELEVANCE else _columns(steps))
        if rest.size == 0:
            return Candidates(known, rest, Tested(np.ones(0), np.ones(len(self.orders))))
        tested = permutation_tests(self.functions[:, rest], self.nominal[rest], self.targets, known, self.orders)
        return Candidates(known, rest, tested)

    def _given(self, columns: list[int]) -> Given:
        return given(self.functions, self.nominal, columns)

    def _best(self, steps: list[Step], left: Candidates, candidates: np.ndarray) -> Step:
        """Return the step to the candidate, a position in `left.rest`, with the largest criterion."""
        candidates = candidates[:MOST_SCORED]
        columns = left.rest[candidates].tolist()
        scores = criterion_values(self.criterion, columns, _columns(steps), self.information)
        best = int(np.argmax(scores))
        return Step(columns[best], float(scores[best]), float(left.pvalues[candidates[best]]))

    def _pair(self, left: Candidates) -> list[Step]:
        """Return the steps to the columns of the best pair, if it is significant; each scored given the other."""
        pair = best_pair(self.functions, left.rest, self.targets, left.known)
        pvalue = min(SHARES * pair.pvalue, 1.0)
        if pvalue > self.alpha:
            return []
        both = (pair.first, pair.second), (pair.second, pair.first)
        return [Step(one, float(self.information.about_target([one], other)[0]), pvalue) for one, other in both]

    def _refined(self, steps: list[Step], tested: Tested) -> list[Step]:
        """Return the steps without columns that add nothing to all others, and the rest replaced by better ones.

        Early choices condition on little: of a column and a noisy copy of it, the wrong one may have come first.
        `tested` are the tests given all of them; their null distribution serves for all comparisons.
        """
        if self.criterion == RELEVANCE:
            return steps
        steps = self._without_needless(steps, tested)
        for _ in range(MOST_ROUNDS):
            before = steps
            for place in range(len(steps)):
                steps = self._replaced(steps, place, tested)
            if steps == before:
                break
        return self._without_needless(steps, tested)

    def _without_needless(self, steps: list[Step], tested: Tested) -> list[Step]:
        """Return the steps without columns that are not significant given all others, the least significant first."""

        def pvalue(step: Step) -> float:
            smallest = self._smallest([step.column], [other.column for other in steps if other != step])
            return SHARES * float(tested.corrected(smallest)[0])

        own = [pvalue(step) for step in steps]
        for step in [steps[i] for i in np.argsort(own, kind="stable")[::-1]]:
            if pvalue(step) <= self.alpha:  # given those that are still there
                break
            steps = [other for other in steps if other != step]
        return steps

    def _replaced(self, steps: list[Step], place: int, tested: Tested) -> list[Step]:
        """Return the steps with one column replaced by the one that is most informative given all others."""
        others = [step.column for step in (*steps[:place], *steps[place + 1 :])]
        rest = np.setdiff1d(np.arange(self.functions.shape[1]), others)
        strength = strengths(self.functions[:, rest], self.nominal[rest], self.targets, self._given(others))
        best = int(np.argmax(strength))
        if strength[best] <= strength[np.searchsorted(rest, steps[place].column)]:
            return steps
        pvalue = SHARES * float(tested.corrected(self._smallest(rest[[best]], others))[0])
        if pvalue > self.alpha:
            return steps
        column = int(rest[best])
        score = criterion_values(self.criterion, [column], others[:place], self.information)[0]
        return [*steps[:place], Step(column, float(score), pvalue), *steps[place + 1 :]]

    def _smallest(self, columns: np.ndarray | list[int], known: list[int]) -> np.ndarray:
        return smallest_pvalues(self.functions[:, columns], self.nominal[columns], self.targets, self._given(known))


def _columns(steps: list[Step]) -> list[int]:
    return [step.column for step in steps]
