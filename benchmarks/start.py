"""Start-up: what an import takes, and what the first estimate of each method compiles.

    python benchmarks/start.py              # all, about three minutes
    python benchmarks/start.py --only imports
    python benchmarks/start.py --only first

Every measurement has a process of its own, and each first estimate an empty folder for compiled kernels. Processor
seconds around the first call; what the call itself does not need, such as `import infold` and the imports behind its
names, is done before.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

IMPORTS = {
    "import infold": "import infold",
    "import infold; infold.mutual_information": "import infold; infold.mutual_information",
    "import sklearn.feature_selection": "import sklearn.feature_selection",
}
TIMED = "import time; start = time.process_time(); {}; print(time.process_time() - start)"

ESTIMATE = "infold.mutual_information(X, Y, method='{}', n_jobs=1, verbose=0)"
CONDITIONAL = "local_ksg(np.vstack([X.T, Y.T, Z.T]), [X.shape[1]] * 3, 3, spaces=CONDITIONAL)"
FIRST_CALLS = (  # label, rows, columns per side, call, at most (processor seconds)
    ("KSG, few rows", 400, 10, ESTIMATE.format("ksg"), 5),
    ("KSG, one column per side", 2_000, 1, ESTIMATE.format("ksg"), 5),
    ("KSG, few columns and many rows", 4_000, 3, ESTIMATE.format("ksg"), 5),
    ("auto", 400, 3, ESTIMATE.format("auto"), 8),
    ("G-KSG, one column per side", 400, 1, ESTIMATE.format("gksg"), 18),
    ("G-KSG, several columns", 400, 10, ESTIMATE.format("gksg"), 18),
    ("conditional KSG", 400, 2, CONDITIONAL, 6),
    ("conditional KSG, many rows", 4_000, 1, CONDITIONAL, 6),
)
FIRST_CALL = """
import time
import numpy as np
import infold, infold.estimators, infold.measures
{imports}

rng = np.random.default_rng(0)
X = rng.normal(size=({rows}, {columns}))
Y, Z = X + rng.normal(size=(2, *X.shape))
start = time.process_time()
{call}
print(time.process_time() - start)
"""
KERNELS = """
from infold.core.copula import choice
from infold.core.geodesic import gksg
from infold.core.knn.information import CONDITIONAL
from infold.core.knn.ksg import local_ksg
"""  # imported beforehand, so that they are not part of the time


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def imports(repeats):
    """Print the median processor time of each import, and its ratio to scikit-learn's."""
    seconds = {name: [] for name in IMPORTS}
    for _ in range(repeats):
        for name, code in IMPORTS.items():
            seconds[name].append(float(run(TIMED.format(code))))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    base = medians["import sklearn.feature_selection"]
    print("| import | processor s | × scikit-learn's |\n|---|--:|--:|")
    for name, median in medians.items():
        print(f"| `{name}` | {median:.3f} | {median / base:.2f} |", flush=True)


def first_calls():
    """Print what the first call takes before its kernels are on disk, and what it takes in a second process."""
    print("\n| first call | columns | processor s | at most | in a second process |\n|---|---|--:|--:|--:|")
    for label, rows, columns, call, limit in FIRST_CALLS:
        code = FIRST_CALL.format(imports=KERNELS, rows=rows, columns=columns, call=call)
        with tempfile.TemporaryDirectory() as folder:
            first, second = (float(run(code, NUMBA_CACHE_DIR=folder)) for _ in range(2))
        print(f"| {label} | {columns}+{columns} | {first:.1f} | {limit} | {second:.2f} |", flush=True)


def all_kernels():
    """Print what `infold compile` takes, with its processes and their imports."""
    with tempfile.TemporaryDirectory() as folder:
        start, before = time.perf_counter(), os.times()
        command = [sys.executable, "-m", "infold", "compile"]
        subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": folder}, stdout=subprocess.DEVNULL, check=True)
        clock, after = time.perf_counter() - start, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    print(f"\n`infold compile` on {os.cpu_count()} cores: {clock:.1f} s by the clock, {spent:.1f} processor seconds.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["imports", "first", "compile"])
    parser.add_argument("--repeats", type=int, default=7, help="fresh processes for each import (default 7)")
    options = parser.parse_args()
    if options.only in (None, "imports"):
        imports(options.repeats)
    if options.only in (None, "first"):
        first_calls()
    if options.only in (None, "compile"):
        all_kernels()


if __name__ == "__main__":
    main()
