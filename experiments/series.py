"""Two independent autoregressive series: how often the test rejects at 5 %, without and with the proposed block.

    python experiments/series.py [--sets 200]

KSG, 199 permutations with early stopping. "hint" is how often autocorrelation is told. Writes
experiments/results/series.csv.
"""

import argparse
import csv
import re
import warnings
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import infold

RESULTS = Path(__file__).parent / "results" / "series.csv"
FIELDS = ["memory", "samples", "sets", "hint", "rejected", "block", "rejected_by_block"]


def measured(memory: float, n: int, sets: int) -> dict[str, object]:
    """One cell of the table."""
    hints, plain, blocked, lengths = 0, 0, 0, []
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, int(100 * memory)])
        X, Y = lfilter([1], [1, -memory], rng.standard_normal((2, n + 200)))[:, 200:]
        given = {"method": "ksg", "early_stop": True, "random_state": seed, "n_jobs": 1}
        test = infold.independence_test(X, Y, **given)
        plain += test.pvalue <= 0.05
        proposed = re.search(r"block=(\d+)", " ".join(test.notes))
        hints += proposed is not None
        if proposed:
            lengths.append(int(proposed[1]))
            test = infold.independence_test(X, Y, block=int(proposed[1]), **given)
        blocked += test.pvalue <= 0.05
    length = int(np.median(lengths)) if lengths else 1
    return dict(zip(FIELDS, (memory, n, sets, hints / sets, plain / sets, length, blocked / sets), strict=True))


def table() -> str:
    """The results as markdown."""
    lines = ["| lag-1 correlation | n | hint | rejected | proposed block (median) | rejected, with that block |"]
    lines.append("|---" * 6 + "|")
    for row in csv.DictReader(RESULTS.open()):
        shares = [f"{float(row[f]):.0%}" for f in ("hint", "rejected", "rejected_by_block")]
        lines.append(
            f"| {row['memory']} | {row['samples']} | {shares[0]} | {shares[1]} | {row['block']} | {shares[2]} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", infold.DataWarning)
    with RESULTS.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for memory in (0.0, 0.5, 0.8, 0.9, 0.95):
            for n in (300, 1000):
                writer.writerow(measured(memory, n, arguments.sets))
                file.flush()
    print(table())


if __name__ == "__main__":
    main()
