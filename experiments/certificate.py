"""How often the certified bound is above the truth, how near it comes, and whether its standard error is right.

    python experiments/certificate.py [--seeds 25] [--samples 500,1000]

20 kinds of data whose MI is known. Writes experiments/results/certificate.csv; what is there already is not computed
again.
"""

import argparse
import csv
import math
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import digamma, gammaln, k0, logsumexp
from scipy.stats import nbinom, poisson
from sklearn.datasets import load_digits

from infold.core.certificate.bound import certified_bound

RESULTS = Path(__file__).parent / "results" / "certificate.csv"
FIELDS = ["kind", "samples", "seed", "truth", "bound", "mean", "error", "seconds"]
DRAWS = 50_000  # for a truth that is the mean of known log ratios: known to 0.01

Sample = tuple[np.ndarray, np.ndarray]
Kind = Callable[[int, np.random.Generator], Sample]


def turn(columns: int, seed: int) -> np.ndarray:
    """A rotation."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(columns, columns)))[0]


def gaussian(rho: float, pairs: int = 1, noise: int = 0) -> tuple[float, Kind]:
    """Pairs of normal columns with correlation rho; with noise columns, each side is turned."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x, e = rng.normal(size=(2, n, pairs))
        sides = x, rho * x + math.sqrt(1 - rho**2) * e
        if not noise:
            return sides
        wide = [np.hstack([side, rng.normal(size=(n, noise))]) for side in sides]
        return wide[0] @ turn(pairs + noise, 1), wide[1] @ turn(pairs + noise, 2)

    return -0.5 * pairs * math.log(1 - rho**2), sample


def uniform(width: float, pairs: int = 1) -> tuple[float, Kind]:
    """Y is X plus uniform noise."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x, e = rng.random((2, n, pairs))
        return x, x + width * e

    return pairs * (width / 2 - math.log(width)), sample


def clusters(count: int, p: int, q: int, apart: float, labelled: bool = False) -> tuple[float, Kind]:
    """Normal clusters around centres shared by X and Y; or X is the label."""
    rng = np.random.default_rng([count, p, q])
    centres_x, centres_y = apart * rng.normal(size=(count, p)), apart * rng.normal(size=(count, q))

    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        label = rng.integers(0, count, n)
        return label, centres_x[label] + rng.normal(size=(n, p)), centres_y[label] + rng.normal(size=(n, q))

    def sample(n: int, rng: np.random.Generator) -> Sample:
        label, x, y = draw(n, rng)
        return (label[:, None].astype(float) if labelled else x), y

    label, x, y = draw(DRAWS, rng)
    a, b = (-0.5 * ((z[:, None] - m[None]) ** 2).sum(axis=2) for z, m in ((x, centres_x), (y, centres_y)))
    if labelled:
        a = np.where(np.arange(count) == label[:, None], 0.0, -np.inf)
    log_ratios = logsumexp(a + b, axis=1) - logsumexp(a, axis=1) - logsumexp(b, axis=1) + math.log(count)
    return float(log_ratios.mean()), sample


def digits(classes: int) -> tuple[float, Kind]:
    """Two images of one class, from two pools that share none: they have the class in common, and no more."""
    images, labels = load_digits(return_X_y=True)
    pools = [
        [np.flatnonzero((labels == c) & (np.arange(len(labels)) % 2 == half)) for c in range(classes)]
        for half in (0, 1)
    ]

    def sample(n: int, rng: np.random.Generator) -> Sample:
        drawn = rng.integers(0, classes, n)
        x, y = (images[[rng.choice(pool[c]) for c in drawn]] for pool in pools)
        return x, y

    return math.log(classes), sample


def student(degrees: float, rho: float, columns: int) -> tuple[float, Kind]:
    """Student's t: columns of both sides share a scale."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x, e = rng.normal(size=(2, n, columns))
        scale = np.sqrt(degrees / rng.chisquare(degrees, (n, 1)))
        return x * scale, (rho * x + math.sqrt(1 - rho**2) * e) * scale

    def entropy(d: int) -> float:
        half = (degrees + d) / 2
        shape = gammaln(degrees / 2) - gammaln(half) + d / 2 * math.log(degrees * math.pi)
        return float(shape + half * (digamma(half) - digamma(degrees / 2)))

    return 2 * entropy(columns) - entropy(2 * columns) - 0.5 * columns * math.log(1 - rho**2), sample


def product() -> tuple[float, Kind]:
    """Y is X times normal noise."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x, e = rng.normal(size=(2, n, 1))
        return x, x * e

    x, e = np.random.default_rng(0).normal(size=(2, 10 * DRAWS))
    log_ratios = -0.5 * e**2 - np.log(np.abs(x)) - 0.5 * math.log(2 * math.pi) - np.log(k0(np.abs(x * e)) / math.pi)
    return float(log_ratios.mean()), sample


def curve(place: Callable[[np.ndarray], np.ndarray], noise: float) -> tuple[float, Kind]:
    """Y is a place on a curve plus normal noise, X the position t in (0, 1) along the curve."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        t = rng.random(n)
        at = place(t)
        return t[:, None], at + noise * rng.normal(size=at.shape)

    grid = place((np.arange(1000) + 0.5) / 1000)
    at = place((np.arange(DRAWS // 5) + 0.5) / (DRAWS // 5))
    y = at + noise * np.random.default_rng(0).normal(size=at.shape)
    distances = [((part[:, None] - grid[None]) ** 2).sum(axis=2) for part in np.array_split(y, 50)]
    densities = np.concatenate([logsumexp(-0.5 * d / noise**2, axis=1) for d in distances]) - math.log(len(grid))
    return float(-densities.mean() - 0.5 * grid.shape[1]), sample


def counts() -> tuple[float, Kind]:
    """Y is a Poisson count whose rate X is a gamma variable."""

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x = rng.gamma(2, 3, (n, 1))
        return x, rng.poisson(x).astype(float)

    x, y = sample(20 * DRAWS, np.random.default_rng(0))
    return float(np.mean(poisson.logpmf(y, x) - nbinom.logpmf(y, 2, 1 / 4))), sample


def codes(count: int, flipped: float) -> tuple[float, Kind]:
    """Y is X, a code, in another order of the codes; or any code, for a part of the rows."""
    order = np.random.default_rng(count).permutation(count)

    def sample(n: int, rng: np.random.Generator) -> Sample:
        x = rng.integers(0, count, n)
        y = np.where(rng.random(n) < flipped, rng.integers(0, count, n), order[x])
        return x[:, None].astype(float), y[:, None].astype(float)

    joint = np.full((count, count), flipped / count**2) + np.eye(count) * (1 - flipped) / count
    return float((joint * np.log(joint * count**2)).sum()), sample


def independent(draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], columns: int) -> tuple[float, Kind]:
    """Two tables that know nothing of each other."""
    return 0.0, lambda n, rng: (draw(rng, (n, columns)), draw(rng, (n, columns)))


KINDS: dict[str, Callable[[], tuple[float, Kind]]] = {
    "gaussian, ρ .5": lambda: gaussian(0.5),
    "gaussian, ρ .9": lambda: gaussian(0.9),
    "gaussian, 3 pairs ρ .8, turned in 10 + 10": lambda: gaussian(0.8, 3, 7),
    "uniform noise, width .1": lambda: uniform(0.1),
    "uniform noise, width .4, 2 + 2": lambda: uniform(0.4, 2),
    "3 clusters, 10 + 10": lambda: clusters(3, 10, 10, 3.0),
    "6 clusters that overlap, 4 + 8": lambda: clusters(6, 4, 8, 1.2),
    "10 clusters, 30 + 30": lambda: clusters(10, 30, 30, 2.0),
    "digits, 10 classes, 64 + 64": lambda: digits(10),
    "digits, 5 classes, 64 + 64": lambda: digits(5),
    "Student ν 2, ρ .5, 2 + 2": lambda: student(2, 0.5, 2),
    "Cauchy, ρ .8": lambda: student(1, 0.8, 1),
    "product with noise": product,
    "wave": lambda: curve(lambda t: np.sin(3 * np.pi * t)[:, None], 0.2),
    "circle, 1 + 2": lambda: curve(lambda t: np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]), 0.2),
    "Poisson counts": counts,
    "8 codes, a fifth at random": lambda: codes(8, 0.2),
    "5 classes and 6 columns": lambda: clusters(5, 1, 6, 1.0, labelled=True),
    "independent, normal": lambda: independent(lambda rng, shape: rng.normal(size=shape), 1),
    "independent, log-normal, 10 + 10": lambda: independent(lambda rng, shape: rng.lognormal(0, 2, shape), 10),
}


@cache
def made(kind: str) -> tuple[float, Kind]:
    """The truth and the samples of a kind."""
    return KINDS[kind]()


def main() -> None:
    """Compute what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=25)
    parser.add_argument("--samples", default="500,1000")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    rows = list(csv.DictReader(RESULTS.open())) if RESULTS.exists() else []
    known = {tuple(row[f] for f in FIELDS[:3]) for row in rows}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for seed in range(arguments.seeds):
            for samples in map(int, arguments.samples.split(",")):
                for number, kind in enumerate(KINDS):
                    if (kind, str(samples), str(seed)) in known:
                        continue
                    truth, sample = made(kind)
                    x, y = sample(samples, np.random.default_rng([number, samples, seed]))
                    start = time.perf_counter()
                    found = certified_bound(x, y, seed, n_jobs=arguments.jobs)
                    seconds = time.perf_counter() - start
                    numbers = [f"{value:.5f}" for value in (truth, found.low, found.mean, found.standard_error)]
                    writer.writerow(dict(zip(FIELDS, (kind, samples, seed, *numbers, f"{seconds:.2f}"), strict=True)))
                    file.flush()
    print(table())


def table() -> str:
    """Each kind's truth, mean bound, share, how often it was above, and spread over runs ÷ mean error, as markdown."""
    rows = list(csv.DictReader(RESULTS.open()))
    sizes = sorted({int(row["samples"]) for row in rows})
    lines = ["| kind | truth |" + "".join(f" n = {n}: bound | share | above | spread ÷ error |" for n in sizes)]
    lines.append("|---|---|" + "---|---|---|---|" * len(sizes))
    above = 0
    for kind in KINDS:
        cells = [kind]
        for n in sizes:
            mine = [row for row in rows if row["kind"] == kind and row["samples"] == str(n)]
            truth, bound, mean, error = (np.array([float(row[f]) for row in mine]) for f in FIELDS[3:7])
            if len(cells) == 1:
                cells.append(f"{truth[0]:.2f}")
            high = int(np.sum(bound > truth + 1e-9))
            above += high
            share = f"{bound.mean() / truth[0]:.0%}" if truth[0] else "–"
            spread = f"{mean.std(ddof=1) / error.mean():.2f}" if len(mine) > 1 and error.mean() else "–"
            cells += [f"{bound.mean():.2f}", share, f"{high} of {len(mine)}", spread]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"Above the truth: {above} of {len(rows)} data sets, {above / len(rows):.1%}."])


if __name__ == "__main__":
    main()
