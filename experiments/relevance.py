"""Auto's own p-values, which `relevance` uses, on independent columns of every kind: are they as rare as they say?

    python experiments/relevance.py                # 40 rounds of 150 pairs: ten minutes on one core

A round has one column of X and one or five of Y, with 100, 200 and 500 rows, for all pairs of five kinds: normal,
Student's t with 2 degrees of freedom, counts, coins, five classes. Prints how many p-values are at most .05, and at
most .05 / 20, which is where Holm's method starts with 20 columns; and the chance of any such among 20 of them.

    python experiments/relevance.py --only spread  # seconds

What the spread buys by which scores are standardised. 15 normal columns and 15 of another law, 199 permutations; one of
the normal ones is 3.5 standard deviations off. Prints how often it is found, and any other, of 1,000 tables.
"""

import argparse
import itertools
import warnings

import numpy as np

import infold
from infold.inference.multiple import max_t

KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t2": lambda rng, shape: rng.standard_t(2, size=shape),
    "counts": lambda rng, shape: rng.poisson(1.5, size=shape).astype(float),
    "coins": lambda rng, shape: (rng.random(shape) < 0.5).astype(float),
    "classes": lambda rng, shape: rng.integers(0, 5, size=shape).astype(float),
}
NOMINAL = ("coins", "classes")
SAMPLES, COLUMNS_OF_Y, FAMILY, LEVEL = (100, 200, 500), (1, 5), 20, 0.05


def pvalue(kind_x, kind_y, n, d_y, rng):
    """Return auto's p-value of one column and `d_y` independent ones."""
    X, Y = KINDS[kind_x](rng, (n, 1)), KINDS[kind_y](rng, (n, d_y))
    auto = infold.Adaptive(random_state=int(rng.integers(2**31)), n_jobs=1)
    return auto.fit(X, Y, discrete_x=kind_x in NOMINAL, discrete_y=kind_y in NOMINAL).pvalue_


def line(name, pvalues):
    """Print the shares of small p-values."""
    few, rare = (np.mean(pvalues <= bound) for bound in (LEVEL, LEVEL / FAMILY))
    any_of_20 = 1 - (1 - rare) ** FAMILY
    print(
        f"| {name} | {len(pvalues):,} | {100 * few:.1f} % | {100 * rare:.2f} % | {100 * any_of_20:.1f} % |", flush=True
    )


LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "chi-squared, 1 degree": lambda rng, shape: rng.chisquare(1, size=shape),
    "1 in 1 of 100 draws, else 0": lambda rng, shape: (rng.random(shape) < 0.01).astype(float),
}


def max_t_by_deviation(observed, null):
    """Return p-values of max-T if the spread is the standard deviation of all other draws."""
    draws = np.vstack((observed, null))
    others = len(draws) - 1
    means = (draws.sum(axis=0) - draws) / others
    variances = ((draws**2).sum(axis=0) - draws**2) / others - means**2
    t = (draws - means) / np.sqrt(np.maximum(variances, 1e-24))
    return (1 + (t[1:].max(axis=1)[:, None] >= t[0]).sum(axis=0)) / len(draws)


def compare_spreads(tables=1000):
    """Print how often a column that is off is found beside others."""
    print(
        "| other columns | found, upper spread | any other | found, standard deviation | any other |\n"
        "|---|--:|--:|--:|--:|"
    )
    for name, law in LAWS.items():
        rng, called = np.random.default_rng(0), []
        for _ in range(tables):
            draws = np.column_stack((rng.normal(size=(200, 15)), law(rng, (200, 15))))
            draws[0, 0] = 3.5
            for pvalues in (max_t(draws[0], draws[1:], LEVEL).pvalues, max_t_by_deviation(draws[0], draws[1:])):
                called.append((pvalues[0] <= LEVEL, (pvalues[1:] <= LEVEL).any()))
        shares = np.mean(np.reshape(called, (tables, 4)), axis=0)
        print(f"| {name} | " + " | ".join(f"{100 * share:.0f} %" for share in shares) + " |")


def main():
    """Draw all pairs, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("columns", "spread"), default="columns")
    parser.add_argument("--rounds", type=int, default=40)
    asked = parser.parse_args()
    if asked.only == "spread":
        compare_spreads()
        return
    warnings.simplefilter("ignore", infold.DataWarning)
    rng = np.random.default_rng(0)
    cells = list(itertools.product(SAMPLES, COLUMNS_OF_Y, KINDS, KINDS))
    found = [(n, d_y, x, y, pvalue(x, y, n, d_y, rng)) for _ in range(asked.rounds) for n, d_y, x, y in cells]
    samples, columns, kinds_x, kinds_y, pvalues = (np.array(part) for part in zip(*found, strict=True))
    print("| independent | p-values | p ≤ .05 | p ≤ .0025 | any of 20 |\n|---|--:|--:|--:|--:|")
    line("all", pvalues)
    for n in SAMPLES:
        line(f"n = {n}", pvalues[samples == n])
    for d_y in COLUMNS_OF_Y:
        line(f"1 + {d_y} columns", pvalues[columns == d_y])
    for kind in KINDS:
        line(f"X {kind}", pvalues[kinds_x == kind])
    for kind in KINDS:
        line(f"Y {kind}", pvalues[kinds_y == kind])


if __name__ == "__main__":
    main()
