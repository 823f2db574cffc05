"""gKNN: local entropies from the volumes of ellipsoids around neighbours, in logs (Lord, Sun & Bollt 2018)."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from .neighbors import Status, over_neighbourhoods, unit_sized

# A neighbourhood narrower in one direction than this share of its longest axis counts as flat: rounding of
# data that are large beside it leaves widths near 1e-13, and no sample tells a real 1e-10 from that.
WIDTH_FLOOR = 1e-10
# A neighbourhood with no axis narrower than this share of its longest bears being squared.
SAFE_WIDTH = 1e-3
# The k-th neighbour may lie exactly on the ellipsoid (in one dimension it always does): count it.
ON_BOUNDARY = 1e-9


def axes_and_widths(centred: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return left singular vectors and singular values of each of `centred` (rows, k + 1, d).

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


def log_volumes(offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return log volumes of ellipsoids, in unit balls per neighbour inside; which points coincide; which are flat."""
    k, d = offsets.shape[1] - 1, offsets.shape[2]
    seen = min(k, d)  # k + 1 centred points span at most k directions
    axes, widths = (a[..., :seen] for a in axes_and_widths(offsets - offsets.mean(axis=1, keepdims=True)))
    radii, longest = np.sqrt((offsets[:, -1] ** 2).sum(axis=1)), widths[:, 0].copy()
    coincide = (radii == 0) | (longest == 0)
    radii[coincide] = longest[coincide] = 1.0
    shape = widths / longest[:, None]
    flat = (shape < WIDTH_FLOOR).any(axis=1) & ~coincide
    logs = np.log(np.maximum(shape, WIDTH_FLOOR))
    # Directions that too few neighbours cannot show are taken to be as wide as the narrowest one seen.
    log_shape = logs.sum(axis=1) + (d - seen) * logs[:, -1]
    # Row j of `axes` times `widths` is point j in the ellipsoid's frame: in units of its radii, the distance from
    # point 0 is in `axes` alone, and nothing is divided by a small width.
    share = np.minimum(shape / WIDTH_FLOOR, 1.0)  # less than one where the floor widened the axis
    apart = (((axes[:, 1:] - axes[:, :1]) * share[:, None]) ** 2).sum(axis=2)
    inside = (apart <= ((radii / longest) ** 2 * (1 + ON_BOUNDARY))[:, None]).sum(axis=1)
    return d * np.log(radii) + log_shape - np.log(np.maximum(inside, 1)), coincide, flat


def gknn_local(points: np.ndarray, k: int, *, n_jobs: int | None = None) -> tuple[np.ndarray, Status]:
    """Return local entropies (n,) of finite `points` (n, d) by gKNN, and what had to be worked around; k < n.

    A direction narrower than WIDTH_FLOOR times the longest axis is given that width; dimensions beyond k,
    which k neighbours cannot span, the narrowest width seen. Points that coincide with their k neighbours
    count as dense as the densest of the others.
    """
    n, d = points.shape
    scaled, log_unit = unit_sized(points)
    volumes, coincide, flat = over_neighbourhoods(log_volumes, scaled, k, n_jobs=n_jobs)
    if coincide.all():
        raise ValueError(
            f"every sample coincides with its {k} nearest neighbours, so gKNN has no volume to measure; "
            "raise n_neighbors, or choose a method for discrete values."
        )
    volumes[coincide] = volumes[~coincide].min()
    log_unit_ball = 0.5 * d * math.log(math.pi) - float(gammaln(1 + 0.5 * d))
    local = volumes + (math.log(n) + log_unit_ball + d * log_unit)
    return local, Status(int(coincide.sum()), int(flat.sum()), max(d - k, 0))
