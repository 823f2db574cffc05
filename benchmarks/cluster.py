"""A Dask cluster of two worker processes on this machine: what it costs beside joblib's own workers.

    python benchmarks/cluster.py          # 999 permutations of KSG and 49 of G-KSG, a minute
    python benchmarks/cluster.py --kill   # and one of the two workers is killed half-way

`ms per task` is by the clock and wants a quiet machine. `processor ms` is user and system time of this process and all
its workers together, so it is what the cluster adds whatever else runs. Answers are compared to the bit.
"""

import argparse
import os
import signal
import threading
import time

import joblib
import numpy as np
from distributed import Client, LocalCluster

import infold
from infold.parallel.scheduler import in_order

N_SAMPLES, N_COLUMNS = 500, 5


def permuted(estimator, X, Y, seed):
    order = np.random.default_rng(seed).permutation(len(Y))
    return estimator.fit(X, Y[order]).mi_


def answered(jobs, **options):
    return list(in_order(permuted, jobs, n_jobs=2, label="", verbose=0, batch=40, **options))


def processor_seconds(pids):
    """Return user and system time of processes, in seconds."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(name, jobs, pids, **options):
    """Return the answers; print what each task took."""
    answered(jobs[:20], **options)  # kernels
    before, start = processor_seconds(pids), time.perf_counter()
    answers = answered(jobs, **options)
    seconds, used = time.perf_counter() - start, processor_seconds(pids) - before
    print(f"| {name} | {len(jobs)} | {1e3 * seconds / len(jobs):.2f} | {1e3 * used / len(jobs):.2f} |", flush=True)
    return answers


def kill_later(client, seconds):
    pid = next(iter(client.run(os.getpid).values()))
    timer = threading.Timer(seconds, os.kill, (pid, signal.SIGKILL))
    timer.start()
    return timer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, nargs=2, default=[999, 49], metavar=("KSG", "G-KSG"))
    parser.add_argument("--kill", action="store_true", help="kill a worker half-way through one more run")
    options = parser.parse_args()
    data = infold.datasets.make_gaussian(N_SAMPLES, 2 * (N_COLUMNS - 1), random_state=0)
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}\n")
    print("| where | tasks | ms per task | processor ms |\n|---|--:|--:|--:|")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        workers = list(client.run(os.getpid).values())
        estimators = (("KSG", infold.KSG()), ("G-KSG", infold.GeodesicKSG(random_state=0)))
        for (name, estimator), count in zip(estimators, options.tasks, strict=True):
            jobs = [(estimator, data.X, data.Y, seed) for seed in range(count)]
            here = measured(f"{name}, 2 threads", jobs, [os.getpid()])
            with joblib.parallel_config("dask"):
                there = measured(f"{name}, Dask, 2 processes", jobs, [os.getpid(), *workers])
                assert there == here
        if options.kill:
            with joblib.parallel_config("dask"):
                kill_later(client, 1.0)
                start = time.perf_counter()
                assert answered(jobs) == here
                print(f"\nwith a worker killed after a second: {time.perf_counter() - start:.1f} s, the same answers")


if __name__ == "__main__":
    main()
