"""No data end Python: estimates run in child processes, where a crash is seen as an exit code."""

import subprocess
import sys
from pathlib import Path

import pytest

FUZZ = Path(__file__).parent / "fuzz.py"
EXAMPLES = {
    "KSG": 300,
    "GeodesicKSG": 400,
    "GeodesicForest": 100,
    "GKNN": 50,
    "LNN": 60,
    "Adaptive": 40,
    "certificate": 40,
}

HEAVY_TAILS = {
    "Cauchy": "rng.standard_cauchy((2, n, d))",
    "Student, two degrees": "rng.standard_t(2, (2, n, d))",
    "log-normal": "rng.lognormal(0, 3, (2, n, d))",
    "ratio": "rng.normal(size=(2, n, d)) / rng.normal(size=(2, n, d))",
    "Pareto": "rng.pareto(0.3, (2, n, d))",
}

# In the words of the report of the first crash.
REPORTED = """
import numpy as np, infold
x, y = np.random.default_rng(0).standard_cauchy((2, 2000))
print(infold.mutual_information(x, y, method="gksg", random_state=0).mi)
"""


def run(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_estimator_survives_awkward_tables(name, tmp_path):
    last = tmp_path / "last-example.txt"
    child = run(str(FUZZ), name, str(EXAMPLES[name]), str(last))
    if child.returncode != 0:
        tried = last.read_text() if last.exists() else "none\n"
        pytest.fail(f"exit code {child.returncode}\nlast example tried: {tried}{child.stderr[-4000:]}", pytrace=False)


@pytest.mark.parametrize("draw", HEAVY_TAILS.values(), ids=HEAVY_TAILS)
def test_many_rows_with_heavy_tails(draw):
    code = (
        "import numpy as np, infold\n"
        "for n, d in ((2_000, 1), (2_000, 3), (5_000, 1), (5_000, 3)):\n"
        "    rng = np.random.default_rng(d)\n"
        f"    x, y = {draw}\n"
        "    print(infold.KSG().fit(x, y).mi_)\n"
        "    print(infold.GeodesicKSG(n_estimators=60, random_state=0).fit(x, y).mi_)\n"
    )
    child = run("-c", code)
    assert child.returncode == 0, child.stderr
    found = [float(line) for line in child.stdout.split()]
    assert len(found) == 8
    assert all(-1 < mi < 2 for mi in found)  # independent columns, and no garbage


def test_the_reported_crash():
    child = run("-c", REPORTED)
    assert child.returncode == 0, child.stderr
    assert -0.2 < float(child.stdout) < 0.5
