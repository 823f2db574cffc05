"""How near the truth each method comes; fills the tables of docs/accuracy.md.

    python experiments/accuracy.py                    estimate, and write the tables into the page
    python experiments/accuracy.py --peers            also by other packages, in an environment that is set up first
    python experiments/accuracy.py --peers-only       by other packages alone
    python experiments/accuracy.py --seeds 5          with five samples of each kind instead of two
    python experiments/accuracy.py --rows FILE        keep estimates in FILE as they come, and go on from there
    python experiments/accuracy.py --groups n500      only some tables

A table stands between `<!-- table NAME -->` and `<!-- end -->`; NAME is one of GROUPS, or "ablation".
"""

import argparse
import csv
import math
import re
import subprocess
import tempfile
import venv
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from tasks import Sample, beyond_normal, shapes
from tqdm import tqdm

import infold
from infold.core.copula.gaussian import gaussian_part
from infold.core.copula.looks import Candidate, best
from infold.core.copula.scores import copula_columns
from infold.datasets import describe_kind, kind_information, list_kinds, make_kind
from infold.datasets.random_kinds import random_kind
from infold.estimators import Adaptive

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "accuracy.md"
ENVIRONMENT = HERE / ".venv-peers"
FIRST_SEED = 1000  # no sample with a seed from here on was looked at while the method was made

PEER_ROWS = HERE / "results" / "peers.csv"  # estimates of other packages, kept with the code
PER_PROCESS = 20  # samples that go to the peers' environment at a time, so that little is lost when it is stopped

OWN = {"auto": "auto", "gaussian": "Gaussian part", "ksg": "KSG", "gksg": "G-KSG"}
PEERS = ("npeet_plus", "scikit-learn", "frites", "CCA", "ennemi", "MINE")
PACKAGES = ("npeet_plus", "scikit-learn", "frites", "ennemi", "benchmark-mi", "jax<0.4.31", "jaxlib<0.4.31")
KINDS = ("kinds500", "kinds2000", "random500", "random2000")
GROUPS = ("n500", "n2000", "noise", "shapes", "independent", *KINDS)
N_RANDOM = 60  # random kinds, numbered from FIRST_SEED on
NOISE = [("normal", 0, 1.0), ("normal", 20, 1.0), ("normal", 100, 1.0), ("normal", 600, 1.0)]
NOISE += [("uniform", 100, 1.0), ("student", 100, 1.0), ("normal", 100, 100.0), ("normal", 100, 0.01)]
OTHER_NOISE = {  # rows, columns → a table
    "integer": lambda rng, n, d: rng.poisson(2.0, (n, d)).astype(float),
    "duplicated": lambda rng, n, d: np.repeat(rng.standard_normal((n, (d + 1) // 2)), 2, axis=1)[:, :d],
    "correlated": lambda rng, n, d: rng.standard_normal((n, d)) + rng.standard_normal((n, 1)),
}
ABLATED = ("n500", "n2000", "shapes", "noise", *KINDS)
INDEPENDENT = {  # rows: (columns a side, data sets)
    200: ((1, 800), (5, 800), (20, 800), (60, 400), (300, 400)),
    500: ((1, 300), (5, 200), (60, 200), (300, 100)),
    2000: ((1, 40), (5, 40), (60, 20)),
}

Case = tuple[str, float, Sample, float]  # name, truth, sample, and what the exact densities say of it (nan: not asked)
Rows = dict[tuple[str, str, float, int, str], float]  # group, name, truth, seed, method → estimate


def cases(group: str, seed: int) -> Iterator[Case]:
    """One sample of each kind in a group."""
    if group in ("n500", "n2000", "shapes"):
        tasks = shapes() if group == "shapes" else beyond_normal()
        for number, (name, (make, truth)) in enumerate(tasks.items()):
            n = 2000 if group == "n2000" else 500
            yield name, truth, make(np.random.default_rng([seed, number, n]), n), math.nan
    elif group == "noise":
        yield from noise_cases(seed)
    elif group in ("kinds500", "kinds2000"):
        n = int(group.removeprefix("kinds"))
        for number, name in enumerate(list_kinds()):
            # Kinds of one seed are made from the same normal numbers, and err together. At n = 500 it stays so, for the
            # peers' estimates that are kept.
            first, again = (seed if n == 500 else np.random.default_rng([seed, number]) for _ in range(2))
            kind, data = describe_kind(name), make_kind(name, n, first)
            columns = f"{kind.n_x} + {kind.n_y}"
            label = name if name.endswith(columns) else f"{name}, {columns}"
            yield label, kind.mi, (data.X, data.Y), float(kind_information(name, n, again).mean())
    elif group.startswith("random"):
        n = int(group.removeprefix("random"))
        for number in range(FIRST_SEED, FIRST_SEED + N_RANDOM):
            name, law = random_kind(number)
            x, y, information = law.draw(np.random.default_rng(seed), n)
            blocks = name.removeprefix("random ").partition(";")[0]
            yield f"{blocks}, {x.shape[1]} + {y.shape[1]}", law.mi, (x, y), float(information().mean())


def noise_cases(seed: int) -> Iterator[Case]:
    """The paper's data sets with columns of pure noise."""
    for name in ("uniform", "gaussian", "helix", "sphere"):
        maker = getattr(infold.datasets, f"make_{name}")
        for kind, count, scale in NOISE:
            data = maker(500, count, noise=kind, noise_scale=scale, random_state=seed)
            times = f" × {scale:g}" if scale != 1 else ""
            label = f"{name}, {count} {kind}{times}" if count else f"{name}, no noise"
            yield label, data.best_mi, (data.X, data.Y), math.nan
        data = maker(500, random_state=seed)
        for kind, draw in OTHER_NOISE.items():
            for count in (10, 100, 600):
                rng = np.random.default_rng([seed, count])
                x, y = (np.hstack([side, draw(rng, 500, count // 2)]) for side in (data.X, data.Y))
                yield f"{name}, {count} {kind}", data.best_mi, (x, y), math.nan


WITHOUT: dict[str, Callable[[Candidate], bool]] = {  # candidates left out; blocks are kept or left out whole
    "all of it": lambda c: False,
    "the Gaussian part alone": lambda c: c.view != "gaussian",
    "all without the Gaussian part": lambda c: c.view == "gaussian",
    "all without columns": lambda c: c.view == "columns",
    "all without bumps": lambda c: c.view.startswith("bumps"),
    "all without turned columns": lambda c: c.view.startswith("turned"),
    "all without Student's copula": lambda c: c.view == "student",
    "all without blocks": lambda c: "blocks" in c.columns,
    "all without directions": lambda c: "directions" in c.columns,
    "all without the screen": lambda c: c.columns == "screened" or "blocks" in c.columns,
}


def ablated(model: Adaptive) -> dict[str, float]:
    """What auto would have answered without some of its candidates."""
    found = {}
    for label, left_out in WITHOUT.items():
        kept = [c for c in model.candidates_ if not left_out(c)]
        found[label] = best(kept).mi if kept and model.mi_ else 0.0
    return found | {"all of it": model.mi_}


def linear_part(x: np.ndarray, y: np.ndarray, seed: int) -> float:
    """Gaussian MI of normal scores of all columns; not with more than n / 3 of them."""
    x, y = (z[:, np.ptp(z, axis=0) > 0] for z in (x, y))
    if x.shape[1] + y.shape[1] > len(x) / 3:
        return math.nan
    rng = np.random.default_rng(seed)
    return gaussian_part(copula_columns(x, rng)[0], copula_columns(y, rng)[0]).mi


def own_estimates(group: str, sample: Sample, seed: int) -> dict[str, float]:
    """Every method of ours; G-KSG, which takes longest, on one sample of each task at n = 500."""
    x, y = (np.asarray(z, float) for z in sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        model = Adaptive(random_state=seed).fit(x, y)
        out = {"auto": model.mi_, "error": model.standard_error_}
        if group in ABLATED:
            out |= ablated(model)
        out |= {"gaussian": linear_part(x, y, seed), "ksg": infold.KSG().fit(x, y).mi_}
        if group in ("n500", "shapes", "kinds500") and seed == FIRST_SEED:
            out["gksg"] = infold.GeodesicKSG(random_state=seed).fit(x, y).mi_
    return out


def peer_estimates(samples: list[Sample]) -> list[dict[str, float]]:
    """Every peer on every sample, in its own environment."""
    if not ENVIRONMENT.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([ENVIRONMENT / "bin" / "pip", "install", "--quiet", *PACKAGES], check=True)
    out: list[dict[str, float]] = [{} for _ in samples]
    with tempfile.TemporaryDirectory() as folder:
        arrays = {f"{i}_{side}": z for i, sample in enumerate(samples) for side, z in zip("xy", sample, strict=True)}
        np.savez(f"{folder}/samples.npz", **arrays)
        command = [ENVIRONMENT / "bin" / "python", HERE / "peers.py", f"{folder}/samples.npz", f"{folder}/rows.csv"]
        subprocess.run(command, check=True)
        with open(f"{folder}/rows.csv", newline="") as file:
            for i, peer, value in csv.reader(file):
                out[int(i)][peer] = float(value)
    return out


def independent(rng: np.random.Generator, n: int, p: int, kind: int) -> np.ndarray:
    """A table of normal, heavy-tailed, commonly scaled, or counted columns."""
    z = rng.standard_normal((n, p))
    if kind == 1:
        return rng.standard_t(2, (n, p))
    if kind == 2:
        return z / np.sqrt(rng.chisquare(2, (n, 1)) / 2)
    return rng.poisson(1.0, (n, p)).astype(float) if kind == 3 else z


def independent_rows(rows: Rows, keep: Callable[[Rows], None]) -> None:
    """The answers of auto and KSG on data sets whose two sides know nothing of each other, four kinds in turn."""
    for n, plan in INDEPENDENT.items():
        for p, count in plan:
            name = f"n = {n:,}, {p} + {p} columns"
            for seed in tqdm(range(FIRST_SEED, FIRST_SEED + count), desc=name, leave=False, disable=None):
                if ("independent", name, 0.0, seed, "auto") in rows:
                    continue
                rng = np.random.default_rng([seed, n, p])
                x, y = independent(rng, n, p, seed % 4), independent(rng, n, p, seed % 4)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", infold.DataWarning)
                    found = {"auto": Adaptive(random_state=seed).fit(x, y).mi_, "ksg": infold.KSG().fit(x, y).mi_}
                keep({("independent", name, 0.0, seed, method): value for method, value in found.items()})


def read(path: Path | None) -> Rows:
    """Estimates that were kept in a file."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        return {(g, c, float(t), int(s), m): float(v) for g, c, t, s, m, v in csv.reader(file)}


def append(new: Rows, path: Path) -> None:
    """Keep estimates in a file."""
    with path.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([*key, f"{value:.6f}"] for key, value in new.items())


def estimate_all(seeds: int, groups: list[str], own: bool, peers: bool, path: Path | None) -> Rows:
    """Every method on every sample, group after group."""
    rows = read(PEER_ROWS) | read(path)

    def keep(new: Rows, to: Path | None = path) -> None:
        rows.update(new)
        if to is not None:
            append(new, to)

    for group in groups:
        if group == "independent" and own:
            independent_rows(rows, keep)
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            todo = list(cases(group, seed))
            keys = [(group, name, round(truth, 6), seed) for name, truth, *_ in todo]
            for key, (*_, sample, exact) in zip(tqdm(keys, desc=group, leave=False, disable=None), todo, strict=True):
                if own and (*key, "auto") not in rows:
                    found = own_estimates(group, sample, seed) | ({} if math.isnan(exact) else {"exact": exact})
                    keep({(*key, m): v for m, v in found.items()})
            left = [i for i, key in enumerate(keys) if peers and (*key, PEERS[-1]) not in rows]
            for start in tqdm(range(0, len(left), PER_PROCESS), desc=f"{group}, peers", leave=False, disable=None):
                some = left[start : start + PER_PROCESS]
                for i, found in zip(some, peer_estimates([todo[i][2] for i in some]), strict=True):
                    new = {(*keys[i], peer): value for peer, value in found.items()}
                    keep(new, PEER_ROWS)
    return rows


def gathered(rows: Rows, group: str) -> dict[tuple[str, float], dict[str, np.ndarray]]:
    """Estimates of a group: (name, truth) → method → values."""
    cells: dict[tuple[str, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (of, name, truth, _, method), value in rows.items():
        if of == group:
            cells[name, truth][method].append(value)
    return {key: {m: np.array(v) for m, v in found.items()} for key, found in cells.items()}


def number(value: float) -> str:
    """Two digits, a true minus."""
    text = f"{value:.2f}"
    return "–" if math.isnan(value) else "0.00" if text == "-0.00" else text.replace("-", "−")


def shown_methods(cells: dict[tuple[str, float], dict[str, np.ndarray]]) -> dict[str, str]:
    """Methods that have estimates: name → heading."""
    there = {m for found in cells.values() for m, values in found.items() if np.isfinite(values).any()}
    return {m: t for m, t in {**OWN, **{p: p for p in PEERS}}.items() if m in there}


def table(rows: Rows, group: str) -> str:
    """Mean estimates of a group, in bold the nearest to the truth, and mean absolute errors below."""
    cells = gathered(rows, group)
    shown = shown_methods(cells)
    errors, beyond = defaultdict(list), []
    lines = [f"| data | samples | truth | {' | '.join(shown.values())} |", f"|---|{'--:|' * (2 + len(shown))}"]
    for (name, truth), values in cells.items():
        near = {m: np.mean(np.abs(values[m] - truth)) if m in values else math.nan for m in shown}
        best = np.nanmin(list(near.values()))
        texts = [number(values[m].mean() if m in values else math.nan) for m in shown]
        texts = [f"**{t}**" if near[m] == best else t for t, m in zip(texts, shown, strict=True)]
        count = len(next(iter(values.values())))
        lines.append(f"| {name} | {count} | {number(truth)} | {' | '.join(texts)} |")
        for m in shown:
            errors[m].append(near[m])
        if "auto" in values:
            beyond += list(np.abs(values["auto"] - truth) > 2 * values["error"])
    whole = {m: not np.isnan(errors[m]).any() for m in shown}  # a mean over some rows would not compare
    for label, f in (("mean absolute error", np.mean), ("largest error of a row", np.max)):
        lines.append(f"| *{label}* | | | {' | '.join(f'{f(errors[m]):.3f}' if whole[m] else '–' for m in shown)} |")
    if beyond:
        above = max(a - k for a, k in zip(errors["auto"], errors["ksg"], strict=True))
        lines.append(
            f"\nAt worst auto is {above:+.3f} nats further from the truth than KSG (mean over a row's samples)."
        )
        lines.append(
            f"The truth is more than 2 standard errors of auto away in {np.mean(beyond):.0%} of {len(beyond)} samples."
        )
    return "\n".join(lines).replace("+-", "−").replace(" -", " −")


def summary(rows: Rows, group: str) -> str:
    """Errors of each method over the kinds of a group, one column per side and more apart."""
    cells = gathered(rows, group)
    narrow = np.array([name.endswith(", 1 + 1") for name, _ in cells])
    truths = np.array([truth for _, truth in cells])
    heads = ("kinds", "error, 1 + 1", "error, more columns", "auto on the same", "relative error")
    heads += ("bias", "too high", "largest error")
    lines = [f"| method | {' | '.join(heads)} |", f"|---|{'--:|' * len(heads)}"]
    methods = {"exact": "exact densities"} if any("exact" in v for v in cells.values()) else {}

    def mean(values: np.ndarray) -> str:
        there = values[np.isfinite(values)]
        return f"{there.mean():.3f}" if there.size else "–"

    def errors(method: str) -> tuple[np.ndarray, np.ndarray]:
        found = [v.get(method, np.array([math.nan])) for v in cells.values()]
        off = [np.abs(v - t).mean() for v, t in zip(found, truths, strict=True)]
        return np.array(off), np.array([v.mean() for v in found]) - truths

    of_auto, _ = errors("auto")
    for method, heading in (methods | shown_methods(cells)).items():
        off, signed = errors(method)
        there = np.isfinite(off)
        high = int(np.sum(signed[there] > 0.1 + 0.05 * truths[there]))
        figures = (
            f"{there.sum()} | {mean(off[narrow])} | {mean(off[~narrow])} | {mean(of_auto[there])} | "
            f"{mean(off / (0.2 + truths))} | "
            f"{signed[there].mean():+.3f} | {high} | {off[there].max():.2f}"
        )
        lines.append(f"| {heading} | {figures} |".replace("| -", "| −"))
    pairs = [(v["auto"] - t, v["error"]) for (_, t), v in cells.items() if "auto" in v]
    if pairs:
        off, error = np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
        lines.append(f"\nThe truth is within two standard errors of auto in {np.mean(np.abs(off) <= 2 * error):.0%}.")
    return "\n".join(lines)


def kinds_table(rows: Rows, group: str) -> str:
    """The summary, and a row for each kind."""
    return f"{summary(rows, group)}\n\n{table(rows, group)}"


def independent_table(rows: Rows) -> str:
    """Means, largest answers and how many are not 0."""
    lines = ["| data | samples | auto: mean | largest | not 0 | above .1 | KSG: mean | largest |", f"|---|{'--:|' * 7}"]
    everything: list[float] = []
    for (name, _), found in gathered(rows, "independent").items():
        a, k = found["auto"], found["ksg"]
        everything += list(a)
        cells = (
            f"{a.mean():.4f} | {a.max():.3f} | {np.sum(a != 0)} | {np.sum(a > 0.1)} | {k.mean():.4f} | {k.max():.3f}"
        )
        lines.append(f"| {name} | {a.size} | {cells} |".replace("-0.", "−0."))
    a = np.array(everything)
    lines.append(f"| *all* | {a.size} | {a.mean():.4f} | {a.max():.3f} | {np.sum(a != 0)} | {np.sum(a > 0.1)} | | |")
    return "\n".join(lines)


def ablation(rows: Rows) -> str:
    """Mean absolute error of auto without some of its parts, over the groups that were run."""
    groups = {g: gathered(rows, g) for g in ABLATED if any(key[0] == g and key[4] == "all of it" for key in rows)}
    lines = [f"| auto with | {' | '.join(groups)} |", f"|---|{'--:|' * len(groups)}"]
    for label in WITHOUT:
        means = [np.mean([np.abs(v[label] - t).mean() for (_, t), v in cells.items()]) for cells in groups.values()]
        lines.append(f"| {label} | {' | '.join(f'{m:.4f}' for m in means)} |")
    return "\n".join(lines)


def main() -> None:
    """Estimate, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--peers-only", action="store_true")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    chosen = parser.parse_args()
    own, peers = not chosen.peers_only, chosen.peers or chosen.peers_only
    rows = estimate_all(chosen.seeds, chosen.groups, own, peers, chosen.rows)
    page = PAGE.read_text()
    groups = {
        key[0] for key in rows if key[4] == "auto" or key[0] in chosen.groups
    }  # those with peers alone if asked for
    made = {group: kinds_table(rows, group) for group in KINDS if group in groups}
    made |= {group: table(rows, group) for group in ("n500", "n2000", "noise", "shapes") if group in groups}
    made |= {"independent": independent_table(rows)} if "independent" in groups else {}
    made |= {"ablation": ablation(rows)} if any(key[4] == "all of it" and key[0] in ABLATED for key in rows) else {}
    for name, filled in made.items():
        pattern = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
        page = re.sub(pattern, lambda m, filled=filled: f"{m[1]}\n{filled}\n\n{m[2]}", page, flags=re.DOTALL)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
