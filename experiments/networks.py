"""Networks: the level of p and FDR, the tail of the null law, and scale; for graphs that are known, network_truth.py.

    python experiments/networks.py level     # 6 minutes of one core: results/networks-level.csv
    python experiments/networks.py tail      # 2 minutes: results/networks-tail.csv
    python experiments/networks.py ties      # half a minute: results/networks-ties.csv
    python experiments/networks.py scale --columns 1000
    python experiments/networks.py scale --columns 5000 --jobs 1 --folder FOLDER  # 13 minutes of one core
    python experiments/networks.py tiles --columns 20000   # a few tiles of a large network
    python experiments/networks.py join --columns 20000    # what comes after them, on Linux; needs 7 GB of disk

Seeds start at 1,001: what was tried while the method was made has seeds below.
"""

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import infold

HERE = Path(__file__).parent
QUIET = {"n_jobs": 1, "verbose": 0}


def save(name: str, rows: list[dict]) -> None:
    """Write rows to a CSV file, and show them."""
    path = HERE / "results" / f"networks-{name}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        print(row)


# Level: columns that are independent, or dependent within blocks alone.

BLOCK = 5


def blocks(n: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Columns in blocks that share a factor; blocks are independent."""
    factors = np.repeat(rng.normal(size=(n, columns // BLOCK)), BLOCK, axis=1)
    return factors + rng.normal(size=(n, columns))


def independent(n: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Heavy-tailed columns."""
    return rng.standard_t(2, size=(n, columns))


def mixed(n: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Independent columns: measurements, counts and coins, a third each; the coins are declared classes."""
    X = rng.normal(size=(n, columns))
    X[:, 1::3] = rng.poisson(1.5, size=X[:, 1::3].shape)
    X[:, 2::3] = rng.random(X[:, 2::3].shape) < rng.uniform(0.1, 0.5, X[:, 2::3].shape[1])
    return X


def coins(n: int, columns: int, rng: np.random.Generator) -> np.ndarray:
    """Independent coins, half of the rows each."""
    return rng.permuted(np.tile(np.arange(n) % 2, (columns, 1)), axis=1).T


def confounded(n: int, columns: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Columns that share only what they have of two confounders, which bend them."""
    Z = rng.normal(size=(n, 2))
    a, b = rng.normal(size=(2, columns))
    return np.tanh(Z[:, :1] * a) * 2 + b * Z[:, 1:] + rng.normal(size=(n, columns)), Z


def level(args: argparse.Namespace) -> None:
    """Share of null pairs with p ≤ .05 and .001, and the mean share of false edges among all edges at 5 %."""
    rows = []
    cases = [("independent", 30, 40, 4000), ("independent", 100, 40, 2000), ("independent", 500, 40, 400),
             ("blocks", 30, 40, 1000), ("blocks", 100, 40, 1000), ("blocks", 500, 40, 200),
             ("mixed", 100, 12, 300), ("coins", 30, 12, 1000), ("coins", 50, 12, 1000), ("confounded", 200, 12, 300),
             ("confounded, not given", 200, 12, 20)]  # fmt: skip
    for kind, n, columns, repetitions in cases:
        if args.only not in (None, kind):
            continue
        small, tiny, false = [], [], []
        for seed in range(1001, 1001 + repetitions):
            rng = np.random.default_rng(seed)
            true = np.zeros((columns, columns), bool)
            options: dict = {"random_state": seed, **QUIET}
            if kind == "blocks":
                X = blocks(n, columns, rng)
                true = np.kron(np.eye(columns // BLOCK), np.ones((BLOCK, BLOCK))).astype(bool)
            elif kind.startswith("confounded"):
                X, Z = confounded(n, columns, rng)
                options |= {"given": Z} if kind == "confounded" else {}
            elif kind == "mixed":
                X = mixed(n, columns, rng)
                options |= {"discrete_x": list(range(2, columns, 3))}
            elif kind == "coins":
                X = coins(n, columns, rng)
            else:
                X = independent(n, columns, rng)
            found = infold.network(X, **options)
            null = ~true & np.triu(np.ones_like(true), 1)
            p = found.pvalue_matrix[null]
            small.append((p <= 0.05).mean())
            tiny.append((p <= 0.001).mean())
            i, j, _ = found.edge_indices(0.05)
            false.append((~true[i, j]).mean() if i.size else 0.0)
        rows.append({
            "kind": kind, "n": n, "columns": columns, "networks": repetitions,
            **{name: round(float(np.mean(values)), 5) for name, values in
               (("p <= .05", small), ("p <= .001", tiny), ("FDR at .05", false))},
            "standard error of FDR": round(float(np.std(false) / np.sqrt(repetitions)), 5),
        })  # fmt: skip
        print(rows[-1], flush=True)
    if args.only is None:
        save("level", rows)


def tail(args: argparse.Namespace) -> None:
    """Beside fresh permutations, the p-values of the law that a network of 45 or of 500,000 pairs uses."""
    from infold.core.pairs import null
    from infold.core.pairs.null import draws_for, ksg_score, pair_laws

    rows = []
    for n, draws in ((50, 10_000_000), (200, 10_000_000)):
        columns = int(np.sqrt(2 * draws)) + 1
        ranks = np.random.default_rng(1001).permuted(np.tile(np.arange(n), (columns, 1)), axis=1)
        starts = range(0, columns, null.MANY_columns)
        waves = np.concatenate([null._null_waves(ranks, i, j) for i in starts for j in starts if i <= j])
        first, second = np.triu_indices(int(np.sqrt(2 * draws / 5)) + 1 if n == 50 else 1000, 1)
        ksg = ksg_score(null._null_ksg(ranks, first, second, 3), n)
        for pairs in (45, 500_000):
            laws = pair_laws(n, 3, draws_for(pairs, n))
            for name, sample, law in (("smooth", waves, laws.smooth), ("neighbours", ksg, laws.neighbors)):
                for p in (0.05, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
                    rank = round(p * sample.size)
                    if rank < 10:
                        continue
                    at = np.partition(sample, -rank)[-rank]
                    by_law = float(np.exp(law.log_pvalue(np.array([at])))[0])
                    rows.append({"n": n, "statistic": name, "pairs": pairs, "permutations": sample.size,
                                 "p by permutations": p, "p by the law": float(f"{by_law:.3g}")})  # fmt: skip
    save("tail", rows)


def ties(args: argparse.Namespace) -> None:
    """Beside fresh draws, the p-values of columns with ties or classes."""
    from infold.core.pairs.counts import drawn_scores
    from infold.core.pairs.mixed import _any_basis, own_pvalue
    from infold.core.pairs.smooth import permuted_scores
    from infold.core.pairs.work import NOMINAL, RANKED, TIED

    def of(kind: int, n: int, *shares: float) -> tuple[int, tuple[int, ...]]:
        counts = np.floor(np.array(shares) * n + 1e-9).astype(int)
        counts[0] += n - counts.sum()
        return kind, tuple(counts.tolist())

    rows = []
    ordinal = (0.3, 0.25, 0.2, 0.15, 0.1)
    for n in (30, 60, 200):
        coin, rare = of(NOMINAL, n, 0.5, 0.5), of(NOMINAL, n, 0.9, 0.1)
        for name, x, y in (
            ("coin x coin", coin, coin),
            ("rare x rare class", rare, rare),
            ("coin x three classes", coin, of(NOMINAL, n, 0.5, 0.3, 0.2)),
            ("coin x ordinal", coin, of(TIED, n, *ordinal)),
            ("rare class x ordinal", rare, of(TIED, n, *ordinal)),
            ("ordinal x ordinal", of(TIED, n, *ordinal), of(TIED, n, *ordinal[::-1])),
            ("coin x measurement", coin, (RANKED, (n,))),
            ("rare class x measurement", rare, (RANKED, (n,))),
        ):
            x, y = sorted((x, y))
            bases = _any_basis(x), _any_basis(y)
            is_ranked = x[0] == RANKED
            draws = 200_000 if is_ranked else 1_000_000
            drawn = permuted_scores(*bases, draws, 1001) if is_ranked else drawn_scores(*bases, x[1], y[1], draws, 1001)
            drawn.sort()
            for p in (0.05, 1e-2, 1e-3, 1e-4, 1e-5):
                at = drawn[-round(p * draws)]
                plain = (drawn >= at * (1 - 1e-9)).mean()  # more than p, as many are equal
                if plain * draws >= 10 and plain < 5 * p:
                    rows.append({"n": n, "columns": name, "draws": draws, "p by draws": float(f"{plain:.3g}"),
                                 "p by the law": float(f"{np.exp(own_pvalue(x, y, float(at))[0]):.3g}")})  # fmt: skip
    save("ties", rows)


# Scale.


def peak_memory() -> float:
    """Return the most memory that was used so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def wide_table(columns: int) -> np.ndarray:
    """Return 500 rows, each column with a little of the one before."""
    X = np.random.default_rng(1001).normal(size=(500, columns))
    X[:, 1:] += 0.3 * X[:, :-1]
    infold.network(X[:50, :3], **QUIET)  # kernels
    return X


def scale(args: argparse.Namespace) -> None:
    """Processor seconds, and the peak of memory, of one network."""
    X = wide_table(args.columns)
    wall, processor = time.perf_counter(), time.process_time()
    found = infold.network(X, n_jobs=args.jobs, verbose=1, folder=args.folder)
    print(
        f"{args.columns} columns x 500 rows, {found.n_pairs} pairs: {time.process_time() - processor:.0f} processor "
        f"seconds, {time.perf_counter() - wall:.0f} seconds, {peak_memory():.0f} MB; {len(found.edge_list())} edges"
    )


def tiles(args: argparse.Namespace) -> None:
    """Processor seconds of four tiles of a network, and how many there are."""
    from infold.core.pairs import tile
    from infold.networks.inputs import gather
    from infold.networks.make import make_laws, make_work
    from infold.parallel.scheduler import in_order

    X = wide_table(args.columns)
    start = time.process_time()
    columns = gather(X, None, None, None, None, None, "error")
    work = make_work(columns, "ksg", 3, 0, make_laws(columns, 3, 1, 0))
    before = time.process_time()
    every = tile.tiles((0, args.columns), (0, args.columns))
    some = [(work, every[place]) for place in np.linspace(0, len(every) - 1, 5).astype(int)[:4]]
    list(in_order(tile.tile_values, some, n_jobs=1, label="tiles", verbose=0))
    each = (time.process_time() - before) / len(some)
    print(
        f"{args.columns} columns: {before - start:.0f} processor seconds, then {len(every)} tiles of {each:.2f} each: "
        f"{(before - start + each * len(every)) / 3600:.1f} hours of one core; {peak_memory():.0f} MB"
    )


def join(args: argparse.Namespace) -> None:
    """Processor seconds and memory of what comes after the tiles, which are made up: matrices, edges, and the page.

    Of memory what is not a page of a file counts: those the system takes back as it needs.
    """
    import os
    import tempfile
    import threading
    from dataclasses import replace

    from infold.core.pairs import tile
    from infold.networks.store import Folder

    most = [0.0]

    def watch() -> None:
        while True:
            lines = Path("/proc/self/status").read_text().splitlines()
            most[0] = max(most[0], *(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")))
            time.sleep(0.05)

    def measured(name: str, function: Callable[[], Any]) -> Any:
        most[0], processor = 0.0, time.process_time()
        answer = function()
        time.sleep(0.1)
        print(f"{name}: {time.process_time() - processor:.0f} processor seconds, {most[0]:.0f} MB", flush=True)
        return answer

    rng, p = np.random.default_rng(1001), args.columns
    small = infold.network(rng.normal(size=(40, 3)), **QUIET)
    with tempfile.TemporaryDirectory() as name:
        store, made = Folder(Path(name), (p, p)), {}
        for one in tile.tiles((0, p), (0, p)):
            shape, on_diagonal = (one.bottom - one.top, one.right - one.left), one.top == one.left
            if (shape, on_diagonal) in made:
                os.link(made[shape, on_diagonal], store._path(one))  # the same numbers everywhere
            else:
                values = np.array([rng.normal(0, 0.02, shape), np.log(rng.random(shape))])
                values[:, np.tril(np.ones(shape, bool)) & on_diagonal] = np.nan
                store.put(one, values)
                made[shape, on_diagonal] = store._path(one)
            store.has(one)
        threading.Thread(target=watch, daemon=True).start()
        measured("matrices", store.matrices)
        pvalues = np.load(Path(name) / "pvalues.npy", mmap_mode="r+")
        pvalues[:1000, 1000:2000] *= 1e-9  # a million edges
        pvalues.flush()
        found = replace(small, mi_matrix=np.load(Path(name) / "mi.npy", mmap_mode="r"), pvalue_matrix=pvalues,
                        names=tuple(f"column {c}" for c in range(p)))  # fmt: skip
        print(f"{len(measured('edges', found.edges))} edges")
        measured("page", lambda: found.write_html(Path(name) / "page.html"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("level", "tail", "ties", "scale", "tiles", "join"))
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--folder", help="of scale: where tiles are kept")
    parser.add_argument("--jobs", type=int, default=2, help="of scale")
    parser.add_argument("--only", help="of level: this kind of columns, which is printed and not saved")
    chosen = parser.parse_args()
    globals()[chosen.what](chosen)
