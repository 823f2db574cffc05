import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose
from parts import from_python

from infold.core import jit
from infold.core.fragment import _DURING
from infold.core.jit import SOURCES, draw_seeds
from infold.core.tree import grow_tree

next_random, random_below = map(from_python, (jit.next_random, jit.random_below))

GARBAGE = """
import gc
import numpy as np
from numba.core import event
from infold.core.forest import renumber

class Listener(event.Listener):
    def on_start(self, happened): print("compiling", gc.isenabled())
    def on_end(self, happened): pass

event.register("numba:compile", Listener())
for wanted, kind in ((gc.enable, np.int32), (gc.disable, np.int64)):  # another type is compiled anew
    wanted()
    renumber(np.zeros((1, 1), kind))
    print("done", gc.isenabled(), gc.get_freeze_count())
"""

REFERENCES = """
import gc
import numpy as np
from numba.core.runtime import rtsys
import infold

rng = np.random.default_rng(0)
for method in ("ksg", "gksg", "gknn", "lnn"):
    for d in (1, 2):
        X, Y = rng.random((60, d)), rng.random((60, d))
        infold.mutual_information(X, Y, method=method, n_jobs=1, verbose=0)
    gc.collect()
    stats = rtsys.get_allocation_stats()
    print(method, stats.mi_alloc > 0, stats.mi_alloc - stats.mi_free, stats.alloc - stats.free)
"""

CODE = """
import infold
from infold.core.jit import announce_compilation

announce_compilation()
data = infold.datasets.make_gaussian(50, random_state=0)
print(infold.KSG().fit(data.X, data.Y).mi_)
"""


def test_what_is_on_disk_counts_for_these_sources_only():
    # A private place of numba's: should it move, an upgrade of infold could run kernels compiled from older sources.
    assert grow_tree._cache._cache_file._source_stamp == SOURCES


def test_compiling_is_announced_and_done_once(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[0].stderr.count("compiling kernels, once") == 1
    assert runs[1].stderr == ""
    assert runs[0].stdout == runs[1].stdout


def test_garbage_is_not_looked_for_while_compiling_but_afterwards_as_before(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", GARBAGE], env=environment, capture_output=True, text=True, check=True)
    told = done.stdout.splitlines()
    assert set(told) == {"compiling False", "done True 0", "done False 0"}
    assert [line for line in told if line.startswith("done")] == ["done True 0", "done False 0"]


def test_kernels_free_every_array_that_they_make_and_no_other():
    environment = {**os.environ, "NUMBA_NRT_STATS": "1"}
    run = [sys.executable, "-c", REFERENCES]
    told = subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == [f"{method} True 0 0" for method in ("ksg", "gksg", "gknn", "lnn")]


def test_numba_is_left_as_it_was():
    # Only while a kernel is compiled do functions of ours take the place of numba's.
    assert len(_DURING) > 0
    for owner, name, ours in _DURING:
        theirs = getattr(owner, name)
        assert theirs is not ours
        assert getattr(theirs, "fget", theirs).__module__.startswith(("numba.", "llvmlite."))


def test_a_part_refuses_to_be_called_from_python():
    with pytest.raises(TypeError):
        jit.next_random(np.array([1], np.uint64))


def test_kernels_of_others_that_have_no_module_compile():
    made = {}
    exec("def twice(x): return 2 * x", {}, made)
    made["twice"].__module__ = None
    assert numba.njit(made["twice"])(4) == 8


def test_random_numbers_are_uniform_and_repeat():
    state = np.array([42], np.uint64)
    drawn = np.array([random_below(state, 10) for _ in range(20_000)])
    assert_allclose(np.bincount(drawn, minlength=10), 2000, atol=5 * np.sqrt(2000))  # five standard deviations
    first = next_random(np.array([1], np.uint64))
    assert first == next_random(np.array([1], np.uint64)) != next_random(np.array([2], np.uint64))


def test_seeds_differ_and_repeat():
    for source in (lambda: 7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)):
        seeds = draw_seeds(source(), 500)
        assert len(set(seeds.tolist())) == 500
        assert seeds.tolist() == draw_seeds(source(), 500).tolist()
