"""Kernels on disk: compiled once, never stale, and no obstacle where nothing can be written."""

import ast
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "infold"

# Small: compiles for a second. The second kernel calls the first, which stands in another file.
SMALL = """
import numpy as np
from infold.core.random import random_below
print(random_below(np.array([1], np.uint64), 1000))
"""

ESTIMATE = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, infold
x, y = np.random.default_rng(0).normal(size=(2, 30, 2))
print(infold.KSG().fit(x, y).mi_, infold.GeodesicKSG(n_estimators=2, random_state=0).fit(x, y).mi_)
"""


@pytest.fixture
def copied(tmp_path):
    """A copy of the package without compiled kernels, and an environment in which it is imported."""
    copy = tmp_path / "infold"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return copy, environment | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}


def seal(copy):
    """Let nothing be kept in the package, not even by root: a file stands where each folder would."""
    for folder in [copy, *(path for path in copy.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").write_text("")


@pytest.fixture(scope="module")
def expected():
    """What SMALL prints."""
    return run(SMALL, dict(os.environ)).stdout


def run(code, environment):
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_kernels_are_compiled_once_and_that_is_announced_once(copied):
    copy, environment = copied
    first = run(SMALL, environment)
    kept = {path: path.stat().st_mtime_ns for path in copy.rglob("*.nb?")}
    assert kept
    second = run(SMALL, environment)
    assert first.stderr.count("compiling kernels, once") == 1
    assert second.stderr == ""
    assert first.stdout == second.stdout
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*.nb?")} == kept


def test_kernels_of_other_sources_are_dropped(copied):
    # random_below calls next_random. numba would notice a change of random.py; of a file that it imports, not.
    copy, environment = copied
    before = run(SMALL, environment).stdout
    random = copy / "core" / "random.py"
    source = random.read_text()
    first, second = source.split("@kernel\ndef random_below", 1)
    number = "np.uint64(0x9E3779B97F4A7C15)"
    assert number in first
    (copy / "core" / "step.py").write_text("import numpy as np\n\nSTEP = np.uint64(0x9E3779B97F4A7C15)\n")
    random.write_text(
        first.replace(number, "STEP").replace("import numpy as np\n", "import numpy as np\n\nfrom .step import STEP\n")
        + "@kernel\ndef random_below"
        + second
    )
    assert run(SMALL, environment).stdout == before
    (copy / "core" / "step.py").write_text("import numpy as np\n\nSTEP = np.uint64(1)\n")
    changed = run(SMALL, environment)
    assert changed.stdout != before
    assert "compiling kernels" in changed.stderr
    assert len(list(copy.rglob("infold-*.stamp"))) == 1


def test_a_read_only_installation_keeps_kernels_with_the_user(copied, tmp_path):
    copy, environment = copied
    seal(copy)
    cache = tmp_path / "cache"
    answers = [run(SMALL, environment | {"XDG_CACHE_HOME": str(cache)}).stdout for _ in range(2)]
    assert answers[0] == answers[1]
    assert list(cache.rglob("*.nbc"))


def test_with_no_place_to_keep_kernels_each_process_compiles(copied, expected, tmp_path):
    copy, environment = copied
    seal(copy)
    nowhere = str(copy / "__init__.py" / "cache")
    done = run(SMALL, environment | {"XDG_CACHE_HOME": nowhere, "HOME": nowhere})
    assert done.stdout == expected
    assert (
        done.stderr.count("for this process alone: no folder to keep them in can be written; set NUMBA_CACHE_DIR") == 1
    )
    assert "later runs" not in done.stderr
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_full_disk_is_no_obstacle(copied, expected, tmp_path):
    _, environment = copied
    full = "import shutil\nshutil.disk_usage = lambda path: shutil._ntuple_diskusage(1000, 1000, 0)\n"
    done = run(full + SMALL, environment)
    assert done.stdout == expected
    assert done.stderr.count("for this process alone: the disk that keeps them is full") == 1
    assert not list(tmp_path.rglob("*.nbc"))


def test_without_the_jit_estimates_are_the_same(copied):
    _, environment = copied
    plain = run(ESTIMATE, environment | {"NUMBA_DISABLE_JIT": "1"})
    assert plain.stdout == run(ESTIMATE, dict(os.environ)).stdout
    assert plain.stderr.count("NUMBA_DISABLE_JIT is set: kernels run as plain Python") == 1


def test_damaged_kernels_are_compiled_anew(copied, expected):
    copy, environment = copied
    assert run(SMALL, environment).stdout == expected
    damages = {
        "empty": lambda whole: b"",
        "cut": lambda whole: whole[: len(whole) // 2],
        "garbage": lambda _: b"x" * 99,
    }
    for (damage, damaged), suffix in itertools.product(damages.items(), ("nbi", "nbc")):
        for path in copy.rglob(f"*.{suffix}"):
            path.write_bytes(damaged(path.read_bytes()))
        again = run(SMALL, environment)
        assert (damage, suffix, again.stdout) == (damage, suffix, expected)
        assert again.stderr.count("compiling kernels, once") == 1, (damage, suffix)
    assert run(SMALL, environment).stderr == ""


def test_the_notice_can_be_silenced(copied):
    _, environment = copied
    assert run(SMALL, environment | {"INFOLD_QUIET": "1"}).stderr == ""


def names_of(node):
    """The dotted names that a module imports, or reads as attributes of what it has imported."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return [ast.unparse(node)] if isinstance(node, ast.Attribute) else []


def imported_packages(tree):
    """Names that are bound by imports of other packages than Python's own, at any level of a file."""
    bound = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level == 0):
            for alias in node.names:
                package = (alias.name if isinstance(node, ast.Import) else node.module).partition(".")[0]
                if package not in sys.stdlib_module_names:
                    bound.add((alias.asname or alias.name).partition(".")[0])
    return bound


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_other_packages_are_used_by_their_public_names_and_left_as_they_are(file):
    tree = ast.parse(file.read_text())
    used = [name for node in ast.walk(tree) for name in names_of(node)]
    assert [name for name in used if name.startswith(("numba.core", "llvmlite"))] == []
    targets = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.Delete):
            targets += node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets.append(node.target)
    attributes = {ast.unparse(t).partition(".")[0] for t in targets if isinstance(t, ast.Attribute)}
    assert attributes & imported_packages(tree) == set()
