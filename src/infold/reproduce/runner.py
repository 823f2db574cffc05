"""Run experiments: keep every finished repetition, write a tidy CSV and a figure.

Rows are appended to `NAME.part.csv` as they finish; once all are there, they are written to `NAME.csv`, in the
order of the experiment's file. What is in either file is never computed again, so a run that was stopped continues
where it stopped. A task is plain data for joblib, so it runs on this machine or, under
`joblib.parallel_config("dask")`, on a cluster.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from infold.data.output import remove_output, write_output
from infold.parallel.scheduler import as_finished

from .plan import Experiment, Setting, experiments
from .rows import (
    HEADER,
    grouped,
    measured_rows,
    parse_rows,
    read_lines,
    rough_seconds,
    versions,
    warm_up,
)

RESULTS = Path("experiments") / "results"  # in a checkout of the repository
ELSEWHERE = Path("infold-results")

Lines = dict[tuple[str, ...], str]


@dataclass(frozen=True)
class Outcome:
    """The result of running one experiment.

    Attributes
    ----------
    name : str
        The experiment.
    n_rows, n_computed : int
        Rows of the CSV, and how many of them were computed in this run.
    csv, figure : Path or None
        The files; some experiments have a figure but no CSV, and without matplotlib there is no figure.
    """

    name: str
    n_rows: int
    n_computed: int
    csv: Path | None
    figure: Path | None


def default_output(*, quick: bool = False) -> Path:
    """Return the default folder for results.

    That is `experiments/results` if it exists, as in a checkout of the repository, else `infold-results`; quick runs
    use its subfolder `quick`.
    """
    folder = RESULTS if RESULTS.is_dir() else ELSEWHERE
    return folder / "quick" if quick else folder


def run(
    chosen: Sequence[Experiment],
    output: Path,
    *,
    quick: bool = False,
    n_jobs: int | None = -1,
    force: bool = False,
    verbose: int = 1,
) -> Iterator[Outcome]:
    """Run experiments one after the other, and keep what is already finished.

    Parameters
    ----------
    chosen : sequence of Experiment
        What to run.
    output : Path
        Folder for CSV files and figures; created if missing.
    quick : bool
        Run only the few repetitions that the experiments specify for a quick check.
    n_jobs : int or None
        Number of processes; −1 uses all cores. The estimates do not depend on it.
    force : bool
        Delete existing results, and compute everything again.
    verbose : int
        1 shows a progress bar with the time left, on a terminal.

    Yields
    ------
    Outcome
        One for each experiment, as soon as it is finished.
    """
    from tqdm import tqdm

    output.mkdir(parents=True, exist_ok=True)
    if force:
        for one in chosen:
            remove_output(_partial(output, one))
            remove_output(_final(output, one))
    plans = {one.name: one.settings(quick=quick) for one in chosen}
    others = list(chosen if force else {**experiments(), **{one.name: one for one in chosen}}.values())
    waiting = list(dict.fromkeys(s for one in chosen for s in _missing(plans[one.name], _finished(output, one))))
    waiting = _missing(waiting, _borrowed(waiting, output, others))
    bar = tqdm(
        total=sum(rough_seconds(task) for task in grouped(waiting)),
        bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed} so far, {remaining} left",
        disable=None if verbose else True,
        leave=False,
    )
    with bar:
        for one in chosen:
            bar.set_description(one.name)
            outcome = _run_one(one, plans[one.name], output, n_jobs, others, bar)
            bar.clear()  # so that the caller's output starts on a line of its own
            yield outcome


def _run_one(
    experiment: Experiment,
    plan: list[Setting],
    output: Path,
    n_jobs: int | None,
    others: Iterable[Experiment],
    bar: Any,
) -> Outcome:
    """Compute what is missing, then write the CSV and draw the figure."""
    finished = _finished(output, experiment)
    n_before = sum(setting.key in finished for setting in plan)
    waiting = _missing(plan, finished)
    if waiting:
        with _appending(_partial(output, experiment)) as file:
            borrowed = _borrowed(waiting, output, others)
            file.writelines(borrowed.values())
            computed = _computed(_missing(waiting, borrowed), file, n_jobs, bar)
        finished |= borrowed | computed
    table = [HEADER, *(finished[setting.key] for setting in plan)]
    if plan:
        _write_if_changed(_final(output, experiment), "".join(table))
        remove_output(_partial(output, experiment))
    return Outcome(
        name=experiment.name,
        n_rows=len(plan),
        n_computed=len(plan) - n_before,
        csv=_final(output, experiment) if plan else None,
        figure=_draw(experiment, parse_rows(table), output),
    )


def _computed(settings: list[Setting], file: IO[str], n_jobs: int | None, bar: Any) -> Lines:
    """Run tasks in parallel; write the rows of each immediately, so that an interrupt loses no finished row."""
    tasks = grouped(settings)
    for method in sorted({task[0].method for task in tasks}):
        warm_up(method)  # here first, so that kernels are compiled once, not once per process
    lines: Lines = {}
    answers = as_finished(measured_rows, [(task,) for task in tasks], n_jobs=n_jobs, prefer="processes")
    with closing(answers):
        for i, rows in answers:
            file.writelines(rows)
            file.flush()
            lines |= zip((setting.key for setting in tasks[i]), rows, strict=True)
            bar.update(rough_seconds(tasks[i]))
    return lines


def _borrowed(settings: list[Setting], output: Path, others: Iterable[Experiment]) -> Lines:
    """Return the rows that other experiments in the folder already have, computed by the same versions."""
    ends = "," + ",".join(versions()) + "\n"
    known: Lines = {}
    for one in others:
        known |= read_lines(_final(output, one))
    return {s.key: known[s.key] for s in settings if s.key in known and known[s.key].endswith(ends)}


def _finished(output: Path, experiment: Experiment) -> Lines:
    return read_lines(_partial(output, experiment)) | read_lines(_final(output, experiment))


def _missing(settings: list[Setting], finished: Lines) -> list[Setting]:
    return [setting for setting in settings if setting.key not in finished]


def _final(output: Path, experiment: Experiment) -> Path:
    return output / f"{experiment.name}.csv"


def _partial(output: Path, experiment: Experiment) -> Path:
    return output / f"{experiment.name}.part.csv"


@contextmanager
def _appending(path: Path) -> Iterator[IO[str]]:
    """Open a CSV to append rows, after removing an incomplete last line that a killed process may have left."""
    complete = "".join(reversed(read_lines(path).values()))
    _write_if_changed(path, HEADER + complete)
    with path.open("a", encoding="utf-8", newline="") as file:
        yield file


def _write_if_changed(path: Path, text: str) -> None:
    """Write a file unless it has this text already."""
    with contextlib.suppress(OSError):
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            return
    write_output(path, text)


def _draw(experiment: Experiment, rows: list[dict[str, Any]], output: Path) -> Path | None:
    """Draw the figure; None without matplotlib."""
    from .figures import draw

    path = output / f"{experiment.name}.png"
    try:
        draw(experiment, rows, path)
    except ImportError as error:
        if error.name != "matplotlib":
            raise
        return None
    return path
