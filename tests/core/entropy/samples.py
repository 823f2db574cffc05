"""Points with known trouble, and data sets with other implementations' answers."""

from pathlib import Path

import numpy as np

# Seven of the data sets that the paper's authors' code was run on, with its answers (gKNN) and those of the R
# package rmi (LNN_rmi): 6 decimals.
RELEASED = np.load(Path(__file__).parents[2] / "data" / "entropy_released.npz")


def released(method):
    """Rows (data set, method, k, estimate)."""
    return [tuple(row) for row in RELEASED["rows"].tolist() if row[1] == method]


def spaces(key):
    x, y = RELEASED[key + "__X"], RELEASED[key + "__Y"]
    return x, y, np.hstack([x, y])


def from_entropies(h):
    return h[0] + h[1] - h[2]


def correlated(rng, n, d, rho=0.9):
    """Gaussian pairs of d columns each, of which only the first two are dependent."""
    x, y = rng.normal(size=(2, n, d))
    y[:, 0] = rho * x[:, 0] + np.sqrt(1 - rho**2) * y[:, 0]
    return x, y, np.hstack([x, y])


def awkward(name, rng):
    points = rng.normal(size=(120, 3))
    if name == "partly flat":
        points[:60, 2] = 0.0
        return points + np.where(np.arange(120) < 60, 10.0, 0.0)[:, None]
    made = {
        "normal": lambda: points,
        "one column": lambda: points[:, :1],
        "curved": lambda: np.column_stack([points[:, 0], points[:, 0] ** 2 + 1e-3 * points[:, 1]]),
        "offset": lambda: points + 1e6,
        "units": lambda: points * [1e-3, 1.0, 1e3],
        "copies": lambda: np.vstack([points, np.repeat(points[:3], 9, axis=0)]),  # more than k copies of three rows
        "copied column": lambda: np.column_stack([points, points[:, 0]]),
        "constant column": lambda: np.column_stack([points, np.ones(120)]),
        "wide": lambda: rng.normal(size=(60, 25)),
        "very wide": lambda: rng.normal(size=(40, 600)),
        "few rows": lambda: points[:8],
    }
    return made[name]()


AWKWARD = ["normal", "one column", "curved", "offset", "units", "copies", "copied column", "constant column"]
AWKWARD += ["partly flat", "wide", "very wide", "few rows"]

HEAVY = {  # rows, columns → points whose largest values dwarf the others
    "Cauchy": lambda rng, n, d: rng.standard_cauchy((n, d)),
    "ratio of normals": lambda rng, n, d: rng.normal(size=(n, d)) / rng.normal(size=(n, d)) ** 2,
    "log-normal": lambda rng, n, d: rng.lognormal(sigma=3, size=(n, d)),
    "Pareto": lambda rng, n, d: rng.pareto(0.3, size=(n, d)),
    "one huge value": lambda rng, n, d: np.vstack([rng.normal(size=(n - 1, d)), np.full(d, 1e12)]),
    "sorted": lambda rng, n, d: np.sort(rng.normal(size=(n, d)), axis=0),
    "ties": lambda rng, n, d: np.round(3 * rng.normal(size=(n, d))),
}
