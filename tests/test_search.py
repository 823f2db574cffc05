import numpy as np
import pytest
import reference
from numpy.testing import assert_array_equal

from infold.core import kdtree, search, tiles
from infold.core.neighbors import ksg
from infold.core.search import Job, by_brute_force, by_sweep, by_trees, ksg_counts

SERIAL = Job(1, 0)
WAYS = {"trees": by_trees, "brute force": by_brute_force}


def counts_by_definition(points, n_x, weights, k):
    """(k or copies, near in X, near in Y), each row one of its own; points is (d, n)."""
    sides = slice(0, n_x), slice(n_x, None)
    d_x, d_y = (reference.norm_distance(points[s].T, "chebyshev", weights[s]) for s in sides)
    out = np.empty((3, len(d_x)), int)
    for i in range(len(d_x)):
        joint = np.maximum(d_x[i], d_y[i])
        radius = np.sort(np.delete(joint, i))[k - 1]
        if radius > 0:
            out[:, i] = k, np.sum(d_x[i] < radius), np.sum(d_y[i] < radius)
        else:
            out[:, i] = np.sum(joint == 0), np.sum(d_x[i] == 0), np.sum(d_y[i] == 0)
    return out


def tables(rng):
    """Name → (points (d, n), number of columns of X): what breaks fast neighbours."""
    normal = rng.normal(size=(10, 300))
    steps = np.round(normal[:4] * 2)
    outlier = normal[:4].copy()
    outlier[:, 0] = 1e9  # all other rows are then equal in float32
    apart = normal[:4].copy()
    apart[1] *= 1e-9
    return {
        "2 + 2 columns": (normal[:4], 2),
        "1 + 4 columns": (normal[:5], 1),
        "6 + 1 columns": (normal[:7], 6),
        "7 + 3 columns": (normal, 7),
        "more columns than rows": (rng.normal(size=(50, 20)), 23),
        "whole numbers": (steps, 2),
        "few whole numbers": (np.round(normal[:2]), 1),
        "a third of whole numbers": (steps / 3, 2),
        "duplicated rows": (np.repeat(normal[:4, :60], 5, axis=1), 2),
        "one row, and others": (np.concatenate((np.zeros((3, 150)), normal[:3, :150]), axis=1), 1),
        "offset 1e6": (normal[:4] + 1e6, 2),
        "offset 1e6, steps": (steps * 1e-6 + 1e6, 2),
        "huge": (normal[:4] * 1e150, 2),
        "tiny": (normal[:4] * 1e-150, 2),
        "an outlier": (outlier, 2),
        "columns of very different size": (apart, 2),
        "n = k + 1": (normal[:4, :4], 2),
        "one tile": (rng.normal(size=(3, 256)), 1),
        "one row more than a tile": (rng.normal(size=(3, 257)), 1),
    }


@pytest.fixture(params=list(tables(np.random.default_rng(0))))
def table(request):
    return tables(np.random.default_rng(1))[request.param]


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_counts_match_definition(table, way, standardize, monkeypatch):
    monkeypatch.setattr(search, "LEAF", 16)
    monkeypatch.setattr(search, "SMALL_LEAF", 16)
    points, n_x = table
    weights = 1 / reference.deviations(points.T) if standardize else np.ones(len(points))
    for k in (1, 3, 4, 5, 40):
        if k < points.shape[1]:
            found = WAYS[way](points, n_x, weights, k, SERIAL)
            assert_array_equal(found, counts_by_definition(points, n_x, weights, k))


@pytest.mark.parametrize("k", [1, 3, 4, 5, 59])
@pytest.mark.parametrize(
    "columns",
    [
        lambda rng: rng.normal(size=(2, 60)),
        lambda rng: rng.normal(size=(2, 300)),
        lambda rng: np.round(rng.normal(size=(2, 300)) * 3) / 3,
        lambda rng: np.round(rng.normal(size=(2, 300))),
        lambda rng: np.repeat(rng.normal(size=(2, 60)), 5, axis=1) + 1e6,
        lambda rng: np.stack((np.round(rng.normal(size=200)), rng.normal(size=200) * 1e-9)),
        lambda rng: rng.normal(size=(2, 100)) * 1e150,
        lambda rng: rng.normal(size=(2, 60)).cumsum(axis=1) ** 3,
    ],
)
def test_sweep_matches_definition(rng, columns, k):
    points = columns(rng)
    for weights in (np.ones(2), 1 / reference.deviations(points.T)):
        assert_array_equal(by_sweep(points, weights, k, SERIAL), counts_by_definition(points, 1, weights, k))


@pytest.mark.parametrize("k", [3, 20, 200])
def test_default_leaves_and_k_beyond_them_match_brute_force(rng, k):
    points, weights = rng.normal(size=(5, 1500)), np.ones(5)
    assert_array_equal(by_trees(points, 2, weights, k, SERIAL), by_brute_force(points, 2, weights, k, SERIAL))


def test_a_tree_that_looks_at_too_many_rows_gives_way(rng, monkeypatch):
    monkeypatch.setattr(search, "PROBE_FROM", 1000)
    many, few = rng.normal(size=(30, 1000)), np.outer(np.arange(1, 31), rng.normal(size=1000))
    weights = np.ones(30)
    assert by_trees(many, 15, weights, 3, SERIAL) is None
    found = by_trees(few, 15, weights, 3, SERIAL)  # 30 columns, but one dimension
    assert_array_equal(found, by_brute_force(few, 15, weights, 3, SERIAL))
    assert_array_equal(ksg_counts(many, 15, weights, 3, SERIAL), by_brute_force(many, 15, weights, 3, SERIAL))


@pytest.mark.parametrize("d", [1, 3, 12])
def test_threads_row_order_and_sides_change_no_bit(rng, d, monkeypatch):
    monkeypatch.setattr(search, "WORTH_THREADS", 0.0)
    monkeypatch.setattr(kdtree, "PARALLEL_FROM", 0)
    x, y = np.round(rng.normal(size=(2, d, 6500)), 2) + 1e3

    def local(a, b, n_jobs):
        metrics = ("chebyshev", "chebyshev")
        return ksg(
            np.ascontiguousarray(a), np.ascontiguousarray(b), metrics, 3, standardize=True, n_jobs=n_jobs, verbose=0
        )

    expected, shuffled = local(x, y, 1), rng.permutation(6500)
    assert_array_equal(local(x, y, 3), expected)
    assert_array_equal(local(y, x, 1), expected)
    assert_array_equal(local(x[:, shuffled], y[:, shuffled], 2), expected[shuffled])


def test_one_column_has_one_norm(rng):
    x, y = rng.normal(size=(2, 1, 300))
    by_norm = [ksg(x, y, (m, m), 3, standardize=True, n_jobs=1, verbose=0) for m in ("chebyshev", "euclidean")]
    assert_array_equal(*by_norm)


def test_float32_distances_stay_within_the_band(rng):
    points = rng.normal(size=(7, 200)) * np.logspace(-3, 3, 7)[:, None] + 1e5
    weights = rng.uniform(0.5, 2, size=7)
    scaled, unit = tiles.scaled_columns(points, weights)
    assert 0.25 <= np.abs(scaled).max() <= 1
    exact = reference.norm_distance(points.T, "chebyshev", weights) * unit
    rough = np.abs(scaled[:, :, None] - scaled[:, None, :]).max(axis=0)
    assert np.abs(rough - exact).max() <= tiles.BAND / 2
