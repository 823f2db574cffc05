"""The test behind all questions about series: refit on surrogates of one side, and compare."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from infold.core.random import draw_seeds
from infold.data.checks import check_choice, check_count, check_share
from infold.inference.given import left_by_z
from infold.inference.notes import Note
from infold.parallel.scheduler import in_order

from .embedding import Blocks, Method, Term, embed, same_lags, standardized
from .grid import Grid, Series, differenced
from .seasons import has_season, without_seasons
from .stationarity import wandering_columns
from .surrogates import SURROGATES, Shifts, Surrogates, make_surrogates, memory_of

GIVEN_CHANGES, GIVEN_LESS = "changes of given", "given without seasons"
LEFT = "left of the other side"
SEASONS_TAKEN = Note("There are seasons: p-values given other series compare the series without them.")
SEASONS_LEFT = Note(
    "There are seasons, so p given other series may be too small; take them off all series first, for example by "
    "differences over a period.",
    urgent=True,
)
SLOW = 0.6  # lag-1 correlation of both sides from which on p given several columns may be too small
TURNS = 10  # lags that are at most one in so many steps of the shortest series may be turns


def fixed_seed(random_state: Any) -> int:
    """Return a seed as it is, or draw one from None or a generator: results report it, so that they can be repeated."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    if random_state is None:
        return secrets.randbits(32)
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
    difference: int = 0  # whether the series are already changes

    def check(self) -> None:
        """Refuse what makes no sense."""
        check_count("n_surrogates", self.n_surrogates, minimum=0)
        check_choice("surrogates", self.kind, SURROGATES)
        check_share("alpha", self.alpha)
        if self.block is not None:
            check_count("block", self.block)


class Tested(NamedTuple):
    """The statistics of the original series (m,) and of each surrogate (B, m), in nats, and what was done."""

    observed: np.ndarray
    null: np.ndarray
    notes: tuple[Note, ...]
    turns: np.ndarray | None = None  # (B, m): by how many steps the series was shifted circularly, lags included


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
    lags: tuple[int, ...] | None = None,
) -> Tested:
    """Return the KSG statistics of some questions, for the series and for surrogates of `moved`.

    With `lags`, the questions differ only in the lag of `moved`. For a circularly shifted series a lag is just another
    shift, so statistics at the lags of one shift are reused for others. This is not done in short series, where many
    rows would be paired across the ends.

    If some of the series `changing` may be random walks, their changes are compared: two random walks seem to depend
    on each other, whatever the surrogates, unless the past of one is given.

    If other series are given, what they leave of both sides is compared: a surrogate is out of step with them. Seasons
    are taken off before and after that: what one season leaves of two others is in phase.
    """
    notes = [*_too_few(plan)]
    known = "given" in grid
    if known:
        _refuse_long_lags(grid, lags or ())
        grid, questions = _less_seasons(grid, (moved, other, "given"), questions, notes)
    wandering = {name: columns for name in changing if (columns := wandering_columns(grid, name))}
    if wandering:
        grid, questions = _by_changes(grid, wandering, questions)
        notes.append(_wandering_note(list(wandering), plan.difference))
    if known:
        notes += _slow_note(grid, (moved, other), questions[0])
        grid, questions = _left_by_given(grid, moved, questions, plan)
        grid, questions = _less_seasons(grid, (moved, LEFT), questions, notes)
        other = LEFT
    draws = make_surrogates(grid, moved, other, plan.kind, reach, plan.block)
    seeds = draw_seeds(plan.random_state, plan.n_surrogates).tolist()
    statistic = method._replace(name="ksg", strict=False)
    turns = None
    if isinstance(draws, Shifts) and seeds:
        seeds = draws.numbers(plan.n_surrogates, seeds[0])
        notes += _in_step(draws)
        notes += _few_shifts(len(seeds), plan)
        if lags is not None:
            turns = draws.places(seeds, lags)
        if lags is not None and not known and TURNS * max(map(abs, lags)) <= draws.shortest:
            found = _by_turns(grid, moved, draws, _without_lag(questions[0], moved), lags, seeds, statistic, plan)
            return Tested(found[0], found[1:], tuple(notes), turns)
    observed = statistics(grid.with_values(**{moved: draws.values}), questions, statistic)
    null = _run(refit, [(grid, moved, draws, questions, statistic, seed) for seed in seeds], plan)
    return Tested(observed, np.array(null).reshape(len(seeds), len(questions)), tuple(notes), turns)


def _by_turns(
    grid: Grid,
    moved: str,
    draws: Shifts,
    question: Blocks,
    lags: tuple[int, ...],
    numbers: list[int],
    method: Method,
    plan: Plan,
) -> np.ndarray:
    """Return the statistics at all lags (1 + B, lags), for the series and for shifts; each turn is computed once."""
    wanted = [[draws.lagged(lag) for lag in lags], *([draws.turns(number, lag) for lag in lags] for number in numbers)]
    different = list(dict.fromkeys(turns for row in wanted for turns in row))
    values = _run(refit_turned, [(grid, moved, draws, question, method, turns) for turns in different], plan)
    known = dict(zip(different, values, strict=True))
    return np.array([[known[turns] for turns in row] for row in wanted])


def _run(task: Callable[..., Any], jobs: list[tuple[Any, ...]], plan: Plan) -> list[Any]:
    work = in_order(task, jobs, n_jobs=plan.n_jobs, label="surrogates", verbose=plan.verbose, batch=8)
    with closing(work) as answers:
        return list(answers)


def _without_lag(question: Blocks, moved: str) -> Blocks:
    """Return a question with the present of the series `moved`."""
    return tuple(
        tuple(same_lags(moved, len(term.lags), [0]) if term.series == moved else term for term in block)
        for block in question
    )


def _by_changes(
    grid: Grid, wandering: dict[str, list[int]], questions: tuple[Blocks, ...]
) -> tuple[Grid, tuple[Blocks, ...]]:
    """Return the changes of some columns, in standard deviations, and the questions about them.

    A change of x depends on the change of what drives x, so changes of what is given are given as well.
    """
    changed = differenced(grid, wandering)
    if "given" in grid:
        changes = differenced(grid, {"given": np.flatnonzero(~grid["given"].nominal).tolist()})["given"]
        changed = replace(changed, series={**changed.series, GIVEN_CHANGES: changes})
        questions = tuple(_also_given(question, GIVEN_CHANGES) for question in questions)
    return standardized(changed, exact_ties=True), questions


def _also_given(question: Blocks, name: str) -> Blocks:
    """Return a question in which a series made of what is given is given as well."""
    *asked, known = question
    return *asked, (*known, *(term._replace(series=name) for term in known if term.series == "given"))


def _left_by_given(
    grid: Grid, moved: str, questions: tuple[Blocks, ...], plan: Plan
) -> tuple[Grid, tuple[Blocks, ...]]:
    """Return what the given series leave of both sides, and the questions about that.

    A surrogate that kept what the given series tell of `moved` would have it out of step with them: noise that the
    original does not have, so that surrogates would share too little with the other side.

    Each question has columns of its own in the series `moved` and `LEFT`, in the rows of its y.
    """
    left = [_left_rows(grid, question, plan.random_state) for question in questions]
    series = {name: _side_by_side([found[side] for found in left]) for side, name in enumerate((moved, LEFT))}
    there = np.isfinite(series[moved].values)
    if plan.kind == "phases":  # for which no value may be missing
        series[moved].values[~there.all(axis=1)] = np.nan
        there &= there.all(axis=1, keepdims=True)
    rows = np.flatnonzero(there.any(axis=1))
    segments = [rows[slice(*np.searchsorted(rows, segment))] for segment in grid.segments]
    asked = tuple(
        (*((_own_columns(name, [found[s] for found in left], place),) for s, name in enumerate(series)), known)
        for place, (*_, known) in enumerate(questions)
    )
    return replace(
        standardized(replace(grid, series={**grid.series, **series}), exact_ties=True),
        segments=tuple((int(own[0]), int(own[-1]) + 1) for own in segments if own.size),
    ), asked


def _refuse_long_lags(grid: Grid, lags: Sequence[int]) -> None:
    """Refuse lags at which a surrogate may have less than half of the rows that the series have.

    Each lag has rows of its own, those of y that x has a value for, and a shift moves these within the whole series.
    """
    lengths = np.array([stop - start for start, stop in grid.segments])
    for lag in lags:
        rows, fewest = (int(np.maximum(lengths - times * abs(lag), 0).sum()) for times in (1, 2))
        if 2 * fewest < rows:
            raise ValueError(
                f"lag {lag} is too long to be tested given other series: surrogates would have too few rows; pass lags "
                f"of at most a third of a series ({max(lengths) // 3} steps), or n_surrogates=0 for estimates alone."
            )


def _left_rows(grid: Grid, question: Blocks, seed: int) -> tuple[Series, Series]:
    """Return what the given series leave of both sides of a question, in the rows of its y."""
    x, y, known = question
    rows = embed(grid, (x, y, tuple(term for term in known if term.series in ("given", GIVEN_CHANGES, GIVEN_LESS))))
    asked = rows.question()
    left = left_by_z(asked, seed).question

    def on_grid(side: str) -> Series:
        table = (left if left[side].size else asked).blocks[side]  # nothing is left of columns that never change
        values = np.full((grid.rows.size, table.values.shape[1]), np.nan)
        values[rows.times] = table.values
        return Series(values, None, np.isin(np.arange(table.values.shape[1]), table.nominal))

    return on_grid("X"), on_grid("Y")


def _side_by_side(parts: Sequence[Series]) -> Series:
    return Series(np.hstack([one.values for one in parts]), None, np.concatenate([one.nominal for one in parts]))


def _own_columns(name: str, parts: Sequence[Series], place: int) -> Term:
    """Return the columns of one of several series that stand side by side."""
    return Term(name, tuple((0,) * (part == place) for part, one in enumerate(parts) for _ in one.nominal))


def _too_few(plan: Plan) -> Iterator[Note]:
    """Report if no p-value can be as small as alpha."""
    if plan.alpha * (plan.n_surrogates + 1) < 1:
        least = math.ceil(1 / plan.alpha - 1e-9) - 1
        yield Note(
            f"n_surrogates={plan.n_surrogates} cannot give p ≤ {plan.alpha:g}, only {1 / (plan.n_surrogates + 1):.2g} "
            f"at best; pass at least {least}.",
            urgent=True,
        )


def _in_step(draws: Shifts) -> Iterator[Note]:
    """Report groups that were not shifted each by itself; if one is longer than another, they do not stay in phase."""
    if draws.in_step:
        yield Note(
            "Both sides may have a season, with groups in phase, so all groups were shifted by the same number of "
            "steps."
        )
        if len({stop - start for start, stop in draws.segments}) > 1:
            yield Note(
                "Groups with a season differ in length, so p may be too small; take the season off first, for example "
                "by differences over a period, or cut groups to one length.",
                urgent=True,
            )


def _few_shifts(count: int, plan: Plan) -> Iterator[Note]:
    """Report if there are fewer shifts than the requested number of surrogates."""
    if count < plan.n_surrogates:
        ways = "way" if count == 1 else "ways"
        yield Note(f"The series can be shifted in only {count} {ways}: all were compared, and p is no finer.")


def _less_seasons(
    grid: Grid, names: tuple[str, ...], questions: tuple[Blocks, ...], notes: list[Note]
) -> tuple[Grid, tuple[Blocks, ...]]:
    """Return the grid with some series less their seasons, and say so; groups may differ in phase, and are left.

    What is given stays as well, beside what is left of it: it may act by its square, season and all.
    """
    if len(grid.segments) > 1:
        if sum(any(map(has_season, grid[name].values.T)) for name in names) > 1 and SEASONS_LEFT not in notes:
            notes.append(SEASONS_LEFT)
        return grid, questions
    less = without_seasons(grid, names)
    if less is not grid and SEASONS_TAKEN not in notes:
        notes.append(SEASONS_TAKEN)
    if np.array_equal(less["given"].values, grid["given"].values, equal_nan=True):
        return less, questions
    less = replace(less, series={**less.series, "given": grid["given"], GIVEN_LESS: less["given"]})
    return less, tuple(_also_given(question, GIVEN_LESS) for question in questions)


def _slow_note(grid: Grid, sides: tuple[str, str], question: Blocks) -> Iterator[Note]:
    """Report long memory of both sides beside several given columns: their nearest rows are the next in time."""
    columns = sum(len(lags) for term in question[2] if term.series == "given" for lags in term.lags)
    if columns > 1 and min(memory_of(grid, name).lag_1 for name in sides) > SLOW:
        yield Note(
            f"{columns} columns are given, and both sides change slowly, so p may be too small; give fewer, or take "
            f"changes (difference=1).",
            urgent=True,
        )


def _wandering_note(names: list[str], difference: int) -> Note:
    who, walks = " and ".join(names), "a random walk" if len(names) == 1 else "random walks"
    if difference:
        return Note(
            f"The changes of {who} may wander like {walks}, too (a unit root cannot be ruled out), so p-values compare "
            f"the changes of these."
        )
    return Note(
        f"{who} may be {walks} (a unit root cannot be ruled out), so p-values compare changes from step to step; with "
        f"difference=1 the estimates do so, too."
    )


def refit(
    grid: Grid, moved: str, draws: Surrogates, questions: tuple[Blocks, ...], method: Method, seed: int
) -> np.ndarray:
    """Return the statistics of one surrogate."""
    return statistics(grid.with_values(**{moved: draws.draw(seed)}), questions, method)


def refit_turned(
    grid: Grid, moved: str, draws: Shifts, question: Blocks, method: Method, turns: tuple[int, ...]
) -> float:
    """Return the statistic of the series turned by this many steps."""
    return float(statistics(grid.with_values(**{moved: draws.turned(turns)}), (question,), method)[0])


def statistics(grid: Grid, questions: tuple[Blocks, ...], method: Method) -> np.ndarray:
    """Return the information of each question, in nats; 0 where no row is left."""
    rows = (embed(grid, question) for question in questions)
    return np.array([method.value(found) if found.times.size > method.n_neighbors else 0.0 for found in rows])
