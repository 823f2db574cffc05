"""Local entropies from the shape of neighbourhoods, in logs: gKNN and LNN.

gKNN is by Lord, Sun & Bollt (2018), LNN by Gao, Oh & Viswanath (2017). Both give each sample a value whose
mean is the entropy h, so that h(X) + h(Y) - h(X, Y) is the mean of a local mutual information. Neighbours
come from a k-d tree or, in many columns, from brute force; one task is one block of rows, and no row sees
another block, so neither the number of threads nor the size of a block can change a bit.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import gammaln

from .jit import kernel
from .neighbors import kth_smallest
from .parallel import blocks, run

BLOCK = 256  # rows in a task: long enough to hide its start, short enough to share out 500 samples
TREE_COLUMNS = 4  # beyond, a search in a k-d tree looks at most rows, and brute force does that faster
LNN_SPAN = 30  # neighbours that LNN smooths over, as its authors and the package rmi do

# A neighbourhood narrower in one direction than this share of its longest axis counts as flat: rounding of
# data that are large beside it leaves widths near 1e-13, and no sample tells a real 1e-10 from that.
WIDTH_FLOOR = 1e-10
# A neighbourhood with no axis narrower than this share of its longest bears being squared.
SAFE_WIDTH = 1e-3
# The k-th neighbour may lie exactly on the ellipsoid (in one dimension it always does): count it.
ON_BOUNDARY = 1e-9
# LNN leaves out a point whose scatter has a determinant under 1e-4 to the power d.
LOG_SCATTER_FLOOR = math.log(1e-4)
# A Cholesky pivot that lost all but this share of its diagonal entry is what rounding left of zero.
PIVOT_FLOOR = 1e-13
# If LNN would leave out every point, each axis is widened by what that floor takes to be flat.
WIDENING = 1.01e-4
LOG_2PI = math.log(2 * math.pi)

REGULAR, ZERO_DISTANCE, SINGULAR = 0, 1, 2


class Status(NamedTuple):
    """What local entropies had to work around; all zero for data in general position."""

    zero_distance: int
    """Points that coincide with their k nearest neighbours."""
    singular: int
    """Points whose neighbourhood is flat: widened by gKNN, left out by LNN."""
    unseen: int
    """Dimensions in excess of what the neighbours can span: where not zero, the entropy has no meaning."""
    set_to_zero: bool = False
    """Whether the rule of rmi replaced the entropy by zero."""
    widened: int = 0
    """Points that LNN widened, because all of them were flat and none would have been left."""


@kernel
def neighbour_offsets(points, first, neighbours):
    """Return x_j - x_i (rows, m, d) for the `neighbours` j of the rows i from `first` on."""
    rows, m = neighbours.shape
    d = points.shape[1]
    offsets = np.empty((rows, m, d))
    for r in range(rows):
        for j in range(m):
            for f in range(d):
                offsets[r, j, f] = points[neighbours[r, j], f] - points[first + r, f]
    return offsets


@kernel
def centred_neighbourhoods(offsets):
    """Return the points at `offsets` (rows, k, d) after their origin, less their mean (rows, k + 1, d)."""
    rows, k, d = offsets.shape
    centred = np.empty((rows, k + 1, d))
    for r in range(rows):
        for f in range(d):
            mean = 0.0
            for j in range(k):
                mean += offsets[r, j, f]
            mean /= k + 1
            centred[r, 0, f] = -mean
            for j in range(k):
                centred[r, j + 1, f] = offsets[r, j, f] - mean
    return centred


@kernel
def gknn_log_volumes(offsets, axes, widths):
    """Log of ellipsoid volume in unit balls per neighbour inside, and states, by thin SVD. Lord et al."""
    rows, k, d = offsets.shape
    seen = min(k, d)  # k + 1 centred points span at most k directions
    log_volumes = np.zeros(rows)
    states = np.zeros(rows, np.int8)
    for r in range(rows):
        radius = 0.0  # to the k-th neighbour
        for f in range(d):
            radius += offsets[r, k - 1, f] ** 2
        radius = math.sqrt(radius)
        longest = widths[r, 0]
        if radius == 0.0 or longest == 0.0:
            states[r] = ZERO_DISTANCE
            continue
        floor = WIDTH_FLOOR * longest
        shape = 0.0
        for f in range(seen):
            if widths[r, f] < floor:
                states[r] = SINGULAR
            shape += math.log(max(widths[r, f], floor) / longest)
        # Directions that too few neighbours cannot show are taken to be as wide as the narrowest one seen.
        shape += (d - seen) * math.log(max(widths[r, seen - 1], floor) / longest)
        reach = (radius / longest) ** 2 * (1.0 + ON_BOUNDARY)
        inside = 0
        # Row j of `axes` times `widths` is point j in the ellipsoid's frame: in units of its radii, the
        # distance from point 0 is in `axes` alone, and nothing is divided by a small width.
        for j in range(1, k + 1):
            apart = 0.0
            for f in range(seen):
                share = min(widths[r, f] / floor, 1.0)  # less than one where the floor widened the axis
                apart += ((axes[r, j, f] - axes[r, 0, f]) * share) ** 2
            inside += apart <= reach
        log_volumes[r] = d * math.log(radius) + shape - math.log(max(inside, 1))
    return log_volumes, states


@kernel
def lnn_log_densities(offsets, k, max_norm, ridge):
    """Minus log likelihood, less log(n - 1), and states, `offsets` sorted; `max_norm` as rmi. Gao et al."""
    rows, m, d = offsets.shape
    values = np.zeros(rows)
    states = np.zeros(rows, np.int8)
    weights = np.empty(m)
    mean = np.empty(d)
    scatter = np.empty((d, d))
    solved = np.empty(d)
    for r in range(rows):
        bandwidth = 0.0
        for f in range(d):
            u = abs(offsets[r, k - 1, f])
            bandwidth = max(bandwidth, u) if max_norm else bandwidth + u * u
        if not max_norm:
            bandwidth = math.sqrt(bandwidth)
        if bandwidth == 0.0:
            states[r] = ZERO_DISTANCE
            continue
        total = 1.0  # the point itself, at offset zero
        for f in range(d):
            mean[f] = 0.0
        for j in range(m):
            square = 0.0
            for f in range(d):
                square += (offsets[r, j, f] / bandwidth) ** 2
            weights[j] = math.exp(-0.5 * square)
            if weights[j] == 0.0:  # then an offset over the bandwidth may be infinite
                continue
            total += weights[j]
            for f in range(d):
                mean[f] += weights[j] * offsets[r, j, f] / bandwidth
        for f in range(d):
            mean[f] /= total
        # Second pass about the mean: S2/S0 - S1 S1'/S0² would cancel where neighbours lie to one side.
        for f in range(d):
            for g in range(f + 1):
                scatter[f, g] = mean[f] * mean[g]
        for j in range(m):
            if weights[j] == 0.0:
                continue
            for f in range(d):
                solved[f] = offsets[r, j, f] / bandwidth - mean[f]
            for f in range(d):
                weighted = weights[j] * solved[f]
                for g in range(f + 1):
                    scatter[f, g] += weighted * solved[g]
        log_det = 0.0
        for f in range(d):  # Cholesky, in place
            for g in range(f + 1):
                value = scatter[f, g] / total + (ridge if f == g else 0.0)
                start = value
                for h in range(g):
                    value -= scatter[f, h] * scatter[g, h]
                if g < f:
                    scatter[f, g] = value / scatter[g, g]
                elif value <= PIVOT_FLOOR * start:
                    log_det = -np.inf
                    break
                else:
                    scatter[f, f] = math.sqrt(value)
                    log_det += math.log(value)
            if log_det == -np.inf:
                break
        if log_det < d * LOG_SCATTER_FLOOR:
            states[r] = SINGULAR
            continue
        quadratic = 0.0
        for f in range(d):
            value = mean[f]
            for h in range(f):
                value -= scatter[f, h] * solved[h]
            solved[f] = value / scatter[f, f]
            quadratic += solved[f] ** 2
        if max_norm:  # rmi keeps the first term only, of mean' (scatter^-1 mean)
            for f in range(d - 1, -1, -1):
                for h in range(f + 1, d):
                    solved[f] -= scatter[h, f] * solved[h]
                solved[f] /= scatter[f, f]
            quadratic = mean[0] * solved[0]
        values[r] = d * (0.5 * LOG_2PI + math.log(bandwidth)) + 0.5 * (log_det + quadratic) - math.log(total)
    return values, states


@kernel
def nearest_by_brute_force(columns, start, stop, m, max_norm):
    """Return (rows, m) the m nearest others, nearest first, of the rows start to stop of `columns` (d, n)."""
    d, n = columns.shape
    found = np.empty((stop - start, m), np.int64)
    away = np.empty(n)
    for i in range(start, stop):
        for j in range(n):
            away[j] = 0.0
        for f in range(d):
            values, centre = columns[f], columns[f, i]
            if max_norm:
                for j in range(n):
                    away[j] = max(away[j], abs(values[j] - centre))
            else:
                for j in range(n):
                    away[j] += (values[j] - centre) ** 2
        away[i] = np.inf
        radius = kth_smallest(away, m)
        inside = 0
        for j in range(n):
            inside += away[j] < radius
        nearer, tied = 0, inside  # rows at the radius itself come last, as many as there is room for
        row = found[i - start]
        for j in range(n):
            if away[j] < radius:
                at = nearer
                while at > 0 and away[row[at - 1]] > away[j]:
                    row[at] = row[at - 1]
                    at -= 1
                row[at] = j
                nearer += 1
            elif away[j] == radius and tied < m:
                row[tied] = j
                tied += 1
    return found


def _offsets(points, tree, start, stop, m, norm):
    """Offsets (rows, m, d) from rows start to stop to their `m` nearest other points, nearest first."""
    if tree is None:
        columns = np.ascontiguousarray(points.T)
        return neighbour_offsets(points, start, nearest_by_brute_force(columns, start, stop, m, norm != 2))
    _, found = tree.query(points[start:stop], m + 1, p=norm)
    itself = found == np.arange(start, stop)[:, None]
    # Among more than m copies of a point the tree may not list the point itself: any copy will do instead.
    itself[~itself.any(axis=1), -1] = True
    return neighbour_offsets(points, start, found[~itself].reshape(stop - start, m))


def _axes_and_widths(centred):
    """Left singular vectors and singular values of each of `centred` (rows, k + 1, d).

    From the eigenvectors of its d × d products, in half the time, where it is not narrow: squaring loses the digits of
    small widths, those of 1e-3 of the longest up to the tenth.
    """
    if centred.shape[2] >= centred.shape[1]:
        return np.linalg.svd(centred, full_matrices=False)[:2]
    squares, directions = np.linalg.eigh(centred.transpose(0, 2, 1) @ centred)
    widths = np.sqrt(np.maximum(squares[:, ::-1], 0.0))
    narrow = widths[:, -1] <= SAFE_WIDTH * widths[:, 0]
    axes = centred @ directions[:, :, ::-1] / np.where(narrow[:, None], 1.0, widths)[:, None, :]
    if narrow.any():
        axes[narrow], widths[narrow] = np.linalg.svd(centred[narrow], full_matrices=False)[:2]
    return axes, widths


def _gknn_rows(offsets):
    return gknn_log_volumes(offsets, *_axes_and_widths(centred_neighbourhoods(offsets)))


def _scaled(points):
    """Return (points / unit, log unit), unit a power of two: squares can neither overflow nor vanish."""
    points = np.ascontiguousarray(points, dtype=np.float64)  # one layout, compiled once
    exponent = int(np.frexp(np.max(np.abs(points)))[1])
    return np.ldexp(points, -exponent), exponent * math.log(2.0)


def _by_block(rows_task, points, m, norm, n_jobs, block):
    """Concatenate the (values, states) of `rows_task` over blocks of rows."""
    tree = cKDTree(points) if points.shape[1] <= TREE_COLUMNS else None

    def task(start, stop):
        return rows_task(_offsets(points, tree, start, stop, m, norm))

    parts = run(task, blocks(len(points), block), n_jobs=n_jobs, label="entropy", verbose=0)
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def gknn_local(
    points: np.ndarray, k: int, *, n_jobs: int | None = None, block: int = BLOCK
) -> tuple[np.ndarray, Status]:
    """Return local entropies (n,) of finite `points` (n, d) by gKNN, and what had to be worked around; k < n.

    A direction narrower than WIDTH_FLOOR times the longest axis is given that width; dimensions beyond k,
    which k neighbours cannot span, the narrowest width seen. Points that coincide with their k neighbours
    count as dense as the densest of the others.
    """
    n, d = points.shape
    scaled, log_unit = _scaled(points)
    log_volumes, states = _by_block(_gknn_rows, scaled, k, 2, n_jobs, block)
    coincide = states == ZERO_DISTANCE
    if coincide.all():
        raise ValueError(
            f"every sample coincides with its {k} nearest neighbours, so gKNN has no volume to measure; "
            "raise n_neighbors, or choose a method for discrete values."
        )
    log_volumes[coincide] = log_volumes[~coincide].min()
    local = log_volumes + (math.log(n) + _log_unit_ball(d) + d * log_unit)
    return local, Status(int(coincide.sum()), int((states == SINGULAR).sum()), max(d - k, 0))


def lnn_local(
    points: np.ndarray,
    k: int,
    *,
    span: int = LNN_SPAN,
    variant: str = "paper",
    n_jobs: int | None = None,
    block: int = BLOCK,
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
    scaled, log_unit = _scaled(points)

    def densities(ridge):
        return _by_block(
            lambda offsets: lnn_log_densities(offsets, k, rmi, ridge), scaled, m, np.inf if rmi else 2, n_jobs, block
        )

    values, states = densities(0.0)
    widened = 0
    if not rmi and not (states == REGULAR).any() and (states == SINGULAR).any():
        widened = int((states == SINGULAR).sum())
        values, states = densities(WIDENING)
    kept = states == REGULAR
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
    zero_distance = int((states == ZERO_DISTANCE).sum())
    left_out = int((states == SINGULAR).sum())
    return local, Status(zero_distance, left_out, max(d - m, 0), set_to_zero, widened)


def _log_unit_ball(d):
    return 0.5 * d * math.log(math.pi) - float(gammaln(1 + 0.5 * d))
