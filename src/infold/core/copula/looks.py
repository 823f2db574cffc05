"""Looks at some columns: each yields local log ratios, an estimate and its standard error; the best one is taken.

The *Gaussian* look is the MI of a Gaussian copula, less what it surely counts twice; of Gaussian classes, where one
side is a label. *Guided* looks add what KSG on a view shows beyond Gaussian surrogates. *Free* looks are KSG by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from ..knn.discrete import row_codes
from .coordinates import whitened_lengths
from .crossfit import FreeLook, Split, deal, free_locals, free_looks
from .discriminant import discriminant_local
from .gaussian import GaussianPart, gaussian_local, gaussian_part, overcount, shrunk
from .neighbors import mean_error
from .scores import Scores, tied_ranks
from .student import student_part
from .surrogates import BATCH, Excess, turned_excesses
from .views import ALPHA_SPHERE, Pair, sphere_pvalue

# An excess over surrogates counts in part from the first p on and in full from the second, so that no answer hangs on
# one decision; in the middle is 1 %. These are chances over all guided looks, about three that are not copies.
DOUBTFUL, SURE, VIEWS = 5e-2, 2.5e-3, 3
# Share of an answer that looks at several columns miss at any realistic number of rows, that looks at learned
# coordinates miss, and that is missed along directions or by a model that the data refute: from random kinds of data.
MISSED, MISSED_BY_COORDINATES, AS_MUCH_AGAIN = 0.1, 0.3, 1.0
ALPHA_MODEL = 1e-3  # chance that a Gaussian model is called refuted, and its standard error far too large
GAUSSIAN, STUDENT, CLASSES = "gaussian", "student", "classes"

Rows = np.ndarray
Refit = Callable[[Rows, Rows], float]  # the same look at some rows of x, paired with some rows of y


@dataclass(frozen=True)
class Candidate:
    """One look at one set of columns, as auto compares it with the others; MI in nats.

    Attributes
    ----------
    columns : str
        The set of columns: "all", "screened", "3 blocks", "directions of X" …
    view : str
        "gaussian", "student", or "classes" where one side is a label; "turned 2" (guided); "columns", "bumps 4" (free);
        of blocks, one each.
    mi, standard_error : float
        The estimate, and its standard error; bias is not in it.
    linear : float
        The Gaussian part of the same columns, at most `mi`.
    overcount : float
        Nats that the Gaussian part of the columns surely counts twice, and that were subtracted from it.
    missed : float
        Share of the estimate that such looks at several columns miss, by experience: a part of their bias.
    """

    columns: str
    view: str
    mi: float
    standard_error: float
    linear: float = 0.0
    overcount: float = 0.0
    missed: float = MISSED
    local: np.ndarray | None = field(default=None, repr=False, compare=False)  # (n,): their mean is mi
    refit: Refit | None = field(default=None, repr=False, compare=False)

    def bound(self, n_errors: float = 1.0) -> float:
        """Return the estimate minus this many standard errors."""
        return self.mi - n_errors * self.standard_error

    @property
    def name(self) -> str:
        """The set and the view, such as "screened: bumps 4"."""
        return f"{self.columns}: {self.view}"


class Setting(NamedTuple):
    """What all looks share: KSG's k, splits of the rows, seeds, the number of threads, and whether to show a bar."""

    n_neighbors: int
    splits: list[Split]
    seeds: Sequence[int]
    n_jobs: int | None
    verbose: int

    def of(self, n: int) -> Setting:
        """Return the setting for so many rows."""
        return self._replace(splits=deal(n, np.random.default_rng(self.seeds[0])), verbose=0)


class Evidence(NamedTuple):
    """A p-value of independence, and how to recompute its statistic on re-paired rows."""

    pvalue: float
    refit: Refit


class Looks(NamedTuple):
    """All candidates of a set of columns, the Gaussian part, and what speaks for dependence beyond its test."""

    candidates: list[Candidate]
    gaussian: GaussianPart
    evidence: list[Evidence]


def shifted(local: np.ndarray, mean: float) -> np.ndarray:
    """Return local values with a given mean; rows without a value get the mean."""
    known = np.isfinite(local)
    return np.where(known, local - local[known].mean() + mean, mean)


def weigh(excess: float, pvalue: float, n_columns: int, linear: float) -> float:
    """Return the share of an excess that counts: a ramp in the logarithm of p; a negative excess never counts.

    Without a linear part "no excess" would say 0 although the data are dependent, so it counts in full.
    """
    if excess <= 0:
        return 0.0
    if linear == 0:
        return 1.0
    chance = pvalue * (VIEWS if n_columns > 2 else 1)
    return min(1.0, max(0.0, math.log(DOUBTFUL / max(chance, 1e-300)) / math.log(DOUBTFUL / SURE)))


def free_candidate(
    columns: str,
    view: str,
    local: np.ndarray,
    refit: Refit,
    *,
    gaussian: Candidate | None = None,
    missed: float = MISSED,
) -> Candidate:
    """Return the candidate of local values, NaN where a row was not judged.

    Its excess over the Gaussian part of the same columns, if there is one, counts as far as it is above its noise.
    """
    known = local[np.isfinite(local)]
    mi, error = max(float(known.mean()), 0.0), mean_error(known)
    if gaussian is None or gaussian.linear == 0:
        return Candidate(columns, view, mi, error, missed=missed, local=shifted(local, mi), refit=refit)
    noise = mean_error((local - gaussian.local)[np.isfinite(local)])
    mi = gaussian.linear + shrunk(mi - gaussian.linear, noise)
    error, local = max(error, gaussian.standard_error), shifted(local, mi)
    return replace(gaussian, view=view, mi=mi, standard_error=error, missed=missed, local=local, refit=refit)


def free_evidence(mean: float, error: float, refit: Refit) -> Evidence:
    """Return the evidence of a free look: KSG on rows that nothing was learned from has mean 0 without dependence."""
    return Evidence(float(norm.sf(mean / error)) if error > 0 else 1.0, refit)


def guided_candidates(pair: Pair, gaussian: Candidate, setting: Setting) -> list[Candidate]:
    """Return what turned coordinates add to the Gaussian part."""
    n, n_columns = len(pair.a), pair.a.shape[1] + pair.b.shape[1]
    if n_columns == 2:  # two columns are all there is to see
        return []

    def excesses(pair: Pair, n_seeds: int, n_jobs: int | None) -> list[Excess]:
        return turned_excesses(pair, setting.n_neighbors, setting.seeds[:n_seeds], n_jobs=n_jobs)

    candidates = []
    for i, e in enumerate(excesses(pair, len(setting.seeds), setting.n_jobs)):

        def refit(of_x: Rows, of_y: Rows, i: int = i) -> float:
            some = pair.rows(of_x, of_y)
            again = excesses(some, BATCH, 1)
            if not again:  # too few rows for the columns
                return math.nan
            both = gaussian_part(some.a, some.b).mi + max(again[i].value, 0.0) - 2 * gaussian.overcount
            return min(both, most_refutable(len(of_x)))

        # A wrong guide makes wrong surrogates: what it counts twice, the excess may count as well.
        excess = weigh(e.value, e.pvalue, n_columns, gaussian.linear) * e.value - gaussian.overcount
        if excess > 0:
            error = math.hypot(gaussian.standard_error, e.deviation, sampling_error(excess, n))
            mi = min(gaussian.linear + excess, most_refutable(n))
            local, view = shifted(e.local, mi), f"turned {i + 1}"
            candidates.append(replace(gaussian, view=view, mi=mi, standard_error=error, local=local, refit=refit))
    return candidates


def most_refutable(n: int) -> float:
    """Return the MI up to which a Gaussian part or directions count: the log of the number of re-pairings.

    A law of less MI than its Gaussian part, such as bits in Gaussian noise that are turned into many columns, shows it
    in re-paired rows that match by chance, one in exp(MI): of more, no re-pairing could refute it.
    """
    return math.log(n * (n - 1))


def sampling_error(nats: float, n: int) -> float:
    """Return the standard error of the mean log ratio of densities, as if one Gaussian pair of columns had this MI."""
    return math.sqrt(-math.expm1(-2 * max(nats, 0.0)) / n)


def look(
    name: str, scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, setting: Setting, *, guided: bool = True
) -> Looks:
    """Return all looks at some columns of both sides, or all but the guided ones."""
    a, b = scores.x[:, columns_x], scores.y[:, columns_y]
    gauss = gaussian_part(a, b)
    elliptical = sphere_pvalue(a, b, gauss.n_pairs)
    if scores.one_is_label:
        first = _of_classes(name, scores, columns_x, columns_y, setting)
    else:
        first = _of_gaussians(name, a, b, gauss, AS_MUCH_AGAIN if elliptical < ALPHA_MODEL else MISSED)
    found: list[Candidate] = [] if scores.are_labels else [first]
    evidence: list[Evidence] = []
    if guided and not scores.have_labels:  # labels neither turn nor have a radius
        # Columns may turn with the radius of their whole side.
        rest = (whitened_lengths(side) - whitened_lengths(some) for side, some in ((scores.x, a), (scores.y, b)))
        found += guided_candidates(Pair(a, b, *rest), first, setting) if elliptical >= ALPHA_SPHERE else []
        found += _of_student(a, b, first)
    origins = scores.origin_x.take(columns_x), scores.origin_y.take(columns_y)
    looks = free_looks(origins)

    def free(scores: Scores, setting: Setting, looks: Sequence[FreeLook]) -> list[np.ndarray]:
        a, b = scores.even_x[:, columns_x], scores.even_y[:, columns_y]
        k, splits, seeds, n_jobs, verbose = setting
        return free_locals(looks, a, b, origins, splits, k, seeds[0], n_jobs=n_jobs, verbose=verbose)

    for one, values in zip(looks, free(scores, setting, looks), strict=True):

        def refit(of_x: Rows, of_y: Rows, one: FreeLook = one) -> float:
            return float(np.nanmean(free(scores.rows(of_x, of_y), setting.of(len(of_x)), [one])[0]))

        guide = first if found and not (scores.one_is_label or scores.are_labels) else None
        missed = MISSED_BY_COORDINATES if one.n_coordinates else MISSED
        candidate = free_candidate(name, one.name, values, refit, gaussian=guide, missed=missed)
        if candidate.mi > first.linear or not found or first.linear == 0 or scores.are_labels:
            found.append(candidate)
        known = values[np.isfinite(values)]
        evidence.append(free_evidence(float(known.mean()), mean_error(known), refit))
    return Looks(found, gauss, evidence)


def _of_gaussians(name: str, a: np.ndarray, b: np.ndarray, gauss: GaussianPart, missed: float) -> Candidate:
    """Return the look of a Gaussian copula, less what it surely counts twice."""
    twice = overcount(a, b, gauss.n_pairs)
    mi = min(max(gauss.mi - twice, 0.0), most_refutable(len(a)))
    local = shifted(gaussian_local(a, b, gauss.n_pairs), mi)

    def again(of_x: Rows, of_y: Rows) -> float:
        return min(gaussian_part(a[of_x], b[of_y]).mi - twice, most_refutable(len(of_x)))

    return Candidate(name, GAUSSIAN, mi, gauss.standard_error, mi, twice, missed, local=local, refit=again)


def _of_student(a: np.ndarray, b: np.ndarray, gaussian: Candidate) -> list[Candidate]:
    """Return the look of Student's copula, if the data want one that says more than the Gaussian."""

    def nats(mi: float, n: int) -> float:
        return min(max(mi, 0.0), most_refutable(n))

    def again(of_x: Rows, of_y: Rows) -> float:
        found = student_part(a[of_x], b[of_y])
        if found is not None:
            return nats(found.mi, len(of_x))
        return math.nan if gaussian.refit is None else gaussian.refit(of_x, of_y)  # fewer rows may show no heavy tails

    found = student_part(a, b)
    if found is None or found.mi <= gaussian.mi:
        return []
    mi = nats(found.mi, len(a))
    local, error = shifted(found.local, mi), found.standard_error
    return [replace(gaussian, view=STUDENT, mi=mi, standard_error=error, missed=MISSED, local=local, refit=again)]


def _of_classes(name: str, scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, setting: Setting) -> Candidate:
    """Return the look of Gaussian classes, where one side is a label."""

    def local_of(scores: Scores, splits: list[Split]) -> np.ndarray:
        sides = [(scores.even_x[:, columns_x], scores.origin_x), (scores.even_y[:, columns_y], scores.origin_y)]
        (a, _), (labels, _) = sides[::-1] if scores.origin_x.all_label else sides
        return discriminant_local(a, row_codes(tied_ranks(labels).T), splits)

    def again(of_x: Rows, of_y: Rows) -> float:
        return float(np.nanmean(local_of(scores.rows(of_x, of_y), setting.of(len(of_x)).splits)))

    local = local_of(scores, setting.splits)
    known = local[np.isfinite(local)]
    mi = max(float(known.mean()), 0.0)
    return Candidate(name, CLASSES, mi, mean_error(known), mi, local=shifted(local, mi), refit=again)


def best(candidates: Sequence[Candidate]) -> Candidate:
    """Return the largest estimate less its standard error.

    Every look tends to fall short of the truth, so larger is nearer; the standard error handicaps noisy ones.
    """
    return max(candidates, key=Candidate.bound)
