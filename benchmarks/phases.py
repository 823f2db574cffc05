"""Where the time of G-KSG goes, and how far its kernels are from what the machine can do. One thread.

python benchmarks/phases.py
"""

import time

import numba
import numpy as np

from infold import datasets
from infold.core.distance import LOCAL_DISTANCES, diameter, trees_apart
from infold.core.folded import folded_side
from infold.core.forest import Plan, compact, default_min_samples_split, router, tree_grower
from infold.core.geodesic import geodesic_local_mi
from infold.core.neighbors import digammas
from infold.core.scaling import standardized

TREES = 300


@numba.njit(nogil=True)
def bare_loop(a, b, out):
    """Add up where two rows of bytes differ: what any comparison of leaf ids must do at least."""
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[j] += np.uint8(a[i, j] != b[i])


def seconds(function, *arguments, runs=5):
    function(*arguments)
    best = np.inf
    for _ in range(runs):
        start = time.thread_time()
        function(*arguments)
        best = min(best, time.thread_time() - start)
    return best


def phases(name, data, n):
    points = standardized(np.ascontiguousarray(np.hstack([data.X, data.Y]).T))
    used = np.arange(len(points)) < data.X.shape[1]
    seeds = np.arange(1, TREES + 1, dtype=np.uint64)
    grow = tree_grower(points, Plan(seeds, "fast_bic", n, default_min_samples_split(n)), np.where(used, 1, 2))
    sends = [router(points, side) for side in (used, ~used)]
    leaves = np.empty((2, TREES, n), np.int32)
    for send in sends:
        send(next(grow(0, 1)), leaves[0, 0])
    start = time.thread_time()
    trees = list(grow(0, TREES))
    grown = time.thread_time()
    for side, send in enumerate(sends):
        for t, tree in enumerate(trees):
            send(tree, leaves[side, t])
    routed = time.thread_time()
    ids = [compact(side) for side in leaves]
    sides = [folded_side(side) for side in ids]
    x, y = points[used], points[~used]
    sizes, out, psi = (diameter(x), diameter(y)), np.empty(n), digammas(n)
    places = np.arange(n, dtype=np.int32)
    geodesic_local_mi(*sides, x, y, *sizes, LOCAL_DISTANCES["paper"], 3, psi, places[:64], out)
    begin = time.thread_time()
    geodesic_local_mi(*sides, x, y, *sizes, LOCAL_DISTANCES["paper"], 3, psi, places, out)
    counted = time.thread_time() - begin
    nodes = np.mean([np.count_nonzero(tree.left >= 0) for tree in trees])
    print(
        f"| {name} | {n:,} | {grown - start:.2f} | {routed - grown:.2f} | {counted:.2f} "
        f"| {nodes:.0f} | {(grown - start) / TREES / nodes * 1e6:.1f} | {max(i.max() for i in ids) + 1} |",
        flush=True,
    )


def main():
    print("Seconds of one thread for 300 trees:\n")
    print("| data | n | grow | find leaves | count | splits a tree | µs a split | leaves |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    rng = np.random.default_rng(0)
    for n in (2000, 10_000):
        phases("uniform, 2 + 18 noise columns", datasets.make_uniform(n, 18, random_state=0), n)
        phases("uniform, 2 + 48 noise columns", datasets.make_uniform(n, 48, random_state=0), n)
        phases("Gaussian, 2 + 18 noise columns", datasets.make_gaussian(n, 18, random_state=0), n)
    leaves = rng.integers(0, 200, size=(300, 8192)).astype(np.uint8)
    apart, total = np.empty((64, 8192), np.uint16), np.empty(8192, np.uint8)
    work = 64 * leaves.size
    rate = work / seconds(trees_apart, leaves, (0, 64), (0, 8192), apart)
    wide = work / seconds(trees_apart, leaves.astype(np.uint16), (0, 64), (0, 8192), apart)
    few = leaves[:100]  # fits the first caches
    bare = few.size / seconds(bare_loop, few, few[:, 0].copy(), total, runs=200)
    print(
        f"\nLeaf ids compared a second: {rate:.2g} (bytes), {wide:.2g} (two bytes); a bare loop over bytes: {bare:.2g}."
    )


if __name__ == "__main__":
    main()
