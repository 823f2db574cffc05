"""Power of independence tests at 5 %, beside hyppo's Dcorr and MGC: a figure.

    pip install 'infold[bench]'                   # hyppo
    python experiments/power.py [--methods ksg,gksg,auto,dcorr,mgc] [--sets 100] [--null-sets 200]

100 data sets of 100 samples for each of six dependences and 0, 4 or 20 noise columns. A test rejects if its statistic
is above the 95 % quantile of the same statistic on 200 data sets with the same margins and Y of another sample: all
methods are judged by the same rule, without the 199 permutations of each data set. Writes experiments/results/power.csv
and power.png; what is there already is not computed again.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np

import infold

RESULTS = Path(__file__).parent / "results" / "power.csv"
N, NOISE = 100, (0, 4, 20)
FIELDS = ["method", "task", "noise", "power", "sets", "null_sets"]
TASKS = ("gaussian", "sine", "circle", "xor", "helix", "sphere")
TITLES = {"gaussian": "Gaussian, ρ = .3", "xor": "XOR"}


def sample(task: str, noise: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """X and Y, dependent; half of the noise columns on either side."""
    z = rng.standard_normal((N, 2))
    if task == "gaussian":
        X, Y = z[:, :1], 0.3 * z[:, :1] + np.sqrt(1 - 0.09) * z[:, 1:]
    elif task == "sine":
        X = rng.random((N, 1))
        Y = np.sin(4 * np.pi * X) + 0.7 * z[:, 1:]
    elif task == "circle":
        angle = 2 * np.pi * rng.random(N)
        X, Y = (np.cos(angle) + 0.3 * z[:, 0])[:, None], (np.sin(angle) + 0.3 * z[:, 1])[:, None]
    elif task == "xor":
        X = rng.standard_normal((N, 2))
        Y = (np.sign(X[:, 0] * X[:, 1]) + 0.7 * z[:, 0])[:, None]
    else:
        data = {"helix": infold.datasets.make_helix, "sphere": infold.datasets.make_sphere}[task](N, random_state=rng)
        X, Y = data.X, data.Y + data.Y.std(axis=0) * rng.standard_normal(data.Y.shape)
    extra = rng.standard_normal((2, N, noise // 2))
    tables = np.hstack([X, extra[0]]), np.hstack([Y, extra[1]])
    return tables[0] / tables[0].std(axis=0), tables[1] / tables[1].std(axis=0)  # Dcorr and MGC depend on units


def statistic(method: str, X: np.ndarray, Y: np.ndarray, seed: int) -> float:
    """What the test compares; larger means more dependent."""
    if method in ("dcorr", "mgc"):
        from hyppo.independence import MGC, Dcorr

        return float((Dcorr if method == "dcorr" else MGC)().statistic(X, Y))
    if method == "ksg":
        return infold.KSG().fit(X, Y).test_statistic_
    kind = {"gksg": infold.GeodesicKSG, "auto": infold.Adaptive}[method]
    return kind(random_state=seed).fit(X, Y).test_statistic_


def power(method: str, task: str, noise: int, sets: int, null_sets: int) -> float:
    """The share of dependent data sets above the independent ones' 95 % quantile."""

    def values(count: int, kind: int) -> np.ndarray:
        found = []
        for seed in range(count):
            rng = np.random.default_rng([kind, TASKS.index(task), noise, seed])
            X, Y = sample(task, noise, rng)
            if kind == 0:
                Y = sample(task, noise, rng)[1]
            found.append(statistic(method, X, Y, seed))
        return np.array(found)

    return float(np.mean(values(sets, 1) > np.quantile(values(null_sets, 0), 0.95, method="higher")))


def draw(rows: list[dict[str, str]]) -> None:
    """Six panels: power over noise columns, a line for each method."""
    import matplotlib.pyplot as plt

    looks = {
        "auto": ("o-", "#0072b2", "infold auto"),
        "gksg": ("s-", "#d55e00", "infold G-KSG"),
        "ksg": ("^--", "#009e73", "KSG"),
        "mgc": ("D:", "#cc79a7", "MGC"),
        "dcorr": ("v:", "#333333", "Dcorr"),
    }
    figure, axes = plt.subplots(2, 3, figsize=(8, 4.6), sharex=True, sharey=True, layout="constrained")
    for axis, task in zip(axes.flat, TASKS, strict=True):
        for method, (style, colour, label) in looks.items():
            mine = {int(r["noise"]): float(r["power"]) for r in rows if (r["method"], r["task"]) == (method, task)}
            if mine:
                places = [NOISE.index(noise) for noise in sorted(mine)]
                heights = [mine[noise] for noise in sorted(mine)]
                axis.plot(places, heights, style, color=colour, label=label, markersize=5, linewidth=1.4)
        axis.axhline(0.05, color="0.6", linewidth=0.8)
        axis.set_title(TITLES.get(task, task.capitalize()), fontsize=10)
        axis.set_xticks(range(len(NOISE)), [str(noise) for noise in NOISE])
        axis.set_ylim(-0.03, 1.05)
        axis.spines[["top", "right"]].set_visible(False)
    for axis in axes[1]:
        axis.set_xlabel("noise columns")
    for axis in axes[:, 0]:
        axis.set_ylabel("power at 5 %")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    figure.savefig(RESULTS.with_suffix(".png"), dpi=110)


def main() -> None:
    """Compute what is missing, draw, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="ksg,dcorr,mgc,gksg,auto")
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--null-sets", type=int, default=200)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # hyppo's, and those of tiny samples
    rows = list(csv.DictReader(RESULTS.open())) if RESULTS.exists() else []
    known = {(row["method"], row["task"], row["noise"]) for row in rows}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not rows:
            writer.writeheader()
        for method in arguments.methods.split(","):
            for task in TASKS:
                for noise in NOISE:
                    if (method, task, str(noise)) not in known:
                        found = power(method, task, noise, arguments.sets, arguments.null_sets)
                        values = (method, task, noise, found, arguments.sets, arguments.null_sets)
                        writer.writerow(dict(zip(FIELDS, values, strict=True)))
                        file.flush()
    rows = list(csv.DictReader(RESULTS.open()))
    draw(rows)
    print(table(rows))


def table(rows: list[dict[str, str]]) -> str:
    """Power by task and noise columns, as markdown."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = ["| dependence | noise columns | " + " | ".join(methods) + " |", "|---" * (2 + len(methods)) + "|"]
    for task in TASKS:
        for noise in NOISE:
            cells = {r["method"]: r["power"] for r in rows if (r["task"], r["noise"]) == (task, str(noise))}
            lines.append(f"| {task} | {noise} | " + " | ".join(cells.get(method, "–") for method in methods) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
