"""One repetition → one row: draw the data, estimate, measure the time; and rows read back from a CSV."""

from __future__ import annotations

import csv
import functools
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from infold.data.checks import DataWarning
from infold.datasets import Dataset, make_gaussian, make_helix, make_independent, make_sphere, make_uniform

from .plan import KEY, Setting, as_text

FOUND = ("estimate", "truth", "truth_is_bound", "truth_monte_carlo", "warned", "seconds")
VERSIONS = ("infold", "numpy", "numba")
COLUMNS = (*KEY, *FOUND, *VERSIONS)
HEADER = ",".join(COLUMNS) + "\n"

_MAKERS: dict[str, Any] = {
    "uniform": make_uniform,
    "gaussian": make_gaussian,
    "helix": make_helix,
    "sphere": make_sphere,
}
# Processor time and caught warnings belong to the process, so its threads (of a Dask worker, say) take turns.
_ONE_AT_A_TIME = threading.Lock()
_HAS_FORMS = ("helix", "sphere")


def sample(setting: Setting) -> Dataset:
    """Return the data of a setting, the same for all methods and numbers of neighbours."""
    name = setting.task.removeprefix("independent-")
    options: dict[str, Any] = {"noise": setting.noise, "noise_scale": setting.noise_scale, "random_state": setting.seed}
    if name in _HAS_FORMS:
        options["form"] = setting.form
    if name != setting.task:
        return make_independent(setting.n, setting.noise_dims, like=name, **options)  # type: ignore[arg-type]
    made: Dataset = _MAKERS[name](setting.n, setting.noise_dims, **options)
    return made


@functools.cache
def versions() -> tuple[str, ...]:
    """Return the versions that a row records."""
    return tuple(version(name) for name in VERSIONS)


@functools.cache
def warm_up(method: str) -> None:
    """Load (or compile) the kernels of a method in this process, so that no row includes that time."""
    import infold

    rng = np.random.default_rng(0)
    for n in (80, 200):
        infold.mutual_information(rng.random((n, 2)), rng.random((n, 2)), method=method, n_jobs=1, verbose=0)


def measured_rows(settings: Sequence[Setting]) -> list[str]:
    """Return a line of CSV for each of `settings`, which differ in k only and so share their data."""
    with _ONE_AT_A_TIME:
        warm_up(settings[0].method)
        data = sample(settings[0])
        return [_measured_row(data, setting) for setting in settings]


def _measured_row(data: Dataset, setting: Setting) -> str:
    """Estimate, and return a line of CSV; time is processor time, which other work on the machine hardly changes."""
    import infold

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        start = time.process_time()
        result = infold.mutual_information(data.X, data.Y, n_jobs=1, verbose=0, **setting.options)
        seconds = time.process_time() - start
    warned = any(issubclass(one.category, DataWarning) for one in caught)
    # Nine decimals: those beyond may differ from one processor to another.
    values = (f"{result.mi:.9f}", f"{data.mi:.9f}", data.mi_is_bound, data.mi_monte_carlo, warned)
    return ",".join((*setting.key, *map(as_text, values), f"{seconds:.3g}", *versions())) + "\n"


def grouped(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Return the tasks, most expensive first; settings that differ in k only are one task, as they share their data."""
    groups: dict[tuple[str, ...], list[Setting]] = defaultdict(list)
    at = KEY.index("k")
    for setting in settings:
        groups[setting.key[:at] + setting.key[at + 1 :]].append(setting)
    return sorted(groups.values(), key=rough_seconds, reverse=True)


def rough_seconds(settings: Sequence[Setting]) -> float:
    """Guess how long a task takes; only ratios matter, to order tasks and to predict the time left."""
    one = settings[0]
    size, d = one.n / 500, one.noise_dims + 2
    if one.method == "gksg":
        slowness = (0.5 if one.standardize else 1.0) * (1.8 if one.task.endswith("gaussian") else 1.0)
        return len(settings) * size * (0.2 + min(0.018 * d, 0.4 + 0.01 * d)) * slowness
    each = {"ksg": 0.003 + 0.0002 * d, "gknn": 0.01 + 0.004 * d, "lnn": 0.008 + 0.0015 * d}
    return len(settings) * size * each[one.method]


def read_lines(path: Path) -> dict[tuple[str, ...], str]:
    """Return the complete lines of a CSV by key; none if there is no file, or if it has other columns."""
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = file.readlines() or [""]
    if header != HEADER:
        return {}
    return {tuple(line.split(",")[: len(KEY)]): line for line in reversed(lines) if _is_complete(line)}


def _is_complete(line: str) -> bool:
    return line.endswith("\n") and line.count(",") == HEADER.count(",")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a CSV that `infold reproduce` wrote, with numbers as numbers."""
    with path.open(encoding="utf-8", newline="") as file:
        return parse_rows(file)


def parse_rows(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of such a CSV, given its lines, header first."""
    numbers = {"n": int, "noise_dims": int, "k": int, "seed": int}
    numbers |= dict.fromkeys(("noise_scale", "estimate", "truth", "seconds"), float)  # type: ignore[arg-type]
    flags = ("standardize", "truth_is_bound", "warned")
    rows = []
    for text in csv.DictReader(lines):
        row: dict[str, Any] = {name: numbers.get(name, str)(value) for name, value in text.items()}
        row |= {name: text[name] == "true" for name in flags}
        monte_carlo = text["truth_monte_carlo"]
        rows.append(row | {"truth_monte_carlo": float(monte_carlo) if monte_carlo else None})
    return rows
