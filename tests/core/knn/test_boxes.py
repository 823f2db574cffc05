import numpy as np
import pytest
from numpy.testing import assert_array_equal
from reference import neighbors

from infold.core.knn.boxes import make_boxes, nearest_within, select

KEYS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "constant": lambda rng, n: np.zeros(n),
    "sorted": lambda rng, n: np.sort(rng.normal(size=n)),
    "reversed": lambda rng, n: -np.sort(rng.normal(size=n)),
    "huge and tiny": lambda rng, n: rng.choice([-1e308, -5e-324, 0.0, 5e-324, 1e308], n),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("n", [1, 2, 3, 64, 257])
def test_select_puts_small_keys_first(rng, name, n):
    for middle in {0, n // 3, n // 2, n - 1}:
        values = KEYS[name](rng, n)
        keys, order = values.copy(), np.arange(n)
        select(keys, order, 0, n, middle)
        assert_array_equal(np.sort(order), np.arange(n))
        assert_array_equal(keys, values[order])
        assert keys[:middle].max(initial=-np.inf) <= keys[middle:].min()


@pytest.mark.parametrize("name", ["normal", "ties", "constant"])
def test_boxes_hold_every_row_once(rng, name):
    table = np.array([KEYS[name](rng, 300) for _ in range(3)])
    boxes = make_boxes(table, 64)
    assert_array_equal(np.sort(boxes.order), np.arange(300))
    for box, tile in enumerate(boxes.tiles):
        rows = table[:, boxes.order[boxes.starts[box] : boxes.starts[box + 1]]]
        assert_array_equal(tile[:, : rows.shape[1]], rows)
        assert np.isinf(tile[:, rows.shape[1] :]).all()
        assert_array_equal(boxes.low[:, box], rows.min(axis=1))
        assert_array_equal(boxes.high[:, box], rows.max(axis=1))


@pytest.mark.parametrize("name", ["normal", "ties", "constant"])
@pytest.mark.parametrize("k", [1, 4, 19])
def test_nearest_within_a_box_match_sorted_distances(rng, name, k):
    size, width = 20, 24
    tile = np.full((2, width), np.inf)
    tile[:, :size] = [KEYS[name](rng, size) for _ in range(2)]
    best, ties = np.empty((width, k)), np.empty(width, np.int64)
    nearest_within(tile, tile.T.copy(), size, np.empty(width), np.empty((k, width)), best, ties)
    for q, distances in enumerate(neighbors.block_distance(tile[:, :size])):
        others = np.sort(np.delete(distances, q))
        assert_array_equal(best[q], others[:k])
        assert ties[q] == np.sum(others[k:] == others[k - 1])
