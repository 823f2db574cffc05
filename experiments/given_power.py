"""Power of the test given Z beside tigramite's CMIknn and partial correlation, at 5 %.

    python experiments/given_power.py > experiments/results/given-power.csv     needs tigramite
    python experiments/given_power.py --figure                                  draw results/given-power.png from it

n = 200, 99 permutations, Z in three columns. Both sides are the sum of squares of Z and noise, or noise alone; what
they share beyond Z grows with the strength. A test that is fooled by Z rejects at strength 0 as well.
"""

import argparse
import csv
import math
import sys
import warnings
from pathlib import Path

import numpy as np

import infold

RESULTS = Path(__file__).parent / "results"
N, SETS = 200, 20
STRENGTHS = (0.0, 0.3, 0.6)


def line(e, f, s):
    """What Y shares with X beyond Z: a line."""
    return s * e + math.sqrt(1 - s * s) * f


def square(e, f, s):
    """A parabola."""
    return s * (e**2 - 1) / math.sqrt(2) + math.sqrt(1 - s * s) * f


# name: (how much of Z there is in both sides, what they share beyond it)
KINDS = {"line": (2, line), "square": (2, square), "line, Z tells nothing": (0, line)}
NAMES = ("infold", "CMIknn", "partial correlation")


def pvalues(x, y, z, seed):
    """The p-value of each test."""
    from tigramite.independence_tests.cmiknn import CMIknn
    from tigramite.independence_tests.parcorr import ParCorr

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = infold.independence_test(x, y, z, n_permutations=99, random_state=seed, n_jobs=1, verbose=0).pvalue
    neighbors = CMIknn(knn=0.1, shuffle_neighbors=5, sig_samples=99, workers=1, seed=seed)
    peers = (test.run_test_raw(x[:, None], y[:, None], z=z)[1] for test in (neighbors, ParCorr()))
    return own, *map(float, peers)


def run():
    """Write how many data sets each test rejects."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["kind", "strength", "sets", *NAMES])
    for kind, (size, shared) in KINDS.items():
        for strength in STRENGTHS:
            if kind == "square" and strength == 0:
                continue  # the same as a line
            found = []
            for seed in range(SETS):
                rng = np.random.default_rng([seed, int(10 * strength), len(kind)])
                z, (e, f) = rng.normal(size=(N, 3)), rng.normal(size=(2, N))
                cause = size * (z**2 - 1).sum(axis=1) / math.sqrt(6)
                found.append(pvalues(cause + e, cause + shared(e, f, strength), z, seed))
            writer.writerow([kind, strength, SETS, *(np.array(found) <= 0.05).sum(axis=0).tolist()])
            sys.stdout.flush()


def figure():
    """Draw the shares."""
    from matplotlib.figure import Figure

    with (RESULTS / "given-power.csv").open() as file:
        rows = list(csv.DictReader(file))
    page = Figure(figsize=(9, 3), layout="constrained")
    for ax, kind in zip(page.subplots(1, 3, sharey=True), KINDS, strict=True):
        null = "line" if kind == "square" else kind
        some = [row for row in rows if row["kind"] == kind or (row["kind"] == null and float(row["strength"]) == 0)]
        for name, style in zip(NAMES, ("o-", "s--", "^:"), strict=True):
            shares = [int(row[name]) / int(row["sets"]) for row in some]
            ax.plot([float(row["strength"]) for row in some], shares, style, color="black", label=name)
        ax.axhline(0.05, color="gray", linewidth=0.8)
        ax.set(title=f"shared: {kind}", xlabel="strength", ylim=(-0.03, 1.03))
    page.axes[0].set_ylabel("rejected at 5 %")
    page.axes[2].legend(frameon=False, loc="lower right")
    page.savefig(RESULTS / "given-power.png", dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", action="store_true")
    figure() if parser.parse_args().figure else run()
