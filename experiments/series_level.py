"""Two independent series: how often the tests of series reject at 5 %.

    python experiments/series_level.py [--sets 200]

99 surrogates (39 for the longest series), KSG with four neighbours. Columns: the test of lag 0 alone, with each kind of
surrogates; that of eleven lags together; and that of transfer entropy. "changes" is how often a series was taken for a
random walk, so that its changes were compared. A share near 5 % of 200 sets is known to ± 3 % (two standard errors).
Cells that would take long have fewer sets, or none. Writes experiments/results/series-level.csv.
"""

import argparse
import csv
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from scipy.signal import lfilter

import infold

RESULTS = Path(__file__).parent / "results" / "series-level.csv"
KINDS = ("AR 0", "AR .5", "AR .8", "AR .9", "AR .95", "season", "random walk")
SIZES = (200, 500, 2000)
SURROGATES = {200: 99, 500: 99, 2000: 39}
FIELDS = ["test", "kind", "samples", "sets", "rejected", "changes"]
LAGS = range(-5, 6)


def pair(kind: str, n: int, seed: int) -> np.ndarray:
    """Two independent series of one kind, (2, n)."""
    rng = np.random.default_rng([2026, seed, n, KINDS.index(kind)])
    noise = rng.standard_normal((2, n + 500))
    if kind == "random walk":
        return np.cumsum(noise[:, 500:], axis=1)
    if kind == "season":  # with phases at random: a common phase would be something shared
        phases = rng.uniform(0, 2 * np.pi, (2, 1))
        wave = np.sin(2 * np.pi * np.arange(n) / 24 + phases) + 0.3 * np.sin(4 * np.pi * np.arange(n) / 24 + 2 * phases)
        return wave + 0.5 * lfilter([1], [1, -0.5], noise)[:, 500:]
    return lfilter([1], [1, -float(kind.split()[1])], noise)[:, 500:]


def shifts(x, y, **options):
    """The test of lag 0."""
    return infold.lagged_mutual_information(x, y, [0], **options)


def blocks(x, y, **options):
    """The same by blocks."""
    return infold.lagged_mutual_information(x, y, [0], surrogates="blocks", **options)


def phases(x, y, **options):
    """The same by random phases."""
    return infold.lagged_mutual_information(x, y, [0], surrogates="phases", **options)


def family(x, y, **options):
    """The test of eleven lags."""
    return infold.lagged_mutual_information(x, y, LAGS, **options)


def transfer(x, y, **options):
    """The test of transfer entropy."""
    return infold.transfer_entropy(x, y, **options)


TESTS = {  # name → function, and the share of the sets for each size
    "shifts": (shifts, dict.fromkeys(SIZES, 1.0)),
    "transfer": (transfer, dict.fromkeys(SIZES, 1.0)),
    "eleven lags": (family, {200: 1.0, 500: 0.5, 2000: 0.3}),
    "blocks": (blocks, {200: 0.5}),
    "phases": (phases, {200: 0.5}),
}


def table(results: Path) -> str:
    """The results as markdown."""
    rows = {(r["test"], r["kind"], int(r["samples"])): r for r in csv.DictReader(results.open())}
    columns = [(test, n) for test, (_, shares) in TESTS.items() for n in shares]
    lines = [
        "| | " + " | ".join(f"{test}, n = {n:,}" for test, n in columns) + " |",
        "|---" + "|--:" * len(columns) + "|",
    ]
    for kind in KINDS:
        cells = [rows.get((test, kind, n)) for test, n in columns]
        lines.append(f"| {kind} | " + " | ".join(f"{float(c['rejected']):.1%}" if c else "" for c in cells) + " |")
    changes = [rows["shifts", kind, n] for kind in KINDS for n in SIZES if ("shifts", kind, n) in rows]
    told = ", ".join(
        f"{r['kind']} n = {r['samples']}: {float(r['changes']):.0%}" for r in changes if float(r["changes"])
    )
    return "\n".join([*lines, "", f"Compared by changes: {told}."])


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help="measure these; keep the others' results")
    parser.add_argument("--samples", nargs="+", type=int, default=list(SIZES), help="the same for the sizes")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), help="the same for the kinds")
    parser.add_argument("--first", type=int, default=0, help="the first seed: other pairs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write, or what to print")
    parser.add_argument("--print", action="store_true", help="only print the table of the last run")
    arguments = parser.parse_args()
    if arguments.print:
        print(table(arguments.results))
        return
    warnings.simplefilter("ignore", infold.DataWarning)
    before = list(csv.DictReader(arguments.results.open())) if arguments.results.exists() else []
    with arguments.results.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        wanted = set(product(arguments.tests, arguments.samples, arguments.kinds))
        writer.writerows(row for row in before if (row["test"], int(row["samples"]), row["kind"]) not in wanted)
        for test in arguments.tests:
            function, shares = TESTS[test]
            start = time.process_time()
            for n, kind in product([n for n in shares if n in arguments.samples], arguments.kinds):
                sets = round(shares[n] * arguments.sets)
                options = {"n_surrogates": SURROGATES[n], "n_jobs": 1, "verbose": 0}
                seeds = range(arguments.first, arguments.first + sets)
                found = [function(*pair(kind, n, seed), random_state=seed, **options) for seed in seeds]
                rejected = np.mean([one.pvalue <= 0.05 for one in found])
                changes = np.mean([any("random walk" in note for note in one.notes) for one in found])
                writer.writerow(dict(zip(FIELDS, (test, kind, n, sets, rejected, changes), strict=True)))
                file.flush()
            print(f"{test}: {time.process_time() - start:.0f} s", flush=True)
    print(table(arguments.results))


if __name__ == "__main__":
    main()
