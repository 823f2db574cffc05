"""Which columns matter: InformationSelector beside other selectors, on simulated tables with known true columns.

    python experiments/selection.py                # simulated, real sets and level: about 15 minutes on one core
    python experiments/selection.py --only table   # the tables and the figure anew, from the committed CSV

Needs mrmr-selection, feature-engine and pandas. Results in experiments/results: selection.csv (a row per method and
table), selection-real.csv, selection-level.csv, selection.md and selection.png. A method that needs the number of
columns gets the true one ("true k"), which nobody knows in practice, or 10.
"""

import argparse
import csv
import statistics
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
SIZES = {(200, 20): 5, (200, 200): 3, (1000, 200): 2, (200, 2000): 1, (2000, 500): 1}  # (rows, columns): repetitions
LEVEL_RUNS = {(100, 20): 400, (200, 200): 500, (200, 1000): 50}
INFOLD = "InformationSelector"


# --- simulated tables: X, y, the true columns, whether y is a class


def linear(rng, n, p):
    """Eight columns of unequal weight; they explain 70 % of the variance."""
    X, weights = rng.normal(size=(n, p)), np.geomspace(1, 0.4, 8) * rng.choice([-1, 1], 8)
    signal = X[:, :8] @ weights
    return X, signal + rng.normal(size=n) * np.sqrt(weights @ weights * 3 / 7), 8, False


def linear_classes(rng, n, p):
    """Two classes, by a logistic model of six columns."""
    X, weights = rng.normal(size=(n, p)), np.geomspace(2, 1, 6) * rng.choice([-1, 1], 6)
    return X, (rng.random(n) < 1 / (1 + np.exp(-X[:, :6] @ weights))).astype(int), 6, True


def friedman(rng, n, p):
    """Friedman's first function of five uniform columns, with a product inside a sine, and noise of deviation 1."""
    X = rng.random((n, p))
    curve = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, curve + rng.normal(size=n), 5, False


def products(rng, n, p):
    """The sum of two products and a column: by themselves, four of the five true columns tell only of the spread."""
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4] + 0.5 * rng.normal(size=n), 5, False


def exclusive_or(rng, n, p):
    """Two classes, by the signs of two uniform columns; one label in ten is wrong."""
    X = rng.uniform(-1, 1, size=(n, p))
    return X, ((X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < 0.1)).astype(int), 2, True


def redundant(rng, n, p):
    """Four columns, each with three noisy copies (correlation .89), which tell nothing given the original."""
    X = rng.normal(size=(n, p))
    copies = np.arange(4, 16)
    X[:, copies] = X[:, copies % 4] + 0.5 * rng.normal(size=(n, 12))
    return X, X[:, :4].sum(axis=1) + rng.normal(size=n), 4, False


KINDS = {f.__name__: f for f in (linear, linear_classes, friedman, products, exclusive_or, redundant)}


# --- selectors: each yields (name, columns)


def by_infold(X, y, _, is_class):
    """All defaults."""
    from infold.selection import InformationSelector

    yield INFOLD, InformationSelector(random_state=0).fit(X, y).get_support(indices=True)


def by_scikit_learn(X, y, k, is_class):
    """mutual_info_classif or mutual_info_regression, and SelectKBest."""
    from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

    scores = (mutual_info_classif if is_class else mutual_info_regression)(X, y, random_state=0)
    order = np.argsort(-scores, kind="stable")
    yield "SelectKBest (MI), true k", order[:k]
    yield "SelectKBest (MI), k = 10", order[:10]


def by_mrmr_selection(X, y, k, is_class):
    """mrmr-selection as it comes: F statistics over correlations."""
    import mrmr
    import pandas as pd

    find = mrmr.mrmr_classif if is_class else mrmr.mrmr_regression
    found = find(pd.DataFrame(X), pd.Series(y), max(k, 10), n_jobs=1, show_progress=False)
    yield "mrmr-selection, true k", found[:k]
    yield "mrmr-selection, k = 10", found[:10]


def by_feature_engine(X, y, k, is_class):
    """feature_engine's MRMR as it comes, KSG over KSG; beyond 200 columns, where that is slow, F over correlations."""
    import pandas as pd
    from feature_engine.selection import MRMR

    frame = pd.DataFrame(X, columns=[str(c) for c in range(X.shape[1])])
    method = "MIQ" if X.shape[1] <= 200 else "FCQ"
    selector = MRMR(method=method, max_features=k, regression=not is_class, random_state=0).fit(frame, pd.Series(y))
    left_out = {int(c) for c in selector.features_to_drop_}
    yield "feature_engine MRMR, true k", [c for c in range(X.shape[1]) if c not in left_out]


def by_l1(X, y, _, is_class):
    """The columns with a weight in a cross-validated L1 model."""
    from sklearn.linear_model import LassoCV, LogisticRegressionCV
    from sklearn.preprocessing import StandardScaler

    Z = StandardScaler().fit_transform(X)
    if is_class:
        # scikit-learn 1.8 renamed the penalty; both spell an L1 model.
        model = LogisticRegressionCV(Cs=6, cv=3, penalty="l1", solver="liblinear", random_state=0)
    else:
        model = LassoCV(cv=5, random_state=0)
    yield "L1 model, cross-validated", np.flatnonzero(np.ravel(model.fit(Z, y).coef_))


SELECTORS = (by_infold, by_scikit_learn, by_mrmr_selection, by_feature_engine, by_l1)
FIELDS = ("kind", "rows", "columns", "repetition", "method", "n_true", "n_selected", "n_hits", "seconds")


def simulate():
    """Run all selectors on all tables."""
    with (RESULTS / "selection.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for (n, p), repetitions in SIZES.items():
            for number, (kind, make) in enumerate(KINDS.items()):
                for repetition in range(repetitions):
                    X, y, k, is_class = make(np.random.default_rng([2026, number, n, p, repetition]), n, p)
                    for selector in SELECTORS:
                        start = time.process_time()
                        for method, found in selector(X, y, k, is_class):
                            seconds = time.process_time() - start
                            hits = sum(int(c) < k for c in found)
                            writer.writerow((kind, n, p, repetition, method, k, len(found), hits, f"{seconds:.2f}"))
                file.flush()
                print(n, p, kind, flush=True)


# --- real sets


def real():
    """Cross-validate a nearest-neighbour and a linear model after each selector, with and without noise columns."""
    from sklearn import datasets
    from sklearn.feature_selection import SelectFromModel, SelectKBest, mutual_info_classif, mutual_info_regression
    from sklearn.linear_model import LassoCV, LogisticRegression, RidgeCV
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.svm import LinearSVC

    from infold.selection import InformationSelector

    with (RESULTS / "selection-real.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("set", "noise_columns", "method", "model", "score", "n_selected"))
        for name in ("iris", "wine", "breast_cancer", "diabetes", "digits"):
            X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
            if name == "diabetes":
                mi, sparse, folds = mutual_info_regression, LassoCV(), KFold
                models = {"5 neighbours": KNeighborsRegressor(), "linear": RidgeCV(np.geomspace(0.1, 1000, 9))}
            else:
                mi, sparse, folds = mutual_info_classif, LinearSVC(penalty="l1", dual=False, C=0.1), StratifiedKFold
                models = {"5 neighbours": KNeighborsClassifier(), "linear": LogisticRegression(max_iter=2000)}
            for noise in (0,) if name == "digits" else (0, 100):
                table = np.hstack((X, np.random.default_rng(noise).normal(size=(len(X), noise))))
                k = min(10, table.shape[1])
                for method, selector in {
                    "all columns": FunctionTransformer(),
                    INFOLD: InformationSelector(min_features_to_select=1, random_state=0),
                    "SelectKBest (MI), k = 10": SelectKBest(lambda X, y, mi=mi: mi(X, y, random_state=0), k=k),
                    "L1 model": SelectFromModel(sparse),
                }.items():
                    scores, counts = {model: [] for model in models}, []
                    for train, test in folds(5, shuffle=True, random_state=0).split(table, y):
                        reduce = make_pipeline(StandardScaler(), selector).fit(table[train], y[train])
                        for model_name, model in models.items():
                            fitted = model.fit(reduce.transform(table[train]), y[train])
                            scores[model_name].append(fitted.score(reduce.transform(table[test]), y[test]))
                        counts.append(fitted.n_features_in_)
                    for model_name, values in scores.items():
                        row = name, noise, method, model_name, f"{np.mean(values):.4f}", f"{np.mean(counts):.1f}"
                        writer.writerow(row)
                    file.flush()
                print(name, noise, flush=True)


# --- level


def level():
    """Count how often anything is selected from columns that know nothing of the target."""
    from infold.selection import InformationSelector

    targets = {
        "numbers": lambda rng, n: rng.normal(size=n),
        "two classes": lambda rng, n: rng.integers(0, 2, n).astype(bool),
        "five classes": lambda rng, n: rng.integers(0, 5, n),
    }
    with (RESULTS / "selection-level.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("target", "rows", "columns", "runs", "with_a_column"))
        for (n, p), runs in LEVEL_RUNS.items():
            for number, (target, draw) in enumerate(targets.items()):
                count = 0
                for run in range(runs):
                    rng = np.random.default_rng([2026, 99, number, n, p, run])
                    selector = InformationSelector(random_state=run).fit(rng.normal(size=(n, p)), draw(rng, n))
                    count += bool(selector.path_)
                writer.writerow((target, n, p, runs, count))
                file.flush()
                print(target, n, p, count / runs, flush=True)


# --- tables and figure


def rows_of(name):
    """Return the rows of a results file."""
    with (RESULTS / name).open() as file:
        return list(csv.DictReader(file))


def f1(row):
    """Return the F1 score of one run: 0 if nothing was selected."""
    return 2 * int(row["n_hits"]) / (int(row["n_selected"]) + int(row["n_true"]))


def by_method(rows, value, key):
    """Return {method: {key: mean}}, each table size counting once within a key, and the mean over keys as "mean"."""
    cells = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in rows:
        cells[row["method"]][key(row)][row["rows"], row["columns"]].append(value(row))
    out = {}
    for method, columns in cells.items():
        out[method] = {
            name: statistics.mean(statistics.mean(values) for values in sizes.values())
            for name, sizes in columns.items()
        }
        out[method]["mean"] = statistics.mean(out[method].values())
    return out


def table(found, keys, digits=2):
    """Return lines of a table: methods by keys, the largest of each column in bold."""
    lines = [f"| | {' | '.join(keys)} |", f"|---|{'--:|' * len(keys)}"]
    best = {key: max(f"{values[key]:.{digits}f}" for values in found.values()) for key in keys}
    for method, values in found.items():
        cells = {key: f"{values[key]:.{digits}f}" for key in keys}
        shown = [f"**{cell}**" if cell == best[key] else cell for key, cell in cells.items()]
        lines.append(f"| {method} | {' | '.join(shown)} |")
    return lines


def summarize():
    """Write the tables and the figure."""
    rows = rows_of("selection.csv")
    by_kind = by_method(rows, f1, lambda row: row["kind"].replace("_", " "))
    kinds = [kind.replace("_", " ") for kind in KINDS]
    text = ["F1 of the true columns: mean over sizes.", "", *table(by_kind, [*kinds, "mean"])]
    by_size = by_method(rows, f1, lambda row: f"{row['rows']} × {row['columns']}")
    text += ["", "F1 by rows × columns: mean over kinds of data.", ""]
    text += table(by_size, [f"{n} × {p}" for n, p in SIZES])
    precision = by_method(rows, lambda r: int(r["n_hits"]) / max(1, int(r["n_selected"])), lambda r: r["kind"])
    recall = by_method(rows, lambda r: int(r["n_hits"]) / int(r["n_true"]), lambda r: r["kind"])
    seconds = by_method(rows, lambda r: float(r["seconds"]), lambda r: f"{r['rows']} × {r['columns']}")
    text += ["", "Precision and recall (mean over kinds and sizes), and processor seconds.", ""]
    sizes = [f"{n} × {p}" for n, p in SIZES]
    text += [f"| | precision | recall | {' | '.join(f's, {size}' for size in sizes)} |"]
    text += [f"|---|--:|--:|{'--:|' * len(sizes)}"]
    for method in by_kind:
        times = " | ".join(f"{seconds[method][size]:.2g}" for size in sizes)
        text.append(f"| {method} | {precision[method]['mean']:.2f} | {recall[method]['mean']:.2f} | {times} |")
    if (RESULTS / "selection-real.csv").exists():
        text += ["", "Five-fold cross-validated score (accuracy, for diabetes R²), and columns kept.", ""]
        text += real_table(rows_of("selection-real.csv"))
    if (RESULTS / "selection-level.csv").exists():
        text += ["", "Runs that select anything from columns that know nothing of the target (level 5 %).", ""]
        text += ["| target | rows × columns | runs | share |", "|---|---|--:|--:|"]
        for row in rows_of("selection-level.csv"):
            share = 100 * int(row["with_a_column"]) / int(row["runs"])
            text.append(f"| {row['target']} | {row['rows']} × {row['columns']} | {row['runs']} | {share:.1f} % |")
    (RESULTS / "selection.md").write_text("\n".join(text) + "\n")
    draw(by_kind, [*kinds, "mean"])


def real_table(rows):
    """Return lines of a table: sets by methods."""
    cells = {(r["set"], r["noise_columns"], r["model"], r["method"]): r for r in rows}
    methods = list(dict.fromkeys(r["method"] for r in rows))
    lines = [f"| set | model | {' | '.join(methods)} |", f"|---|---|{'--:|' * len(methods)}"]
    for name, noise, model in dict.fromkeys(key[:3] for key in cells):
        own = [cells[name, noise, model, method] for method in methods]
        shown = [f"{float(row['score']):.3f}" for row in own]
        best = max(shown)
        values = [
            f"{'**' if s == best else ''}{s}{'**' if s == best else ''} ({float(r['n_selected']):.0f})"
            for s, r in zip(shown, own, strict=True)
        ]
        label = name.replace("_", " ") + (f" + {noise} noise columns" if noise != "0" else "")
        lines.append(f"| {label} | {model} | {' | '.join(values)} |")
    return lines


def draw(found, keys):
    """Draw F1 by kind of data, a marker per method."""
    from infold.plotting import new_figure

    figure = new_figure(7.5, 4.2)
    ax = figure.add_subplot()
    colors = ("#0072B2", "#D55E00", "#E69F00", "#009E73", "#56B4E9", "#CC79A7", "#555555")
    for (method, values), color, marker in zip(found.items(), colors, "os^DvPX", strict=False):
        offset = (list(found).index(method) - (len(found) - 1) / 2) * 0.1
        places = np.arange(len(keys)) + offset
        size = 9 if method == INFOLD else 6
        ax.plot(places, [values[key] for key in keys], marker, color=color, label=method, markersize=size)
    ax.set_xticks(range(len(keys)), [key.replace(" ", "\n") for key in keys])
    ax.axvline(len(keys) - 1.5, color="black", linewidth=0.8)
    ax.set_ylim(-0.03, 1.03)
    ax.set_ylabel("F1 of the true columns")
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize="small")
    figure.savefig(RESULTS / "selection.png", dpi=110)


def main():
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("simulated", "real", "level", "table"))
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    for name, part in (("simulated", simulate), ("real", real), ("level", level)):
        if only in (None, name):
            part()
    summarize()


if __name__ == "__main__":
    main()
