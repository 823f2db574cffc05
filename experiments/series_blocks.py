"""How long may blocks and shortest shifts be? Level and power of the test of lag 0, n = 200.

    python experiments/series_blocks.py [--sets 100]

Two series of AR(.5), independent or with noises of correlation .35; KSG with ten neighbours, 99 surrogates. Shares of
pairs rejected at 5 %. Writes experiments/results/series-blocks.md.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import infold
from infold.timeseries import surrogates

RESULTS = Path(__file__).parent / "results" / "series-blocks.md"
N, MEMORY, BURN = 200, 0.5, 200
ASK = {"n_neighbors": 10, "n_surrogates": 99, "n_jobs": 1, "verbose": 0}
COLUMNS = ("chosen", "n / 8", "n / 4", "n / 3", "n / 2")
BLOCKS = {"shifts": (None, N // 8, N // 4, N // 3), "blocks": (None, N // 8, N // 4, N // 3, N // 2)}


def rejected(kind, block, correlation, seed):
    """Return whether the test rejects one pair."""
    noise = np.random.default_rng([seed, 77, int(10 * MEMORY)]).standard_normal((2, N + BURN))
    if correlation:
        noise[1] = correlation * noise[0] + np.sqrt(1 - correlation**2) * noise[1]
    x, y = lfilter([1], [1, -MEMORY], noise)[:, BURN:]
    return infold.lagged_mutual_information(x, y, [0], surrogates=kind, block=block, random_state=seed, **ASK) <= 0.05


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=100)
    sets = parser.parse_args().sets
    warnings.simplefilter("ignore", infold.DataWarning)
    surrogates.FEWEST_BLOCKS = 2  # what is measured here is why it is more
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---" + "|--:" * len(COLUMNS) + "|"]
    for kind, lengths in BLOCKS.items():
        for said, correlation in (("level", 0.0), ("power", 0.35)):
            shares = [np.mean([rejected(kind, block, correlation, seed) for seed in range(sets)]) for block in lengths]
            cells = [f"{share:.0%}" for share in shares] + [""] * (len(COLUMNS) - len(shares))
            lines.append(f"| {kind}, {said} | " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    RESULTS.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
