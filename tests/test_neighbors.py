import numpy as np
import pytest
import reference
from numpy.testing import assert_allclose, assert_array_equal
from parts import from_python

from infold.core.distance import LOCAL_DISTANCES, diameter
from infold.core.folded import folded_side
from infold.core.forest import Plan, compact, grow_forest, leaf_nodes
from infold.core.geodesic import geodesic_local_mi
from infold.core.jit import draw_seeds
from infold.core.neighbors import digammas, ksg, kth_smallest
from infold.core.scaling import column_scales, standardized, unit_sized


def local_by_ksg(X, Y, metrics=("chebyshev", "chebyshev"), k=3, standardize=True, n_jobs=1):
    x, y = np.ascontiguousarray(X.T), np.ascontiguousarray(Y.T)
    return ksg(x, y, metrics, k, standardize=standardize, n_jobs=n_jobs, verbose=0)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("metric_y", ["chebyshev", "euclidean"])
@pytest.mark.parametrize("metric_x", ["chebyshev", "euclidean"])
def test_ksg_matches_definition(awkward, metric_x, metric_y, standardize):
    X, Y = awkward
    found = local_by_ksg(X, Y, (metric_x, metric_y), standardize=standardize)
    size = max(abs(X).max(), abs(Y).max()) if not standardize else 1.0  # the definition overflows at 1e150 squared
    scales = [1 / reference.deviations(side) if standardize else np.full(side.shape[1], 1 / size) for side in (X, Y)]
    d_x = reference.norm_distance(X, metric_x, scales[0])
    d_y = reference.norm_distance(Y, metric_y, scales[1])
    assert_allclose(found, reference.ksg_local(d_x, d_y, 3), atol=1e-12)


def test_ksg_k_larger_than_a_group_of_values(rng):
    X, Y = rng.normal(size=(2, 100, 2))
    ones = np.ones(2)
    d_x, d_y = (reference.norm_distance(side, "chebyshev", ones) for side in (X, Y))
    for k in (1, 15, 16, 17, 40, 99):
        assert_allclose(local_by_ksg(X, Y, k=k, standardize=False), reference.ksg_local(d_x, d_y, k), atol=1e-12)


@pytest.mark.parametrize("variant", LOCAL_DISTANCES)
def test_geodesic_ksg_matches_definition(awkward, variant):
    X, Y = awkward
    points = standardized(np.ascontiguousarray(np.concatenate((X, Y), axis=1).T))
    n = len(X)
    is_x = np.arange(len(points)) < X.shape[1]
    forest = grow_forest(points, Plan(draw_seeds(0, 12), "fast_bic", n, 12), n_jobs=1, verbose=0)
    leaves = [compact(leaf_nodes(forest, points, used, n_jobs=1, verbose=0)) for used in (is_x, ~is_x)]
    x, y = np.ascontiguousarray(points[is_x]), np.ascontiguousarray(points[~is_x])
    found, places = np.empty(n), np.arange(n, dtype=np.int32)
    geodesic_local_mi(
        *map(folded_side, leaves),
        x,
        y,
        diameter(x),
        diameter(y),
        LOCAL_DISTANCES[variant],
        3,
        digammas(n),
        places,
        found,
    )
    d_x = reference.geodesic_distance(leaves[0], x.T, variant)
    d_y = reference.geodesic_distance(leaves[1], y.T, variant)
    assert_allclose(found, reference.ksg_local(d_x, d_y, 3), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.uint16])
def test_kth_smallest_matches_sorting(rng, dtype):
    found = from_python(kth_smallest)
    for n in (1, 2, 16, 17, 50, 200):
        values = rng.integers(0, 40, size=n).astype(dtype)
        for k in {1, n // 2 + 1, n}:
            assert found(values, k) == np.sort(values)[k - 1]


def test_scales_do_not_depend_on_row_order_or_powers_of_two(rng):
    columns = rng.lognormal(size=(3, 1000))
    means, deviations = column_scales(columns)
    shuffled = column_scales(rng.permuted(columns, axis=1))
    assert_array_equal(shuffled[1], deviations)
    assert_array_equal(column_scales(columns * 2.0**40)[1], deviations * 2.0**40)
    assert_allclose(means, columns.mean(axis=1))
    assert_allclose(deviations, columns.std(axis=1))


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_scales_neither_overflow_nor_vanish(rng, size):
    columns = rng.uniform(1, 2, size=(2, 50))
    assert_allclose(column_scales(columns * size)[1] / size, columns.std(axis=1))
    assert_allclose(standardized(columns * size), standardized(columns), rtol=1e-9)


def test_unit_sized_is_exact(rng):
    columns = rng.normal(size=(2, 30))
    assert unit_sized(columns) is columns
    assert_array_equal(unit_sized(columns * 2.0**600) / unit_sized(columns * 2.0**600)[0, 0], columns / columns[0, 0])
