"""Independent series: how often the tests of series reject at 5 %.

    python experiments/series_level.py [--first 200000] [--share 1.0]

KSG with four neighbours. Tests: lag 0 alone, with each kind of surrogates; eleven and 41 lags together; transfer
entropy; these with the series cut into ten groups; and both given a third series, which drives the two others: one of
the same kind, white noise, or an autoregression by its square. "changes" is how often a series was taken for a random
walk, so that its changes were compared. Sizes that take long have fewer pairs. Writes
experiments/results/series-level.csv; the 95 % interval of each cell is Clopper and Pearson's.
"""

import argparse
import csv
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from scipy.stats import binomtest

import infold

RESULTS = Path(__file__).parent / "results" / "series-level.csv"
KINDS = ("AR 0", "AR .5", "AR .8", "AR .9", "AR .95", "season", "random walk")
SIZES = (200, 500, 2000)
DRIVERS = 1_000_000  # added to the seed of a driver of another kind
FIELDS = ["test", "kind", "samples", "sets", "rejected", "low", "high", "changes"]


def independent(kind: str, n: int, seed: int, count: int = 2) -> np.ndarray:
    """Independent series of one kind, (count, n)."""
    rng = np.random.default_rng([2026, seed, n, KINDS.index(kind)])
    noise = rng.standard_normal((count, n + 500))
    if kind == "random walk":
        return np.cumsum(noise[:, 500:], axis=1)
    if kind == "season":  # with phases at random: a common phase would be something shared
        phases = rng.uniform(0, 2 * np.pi, (count, 1))
        wave = np.sin(2 * np.pi * np.arange(n) / 24 + phases) + 0.3 * np.sin(4 * np.pi * np.arange(n) / 24 + 2 * phases)
        return wave + 0.5 * lfilter([1], [1, -0.5], noise)[:, 500:]
    return lfilter([1], [1, -float(kind.split()[1])], noise)[:, 500:]


def driven(
    kind: str, n: int, seed: int, delays: tuple[int, int], driver: str = "", squared: bool = False
) -> np.ndarray:
    """Two series that have nothing in common but a third, which drives them; all start with the same spread."""
    series = independent(kind, n + 2, seed, 3)
    if driver:
        series[2] = independent(driver, n + 2, seed + DRIVERS, 1)
    x, y, z = series / series.std(axis=1, keepdims=True)
    drive = z**2 / (z**2).std() if squared else z
    return np.array([x + np.roll(drive, delays[0]), y + np.roll(drive, delays[1]), z])[:, 2:]


def lags(which, surrogates="shifts"):
    """Return the test of some lags."""
    return lambda kind, n, seed, **options: infold.lagged_mutual_information(
        *independent(kind, n, seed), which, surrogates=surrogates, **options
    )


def in_ten(test):
    """Return a test of the same series cut into ten groups, which a season leaves in phase."""
    return lambda kind, n, seed, **options: test(kind, n, seed, groups=np.arange(n) * 10 // n, **options)


def transfer(kind, n, seed, **options):
    """Test transfer entropy."""
    return infold.transfer_entropy(*independent(kind, n, seed), **options)


def lag_0_given(**driver):
    """Return the test of lag 0 given what drives both."""

    def test(kind, n, seed, **options):
        x, y, z = driven(kind, n, seed, (0, 0), **driver)
        return infold.lagged_mutual_information(x, y, [0], z, **options)

    return test


def transfer_given(**driver):
    """Return the test of transfer entropy given what drives the source first and then the target."""

    def test(kind, n, seed, **options):
        x, y, z = driven(kind, n, seed, (1, 2), **driver)
        return infold.transfer_entropy(x, y, given=z, given_lags=2, **options)

    return test


TESTS = {  # the test, surrogates, and pairs for each size
    "lag 0": (lags([0]), 39, {200: 1000, 500: 500, 2000: 300}),
    "transfer": (transfer, 39, {200: 1000, 500: 500, 2000: 300}),
    "eleven lags": (lags(range(-5, 6)), 99, {200: 500, 500: 300, 2000: 60}),
    "41 lags": (lags(range(-20, 21)), 99, {200: 100, 500: 100}),
    "lag 0, ten groups": (in_ten(lags([0])), 39, {500: 300}),
    "transfer, ten groups": (in_ten(transfer), 39, {500: 300}),
    "eleven lags, ten groups": (in_ten(lags(range(-5, 6))), 99, {500: 60}),
    "lag 0 given": (lag_0_given(), 39, {200: 400, 500: 200, 2000: 100}),
    "transfer given": (transfer_given(), 39, {200: 400, 500: 200, 2000: 100}),
    "lag 0 given noise": (lag_0_given(driver="AR 0"), 39, {200: 400, 500: 200}),
    "transfer given noise": (transfer_given(driver="AR 0"), 39, {200: 400, 500: 200}),
    "lag 0 given, squared": (lag_0_given(driver="AR .5", squared=True), 39, {200: 400, 500: 200}),
    "transfer given, squared": (transfer_given(driver="AR .5", squared=True), 39, {200: 400, 500: 200}),
    "blocks": (lags([0], "blocks"), 39, {200: 400}),
    "phases": (lags([0], "phases"), 39, {200: 400}),
}


def measured(test: str, kind: str, n: int, seeds: range) -> dict[str, object]:
    """Measure one cell."""
    function, surrogates, _ = TESTS[test]
    options = {"n_surrogates": surrogates, "n_jobs": 1, "verbose": 0}
    found = [function(kind, n, seed, random_state=seed, **options) for seed in seeds]
    rejected = sum(one.pvalue <= 0.05 for one in found)
    low, high = binomtest(rejected, len(found)).proportion_ci()
    changes = np.mean([any("random walk" in note for note in one.notes) for one in found])
    cells = test, kind, n, len(found), rejected / len(found), f"{low:.4f}", f"{high:.4f}", changes
    return dict(zip(FIELDS, cells, strict=True))


def table(results: Path) -> str:
    """The results as markdown."""
    rows = {(r["test"], r["kind"], int(r["samples"])): r for r in csv.DictReader(results.open())}
    columns = [
        (test, n)
        for test, (_, _, sets) in TESTS.items()
        for n in sets
        if any((test, kind, n) in rows for kind in KINDS)
    ]
    lines = ["| | pairs | " + " | ".join(KINDS) + " | all |", "|---" + "|--:" * (len(KINDS) + 2) + "|"]
    for test, n in columns:
        cells = [rows.get((test, kind, n)) for kind in KINDS]
        known = [(float(c["rejected"]), int(c["sets"])) for c in cells if c]
        every = sum(share * sets for share, sets in known) / sum(sets for _, sets in known)
        shares = " | ".join(f"{float(c['rejected']):.1%}" if c else "" for c in cells)
        pairs = "–".join(f"{sets:,}" for sets in sorted({sets for _, sets in known}))
        lines.append(f"| {test}, n = {n:,} | {pairs} | {shares} | {every:.1%} |")
    changes = [rows["lag 0", kind, n] for kind in KINDS for n in SIZES if ("lag 0", kind, n) in rows]
    told = ", ".join(
        f"{r['kind']} n = {int(r['samples']):,}: {float(r['changes']):.0%}"
        for r in changes
        if float(r["changes"]) >= 0.005
    )
    return "\n".join([*lines, "", f"Compared by changes: {told}."])


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=1.0, help="of the pairs")
    parser.add_argument("--tests", nargs="+", default=list(TESTS), help="measure these; keep the others' results")
    parser.add_argument("--samples", nargs="+", type=int, default=list(SIZES), help="the same for the sizes")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), help="the same for the kinds")
    parser.add_argument("--first", type=int, default=200_000, help="the first seed; those below made the test")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write, or what to print")
    parser.add_argument("--print", action="store_true", help="only print the table of the last run")
    arguments = parser.parse_args()
    if arguments.print:
        print(table(arguments.results))
        return
    warnings.simplefilter("ignore", infold.DataWarning)
    before = list(csv.DictReader(arguments.results.open())) if arguments.results.exists() else []
    wanted = [
        (test, kind, n)
        for n, test, kind in product(arguments.samples, arguments.tests, arguments.kinds)
        if n in TESTS[test][2]
    ]
    with arguments.results.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(row for row in before if (row["test"], row["kind"], int(row["samples"])) not in wanted)
        file.flush()
        for test, kind, n in wanted:
            start, sets = time.process_time(), round(arguments.share * TESTS[test][2][n])
            row = measured(test, kind, n, range(arguments.first, arguments.first + sets))
            writer.writerow(row)
            file.flush()
            print(f"{test}, {kind}, n = {n}: {row['rejected']:.3f}, {time.process_time() - start:.0f} s", flush=True)
    print(table(arguments.results))


if __name__ == "__main__":
    main()
