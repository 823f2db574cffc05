"""gKNN and LNN as their papers define them, sample by sample. Imports nothing of infold."""

import math

import numpy as np


def _by_distance(points, i, norm):
    """Rows sorted by distance from row i, itself first, and their distances."""
    distances = np.linalg.norm(points - points[i], ord=norm, axis=1)
    distances[i] = -1.0  # before its copies
    order = np.argsort(distances, kind="stable")
    return order, np.maximum(distances[order], 0.0)


def gknn_local(points, k, radii="lord", floor=1e-10):
    """Local entropies (n,). `radii="released"`: ellipsoids of radii σ, which may hold no neighbour at all."""
    n, d = points.shape
    log_ball = d / 2 * math.log(math.pi) - math.lgamma(1 + d / 2)
    local = np.full(n, np.nan)
    for i in range(n):
        order, distances = _by_distance(points, i, 2)
        radius = distances[k]
        if radius == 0:
            continue
        offsets = points[order[: k + 1]] - points[i]
        _, sigma, directions = np.linalg.svd(offsets - offsets.mean(axis=0), full_matrices=False)
        seen = min(k, d)
        sigma, directions = sigma[:seen], directions[:seen]
        if radii == "lord":
            sigma = np.maximum(sigma, floor * sigma[0])
        axes = sigma if radii == "released" else radius * sigma / sigma[0]
        inside = np.sum(np.sum((offsets[1:] @ directions.T / axes) ** 2, axis=1) <= 1 + 1e-9)
        shape = np.sum(np.log(sigma / sigma[0])) + (d - seen) * np.log(sigma[-1] / sigma[0])
        with np.errstate(divide="ignore"):
            log_inside = np.log(inside if radii == "released" else max(inside, 1))
        local[i] = np.log(n) + log_ball + d * np.log(radius) - log_inside + shape
    local[np.isnan(local)] = np.nanmin(local)
    return local


def lnn_local(points, k, rmi=False, span=30):
    """Local entropies (n,), nan where left out."""
    n, d = points.shape
    local = np.full(n, np.nan)
    for i in range(n):
        order, distances = _by_distance(points, i, np.inf if rmi else 2)
        b = distances[k]
        if b == 0:
            continue
        s0, s1, s2 = 0.0, np.zeros(d), np.zeros((d, d))
        for j in order[: span + 1]:
            u = (points[j] - points[i]) / b
            w = np.exp(-(u @ u) / 2)
            s0, s1, s2 = s0 + w, s1 + w * u, s2 + w * np.outer(u, u)
        scatter = s2 / s0 - np.outer(s1, s1) / s0**2
        sign, log_det = np.linalg.slogdet(scatter)
        if sign <= 0 or log_det < d * math.log(1e-4):
            continue
        mean = s1 / s0
        terms = mean * np.linalg.solve(scatter, mean)
        quadratic = terms[0] if rmi else terms.sum()
        local[i] = np.log((n - 1) / s0) + d / 2 * np.log(2 * np.pi) + d * np.log(b) + (log_det + quadratic) / 2
    return local


def mean_or_zero(local):
    """The entropy of rmi: 0 when no local value is positive."""
    kept = local[~np.isnan(local)]
    return kept.mean() if (kept > 0).any() else 0.0
