"""How often the test given Z rejects where Z explains everything, and where it does not.

    python experiments/given_level.py --n 200 500 --sets 100     print a table as Markdown

X and Y are 2 g(Z) and normal noise, g being the sum over the columns of Z, of variance 1. The noise of X and Y is
independent (level), or correlated by .3 (power). "heavy tails": Z is Student's t with two degrees, the noise cubed;
"classes": Z has one column of three classes and one of numbers.
"""

import argparse
import math
import warnings

import numpy as np

import infold

SHAPES = {
    "line": lambda z: z,
    "square": lambda z: (z**2 - 1) / math.sqrt(2),
    "sine": lambda z: math.sqrt(2) * np.sin(2 * z),
    "absolute value": lambda z: (np.abs(z) - 0.798) / 0.603,
}


def draw(case: str, columns: int, n: int, rho: float, rng: np.random.Generator) -> tuple:
    """One data set."""
    z = rng.standard_t(2, (n, columns)) if case == "heavy tails" else rng.standard_normal((n, columns))
    e = rng.standard_normal(n)
    f = rho * e + math.sqrt(1 - rho**2) * rng.standard_normal(n)
    if case == "heavy tails":
        common = z.sum(axis=1)
        return common + e**3, common + f**3, z
    if case == "classes":
        label = rng.integers(0, 3, n)
        common = 2 * (label - 1) * np.abs(z[:, 0])
        return common + e, common + f, np.column_stack([label, z])
    common = 2 * SHAPES[case](z).sum(axis=1) / math.sqrt(columns)
    return common + e, common + f, z


def rejected(case: str, columns: int, n: int, rho: float, sets: int) -> tuple[float, float]:
    """The share of data sets with p ≤ .05, and of those with a note that Z is not gone."""
    found = []
    for seed in range(sets):
        x, y, z = draw(case, columns, n, rho, np.random.default_rng([seed, columns, n]))
        options = {"discrete_z": [0]} if case == "classes" else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test = infold.independence_test(x, y, z, n_permutations=99, random_state=seed, verbose=0, **options)
        found.append((test.pvalue <= 0.05, any("still tells" in note for note in test.notes)))
    level, noted = np.mean(found, axis=0)
    return float(level), float(noted)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[200, 500])
    parser.add_argument("--sets", type=int, default=100)
    chosen = parser.parse_args()
    print(f"| cause | columns of Z | n | rejected | with a note | rejected, ρ .3 |\n|---|{'--:|' * 5}")
    for n in chosen.n:
        cells = [(case, columns) for case in SHAPES for columns in (1, 3, 8)] + [("heavy tails", 1), ("classes", 1)]
        for case, columns in cells:
            level, noted = rejected(case, columns, n, 0.0, chosen.sets)
            power, _ = rejected(case, columns, n, 0.3, max(chosen.sets // 4, 10))
            print(f"| {case} | {columns} | {n} | {level:.2f} | {noted:.2f} | {power:.2f} |", flush=True)


if __name__ == "__main__":
    main()
