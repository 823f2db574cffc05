"""Experiments as plain data: a TOML file in `experiments/` → the list of its repetitions.

A file has a title, a sentence about the experiment, the name of its figure and blocks `[[runs]]`. A block stands for
all combinations of its lists; `repetitions = 20` means seeds 0 to 19, and each entry of `lines` is a method with its
settings. `[quick]` names the values that `--quick` keeps.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import Any

DATA_DEFAULTS: dict[str, Any] = {"form": "paper", "n": 500, "noise_dims": 0, "noise": "normal", "noise_scale": 1.0}
LINE_DEFAULTS: dict[str, Any] = {"variant": "", "standardize": False}
VARIANTS = {"ksg": "", "gksg": "paper", "gknn": "", "lnn": "defined"}


@dataclass(frozen=True)
class Setting:
    """One repetition, which is one row of a CSV: a data set, a method, and a seed for both.

    Attributes
    ----------
    task : str
        Such as ``"helix"``, or ``"independent-helix"`` for the control with the same marginals.
    form : {"paper", "released"}
        Which generator, for the helix and the sphere.
    n, noise_dims : int
        Number of rows, and of irrelevant columns, half of them in X and half in Y.
    noise, noise_scale : str, float
        Distribution and standard deviation of the irrelevant columns.
    method, k : str, int
        As in `mutual_information`.
    variant : str
        `variant` of LNN, `local_distance` of G-KSG; empty for the others.
    standardize : bool
        False: columns as they are, and for G-KSG all of `infold.paper_settings`. True: infold's defaults.
    seed : int
        Random state of the data and of the forest.
    """

    task: str
    form: str
    n: int
    noise_dims: int
    noise: str
    noise_scale: float
    method: str
    k: int
    variant: str
    standardize: bool
    seed: int

    @property
    def key(self) -> tuple[str, ...]:
        """The setting as the first columns of the CSV."""
        return tuple(as_text(getattr(self, name)) for name in KEY)

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of `mutual_information` for the estimate of this setting."""
        own: dict[str, Any] = {"n_neighbors": self.k, "standardize": self.standardize}
        if self.method == "gksg":
            from infold.estimators import paper_settings

            own = ({} if self.standardize else paper_settings) | own
            own |= {"local_distance": self.variant, "random_state": self.seed}
        elif self.variant:
            own["variant"] = self.variant
        return {"method": self.method, **own}


KEY = tuple(one.name for one in fields(Setting))


def as_text(value: Any) -> str:
    """Return a value as written to a CSV.

    >>> as_text(True), as_text(0.1), as_text(None), as_text(3)
    ('true', '0.1', '', '3')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Experiment:
    """An experiment, as its file describes it.

    Attributes
    ----------
    name, title, about : str
        Name of the file, a heading, and a sentence.
    figure : str
        Which figure to draw, by its name in `infold.reproduce.figures`.
    runs : list of dict
        Blocks of lists, each of which stands for all combinations.
    quick : dict
        What the quick form keeps: at most this many `repetitions`, and only these values of `n` and `noise_dims`.
    """

    name: str
    title: str
    about: str
    figure: str
    runs: list[dict[str, Any]] = field(default_factory=list, repr=False)
    quick: dict[str, Any] = field(default_factory=dict, repr=False)

    def settings(self, *, quick: bool = False) -> list[Setting]:
        """Return every repetition once, in the order of the CSV."""
        kept = self.quick if quick else {}
        return list(dict.fromkeys(s for run in self.runs for s in _combinations(run, kept)))


def _combinations(run: Mapping[str, Any], kept: Mapping[str, Any]) -> Iterable[Setting]:
    """Yield all settings of one block."""
    repetitions = min(run["repetitions"], kept.get("repetitions", run["repetitions"]))
    data = {name: _listed(run.get(name, default)) for name, default in ({"task": None} | DATA_DEFAULTS).items()}
    for name in data.keys() & kept.keys():
        data[name] = [value for value in data[name] if value in kept[name]]
    for values in itertools.product(*data.values()):
        for line in run["lines"]:
            method = line["method"]
            own = LINE_DEFAULTS | {"variant": VARIANTS[method]} | {k: v for k, v in line.items() if k != "k"}
            for k, seed in itertools.product(_listed(line["k"]), range(repetitions)):
                yield Setting(**dict(zip(data, values, strict=True)), **own, k=k, seed=seed)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def parse(name: str, text: str) -> Experiment:
    """Return the experiment that a TOML text describes.

    >>> tiny = parse("tiny", '''
    ... title = "Tiny"
    ... about = "KSG on a few samples."
    ... figure = "noise"
    ... [[runs]]
    ... task = "uniform"
    ... noise_dims = [0, 2]
    ... repetitions = 3
    ... lines = [{ method = "ksg", k = [3, 5] }]
    ... ''')
    >>> len(tiny.settings())
    12
    """
    content = tomllib.loads(text)
    content.pop("place", None)
    return Experiment(name=name, **content)


def experiments() -> dict[str, Experiment]:
    """Return the experiments that come with the package, by name, in the paper's order."""
    found = []
    for file in (files("infold.reproduce") / "experiments").iterdir():
        if file.name.endswith(".toml"):
            text = file.read_text(encoding="utf-8")
            found.append((tomllib.loads(text)["place"], parse(file.name.removesuffix(".toml"), text)))
    return {one.name: one for _, one in sorted(found, key=lambda pair: pair[0])}
