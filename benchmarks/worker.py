"""One library in its own process: reads requests, runs one estimate each, answers with time, memory and estimate.

Started by speed.py, for the peers with the Python of their own environment. A request is a line of JSON
{"library", "data", "repeats"}; `data` names an .npz file with X and Y.
"""

import contextlib
import json
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

K = 3
DISTRIBUTIONS = {"npeet_plus": "npeet-plus", "sklearn": "scikit-learn", "infold_raw": "infold", "gksg": "infold"}


def npeet_plus(X, Y):
    import npeet_plus

    return npeet_plus.mi(X, Y, k=K, base=np.e)


def ennemi(X, Y):
    import ennemi

    return ennemi.estimate_mi(Y[:, 0], X[:, 0], k=K)[0, 0]


def infomeasure(X, Y):
    import infomeasure

    return infomeasure.mutual_information(X, Y, approach="ksg", k=K, base="e", noise_level=0, minkowski_p=np.inf)


def sklearn(X, Y):
    from sklearn.feature_selection import mutual_info_regression

    return mutual_info_regression(X, Y[:, 0], n_neighbors=K, random_state=0)[0]


def infold(X, Y):
    import infold

    return infold.KSG(n_neighbors=K, n_jobs=-1).fit(X, Y).mi_


def infold_raw(X, Y):
    """Without scaling of columns, as npeet_plus and infomeasure do."""
    import infold

    return infold.KSG(n_neighbors=K, standardize=False, n_jobs=-1).fit(X, Y).mi_


def gksg(X, Y):
    import infold

    return infold.GeodesicKSG(n_neighbors=K, random_state=0, n_jobs=-1).fit(X, Y).mi_


LIBRARIES = {f.__name__: f for f in (npeet_plus, ennemi, infomeasure, sklearn, infold, infold_raw, gksg)}


def memory(field: str) -> float:
    """Return a field of /proc/self/status in MB, or the largest size so far where there is no such file."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field)) / 1024


def forget_peak() -> None:
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def answer(request: dict) -> dict:
    name, data = request["library"], np.load(request["data"])
    X, Y = data["X"], data["Y"]
    LIBRARIES[name](X[:50], Y[:50])  # imports, compiles, and touches what it needs
    forget_peak()
    before, seconds, cpu_seconds = memory("VmRSS"), [], []
    for _ in range(request["repeats"]):
        start, cpu_start = time.perf_counter(), time.process_time()
        estimate = LIBRARIES[name](X, Y)
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)
    extra = max(0.0, memory("VmHWM") - before)
    return {
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "estimate": float(estimate),
        "extra_mb": extra,
        "version": version(DISTRIBUTIONS.get(name, name)),
    }


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()
