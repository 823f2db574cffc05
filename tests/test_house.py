"""Rules of the house that a machine can keep."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "infold"

# A file imports, when it is loaded, only from rooms above its own, or beside it. `core` and `data` know nothing of each
# other: arrays in, arrays out.
ROOMS = [
    {"data", "parallel"},
    {"core"},
    {"estimators"},
    {"display"},
    {"results"},
    {"measures", "datasets"},
    {"inference", "selection"},
    {"adapters"},
    {"timeseries"},
    {"networks"},
    {"plotting"},
    {"report"},
    {"reproduce"},
    {"cli"},
]
FILES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def room_of(path):
    """The number of the room that a file, or a module as a path, is in; None if it is in none."""
    name = path.partition("/")[0].removesuffix(".py")
    return next((i for i, names in enumerate(ROOMS) if name in names), None)


def imported(file):
    """Modules of this package that a file imports when it is loaded, as paths."""
    package = ["infold", *file.split("/")[:-1]]
    found = []
    for node in ast.parse((SOURCE / file).read_text()).body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            found += [f"infold.{alias.name}" for alias in node.names] if module == "infold" else [module]
    return [name.removeprefix("infold.").replace(".", "/") for name in found if name.startswith("infold.")]


@pytest.mark.parametrize("file", [file for file in FILES if room_of(file) is not None])
def test_imports_point_upwards(file):
    rooms = {module: room_of(module) for module in imported(file)}
    assert [module for module, room in rooms.items() if room is None or room > room_of(file)] == []


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("core/")])
def test_core_knows_no_tables(file):
    assert [module for module in imported(file) if not module.startswith(("core/", "parallel/"))] == []
    assert not any(word in (SOURCE / file).read_text() for word in ("sklearn", "pandas", "narwhals"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak of memory")
@pytest.mark.parametrize("noise", [0])
def test_ten_thousand_rows_stay_under_400_megabytes(noise):
    code = (
        "import infold, pathlib, re\n"
        f"data = infold.datasets.make_uniform(10_000, {noise}, random_state=0)\n"
        "infold.GeodesicKSG(n_estimators=300, random_state=0, n_jobs=2).fit(data.X, data.Y)\n"
        "print(re.search(r'VmHWM:\\s*(\\d+) kB', pathlib.Path('/proc/self/status').read_text())[1])"
    )
    for _ in range(2):  # the first may have kernels to compile, which takes memory of its own
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        if int(run.stdout) < 400_000:
            return
    pytest.fail(f"{run.stdout.strip()} kB")
