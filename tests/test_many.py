"""Many small estimates taken together: the bits of each alone, wherever they are computed."""

import threading
import time

import numpy as np
import pytest
from infold._tasks import _Batches, in_order
from infold._validation import check_pair
from infold.resampling import Deal, make_pairings, make_shuffle, partition_tasks, refitted, refitted_parts

import infold

pytestmark = pytest.mark.filterwarnings("ignore::infold.DataWarning")

N = 90
OPTIONS = {"n_jobs": 2, "label": "tasks", "verbose": 0}
ESTIMATORS = {
    "ksg": infold.KSG(),
    "many neighbours": infold.KSG(n_neighbors=7),
    "raw": infold.KSG(standardize=False),
    "euclidean": infold.KSG(metric="euclidean"),
    "two norms": infold.KSG(metric=("chebyshev", "euclidean")),
    "gksg": infold.GeodesicKSG(n_estimators=5),
    "auto": infold.Adaptive(),
}
TABLES = ["plain", "ties", "constant", "nearly constant", "a side constant", "huge", "tiny"]


@pytest.fixture(params=[(1, 1), (3, 2), (1, 4)], ids=lambda shape: f"{shape[0]}+{shape[1]}")
def columns(request, rng):
    d_x, d_y = request.param
    X = rng.normal(size=(N, d_x))
    return X, X[:, :1] + rng.normal(size=(N, d_y))


def difficult(columns, kind):
    """Return X and Y with some difficulty."""
    X, Y = (table.copy() for table in columns)
    if kind == "ties":
        X, Y = np.round(2 * X), np.round(2 * Y)
    elif kind == "constant":
        X = np.column_stack([np.ones(N), X])
    elif kind == "nearly constant":  # and wholly so in some subsamples
        X[2:, 0] = 0.0
    elif kind == "a side constant":
        X[:] = 1.0
    elif kind == "huge":
        X *= 1e200
    elif kind == "tiny":
        Y *= 1e-200
    return check_pair(X, Y, n_neighbors=3)


CASES = [(name, kind) for name in ESTIMATORS for kind in (TABLES if name in ("ksg", "raw") else TABLES[:1])]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_pairings_share_work_but_no_bit_changes(columns, name, kind):
    estimator, (x, y) = ESTIMATORS[name], difficult(columns, kind)
    seeds = [1, 2, 3]
    orders = make_shuffle(N, None, None).draw_all(seeds)
    pairings = make_pairings(estimator, x, y)
    alone = [refitted(estimator, x, y, None, order, seed) for order, seed in zip(orders, seeds, strict=True)]
    columns_x, columns_y = pairings.sides
    every = columns_x + columns_y
    assert pairings.outcomes(every, columns_y, orders, seeds) == alone
    both, d_x = np.hstack([x.values, y.values]), len(columns_x)
    for column in every:
        moved = both.copy()
        moved[:, column] = both[orders[0], column]
        tables = x._replace(values=moved[:, :d_x]), y._replace(values=moved[:, d_x:])
        expected = refitted(estimator, *tables, None, None, seeds[0])
        assert pairings.outcomes(every, [column], orders[:1], seeds[:1]) == [expected]
    if isinstance(estimator, infold.KSG):  # rows that stay pairs in another order; a forest draws other rows then
        for moved in ([], every):
            assert pairings.outcomes(every, moved, orders[:1], seeds[:1]) == [refitted(estimator, x, y, None, None, 0)]
    for column in columns_x:
        expected = refitted(estimator, x._replace(values=x.values[:, [column]]), y, None, orders[0], seeds[0])
        assert pairings.outcomes([column, *columns_y], columns_y, orders[:1], seeds[:1]) == [expected]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_subsamples_taken_together_are_those_taken_one_by_one(columns, name, kind):
    estimator, (x, y) = ESTIMATORS[name], difficult(columns, kind)
    shuffle, pairings = make_shuffle(N, None, None), make_pairings(estimator, x, y)
    jobs = [(pairings, 2, 5), *((pairings, Deal(shuffle, parts), 10 * parts + i) for parts in (2, 4) for i in range(2))]
    expected = [[refitted(estimator, x, y, None, None, 5, 2)]]
    expected += [alone(estimator, x, y, *deal, seed) for _, deal, seed in jobs[1:]]
    assert refitted_parts(jobs) == expected


def alone(estimator, x, y, shuffle, parts, seed):
    """Return what parts of the rows give, one by one."""
    return [refitted(estimator, x, y, rows, rows, own) for rows, own in partition_tasks(shuffle, parts, seed)]


def test_a_subsample_that_needs_care_leaves_the_others_as_they_are(rng):
    X, Y = rng.normal(size=(2, 40, 2))
    X[5:, 0] = 0.0
    x, y = check_pair(X, Y, n_neighbors=3)
    estimator, shuffle = infold.KSG(), make_shuffle(40, None, 10)
    found = refitted_parts([(make_pairings(estimator, x, y), Deal(shuffle, 2), seed) for seed in range(5)])
    assert found == [alone(estimator, x, y, shuffle, 2, seed) for seed in range(5)]
    rows = next(rows for rows, _ in partition_tasks(shuffle, 2, 0) if rows.min() >= 5)  # where the column is constant
    without_first = x._replace(values=x.values[:, 1:])
    assert refitted(estimator, without_first, y, rows, rows, 0) in found[0]


# Sums of more than 128 values are taken in pairs of halves, and larger tables are counted in other ways: by sweeps,
# tiles, wide tiles and trees.
SIZES = [(600, 1, 1), (600, 3, 2), (2500, 1, 2), (4200, 1, 11), (6500, 1, 1)]


def larger_table(n, d_x, d_y, kind):
    rng = np.random.default_rng(n + d_x)
    X, Y = rng.normal(size=(n, d_x)), rng.normal(size=(n, d_y))
    Y[:, 0] += X[:, 0]
    if kind == "ties":
        X, Y = np.round(X, 1), np.round(Y, 1)
    elif kind == "copies":
        X[n // 2 :], Y[n // 2 :] = X[: n // 2], Y[: n // 2]
    elif kind == "a column constant":
        X = np.column_stack([X, np.ones(n)])
    return check_pair(X, Y, n_neighbors=3)


LARGER = [(size, "plain") for size in SIZES] + [
    (size, kind) for size in SIZES[:2] for kind in ("ties", "copies", "a column constant")
]


@pytest.mark.parametrize(("size", "kind"), LARGER)
@pytest.mark.parametrize("within", [None, "groups", "blocks"])
def test_larger_tables_share_work_too(size, kind, within):
    n, x, y = size[0], *larger_table(*size, kind)
    estimator, count = infold.KSG(), 30 if n == 600 else 2  # more than are counted at a time
    shuffle = make_shuffle(n, np.arange(n) % 3 if within == "groups" else None, 7 if within == "blocks" else None)
    pairings, seeds = make_pairings(estimator, x, y), list(range(count))
    columns_x, columns_y = pairings.sides
    orders = shuffle.draw_all(seeds)
    expected = [refitted(estimator, x, y, None, order, 0) for order in orders]
    assert pairings.outcomes(columns_x + columns_y, columns_y, orders, seeds) == expected
    backwards = [refitted(estimator, x, y, order, None, 0) for order in orders[:2]]
    assert pairings.outcomes(columns_x + columns_y, columns_x, orders[:2], seeds[:2]) == backwards
    deals = [(pairings, Deal(shuffle, parts), seed) for parts in (2, 4) for seed in seeds]
    assert refitted_parts(deals) == [alone(estimator, x, y, *deal, seed) for _, deal, seed in deals]


@pytest.mark.parametrize("d", [1, 3])
def test_inference_is_the_same_for_any_number_of_workers(d):
    X = np.random.default_rng(d).normal(size=(600, d))
    Y = np.round(X + np.random.default_rng(d + 1).normal(size=X.shape), 1)

    def answers(n_jobs):
        options = {"method": "ksg", "random_state": 1, "verbose": 0, "n_jobs": n_jobs}
        columns = infold.relevance(X, Y, n_permutations=40, **options)
        return [
            infold.independence_test(X, Y, n_permutations=150, groups=np.arange(600) // 50, **options).null.tolist(),
            infold.confidence_interval(X, Y, n_subsamples=60, block=3, **options).subsamples.tolist(),
            columns.null_x.tolist() + columns.null_y.tolist() + columns.scores_x.tolist(),
        ]

    assert answers(1) == answers(2) == answers(5)


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize(("power_x", "power_y"), [(660, -660), (1000, 0), (0, -1050)])
def test_no_unit_is_too_large_or_too_small(rng, d, power_x, power_y):
    X, Y = np.round(rng.normal(size=(2, 80, d)) * 2**10)  # few bits, so that none is lost below the smallest float
    Y += X
    expected = infold.KSG().fit(X, Y).local_mi_
    found = infold.KSG().fit(np.ldexp(X, power_x), np.ldexp(Y, power_y)).local_mi_
    assert found.tobytes() == expected.tobytes()


def squares(jobs):
    return [number**2 for (number,) in jobs]


def inverses(jobs):
    return [1 / number for (number,) in jobs]


@pytest.mark.parametrize("place", [{}, {"n_jobs": 1}, {"prefer": "processes"}], ids=["threads", "one", "processes"])
def test_an_error_among_jobs_done_together_is_the_caller_s(place):
    jobs = [(number,) for number in range(100, -100, -1)]
    with pytest.raises(ZeroDivisionError):
        list(in_order(inverses, jobs, **(OPTIONS | place), together=True))


def test_threads_end_with_the_work_or_with_the_wish_for_more():
    before = threading.active_count()
    list(in_order(squares, [(n,) for n in range(50)], **OPTIONS, together=True))
    answers = in_order(squares, [(n,) for n in range(5000)], **OPTIONS, together=True)
    assert next(answers) == 0
    answers.close()
    patience = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < patience:
        time.sleep(0.01)
    assert threading.active_count() <= before


@pytest.mark.parametrize("place", [{}, {"n_jobs": 1}, {"prefer": "processes"}], ids=["threads", "one", "processes"])
@pytest.mark.parametrize("count", [0, 1, 7, 200])
def test_jobs_done_together_answer_in_order(place, count):
    jobs = [(number,) for number in range(count)]
    assert list(in_order(squares, jobs, **(OPTIONS | place), together=True)) == [n**2 for n in range(count)]


def test_batches_grow_while_jobs_are_short_and_leave_some_for_the_others():
    jobs = [(number,) for number in range(1000)]
    batches, seen, sizes = _Batches(jobs, workers=2), [], []
    for first, batch in batches:
        assert first == len(seen)
        seen += batch
        sizes.append(len(batch))
        batches.learn((first, 0.0002 * len(batch), batch))  # 200 of them would fill a batch's time
    assert seen == jobs
    assert sizes[:4] == [1, 4, 16, 64]
    assert max(sizes) == 200
    assert min(sizes[4:-1]) == 25  # an eighth of what would fill the time
    batches.learn((0, 3.0, [None]))
    assert len(next(iter(batches))[1]) == 1  # long ones go one by one again
    assert [len(batch) for _, batch in _Batches(jobs[:3], workers=None)] == [1, 1, 1]


def test_early_stopping_gives_the_p_value_of_one_by_one(rng):
    X, Y = rng.normal(size=(2, 60))
    options = {"method": "ksg", "n_permutations": 300, "random_state": 0, "verbose": 0}
    whole = infold.independence_test(X, Y, **options)
    for n_jobs in (1, 2):
        early = infold.independence_test(X, Y, **options, early_stop=True, n_jobs=n_jobs)
        assert early.stopped_early
        assert early.null.tolist() == whole.null[: early.null.size].tolist()
        assert np.count_nonzero(early.null >= early.mi) == 16  # .05 · 301, rounded up
