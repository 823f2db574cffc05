"""How near the truth each method comes; fills the tables of docs/accuracy.md.

    python experiments/accuracy.py                    estimate, and write the tables into the page
    python experiments/accuracy.py --peers            also by other packages, in an environment that is set up first
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
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from tasks import Sample, beyond_normal, shapes
from tqdm import tqdm

import infold
from infold.core.copula import surrogates
from infold.core.copula.choice import ALPHA_DEPENDENT, choose
from infold.estimators import Adaptive

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "accuracy.md"
ENVIRONMENT = HERE / ".venv-peers"
FIRST_SEED = 1000  # no sample with a seed from here on was looked at while the method was made

OWN = {"auto": "auto", "gaussian": "Gaussian part", "ksg": "KSG", "gksg": "G-KSG"}
PEERS = ("npeet_plus", "scikit-learn", "frites", "CCA")
GROUPS = ("n500", "n2000", "noise", "shapes", "independent")
NOISE = [("normal", 0, 1.0), ("normal", 20, 1.0), ("normal", 100, 1.0), ("normal", 600, 1.0)]
NOISE += [("uniform", 100, 1.0), ("student", 100, 1.0), ("normal", 100, 100.0), ("normal", 100, 0.01)]
OTHER_NOISE = {  # rows, columns → a table
    "integer": lambda rng, n, d: rng.poisson(2.0, (n, d)).astype(float),
    "duplicated": lambda rng, n, d: np.repeat(rng.standard_normal((n, (d + 1) // 2)), 2, axis=1)[:, :d],
    "correlated": lambda rng, n, d: rng.standard_normal((n, d)) + rng.standard_normal((n, 1)),
}
INDEPENDENT = {  # rows: (columns a side, data sets)
    200: ((1, 800), (5, 800), (20, 800), (60, 400), (300, 400)),
    500: ((1, 300), (5, 200), (60, 200), (300, 100)),
    2000: ((1, 40), (5, 40), (60, 20)),
}

VIEWS = {
    "the linear part alone": (),
    "and columns": ("columns",),
    "and radii": ("columns", "radii"),
    "and turned coordinates": ("columns", "radii", "turned"),
    "and curved coordinates": ("columns", "radii", "turned", "curved"),
    "and the sharp look: all of it": ("columns", "radii", "turned", "curved", "sharp"),
    "all without columns": ("radii", "turned", "curved", "sharp"),
    "all without radii": ("columns", "turned", "curved", "sharp"),
    "all without turned coordinates": ("columns", "radii", "curved", "sharp"),
}

WITHOUT = ("all without making up for KSG's loss", "all without the smooth look", "all without the screen")

Case = tuple[str, str, float, Sample]  # group, name, truth, sample
Rows = dict[tuple[str, str, float, int, str], float]  # group, name, truth, seed, method → estimate


def cases(group: str, seed: int) -> Iterator[Case]:
    """One sample of each kind in a group."""
    if group in ("n500", "n2000", "shapes"):
        tasks = shapes() if group == "shapes" else beyond_normal()
        for number, (name, (make, truth)) in enumerate(tasks.items()):
            n = 2000 if group == "n2000" else 500
            yield group, name, truth, make(np.random.default_rng([seed, number, n]), n)
    elif group == "noise":
        for name in ("uniform", "gaussian", "helix", "sphere"):
            maker = getattr(infold.datasets, f"make_{name}")
            for kind, count, scale in NOISE:
                data = maker(500, count, noise=kind, noise_scale=scale, random_state=seed)
                times = f" × {scale:g}" if scale != 1 else ""
                label = f"{name}, {count} {kind}{times}" if count else f"{name}, no noise"
                yield group, label, data.best_mi, (data.X, data.Y)
            data = maker(500, random_state=seed)
            for kind, draw in OTHER_NOISE.items():
                for count in (10, 100, 600):
                    rng = np.random.default_rng([seed, count])
                    x, y = (np.hstack([side, draw(rng, 500, count // 2)]) for side in (data.X, data.Y))
                    yield group, f"{name}, {count} {kind}", data.best_mi, (x, y)


def auto(x: np.ndarray, y: np.ndarray, seed: int) -> dict[str, float]:
    """The answer, its standard error, and what it would have been without some views."""
    model = Adaptive(random_state=seed).fit(x, y)
    out = {"auto": model.mi_, "error": model.standard_error_}
    for label, kept in VIEWS.items():
        allowed = [c for c in model.candidates_ if c.view.split()[0] in ("gaussian", *kept)]
        out[label] = choose(allowed)[0].mi if allowed and model.pvalue_ < ALPHA_DEPENDENT else 0.0
    as_shown = [replace(c, excess=c.excess * c.share, share=1.0) for c in model.candidates_]
    out["all without making up for KSG's loss"] = choose(as_shown)[0].mi if model.mi_ else 0.0
    one_set = [c for c in model.candidates_ if c.columns == "all"]
    out["all without the screen"] = choose(one_set)[0].mi if one_set and model.pvalue_ < ALPHA_DEPENDENT else 0.0
    out["all without the smooth look"] = model.mi_
    if model.columns_x_.size == model.columns_y_.size == 1:  # elsewhere there is no smooth look
        with patch.object(surrogates, "proven_by_either", lambda usual, smooth: usual):
            out["all without the smooth look"] = Adaptive(random_state=seed).fit(x, y).mi_
    linear = [c.linear for c in model.candidates_ if c.columns == "all"]
    return out | {"gaussian": linear[0] if linear else math.nan}


def own_estimates(group: str, sample: Sample, seed: int) -> dict[str, float]:
    """Every method of ours; G-KSG, which takes longest, on one sample of each task at n = 500."""
    x, y = (np.asarray(z, float) for z in sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        out = auto(x, y, seed) | {"ksg": infold.KSG().fit(x, y).mi_}
        if group in ("n500", "shapes") and seed == FIRST_SEED:
            out["gksg"] = infold.GeodesicKSG(random_state=seed).fit(x, y).mi_
    return out


def peer_estimates(samples: list[Sample]) -> list[dict[str, float]]:
    """Every peer on every sample, in its own environment."""
    if not ENVIRONMENT.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        pip = [ENVIRONMENT / "bin" / "pip", "install", "--quiet", "npeet_plus", "scikit-learn", "frites"]
        subprocess.run(pip, check=True)
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


def estimate_all(seeds: int, groups: list[str], peers: bool, path: Path | None) -> Rows:
    """Every method on every sample, group after group."""
    rows: Rows = {}
    if path is not None and path.exists():
        with path.open(newline="") as file:
            rows = {(g, c, float(t), int(s), m): float(v) for g, c, t, s, m, v in csv.reader(file)}

    def keep(new: Rows) -> None:
        rows.update(new)
        if path is not None:
            with path.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([*key, f"{value:.6f}"] for key, value in new.items())

    for group in groups:
        if group == "independent":
            independent_rows(rows, keep)
        for seed in range(FIRST_SEED, FIRST_SEED + seeds):
            todo = list(cases(group, seed))
            keys = [(group, name, round(truth, 6), seed) for _, name, truth, _ in todo]
            for key, case in zip(tqdm(keys, desc=group, leave=False, disable=None), todo, strict=True):
                if (*key, "auto") not in rows:
                    keep({(*key, m): v for m, v in own_estimates(group, case[3], seed).items()})
            if peers and todo and (*keys[0], PEERS[0]) not in rows:
                for key, found in zip(keys, peer_estimates([case[3] for case in todo]), strict=True):
                    keep({(*key, peer): value for peer, value in found.items()})
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


def table(rows: Rows, group: str) -> str:
    """Mean estimates of a group, in bold the nearest to the truth, and mean absolute errors below."""
    cells = gathered(rows, group)
    shown = {m: t for m, t in {**OWN, **{p: p for p in PEERS}}.items() if any(m in v for v in cells.values())}
    errors, beyond = defaultdict(list), []
    lines = [f"| data | samples | truth | {' | '.join(shown.values())} |", f"|---|{'--:|' * (2 + len(shown))}"]
    for (name, truth), values in cells.items():
        near = {m: np.mean(np.abs(values[m] - truth)) if m in values else math.nan for m in shown}
        best = np.nanmin(list(near.values()))
        texts = [number(values[m].mean() if m in values else math.nan) for m in shown]
        texts = [f"**{t}**" if near[m] == best else t for t, m in zip(texts, shown, strict=True)]
        lines.append(f"| {name} | {len(values['auto'])} | {number(truth)} | {' | '.join(texts)} |")
        for m in shown:
            errors[m].append(near[m])
        beyond += list(np.abs(values["auto"] - truth) > 2 * values["error"])
    whole = {m: not np.isnan(errors[m]).any() for m in shown}  # a mean over some rows would not compare
    for label, f in (("mean absolute error", np.mean), ("largest error of a row", np.max)):
        lines.append(f"| *{label}* | | | {' | '.join(f'{f(errors[m]):.3f}' if whole[m] else '–' for m in shown)} |")
    above = max(a - k for a, k in zip(errors["auto"], errors["ksg"], strict=True))
    lines.append(f"\nAt worst auto is {above:+.3f} nats further from the truth than KSG (mean over a row's samples).")
    lines.append(
        f"The truth is more than 2 standard errors of auto away in {np.mean(beyond):.0%} of {len(beyond)} samples."
    )
    return "\n".join(lines).replace("+-", "−").replace(" -", " −")


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
    """Mean absolute error with fewer views, over the groups that were run."""
    groups = {g: gathered(rows, g) for g in ("n500", "n2000", "shapes", "noise") if gathered(rows, g)}
    lines = [f"| auto with | {' | '.join(groups)} |", f"|---|{'--:|' * len(groups)}"]
    for label in [*VIEWS, *WITHOUT]:
        means = [np.mean([np.abs(v[label] - t).mean() for (_, t), v in cells.items()]) for cells in groups.values()]
        lines.append(f"| {label} | {' | '.join(f'{m:.4f}' for m in means)} |")
    return "\n".join(lines)


def main() -> None:
    """Estimate, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    chosen = parser.parse_args()
    rows = estimate_all(chosen.seeds, chosen.groups, chosen.peers, chosen.rows)
    page = PAGE.read_text()
    for group in {key[0] for key in rows} | {"ablation"}:
        made = {"ablation": ablation, "independent": independent_table}.get(group)
        filled = made(rows) if made else table(rows, group)
        pattern = rf"(<!-- table {group} -->\n).*?(<!-- end -->)"
        page = re.sub(pattern, lambda m, filled=filled: f"{m[1]}\n{filled}\n\n{m[2]}", page, flags=re.DOTALL)
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
