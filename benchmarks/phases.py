"""Where the time of G-KSG goes: growing trees, sending rows to leaves, counting neighbours. One thread.

python benchmarks/phases.py            # 2,000 and 10,000 rows, a minute or two
python benchmarks/phases.py --rows 500
"""

import argparse
import time

import numpy as np

from infold import datasets
from infold.core.forest.forest import Plan, default_min_samples_split, grow_trees, leaf_type, renumber
from infold.core.forest.route import route, sorted_rows
from infold.core.forest.tree import Tree
from infold.core.geodesic.counts import geodesic_counts
from infold.core.geodesic.distance import local_part
from infold.core.scaling import standardized

TREES, K = 300, 3


def timed(function, *arguments):
    """Return (answer, processor seconds of this thread)."""
    start = time.thread_time()
    answer = function(*arguments)
    return answer, time.thread_time() - start


def grown(points, block_bits, plan):
    return [Tree(*(array.copy() for array in tree)) for tree in grow_trees(points, block_bits, plan, plan.seeds)]


def routed(trees, points, sorted_columns, block_of, orders, leaves):
    node = np.empty(points.shape[1], np.int32)
    for t, tree in enumerate(trees):
        for b, order in enumerate(orders):
            route(tree, points, sorted_columns, block_of == b, node)
            renumber(node, order, tree.cut.size, leaves[b, t])


def counted(leaves, points, sizes, orders, local):
    n = points.shape[1]
    return geodesic_counts(leaves, points, sizes, orders, local, (1, 2), K, np.arange(n), n_jobs=1, verbose=0)


def phases(data, n_trees=TREES):
    """Return (seconds to grow, to route, to count, mean splits of a tree, most leaves of a tree)."""
    points = standardized(np.ascontiguousarray(np.hstack([data.X, data.Y]).T))
    n, sizes = points.shape[1], [data.X.shape[1], data.Y.shape[1]]
    block_of, starts = np.repeat([0, 1], sizes), (0, sizes[0])
    seeds = np.arange(1, n_trees + 1, dtype=np.uint64)
    plan = Plan(seeds, "fast_bic", n, default_min_samples_split(n))
    orders = [
        np.argsort(points[first]) if size == 1 else np.arange(n) for first, size in zip(starts, sizes, strict=True)
    ]
    leaves = np.empty((2, n_trees, n), leaf_type(plan, n))
    trees, growing = timed(grown, points, 1 << block_of, plan)
    order, sorting = timed(sorted_rows, points)
    _, routing = timed(routed, trees, points, order, block_of, orders, leaves)
    local = local_part("paper", n_trees, [points[: sizes[0]], points[sizes[0] :]])
    _, counting = timed(counted, leaves, points, sizes, orders, local)
    splits = float(np.mean([np.count_nonzero(tree.left >= 0) for tree in trees]))
    return growing, sorting + routing, counting, splits, int(leaves.max()) + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 10_000])
    options = parser.parse_args()
    tasks = [(f"{name}, {2 + noise} columns", name, noise) for name in ("uniform", "gaussian") for noise in (0, 18, 48)]
    phases(datasets.make_uniform(300, 2, random_state=0), 5)  # compiles kernels, or loads them
    phases(datasets.make_uniform(300, 0, random_state=0), 5)
    print(f"Seconds of one thread for {TREES} trees:\n")
    print("| data | n | grow | find leaves | count | splits per tree | µs per split | most leaves |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for n in options.rows:
        for label, name, noise in tasks:
            data = getattr(datasets, f"make_{name}")(n, noise, random_state=0)
            growing, routing, counting, splits, most = phases(data)
            each = 1e6 * growing / TREES / splits
            seconds = f"{growing:.2f} | {routing:.2f} | {counting:.2f}"
            print(f"| {label} | {n:,} | {seconds} | {splits:.0f} | {each:.1f} | {most} |", flush=True)


if __name__ == "__main__":
    main()
