"""The test of all questions about series: refit on surrogates of one side, and compare."""

from __future__ import annotations

import math
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from infold.core.random import draw_seeds
from infold.data.checks import check_choice, check_count, check_share
from infold.inference.notes import Note
from infold.parallel.scheduler import in_order

from .embedding import Blocks, Method, embed
from .grid import Grid, differenced
from .stationarity import wandering_columns
from .surrogates import SURROGATES, Shifts, Surrogates, make_surrogates


def fixed_seed(random_state: Any) -> int:
    """Return a seed as it is, or one drawn from None or a generator: results tell it, so that they can be repeated."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(draw_seeds(random_state, 1)[0]) >> 32


class Plan(NamedTuple):
    """How to test: how many draws of which kind, and where to run them."""

    n_surrogates: int
    kind: str
    block: int | None
    alpha: float
    random_state: Any
    n_jobs: int | None
    verbose: int

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_count("n_surrogates", self.n_surrogates, minimum=0)
        check_choice("surrogates", self.kind, SURROGATES)
        check_share("alpha", self.alpha)
        if self.block is not None:
            check_count("block", self.block)


class Tested(NamedTuple):
    """The statistics of the series as they are (m,) and of each surrogate (B, m), in nats, and what was done."""

    observed: np.ndarray
    null: np.ndarray
    notes: tuple[Note, ...]


def compare_with_surrogates(
    grid: Grid,
    moved: str,
    other: str,
    questions: tuple[Blocks, ...],
    method: Method,
    plan: Plan,
    *,
    reach: int,
    changing: tuple[str, ...] = (),
) -> Tested:
    """Return the KSG statistics of some questions, for the series and for surrogates of `moved`.

    Those of the series `changing` that may be random walks are compared by their changes: two random walks seem to
    depend on each other, whatever the surrogates, unless the past of one is given.
    """
    notes = []
    if plan.alpha * (plan.n_surrogates + 1) < 1:
        least = math.ceil(1 / plan.alpha - 1e-9) - 1
        notes.append(
            Note(
                f"n_surrogates={plan.n_surrogates} cannot give p ≤ {plan.alpha:g}, only "
                f"{1 / (plan.n_surrogates + 1):.2g} at best; pass at least {least}.",
                urgent=True,
            )
        )
    wandering = {name: columns for name in changing if (columns := wandering_columns(grid, name))}
    if wandering:
        grid = differenced(grid, wandering)
    notes += [
        Note(
            f"{name} may be a random walk (a unit root cannot be ruled out), so that p-values compare its changes from "
            f"step to step; with difference=1 the estimates do so, too."
        )
        for name in wandering
    ]
    draws = make_surrogates(grid, moved, other, plan.kind, reach, plan.block)
    seeds = draw_seeds(plan.random_state, plan.n_surrogates).tolist()
    if isinstance(draws, Shifts) and seeds:
        seeds = draws.numbers(plan.n_surrogates, seeds[0])
        if len(seeds) < plan.n_surrogates:
            notes.append(
                Note(f"The series can be shifted in only {len(seeds)} ways: all were compared, and p is no finer.")
            )
    statistic = method._replace(name="ksg", strict=False)
    observed = statistics(grid.with_values(**{moved: draws.values}), questions, statistic)
    jobs = [(grid, moved, draws, questions, statistic, seed) for seed in seeds]
    work = in_order(refit, jobs, n_jobs=plan.n_jobs, label="surrogates", verbose=plan.verbose, batch=8)
    with closing(work) as answers:
        null = np.array(list(answers)).reshape(len(seeds), len(questions))
    return Tested(observed, null, tuple(notes))


def refit(
    grid: Grid, moved: str, draws: Surrogates, questions: tuple[Blocks, ...], method: Method, seed: int
) -> np.ndarray:
    """Return the statistics of one surrogate."""
    return statistics(grid.with_values(**{moved: draws.draw(seed)}), questions, method)


def statistics(grid: Grid, questions: tuple[Blocks, ...], method: Method) -> np.ndarray:
    """Return the information of each question, in nats; 0 where no row is left to tell."""
    rows = (embed(grid, question) for question in questions)
    return np.array([method.value(found) if found.times.size > method.n_neighbors else 0.0 for found in rows])
