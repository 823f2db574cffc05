"""float32 tables: the same bits as in float64, and no heap of copies."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest

import infold
from infold.data.question import repeated_rows

METHODS = {
    "ksg": {},
    "gksg": {"n_estimators": 20, "random_state": 0},
    "gknn": {"n_neighbors": 20},
    "lnn": {},
    "auto": {"random_state": 0},
}


@pytest.mark.filterwarnings("ignore::infold.DataWarning")
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", ["C", "F", "rows apart"])
def test_float32_gives_the_bits_of_float64(rng, method, order):
    X, Y = rng.normal(size=(2, 90, 3)).astype(np.float32)
    Y += X
    if order == "rows apart":
        narrow = [np.repeat(table, 2, axis=0)[::2] for table in (X, Y)]
    else:
        narrow = [np.asarray(table, order=order) for table in (X, Y)]
    found = infold.mutual_information(*narrow, method=method, **METHODS[method]).local
    expected = infold.mutual_information(X.astype(float), Y.astype(float), method=method, **METHODS[method]).local
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_float32_too(rng, library):
    frames = pytest.importorskip(library)
    X, Y = rng.normal(size=(2, 60, 2)).astype(np.float32)
    wrapped = [
        frames.DataFrame({f"{name}{i}": table[:, i] for i in range(2)}) for name, table in (("x", X), ("y", X + Y))
    ]
    assert infold.KSG().fit(*wrapped).mi_ == infold.KSG().fit(X.astype(float), (X + Y).astype(float)).mi_


def test_an_equal_column_is_found_in_another_type(rng):
    X, Y = rng.normal(size=(2, 50, 3)).astype(np.float32)
    Y = Y.astype(float)
    Y[:, 2] = X[:, 1]
    with pytest.raises(ValueError, match="column 1 of X equals column 2 of Y"):
        infold.KSG().fit(X, Y)


@pytest.mark.parametrize("values", [2, 3, 50])
def test_repeated_rows_are_counted_as_by_definition(rng, values):
    table = rng.integers(0, values, size=(80, 3)) - 1.0
    table[::7] *= -1.0  # some zeros are negative
    counts = Counter(tuple(row) for row in table.tolist())
    assert sorted(repeated_rows(list(table.T))) == sorted(c for c in counts.values() if c > 1)


def peak_of(function, *arguments, **options):
    """Return the bytes that a call asks for at most, at one time."""
    tracemalloc.start()
    try:
        function(*arguments, **options)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def as_given(table, form):
    if form == "pandas":
        frames = pytest.importorskip("pandas")
        return frames.DataFrame({f"c{i}": column for i, column in enumerate(table.T)})
    return np.asarray(table, order=form)


@pytest.mark.parametrize("form", ["C", "F", "pandas"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_large_table_is_copied_once(rng, form, dtype):
    n, d = 100_000, 16
    X, Y = (as_given(rng.standard_normal((n, d), dtype=np.float32).astype(dtype), form) for _ in range(2))
    estimator = infold.GeodesicKSG(n_estimators=2, max_samples=256, max_queries=4, random_state=0)
    estimator.fit(X[:100], Y[:100])  # imports and kernels
    in_float64 = 2 * n * d * 8
    # The one table that kernels take, half of it for its rows in order, and a few columns: 1.6. Another copy would be
    # one table more, of a float32 input half a table.
    assert peak_of(estimator.fit, X, Y) < 1.9 * in_float64
