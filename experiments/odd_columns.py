"""Odd mixtures of classes, counts and numbers with known information: where do auto and KSG say too much?

    python experiments/odd_columns.py > experiments/results/odd-columns.md
    python experiments/odd_columns.py --only ID,XOR       cases whose name contains one of these
    python experiments/odd_columns.py --independent 200   random tables whose sides know nothing of each other
    python experiments/odd_columns.py --independent 200 --one-sided    classes in Y alone
    python experiments/odd_columns.py --labels 50         two independent columns of labels, 50 samples each

Truths follow from how samples are drawn. Text columns are nominal, and numbers are taken as numbers. Warnings and notes
go to stderr.
"""

import argparse
import math
import sys
import warnings

import numpy as np
import polars as pl
from mixed import table_information
from scipy.stats import norm, poisson

import infold

SAMPLES = 5
NAMES = {"auto": "auto", "ksg": "KSG", "gksg": "G-KSG"}
GRID = np.linspace(-15, 15, 30_001)


def words(codes, prefix="label "):
    """Return codes as text."""
    return np.array([f"{prefix}{c}" for c in codes])


def frame(*columns):
    """Return a table of columns, numbers or text, or of whole arrays."""
    parts = [column for block in columns for column in (block.T if block.ndim == 2 else [block])]
    return pl.DataFrame({f"c{i}": part for i, part in enumerate(parts)})


def entropy(p):
    """Return the entropy of a distribution."""
    p = np.asarray(p, float)
    return float(-np.sum(p[p > 0] * np.log(p[p > 0])))


def gaussian_class_truth(shares, means, scales=None):
    """Return the MI of a class and one normal column."""
    scales = np.ones(len(means)) if scales is None else scales
    densities = np.array([norm.pdf(GRID, m, s) for m, s in zip(means, scales, strict=True)])
    mixed = np.asarray(shares) @ densities
    ratio = np.where(densities > 0, densities * np.log(np.maximum(densities, 1e-300) / np.maximum(mixed, 1e-300)), 0)
    return float(np.asarray(shares) @ ratio.sum(axis=1) * (GRID[1] - GRID[0]))


def draw(rng, n, shares):
    """Return n codes with these shares."""
    return rng.choice(len(shares), n, p=np.asarray(shares) / np.sum(shares))


def pair_of(rng, n, table):
    """Return two columns of codes with this joint table."""
    cell = draw(rng, n, np.ravel(table))
    return cell // table.shape[1], cell % table.shape[1]


def normal_pair(rng, n, rho):
    """Return two normal columns."""
    x, e = rng.normal(size=(2, n))
    return x, rho * x + math.sqrt(1 - rho**2) * e


CASES = {}


def case(name, n, truth):
    """Add a case to the list."""

    def add(make):
        CASES[name] = (n, truth, make)
        return make

    return add


ZIPF = 1 / np.arange(1, 201)
LIKERT = np.array([[0.1, 0.2, 0.4, 0.2, 0.1], [0.4, 0.3, 0.1, 0.1, 0.1], [0.05, 0.05, 0.2, 0.3, 0.4]]) / 3
BLOCKS = (np.kron(np.eye(2), np.ones((4, 4))) * 0.8 / 32) + (np.kron(1 - np.eye(2), np.ones((4, 4))) * 0.2 / 32)
HALF = 0.5 * np.eye(12) / 12 + 0.5 / 144
ZEROS = np.array([[0.4, 0.1], [0.15, 0.35]])  # class × (zero, not)
COUNTS = np.array([poisson.pmf(np.arange(60), m) for m in (1, 3, 8)]) / 3


@case("5 % and 95 %, 2 apart", 500, gaussian_class_truth([0.95, 0.05], [0, 2]))
def _(rng, n):
    c = draw(rng, n, [0.95, 0.05])
    return rng.normal(size=n) + 2 * c, words(c)


@case("1 % and 99 %, 4 apart, 20 columns of noise", 500, gaussian_class_truth([0.99, 0.01], [0, 4]))
def _(rng, n):
    c = draw(rng, n, [0.99, 0.01])
    return frame(rng.normal(size=n) + 4 * c, rng.normal(size=(n, 20))), words(c)


@case("50 labels, mean by label", 500, gaussian_class_truth(np.ones(5) / 5, np.arange(5) * 2.0))
def _(rng, n):
    c = rng.integers(0, 50, n)
    return rng.normal(size=n) + 2 * (c % 5), words(c)


@case("50 labels, 10 columns, nothing", 500, 0.0)
def _(rng, n):
    return rng.normal(size=(n, 10)), words(rng.integers(0, 50, n))


@case("200 labels (Zipf), a column, nothing", 500, 0.0)
def _(rng, n):
    return rng.normal(size=n), words(draw(rng, n, ZIPF))


@case("200 labels (Zipf) twice, nothing", 500, 0.0)
def _(rng, n):
    return words(draw(rng, n, ZIPF)), words(draw(rng, n, ZIPF))


@case("30 × 30 labels, nothing", 300, 0.0)
def _(rng, n):
    return words(rng.integers(0, 30, n)), words(rng.integers(0, 30, n))


@case("100 × 100 labels, nothing", 200, 0.0)
def _(rng, n):
    return words(rng.integers(0, 100, n)), words(rng.integers(0, 100, n))


@case("100 × 2 labels, nothing", 200, 0.0)
def _(rng, n):
    return words(rng.integers(0, 100, n)), words(rng.integers(0, 2, n))


@case("20 columns of 5 labels × class of 3, nothing", 300, 0.0)
def _(rng, n):
    x = rng.integers(0, 5, (n, 20))
    return frame(*[words(c) for c in x.T]), words(rng.integers(0, 3, n))


@case("4 columns of 4 labels × class of 3, nothing", 300, 0.0)
def _(rng, n):
    x = rng.integers(0, 4, (n, 4))
    return frame(*[words(c) for c in x.T]), words(rng.integers(0, 3, n))


@case("20 booleans × class of 3, nothing", 300, 0.0)
def _(rng, n):
    return rng.random((n, 20)) < 0.5, words(rng.integers(0, 3, n))


@case("20 columns of 0 and 1 × class of 3, nothing", 300, 0.0)
def _(rng, n):
    return (rng.random((n, 20)) < 0.5).astype(float), words(rng.integers(0, 3, n))


@case("10 nominal columns, one of them tells, × class", 500, table_information(HALF[:4, :4] / HALF[:4, :4].sum()))
def _(rng, n):
    a, b = pair_of(rng, n, HALF[:4, :4])
    return frame(words(a), *[words(c) for c in rng.integers(0, 4, (9, n))]), words(b)


@case("8 × 8 labels in two blocks", 500, table_information(BLOCKS))
def _(rng, n):
    a, b = pair_of(rng, n, BLOCKS)
    return words(a), words(b)


@case("12 × 12 labels, half the same", 500, table_information(HALF))
def _(rng, n):
    a, b = pair_of(rng, n, HALF)
    return words(a), words(b)


@case("city (60) → country (6)", 400, math.log(6))
def _(rng, n):
    c = rng.integers(0, 60, n)
    return words(c), words(c % 6)


@case("zeros by class, else lognormal", 500, table_information(ZEROS))
def _(rng, n):
    c, positive = pair_of(rng, n, ZEROS)
    return np.where(positive, rng.lognormal(size=n), 0.0), words(c)


@case("zeros by class, 5 such columns, 4 of nothing", 500, table_information(ZEROS))
def _(rng, n):
    c, positive = pair_of(rng, n, ZEROS)
    rest = np.where(rng.random((n, 4)) < 0.6, 0, rng.lognormal(size=(n, 4)))
    return frame(np.where(positive, rng.lognormal(size=n), 0.0), rest), words(c)


@case("Likert 1–5 × class of 3", 400, table_information(LIKERT))
def _(rng, n):
    c, answer = pair_of(rng, n, LIKERT)
    return answer + 1, words(c)


@case("10 Likert columns × class of 3, nothing", 400, 0.0)
def _(rng, n):
    return rng.integers(1, 6, (n, 10)), words(rng.integers(0, 3, n))


@case("Poisson 1, 3, 8 × class of 3", 400, table_information(COUNTS))
def _(rng, n):
    c = rng.integers(0, 3, n)
    return rng.poisson(np.array([1, 3, 8])[c]), words(c)


@case(
    "number + class on both sides",
    500,
    -0.5 * math.log(1 - 0.64) + table_information(HALF[:4, :4] / HALF[:4, :4].sum()),
)
def _(rng, n):
    x, y = normal_pair(rng, n, 0.8)
    a, b = pair_of(rng, n, HALF[:4, :4])
    return frame(x, words(a)), frame(y, words(b))


@case("number + class on both sides, nothing", 500, 0.0)
def _(rng, n):
    return (
        frame(rng.normal(size=n), words(rng.integers(0, 6, n))),
        frame(rng.lognormal(size=n), words(rng.integers(0, 6, n))),
    )


@case("class turns the sign of a correlation of .9", 500, -0.5 * math.log(1 - 0.81))
def _(rng, n):
    x, y = normal_pair(rng, n, 0.9)
    c = rng.integers(0, 2, n)
    return frame(x, words(c)), np.where(c, y, -y)


@case("slope by class of 8, class on side of X", 500, float("nan"))
def _(rng, n):
    x, c = rng.normal(size=n), rng.integers(0, 8, n)
    return frame(x, words(c)), x * (c - 3.5) / 2 + 0.5 * rng.normal(size=n)


@case("text ID × number", 300, 0.0)
def _(rng, n):
    return words(rng.permutation(n), "id-"), rng.normal(size=n)


@case("text ID + signal × class", 300, gaussian_class_truth([0.5, 0.5], [0, 2]))
def _(rng, n):
    c = rng.integers(0, 2, n)
    return frame(words(rng.permutation(n), "id-"), rng.normal(size=n) + 2 * c), words(c)


@case("text ID × class", 300, 0.0)
def _(rng, n):
    return words(rng.permutation(n), "id-"), words(rng.integers(0, 2, n))


@case("ID in pairs (each twice) × class", 300, 0.0)
def _(rng, n):
    return words(rng.permutation(n) // 2, "id-"), words(rng.integers(0, 2, n))


@case("ID in pairs (each twice) × number", 300, 0.0)
def _(rng, n):
    return words(rng.permutation(n) // 2, "id-"), rng.normal(size=n)


@case("class three times over × number", 300, gaussian_class_truth(np.ones(3) / 3, [0, 2, 4]))
def _(rng, n):
    c = rng.integers(0, 3, n)
    return frame(words(c), words(c, "x"), words((c + 1) % 3)), rng.normal(size=n) + 2 * c


@case("class on both sides, with numbers", 300, math.log(3))
def _(rng, n):
    c = rng.integers(0, 3, n)
    return frame(words(c), rng.normal(size=n)), frame(words(c, "x"), rng.normal(size=n))


@case("class = sign of a product, 2 columns", 500, math.log(2))
def _(rng, n):
    x = rng.normal(size=(n, 2))
    return x, words(np.sign(x[:, 0] * x[:, 1]))


@case("class = sign of a product, 2 + 20 columns", 500, math.log(2))
def _(rng, n):
    x = rng.normal(size=(n, 22))
    return x, words(np.sign(x[:, 0] * x[:, 1]))


@case("XOR of two classes, 30 % flipped", 300, math.log(2) - entropy([0.3, 0.7]))
def _(rng, n):
    a, b = rng.integers(0, 2, (2, n))
    return frame(words(a), words(b)), words(a ^ b ^ (rng.random(n) < 0.3))


@case("sum of two classes of 5, mod 5", 400, math.log(5))
def _(rng, n):
    a, b = rng.integers(0, 5, (2, n))
    return frame(words(a), words(b)), words((a + b) % 5)


@case("bands: class of the whole part, 0 to 8", 500, math.log(2))
def _(rng, n):
    x = 8 * rng.random(n)
    return x, words(np.floor(x) % 2)


@case("sorted by class, 2 apart", 500, gaussian_class_truth([0.5, 0.5], [0, 2]))
def _(rng, n):
    c = np.sort(rng.integers(0, 2, n))
    return rng.normal(size=n) + 2 * c, words(c)


@case("sorted by X, class unrelated", 500, 0.0)
def _(rng, n):
    return np.sort(rng.normal(size=n)), words(rng.integers(0, 4, n))


@case("sorted by X, 3 Likert columns × class, nothing", 500, 0.0)
def _(rng, n):
    x = rng.integers(1, 6, (n, 3))
    return x[np.lexsort(x.T)], words(rng.integers(0, 4, n))


@case("constant but one × class", 300, 0.0)
def _(rng, n):
    x = np.zeros(n)
    x[rng.integers(n)] = 7.0
    return x, words(rng.integers(0, 2, n))


@case("constant but one × number", 300, 0.0)
def _(rng, n):
    x = np.full(n, "usual")
    x[rng.integers(n)] = "other"
    return x, rng.normal(size=n)


@case("20 columns constant but one × class", 300, 0.0)
def _(rng, n):
    x = np.zeros((n, 20))
    x[rng.integers(0, n, 20), np.arange(20)] = 1.0
    return x, words(rng.integers(0, 2, n))


@case("class × Cauchy, 3 apart", 500, float("nan"))
def _(rng, n):
    c = rng.integers(0, 2, n)
    return rng.standard_cauchy(n) + 3 * c, words(c)


@case("scale by class 1, 3, 9", 500, gaussian_class_truth(np.ones(3) / 3, [0, 0, 0], [0.25, 0.75, 2.25]))
def _(rng, n):
    c = rng.integers(0, 3, n)
    return rng.normal(size=n) * np.array([1, 3, 9])[c], words(c)


@case("Likert + class × Likert + class, nothing", 300, 0.0)
def _(rng, n):
    return (
        frame(rng.integers(1, 6, n), words(rng.integers(0, 5, n))),
        frame(rng.integers(1, 6, n), words(rng.integers(0, 5, n))),
    )


@case("3 Likert + class × 3 counts + class, nothing", 300, 0.0)
def _(rng, n):
    return (
        frame(rng.integers(1, 6, (n, 3)), words(rng.integers(0, 5, n))),
        frame(rng.poisson(2, (n, 3)), words(rng.integers(0, 5, n))),
    )


@case("5 classes × 5 numbers + 5 classes, nothing", 300, 0.0)
def _(rng, n):
    return (
        frame(*[words(c) for c in rng.integers(0, 4, (5, n))]),
        frame(rng.normal(size=(n, 5)), *[words(c) for c in rng.integers(0, 4, (5, n))]),
    )


@case("5 classes × 5 Likert, nothing", 300, 0.0)
def _(rng, n):
    return frame(*[words(c) for c in rng.integers(0, 4, (5, n))]), rng.integers(1, 6, (n, 5))


@case("5 classes × number, nothing", 300, 0.0)
def _(rng, n):
    return frame(*[words(c) for c in rng.integers(0, 4, (5, n))]), rng.normal(size=n)


@case("5 classes, first tells, × number", 300, gaussian_class_truth(np.ones(4) / 4, [0, 1, 2, 3]))
def _(rng, n):
    c = rng.integers(0, 4, (5, n))
    return frame(*[words(one) for one in c]), rng.normal(size=n) + c[0]


@case("2 classes of 6, first tells, × 2 numbers", 400, gaussian_class_truth(np.ones(6) / 6, [0, 1, 2, 3, 4, 5]))
def _(rng, n):
    c = rng.integers(0, 6, (2, n))
    return frame(words(c[0]), words(c[1])), frame(rng.normal(size=n) + c[0], rng.normal(size=n))


@case("hour of day (24 labels) × temperature", 500, float("nan"))
def _(rng, n):
    hour = rng.integers(0, 24, n)
    return words(hour), np.round(10 + 5 * np.sin(hour / 24 * 2 * np.pi) + 2 * rng.normal(size=n), 1)


@case("3 classes of 4, first tells, × number", 500, gaussian_class_truth(np.ones(4) / 4, [0, 1.5, 3, 4.5]))
def _(rng, n):
    c = rng.integers(0, 4, (3, n))
    return frame(*[words(one) for one in c]), rng.normal(size=n) + 1.5 * c[0]


def slope_truth():
    """MI of (x, class) and y = slope × x + noise."""
    rng = np.random.default_rng(0)
    x, c = rng.normal(size=200_000), rng.integers(0, 8, 200_000)
    y = x * (c - 3.5) / 2 + 0.5 * rng.normal(size=x.size)
    own = norm.logpdf(y, x * (c - 3.5) / 2, 0.5)
    scales = np.sqrt(0.25 + (np.arange(8) - 3.5) ** 2 / 4)
    return float(np.mean(own - np.log(np.mean(norm.pdf(y[:, None], 0, scales), axis=1))))


def integral_truth(densities, step):
    """MI of a uniform class and a column with these densities."""
    mixed = densities.mean(axis=0)
    return float(np.mean(np.sum(densities * np.log(densities / mixed), axis=1)) * step)


def late_truths():
    """Truths that need more than a line."""
    far = np.linspace(-3000, 3000, 3_000_001)
    cauchy = np.array([1 / (np.pi * (1 + (far - m) ** 2)) for m in (0, 3)])
    hours = np.array([norm.pdf(GRID, 5 * np.sin(h / 24 * 2 * np.pi), 2) + 1e-300 for h in range(24)])
    return {
        "slope by class of 8, class on side of X": slope_truth(),
        "class × Cauchy, 3 apart": integral_truth(cauchy, far[1] - far[0]),
        "hour of day (24 labels) × temperature": integral_truth(hours, GRID[1] - GRID[0]),
    }


COLUMN_KINDS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(1.5, n),
    "classes": lambda rng, n: words(rng.integers(0, rng.integers(2, 9), n)),
    "many classes": lambda rng, n: words(rng.integers(0, rng.integers(9, 41), n)),
    "rare classes": lambda rng, n: words(draw(rng, n, ZIPF[: rng.integers(3, 30)] ** 1.5)),
    "booleans": lambda rng, n: rng.random(n) < rng.uniform(0.02, 0.5),
    "counts": lambda rng, n: rng.poisson(rng.uniform(0.2, 5), n),
    "zeros": lambda rng, n: np.where(rng.random(n) < rng.uniform(0.3, 0.9), 0.0, rng.lognormal(size=n)),
    "rounded": lambda rng, n: np.round(2 * rng.normal(size=n)),
}


NOMINAL = ("classes", "many classes", "rare classes", "booleans")


def random_side(rng, n, among):
    """Return one to six columns, each of a random kind, and the names of the kinds."""
    kinds = rng.choice(among, rng.choice([1, 1, 1, 2, 3, 6]))
    return frame(*[COLUMN_KINDS[kind](rng, n) for kind in kinds]), ", ".join(kinds)


def independent(runs, one_sided):
    """Print how often auto is not 0 although the sides are independent, and how KSG scatters."""
    found = {"auto": [], "ksg": []}
    every = list(COLUMN_KINDS)
    of_x = [kind for kind in every if kind not in NOMINAL] if one_sided else every
    for seed in range(runs):
        rng = np.random.default_rng([seed, 9])
        n = int(rng.choice([200, 300, 500]))
        (x, kinds_x), (y, kinds_y) = random_side(rng, n, of_x), random_side(rng, n, every)
        for method, values in found.items():
            options = {} if method == "ksg" else {"random_state": seed}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", infold.DataWarning)
                values.append(infold.mutual_information(x, y, method=method, n_jobs=1, verbose=0, **options).mi)
            if values[-1] > 0.1 or (method == "auto" and values[-1] != 0):
                print(f"{method} {values[-1]:.3f}: sample {seed}, n = {n}, {kinds_x} × {kinds_y}", flush=True)
    for method, values in found.items():
        v = np.array(values)
        print(
            f"{method}: {np.sum(v != 0)} of {runs} not 0, {np.sum(v > 0.1)} above .1, "
            f"mean {v.mean():.4f}, median {np.median(v):.4f}, largest {v.max():.3f}"
        )


LABELS = ((500, 3, 3), (500, 6, 6), (500, 12, 12), (300, 30, 30), (200, 100, 100), (500, 40, 3), (300, 60, 6))


def labels(runs):
    """Print how often auto is not 0 for two columns of labels that know nothing of each other."""
    print("| labels | n | rows per cell | auto: not 0 | mean | largest | KSG: mean |\n|---|--:|--:|--:|--:|--:|--:|")
    for n, p, q in LABELS:
        found = {"auto": [], "ksg": []}
        for seed in range(runs):
            rng = np.random.default_rng(seed)
            x, y = words(rng.integers(0, p, n)), words(rng.integers(0, q, n))
            for method, values in found.items():
                options = {} if method == "ksg" else {"random_state": 0}
                values.append(infold.mutual_information(x, y, method=method, n_jobs=1, verbose=0, **options).mi)
        a, k = (np.array(values) for values in found.values())
        cells = f"{np.mean(a != 0):.0%} | {a.mean():.3f} | {a.max():.3f} | {k.mean():.3f}"
        print(f"| {p} × {q} | {n} | {n / (p * q):.2g} | {cells} |".replace(" -", " −"), flush=True)


def estimates(make, n, number):
    """Return every method's answers on some samples of a case, and all that was warned of or noted."""
    found, said = {m: [] for m in NAMES}, set()
    for seed in range(SAMPLES):
        x, y = make(np.random.default_rng([seed, number]), n)
        for method, values in found.items():
            options = {} if method == "ksg" else {"random_state": seed}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    result = infold.mutual_information(x, y, method=method, n_jobs=1, verbose=0, **options)
                    values.append(result.mi)
                    said |= {f"note: {note}" for note in result.notes}
                except Exception as error:
                    values.append(math.nan)
                    said.add(f"{method}: {type(error).__name__}: {error}")
            said |= {f"{w.category.__name__}: {w.message}" for w in caught}
    return found, said


def table(only):
    """Print a line for each case."""
    late = late_truths()
    print("| data | n | truth | auto | KSG | G-KSG | above the truth by more than .1 + 5 % |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for number, (name, (n, truth, make)) in enumerate(CASES.items()):
        if only and not any(part in name for part in only.split(",")):
            continue
        truth, (found, said) = late.get(name, truth), estimates(make, n, number)
        means = {m: float(np.mean(v)) for m, v in found.items()}
        high = ", ".join(NAMES[m] for m, v in means.items() if v > truth + 0.1 + 0.05 * truth)
        cells = " | ".join(f"{v:.3f}" for v in means.values())
        print(f"| {name} | {n} | {truth:.3f} | {cells} | {high} |".replace(" -", " −"), flush=True)
        print(name, *sorted(said), sep="\n    ", file=sys.stderr)


def main():
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--independent", type=int)
    parser.add_argument("--one-sided", action="store_true")
    parser.add_argument("--labels", type=int)
    chosen = parser.parse_args()
    if chosen.independent:
        independent(chosen.independent, chosen.one_sided)
    elif chosen.labels:
        labels(chosen.labels)
    else:
        table(chosen.only)


if __name__ == "__main__":
    main()
