import functools
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference import neighbors
from scipy.special import digamma

from infold.core.knn import counts
from infold.core.knn.classes import class_counts
from infold.core.knn.counts import boxes_may_pay, neighbor_counts
from infold.core.knn.information import CONDITIONAL, digamma_of, local_information, shared_spaces
from infold.core.knn.information import expected_counts as settled_counts
from infold.core.knn.ksg import METRICS, apart_by_class, local_ksg
from infold.core.knn.scan import EUCLIDEAN

SCANNED, FEW_BOXED, BOXED = 75, 275, 700  # rows with which up to three columns are searched by scans, and by boxes


def bits(blocks):
    return sum(1 << b for b in blocks)


def expected_counts(columns, sizes, spaces, k, metrics=None):
    starts = np.concatenate(([0], np.cumsum(sizes)))
    metrics = metrics or ["chebyshev"] * len(sizes)
    distances = [
        neighbors.block_distance(columns[a:b], m) for a, b, m in zip(starts[:-1], starts[1:], metrics, strict=True)
    ]
    return neighbors.counts(distances, spaces, k)


def awkward(name, rng, d, n):
    """Columns (d, n) that break kNN code."""
    normal = rng.normal(size=(d, n))
    return {
        "normal": normal,
        "lattice": rng.integers(0, 9, (d, n)).astype(float),
        "binary": rng.integers(0, 2, (d, n)).astype(float),
        "copies": np.repeat(normal[:, : n // 5], 5, axis=1),
        "Cauchy": rng.standard_cauchy((d, n)),
        "ratio": 1 / normal,
        "one huge value": np.where(np.arange(n) == 3, 1e12, normal),
        "sorted": np.sort(normal, axis=1),
        "offset": normal + 1e6,
        "mixed": np.where(np.arange(d)[:, None] % 2 == 0, normal, np.round(normal)),
    }[name]


OTHERS = ["binary", "copies", "Cauchy", "ratio", "one huge value", "sorted", "offset", "mixed"]
NAMES = [
    "normal",
    "lattice",
    *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS),
]  # same lines, other data


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [SCANNED, FEW_BOXED, BOXED])
@pytest.mark.parametrize(
    ("sizes", "spaces"),
    [
        ((1, 1), [(0,), (1,)]),
        ((2, 1), [(0,), (1,)]),
        ((1, 1, 1), [(0, 2), (1, 2), (2,)]),
        ((1, 1, 1), [(0,), (1,), (2,)]),
    ],
)
def test_counts_match_the_definition(rng, name, n, sizes, spaces):
    columns = awkward(name, rng, sum(sizes), n)
    assert boxes_may_pay(*columns.shape) == (n != SCANNED)
    for k in (1, 4):
        found = neighbor_counts(columns, sizes, [bits(s) for s in spaces], k)
        assert_allclose(found, expected_counts(columns, sizes, spaces, k), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["normal", "lattice", "copies"])
@pytest.mark.parametrize(("sizes", "n"), [((4, 3), 50), ((20, 31), 40), ((5, 5), 2_000), ((3, 2, 2), 1_400)])
def test_many_columns_match_the_definition(rng, name, sizes, n):
    columns = awkward(name, rng, sum(sizes), n)
    spaces = [(b,) for b in range(len(sizes))]
    found = neighbor_counts(columns, sizes, [bits(s) for s in spaces], 3)
    assert_allclose(found, expected_counts(columns, sizes, spaces, 3), rtol=1e-12)


@pytest.mark.parametrize("name", ["normal", "lattice"])
def test_more_neighbours_than_a_box_has_rows(rng, name):
    columns = awkward(name, rng, 3, FEW_BOXED)
    for k in (100, FEW_BOXED - 1):
        found = neighbor_counts(columns, (1, 1, 1), CONDITIONAL.masks, k)
        assert_allclose(found, expected_counts(columns, (1, 1, 1), [(0, 2), (1, 2), (2,)], k), rtol=1e-12)


@pytest.mark.parametrize("name", ["normal", "lattice", "copies"])
@pytest.mark.parametrize("n", [SCANNED, FEW_BOXED])
def test_strict_counts_match_the_definition(rng, name, n):
    columns, spaces = awkward(name, rng, 3, n), [(0, 2), (1, 2), (2,)]
    found = neighbor_counts(columns, (1, 1, 1), CONDITIONAL.masks, 4, strict=True)
    distances = [neighbors.block_distance(column[None]) for column in columns]
    assert_array_equal(found, neighbors.strict_counts(distances, spaces, 4))


@pytest.mark.parametrize("metrics", [("euclidean", "euclidean"), ("chebyshev", "euclidean")])
def test_other_norms_match_the_definition(rng, metrics):
    columns = rng.normal(size=(5, 70))
    found = neighbor_counts(columns, (2, 3), (1, 2), 3, metrics=[METRICS[m] for m in metrics])
    assert_allclose(found, expected_counts(columns, (2, 3), [(0,), (1,)], 3, metrics), rtol=1e-12)


def test_fewest_rows_that_have_a_kth_neighbour(rng):
    columns = rng.normal(size=(2, 4))
    found = neighbor_counts(columns, (1, 1), (1, 2), 3)
    assert_allclose(found, expected_counts(columns, (1, 1), [(0,), (1,)], 3), rtol=1e-12)


@pytest.mark.slow
def test_threads_change_no_bit(rng):
    for columns in (rng.normal(size=(3, 30_000)), rng.normal(size=(40, 4_000))):
        sizes = (len(columns) - 1, 1)
        one, two = (neighbor_counts(columns, sizes, (1, 2), 3, n_jobs=n_jobs) for n_jobs in (1, 2))
        assert_array_equal(one, two)


@pytest.mark.slow
def test_boxes_and_scans_agree(rng):
    # Rows near a line in twelve columns: boxes pay, although twelve columns would be too many for other data.
    line = rng.normal(size=10_000)
    columns = np.outer(rng.normal(size=12), line) + 1e-3 * rng.normal(size=(12, 10_000))
    by_boxes = neighbor_counts(columns, (6, 6), (1, 2), 3)
    by_scans = neighbor_counts(columns[:1], (1,), (1,), 3, metrics=[EUCLIDEAN])  # the same norm in one column
    assert_array_equal(by_scans, neighbor_counts(columns[:1], (1,), (1,), 3))
    some = rng.choice(10_000, 20, replace=False)
    for i in some:
        distance = [np.abs(block - block[:, [i]]).max(axis=0) for block in (columns[:6], columns[6:])]
        radius = np.partition(np.maximum(*distance), 3)[3]
        assert_array_equal(by_boxes[:, i], [3, *(np.sum(d < radius) for d in distance)])


# Ties.


@pytest.mark.slow
def test_ties_are_counted_by_their_mean_over_all_orders(rng):
    # A coin and whole numbers, in other units, with noise that only breaks ties, many times.
    x, y = np.sqrt(50) * rng.integers(0, 2, 40), rng.integers(0, 15, 40).astype(float)
    found = local_ksg(np.array([x, y]), (1, 1), 3).mean()
    noisy = [local_ksg(np.array([x, y]) + 1e-9 * rng.random((2, 40)), (1, 1), 3).mean() for _ in range(2000)]
    # The mean of 2,000 has an error of .001; ψ at the mean count, corrected by its variance, is good to a hundredth.
    assert abs(found - np.mean(noisy)) < 0.01


def test_a_count_without_ties_is_that_of_nearer_rows():
    counts = np.empty(3)
    settled_counts(3, np.array([3, 7, 9]), np.array([4, 8, 9]), counts)
    assert_array_equal(counts, [3, 7, 9])
    settled_counts(3, np.array([0, 0, 0]), np.array([5, 8, 20]), counts)
    assert_array_equal(counts, [5, 8, 20])
    settled_counts(0, np.array([1, 4, 60]), np.array([1, 4, 60]), counts)
    assert_array_equal(counts, [1, 4, 60])


@pytest.mark.parametrize("x", np.concatenate((np.linspace(0.3, 12.1, 40), [57.25, 1234.5])))
def test_digamma_between_whole_numbers(x):
    psi = digamma(np.arange(1.0, 2000))  # shifted, so that it is of no use here
    assert_allclose(digamma_of(x, psi), digamma(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("step", [0.1, 0.25, 0.01, 1e-6])
def test_ties_of_decimals_survive_standardising(rng, step):
    whole = rng.integers(-40, 40, size=(3, 300)).astype(float)
    expected = local_ksg(whole.copy(), (2, 1), 3, standardize=True)
    assert_array_equal(local_ksg(np.round(whole * step, 6), (2, 1), 3, standardize=True), expected)


# Classes.

CLASSES = {  # name: (sizes, which columns are nominal, spaces)
    "class": ((1, 1), (0, 1), shared_spaces(2)),
    "two labels": ((1, 2), (0, 1, 1), shared_spaces(2)),
    "mixed side": ((2, 1), (0, 1, 1), shared_spaces(2)),
    "mixed sides": ((2, 2), (0, 1, 1, 0), shared_spaces(2)),
    "many numbers": ((3, 1), (0, 0, 0, 1), shared_spaces(2)),
    "given a class": ((1, 1, 1), (0, 0, 1), CONDITIONAL),
    "class given a class": ((1, 1, 1), (0, 1, 1), CONDITIONAL),
    "given both": ((1, 1, 2), (0, 1, 0, 1), CONDITIONAL),
    "three": ((1, 1, 1), (1, 0, 0), shared_spaces(3)),
    "labels alone": ((1, 1), (1, 1), shared_spaces(2)),
}


def with_classes(rng, nominal, n, n_classes, name="normal"):
    columns = awkward(name, rng, len(nominal), n)
    columns[nominal] = rng.integers(0, n_classes, (np.count_nonzero(nominal), n))
    return columns


@pytest.mark.parametrize("question", CLASSES)
@pytest.mark.parametrize("n_classes", [1, 3, 60])
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("normal", 80),
        ("lattice", 80),
        ("copies", 80),
        pytest.param("normal", 900, marks=pytest.mark.slow),
        ("mixed", 4),
    ],
)
def test_classes_match_the_definition(rng, question, n_classes, name, n):
    sizes, nominal, spaces = CLASSES[question]
    nominal = np.array(nominal, bool)
    columns = with_classes(rng, nominal, n, n_classes, name)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    members = [[b for b in range(len(sizes)) if mask >> b & 1] for mask in spaces.masks]
    for metric in ("chebyshev", "euclidean"):
        distances = [neighbors.class_distance(columns[a:b], nominal[a:b], 1e9, metric) for a, b in pairwise(starts)]
        counts = neighbors.counts(distances, members, 3, far=1e9)
        found = local_ksg(columns.copy(), sizes, 3, spaces=spaces, metrics=[metric] * len(sizes), nominal=nominal)
        formula = neighbors.conditional_information
        if spaces is not CONDITIONAL:
            formula = functools.partial(neighbors.total_correlation, n=n)
        assert_allclose(found, formula(counts), rtol=1e-11, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("question", CLASSES)
def test_numbering_of_classes_changes_no_bit(rng, question):
    sizes, nominal, spaces = CLASSES[question]
    nominal = np.array(nominal, bool)
    columns = with_classes(rng, nominal, 900, 7)
    expected = local_ksg(columns.copy(), sizes, 3, spaces=spaces, nominal=nominal, standardize=True)
    for names in (rng.permutation(7), rng.permutation(7) * 1e7 - 3e7, rng.normal(size=7)):
        renamed = columns.copy()
        renamed[nominal] = names[renamed[nominal].astype(int)]
        found = local_ksg(renamed, sizes, 3, spaces=spaces, nominal=nominal, standardize=True)
        assert found.tobytes() == expected.tobytes()


def test_one_column_within_classes_is_what_other_searches_find(rng):
    nominal = np.array([False, True])
    for n in (5, 100, 900):
        columns = with_classes(rng, nominal, n, 4, "lattice")
        points, far = apart_by_class(columns.copy(), nominal, standardize=False)
        expected = neighbor_counts(points, (1, 1), (1, 2), 3, far=far)
        assert_array_equal(class_counts(columns, (1, 1), (1, 2), 3, [False, True]), expected)


def test_a_row_alone_in_its_class_adds_nothing(rng):
    columns = np.array([rng.normal(size=30), np.arange(30.0)])
    local = local_ksg(columns, (1, 1), 3, nominal=np.array([False, True]))
    assert_array_equal(local, np.zeros(30))


def test_formula_of_each_question(rng):
    n = 60
    for sizes, spaces, formula in (
        ((2, 1), shared_spaces(2), lambda c: neighbors.mutual_information(c, n)),
        ((1, 1, 2), shared_spaces(3), lambda c: neighbors.total_correlation(c, n)),
        ((1, 1, 2), CONDITIONAL, neighbors.conditional_information),
    ):
        counts = neighbor_counts(rng.normal(size=(sum(sizes), n)), sizes, spaces.masks, 3)
        assert_allclose(local_information(counts, spaces, n), formula(counts), rtol=1e-13, atol=1e-13)


def test_atoms_are_discrete_information():
    # Every row has k copies or more: the plug-in estimate of a binary symmetric channel, up to ψ(n) − log n.
    y = np.repeat([0.0, 1.0, 0.0, 1.0], [40, 10, 10, 40])
    x = np.repeat([0.0, 1.0], [50, 50])
    local = local_ksg(np.array([x, y]), (1, 1), 3)
    assert abs(local.mean() - 0.1927) < 0.02  # log 2 − H(.2); digammas of counts from 10 up differ by some hundredths


@pytest.mark.parametrize("standardize", [True, False])
def test_standardising_is_a_choice(rng, standardize):
    columns = rng.normal(size=(3, 80)) * np.array([[1.0], [30.0], [0.01]])
    expected = neighbors.standardized(columns) if standardize else columns
    counts = expected_counts(expected, (2, 1), [(0,), (1,)], 3)
    local = local_ksg(columns.copy(), (2, 1), 3, standardize=standardize)
    assert_allclose(local, neighbors.mutual_information(counts, 80), rtol=1e-12, atol=1e-12)


def test_ties_of_whole_numbers_survive_standardising(rng):
    # As whole numbers are multiples of their unit, differences that are equal stay equal, at any offset and scale.
    whole = rng.integers(0, 30, size=(4, 300)).astype(float)
    local = local_ksg(whole.copy(), (2, 2), 3, standardize=True)
    units = 1 / np.sqrt(np.mean((whole - whole.mean(axis=1, keepdims=True)) ** 2, axis=1, keepdims=True))
    differences = np.abs(whole[:, :, None] - whole[:, None, :])  # exact, and multiplied by one number per column
    distances = [(differences[:2] * units[:2, :, None]).max(axis=0), (differences[2:] * units[2:, :, None]).max(axis=0)]
    counts = neighbors.counts(distances, [(0,), (1,)], 3)
    assert_allclose(local, neighbors.mutual_information(counts, 300), rtol=1e-12, atol=1e-12)
    assert_array_equal(local_ksg(whole + 1e9, (2, 2), 3, standardize=True), local)


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1e150, 3.0])
def test_size_does_not_matter(rng, factor):
    columns = rng.normal(size=(2, 100))
    local = local_ksg(columns.copy(), (1, 1), 3, standardize=True)
    assert_array_equal(local_ksg(columns * factor, (1, 1), 3, standardize=True), local)
    assert_array_equal(local_ksg(columns * [[factor], [1]], (1, 1), 3, standardize=True), local)


def test_order_of_rows_does_not_matter(rng):
    columns, order = rng.standard_cauchy((4, 500)), rng.permutation(500)
    local = local_ksg(columns.copy(), (2, 2), 3, standardize=True)
    assert_array_equal(local_ksg(columns[:, order].copy(), (2, 2), 3, standardize=True), local[order])


@pytest.mark.parametrize(("d", "n"), [(2, 900), (12, 300)])  # boxes and sorted columns; a scan
def test_slices_change_no_bit(d, n, monkeypatch):
    columns = np.random.default_rng(0).integers(0, 40, (d, n)).astype(float)  # with ties
    sizes = [1, d - 1]
    whole = counts.neighbor_counts(columns, sizes, [1, 2], 3)
    monkeypatch.setattr(counts, "COMPARED", 1.0)
    assert_array_equal(counts.neighbor_counts(columns, sizes, [1, 2], 3), whole)
    assert_array_equal(counts.neighbor_counts(columns, sizes, [1, 2], 3, n_jobs=2), whole)
