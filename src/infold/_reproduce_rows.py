"""One repetition → one row: draw the data, estimate, take the time; and rows read back from a CSV."""

from __future__ import annotations

import csv
import functools
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ._reproduce_plan import KEY, Setting, as_text
from .data.checks import DataWarning
from .datasets import Dataset, make_gaussian, make_helix, make_independent, make_sphere, make_uniform

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
# Processor time and heard warnings belong to a process: threads of it (of a Dask worker, say) take turns.
_ALONE = threading.Lock()
_HAS_FORMS = ("helix", "sphere")


def sample(setting: Setting) -> Dataset:
    """Return the data of a setting.

    Methods and numbers of neighbours do not matter here: all see the same data.
    """
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
    """Return the versions that a row tells."""
    return tuple(version(name) for name in VERSIONS)


@functools.cache
def warm_up(method: str) -> None:
    """Load (or compile) the kernels of a method in this process, so that no row pays for that."""
    import infold

    rng = np.random.default_rng(0)
    for n in (80, 200):
        infold.mutual_information(rng.random((n, 2)), rng.random((n, 2)), method=method, n_jobs=1, verbose=0)


def measured_rows(settings: Sequence[Setting]) -> list[str]:
    """Return a line of CSV for each of `settings`, which differ in k only; one at a time in a process."""
    with _ALONE:
        return _measured_rows(settings)


def _measured_rows(settings: Sequence[Setting]) -> list[str]:
    """Return what `measured_rows` returns.

    The time is that of the processor, not of the clock, so that other work on the machine counts little. With several
    columns G-KSG grows one forest for all k; each row is charged with the whole forest, as if it stood alone.
    """
    one = settings[0]
    warm_up(one.method)
    data = sample(one)
    if one.method == "gksg" and max(data.X.shape[1], data.Y.shape[1]) > 1:
        found = _geodesic(data, settings)
    else:
        found = [_plain(data, setting) for setting in settings]
    lines = []
    for setting, (estimate, warned, seconds) in zip(settings, found, strict=True):
        # Nine decimals: what is beyond them may differ from one processor to another.
        values = (f"{estimate:.9f}", f"{data.mi:.9f}", data.mi_is_bound, data.mi_monte_carlo, warned)
        line = (*setting.key, *map(as_text, values), f"{seconds:.3g}", *versions())
        lines.append(",".join(line) + "\n")
    return lines


def _plain(data: Dataset, setting: Setting) -> tuple[float, bool, float]:
    """Estimate, whether the method warned that it means little, and seconds."""
    import infold

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", DataWarning)
        start = time.process_time()
        result = infold.mutual_information(data.X, data.Y, n_jobs=1, verbose=0, **setting.options)
        seconds = time.process_time() - start
    return result.mi, any(issubclass(one.category, DataWarning) for one in heard), seconds


def _geodesic(data: Dataset, settings: Sequence[Setting]) -> list[tuple[float, bool, float]]:
    """The same of G-KSG for every k, from one forest: what `GeodesicKSG` answers for each."""
    from .core.distance import LOCAL_DISTANCES, diameter
    from .core.folded import folded_side
    from .core.forest import marginal_leaves
    from .core.geodesic import geodesic_local_mi
    from .core.neighbors import digammas
    from .core.scaling import standardized, unit_sized
    from .estimators.geodesic import GeodesicKSG, forest_plan

    start = time.process_time()
    one = settings[0]
    estimator = GeodesicKSG(**{name: value for name, value in one.options.items() if name != "method"})
    points = np.ascontiguousarray(np.concatenate((data.X, data.Y), axis=1).T)
    points = standardized(points) if one.standardize else unit_sized(points)
    d_x, n = data.X.shape[1], one.n
    is_x = np.arange(len(points)) < d_x
    leaves = marginal_leaves(points, forest_plan(estimator, n), is_x, n_jobs=1, verbose=0)
    x, y = points[:d_x], points[d_x:]
    sides = (*map(folded_side, leaves), x, y, diameter(x), diameter(y), LOCAL_DISTANCES[one.variant])
    psi, local, places = digammas(n), np.empty(n), np.arange(n, dtype=np.int32)
    shared = time.process_time() - start
    found = []
    for setting in settings:
        start = time.process_time()
        geodesic_local_mi(*sides, setting.k, psi, places, local)
        found.append((float(np.sort(local).sum()) / n, False, shared + time.process_time() - start))
    return found


def grouped(settings: Sequence[Setting]) -> list[list[Setting]]:
    """Return the tasks to hand out, most expensive first: settings that differ in k only go together."""
    groups: dict[tuple[str, ...], list[Setting]] = defaultdict(list)
    at = KEY.index("k")
    for setting in settings:
        groups[setting.key[:at] + setting.key[at + 1 :]].append(setting)
    return sorted(groups.values(), key=rough_seconds, reverse=True)


def rough_seconds(settings: Sequence[Setting]) -> float:
    """Guess how long a task takes; only proportions matter, to order tasks and to tell the time left."""
    one = settings[0]
    size, d = one.n / 500, one.noise_dims + 2
    if one.method == "gksg":
        slowness = (0.5 if one.standardize else 1.0) * (1.8 if one.task.endswith("gaussian") else 1.0)
        return size * (0.2 + min(0.018 * d, 0.4 + 0.01 * d)) * slowness
    each = {"ksg": 0.003 + 0.0002 * d, "gknn": 0.01 + 0.004 * d, "lnn": 0.008 + 0.0015 * d}
    return len(settings) * size * each[one.method]


def read_lines(path: Path) -> dict[tuple[str, ...], str]:
    """Return the whole lines of a CSV by key; none if there is no file, or if it has other columns."""
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = file.readlines() or [""]
    if header != HEADER:
        return {}
    return {tuple(line.split(",")[: len(KEY)]): line for line in reversed(lines) if _is_whole(line)}


def _is_whole(line: str) -> bool:
    return line.endswith("\n") and line.count(",") == HEADER.count(",")


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a CSV that `infold reproduce` wrote, with numbers as numbers."""
    numbers = {"n": int, "noise_dims": int, "k": int, "seed": int}
    numbers |= dict.fromkeys(("noise_scale", "estimate", "truth", "seconds"), float)  # type: ignore[arg-type]
    flags = ("standardize", "truth_is_bound", "warned")
    rows = []
    with path.open(encoding="utf-8", newline="") as file:
        for text in csv.DictReader(file):
            row: dict[str, Any] = {name: numbers.get(name, str)(value) for name, value in text.items()}
            row |= {name: text[name] == "true" for name in flags}
            monte_carlo = text["truth_monte_carlo"]
            rows.append(row | {"truth_monte_carlo": float(monte_carlo) if monte_carlo else None})
    return rows
