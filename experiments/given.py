"""KSG and G-KSG given Z: peers' known answers, and what columns of noise in X, Y and Z cost each.

    python experiments/given.py > experiments/results/given.md

Means over samples with seeds 0, 1, …; truths are exact.
"""

import math

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


def known_answers(runs):
    """Print KSG beside the truth and what peers' tests ask for."""
    print("| I(X; Y given Z) | n | k | truth | KSG | a peer's bar |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, (draw, truth, n, k, bar) in KNOWN.items():
        found = [infold.KSG(k).fit(*draw(np.random.default_rng(seed), n)).mi_ for seed in range(runs)]
        print(f"| {name} | {n} | {k} | {truth:.4f} | {np.mean(found):.4f} ± {np.std(found):.4f} | {bar} |")


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


if __name__ == "__main__":
    known_answers(20)
    print()
    noise_columns(10)
