"""What a report shows: one question, one fit, and all that inference says about it."""

from __future__ import annotations

import copy
import hashlib
import platform
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from infold.data.checks import DataWarning, check_share, warn
from infold.data.output import write_output
from infold.data.question import Question, ask
from infold.data.tables import Table
from infold.display import Shown, as_text, notebook_html, pvalue_text
from infold.inference.certificate import certify
from infold.inference.diagnosis import diagnosis
from infold.inference.given import GIVEN_METHOD, refuse_with_given, with_more_neighbors
from infold.inference.interval import check_parts, subsampling_interval
from infold.inference.notes import autocorrelation_note
from infold.inference.permutation import check_permutations, permutation_test
from infold.inference.relevance import ALONE, KINDS, Relevance, column_relevance
from infold.inference.resampling import Settings, make_shuffle, prepared, shuffle_of
from infold.measures import DEFAULT_METHOD
from infold.results import ConfidenceInterval, Diagnosis, IndependenceTest, MutualInformation, plain_types, stamp

from .page import check_extras, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALPHA = 0.05  # of the test

# What the page spends on single columns: each is estimated again in every permutation.
RELEVANCE_METHOD, RELEVANCE_LEVEL, RELEVANCE_PERMUTATIONS = "ksg", 0.05, 99
RELEVANCE_ROWS, RELEVANCE_COLUMNS = 2_000, 100

PACKAGES = ("infold", "numpy", "scipy", "scikit-learn", "numba", "joblib", "matplotlib")


@dataclass(frozen=True, kw_only=True, repr=False)
class Report(Shown):
    """Everything that the page shows.

    Attributes
    ----------
    title : str
        Title of the page.
    x, y, z : Table
        The data: `values` and `names`; z is None if nothing is given.
    test : IndependenceTest
        Whether there is any dependence.
    interval : ConfidenceInterval
        How sure the number is.
    diagnosis : Diagnosis
        Whether it can be trusted; `diagnosis.estimate` is the estimate.
    alone, together : Relevance or None
        Which columns carry the information; None with more than 100 columns, and `together` given Z.
    notes : tuple of str
        Plain sentences about what may be wrong, each once.
    seed : int
        What all randomness started from.
    shuffle : mapping
        How rows changed places, where not freely.
    versions : mapping
        Of Python and the packages that matter.
    source, sha256, command : str or None
        The file with the data, its fingerprint, and the command that makes the page again.
    """

    title: str
    x: Table
    y: Table
    test: IndependenceTest
    interval: ConfidenceInterval
    diagnosis: Diagnosis
    alone: Relevance | None
    together: Relevance | None
    notes: tuple[str, ...]
    seed: int
    shuffle: Mapping[str, str]
    versions: Mapping[str, str]
    source: str | None = None
    sha256: str | None = None
    command: str | None = None
    z: Table | None = None

    @property
    def estimate(self) -> MutualInformation:
        """The estimate that the page is about."""
        return self.diagnosis.estimate

    def __repr__(self) -> str:
        """Return a few lines for people."""
        return self.summary()

    def _repr_html_(self) -> str:
        """Return a small table for notebooks; `html()` is the page."""
        return notebook_html(self, self._headline(), self._rows())

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the interval, and the estimate on fewer rows, on `ax` or a new pyplot figure."""
        return self.interval.plot(ax=ax)

    def html(self) -> str:
        """Return the page; the same report gives the same bytes."""
        return self._page

    @cached_property
    def _page(self) -> str:
        return render(self)

    def summary(self) -> str:
        """Return a few lines for a terminal."""
        return "\n".join(as_text(text, ()) for text in (self._headline(), " ".join(self.diagnosis.verdict)))

    def _headline(self) -> str:
        i, test = self.interval, pvalue_text(self.test.pvalue, 3)
        return f"{i._headline()}, independence: {test}"

    def _rows(self) -> Iterator[tuple[str, str]]:
        relevant = [column for column in self.alone.columns() if column["relevant"]] if self.alone else []
        yield from (("verdict", sentence) for sentence in self.diagnosis.verdict)
        if relevant:
            yield "columns", ", ".join(f"{column['side'].upper()} {column['name']}" for column in relevant)
        yield from (("note", note) for note in self.notes)

    def to_dict(self, *, arrays: bool = False) -> dict[str, Any]:
        """Return plain types for JSON (docs/json.md); `arrays=True` adds arrays with a value per sample or resample."""
        parts = {"test": self.test, "interval": self.interval, "diagnosis": self.diagnosis}
        columns = {"alone": self.alone, "together": self.together}
        return {
            **stamp("report"),
            "title": self.title,
            **{name: part.to_dict(arrays=arrays) for name, part in parts.items()},
            "relevance": {name: part and part.to_dict(arrays=arrays) for name, part in columns.items()},
            "seed": self.seed,
            "notes": list(self.notes),
            "versions": dict(self.versions),
            "sha256": self.sha256,
            "command": self.command,
            "shuffle": plain_types(self.shuffle),
        }


def make_report(
    X: Any,
    Y: Any,
    Z: Any = None,
    *,
    method: str | None = None,
    n_permutations: int = 199,
    level: float = 0.95,
    groups: Any = None,
    block: int | None = None,
    n_neighbors: int | None = None,
    units: str = "nats",
    random_state: int | None = None,
    n_jobs: int | None = -1,
    verbose: int = 1,
    title: str | None = None,
    source: str | Path | None = None,
    sha256: str | None = None,
    command: str | None = None,
    discrete_x: Any = None,
    discrete_y: Any = None,
    discrete_z: Any = None,
    missing: str = "error",
    **options: Any,
) -> Report:
    """Estimate, test, diagnose and score every column: everything for a page about X and Y, or X and Y given Z.

    Parameters
    ----------
    X, Y : array, pandas or polars table, or series, of shape (n_samples, n_columns) or (n_samples,)
        Row i of both is the same sample.
    Z : the same, or None, default=None
        What is known already.
    method : str or None, default=None
        Estimator, as in :func:`mutual_information`. None is "auto" without Z, and "ksg" with Z: hundreds of fits of
        "auto" given Z take minutes.
    n_permutations, groups, block
        As in :func:`independence_test`; the interval keeps blocks together too.
    level : float, default=0.95
        Of the interval.
    random_state : int or None, default=None
        Seed; None draws one, which the page names.
    title : str, optional
        Title of the page.
    source : path, optional
        File that the data came from; the page names it with its SHA-256.
    sha256 : str, optional
        The SHA-256 of the file, if it is known already; otherwise the file is read for it.
    command : str, optional
        What to type to get the page again; the page names it.
    n_neighbors, units, n_jobs, verbose, discrete_x, discrete_y, discrete_z, missing, **options
        As in :func:`conditional_mutual_information`.

    Returns
    -------
    Report
        `report.html()` is the page.

    Notes
    -----
    Columns are scored by KSG with 99 permutations, on at most 2,000 rows, and only if there are no more than 100. Given
    Z, they are scored alone.

    Examples
    --------
    >>> import infold
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> report = infold.report.make_report(data.X, data.Y, method="ksg", n_permutations=19, random_state=0)
    >>> report.html()[:15]
    '<!DOCTYPE html>'
    """
    check_extras()
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if random_state is None else int(random_state)
    if method is None:
        method = DEFAULT_METHOD if Z is None else GIVEN_METHOD
    if Z is not None:
        refuse_with_given(groups, block)
    settings = Settings(method, units, seed, n_jobs, verbose)
    estimator = prepared(settings, n_neighbors, options)
    check_permutations(n_permutations, ALPHA)
    check_share("level", level)
    with _heard() as heard:
        question = ask(
            X,
            Y,
            Z,
            min_samples=estimator.n_neighbors + 1,
            discrete_x=discrete_x,
            discrete_y=discrete_y,
            discrete_z=discrete_z,
            missing=missing,
        )
        shuffle, ungrouped = (shuffle_of(question, labels, block) for labels in (groups, None))
        groups = question.labels(groups)
        check_parts(ungrouped, estimator.n_neighbors)
        estimator.fit_question(question)
        tested = copy.copy(estimator)
        if question.is_conditional and n_neighbors is None:
            with_more_neighbors(tested, question)
        test = permutation_test(question, tested, settings, shuffle, n_permutations=n_permutations, alpha=ALPHA)
        certificate = certify(question, settings, shuffle)
        interval = subsampling_interval(question, estimator, settings, ungrouped, certificate, level=level)
        trust = diagnosis(question, estimator, settings, shuffle, certificate, test=test)
        columns, reduced = _relevances(question, settings, groups, block, n_permutations)
    # The interval takes no groups: differences between consecutive groups would look like autocorrelation.
    hint = autocorrelation_note(question, ungrouped) if groups is not None else None
    stale = {hint.text} - set(test.notes) if hint else set()
    said = [text for text in heard if text not in stale]
    for text in said:
        warn(text)
    notes = [note for note in (*said, *test.notes, *interval.notes, *trust.notes, *reduced) if note not in stale]
    return Report(
        title=title or "Mutual information report",
        x=question.blocks["X"],
        y=question.blocks["Y"],
        test=test,
        interval=interval,
        diagnosis=trust,
        alone=columns.get("alone"),
        together=columns.get("together"),
        notes=tuple(dict.fromkeys(" ".join(note.split()) for note in notes)),
        seed=seed,
        shuffle=_shuffle_words(groups, block),
        versions={"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        source=None if source is None else Path(source).name,
        sha256=sha256 if sha256 or source is None else hashlib.sha256(Path(source).read_bytes()).hexdigest(),
        command=command,
        z=question.blocks.get("Z"),
    )


@contextmanager
def _heard() -> Iterator[dict[str, None]]:
    """Gather the texts of warnings about data, each once, instead of issuing them."""
    texts: dict[str, None] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield texts
    texts |= dict.fromkeys(str(one.message) for one in caught)


def write_report(X: Any, Y: Any, path: str | Path, **settings: Any) -> Report:
    """Write a page about X and Y, or with `Z=` about X and Y given Z, to a file.

    Parameters
    ----------
    X, Y
        As in :func:`make_report`.
    path : path
        Where to write the page, such as "report.html".
    **settings
        The other parameters of :func:`make_report`.

    Returns
    -------
    Report
        What the page shows.

    Examples
    --------
    >>> import infold, pathlib, tempfile
    >>> data = infold.datasets.make_gaussian(n_samples=100, random_state=0)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "report.html"
    >>> report = infold.report.write_report(data.X, data.Y, path, method="ksg", n_permutations=19, random_state=0)
    >>> path.exists()
    True
    """
    report = make_report(X, Y, **settings)
    write_output(path, report.html())
    return report


def _relevances(
    question: Question, settings: Settings, groups: Any, block: int | None, n_permutations: int
) -> tuple[dict[str, Relevance], list[str]]:
    """Return what each column carries, alone and together, and what was cut short to save time."""
    n, n_columns, notes = question.n_samples, sum(question.n_features), []
    if n_columns > RELEVANCE_COLUMNS:
        return {}, [f"Single columns were not scored, as there are {n_columns}; infold.relevance does it."]
    if n > RELEVANCE_ROWS:
        rows = np.arange(RELEVANCE_ROWS)  # blocks of a time series must stay whole
        if block is None:
            rows = np.sort(np.random.default_rng(settings.random_state).choice(n, RELEVANCE_ROWS, replace=False))
        question = question.with_rows(rows)
        groups = None if groups is None else np.asarray(groups)[rows]
        notes.append(f"Single columns were scored on {RELEVANCE_ROWS:,} of the {n:,} rows.")
    shuffle = make_shuffle(question.n_samples, groups, block)
    settings = settings._replace(method=RELEVANCE_METHOD)
    estimator = prepared(settings, None, {})
    if question.is_conditional:
        with_more_neighbors(estimator, question)
    estimator.fit_question(question)
    fewest = round(1 / RELEVANCE_LEVEL) - 1
    count = max(fewest, min(RELEVANCE_PERMUTATIONS, n_permutations))
    found = {
        kind: column_relevance(
            question, estimator, settings, shuffle, kind=kind, n_permutations=count, level=RELEVANCE_LEVEL
        )
        for kind in (KINDS if "Z" not in question.blocks else (ALONE,))
    }
    return found, notes


def _shuffle_words(groups: Any, block: int | None) -> dict[str, str]:
    """Return which rows could change places, in words, where not all could."""
    words = {}
    if groups is not None:
        words["Groups"] = f"{np.unique(np.asarray(groups)).size}; rows change places within a group only"
    if block is not None:
        words["Block"] = f"{block} consecutive rows change places together"
    return words
