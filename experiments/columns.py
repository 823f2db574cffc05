"""Classes, counts and ties beside other packages and a classifier; fills the tables of docs/columns.md.

    python experiments/columns.py                     all tables, from estimates that are kept, and others as needed
    python experiments/columns.py --groups gaussian   only some of them
    python experiments/columns.py --again auto        estimates of one of our methods anew
    python experiments/columns.py --anew              forget the estimates that are kept

Estimates are kept in experiments/results/columns.csv: group, case, n, truth, sample, method, nats. Peers are installed
in an environment of their own. A table stands between `<!-- table NAME -->` and `<!-- end -->` of the page.
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
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from mixed import CASES, gaussian
from palmerpenguins import load_penguins
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import infold

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "columns.md"
ROWS = HERE / "results" / "columns.csv"
ENVIRONMENT = HERE / ".venv-columns"
PACKAGES = ("scikit-learn", "ennemi", "knncmi @ git+https://github.com/omesner/knncmi")

FIRST_SEED = 1000
METHODS = {"auto": "auto", "ksg": "KSG", "gksg": "G-KSG"}
PEERS = {"scikit-learn": "scikit-learn", "ennemi": "ennemi", "knncmi": "knncmi"}
CERTIFICATE = {"log-loss": "log-loss"}
MANY_ROWS = 5000  # known answers with more rows are drawn twice only
SAMPLES = {"known": 5, "gaussian": 2, "real": 1, "pairs": 3}
SHOWN = {
    "known": METHODS | PEERS,
    "gaussian": METHODS | {"scikit-learn": "best column"} | CERTIFICATE,
    "real": METHODS | {"scikit-learn": "best column", "knncmi": "knncmi"} | CERTIFICATE,
    "pairs": METHODS,
}
PENALTIES = (0.01, 0.1, 1.0)  # C of the logistic regression; the best one counts
N_TRUTH = 50_000

Key = tuple[str, str, int, float, int]  # group, case, n, truth, sample


class Case(NamedTuple):
    """A sample whose truth, or for real data the entropy of its classes, is known."""

    name: str
    truth: float
    x: np.ndarray
    y: np.ndarray
    discrete_x: bool = False
    discrete_y: bool = True
    k: int = 3

    def key(self, group: str, seed: int) -> Key:
        """Return what tells this sample from all others."""
        return group, self.name, len(self.x), round(self.truth, 4), seed


def known_cases(seed: int) -> Iterator[Case]:
    """The known answers that peers' tests and papers have, with their n and k."""
    cases = CASES | {"half normal .8, half .4/.4/.1/.1": (mesner_mixture, 1.0449, 1000, 7, None, "")}
    for name, (draw, truth, n, k, _, nominal) in cases.items():
        if n > MANY_ROWS and seed >= FIRST_SEED + 2:
            continue
        x, y = draw(np.random.default_rng(seed), n)
        yield Case(name, truth, x[:, None], y, "x" in nominal, "y" in nominal, k)


def mesner_mixture(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Half of the rows normal, half a pair of ± 1; Mesner & Shalizi's "mixture"."""
    cell = rng.choice(4, n, p=[0.4, 0.1, 0.1, 0.4])
    first = rng.random(n) < 0.5
    both = zip(gaussian(rng, n, 0.8), (2 * (cell // 2) - 1, 2 * (cell % 2) - 1), strict=True)
    x, y = (np.where(first, a, b) for a, b in both)
    return x, y


def class_means(n_classes: int, n_columns: int, share: float) -> tuple[np.ndarray, float]:
    """Return means of unit Gaussians whose class has about this share of its entropy in common with them, and the MI.

    Directions are random; their length is found by bisection, on one large sample of noise.
    """
    rng = np.random.default_rng([n_classes, n_columns])
    directions = rng.standard_normal((n_classes, n_columns))
    noise, label = rng.standard_normal((N_TRUTH, n_columns)), rng.integers(0, n_classes, N_TRUTH)
    along, inner = noise @ directions.T, directions @ directions.T

    def information(length: float) -> float:
        squares = np.diag(inner)
        log_density = length * along + length**2 * (inner[label] - squares / 2)  # up to what all classes share
        own = log_density[np.arange(N_TRUTH), label]
        return float(-np.mean(np.log(np.mean(np.exp(log_density - own[:, None]), axis=1))))

    low, high = 0.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if information(middle) < share * math.log(n_classes) else (low, middle)
    return low * directions, information(low)


def gaussian_cases(seed: int) -> Iterator[Case]:
    """Gaussian classes, n = 500, with and without noise columns."""
    for n_classes in (2, 3, 6):
        for n_columns in (2, 10, 30):
            for share in (0.3, 0.6, 0.9):
                means, truth = class_means(n_classes, n_columns, share)
                for noise in (0, 100):
                    rng = np.random.default_rng([seed, n_classes, n_columns, int(10 * share), noise])
                    label = rng.integers(0, n_classes, 500)
                    x = rng.standard_normal((500, n_columns + noise))
                    x[:, :n_columns] += means[label]
                    name = f"{n_classes} classes, {n_columns} columns" + (f" + {noise} of noise" if noise else "")
                    yield Case(name, truth, x, label)


def real_cases(seed: int) -> Iterator[Case]:
    """Classes of well-known tables; the entropy of the class stands for the truth, as its upper bound."""
    for name in ("iris", "wine", "breast_cancer", "digits"):
        x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield Case(name.replace("_", " "), entropy(y), x, y)
    measured = load_penguins().dropna(subset=["bill_length_mm", "sex"])
    x = measured[["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]].to_numpy()
    for target in ("species", "island", "sex"):
        y = np.unique(measured[target].to_numpy(), return_inverse=True)[1]
        yield Case(f"penguins' {target}", entropy(y), x, y)


def entropy(y: np.ndarray) -> float:
    """Return the plug-in entropy of classes."""
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return float(-np.sum(shares * np.log(shares)))


def pair_cases(seed: int) -> Iterator[Case]:
    """Pairs of images of digits, and images with a label, whose labels have a known joint law; n = 800."""
    images, digit = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(digit))
    halves = order[::2], order[1::2]  # no image is on both sides
    for number, (n_classes, flipped) in enumerate([(10, 0.0), (4, 0.0), (2, 0.0), (10, 0.2), (4, 0.2), (2, 0.2)]):
        rng = np.random.default_rng([seed, number])
        first = rng.integers(0, n_classes, 800)
        other = (first + rng.integers(1, n_classes, 800)) % n_classes
        second = np.where(rng.random(800) < flipped, other, first)
        x, y = (
            np.array([images[rng.choice(half[digit[half] == one])] for one in label])
            for half, label in zip(halves, (first, second), strict=True)
        )
        truth = math.log(n_classes)
        if flipped:
            truth += (1 - flipped) * math.log(1 - flipped) + flipped * math.log(flipped / (n_classes - 1))
        how = f"{n_classes} digits, " + (f"{flipped:.0%} of another digit" if flipped else "the same digit")
        yield Case(f"two images, {how}", truth, x, y, False, False)
        yield Case(f"image and label, {how}", truth, x, second)


GROUPS = {"known": known_cases, "gaussian": gaussian_cases, "real": real_cases, "pairs": pair_cases}


def own_estimates(group: str, case: Case, seed: int) -> dict[str, float]:
    """Every method of ours, and what a classifier certifies."""
    found = {method: own_estimate(method, case, seed) for method in METHODS}
    if "log-loss" in SHOWN[group]:
        found["log-loss"] = max(log_loss_certificate(case.x, case.y, c) for c in PENALTIES)
    return found


def own_estimate(method: str, case: Case, seed: int) -> float:
    """One method of ours."""
    options = {} if method == "ksg" else {"random_state": seed}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", infold.DataWarning)
        return infold.mutual_information(
            case.x,
            case.y,
            method=method,
            n_neighbors=case.k if method != "auto" else None,
            discrete_x=case.discrete_x,
            discrete_y=case.discrete_y,
            n_jobs=1,
            verbose=0,
            **options,
        ).mi


def log_loss_certificate(x: np.ndarray, y: np.ndarray, penalty: float) -> float:
    """Return H(Y) less the cross-entropy of a logistic regression, over ten folds."""
    model = make_pipeline(StandardScaler(), LogisticRegression(C=penalty, max_iter=2000))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    chances = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
    own = chances[np.arange(len(y)), np.unique(y, return_inverse=True)[1]]
    return entropy(y) + float(np.mean(np.log(own)))


def peers_python() -> Path:
    """Return the interpreter of the peers' environment, which is made if need be."""
    python = ENVIRONMENT / "bin" / "python"
    if not ENVIRONMENT.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        (ENVIRONMENT / ".gitignore").write_text("*\n")
        for package in PACKAGES:
            if subprocess.run([python, "-m", "pip", "install", "--quiet", package], check=False).returncode:
                print(f"{package} could not be installed, and is left out")
    return python


def peer_estimates(cases: list[Case]) -> list[dict[str, float]]:
    """Every peer on every sample."""
    out: list[dict[str, float]] = [{} for _ in cases]
    with tempfile.TemporaryDirectory() as folder:
        arrays = {}
        for i, case in enumerate(cases):
            how = np.array([case.k, case.discrete_x, case.discrete_y])
            arrays |= {f"{i}_x": case.x, f"{i}_y": case.y, f"{i}_how": how}
        np.savez(f"{folder}/samples.npz", **arrays)
        script = HERE / "column_peers.py"
        subprocess.run([peers_python(), script, f"{folder}/samples.npz", f"{folder}/found.csv"], check=True)
        with open(f"{folder}/found.csv", newline="") as file:
            for i, peer, value in csv.reader(file):
                out[int(i)][peer] = float(value)
    return out


def read() -> dict[Key, dict[str, float]]:
    """Return the estimates that are kept."""
    kept: dict[Key, dict[str, float]] = defaultdict(dict)
    if ROWS.exists():
        with ROWS.open(newline="") as file:
            for group, name, n, truth, seed, method, value in csv.reader(file):
                kept[group, name, int(n), float(truth), int(seed)][method] = float(value)
    return kept


def estimate(group: str, kept: dict[Key, dict[str, float]], again: str | None) -> None:
    """Add what is missing of a group, and keep it; estimate one method again where it is kept."""
    for seed in range(FIRST_SEED, FIRST_SEED + SAMPLES[group]):
        cases = list(GROUPS[group](seed))
        for case in cases:
            if again and case.key(group, seed) in kept:
                kept[case.key(group, seed)][again] = own_estimate(again, case, seed)
        cases = [case for case in cases if case.key(group, seed) not in kept]
        theirs = peer_estimates(cases) if cases and group != "pairs" else [{} for _ in cases]
        for case, found in zip(cases, theirs, strict=True):
            key = case.key(group, seed)
            kept[key] = {m: v for m, v in (own_estimates(group, case, seed) | found).items() if m in SHOWN[group]}
            write({key: kept[key]}, "a")
    if again:
        write(kept, "w")


def write(estimates: dict[Key, dict[str, float]], mode: str) -> None:
    """Keep estimates: add them to the file, or write it anew."""
    with ROWS.open(mode, newline="") as file:
        rows = ([*key, m, f"{v:.5f}"] for key, found in estimates.items() for m, v in found.items())
        csv.writer(file, lineterminator="\n").writerows(rows)


def table(group: str, kept: dict[Key, dict[str, float]]) -> str:
    """Return the means of a group, in bold the nearest to the truth, and errors below."""
    cells: dict[tuple[str, int, float], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (of, *case, _), found in kept.items():
        if of == group:
            for method, value in found.items():
                cells[tuple(case)][method].append(value)
    shown, real = SHOWN[group], group == "real"
    lines = [f"| data | n | {'H(class)' if real else 'truth'} | {' | '.join(shown.values())} |"]
    lines.append(f"|---|{'--:|' * (2 + len(shown))}")
    errors: dict[str, list[float]] = defaultdict(list)
    for (name, n, truth), found in cells.items():
        off = {m: np.mean(np.abs(np.array(found[m]) - truth)) if m in found else math.nan for m in shown}
        nearest = np.nanmin([off[m] for m in shown if m != "log-loss"])
        texts = [number(np.mean(found[m])) if m in found else "–" for m in shown]
        if not real:
            texts = [f"**{t}**" if off[m] == nearest else t for t, m in zip(texts, shown, strict=True)]
        lines.append(f"| {name} | {n:,} | {truth:.3f} | {' | '.join(texts)} |")
        for m in shown:
            errors[m].append(off[m])
    if not real:
        summary = " | ".join("–" if np.isnan(errors[m]).any() else f"{np.mean(errors[m]):.3f}" for m in shown)
        lines.append(f"| *mean absolute error* | | | {summary} |")
    return "\n".join(lines)


def number(value: float) -> str:
    """Return three digits, with a true minus."""
    text = f"{value:.3f}"
    return "–" if math.isnan(value) else "0.000" if text == "-0.000" else text.replace("-", "−")


def main() -> None:
    """Estimate, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--again", choices=METHODS)
    parser.add_argument("--anew", action="store_true")
    chosen = parser.parse_args()
    if chosen.anew:
        ROWS.unlink(missing_ok=True)
    kept = read()
    for group in chosen.groups:
        estimate(group, kept, chosen.again)
        filled = table(group, kept)
        pattern = rf"(<!-- table {group} -->\n).*?(<!-- end -->)"
        text = PAGE.read_text()
        PAGE.write_text(re.sub(pattern, lambda m, filled=filled: f"{m[1]}\n{filled}\n\n{m[2]}", text, flags=re.DOTALL))


if __name__ == "__main__":
    main()
