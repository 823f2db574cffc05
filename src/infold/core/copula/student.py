"""The part of two tables' MI that Student's copula explains; rows are samples, (n, p).

Rows of Student's t are Gaussian rows times a scale that all their columns share, as returns of one day have. Ranks of
heavy-tailed columns hide most of their correlation from a Gaussian copula, and all of what the scale tells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize_scalar
from scipy.special import digamma, gammaln, ndtr, stdtrit
from scipy.stats import t as student_t

from .gaussian import FLAT, RE_PAIRED_ROWS, canonical_pairs, gaussian_part, shrunk
from .neighbors import ksg_local, mean_error
from .ratios import counted_twice
from .scores import normal_scores
from .views import ALPHA_SPHERE, sphere_pvalue

DEGREES = (0.5, 30.0)  # of freedom, least and most; with more, a Gaussian copula does as well
PRECISION = {"xatol": 0.02}  # of their logarithm
N_NEIGHBORS, SURELY_LESS = 3, 2.0  # of KSG on the lengths of rows; standard errors
CONVERGED, MOST_STEPS = 1e-3, 100  # of the scatter's iteration: relative change, and how many times


class StudentLaw(NamedTuple):
    """Student's t of d columns about 0."""

    degrees: float
    scatter: np.ndarray  # (d, d)

    def of(self, columns: slice) -> StudentLaw:
        """Return the law of some columns."""
        return self._replace(scatter=self.scatter[columns, columns])

    def log_density(self, lengths: np.ndarray) -> np.ndarray:
        """Return log densities of rows with these squared lengths zᵀ S⁻¹ z."""
        nu, d = self.degrees, len(self.scatter)
        constant = gammaln((nu + d) / 2) - gammaln(nu / 2) - d / 2 * math.log(nu * math.pi)
        return np.asarray(constant - np.linalg.slogdet(self.scatter)[1] / 2 - (nu + d) / 2 * np.log1p(lengths / nu))

    def shape_entropy(self) -> float:
        """Return the entropy of the law with scatter 1."""
        nu, d = self.degrees, len(self.scatter)
        slope = (nu + d) / 2 * (digamma((nu + d) / 2) - digamma(nu / 2))
        return float(gammaln(nu / 2) - gammaln((nu + d) / 2) + d / 2 * math.log(nu * math.pi) + slope)

    def squared_lengths(self, rows: np.ndarray) -> np.ndarray:
        """Return zᵀ S⁻¹ z of each row; `numpy.linalg.LinAlgError` if S is flat."""
        root = np.linalg.cholesky(self.scatter)
        if root.diagonal().min() <= FLAT * root.diagonal().max():
            raise np.linalg.LinAlgError("a column is told by the others")
        return np.asarray((solve_triangular(root, rows.T, lower=True) ** 2).sum(axis=0))

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """Return the squared scales by which rows become about Gaussian."""
        return (self.degrees + rows.shape[1]) / (self.degrees + self.squared_lengths(rows))


class StudentPart(NamedTuple):
    """MI by Student's copula, less what it surely counts twice, and its local values."""

    mi: float
    standard_error: float
    local: np.ndarray


def student_part(a: np.ndarray, b: np.ndarray) -> StudentPart | None:
    """Return the part of normal scores a (n, p) and b (n, q), n > p + q; None if a Gaussian copula is as likely.

    Nor is there one if sides are surely not the same in all directions once all rows have about the same length.
    """
    n, p = a.shape
    found = fit_student(np.hstack([a, b]))
    if found is None:
        return None
    law, rows = found
    even = rows * np.sqrt(law.weights(rows))[:, None]
    gauss = gaussian_part(even[:, :p], even[:, p:])
    if sphere_pvalue(even[:, :p], even[:, p:], gauss.n_pairs) < ALPHA_SPHERE:
        return None
    s, *_ = canonical_pairs(even[:, :p], even[:, p:])
    local = log_ratios(law, rows[:, :p], rows[:, p:], law.squared_lengths(rows))
    error = float(local.std()) / math.sqrt(n)
    shown = float(local.mean()) - (float(-0.5 * np.log1p(-(s**2)).sum()) - gauss.mi)  # fitted to the same rows
    told = gauss.mi + told_by_scale(law, rows[:, :p], rows[:, p:])
    some = rows[:: -(-n // RE_PAIRED_ROWS)]
    mi = told - shrunk(told - shown, error) - counted_twice(all_log_ratios(law, some[:, :p], some[:, p:]))
    return StudentPart(mi, max(error, gauss.standard_error), local)


def told_by_scale(law: StudentLaw, x: np.ndarray, y: np.ndarray) -> float:
    """Return what scales of rows tell beyond the scatter: what the degrees say, if lengths of rows show as much.

    All that a scale tells of the other side is in the lengths of rows. Where rows have one of two scales, as in two
    batches, those of many columns tell which, and nothing else; Student's t would have any number of scales.
    """
    sides = [(law.of(slice(x.shape[1])), x), (law.of(slice(x.shape[1], None)), y)]
    told = sum(side.shape_entropy() for side, _ in sides) - law.shape_entropy()
    lengths = [normal_scores(side.squared_lengths(rows)[:, None]) for side, rows in sides]
    shown = ksg_local((lengths[0], lengths[1]), N_NEIGHBORS)
    return told - shrunk(told - float(shown.mean()), mean_error(shown), SURELY_LESS)


def log_ratios(law: StudentLaw, x: np.ndarray, y: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return log ratios of densities, joint to product, of rows of x and y whose joint squared lengths are given."""
    of_x, of_y = law.of(slice(x.shape[1])), law.of(slice(x.shape[1], None))
    one, other = (side.log_density(side.squared_lengths(rows)) for side, rows in ((of_x, x), (of_y, y)))
    joint = law.log_density(lengths)
    return joint - other - (one if joint.ndim == 1 else one[:, None])


def all_log_ratios(law: StudentLaw, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the log ratios of all pairings of rows of x and y, (m, m)."""
    p, inverse = x.shape[1], np.linalg.inv(law.scatter)
    one, other = ((rows @ part * rows).sum(axis=1) for rows, part in ((x, inverse[:p, :p]), (y, inverse[p:, p:])))
    return log_ratios(law, x, y, np.maximum(one[:, None] + other + 2 * x @ inverse[:p, p:] @ y.T, 0.0))


def fit_student(scores: np.ndarray) -> tuple[StudentLaw, np.ndarray] | None:
    """Return the most likely Student's copula, and the columns as its quantiles; None if the Gaussian is as likely.

    Nor is there one for columns that tell another exactly, such as a copy on the other side: they have no density.
    """
    n = len(scores)
    values, places = np.unique(scores, return_inverse=True)
    places = places.reshape(scores.shape)
    correlations = scores.T @ scores / n

    def fit(degrees: float) -> tuple[float, StudentLaw, np.ndarray]:
        quantiles = stdtrit(degrees, ndtr(values))
        rows = quantiles[places]
        law = fit_scatter(rows, degrees, correlations)
        single = student_t.logpdf(quantiles, degrees)[places]
        return float(law.log_density(law.squared_lengths(rows)).sum() - single.sum()), law, rows

    least, most = np.log(DEGREES)
    try:
        lengths = StudentLaw(math.inf, correlations).squared_lengths(scores)
        gaussian = 0.5 * float((scores**2).sum() - lengths.sum() - n * np.linalg.slogdet(correlations)[1])
        if fit(math.exp(most))[0] <= gaussian:
            return None
        found = minimize_scalar(
            lambda x: -fit(math.exp(x))[0], bounds=(least, most), method="bounded", options=PRECISION
        )
        return fit(math.exp(found.x))[1:]
    except np.linalg.LinAlgError:
        return None


def fit_scatter(rows: np.ndarray, degrees: float, start: np.ndarray) -> StudentLaw:
    """Return the most likely law of so many degrees of freedom, by weighting rows again and again."""
    law = StudentLaw(degrees, start)
    for _ in range(MOST_STEPS):
        weights = law.weights(rows)  # over their sum, which converges faster than over n (Kent, Tyler & Vardi 1994)
        scatter = (rows * weights[:, None]).T @ rows / weights.sum()
        change = float(np.abs(scatter - law.scatter).max())
        law = law._replace(scatter=scatter)
        if change <= CONVERGED * float(np.abs(scatter).max()):
            break
    return law
