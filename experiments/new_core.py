"""G-KSG of this version beside that of an earlier one, on the same samples: are the means the same?

    python experiments/new_core.py                     # beside the last commit before the redesign, 20 samples each
    python experiments/new_core.py v0.1 --seeds 5      # beside another git revision

The earlier version is taken out of git into a temporary folder and runs in processes of its own, so the first samples
wait until its kernels are compiled. Prints a markdown table.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BEFORE = "f89430f"
TASKS = ("uniform", "gaussian", "helix", "sphere", "independent")
NOISE = {500: (0, 4, 20), 2000: (0, 10, 20)}
FIRST_SEED = 300

CHILD = """
import json, sys, warnings
import joblib
import infold

def estimate(name, n, noise, seed):
    data = getattr(infold.datasets, "make_" + name)(n, noise, random_state=seed)
    return infold.GeodesicKSG(random_state=seed, n_jobs=1, **settings).fit(data.X, data.Y).mi_

settings = json.loads(sys.argv[1])
estimate("uniform", 200, 0, 0), estimate("uniform", 200, 4, 0)  # compiles kernels
for line in sys.stdin:
    name, n, noise, seeds = json.loads(line)
    jobs = (joblib.delayed(estimate)(name, n, noise, seed) for seed in seeds)
    print(json.dumps(joblib.Parallel(-1, "threading")(jobs)), flush=True)
"""


class Version:
    """A process that estimates with the package in a folder."""

    def __init__(self, source: Path, settings: dict) -> None:
        path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-c", CHILD, json.dumps(settings)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, **pipes)

    def estimates(self, *request) -> np.ndarray:
        """Return one estimate per seed of a request (task, n, noise columns, seeds)."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return np.array(json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


def check_out(revision: str, folder: Path) -> Path:
    """Return the folder with the package as it was at a revision."""
    archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", default=BEFORE)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, nargs="+", choices=NOISE, default=list(NOISE))
    parser.add_argument("--search", choices=("fast", "exact"), default="fast")
    options = parser.parse_args()
    seeds, settings = list(range(FIRST_SEED, FIRST_SEED + options.seeds)), {"split_search": options.search}
    gaps = []
    with tempfile.TemporaryDirectory() as folder:
        old = Version(check_out(options.revision, Path(folder)), settings)
        new = Version(ROOT / "src", settings)
        print(f"| data | n | noise columns | {options.revision} | new − old | standard error |")
        print("|---|--:|--:|--:|--:|--:|")
        for n in options.rows:
            for name in TASKS:
                for noise in NOISE[n]:
                    before, after = (version.estimates(name, n, noise, seeds) for version in (old, new))
                    gap, error = (after - before).mean(), (after - before).std(ddof=1) / np.sqrt(len(seeds))
                    gaps.append((gap, error))
                    print(f"| {name} | {n:,} | {noise} | {before.mean():.3f} | {gap:+.4f} | {error:.4f} |", flush=True)
        old.close()
        new.close()
    found, errors = np.array(gaps).T
    print(
        f"\n{len(seeds)} samples each; {np.mean(np.abs(found) > 2 * errors):.0%} of {len(gaps)} gaps exceed two "
        f"standard errors (5 % would by chance); mean gap {found.mean():+.4f}, largest {np.abs(found).max():.4f} nats."
    )


if __name__ == "__main__":
    main()
