"""The start: imports are light, a second process compiles nothing, a folder that cannot be written is no obstacle."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "infold"

NOTHING_HEAVY = """
import sys, infold
heavy = {"numba", "llvmlite", "matplotlib", "pandas", "dask", "distributed", "sklearn", "scipy"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
for name in infold.__all__:
    getattr(infold, name)
heavy -= {"sklearn", "scipy", "pandas"}  # the base class of estimators needs the first, and they what they like
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
infold.KSG().fit([[0.0], [1.0], [3.0], [4.5], [5.0]], [[0.0], [1.0], [3.0], [4.0], [6.0]])
assert "numba" in sys.modules
"""

COUNTED = """
import numpy as np
from numba.core import event
compiled = []

class Listener(event.Listener):
    def on_start(self, happened): compiled.append(happened.data["dispatcher"].py_func.__qualname__)
    def on_end(self, happened): pass

event.register("numba:compile", Listener())
import infold
rng = np.random.default_rng(0)
for d, writeable in ((1, True), (2, True), (1, False), (2, False)):
    x, y = rng.random((60, d)), rng.random((60, d))
    x.flags.writeable = y.flags.writeable = writeable  # arrays that another process sent are not
    infold.KSG().fit(x, y)
    infold.GeodesicKSG(n_estimators=3, random_state=0).fit(x, y)
    infold.GKNN(n_neighbors=20).fit(x, y)
    infold.LNN().fit(x, y)
print(len(compiled), *compiled)
"""

SMALL = """
import numpy as np
from infold.core import jit
print(jit.__file__)
from infold.core.forest import renumber
print(renumber(np.array([[3, 1, 3, 2]])))
"""


ALL_KERNELS = """
import importlib, pkgutil, warnings
import numpy as np
import infold.core
from infold.core.fragment import KernelCompiler
from numba.core.dispatcher import Dispatcher
from infold.cli import kernels

def signatures():
    for module in pkgutil.iter_modules(infold.core.__path__):
        for name, value in vars(importlib.import_module("infold.core." + module.name)).items():
            if isinstance(value, Dispatcher) and value._compiler.pipeline_class is KernelCompiler:
                yield name, len(value.signatures)

for task in kernels.TASKS:
    task()
compiled = dict(signatures())
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 8))
Y = X + rng.normal(size=X.shape)  # tails of normal columns are peeled, to more than 256 leaves
for method in ("ksg", "gksg", "auto"):
    options = {"n_estimators": 5} if method == "gksg" else {}
    for d_x, d_y in ((1, 1), (1, 8), (8, 8)):
        infold.mutual_information(X[:, :d_x], Y[:, :d_y], method=method, verbose=0, **options)
infold.GeodesicKSG(n_estimators=5, max_queries=9, verbose=0).fit(X, Y)
tails = infold.datasets.make_gaussian(10_000, random_state=0)  # with one column a side that takes more rows
infold.GeodesicKSG(n_estimators=20, random_state=0, verbose=0).fit(tails.X, tails.Y)
infold.independence_test(X[:200], Y[:200], method="gksg", n_permutations=2, n_estimators=5, verbose=0)
for name, count in signatures():
    print(name, compiled[name], count)
"""


def run(code, **environment):
    changed = {name: value for name, value in (os.environ | environment).items() if value is not None}
    done = subprocess.run([sys.executable, "-c", code], env=changed, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numba_is_imported_when_a_kernel_is_needed():
    run(NOTHING_HEAVY)


def test_a_second_process_compiles_nothing():
    run(COUNTED)  # compiles whatever no test before has
    assert run(COUNTED) == "0\n"


def test_infold_compile_leaves_out_no_kernel():
    told = [line.split() for line in run(ALL_KERNELS).splitlines()]
    assert len(told) > 20
    assert [name for name, compiled, _ in told if compiled == "0"] == []
    assert [name for name, compiled, later in told if compiled != later] == []  # estimates need no other types


@pytest.fixture
def sealed(tmp_path):
    """A copy of the package in which nothing can be kept, not even by root: a file stands where the folder would."""
    copy = tmp_path / "infold"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (copy, copy / "core"):
        (folder / "__pycache__").write_text("")
    return {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": None}


def test_a_read_only_installation_keeps_kernels_with_the_user(sealed, tmp_path):
    cache = tmp_path / "cache"
    answers = [run(SMALL, **sealed, XDG_CACHE_HOME=str(cache)) for _ in range(2)]
    assert answers[0].startswith(str(tmp_path))
    assert answers[0] == answers[1]
    assert list(cache.rglob("*.nbc"))


def test_with_no_place_to_keep_kernels_each_process_compiles(sealed, tmp_path):
    nowhere = str(tmp_path / "infold" / "__init__.py" / "cache")
    answer = run(SMALL, **sealed, XDG_CACHE_HOME=nowhere, HOME=nowhere)
    assert answer.splitlines()[1] == run(SMALL).splitlines()[1]
    assert not list(tmp_path.rglob("*.nbc"))
