"""Two rows of distances → k-th radius → counts on either side → local MI: KSG (Eq. ksg-estimator).

The average of the local values is the estimate. Where the k-th neighbour is a copy of the row itself (radius 0) no
neighbour is strictly nearer, and the formula for continuous data has no meaning: the row is then an atom of a discrete
distribution, with the local value ψ(c_xy) + ψ(n) − ψ(c_x) − ψ(c_y), c counting the row and its copies.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import digamma

from .jit import kernel, part, part_without_nan
from .scaling import joined, weighted
from .search import PAIR_COST, Job, in_blocks, ksg_counts
from .tiles import larger

CHEBYSHEV, EUCLIDEAN = 0, 1
METRICS = {"chebyshev": CHEBYSHEV, "euclidean": EUCLIDEAN}

FEW_DIGAMMAS = 4096
GROUP = 16  # values whose minimum is taken at once: most groups hold no neighbour and are passed over


def digammas(largest: int) -> np.ndarray:
    """Return ψ(0 … largest), or more, with ψ(0), which is never used, set to 0. Not to be written to."""
    return _few_digammas() if largest < FEW_DIGAMMAS else _digammas(largest)


def _digammas(largest: int) -> np.ndarray:
    return np.concatenate(([0.0], digamma(np.arange(1.0, largest + 1))))


@functools.cache
def _few_digammas() -> np.ndarray:
    """Return those that many small estimates share."""
    return _digammas(FEW_DIGAMMAS)


@part_without_nan
def kth_smallest(values, k):
    """Return the k-th smallest of `values`, which are no fewer than k."""
    n = values.size
    best = np.empty(k, values.dtype)
    for i in range(k):
        place = i
        while place > 0 and best[place - 1] > values[i]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = values[i]
    worst = best[k - 1]
    for first in range(k, n, GROUP):
        end = min(first + GROUP, n)
        lowest = values[first]
        for j in range(first, end):
            lowest = min(lowest, values[j])
        if lowest >= worst:
            continue
        for j in range(first, end):
            value = values[j]
            if value < worst:
                place = k - 1
                while place > 0 and best[place - 1] > value:
                    best[place] = best[place - 1]
                    place -= 1
                best[place] = value
                worst = best[k - 1]
    return worst


@part_without_nan
def distances_from(columns, weights, metric, i, out):
    """Fill out[j] with the distance of columns i and j of `columns` (d, n), each difference times its weight."""
    for f in range(columns.shape[0]):
        values, centre, weight = columns[f], columns[f, i], weights[f]
        if metric == EUCLIDEAN:
            for j in range(out.size):
                difference = (values[j] - centre) * weight
                out[j] = difference * difference if f == 0 else out[j] + difference * difference
        elif f == 0:
            for j in range(out.size):
                out[j] = abs(values[j] - centre) * weight
        else:
            for j in range(out.size):
                out[j] = larger(out[j], abs(values[j] - centre) * weight)
    if metric == EUCLIDEAN:
        for j in range(out.size):
            out[j] = np.sqrt(out[j])


@part
def count_below(values, bound):
    """Return how many of `values` are strictly below `bound`."""
    count = np.int32(0)  # a sum of two int32 is an int64, which would halve the values counted at a time
    for j in range(values.size):
        count = np.int32(count + np.int32(values[j] < bound))
    return count


@part
def count_zeros(values):
    """Return how many of `values` are 0."""
    count = np.int32(0)
    for j in range(values.size):
        count = np.int32(count + np.int32(values[j] == 0))
    return count


@part
def local_value(in_x, in_y, joint, i, k, n, psi):
    """Return the local MI of row i from its distances to all n rows, or to those that count; `joint` is scratch."""
    for j in range(joint.size):
        joint[j] = max(in_x[j], in_y[j])
    joint[i] = np.inf
    radius = kth_smallest(joint, k)
    if radius > 0.0:
        # The row itself is at distance 0: it is the "+ 1" of the formula.
        return psi[k] + psi[n] - (psi[count_below(in_x, radius)] + psi[count_below(in_y, radius)])
    copies = 1 + count_zeros(joint)
    return psi[copies] + psi[n] - (psi[count_zeros(in_x)] + psi[count_zeros(in_y)])


@kernel
def ksg_local_mi(x, y, weights_x, weights_y, metric_x, metric_y, k, psi, start, stop, out):
    """Fill out[start:stop] with local MI by KSG, x (d_x, n) and y (d_y, n)."""
    n = x.shape[1]
    in_x, in_y, joint = np.empty(n), np.empty(n), np.empty(n)
    for i in range(start, stop):
        distances_from(x, weights_x, metric_x, i, in_x)
        distances_from(y, weights_y, metric_y, i, in_y)
        out[i] = local_value(in_x, in_y, joint, i, k, n, psi)


def joined_norms(metrics: tuple[str, str], d_x: int, d_y: int) -> tuple[int, int]:
    """Return the norms on X and on Y by number; both Chebyshev, which is faster, where that is the same."""
    norm_x, norm_y = METRICS[metrics[0]], METRICS[metrics[1]]
    if (norm_x == EUCLIDEAN and d_x > 1) or (norm_y == EUCLIDEAN and d_y > 1):
        return norm_x, norm_y
    return CHEBYSHEV, CHEBYSHEV


def exact_ksg(
    points: np.ndarray, n_x: int, weights: np.ndarray, metrics: tuple[int, int], k: int, job: Job
) -> np.ndarray:
    """Return local MI in the words of the definition, for any norms."""
    n = points.shape[1]
    sides = points[:n_x], points[n_x:], weights[:n_x], weights[n_x:]
    psi, out = digammas(n), np.empty(n)

    def work(start: int, stop: int) -> None:
        ksg_local_mi(*sides, *metrics, k, psi, start, stop, out)

    in_blocks([(work, n, 2.0 * n * n * (len(points) + PAIR_COST))], job)  # float64 takes twice the time of float32
    return out


def ksg(
    x: np.ndarray,
    y: np.ndarray,
    metrics: tuple[str, str],
    k: int,
    *,
    standardize: bool,
    n_jobs: int | None,
    verbose: int,
) -> np.ndarray:
    """Return the local MI (n,) of columns x (d_x, n) and y (d_y, n), none of them constant.

    Columns are not divided by their scale, but their differences are: equal differences then stay equal, so that ties
    in the data are ties here, and no offset matters. All ways to count are exact: which one is taken changes no bit.
    """
    n_x, job = len(x), Job(n_jobs, verbose)
    points, weights = weighted(joined(x, y), standardize)
    norms = joined_norms(metrics, n_x, len(y))
    if any(norms):
        return exact_ksg(points, n_x, weights, norms, k, job)
    return local_of_counts(ksg_counts(points, n_x, weights, k, job))


def local_of_counts(counts: np.ndarray) -> np.ndarray:
    """Return the local MI (…, n) that counts (…, 3, n) mean."""
    n = counts.shape[-1]
    # Counts of a small table find their place in any case; those of a large one may all be small.
    psi = digammas(n if n < FEW_DIGAMMAS else int(counts.max()))
    at_k, in_x, in_y = (psi.take(counts[..., i, :]) for i in range(3))
    return at_k + digamma(float(n)) - (in_x + in_y)
