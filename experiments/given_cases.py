"""Conditional MI of cases with known truth: auto beside Frenzel and Pompe with several k, and ennemi where it can.

    python experiments/given_cases.py > experiments/results/given-cases.csv      needs ennemi
    python experiments/given_cases.py --table                                    print the tables of docs/given.md

Truths are exact, or one-dimensional integrals.
"""

import argparse
import csv
import math
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.stats import norm

import infold

RESULTS = Path(__file__).parent / "results" / "given-cases.csv"
NEIGHBORS = (3, 5, 7, 10)
METHODS = ("auto", *(f"k = {k}" for k in NEIGHBORS), "ennemi")
SHAPES = {"line": lambda z: z, "square": np.square, "sine": lambda z: np.sin(2 * z), "absolute": np.abs}


def pair(rng, n, rho):
    """Two normal columns with correlation rho."""
    e = rng.normal(size=n)
    return e, rho * e + math.sqrt(1 - rho**2) * rng.normal(size=n)


def normal_information(rho):
    """Their MI."""
    return -0.5 * math.log(1 - rho**2)


def cause(shape, columns, rho, noise=(0, 0, 0)):
    """X and Y are 2 g(Z) and noise with correlation rho; further columns of noise in X, Y and Z."""

    def draw(rng, n):
        z, (e, f) = rng.normal(size=(n, columns)), pair(rng, n, rho)
        common = 2 * SHAPES[shape](z).sum(axis=1) / math.sqrt(columns)
        tables = common + e, common + f, z
        return [np.column_stack((t, rng.normal(size=(n, more)))) for t, more in zip(tables, noise, strict=True)]

    return draw, normal_information(rho)


def chain(rng, n):
    """X → Z → Y, all normal."""
    x = rng.normal(size=n)
    z = x + 0.5 * rng.normal(size=n)
    return x, np.tanh(z) + 0.3 * rng.normal(size=n), z


def collider(rng, n):
    """X and Y are independent until their sum, with noise, is known."""
    x, y, noise = rng.normal(size=(3, n))
    return x, y, x + y + 0.5 * noise


def parabola(rng, n):
    """Y is the square of what Z does not tell of X."""
    z, u, noise = rng.normal(size=(3, n))
    return z + u, z + u**2 + 0.3 * noise, z


def parabola_information(s=0.3):
    """h(U² + sN) − h(sN), U and N standard normal."""

    def density(y):
        return quad(lambda u: 2 * norm.pdf(u) * norm.pdf(y - u * u, scale=s), 0, 6, points=[math.sqrt(max(y, 0))])[0]

    grid = np.linspace(-1.5, 25, 1500)
    p = np.array([density(y) for y in grid])
    entropy = -np.trapezoid(np.where(p > 0, p * np.log(np.maximum(p, 1e-300)), 0), grid)
    return float(entropy - 0.5 * math.log(2 * math.pi * math.e * s * s))


def sign(rng, n):
    """Y has the sign of X Z."""
    x, z, noise = rng.normal(size=(3, n))
    return x, np.sign(x * z) * np.abs(noise), z


def product(rng, n):
    """Y is X Z with noise."""
    x, z, noise = rng.normal(size=(3, n))
    return x, x * z + 0.5 * noise, z


def scale(rho):
    """Z is the size of both X and Y."""

    def draw(rng, n):
        z, (e, f) = rng.normal(size=n), pair(rng, n, rho)
        return np.exp(0.7 * z) * e, np.exp(0.7 * z) * f, z

    return draw, normal_information(rho)


def heavy(rho):
    """Z and the noise have heavy tails."""

    def draw(rng, n):
        z, (e, f) = rng.standard_t(2, n), pair(rng, n, rho)
        return z + e**3, z + f**3, z

    return draw, normal_information(rho)


def classes(rho):
    """Z is a class that shifts both."""

    def draw(rng, n):
        z, (e, f) = rng.integers(0, 4, n), pair(rng, n, rho)
        shift = np.array([0.0, 3.0, -1.0, 2.0])[z]
        return shift + e, shift**2 + f, np.array(list("abcd"))[z]

    return draw, normal_information(rho)


def two_and_two(rng, n):
    """Two columns on each side, correlated by .6 given two common causes."""
    z, pairs = rng.normal(size=(n, 2)), [pair(rng, n, 0.6) for _ in range(2)]
    x, y = (np.column_stack(side) for side in zip(*pairs, strict=True))
    return x + z, y + z**2, z


def uniform_on_class(rng, n):
    """Mesner and Shalizi's: Y ~ U[X, X + 2], Z independent counts."""
    x = rng.integers(0, 3, n)
    return x, x + 2 * rng.random(n), rng.binomial(8, 0.5, n)


def poisson_chain(rng, n):
    """Mesner and Shalizi's: Exp → Poisson → binomial, given the Poisson."""
    x = rng.exponential(10, n)
    z = rng.poisson(x)
    return x, rng.binomial(z, 0.5), z


def cases():
    """Name → (draw, truth)."""
    out = {f"{s}, {q} in Z": cause(s, q, 0.0) for s in SHAPES for q in (1, 3)}
    out |= {f"{s}, {q} in Z, ρ .6": cause(s, q, 0.6) for s in SHAPES for q in (1, 3)}
    out |= {
        "line, 5 in Z": cause("line", 5, 0.0),
        "square, 5 in Z, ρ .6": cause("square", 5, 0.6),
        "line, ρ .9": cause("line", 1, 0.9),
        "square, ρ .6, 5 noise in each": cause("square", 1, 0.6, (5, 5, 5)),
        "line, ρ .6, 20 noise in X": cause("line", 1, 0.6, (20, 0, 0)),
        "sine, 10 noise in Z": cause("sine", 1, 0.0, (0, 0, 10)),
        "chain": (chain, 0.0),
        "collider": (collider, 0.5 * math.log(1.5625 / 0.5625)),
        "parabola": (parabola, parabola_information()),
        "sign of a product": (sign, math.log(2)),
        "product": (product, quad(lambda z: 0.5 * math.log1p(4 * z * z) * norm.pdf(z), -8, 8)[0]),
        "scale": scale(0.0),
        "scale, ρ .6": scale(0.6),
        "heavy tails": heavy(0.0),
        "heavy tails, ρ .6": heavy(0.6),
        "classes": classes(0.0),
        "classes, ρ .6": classes(0.6),
        "2 + 2, ρ .6": (two_and_two, 2 * normal_information(0.6)),
        "X of 3, Y ~ U[X, X + 2]": (uniform_on_class, math.log(3) - 2 * math.log(2) / 3),
        "Poisson chain": (poisson_chain, 0.0),
    }
    return out


def answers(tables):
    """What each method says, and the processor seconds of auto."""
    x, y, z = tables
    started = time.process_time()
    out = {"auto": infold.conditional_mutual_information(x, y, z, random_state=0, n_jobs=1, verbose=0).mi}
    seconds = time.process_time() - started
    out |= {f"k = {k}": infold.KSG(k).fit(x, y, z).mi_ for k in NEIGHBORS}
    if np.ndim(x) == np.ndim(y) == 1 and np.asarray(z).dtype.kind in "if":
        import ennemi

        out["ennemi"] = float(ennemi.estimate_mi(y, x, cond=z, k=3)[0, 0])
    return out, seconds


def run():
    """Write a row for each data set."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["case", "n", "seed", "truth", *METHODS, "seconds"])
    for name, (draw, truth) in cases().items():
        for n, seed in ((500, 101), (500, 102), (1000, 103)):
            drawn = [np.asarray(table) for table in draw(np.random.default_rng([seed, n]), n)]
            tables = [t[:, 0] if t.ndim == 2 and t.shape[1] == 1 else t for t in drawn]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, seconds = answers(tables)
            cells = [f"{found[m]:.4f}" if m in found else "" for m in METHODS]
            writer.writerow([name, n, seed, f"{truth:.4f}", *cells, f"{seconds:.2f}"])
            sys.stdout.flush()


def table():
    """Print mean absolute errors, and each case."""
    with RESULTS.open() as file:
        rows = list(csv.DictReader(file))

    def error(some, method):
        gaps = [abs(float(r[method]) - float(r["truth"])) for r in some if r[method]]
        return np.mean(gaps) if gaps else math.nan

    print("| mean absolute error | cases | " + " | ".join(METHODS) + " |")
    print("|---|--:|" + "--:|" * len(METHODS))
    can = {r["case"] for r in rows if r["ennemi"]}
    for label, some in (
        ("n = 500", [r for r in rows if r["n"] == "500"]),
        ("n = 500, where ennemi can", [r for r in rows if r["n"] == "500" and r["case"] in can]),
        ("n = 1,000", [r for r in rows if r["n"] == "1000"]),
        ("n = 1,000, where ennemi can", [r for r in rows if r["n"] == "1000" and r["case"] in can]),
    ):
        count = len({r["case"] for r in some})
        cells = [f"{error(some, m):.3f}" if m != "ennemi" or "can" in label else "–" for m in METHODS]
        print(f"| {label} | {count} | {' | '.join(cells)} |")
    print("\n| case, n = 500 | truth | auto | k = 3 | k = 10 | ennemi | auto's error less that of the best k |")
    print("|---|" + "--:|" * 6)
    rows = [r for r in rows if r["n"] == "500"]
    best_k = min(METHODS[1:-1], key=lambda m: error(rows, m))
    for case in dict.fromkeys(r["case"] for r in rows):
        some = [r for r in rows if r["case"] == case]
        shown = ("auto", "k = 3", "k = 10", "ennemi")
        means = [np.mean([float(r[m]) for r in some]) if some[0][m] else math.nan for m in shown]
        cells = ["–" if math.isnan(v) else f"{v:.3f}" for v in means]
        gap = error(some, "auto") - error(some, best_k)
        print(f"| {case} | {float(some[0]['truth']):.3f} | {' | '.join(cells)} | {gap:+.3f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true")
    table() if parser.parse_args().table else run()
