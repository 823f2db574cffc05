"""Given Z: peers' known answers, and what columns of noise in X, Y and Z cost KSG and G-KSG.

    python experiments/given.py > experiments/results/given.md      or --only known, lorenz, mesner or noise

Means and deviations over samples with seeds 0, 1, …; truths are exact.
"""

import argparse
import math
import warnings

import numpy as np

import infold


def normal(rng, n, rho, *, z=0.0):
    """Return X and Y with correlation rho, and Z with correlation z to both."""
    covariance = [[1, rho, z], [rho, 1, z], [z, z, 1]]
    return rng.multivariate_normal(np.zeros(3), covariance, n).T


def independent_z(rho):
    """Return a draw of X and Y with correlation rho, and Z uniform."""
    return lambda rng, n: (*normal(rng, n, rho)[:2], rng.random(n))


def three_confounders(rng, n):
    """Return X and Y with correlation .3 before three confounders come in."""
    x, y, _ = normal(rng, n, 0.3)
    z = rng.normal(size=(n, 3))
    return x + 0.5 * z.sum(axis=1), y + 0.7 * z.sum(axis=1), z


def four_and_nine(rng, n):
    """Return ennemi's three normal columns."""
    return rng.multivariate_normal(np.zeros(3), [[1, 1, 1], [1, 4, 1], [1, 1, 9]], n).T


def normal_information(rho):
    """Return the MI of two normal columns."""
    return -0.5 * math.log(1 - rho**2)


# name: (draw, truth, rows, k, peer and its bar)
KNOWN = {
    "covariance 1, 1, 1; 1, 4, 1; 1, 1, 9": (four_and_nine, 0.12976, 1000, 3, "ennemi ± .025"),
    "ρ = .5, Z uniform, independent": (independent_z(0.5), normal_information(0.5), 200, 3, "ennemi ± .03"),
    "ρ = .75, Z uniform, independent": (independent_z(0.75), normal_information(0.75), 400, 3, "ennemi ± .01"),
    "ρ = −.9, Z uniform, independent": (independent_z(-0.9), normal_information(-0.9), 4000, 3, "ennemi ± .03"),
    "ρ = (.99, 0, 0)": (lambda rng, n: normal(rng, n, 0.99), 1.9585, 10_000, 4, "IDTxl ± 8 %"),
    "ρ = (.99, .99, .99)": (lambda rng, n: normal(rng, n, 0.99, z=0.99), 0.1422, 10_000, 4, "IDTxl ± 8 %"),
    "ρ = .3, three confounders": (three_confounders, 0.04716, 10_000, 10, "tigramite ± .02"),
}


def auto(tables):
    """What auto says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return infold.conditional_mutual_information(*tables, random_state=0, n_jobs=1, verbose=0).mi


def spread(values):
    """Mean and deviation, as text."""
    return f"{np.mean(values):.4f} ± {np.std(values):.4f}" if values else "–"


def known_answers(runs, runs_auto):
    """Print KSG and auto beside the truth and what peers' tests ask for."""
    print(f"| I(X; Y given Z) | n | k | truth | KSG, {runs} samples | auto, {runs_auto} samples | a peer's bar |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, (draw, truth, n, k, bar) in KNOWN.items():
        found = [infold.KSG(k).fit(*draw(np.random.default_rng(seed), n)).mi_ for seed in range(runs)]
        few = [auto(draw(np.random.default_rng(seed), n)) for seed in range(runs_auto if n <= 1000 else 0)]
        print(f"| {name} | {n} | {k} | {truth:.4f} | {spread(found)} | {spread(few)} | {bar} |", flush=True)


def discrete_pair(rng, n):
    """Return two coins that agree in 80 %, and independent counts."""
    cell = rng.choice(4, n, p=[0.4, 0.1, 0.1, 0.4])
    return cell // 2, cell % 2, rng.binomial(3, 0.5, n)


def uniform_on_class(rng, n):
    """Return Y ~ U[X, X + 2] for X of 0, 1, 2, and independent counts."""
    x = rng.integers(0, 3, n)
    return x, x + 2 * rng.random(n), rng.binomial(8, 0.5, n)


def poisson_chain(rng, n):
    """Return Exp(10) → Poisson → binomial, the Poisson last."""
    x = rng.exponential(10, n)
    z = rng.poisson(x)
    return x, rng.binomial(z, 0.5), z


# name: (draw, truth, what the paper has at n = 100, 300 and 1,000)
MESNER = {
    "normal, ρ = .8, Z independent": (
        lambda rng, n: (*normal(rng, n, 0.8)[:2], rng.normal(size=n)),
        0.5108,
        (".423", ".507", ".532"),
    ),
    "two coins, Z independent": (discrete_pair, 0.1927, (".245", ".188", ".189")),
    "X of 3, Y ~ U[X, X + 2]": (uniform_on_class, 0.6365, (".312", ".539", ".607")),
    "Exp → Poisson → binomial": (poisson_chain, 0.0, (".010", ".010", ".013")),
}


def mesner_shalizi(runs, runs_auto):
    """Print KSG with their k = 7 and auto beside what Mesner and Shalizi publish."""
    print(f"| k = 7 | n | truth | Mesner–Shalizi | KSG, {runs} samples | auto, {runs_auto} samples |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (draw, truth, published) in MESNER.items():
        for n, theirs in zip((100, 300, 1000), published, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = [infold.KSG(7).fit(*draw(np.random.default_rng(seed), n)).mi_ for seed in range(runs)]
            few = [auto(draw(np.random.default_rng(seed), n)) for seed in range(runs_auto)]
            print(f"| {name} | {n} | {truth:.4f} | {theirs} | {spread(found)} | {spread(few)} |", flush=True)


def common_cause(shape, rho):
    """Return a draw of X and Y that share a function of Z, with correlation rho given Z."""

    def draw(rng, n):
        z = rng.normal(size=n)
        e, f, _ = normal(rng, n, rho)
        return shape(z) + e, shape(z) + f, z

    return draw


def collider(rng, n):
    """Return X and Y that are independent until their sum, with noise, is known."""
    x, y, noise = rng.normal(size=(3, n))
    return x, y, x + y + 0.5 * noise


# name: (draw, truth)
NOISY = {
    "common cause Z, nothing else": (common_cause(lambda z: 2 * z, 0.0), 0.0),
    "common cause Z², nothing else": (common_cause(np.square, 0.0), 0.0),
    "common cause Z, ρ = .8 given Z": (common_cause(lambda z: z, 0.8), normal_information(0.8)),
    "common cause Z², ρ = .8 given Z": (common_cause(np.square, 0.8), normal_information(0.8)),
    "common cause Z, ρ = .99 given Z": (common_cause(lambda z: z, 0.99), normal_information(0.99)),
    "collider Z": (collider, 0.5 * math.log(1.5625 / 0.5625)),
}


def with_noise(tables, n_columns, rng):
    """Return each table with as many further columns of noise."""
    return [np.column_stack((table, rng.normal(size=(len(table), n_columns)))) for table in tables]


def noise_columns(runs, n=500):
    """Print KSG and G-KSG as columns of noise are added to each of X, Y and Z."""
    print(f"| n = {n}, k = 3 | truth | noise columns in each | KSG | G-KSG |")
    print("|---|--:|--:|--:|--:|")
    for name, (draw, truth) in NOISY.items():
        for extra in (0, 1, 3, 10):
            found = {infold.KSG: [], infold.GeodesicKSG: []}
            for seed in range(runs):
                rng = np.random.default_rng(seed)
                tables = with_noise(draw(rng, n), extra, rng)
                found[infold.KSG].append(infold.KSG().fit(*tables).mi_)
                found[infold.GeodesicKSG].append(infold.GeodesicKSG(random_state=seed).fit(*tables).mi_)
            cells = [f"{np.mean(values):.3f} ± {np.std(values):.3f}" for values in found.values()]
            print(f"| {name} | {truth:.3f} | {extra} | {' | '.join(cells)} |")


def coupled_lorenz(seed, n=1000, fine=100, step=0.3):
    """Return the second coordinates (n, 3) of three Lorenz systems: the third drives the second, the second the first.

    Frenzel and Pompe (2007): delays of 15 and 10 rows, couplings of 1 to the squares. Euler steps, `fine` for each row.
    """
    rows = n + 100  # the first hundred are left out
    delays = np.array([10, 15]) * fine
    x, y, z = np.random.default_rng(seed).normal(1, 0.1, (3, 3))
    past = np.zeros((rows * fine + delays.max(), 3))
    for t in range(delays.max(), len(past)):
        past[t] = y
        driven = np.array([past[t - delays[0], 1] ** 2, past[t - delays[1], 2] ** 2, 0.0])
        change = 10 * (y - x), 28 * x - y - x * z + driven, x * y - 8 / 3 * z
        x, y, z = (now + step / fine * slope for now, slope in zip((x, y, z), change, strict=True))
    return past[delays.max() :: fine][-n:]


# name: (two systems, the one that is given, its lags, ennemi's bar)
LINKS = {
    "first and second, given the third": (0, 1, 2, range(24, 31), "largest at lag 10, only there above .1"),
    "first and third, given the second (indirect)": (0, 2, 1, range(7, 14), "below .02 at all lags"),
    "second and third, given the first": (1, 2, 0, range(-13, -6), "largest at lag 15, .12 ± .05"),
}


def lorenz(runs, k=3, most=30):
    """Print the largest conditional MI of coupled Lorenz systems over lags, and where it is."""
    print(f"| 61 lags, k = {k} | ennemi's bar | sample | KSG, largest | at lag | lags above .1 | auto there |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for seed in range(runs):
        data = coupled_lorenz(seed)
        rows = np.arange(most, len(data) - most)
        for name, (first, second, given, lags, bar) in LINKS.items():
            z = np.column_stack([data[rows - lag, given] for lag in lags])
            pairs = {lag: (data[rows, first], data[rows - lag, second], z) for lag in range(-most, most + 1)}
            found = {lag: infold.KSG(k).fit(*tables).mi_ for lag, tables in pairs.items()}
            best = max(found, key=found.get)
            above = sum(mi > 0.1 for mi in found.values())
            cells = name, bar, seed, f"{found[best]:.3f}", best, above, f"{auto(pairs[best]):.3f}"
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("known", "lorenz", "mesner", "noise"))
    only = parser.parse_args().only
    if only in (None, "known"):
        known_answers(20, 5)
        print()
    if only in (None, "lorenz"):
        lorenz(3)
        print()
    if only in (None, "mesner"):
        mesner_shalizi(40, 4)
        print()
    if only in (None, "noise"):
        noise_columns(10)
