"""KSG on mixtures, counts, ties and classes with known information, beside scikit-learn and published means.

    python experiments/mixed.py > experiments/results/mixed.md

Means over samples with seeds 0, 1, …; truths are exact, or sums and integrals of the densities.
"""

import math
import warnings

import numpy as np
from scipy.stats import norm
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from infold.core.knn.information import CONDITIONAL
from infold.core.knn.ksg import local_ksg


def gaussian(rng, n, rho):
    """Return two normal columns with correlation rho."""
    x, y = rng.normal(size=(2, n))
    return x, rho * x + math.sqrt(1 - rho**2) * y


def uniform_steps(m):
    """X in 0 … m − 1, Y uniform on [X, X + 2]."""

    def draw(rng, n):
        x = rng.integers(0, m, n).astype(float)
        return x, x + 2 * rng.random(n)

    return draw


def half_gaussian(rng, n):
    """Half of the rows normal, half a binary symmetric pair far away."""
    x, y = gaussian(rng, n, 0.9)
    bit = rng.integers(0, 2, n)
    other = np.where(rng.random(n) < 0.9, bit, 1 - bit)
    first = rng.random(n) < 0.5
    return np.where(first, x, 10 + bit), np.where(first, y, 10 + other)


def two_classes(distance):
    """Unit Gaussians at a distance, and their class."""

    def draw(rng, n):
        label = rng.integers(0, 2, n).astype(float)
        return rng.normal(size=n) + distance * label, label

    return draw


def shifted_uniform(rng, n):
    """X uniform on [Y, Y + 1], Y of 0, .7, .7 at random."""
    y = rng.choice([0.0, 0.7, 0.7], n)
    return y + rng.random(n), y


def chosen_uniform(p):
    """Uniform on (0, 2) with probability p, else on (−1, 1), and which it was."""

    def draw(rng, n):
        label = (rng.random(n) < p).astype(float)
        return 2 * rng.random(n) - 1 + label, label

    return draw


def zero_inflated(p):
    """X ~ Exp(1), Y Poisson with mean X, or 0 with probability p."""

    def draw(rng, n):
        x = rng.exponential(size=n)
        return x, np.where(rng.random(n) < p, 0, rng.poisson(x)).astype(float)

    return draw


def lattice(rho, step):
    """Two normal columns, rounded."""

    def draw(rng, n):
        x, y = gaussian(rng, n, rho)
        return np.round(x / step) * step, np.round(y / step) * step

    return draw


def lattice_truth(rho, step):
    """Sum over all cells of the lattice."""
    centres = np.arange(-8, 8 + step / 2, step)
    edges = np.append(centres - step / 2, centres[-1] + step / 2)
    nodes, weights = np.polynomial.legendre.leggauss(15)
    table = np.zeros((centres.size, centres.size))
    for node, weight in zip(nodes, weights, strict=True):
        at = centres + node * step / 2
        steps = np.diff(norm.cdf((edges - rho * at[:, None]) / math.sqrt(1 - rho**2)), axis=1)
        table += (weight * step / 2 * norm.pdf(at))[:, None] * steps
    return table_information(table / table.sum())


def table_information(table):
    """MI of a joint table of probabilities."""
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    seen = table > 0
    return float(np.sum(table[seen] * np.log(table[seen] / independent[seen])))


def coin_and(draw):
    """Return a coin, and something that has nothing to do with it."""
    return lambda rng, n: (rng.integers(0, 2, n).astype(float), draw(rng, n))


# name: (draw, truth, rows, k, what a peer's tests ask for, nominal sides)
CASES = {
    "X ~ U{0, 1, 2}, Y ~ U[X, X + 2]": (uniform_steps(3), 0.6365, 7000, 5, 0.05, ""),
    "X ~ U{0 … 9}, Y ~ U[X, X + 2]": (uniform_steps(10), math.log(10) - 0.9 * math.log(2), 7000, 5, 0.05, ""),
    "half normal .9, half binary pair": (half_gaussian, 1.29236, 1000, 5, None, ""),
    "class, unit Gaussians 2 apart": (two_classes(2), 0.3368, 10_000, 4, 0.05, "y"),
    "class, unit Gaussians 8 apart": (two_classes(8), 0.6931, 10_000, 4, 0.05, "y"),
    "X ~ U[Y, Y + 1], Y of 0, .7, .7": (shifted_uniform, 0.44556, 2000, 3, 0.05, ""),
    "… Y nominal": (shifted_uniform, 0.44556, 2000, 3, 0.05, "y"),
    "U(−1, 1) or, p = .3, U(0, 2)": (chosen_uniform(0.3), 0.3054, 1000, 3, 0.05, "y"),
    "U(−1, 1) or, p = .5, U(0, 2)": (chosen_uniform(0.5), 0.3466, 1000, 3, 0.05, "y"),
    "Poisson(Exp(1))": (zero_inflated(0), 0.3012, 2000, 5, None, ""),
    "… 15 % zeros more": (zero_inflated(0.15), 0.2298, 2000, 5, None, ""),
    "… 70 % zeros more": (zero_inflated(0.7), 0.0658, 2000, 5, None, ""),
    "normal .6 rounded to .1": (lattice(0.6, 0.1), lattice_truth(0.6, 0.1), 442, 3, None, ""),
    "normal .6 rounded to .5": (lattice(0.6, 0.5), lattice_truth(0.6, 0.5), 442, 3, None, ""),
    "normal .6 rounded to 1": (lattice(0.6, 1.0), lattice_truth(0.6, 1.0), 442, 3, None, ""),
    "independent, rounded to .1": (lattice(0.0, 0.1), 0.0, 442, 3, None, ""),
    "coin, normal": (coin_and(lambda r, n: r.normal(size=n)), 0.0, 442, 3, 0.03, ""),
    "coin, whole numbers to 500": (coin_and(lambda r, n: np.rint(r.gamma(4, 40, n))), 0.0, 442, 3, 0.03, ""),
    "coin, lognormal": (coin_and(lambda r, n: r.lognormal(size=n)), 0.0, 442, 3, 0.03, ""),
    "coin, Poisson(3)": (coin_and(lambda r, n: r.poisson(3, n).astype(float)), 0.0, 442, 3, 0.03, ""),
    "nominal coin, whole numbers": (coin_and(lambda r, n: np.rint(r.gamma(4, 40, n))), 0.0, 442, 3, 0.03, "x"),
}


def ksg(x, y, k, nominal):
    """Return KSG as users get it."""
    mask = np.array(["x" in nominal, "y" in nominal])
    columns = np.array([x, y])
    return local_ksg(columns, (1, 1), k, nominal=mask, discrete_bias="miller-madow", standardize=True).mean()


def scikit_learn(x, y, k, nominal):
    """Return what scikit-learn says, told which side has few values; it never says less than 0."""
    few_x, few_y = (len(np.unique(z)) <= 20 for z in (x, y))
    if few_y:
        return mutual_info_classif(
            x[:, None], np.unique(y, return_inverse=True)[1], discrete_features=few_x, n_neighbors=k, random_state=0
        )[0]
    if few_x:
        return mutual_info_classif(
            y[:, None], np.unique(x, return_inverse=True)[1], discrete_features=False, n_neighbors=k, random_state=0
        )[0]
    return mutual_info_regression(x[:, None], y, n_neighbors=k, random_state=0)[0]


def pairs(runs):
    """Print the table of pairs."""
    print("| case | n | k | truth | infold's KSG | scikit-learn | a peer's bar |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, (draw, truth, n, k, bar, nominal) in CASES.items():
        found = {ksg: [], scikit_learn: []}
        for seed in range(runs if n < 5000 else max(3, runs // 5)):
            x, y = draw(np.random.default_rng(seed), n)
            for estimate, values in found.items():
                values.append(estimate(x, y, k, nominal))
        cells = [f"{np.mean(values):.3f} ± {np.std(values):.3f}" for values in found.values()]
        print(f"| {name} | {n} | {k} | {truth:.4f} | {' | '.join(cells)} | {'' if bar is None else f'± {bar}'} |")


def conditional_gaussian(rng, n):
    """Normal .8, Z independent."""
    return *gaussian(rng, n, 0.8), rng.normal(size=n)


def conditional_discrete(rng, n):
    """.4 / .4 / .1 / .1, Z independent."""
    cell = rng.choice(4, n, p=[0.4, 0.1, 0.1, 0.4])
    return cell // 2, cell % 2, rng.binomial(3, 0.5, n)


def conditional_mixture(rng, n):
    """X ~ U{0, 1, 2}, Y ~ U[X, X + 2], Z ~ Bin(8, .5)."""
    x = rng.integers(0, 3, n)
    return x, x + 2 * rng.random(n), rng.binomial(8, 0.5, n)


def chain(rng, n):
    """Exp(10) → Poisson → Binomial, given the Poisson."""
    x = rng.exponential(10, n)
    z = rng.poisson(x)
    return x, rng.binomial(z, 0.5), z


MESNER_SHALIZI = {
    "normal .8, Z independent": (conditional_gaussian, 0.5108, (0.423, 0.507, 0.532)),
    "discrete .4/.4/.1/.1, Z independent": (conditional_discrete, 0.1927, (0.245, 0.188, 0.189)),
    "X ~ U{0, 1, 2}, Y ~ U[X, X + 2], Z ~ Bin(8, .5)": (conditional_mixture, 0.6365, (0.312, 0.539, 0.607)),
    "Exp(10) → Poisson → Binomial, given the Poisson": (chain, 0.0, (0.010, 0.010, 0.013)),
}


def triples(runs):
    """Print the table of Mesner and Shalizi (2020), k = 7."""
    print("| I(X; Y given Z), k = 7 | n | truth | infold's KSG | Mesner & Shalizi |")
    print("|---|--:|--:|--:|--:|")
    for name, (draw, truth, published) in MESNER_SHALIZI.items():
        for n, theirs in zip((100, 300, 1000), published, strict=True):
            values = []
            for seed in range(runs):
                columns = np.array(draw(np.random.default_rng(seed), n), float)
                local = local_ksg(
                    columns, (1, 1, 1), 7, spaces=CONDITIONAL, discrete_bias="miller-madow", standardize=True
                )
                values.append(local.mean())
            print(f"| {name} | {n} | {truth:.4f} | {np.mean(values):.3f} ± {np.std(values):.3f} | {theirs:.3f} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    pairs(20)
    print()
    triples(100)
