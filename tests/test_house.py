"""Rules of the house that a machine can keep."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "infold"

# A file imports only from files above it.
ORDER = [
    "core",
    "_validation",
    "_cluster",
    "_tasks",
    "estimators",
    "neighborhoods",
    "adaptive",
    "manifold",
    "results",
    "measures",
    "datasets",
    "notes",
    "resampling",
    "inference",
    "verdict",
    "diagnosis",
    "selection",
    "_figures",
    "_plot_inference",
    "_plot_columns",
    "plotting",
    "_report_page",
    "report",
    "_selectors",
    "_tables_binary",
    "_tables",
    "_demo",
    "_reproduce_plan",
    "_reproduce_rows",
    "_reproduce_figures",
    "reproduce",
    "_kernels",
    "_cli_shared",
    "_cli_reproduce",
    "_cli_trust",
    "cli",
    "__main__",
]
CORE_ORDER = [
    "values",
    "lowering",
    "fragment",
    "jit",
    "orders",
    "parallel",
    "scaling",
    "split",
    "scan",
    "projection",
    "bins",
    "binned",
    "room",
    "tree",
    "route",
    "lists",
    "tiles",
    "brute",
    "sweep",
    "kdtree",
    "search",
    "neighbors",
    "many",
    "intervals",
    "pair",
    "forest",
    "distance",
    "folded",
    "ties",
    "geodesic",
    "rows",
]


def imported(path: Path) -> set[str]:
    """Names of modules of this package that a file imports at its top level."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level or module.split(".")[0] == "infold":
                name = module.removeprefix("infold").removeprefix(".")
                found.update([name.split(".")[0]] if name else [alias.name for alias in node.names])
    return found


@pytest.mark.parametrize("name", ORDER[1:])
def test_imports_point_upwards(name):
    above = set(ORDER[: ORDER.index(name)])
    assert imported(SOURCE / f"{name}.py") <= above


@pytest.mark.parametrize("name", CORE_ORDER)
def test_core_imports_point_upwards_and_know_no_tables(name):
    path = SOURCE / "core" / f"{name}.py"
    assert imported(path) <= set(CORE_ORDER[: CORE_ORDER.index(name)])
    assert not any(word in path.read_text() for word in ("sklearn", "pandas", "narwhals"))


def test_every_file_has_its_place():
    assert {p.stem for p in SOURCE.glob("*.py")} == {*ORDER[1:], "__init__"}
    assert {p.stem for p in (SOURCE / "core").glob("*.py")} == {*CORE_ORDER, "__init__"}


def test_no_file_grows_past_400_lines():
    files = [
        p
        for pattern in ("src/**/*.py", "tests/*.py", "experiments/*.py", "benchmarks/*.py")
        for p in ROOT.glob(pattern)
    ]
    assert len(files) > 30
    assert [p.name for p in files if len(p.read_text().splitlines()) > 400] == []


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
    assert int(run.stdout) < 400_000
