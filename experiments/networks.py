"""Networks: the level of p and FDR, the tail of the null law, and scale; for graphs that are known, network_truth.py.

    python experiments/networks.py level     # 4 minutes of one core: results/networks-level.csv
    python experiments/networks.py tail      # 2 minutes: results/networks-tail.csv
    python experiments/networks.py ties      # half a minute: results/networks-ties.csv
    python experiments/networks.py scale --columns 1000

Seeds start at 1,001: what was tried while the method was made has seeds below.
"""

import argparse
import csv
import time
from pathlib import Path

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

COLUMNS, BLOCK = 40, 5


def blocks(n: int, rng: np.random.Generator) -> np.ndarray:
    """Columns in blocks that share a factor; blocks are independent."""
    factors = np.repeat(rng.normal(size=(n, COLUMNS // BLOCK)), BLOCK, axis=1)
    return factors + rng.normal(size=(n, COLUMNS))


def independent(n: int, rng: np.random.Generator) -> np.ndarray:
    """Heavy-tailed columns."""
    return rng.standard_t(2, size=(n, COLUMNS))


def mixed(n: int, rng: np.random.Generator) -> np.ndarray:
    """Independent columns: measurements, counts and coins, a third each; the coins are declared classes."""
    X = rng.normal(size=(n, COLUMNS))
    X[:, 1::3] = rng.poisson(1.5, size=X[:, 1::3].shape)
    X[:, 2::3] = rng.random(X[:, 2::3].shape) < rng.uniform(0.1, 0.5, X[:, 2::3].shape[1])
    return X


def coins(n: int, rng: np.random.Generator) -> np.ndarray:
    """Independent coins, half of the rows each."""
    return rng.permuted(np.tile(np.arange(n) % 2, (COLUMNS, 1)), axis=1).T


def confounded(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Columns that share only what they have of two confounders, which bend them."""
    Z = rng.normal(size=(n, 2))
    a, b = rng.normal(size=(2, COLUMNS))
    return np.tanh(Z[:, :1] * a) * 2 + b * Z[:, 1:] + rng.normal(size=(n, COLUMNS)), Z


def level(args: argparse.Namespace) -> None:
    """Share of null pairs with p ≤ .05 and .001, and the mean share of false edges among all edges at 5 %."""
    rows = []
    cases = [("independent", 100, 1000), ("blocks", 100, 1000), ("independent", 30, 1000), ("blocks", 500, 60),
             ("mixed", 100, 20), ("coins", 30, 30), ("coins", 50, 30), ("confounded", 200, 20),
             ("confounded, not given", 200, 5)]  # fmt: skip
    for kind, n, repetitions in cases:
        if args.only not in (None, kind):
            continue
        small, tiny, false = [], [], []
        for seed in range(1001, 1001 + repetitions):
            rng = np.random.default_rng(seed)
            true = np.zeros((COLUMNS, COLUMNS), bool)
            options: dict = {"random_state": seed, **QUIET}
            if kind == "blocks":
                X = blocks(n, rng)
                true = np.kron(np.eye(COLUMNS // BLOCK), np.ones((BLOCK, BLOCK))).astype(bool)
            elif kind.startswith("confounded"):
                X, Z = confounded(n, rng)
                options |= {"given": Z} if kind == "confounded" else {}
            elif kind == "mixed":
                X = mixed(n, rng)
                options |= {"discrete_x": list(range(2, COLUMNS, 3))}
            elif kind == "coins":
                X = coins(n, rng)
            else:
                X = independent(n, rng)
            found = infold.network(X, **options)
            null = ~true & np.triu(np.ones_like(true), 1)
            p = found.pvalue_matrix[null]
            small.append((p <= 0.05).mean())
            tiny.append((p <= 0.001).mean())
            i, j, _ = found.edge_indices(0.05)
            false.append((~true[i, j]).mean() if i.size else 0.0)
        rows.append({
            "columns": kind, "n": n, "networks": repetitions,
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
        starts = range(0, columns, null.MANY_COLUMNS)
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


def scale(args: argparse.Namespace) -> None:
    """Processor seconds, and the peak of memory, of one network; with --tiles, of so many tiles of it."""
    import resource

    rng = np.random.default_rng(1001)
    X = rng.normal(size=(500, args.columns))
    X[:, 1:] += 0.3 * X[:, :-1]
    infold.network(X[:50, :3], **QUIET)  # kernels
    wall, processor = time.perf_counter(), time.process_time()
    found = infold.network(X, n_jobs=args.jobs, verbose=1, folder=args.folder)
    print(
        f"{args.columns} columns x 500 rows, {found.n_pairs} pairs: {time.process_time() - processor:.0f} processor "
        f"seconds, {time.perf_counter() - wall:.0f} seconds, "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; {len(found.edge_indices()[0])} edges"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("level", "tail", "ties", "scale"))
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--folder", help="of scale: where tiles are kept")
    parser.add_argument("--jobs", type=int, default=2, help="of scale")
    parser.add_argument("--only", help="of level: this kind of columns, which is printed and not saved")
    chosen = parser.parse_args()
    {"level": level, "tail": tail, "ties": ties, "scale": scale}[chosen.what](chosen)
