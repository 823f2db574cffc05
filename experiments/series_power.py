"""Coupled series: how often tests of transfer entropy and of lags see it; and a chain of Lorenz systems.

    python experiments/series_power.py [--sets 60]

"forwards" is the true direction, "backwards" the other, in which the truth is 0; "independent" has no coupling. Both
packages take KSG with k = 4, past 1, 39 surrogates and reject at 5 %; infomeasure shuffles embedded rows of the source.
The tests of eleven and 41 lags take 99 surrogates. ennemi has no p-value: its mean estimate of the same conditional MI
is beside ours. Writes experiments/results/series-power.md. infomeasure and ennemi must be installed.
"""

import argparse
import warnings
from pathlib import Path

import ennemi
import infomeasure
import numpy as np
from scipy.signal import lfilter

import infold

RESULTS = Path(__file__).parent / "results" / "series-power.md"
N, SURROGATES, STEP, BURN = 300, 39, 0.01, 60
FIRST = 5000  # seed; those below were used while the tests were made
ASK = {"n_surrogates": SURROGATES, "n_jobs": 1, "verbose": 0}


def autoregressions(seed: int, coupling: float) -> np.ndarray:
    """x of AR(.9) drives y of AR(.8)."""
    noise = np.random.default_rng([seed, 1, 2026]).standard_normal((2, N + 300))
    x = lfilter([1], [1, -0.9], noise[0])
    y = lfilter([1], [1, -0.8], noise[1] + coupling * np.roll(x, 1))
    return np.array([x, y])[:, 300:]


def logistic_maps(seed: int, coupling: float) -> np.ndarray:
    """The first map drives the second."""
    state = np.random.default_rng([seed, 2, 2026]).uniform(0.2, 0.8, 2)
    out = np.empty((2, N + 100))
    for t in range(N + 100):
        x, y = state
        mixed = (1 - coupling) * y + coupling * x
        state = out[:, t] = np.array([4 * x * (1 - x), 4 * mixed * (1 - mixed)])
    return out[:, 100:]


def lorenz_chain(n: int, coupling: float, delays: tuple[int, ...], every: int, seed: int) -> np.ndarray:
    """y of several Lorenz systems, each driven by the square of the one before (Frenzel and Pompe); (systems, n)."""
    rng, count = np.random.default_rng([seed, 3, 2026]), len(delays) + 1
    state = rng.standard_normal((count, 3)) + np.array([0.0, 0.0, 25.0])
    past, out = np.zeros(((n + BURN) * every, count)), np.empty((count, n))

    def slope(s, drive):
        x, y, z = s.T
        return np.stack([10 * (y - x), x * (28 - z) - y + drive, x * y - 8 / 3 * z], axis=1)

    for t in range(len(past)):
        drive = np.zeros(count)
        for system, delay in enumerate(delays, 1):
            if t >= delay * every:
                drive[system] = coupling * past[t - delay * every, system - 1] ** 2
        a = slope(state, drive)
        b = slope(state + STEP / 2 * a, drive)
        c = slope(state + STEP / 2 * b, drive)
        d = slope(state + STEP * c, drive)
        state = state + STEP / 6 * (a + 2 * b + 2 * c + d)
        past[t] = state[:, 1]
        if t % every == 0 and t >= BURN * every:
            out[:, t // every - BURN] = state[:, 1]
    return out


def lorenz_pair(seed: int, coupling: float) -> np.ndarray:
    """Two systems, seen every 0.3, the second driven without delay but for one step."""
    return lorenz_chain(N, coupling, (1,), 30, seed)


KINDS = {
    "AR, coupling 0.3": (autoregressions, 0.3),
    "AR, coupling 1": (autoregressions, 1.0),
    "AR, independent": (autoregressions, 0.0),
    "logistic maps, coupling 0.1": (logistic_maps, 0.1),
    "logistic maps, independent": (logistic_maps, 0.0),
    "Lorenz, coupling 0.5": (lorenz_pair, 0.5),
    "Lorenz, independent": (lorenz_pair, 0.0),
}


def power(sets: int) -> list[str]:
    """The table of rejections."""
    lines = [
        "| | infold forwards | backwards | infomeasure forwards | backwards | TE infold | ennemi | 11 lags | 41 lags |",
        "|---" + "|--:" * 8 + "|",
    ]
    for kind, (make, coupling) in KINDS.items():
        ours, theirs, values, lags = [], [], [], []
        for seed in range(FIRST, FIRST + sets):
            x, y = make(seed, coupling)
            pairs = ((x, y), (y, x))
            found = [infold.transfer_entropy(*pair, random_state=seed, **ASK) for pair in pairs]
            ours.append([one.pvalue <= 0.05 for one in found])
            theirs.append([_infomeasure_pvalue(*pair) <= 0.05 for pair in pairs])
            a, b = ((v - v.mean()) / v.std(ddof=1) for v in (x, y))
            other = ennemi.estimate_mi(b[1:], a[:-1], cond=b[:-1], k=4, preprocess=False)
            values.append((found[0].te, float(np.ravel(other)[0])))
            lags.append([_lags_pvalue(x, y, reach, seed) <= 0.05 for reach in (5, 20)])
        shares = [f"{share:.0%}" for share in (*np.mean(ours, axis=0), *np.mean(theirs, axis=0))]
        means = [f"{v:.3f}" for v in np.mean(values, axis=0)]
        of_lags = [f"{share:.0%}" for share in np.mean(lags, axis=0)]
        lines.append("| " + " | ".join([kind, *shares, *means, *of_lags]) + " |")
        print(lines[-1], flush=True)
    return lines


def _lags_pvalue(x: np.ndarray, y: np.ndarray, reach: int, seed: int) -> float:
    """The p-value of all lags from −reach to reach."""
    options = {**ASK, "n_surrogates": 99}
    return infold.lagged_mutual_information(x, y, range(-reach, reach + 1), random_state=seed, **options).pvalue


def _infomeasure_pvalue(source: np.ndarray, target: np.ndarray) -> float:
    """The share of shuffled sources with as much, with the + 1 that it leaves out."""
    x, y = ((v - v.mean()) / v.std(ddof=1) for v in (source, target))
    made = infomeasure.estimator(x, y, measure="te", approach="ksg", k=4, noise_level=0)
    null = made.statistical_test(SURROGATES, method="permutation_test").test_values
    return (1 + np.sum(np.asarray(null) >= made.global_val())) / (SURROGATES + 1)


def chain(sets: int) -> list[str]:
    """A chain of three Lorenz systems: where the peaks are, and what is left of the indirect link."""
    lines = [
        "| set | peak 1 → 2 | p | peak 2 → 3 | p | peak 1 → 3 | MI 1 → 3 | given 2 and the past of 3 |",
        "|---" + "|--:" * 7 + "|",
    ]
    for seed in range(sets):
        first, second, third = lorenz_chain(3000, 0.5, (4, 3), 20, seed)
        pairs = ((first, second), (second, third), (first, third))
        found = [infold.lagged_mutual_information(*pair, range(-12, 13), random_state=0, **ASK) for pair in pairs]
        known = np.column_stack([second, third])
        lags = {0: (found[1].peak - 1, found[1].peak, found[1].peak + 1), 1: (1, 2, 3)}
        left = infold.lagged_mutual_information(first, third, [found[2].peak], known, given_lags=lags, n_surrogates=0)
        cells = [
            str(seed),
            found[0].peak,
            f"{found[0].pvalue:.3f}",
            found[1].peak,
            f"{found[1].pvalue:.3f}",
            found[2].peak,
        ]
        lines.append("| " + " | ".join(map(str, [*cells, f"{found[2].mi.max():.3f}", f"{left.mi[0]:.3f}"])) + " |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Measure, print and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=60)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    text = [
        "n = 300.",
        "",
        *power(arguments.sets),
        "",
        "Three Lorenz systems, delays 4 and 3, n = 3,000:",
        "",
        *chain(2),
    ]
    RESULTS.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
