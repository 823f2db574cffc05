"""A folder: a killed run goes on and ends with the same bytes; a cluster that loses a worker gives the same bits."""

import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import infold

QUIET = {"n_jobs": 1, "verbose": 0}


def table(columns=24):
    x = np.random.default_rng(0).normal(size=(60, columns))
    x[:, 1:] += 0.6 * x[:, :-1]
    return x


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_holds_the_same_network(tmp_path):
    here = infold.network(table(), **QUIET)
    there = infold.network(table(), folder=tmp_path / "net", **QUIET)
    assert_array_equal(there.mi_matrix, here.mi_matrix)
    assert_array_equal(there.pvalue_matrix, here.pvalue_matrix)
    assert sorted(files(tmp_path / "net")) == ["mi.npy", "network.json", "pvalues.npy"]
    again = infold.network(table(), folder=tmp_path / "net", random_state=None, **QUIET)  # read, not computed
    assert_array_equal(again.pvalue_matrix, here.pvalue_matrix)
    assert again.settings["random_state"] == 0


CODE = """
import os, signal, sys
import numpy as np
import infold
from infold.networks.store import Folder
from test_store import table
put, left = Folder.put, [4]
def die(self, tile, values):
    put(self, tile, values)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Folder.put = die
infold.network(table(), folder=sys.argv[1], n_jobs=1, verbose=0)
"""


def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(tmp_path):
    infold.network(table(), folder=tmp_path / "whole", **QUIET)
    run = subprocess.run([sys.executable, "-c", CODE, str(tmp_path / "killed")], cwd=os.path.dirname(__file__))
    assert run.returncode == -signal.SIGKILL
    tiles = list((tmp_path / "killed").glob("tile-*.npy"))
    assert len(tiles) == 4
    stamps = {tile: tile.stat().st_mtime_ns for tile in tiles}
    computed = []
    put = infold.networks.store.Folder.put
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            infold.networks.store.Folder, "put", lambda self, *tile: (computed.append(tile), put(self, *tile))
        )
        infold.network(table(), folder=tmp_path / "killed", **QUIET)
    assert len(computed) == 10 - len(stamps)  # four by four, above the diagonal and on it
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_a_folder_with_something_else_is_refused(tmp_path):
    infold.network(table(3), folder=tmp_path / "net", **QUIET)
    with pytest.raises(ValueError, match="other data"):
        infold.network(table(4), folder=tmp_path / "net", **QUIET)
    with pytest.raises(ValueError, match="other n_neighbors, random_state"):
        infold.network(table(3), folder=tmp_path / "net", random_state=1, n_neighbors=4, **QUIET)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("do not touch")
    with pytest.raises(ValueError, match="other files"):
        infold.network(table(3), folder=tmp_path / "full", **QUIET)
    with pytest.raises(ValueError, match="not a directory"):
        infold.network(table(3), folder=tmp_path / "full" / "thesis.txt", **QUIET)


def test_a_cluster_that_loses_a_worker_gives_the_same_bits(tmp_path):
    distributed = pytest.importorskip("distributed")
    here = infold.network(table(40), **QUIET)
    folder = tmp_path / "net"
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as local,
        distributed.Client(local) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def kill_when_the_first_tile_is_there():
            while not list(folder.glob("tile-*.npy")):
                time.sleep(0.001)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill_when_the_first_tile_is_there, daemon=True)
        killer.start()
        with joblib.parallel_config("dask"):
            there = infold.network(table(40), folder=folder, verbose=0)
        killer.join(timeout=10)
        assert not killer.is_alive()
    assert_array_equal(there.mi_matrix, here.mi_matrix)
    assert_array_equal(there.pvalue_matrix, here.pvalue_matrix)
