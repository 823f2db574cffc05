"""What each special path of the core buys: the same computation with and without it, in turns.

    python benchmarks/paths.py                      # all, about twenty minutes
    python benchmarks/paths.py --quick              # small samples
    python benchmarks/paths.py --only boxes slots   # some

"Without" is a copy of `infold.core` in a temporary folder, with one place of its source changed. Each version has a
process of its own: with both in one, whichever is loaded second looks its kernels up anew at every call. `part` is the
phase that the path belongs to (growing trees, finding leaves, counting neighbours), `whole` the estimate. Processor
seconds of one thread, the least of several alternating runs. `lines` are those of the functions that only this path
needs.
"""

import argparse
import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import infold.core

TREES, K = 300, 3
RUNS, PATIENCE = 9, 3.0  # runs of either, fewer once they took so many seconds
SMALL = 500  # rows of a quick look


class Special(NamedTuple):
    """A special path: where it is, and how to do without."""

    title: str
    functions: tuple[str, ...]  # "knn.boxes" (a whole module) or "knn.sorted:sorted_counts"
    file: str
    old: str
    new: str
    part: str  # counts, grow, route or count
    cases: tuple[tuple[str, int, int], ...]  # data, rows, columns in all


FOREST_CASES = (
    ("uniform", 2_000, 20),
    ("gaussian", 2_000, 2),
    ("correlated", 2_000, 20),
    ("uniform", 10_000, 20),
)
KSG_CASES = (
    ("correlated", 500, 2),
    ("correlated", 2_000, 2),
    ("correlated", 20_000, 2),
    ("correlated", 2_000, 6),
    ("correlated", 20_000, 6),
    ("correlated", 20_000, 10),
)
PATHS = {
    "boxes": Special(
        "boxes instead of a scan (KSG)",
        ("knn.boxes", "knn.counts:_by_boxes", "knn.counts:_visited_share"),
        "knn/counts.py",
        "if EUCLIDEAN not in norms and boxes_may_pay(d, n):",
        "if False:",
        "ksg",
        KSG_CASES,
    ),
    "sorted": Special(
        "counts in one column by binary search instead of boxes (KSG)",
        ("knn.sorted:sorted_counts",),
        "knn/counts.py",
        "if len(own) == 1:",
        "if len(own) < 0:",
        "ksg",
        (("correlated", 2_000, 2), ("correlated", 20_000, 2), ("correlated", 100_000, 2)),
    ),
    "classes": Special(
        "one column sorted within classes instead of boxes (KSG)",
        ("knn.classes",),
        "knn/ksg.py",
        "elif np.count_nonzero(nominal) == len(nominal) - 1 and not strict:",
        "elif False:",
        "classes",
        (("correlated", 500, 2), ("correlated", 2_000, 2), ("correlated", 20_000, 2)),
    ),
    "along": Special(
        "running sums along a one-column block",
        ("geodesic.apart:leaf_ends", "geodesic.apart:fill_apart_along"),
        "geodesic/counts.py",
        "orders[b] if size == 1 else None",
        "None",
        "count",
        (("uniform", 2_000, 2), ("gaussian", 2_000, 2), ("uniform", 10_000, 2), ("gaussian", 10_000, 2)),
    ),
    "bytes": Special(
        "leaf ids as bytes where they fit",
        (),
        "forest/forest.py",
        "return leaves.astype(np.uint8) if leaves.max() < 256 else leaves",
        "return leaves",
        "count",
        (("uniform", 2_000, 20), ("correlated", 2_000, 20), ("uniform", 10_000, 20)),
    ),
    "bins": Special(
        "bins instead of every cut (split_search)",
        (
            "forest.columns:bin_column",
            "forest.columns:group_rows",
            "forest.columns:count_bins",
            "forest.columns:sum_edges",
        ),
        "forest/forest.py",
        "Search(CRITERIA[plan.criterion], plan.exact,",
        "Search(CRITERIA[plan.criterion], True,",
        "grow",
        FOREST_CASES,
    ),
    "slots": Special(
        "columns kept along a chain instead of binned anew",
        ("forest.tree:refresh_column", "forest.tree:projection_key"),
        "forest/columns.py",
        "RENEW = 1.6",
        "RENEW = 0.0",
        "grow",
        FOREST_CASES,
    ),
    "groups": Special(
        "rows sent to leaves in groups instead of one by one",
        (
            "forest.route:sorted_rows",
            "forest.route:part_by_column",
            "forest.route:part_by_sum",
            "forest.route:route_groups",
        ),
        "forest/route.py",
        "        route_groups(tree, terms, points, order, base, mark, goal)\n        for i",
        "        goal[0] = 0\n        for i in range(mark.size):\n            mark[i] = 0\n        for i",
        "route",
        FOREST_CASES,
    ),
    "sample": Special(
        "sums of features tried on a sample of rows first",
        ("forest.tree:may_win", "forest.columns:edge_score"),
        "forest/tree.py",
        "    if search.exact or search.criterion != FAST_BIC or best_score == np.inf or n_here <= SAMPLE:\n",
        "    if n_here >= 0:\n",
        "grow",
        FOREST_CASES,
    ),
    "reach": Special(
        "branches that no row can reach left out",
        (),
        "forest/forest.py",
        "grow_trees(points, 1 << block_of, plan,",
        "grow_trees(points, np.ones_like(block_of), plan,",
        "grow",
        FOREST_CASES,
    ),
    "logs": Special(
        "logarithms several at a time instead of math.log",
        ("forest.criterion:replace_by_logs",),
        "forest/criterion.py",
        "        replace_by_logs(left)\n        replace_by_logs(right)\n",
        "        for i in range(n):\n            left[i], right[i] = math.log(left[i]), math.log(right[i])\n",
        "grow",
        FOREST_CASES,
    ),
}


def changed_core(name: str, path: Special, folder: Path) -> str | None:
    """Return the name of a package: a copy of the core without the path; None if that place is not in the source."""
    package, source = f"without_{name}", Path(infold.core.__file__).parent
    shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / package / path.file
    text = file.read_text()
    if text.count(path.old) != 1:
        print(f"{name} is left out: {path.file} does not have {path.old!r} once.", file=sys.stderr)
        return None
    file.write_text(text.replace(path.old, path.new))
    return package


def n_lines(functions: tuple[str, ...]) -> str:
    """Return how many lines the functions have."""
    total = 0
    for name in functions:
        module, _, function = name.partition(":")
        thing = importlib.import_module(f"infold.core.{module}")
        if function:
            thing = getattr(thing, function)
            thing = getattr(thing, "py_func", thing)
        total += len(inspect.getsource(thing).splitlines())
    return str(total) if total else "a few"


def sample(data: str, n: int, d: int) -> np.ndarray:
    """Return standardised columns (d, n); the first half is X."""
    if data == "correlated":  # pairs of Gaussian columns
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, d // 2))
        table = np.hstack([X, 0.6 * X + 0.8 * rng.standard_normal(X.shape)])
    else:
        made = getattr(infold.datasets, f"make_{data}")(n, d - 2, random_state=0)
        table = np.hstack([made.X, made.Y])
    return np.ascontiguousarray(((table - table.mean(axis=0)) / table.std(axis=0)).T)


class Core:
    """The phases of an estimate by one version of the core, on one thread."""

    def __init__(self, package: str, points: np.ndarray) -> None:
        names = ("knn.ksg", "forest.forest", "forest.route", "geodesic.counts", "geodesic.distance", "geodesic.gksg")
        self.modules = {name: importlib.import_module(f"{package}.{name}") for name in names}
        forest, (d, n) = self.modules["forest.forest"], points.shape
        self.points, self.sizes, self.n = points, [d // 2, d - d // 2], n
        seeds, rows = np.arange(1, TREES + 1, dtype=np.uint64), min(n, 10_000)
        self.plan = forest.Plan(seeds, "fast_bic", rows, forest.default_min_samples_split(rows))
        self.orders = [np.argsort(points[f]) if d == 2 else np.arange(n) for f in (0, d // 2)]

    def ksg(self) -> None:
        self.modules["knn.ksg"].local_ksg(self.points.copy(), self.sizes, K)

    def classes(self) -> None:  # the last column is one of three
        points, nominal = self.points.copy(), np.arange(len(self.points)) == len(self.points) - 1
        points[-1] = np.digitize(points[-1], [-0.5, 0.5])
        self.modules["knn.ksg"].local_ksg(points, self.sizes, K, nominal=nominal)

    def gksg(self) -> None:
        self.modules["geodesic.gksg"].local_gksg(self.points.copy(), self.sizes, self.plan, K)

    def leaves(self) -> np.ndarray:
        make = self.modules["forest.forest"].marginal_leaves
        return make(self.points, self.sizes, self.plan, self.orders, n_jobs=1, verbose=0)

    def grow(self) -> None:  # leaves are found as well, which takes little
        self.leaves()

    def route(self) -> None:
        if not hasattr(self, "forest"):
            self.forest = self.modules["forest.forest"].grow_forest(self.points, self.plan, n_jobs=1, verbose=0)
        used = np.arange(len(self.points)) < self.sizes[0]
        self.modules["forest.forest"].leaf_nodes(self.forest, self.points, used, n_jobs=1, verbose=0)

    def count(self) -> None:
        if not hasattr(self, "ids"):
            self.ids = self.leaves()
            blocks = [self.points[: self.sizes[0]], self.points[self.sizes[0] :]]
            self.local = self.modules["geodesic.distance"].local_part("paper", TREES, blocks)
        count = self.modules["geodesic.counts"].geodesic_counts
        rows = np.arange(self.n)
        count(self.ids, self.points, self.sizes, self.orders, self.local, (1, 2), K, rows, n_jobs=1, verbose=0)


def answer_requests(package: str) -> None:
    """Read requests [data, n, d, phase], one a line; answer with the processor seconds of one run."""
    cores: dict[tuple, Core] = {}
    for line in sys.stdin:
        *case, phase = json.loads(line)
        if tuple(case) not in cores:
            cores = {tuple(case): Core(package, sample(*case))}
        start = time.thread_time()
        getattr(cores[tuple(case)], phase)()
        print(time.thread_time() - start, flush=True)


class Worker:
    """A process with one version of the core."""

    def __init__(self, package: str, folder: str) -> None:
        path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
        command = [sys.executable, __file__, "--package", package]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, **pipes)

    def seconds(self, *request) -> float:
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def measured(workers: list[Worker], *request) -> str:
    """Return cells: with, without, and their ratio; the first two runs are not counted."""
    for _ in range(2):
        [worker.seconds(*request) for worker in workers]
    found, start = [], time.perf_counter()
    while len(found) < 2 or (len(found) < RUNS and time.perf_counter() - start < PATIENCE):
        found.append([worker.seconds(*request) for worker in workers])
    ours, without = np.min(found, axis=0)
    return f"{1e3 * ours:.2f} ms | {1e3 * without:.2f} ms | **{without / ours:.2f}**"


def measure(name: str, folder: str, quick: bool) -> None:
    """Print a line for each case of a path."""
    path = PATHS[name]
    cases = dict.fromkeys((data, min(n, SMALL), d) for data, n, d in path.cases) if quick else path.cases
    changed = changed_core(name, path, Path(folder))
    if changed is None:
        return
    workers = [Worker(package, folder) for package in ("infold.core", changed)]
    for data, n, d in cases:
        is_whole = path.part in ("ksg", "classes")
        part = "| | " if is_whole else measured(workers, data, n, d, path.part)
        whole = measured(workers, data, n, d, path.part if is_whole else "gksg")
        case = f"{data} {d // 2}+{d - d // 2}, n = {n:,}"
        print(f"| {path.title} | {n_lines(path.functions)} | {case} | {part} | {whole} |", flush=True)
    for worker in workers:
        worker.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PATHS, default=list(PATHS))
    parser.add_argument("--quick", action="store_true", help="small samples")
    parser.add_argument("--package", help=argparse.SUPPRESS)  # of a worker
    options = parser.parse_args()
    if options.package:
        answer_requests(options.package)
        return
    print("| path | lines | case | part, with | without | ratio | whole, with | without | ratio |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            measure(name, folder, options.quick)


if __name__ == "__main__":
    main()
