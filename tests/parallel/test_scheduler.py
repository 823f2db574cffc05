"""One scheduler: the same answers from threads, processes and a cluster that loses workers."""

import contextlib
import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest

import infold
from infold import reproduce
from infold.parallel import scheduler as parallel
from infold.parallel.cluster import on_cluster
from infold.parallel.scheduler import in_order, run

OPTIONS = {"n_jobs": 2, "label": "tasks", "verbose": 0}
PLACES = {"threads": {}, "processes": {"prefer": "processes"}, "one": {"n_jobs": 1}}


@pytest.fixture(scope="module")
def cluster():
    """A real cluster: a scheduler and two worker processes, which are started again when they die."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),  # or one killed twice is given up
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def data():
    return infold.datasets.make_gaussian(200, 2, random_state=0)


def permuted(data, method, seed, marker=None):
    """Return an estimate for re-paired rows; the first of all processes that sees the marker's path dies."""
    with contextlib.suppress(FileExistsError, TypeError):
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        os.kill(os.getpid(), signal.SIGKILL)
    X, Y = data.X, data.Y
    Y = Y[np.random.default_rng(seed).permutation(len(Y))]
    options = {"random_state": seed, "n_estimators": 30} if method == "gksg" else {}
    return infold.mutual_information(X, Y, method=method, n_jobs=-1, verbose=0, **options).local


def same_bits(first, second):
    return len(first) == len(second) and all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def threads_in_use():
    return parallel.n_workers(-1)


# This machine


@pytest.mark.parametrize("place", PLACES)
def test_answers_stand_in_order_wherever_they_come_from(data, place):
    jobs = [(data, "gksg", seed) for seed in range(6)]
    expected = [permuted(*job) for job in jobs]
    assert same_bits(list(in_order(permuted, jobs, **(OPTIONS | PLACES[place]))), expected)


def slow_first(i):
    time.sleep(0.2 if i == 0 else 0.0)
    return i


def test_order_does_not_depend_on_who_is_first():
    assert run(slow_first, [(i,) for i in range(5)], **OPTIONS) == list(range(5))
    assert run(slow_first, [], **OPTIONS) == []


def test_to_stop_early_starts_nothing_else():
    seen = []

    def note(i):
        seen.append(i)
        return i

    answers = in_order(note, [(i,) for i in range(1000)], **(OPTIONS | {"n_jobs": 1}))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    answers.close()
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("place", ["threads", "processes"])
def test_a_task_s_error_is_the_caller_s_error(place):
    with pytest.raises(ZeroDivisionError):
        list(in_order(divmod, [(1, 1), (1, 0), (1, 2)], **(OPTIONS | PLACES[place])))


@pytest.mark.parametrize("place", ["threads", "processes"])
def test_a_task_uses_one_thread(place):
    assert list(in_order(threads_in_use, [()] * 3, **(OPTIONS | PLACES[place]))) == [1, 1, 1]
    assert parallel.n_workers(-1) == joblib.cpu_count()


def nested():
    options = {"n_jobs": -1, "label": "inner", "verbose": 0}
    return run(threads_in_use, [()] * 2, **options) + list(in_order(threads_in_use, [()] * 2, **options))


def test_parallel_work_within_a_task_is_sequential():
    assert list(in_order(nested, [()] * 2, **OPTIONS)) == [[1] * 4, [1] * 4]


def squares_if(number, limit):
    if number == limit:
        raise ZeroDivisionError
    return number**2


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_batches_answer_in_order_and_tell_errors(place, batch):
    options = OPTIONS | PLACES[place] | {"batch": batch}
    for count in (0, 1, 7, 200):
        jobs = [(number, -1) for number in range(count)]
        assert list(in_order(squares_if, jobs, **options)) == [n**2 for n in range(count)]
    with pytest.raises(ZeroDivisionError):
        list(in_order(squares_if, [(number, 150) for number in range(200)], **options))


def test_threads_end_with_the_work_or_with_the_wish_for_more():
    before = threading.active_count()
    run(squares_if, [(n, -1) for n in range(50)], **OPTIONS)
    seen = []
    answers = in_order(lambda i: seen.append(i) or time.sleep(0.001), [(n,) for n in range(5000)], **OPTIONS, batch=100)
    next(answers)
    answers.close()
    patience = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < patience:
        time.sleep(0.01)
    assert threading.active_count() <= before
    assert len(seen) < 1000


def interrupted(i):
    if i == 3:
        raise KeyboardInterrupt
    return i


def test_an_interrupt_ends_the_work():
    with pytest.raises(KeyboardInterrupt):
        run(interrupted, [(i,) for i in range(100)], **OPTIONS)


def blas_threads():
    return max(library["num_threads"] for library in parallel.blas().info() if library["user_api"] == "blas")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_linear_algebra_takes_one_thread_in_a_job(n_jobs):
    before = blas_threads()
    assert list(in_order(blas_threads, [()] * 4, **(OPTIONS | {"n_jobs": n_jobs}))) == [1] * 4
    assert blas_threads() == before


def test_the_last_thread_to_leave_restores_linear_algebra():
    before, meet = parallel.blas().info(), threading.Barrier(2, timeout=60)
    inside = []

    def first():
        with parallel.one_blas_thread():
            meet.wait()  # both are inside
        meet.wait()  # the first has left

    def second():
        with parallel.one_blas_thread():
            meet.wait()
            meet.wait()
            inside.append(blas_threads())

    threads = [threading.Thread(target=one) for one in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert inside == [1]
    assert parallel.blas().info() == before


def test_fits_in_several_threads_at_once_leave_linear_algebra_as_it_was(rng):
    before = parallel.blas().info()
    data = rng.normal(size=(4, 150, 4))
    alone = [float(infold.mutual_information(one[:, :2], one[:, 2:], random_state=0)) for one in data]
    found = {}

    def fit(i):
        for _ in range(3):
            found[i] = float(infold.mutual_information(data[i][:, :2], data[i][:, 2:], random_state=0))

    threads = [threading.Thread(target=fit, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(4)] == alone
    assert parallel.blas().info() == before


# A cluster


def test_a_cluster_that_loses_a_worker_gives_the_same_bits(cluster, data, tmp_path):
    cases = [(data, "ksg" if seed % 2 else "gksg", seed) for seed in range(20)]
    jobs = [(*case, str(tmp_path / "dies") if case[2] == 10 else None) for case in cases]
    expected = [permuted(*case) for case in cases]
    with joblib.parallel_config("dask"):
        answers = list(in_order(permuted, jobs, **OPTIONS))
    assert (tmp_path / "dies").exists()
    assert same_bits(answers, expected)


def test_the_data_outlive_the_worker_that_holds_them(cluster):
    values = np.arange(10_000.0)
    answers = on_cluster(cluster, sum_from, [(values, i) for i in range(60)])
    found = dict([next(answers)])
    for address in list(cluster.scheduler_info()["workers"]):
        cluster.run(lambda: os.kill(os.getpid(), signal.SIGKILL), workers=[address], on_error="ignore")
    found |= dict(answers)
    assert found == {i: values[i:].sum() for i in range(60)}


def test_inference_on_a_cluster_gives_the_same_bits(cluster, data):
    def answers():
        options = {"method": "ksg", "random_state": 3, "verbose": 0}
        test = infold.independence_test(data.X, data.Y, n_permutations=19, early_stop=True, **options)
        interval = infold.confidence_interval(data.X, data.Y, n_subsamples=8, **options)
        return test.null.tolist(), interval.subsamples.tolist(), interval.low, interval.high

    here = answers()
    with joblib.parallel_config("dask"):
        assert answers() == here


def sum_from(values, i):
    time.sleep(0.02)
    return values[i:].sum()


def test_a_task_on_the_cluster_uses_one_thread_and_fails_aloud(cluster):
    with joblib.parallel_config("dask"):
        assert parallel.n_workers(-1) == joblib.cpu_count()  # not the cluster's: one estimate stays on this machine
        assert list(in_order(nested, [()] * 2, **OPTIONS)) == [[1] * 4, [1] * 4]
        with pytest.raises(ZeroDivisionError):
            list(in_order(divmod, [(1, 1), (1, 0)], **OPTIONS))
    assert cluster.submit(threads_in_use).result() == 1


def test_a_task_that_takes_its_workers_down_is_an_error_and_no_hang(cluster):
    distributed = pytest.importorskip("distributed")
    scheduler = cluster.cluster.scheduler
    allowed, scheduler.allowed_failures = scheduler.allowed_failures, 0
    try:
        with joblib.parallel_config("dask"), pytest.raises(distributed.KilledWorker):
            list(in_order(os.abort, [()], **OPTIONS))
    finally:
        scheduler.allowed_failures = allowed


PLAN = """
title = "Tiny"
about = "A few small estimates."
figure = "noise"
[[runs]]
task = ["helix"]
n = 60
noise_dims = [0, 2]
repetitions = 10
lines = [{ method = "ksg", k = [3, 5] }, { method = "gksg", k = [3, 5] }]
"""


def test_reproduce_on_a_cluster_that_loses_a_worker_half_way(cluster, tmp_path):
    plan = reproduce.parse("tiny", PLAN)
    here, there = tmp_path / "here", tmp_path / "there"
    list(reproduce.run([plan], here, n_jobs=1))
    victim = cluster.run(os.getpid)

    def kill_half_way():
        part = there / "tiny.part.csv"
        while not part.exists() or len(part.read_text().splitlines()) < len(plan.settings()) // 2:
            time.sleep(0.002)
        os.kill(victim.popitem()[1], signal.SIGKILL)

    killer = threading.Thread(target=kill_half_way)
    killer.start()
    with joblib.parallel_config("dask"):
        (outcome,) = reproduce.run([plan], there)
    killer.join()
    assert outcome.n_computed == len(plan.settings())
    answers = [[(r["seed"], r["k"], r["estimate"]) for r in reproduce.read_rows(f / "tiny.csv")] for f in (here, there)]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_numbers_of_workers_that_mean_nothing_are_refused(n_jobs):
    with pytest.raises(ValueError, match=r"n_jobs=.* must be a whole number other than 0, or None; pass -1"):
        run(pow, [(2, 2)], n_jobs=n_jobs, label="powers", verbose=0)
