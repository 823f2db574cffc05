"""Why the paper's G-KSG rises with the number of rows, and what `local_distance="everywhere"` does. Markdown tables.

python experiments/large_n.py rows|ties|tasks|causes REPETITIONS [N …]

`rows` and `ties` take numbers of rows; `tasks` has the paper's 500, `causes` 10,000.
"""

import sys

import numpy as np

import infold
from infold.core.distance import LOCAL_DISTANCES
from infold.core.forest import compact, grow_forest, leaf_nodes, marginal_leaves
from infold.core.geodesic import by_walking
from infold.core.scaling import standardized
from infold.datasets import make_gaussian, make_helix, make_independent, make_sphere, make_uniform
from infold.estimators.geodesic import forest_plan

FIRST_SEED = 100
LARGE = 10_000  # rows, from which on estimates from several columns a side are averages over 1,000 of them
CHANGES = (
    {},
    {"n_estimators": 100},
    {"n_estimators": 1000},
    {"min_samples_split": 32},
    {"min_samples_split": 1000},
    {"split_search": "exact"},
)
DATA = ((make_uniform, 0), (make_uniform, 8), (make_gaussian, 0), (make_independent, 0), (make_independent, 8))


def columns(noise):
    """Return "1+1" and so on."""
    return f"{1 + noise // 2}+{1 + noise // 2}"


def gksg(data, seed, **settings):
    """Return the estimates of G-KSG with the paper's distance, and with local distances everywhere."""
    model = infold.GeodesicKSG(random_state=seed, n_jobs=1, **settings)
    return [model.set_params(local_distance=name).fit(data.X, data.Y).mi_ for name in ("paper", "everywhere")]


def cells(found):
    """Return means and standard errors of the columns of `found`, as cells of a table."""
    error = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    both = zip(np.mean(found, axis=0), error, strict=True)
    return " | ".join(f"{mean:.3f} ± {one:.3f}" if np.isfinite(mean) else "–" for mean, one in both)


def print_rows(repetitions, sizes):
    """Print KSG and G-KSG for more and more rows."""
    print("| data | columns | truth | n | samples | KSG | G-KSG, paper | G-KSG, everywhere |")
    print("|---|---|--:|--:|--:|--:|--:|--:|")
    for make, noise in DATA:
        for n in sizes:
            found, asked = [], {"max_queries": 1000} if n >= LARGE and noise else {}
            for seed in range(FIRST_SEED, FIRST_SEED + repetitions):
                data = make(n, noise, random_state=seed)
                # KSG takes minutes on many rows of several columns, and is far below the truth there
                ksg = np.nan if n > LARGE and noise else infold.KSG(n_jobs=1).fit(data.X, data.Y).mi_
                found.append([ksg, *gksg(data, seed, **asked)])
            where = f"| {data.name} | {columns(noise)} | {data.best_mi:.2f} | {n:,} | {len(found)}"
            print(f"{where} | {cells(found)} |", flush=True)


def print_tasks(repetitions):
    """Print the paper's tasks: n = 500, its settings but for the standardised columns and the search."""
    print("| data | noise columns | truth | paper | everywhere | everywhere − paper |\n|---|--:|--:|--:|--:|--:|")
    for make in (make_uniform, make_gaussian, make_helix, make_sphere, make_independent):
        for noise in (0, 4, 20):
            found = []
            for seed in range(FIRST_SEED, FIRST_SEED + repetitions):
                data = make(500, noise, random_state=seed)
                paper, everywhere = gksg(data, seed)
                found.append([paper, everywhere, everywhere - paper])
            print(f"| {data.name} | {noise} | {data.best_mi:.2f} | {cells(found)} |", flush=True)


def grown_elsewhere(data, seed):
    """Return what `gksg` does for the second half of the rows of 1+1 columns, in trees grown on the first half."""
    points = standardized(np.concatenate((data.X, data.Y), axis=1).T)
    half = points.shape[1] // 2
    forest = grow_forest(points[:, :half].copy(), plan_of(seed, half), n_jobs=1, verbose=0)
    rows = points[:, half:].copy()
    leaves = [compact(leaf_nodes(forest, rows, np.arange(2) == side, n_jobs=1, verbose=0)) for side in range(2)]
    variants = LOCAL_DISTANCES["paper"], LOCAL_DISTANCES["everywhere"]
    return [by_walking(*rows, *leaves, variant, 3, n_jobs=1, verbose=0).mean() for variant in variants]


def plan_of(seed, n):
    """Return how G-KSG grows its forest on n rows."""
    return forest_plan(infold.GeodesicKSG(random_state=seed), n)


def print_causes(repetitions, n=LARGE):
    """Print what other trees change, and trees that have not seen the rows that are counted."""
    print(f"n = {n:,}, {repetitions} samples\n\n| data, columns | trees | paper | everywhere |\n|---|---|--:|--:|")
    seeds = range(FIRST_SEED, FIRST_SEED + repetitions)
    for make, noise in DATA:
        for change in CHANGES:
            settings = change | ({"max_queries": 1000} if noise else {})
            found = [gksg(make(n, noise, random_state=seed), seed, **settings) for seed in seeds]
            what = ", ".join(f"{name}={value}" for name, value in change.items()) or "default"
            print(f"| {make.__name__[5:]} {columns(noise)} | {what} | {cells(found)} |", flush=True)
        if not noise:
            found = [grown_elsewhere(make(2 * n, random_state=seed), seed) for seed in seeds]
            print(f"| {make.__name__[5:]} {columns(noise)} | grown on other rows | {cells(found)} |", flush=True)


def print_ties(repetitions, sizes, asked=300, k=3):
    """Print how many rows are nearer than the third neighbour, and how many are as many trees away.

    Where the third neighbour is 0 trees away distances within leaves decide, and there are no ties.
    """
    print("| data, columns | n | nearer | as far | radius, of all trees | at all trees |\n|---|--:|--:|--:|--:|--:|")
    for make, noise in DATA:
        for n in sizes:
            found = []
            for seed in range(FIRST_SEED, FIRST_SEED + repetitions):
                data = make(n, noise, random_state=seed)
                points = standardized(np.concatenate((data.X, data.Y), axis=1).T)
                is_x = np.arange(len(points)) < data.X.shape[1]
                leaves = marginal_leaves(points, plan_of(seed, n), is_x, n_jobs=1, verbose=0)
                for row in range(asked):
                    apart = np.maximum(*(np.sum(side != side[:, row : row + 1], axis=0) for side in leaves))
                    radius = np.partition(apart, k)[k]  # the row itself is the nearest
                    counts = (np.sum(apart < radius) - 1, np.sum(apart == radius)) if radius else (k - 1, 1)
                    found.append((*counts, radius / len(leaves[0]), radius == len(leaves[0])))
            nearer, as_far, radius, at_all = np.mean(found, axis=0)
            where = f"| {make.__name__[5:]} {columns(noise)} | {n:,}"
            print(f"{where} | {nearer:.2f} | {as_far:,.1f} | {radius:.2f} | {at_all:.1%} |", flush=True)


if __name__ == "__main__":
    table, repetitions, *sizes = sys.argv[1:]
    if table in ("rows", "ties"):
        {"rows": print_rows, "ties": print_ties}[table](int(repetitions), [int(n) for n in sizes])
    else:
        {"tasks": print_tasks, "causes": print_causes}[table](int(repetitions))
