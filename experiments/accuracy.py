"""How near the truth each method comes; fills the tables of docs/accuracy.md.

    python experiments/accuracy.py                    estimate, and write the tables into the page
    python experiments/accuracy.py --seeds 5          with five samples of each kind instead of two
    python experiments/accuracy.py --rows FILE        keep estimates in FILE as they come, and go on from there
    python experiments/accuracy.py --bench FOLDER     also the tasks of "Beyond Normal" that FOLDER has: their task_id
                                                      and mi_true in tasks.json, their samples in tasks.npz, as
                                                      <task_id>__n<n>_s<seed>__X and __Y

A table stands between `<!-- table NAME -->` and `<!-- end -->`; NAME is a group of samples below.
"""

import argparse
import csv
import json
import math
import re
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import digamma, gammaln

import infold
from infold.adaptive import Adaptive
from infold.core.copula import copula_columns, gaussian_part

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
N = 500
METHODS = ("auto", "gaussian", "ksg", "gksg")

Sample = tuple[np.ndarray, np.ndarray]
Maker = Callable[[np.random.Generator], Sample]


def student_excess(p: int, q: int, nu: float) -> float:
    """MI of a Student t beyond that of its scatter."""

    def part(d: int) -> float:
        half = (nu + d) / 2
        return float(gammaln(nu / 2) - gammaln(half) + half * (digamma(half) - digamma(nu / 2)))

    return part(p) + part(q) - part(p + q)


def pairs(rng: np.random.Generator, p: int, k: int, rho: float, nu: float = math.inf) -> Sample:
    """p + p normal (or Student) columns, of which k pairs are correlated."""
    x, e = rng.standard_normal((2, N, p))
    y = e.copy()
    y[:, :k] = rho * x[:, :k] + math.sqrt(1 - rho**2) * e[:, :k]
    scale = 1.0 if nu == math.inf else np.sqrt(rng.chisquare(nu, (N, 1)) / nu)
    return x / scale, y / scale


def pairs_mi(k: int, rho: float) -> float:
    """MI of k correlated pairs."""
    return -0.5 * k * math.log1p(-(rho**2))


def half_cube(rng: np.random.Generator) -> Sample:
    """Correlated pairs among noise columns, each column to the power 1.5."""
    return tuple(np.sign(z) * np.abs(z) ** 1.5 for z in pairs(rng, 8, 2, 0.8))  # type: ignore[return-value]


def asinh_student(rng: np.random.Generator) -> Sample:
    """Student columns without correlation, tails drawn in."""
    return tuple(np.arcsinh(z) for z in pairs(rng, 5, 0, 0.0, 2))  # type: ignore[return-value]


def shared_tails(rng: np.random.Generator) -> Sample:
    """Two columns a side share a random scale, eight are noise."""
    x, y = rng.standard_normal((2, N, 10))
    scale = np.sqrt(rng.chisquare(2, (N, 1)) / 2)
    x[:, :2] /= scale
    y[:, :2] /= scale
    return x, y


def spiral(rng: np.random.Generator) -> Sample:
    """Correlated pairs, then a rotation of two columns of either side by an angle that grows with the radius."""
    x, y = pairs(rng, 3, 2, 0.8)
    for z, i, j in ((x, 0, 1), (y, 1, 2)):
        angle = (z**2).sum(axis=1) / 3
        z[:, i], z[:, j] = (
            np.cos(angle) * z[:, i] - np.sin(angle) * z[:, j],
            np.sin(angle) * z[:, i] + np.cos(angle) * z[:, j],
        )
    return x, y


def xor(rng: np.random.Generator, noise: int) -> Sample:
    """The sign of a product of two columns, among noise columns: no pair of columns shows anything."""
    x, y = rng.standard_normal((N, 2 + noise)), rng.standard_normal((N, 1 + noise))
    y[:, 0] = np.abs(y[:, 0]) * np.sign(x[:, 0] * x[:, 1])
    return x, y


def additive(rng: np.random.Generator, width: float) -> Sample:
    """A uniform column, and the same with uniform noise."""
    x = rng.random((N, 1))
    return x, x + rng.uniform(-width, width, (N, 1))


def rotated(rng: np.random.Generator) -> Sample:
    """`additive` with 12 noise columns a side, all turned into one another."""
    x, y = additive(rng, 0.05)
    turn = np.linalg.qr(np.random.default_rng(8).standard_normal((13, 13)))[0]
    x, y = ((z - 0.5) * math.sqrt(12) for z in (x, y))
    return np.hstack([x, rng.standard_normal((N, 12))]) @ turn, np.hstack([y, rng.standard_normal((N, 12))]) @ turn.T


def arch(rng: np.random.Generator) -> Sample:
    """x² and noise, two noise columns beside x."""
    x = rng.standard_normal((N, 3))
    return x, x[:, :1] ** 2 + rng.standard_normal((N, 1))


def arch_mi() -> float:
    """Entropy of x² + e less that of e, by quadrature."""
    x, y = np.linspace(0, 7, 1401)[:, None], np.linspace(-7, 56, 6301)
    weight = np.exp(-(x**2) / 2) * np.where((x == 0) | (x == 7), 0.5, 1)
    density = (weight * np.exp(-((y - x**2) ** 2) / 2)).sum(axis=0)
    density /= density.sum() * (y[1] - y[0])
    return float(-(density * np.log(density + 1e-300)).sum() * (y[1] - y[0]) - 0.5 * math.log(2 * math.pi * math.e))


SHAPES: dict[str, tuple[Maker, float]] = {
    "normal, 30 + 30 columns, 20 weak pairs": (partial(pairs, p=30, k=20, rho=0.2), pairs_mi(20, 0.2)),
    "normal to the power 1.5, 2 pairs in 8 + 8": (half_cube, pairs_mi(2, 0.8)),
    "Student t, 2 + 2 columns, 2 degrees": (partial(pairs, p=2, k=0, rho=0.0, nu=2), student_excess(2, 2, 2)),
    "Student t, asinh, 5 + 5 columns, 2 degrees": (asinh_student, student_excess(5, 5, 2)),
    "Student t, 5 pairs, 2 degrees": (
        partial(pairs, p=5, k=5, rho=0.6, nu=2),
        pairs_mi(5, 0.6) + student_excess(5, 5, 2),
    ),
    "shared tails of 2 + 2 columns in 10 + 10": (shared_tails, student_excess(2, 2, 2)),
    "spiral, 2 pairs in 3 + 3": (spiral, pairs_mi(2, 0.8)),
    "uniform plus noise of width 0.2": (partial(additive, width=0.1), 0.1 - math.log(0.2)),
    "uniform plus noise of width 1.2": (partial(additive, width=0.6), 1 / 2.4),
    "uniform plus noise of width 0.1, turned into 13 + 13": (rotated, 0.05 - math.log(0.1)),
    "sign of a product, 2 + 1 columns": (partial(xor, noise=0), math.log(2)),
    "sign of a product, 8 + 7 columns": (partial(xor, noise=6), math.log(2)),
    "x² plus noise, 3 + 1 columns": (arch, arch_mi()),
}
NOISE = [("normal", 0, 1.0), ("normal", 20, 1.0), ("normal", 100, 1.0)]
NOISE += [("uniform", 20, 1.0), ("student", 20, 1.0), ("normal", 20, 100.0)]

Case = tuple[str, str, float, Sample]  # group, name, truth, sample


def cases(seed: int) -> Iterator[Case]:
    """Everything that ships with infold, one sample of each."""
    for name in ("uniform", "gaussian", "helix", "sphere"):
        for kind, count, scale in NOISE:
            maker = getattr(infold.datasets, f"make_{name}")
            data = maker(N, count, noise=kind, noise_scale=scale, random_state=seed)
            label = f"{name}, {count} {kind}{' × 100' if scale > 1 else ''}" if count else f"{name}, no noise"
            yield "noise", label, data.best_mi, (data.X, data.Y)
    for number, (name, (make, truth)) in enumerate(SHAPES.items()):
        yield "shapes", name, truth, make(np.random.default_rng([seed, number]))
    for like in ("gaussian", "uniform", "helix", "sphere"):
        for count in (0, 20, 100):
            data = infold.datasets.make_independent(N, count, like=like, random_state=seed)
            yield "independent", f"{like}, {count} noise columns", 0.0, (data.X, data.Y)


def bench_cases(folder: Path, seed: int) -> Iterator[Case]:
    """Tasks of "Beyond Normal" with N rows, where FOLDER has this seed."""
    arrays = np.load(folder / "tasks.npz")
    for task in json.loads((folder / "tasks.json").read_text()):
        key = f"{task['task_id']}__n{N}_s{seed}__"
        if key + "X" in arrays:
            yield "bench", task["task_id"], task["mi_true"], (arrays[key + "X"], arrays[key + "Y"])


def gaussian(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    """The linear part of "auto" on all columns: bias-corrected canonical correlations of normal scores."""
    rng = np.random.default_rng(seed)
    (a, _), (b, _) = copula_columns(x, rng), copula_columns(y, rng)
    return gaussian_part(a, b).mi


ESTIMATE = {
    "auto": lambda x, y, seed: Adaptive(random_state=seed).fit(x, y).mi_,
    "gaussian": gaussian,
    "ksg": lambda x, y, seed: infold.KSG().fit(x, y).mi_,
    "gksg": lambda x, y, seed: infold.GeodesicKSG(random_state=seed).fit(x, y).mi_,
}

Rows = dict[tuple[str, str, float, int, str], float]  # group, name, truth, seed, method → estimate


def known(path: Path | None) -> Rows:
    """Estimates that an earlier run kept."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(g, c, float(t), int(s), m): float(v) for g, c, t, s, m, v in csv.reader(file)}


def estimate_all(seeds: int, bench: Path | None, path: Path | None, seconds: float) -> Rows:
    """Every method on every sample, seed after seed; after so many seconds no new sample is begun."""
    rows, begun = known(path), time.monotonic()
    for seed in range(seeds):
        for group, name, truth, (x, y) in [*cases(seed), *(bench_cases(bench, seed) if bench else ())]:
            if time.monotonic() - begun > seconds:
                return rows
            for method in METHODS:
                key = (group, name, round(truth, 6), seed, method)
                if key in rows:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", infold.DataWarning)
                    rows[key] = ESTIMATE[method](np.asarray(x, float), np.asarray(y, float), seed)
                if path is not None:
                    with path.open("a", newline="") as file:
                        csv.writer(file, lineterminator="\n").writerow([*key, f"{rows[key]:.6f}"])
    return rows


def number(value: float) -> str:
    """Two digits, a true minus."""
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def table(rows: Rows, group: str) -> str:
    """Mean estimates of a group, in bold the nearest to the truth, and mean absolute errors below."""
    cells: dict[tuple[str, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (of, name, truth, _, method), value in rows.items():
        if of == group:
            cells[name, truth][method].append(value)
    errors = defaultdict(list)
    lines = ["| data | samples | truth | auto | Gaussian part | KSG | G-KSG |", "|---|--:|--:|--:|--:|--:|--:|"]
    for (name, truth), values in cells.items():
        near = {method: np.mean(np.abs(np.array(values[method]) - truth)) for method in METHODS}
        texts = [number(np.mean(values[method])) for method in METHODS]
        if truth:
            texts = [f"**{t}**" if near[m] == min(near.values()) else t for t, m in zip(texts, METHODS, strict=True)]
        lines.append(f"| {name} | {len(values['auto'])} | {number(truth)} | {' | '.join(texts)} |")
        for method in METHODS:
            errors[method].append(near[method])
    means, worst = ([f"{f(errors[m]):.3f}" for m in METHODS] for f in (np.mean, np.max))
    lines.append(f"| *mean absolute error* | | | {' | '.join(means)} |")
    lines.append(f"| *largest error of a row* | | | {' | '.join(worst)} |")
    return "\n".join(lines)


def main() -> None:
    """Estimate, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--bench", type=Path)
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no new sample after so long")
    chosen = parser.parse_args()
    rows = estimate_all(chosen.seeds, chosen.bench, chosen.rows, chosen.seconds)
    page = PAGE.read_text()
    for group in {key[0] for key in rows}:
        pattern = rf"(<!-- table {group} -->\n).*?(<!-- end -->)"
        filled = table(rows, group)
        page = re.sub(
            pattern, lambda found, filled=filled: f"{found[1]}\n{filled}\n\n{found[2]}", page, flags=re.DOTALL
        )
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
