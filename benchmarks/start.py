"""The start: what an import takes, what the first compilation of all kernels costs, what a second process compiles.

    python benchmarks/start.py              # all, about two minutes
    python benchmarks/start.py --quick      # imports only
    python benchmarks/start.py --methods    # only what the first estimate of each method compiles, two minutes

Imports are timed in fresh processes, in turns with `import sklearn.feature_selection`. Compilation is told in processor
seconds, beside a plain Python loop on the same machine, as other work and other machines change both.
"""

import argparse
import json
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

ALL_KERNELS = """
import collections, json, time
from numba.core import event

def loop():
    start, total = time.process_time(), 0
    for i in range(10_000_000):
        total += i
    return time.process_time() - start

class Costs(event.Listener):
    def __init__(self):
        self.stack, self.own, self.count = [], collections.Counter(), 0
    def on_start(self, happened):
        function = happened.data["dispatcher"].py_func
        self.stack.append([function.__module__ + "." + function.__qualname__, time.process_time(), 0.0])
    def on_end(self, happened):
        name, start, inner = self.stack.pop()
        seconds = time.process_time() - start
        self.own[name] += seconds - inner
        self.count += 1
        if self.stack:
            self.stack[-1][2] += seconds

costs = Costs()
event.register("numba:compile", costs)
from infold.cli.kernels import TASKS

before, start = loop(), time.process_time()
for task in TASKS:
    task()
print(json.dumps({
    "seconds": time.process_time() - start, "loop": (before + loop()) / 2, "functions": costs.count,
    "costs": costs.own.most_common(12),
}))
"""

FIRST_ESTIMATES = (("ksg", 1), ("ksg", 10), ("gksg", 1), ("gksg", 10), ("auto", 3))
FIRST_ESTIMATE = """
import time
import numpy as np
import infold

rng = np.random.default_rng(0)
X = rng.normal(size=(400, {columns}))
Y = X + rng.normal(size=X.shape)
start = time.process_time()
infold.mutual_information(X, Y, method="{method}", n_jobs=1, verbose=0)
print(time.process_time() - start)
"""


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
    for name, median in medians.items():
        print(f"{name:45s} {median:6.3f} s   {median / base:5.2f} x")


def compilation():
    """Print what the first process pays for all kernels, and what a second one does."""
    with tempfile.TemporaryDirectory() as folder:
        for which in ("first", "second"):
            told = json.loads(run(ALL_KERNELS, NUMBA_CACHE_DIR=folder))
            print(
                f"{which} process: {told['functions']} functions compiled, {told['seconds']:.1f} processor seconds "
                f"in all; ten million rounds of a Python loop take {told['loop']:.2f} s"
            )
            for name, seconds in told["costs"]:
                print(f"    {name:50s} {seconds:5.2f} s")


def all_cores():
    """Print what `infold compile` takes by the clock, with its processes and their imports."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "infold", "compile"]
        subprocess.run(command, env=os.environ | {"NUMBA_CACHE_DIR": folder}, stdout=subprocess.DEVNULL, check=True)
        print(f"infold compile, on {os.cpu_count()} cores: {time.perf_counter() - start:.1f} s by the clock")


def methods():
    """Print what the first estimate of each method takes, with imports, before and after its kernels are on disk."""
    for method, columns in FIRST_ESTIMATES:
        code = FIRST_ESTIMATE.format(method=method, columns=columns)
        with tempfile.TemporaryDirectory() as folder:
            first, second = (float(run(code, NUMBA_CACHE_DIR=folder)) for _ in range(2))
        print(f"{method:5s} {columns:2d}+{columns:<2d}  first process {first:5.1f} s   second {second:5.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only the imports")
    parser.add_argument("--repeats", type=int, default=7, help="fresh processes for each import (default 7)")
    parser.add_argument("--methods", action="store_true", help="only the first estimate of each method")
    options = parser.parse_args()
    if options.methods:
        methods()
        return
    imports(options.repeats)
    if not options.quick:
        compilation()
        all_cores()


if __name__ == "__main__":
    main()
