"""Fit one kind of estimator to many awkward tables: a program, as an index out of range would end its process.

    python tests/safety/fuzz.py KSG 100 last-example.txt

Each example is written to the file before it is tried. What must hold is in `check`.
"""

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import infold
from infold.core.certificate.bound import certified_bound
from infold.data.tables import Table

DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "Cauchy": lambda rng, shape: rng.standard_cauchy(shape),
    "ratio of normals": lambda rng, shape: rng.normal(size=shape) / rng.normal(size=shape),
    "Student, one degree": lambda rng, shape: rng.standard_t(1, shape),
    "log-normal": lambda rng, shape: rng.lognormal(0, 3, shape),
    "Pareto": lambda rng, shape: rng.pareto(0.3, shape),
    "whole": lambda rng, shape: rng.integers(0, 9, shape).astype(float),
    "binary": lambda rng, shape: rng.integers(0, 2, shape).astype(float),
    "rounded": lambda rng, shape: np.round(rng.normal(size=shape), 1),
}


def copy_rows(rng, x, y):
    some = rng.integers(0, max(1, len(x) // 3), len(x))
    return x[some], y[some]


def copy_column(rng, x, y):
    x[:, -1], y[:, -1] = x[:, 0], y[:, 0]
    return x, y


def hold_column(rng, x, y):
    return np.column_stack((np.full(len(x), 0.1), x)), y


def hold_side(rng, x, y):
    y[:] = 3.0
    return x, y


def place_one_huge_value(rng, x, y):
    x[rng.integers(len(x)), rng.integers(x.shape[1])] = 1e12
    return x, y


def change_units(power_x, power_y):
    return lambda rng, x, y: (x * 10.0**power_x, y * 10.0**power_y)


def depend(rng, x, y):
    y[:, 0] += 2 * x[:, 0]
    return x, y


TRICKS = {
    "dependent": depend,
    "copied rows": copy_rows,
    "copied columns": copy_column,
    "constant column": hold_column,
    "constant side": hold_side,
    "one huge value": place_one_huge_value,
    "tiny": change_units(-290, -200),
    "huge": change_units(250, 150),
    "other units": change_units(-9, 9),
    "at an offset": lambda rng, x, y: (x + 1e6, y - 1e9),
    "sorted rows": lambda rng, x, y: (np.sort(x, axis=0), np.sort(y, axis=0)),
    "sorted": lambda rng, x, y: (lambda order: (x[order], y[order]))(np.argsort(x[:, 0])),
}


class Recipe(NamedTuple):
    """A table, in words: which a failure can show, and hypothesis make simpler."""

    n: int
    d_x: int
    d_y: int
    draw_x: str
    draw_y: str
    tricks: tuple[str, ...]
    seed: int
    labels: tuple[int, int, int] = (0, 0, 0)  # how many columns of X and of Y are labels, and of how many classes
    d_z: int = 0  # columns of Z, as many of which are labels as of Y

    def tables(self):
        rng = np.random.default_rng(self.seed)
        x, y = DRAWS[self.draw_x](rng, (self.n, self.d_x)), DRAWS[self.draw_y](rng, (self.n, self.d_y))
        for trick in self.tricks:
            x, y = TRICKS[trick](rng, x, y)
        for side, n_labels in ((x, self.labels[0]), (y, self.labels[1])):
            if n_labels:
                side[:, :n_labels] = rng.integers(0, self.labels[2], side[:, :n_labels].shape)
        return x, y, *self.given(rng, x, y)

    def given(self, rng, x, y):
        """Z, if there is one: it depends on X and Y, and may have a column of X."""
        if not self.d_z:
            return ()
        z = DRAWS[self.draw_y](rng, (len(x), self.d_z)) + x[:, :1] + y[:, :1]
        if self.d_z > 2:
            z[:, -1] = x[:, -1]
        n_labels = self.labels[1]
        z[:, :n_labels] = rng.integers(0, max(1, self.labels[2]), z[:, :n_labels].shape)
        return (z,)

    def labelled(self, *tables):
        """The same as tables that know which columns are labels."""
        sides = zip(tables, (*self.labels[:2], self.labels[1]), strict=False)
        return [Table(side, None, tuple(range(min(n, side.shape[1])))) if n else side for side, n in sides]


def draw_recipe(draw, least, with_labels):
    """Draw a table with `least` rows or more: few rows and up to twelve columns per side, or many rows and few."""
    names, many = st.sampled_from(list(DRAWS)), draw(st.sampled_from([False, False, True]))
    n = draw(st.integers(400, 1200) if many else st.one_of(st.just(least), st.integers(least, 150)))
    d_x, d_y = (draw(st.integers(1, 2 if many else 12)) for _ in range(2))
    tricks = st.lists(st.sampled_from(list(TRICKS)), max_size=3, unique=True).map(tuple)
    labels = (0, 0, 0)
    if with_labels and draw(st.booleans()):
        labels = (draw(st.integers(0, d_x)), draw(st.integers(0, d_y)), draw(st.sampled_from([1, 2, 3, 9, 200])))
    d_z = draw(st.integers(0, 3)) if with_labels else 0
    return Recipe(n, d_x, d_y, draw(names), draw(names), draw(tricks), draw(st.integers(0, 99)), labels, d_z)


NEIGHBORS, SWITCH = st.sampled_from([1, 2, 3, 7]), st.booleans()
NORMS = st.sampled_from(["chebyshev", "euclidean"])
FOREST = {
    "n_estimators": st.sampled_from([1, 3, 8]),
    "criterion": st.sampled_from(["fast_bic", "two_means"]),
    "min_samples_split": st.sampled_from([None, 2, 10]),
    "max_samples": st.sampled_from(["auto", None, 2, 7, 0.5, 1.0]),
    "local_distance": st.sampled_from(["paper", "released", "everywhere"]),
    "split_search": st.sampled_from(["fast", "exact"]),
    "standardize": SWITCH,
    "random_state": st.integers(0, 9),
}
ESTIMATORS = {
    "KSG": {"n_neighbors": NEIGHBORS, "metric": st.one_of(NORMS, st.tuples(NORMS, NORMS)), "standardize": SWITCH},
    "GeodesicKSG": {"n_neighbors": NEIGHBORS, "max_queries": st.sampled_from(["auto", None, 1, 13, 10**6]), **FOREST},
    "GeodesicForest": FOREST,
    "GKNN": {"n_neighbors": st.sampled_from([3, 9, 20]), "standardize": SWITCH},
    "LNN": {"n_neighbors": st.sampled_from([3, 5, 9]), "variant": st.sampled_from(["defined", "rmi"])},
    "Adaptive": {"n_neighbors": NEIGHBORS, "random_state": st.integers(0, 9)},
    "certificate": {"random_state": st.integers(0, 9)},
}


@st.composite
def examples(draw, name):
    """Draw (settings of the estimator, recipe)."""
    chosen = {key: draw(values) for key, values in ESTIMATORS[name].items()}
    return chosen, draw_recipe(draw, max(4, chosen.get("n_neighbors", 1) + 1), name in ("KSG", "GeodesicKSG"))


def check(name, chosen, recipe):
    """Fit it: a finite float, or a ValueError with a message, whatever the data, and the same for any n_jobs."""
    x, y, *given = recipe.tables()
    if name == "certificate":
        return check_certificate(chosen, x, y)
    make = getattr(infold, name)
    try:
        if name == "GeodesicForest":
            return check_forest(make, chosen, x)
        one, two = (make(**chosen, n_jobs=n_jobs).fit(*recipe.labelled(x, y, *given)) for n_jobs in (1, 2))
    except ValueError as error:
        return check_message(str(error))
    assert isinstance(one.mi_, float)
    assert np.isfinite(one.mi_)
    assert np.isfinite(one.local_mi_).all()
    assert_array_equal(one.local_mi_, two.local_mi_)
    assert one.mi_ == two.mi_
    assert_allclose(one.local_mi_.mean(), one.mi_, rtol=1e-9, atol=1e-9)
    if name == "KSG":
        order = np.random.default_rng(0).permutation(len(x))
        tables = [table[order] for table in (x, y, *given)]
        assert make(**chosen).fit(*recipe.labelled(*tables)).mi_ == one.mi_
    return None


def check_certificate(chosen, x, y):
    """Ask for the bound: at least 0, at most what so many rows can show, and the same for any n_jobs."""
    one, two = (certified_bound(x, y, **chosen, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert one == two
    assert np.isfinite(one).all()
    assert 0 <= one.low <= np.log(len(x))


def check_message(message):
    assert len(message) > 20


def check_forest(make, chosen, x):
    """Ask a forest for everything it knows about its own rows, and about others."""
    forest, again = (make(**chosen, n_jobs=n_jobs).fit(x) for n_jobs in (1, 2))
    assert_array_equal(forest.leaves_, again.leaves_)
    assert_array_equal(forest.apply(x), forest.leaves_)
    forest.apply(x[::-1], columns=[0])
    distances = forest.distance()
    assert np.isfinite(distances).all()
    assert distances.min() >= 0
    assert distances.max() < 1 + 1 / forest.n_estimators + 1e-9
    assert np.isfinite(forest.distance(3 * x[:5])).all()
    k = min(3, len(x) - 1)
    (near, rows), (also_near, also_rows) = (f.kneighbors(n_neighbors=k) for f in (forest, again))
    assert_array_equal(near, also_near)
    assert_array_equal(rows, also_rows)
    assert (np.diff(near, axis=1) >= 0).all()


def fuzz(name, max_examples, last_example):
    """Try `max_examples` examples, always the same ones."""

    @settings(
        max_examples=max_examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(examples(name))
    def attempt(example):
        last_example.write_text(f"{name}: {example!r}\n")
        check(name, *example)

    warnings.simplefilter("error")  # overflow, say
    warnings.simplefilter("ignore", infold.DataWarning)
    attempt()


if __name__ == "__main__":
    fuzz(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
