"""Speed and memory of infold beside its peers, in one run: `make bench`, or with --quick for a few minutes' look.

Every library runs in a process of its own, in turns, so that what else the machine does meets all of them alike.
Peers live in benchmarks/.venv-peers, which the first run sets up. Estimates are compared: a fast wrong answer fails.
"""

import argparse
import csv
import json
import os
import platform
import select
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import numpy as np
from tables import write_gksg, write_ksg

HERE = Path(__file__).parent
PEER_ENVIRONMENT = HERE / ".venv-peers"
PEERS = {"npeet_plus": "npeet_plus", "ennemi": "ennemi", "infomeasure": "infomeasure", "sklearn": "scikit-learn"}
ONE_COLUMN = {"ennemi", "sklearn"}  # which take a single column of X or of Y

COLUMNS, SAMPLES = (1, 3, 5, 10, 25), (500, 2_000, 20_000, 100_000)
LIMIT = 60.0  # seconds that the fastest peer may take
SLOW_LIMIT = 20.0  # seconds for the others
TOLERANCE = {"npeet_plus": 1e-6, "infomeasure": 1e-6, "ennemi": 0.02, "sklearn": 0.02}
ROUNDS, PATIENCE = 9, 6.0  # runs of each library, fewer once they took so many seconds

BATCH = 0.02  # seconds that a turn lasts at least: a single short run would mostly measure cold caches

PEER_FOR_GKSG = "npeet_plus"


def set_up_peers() -> Path:
    """Return the Python of the peers' environment, which is made if it is not there."""
    python = PEER_ENVIRONMENT / "bin" / "python"
    stamp = PEER_ENVIRONMENT / ".installed"
    if not stamp.exists():
        print("Installing the peers (once) ...", flush=True)
        venv.create(PEER_ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS.values()], check=True)
        stamp.touch()
    return python


class Worker:
    """A process that runs one library; a request that takes too long ends it."""

    def __init__(self, python: Path, library: str) -> None:
        self.python, self.library, self.process = python, library, None

    def ask(self, data: Path, repeats: int, limit: float) -> dict | None:
        """Return the worker's answer, or None if it took longer than `limit` seconds."""
        if self.process is None:
            command = [self.python, HERE / "worker.py"]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        request = {"library": self.library, "data": str(data), "repeats": repeats}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], limit)[0]:
            self.close()
            return None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.library} failed on {data.name}; see its message above.")
        return json.loads(line)

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def take_turns(workers: list[Worker], data: Path, limits: dict[str, float], rounds: int) -> dict[str, dict]:
    """Return, by library, the answers of all rounds in one; a library over its limit is left out."""
    found: dict[str, dict] = {}
    active = list(workers)
    for _ in range(rounds):
        for worker in list(active):
            last = found.get(worker.library, {"seconds": [BATCH]})["seconds"][-1]
            answer = worker.ask(data, max(1, min(20, int(BATCH / last))), limits.get(worker.library, LIMIT) + 30)
            if answer is None or answer["seconds"][0] > limits.get(worker.library, LIMIT):
                active.remove(worker)
                found.pop(worker.library, None)
                continue
            mine = found.setdefault(worker.library, answer | {"seconds": [], "cpu_seconds": []})
            mine["seconds"] += answer["seconds"]
            mine["cpu_seconds"] += answer["cpu_seconds"]
            mine["extra_mb"] = max(mine["extra_mb"], answer["extra_mb"])
            if sum(mine["seconds"]) > PATIENCE and len(mine["seconds"]) >= (3 if mine["seconds"][0] < 30 else 1):
                active.remove(worker)
    return found


def gaussian(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Y of d standard normal columns each, pairs of them with correlation 0.6."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, 0.6 * X + 0.8 * rng.normal(size=(n, d))


def measure_ksg(python: Path, folder: Path, columns: tuple, samples: tuple, rounds: int) -> list[dict]:
    """Return one row for each library in each cell."""
    peers = {name: Worker(python, name) for name in PEERS}
    own = Worker(Path(sys.executable), "infold")
    raw = Worker(Path(sys.executable), "infold_raw")
    rows = []
    for d in columns:
        previous: dict[str, float] = {}
        for n in samples:
            data = folder / f"gaussian-{d}-{n}.npz"
            X, Y = gaussian(n, d)
            np.savez(data, X=X, Y=Y)
            limits = {name: LIMIT if name == "npeet_plus" else SLOW_LIMIT for name in PEERS}
            # Time grows at least in proportion to n: what must take too long is not tried.
            hopeless = {p for p, s in previous.items() if s > limits[p]}
            chosen = [w for p, w in peers.items() if (d == 1 or p not in ONE_COLUMN) and p not in hopeless]
            found = take_turns([own, *chosen], data, limits, rounds)
            check = raw.ask(data, 1, LIMIT)
            for name in ("infold", *PEERS):
                if name in ONE_COLUMN and d > 1:
                    continue
                row = {"columns": f"{d}+{d}", "samples": n, "library": name}
                if name in found:
                    row |= summary(found[name])
                    if name in TOLERANCE:
                        other = check if name in ("npeet_plus", "infomeasure") else found["infold"]
                        row["difference"] = abs(row["estimate"] - other["estimate"])
                        row["agrees"] = row["difference"] <= TOLERANCE[name]
                rows.append(row)
            previous = {p: found[p]["seconds"][0] * 5 if p in found else np.inf for p in PEERS}
            show(rows, f"{d}+{d}", n)
    for worker in (own, raw, *peers.values()):
        worker.close()
    return rows


def gksg_cases(quick: bool) -> list[tuple[str, str, int, float, tuple[np.ndarray, np.ndarray]]]:
    """Return (data, columns, samples, the ratio to stay below, (X, Y))."""
    from infold.datasets import make_gaussian, make_uniform

    def uniform(n, noise_dims=0):
        data = make_uniform(n, noise_dims, random_state=0)
        return data.X, data.Y

    def correlated(n):
        data = make_gaussian(n, random_state=0)
        return data.X, data.Y

    cases = [
        ("uniform", "1+1", 2_000, 20.0, uniform(2_000)),
        ("uniform", "1+1", 10_000, 20.0, uniform(10_000)),
        ("uniform with noise columns", "10+10", 10_000, 0.6, uniform(10_000, 18)),
        ("uniform with noise columns", "25+25", 10_000, 0.4, uniform(10_000, 48)),
        ("Gaussian", "1+1", 2_000, 30.0, correlated(2_000)),
        ("Gaussian", "1+1", 10_000, 30.0, correlated(10_000)),
        ("Gaussian", "10+10", 2_000, 4.0, gaussian(2_000, 10)),
        ("Gaussian", "10+10", 10_000, 4.0, gaussian(10_000, 10)),
    ]
    return [case for case in cases if not quick or case[2] <= 2_000]


def measure_gksg(python: Path, folder: Path, quick: bool, rounds: int) -> list[dict]:
    """Return one row for each case: the time of G-KSG beside that of the peer's KSG on the same data."""
    own, peer = Worker(Path(sys.executable), "gksg"), Worker(python, PEER_FOR_GKSG)
    rows = []
    for number, (name, columns, n, goal, (X, Y)) in enumerate(gksg_cases(quick)):
        data = folder / f"gksg-{number}.npz"
        np.savez(data, X=X, Y=Y)
        found = take_turns([own, peer], data, {"gksg": LIMIT, PEER_FOR_GKSG: LIMIT}, rounds)
        row = {"data": name, "columns": columns, "samples": n, "at_most": goal}
        for prefix, library in (("gksg", "gksg"), ("peer", PEER_FOR_GKSG)):
            if library in found:
                row |= {f"{prefix}_{key}": value for key, value in summary(found[library]).items()}
        if "gksg" in found and PEER_FOR_GKSG in found:
            row["ratio"] = row["gksg_seconds"] / row["peer_seconds"]
            print(f"G-KSG {name} {columns} n = {n}: {row['ratio']:.2f} × the peer's KSG (at most {goal})", flush=True)
        rows.append(row)
    own.close()
    peer.close()
    return rows


def summary(answer: dict) -> dict:
    return {
        "seconds": statistics.median(answer["seconds"]),
        "fastest_seconds": min(answer["seconds"]),
        "cpu_seconds": statistics.median(answer["cpu_seconds"]),
        "runs": len(answer["seconds"]),
        "extra_mb": round(answer["extra_mb"], 1),
        "estimate": answer["estimate"],
        "version": answer["version"],
    }


def show(rows: list[dict], columns: str, n: int) -> None:
    cell = {row["library"]: row for row in rows if (row["columns"], row["samples"]) == (columns, n)}
    own = cell.pop("infold")["seconds"]
    parts = [f"{p} {row['seconds'] / own:.1f} ×" if "seconds" in row else f"{p} too long" for p, row in cell.items()]
    print(f"KSG {columns} n = {n}: infold {own * 1e3:.2f} ms; {', '.join(parts)}", flush=True)
    for name, row in cell.items():
        if row.get("agrees") is False:
            print(f"  {name} DISAGREES by {row['difference']:.2g}", flush=True)


def write_csv(path: Path, rows: list[dict]) -> None:
    fields = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)


def machine() -> str:
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {platform.system()}, Python {platform.python_version()}, "
        f"numpy {np.__version__}; load average {os.getloadavg()[0]:.1f} at the end"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small cells and few runs, to a folder of its own")
    parser.add_argument("--only", choices=("ksg", "gksg"), help="one of the two tables")
    parser.add_argument("--output", type=Path, help="folder for the results")
    options = parser.parse_args()
    output = options.output or HERE / ("results-quick" if options.quick else "results")
    output.mkdir(parents=True, exist_ok=True)
    if os.getloadavg()[0] > 0.5:
        print(f"Other work is running (load average {os.getloadavg()[0]:.1f}): ratios will be unfair to threads.")
    python, rounds, failed = set_up_peers(), 5 if options.quick else ROUNDS, False
    with tempfile.TemporaryDirectory() as name:
        if options.only != "gksg":
            grid = ((1, 3, 10), (500, 2_000)) if options.quick else (COLUMNS, SAMPLES)
            rows = measure_ksg(python, Path(name), *grid, rounds)
            write_csv(output / "ksg.csv", rows)
            write_ksg(output, rows, machine())
            failed = any(row.get("agrees") is False for row in rows)
        if options.only != "ksg":
            rows = measure_gksg(python, Path(name), options.quick, rounds)
            write_csv(output / "gksg.csv", rows)
            write_gksg(output, rows, machine())
    print(f"Tables and pictures are in {output}.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
