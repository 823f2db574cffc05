"""LNN: local entropies from a Gaussian fitted around each point by local likelihood (Gao, Oh & Viswanath 2017)."""

from __future__ import annotations

import math

import numpy as np

from ..jit import kernel
from .neighbors import Status, over_neighbourhoods, unit_sized

LNN_SPAN = 30  # neighbours that LNN smooths over, as its authors and the package rmi do
# LNN leaves out a point whose scatter has a determinant under 1e-4 to the power d.
LOG_SCATTER_FLOOR = math.log(1e-4)
# A Cholesky pivot that lost all but this share of its diagonal entry is what rounding left of zero.
PIVOT_FLOOR = 1e-13
# If LNN would leave out every point, each axis is widened by what that floor takes to be flat.
WIDENING = 1.01e-4
LOG_2PI = math.log(2 * math.pi)


def weighted_moments(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return total weight (rows,), mean (rows, d) and scatter (rows, d, d) of `offsets` (rows, m, d), overwritten.

    The weight of an offset is the Gaussian kernel's.
    """
    weights = np.exp(-0.5 * np.einsum("rmd,rmd->rm", offsets, offsets))
    offsets[weights == 0] = 0.0  # they may be infinite
    total = weights.sum(axis=1)
    mean = (weights[:, None] @ offsets)[:, 0] / total[:, None]
    # Second pass about the mean: S2/S0 - S1 S1'/S0² would cancel where neighbours lie to one side.
    offsets -= mean[:, None]
    offsets *= np.sqrt(weights / total[:, None])[:, :, None]
    return total, mean, offsets.transpose(0, 2, 1) @ offsets


@kernel
def cholesky_of_bordered(tables):
    """Factor S = L L' of each table (S, b …) in place, into L' and L⁻¹ b …; return log det S, -inf if singular."""
    n_tables, d, width = tables.shape
    log_det = np.zeros(n_tables)
    for i in range(n_tables):
        for f in range(d):
            row = tables[i, f]
            diagonal = row[f]
            for h in range(f):
                above, factor = tables[i, h], tables[i, h, f]
                for g in range(f, width):
                    row[g] -= factor * above[g]
            if row[f] <= PIVOT_FLOOR * diagonal:
                log_det[i] = -np.inf
                break
            log_det[i] += math.log(row[f])
            row[f:] /= math.sqrt(row[f])
    return log_det


def log_likelihoods(offsets: np.ndarray, k: int, rmi: bool, ridge: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return minus each log density, less log(n − 1); which points coincide with k neighbours; which are flat."""
    d = offsets.shape[2]
    kth = np.abs(offsets[:, k])
    bandwidths = kth.max(axis=1) if rmi else np.sqrt((kth**2).sum(axis=1))
    coincide = bandwidths == 0
    bandwidths[coincide] = 1.0
    with np.errstate(over="ignore"):  # far neighbours have no weight
        offsets /= bandwidths[:, None, None]
        total, mean, scatter = weighted_moments(offsets)
    scatter += ridge * np.eye(d)
    first = np.broadcast_to(np.eye(d, 1), (len(mean), d, 1))
    bordered = np.concatenate((scatter, mean[:, :, None], first), axis=2)
    log_det = cholesky_of_bordered(bordered)
    half_mean, half_first = bordered[:, :, d], bordered[:, :, d + 1]
    if rmi:  # it keeps the first term only, of mean' (scatter^-1 mean)
        quadratic = mean[:, 0] * (half_first * half_mean).sum(axis=1)
    else:
        quadratic = (half_mean**2).sum(axis=1)
    values = d * (0.5 * LOG_2PI + np.log(bandwidths)) + 0.5 * (log_det + quadratic) - np.log(total)
    return values, coincide, (log_det < d * LOG_SCATTER_FLOOR) & ~coincide


def lnn_local(
    points: np.ndarray, k: int, *, span: int = LNN_SPAN, variant: str = "paper", n_jobs: int | None = None
) -> tuple[np.ndarray, Status]:
    """Return local entropies (n,) of finite `points` (n, d) by LNN, and how many had to be left out; k < n.

    The bandwidth is the distance to the k-th of the `span` nearest neighbours. A point left out holds the
    mean of those kept, so that the mean over all n is the entropy, up to a constant of k and d as in the
    authors' code. `variant="rmi"` has the defects of that package: neighbours in max norm, a
    truncated quadratic form, and entropy 0 when no local value is positive.
    """
    n, d = points.shape
    rmi = variant == "rmi"
    m = min(max(span, k), n - 1)
    scaled, log_unit = unit_sized(points)

    def densities(ridge: float) -> tuple[np.ndarray, ...]:
        return over_neighbourhoods(
            lambda offsets: log_likelihoods(offsets, k, rmi, ridge), scaled, m, max_norm=rmi, n_jobs=n_jobs
        )

    values, coincide, flat = densities(0.0)
    widened = 0
    if not rmi and flat.any() and (coincide | flat).all():
        widened = int(flat.sum())
        values, coincide, flat = densities(WIDENING)
    kept = ~(coincide | flat)
    if not kept.any() and not rmi:
        raise ValueError(
            f"every sample coincides with its {k} nearest neighbours, so LNN has no bandwidth; "
            "raise n_neighbors, or choose a method for discrete values."
        )
    local = values + (math.log(n - 1) + d * log_unit)
    set_to_zero = rmi and not (local[kept] > 0).any()
    if set_to_zero:
        local[:] = 0.0
    else:
        local[~kept] = local[kept].mean()
    return local, Status(int(coincide.sum()), int(flat.sum()), max(d - m, 0), set_to_zero, widened)
