"""Ctrl-C ends any estimate, also within one long kernel, in Python and on the command line."""

import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest

from infold.parallel import scheduler
from infold.parallel.scheduler import (
    Unwanted,
    check_wanted,
    in_order,
    in_parallel_task,
    in_slices,
    interruptible,
    n_workers,
    run,
)

OPTIONS = {"n_jobs": 1, "label": "tasks", "verbose": 0}

# Each would take minutes; the small one before brings all kernels into memory.
SMALL = "infold.mutual_information(X[:400], Y[:400], {0})"
LARGE = "infold.mutual_information(X, Y, {0})"
ESTIMATES = {
    "ksg": ("method='ksg', metric='euclidean', n_jobs=1", 300_000),
    "ksg on threads": ("method='ksg', metric='euclidean', n_jobs=2", 300_000),
    "gksg": ("method='gksg', random_state=0, n_jobs=1, max_samples=None, max_queries=None", 60_000),
    "auto": ("random_state=0, n_jobs=1", 200_000),
}


def interrupted(process, wait):
    """Send Ctrl-C a moment after the process says that it starts; return its output once it has ended."""
    assert process.stdout.readline() == "start\n", process.stderr.read()
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=20)  # a hang, not a speed: the estimate takes minutes
    finally:
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
@pytest.mark.parametrize("name", ESTIMATES)
def test_ctrl_c_ends_an_estimate(name):
    options, n = ESTIMATES[name]
    code = (
        "import infold, numpy as np\n"
        f"X, Y = np.random.default_rng(0).normal(size=(2, {n}, 4))\n"
        f"{SMALL.format(options)}\nprint('start', flush=True)\n{LARGE.format(options)}\nprint('end')"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True)
    stdout, stderr = interrupted(child, 0.7)
    assert "end" not in stdout
    assert stderr.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_ctrl_c_ends_a_command_with_one_line(tmp_path):
    np.save(tmp_path / "large.npy", np.random.default_rng(0).normal(size=(300_000, 8)))
    code = (
        "import infold.measures as m\nfrom infold.cli import main\n"
        "real = m.mutual_information\n"
        "def told(*args, **options):\n    print('start', flush=True)\n    return real(*args, **options)\n"
        "import infold\ninfold.mutual_information = told\n"
        "main()"
    )
    command = ["estimate", tmp_path / "large.npy", "--x", "0:3", "--y", "4:7", "--method", "ksg", "--jobs", "1"]
    child = subprocess.Popen([sys.executable, "-c", code, *command], stdout=-1, stderr=-1, text=True)
    stdout, stderr = interrupted(child, 1.5)
    assert (stdout, child.returncode) == ("", 130)
    assert stderr.splitlines()[-1] == "infold: interrupted"
    assert "Traceback" not in stderr


def test_slices_cover_the_range_in_multiples_of_the_first(monkeypatch):
    monkeypatch.setattr(scheduler, "LISTEN", 1e-9)
    seen = []
    in_slices(lambda i, j: seen.append((i, j)), 3, 40, 8)
    assert seen == [(3, 11), (11, 19), (19, 27), (27, 35), (35, 40)]  # no slice is short enough to grow
    monkeypatch.setattr(scheduler, "LISTEN", 1e9)
    seen.clear()
    in_slices(lambda i, j: seen.append((i, j)), 0, 100, 4)
    assert seen == [(0, 4), (4, 20), (20, 84), (84, 100)]
    seen.clear()
    in_slices(lambda i, j: seen.append((i, j)), 5, 9, 4)
    assert seen == [(5, 9)]


def test_a_worker_that_nobody_waits_for_stops_within_its_job():
    begun, ended, may_go_on = threading.Event(), threading.Event(), threading.Event()

    def job(i):
        begun.set()
        may_go_on.wait(10)
        try:
            in_slices(lambda *_: time.sleep(0.01), 0, 10**6, 1)
        except Unwanted:
            ended.set()
            raise

    def interrupt(queue):
        begun.wait(10)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduler, "_heard", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(job, [(0,), (1,)], **{**OPTIONS, "n_jobs": 2})
    may_go_on.set()
    assert ended.wait(10)
    check_wanted()  # this thread goes on


def test_the_main_thread_stays_free():
    threads = run(lambda i: threading.current_thread(), [(0,), (1,)], **OPTIONS)
    assert threading.main_thread() not in threads
    assert threads[0] is threads[1]
    assert interruptible(threading.current_thread) is not threading.main_thread()


def test_one_worker_of_another_thread_needs_no_thread():
    def seen():
        return threading.current_thread(), *run(lambda i: threading.current_thread(), [(0,), (1,)], **OPTIONS)

    assert len(set(interruptible(seen))) == 1


def test_what_was_said_to_joblib_reaches_the_thread():
    with joblib.parallel_config("threading", n_jobs=3):
        assert interruptible(n_workers, None) == 3
    assert not interruptible(in_parallel_task)


def test_with_one_worker_nothing_is_begun_before_it_is_asked_for():
    seen = []
    answers = in_order(lambda i: seen.append(i) or i, [(i,) for i in range(5)], **OPTIONS)
    assert [next(answers), next(answers)] == [0, 1]
    answers.close()
    assert seen == [0, 1]


@pytest.mark.parametrize("calling", [interruptible, lambda function: function()])
def test_with_one_worker_errors_reach_the_caller(calling):
    with pytest.raises(ZeroDivisionError):
        calling(lambda: run(lambda i: 1 // i, [(1,), (0,)], **OPTIONS))
