"""The command `infold compile`."""

from __future__ import annotations

import time

import typer

from .messages import UserError, check_processes
from .options import Processes


def compile_kernels(jobs: Processes = -1) -> None:
    """Compile all kernels now, so that no later run has to wait; for container images."""
    check_processes(jobs)
    from .kernels import compile_all, folder

    if folder() is None:
        raise UserError("no folder for compiled kernels is writable; set NUMBA_CACHE_DIR to one that is.")
    start = time.perf_counter()
    compile_all(jobs)
    typer.echo(f"All kernels are compiled ({time.perf_counter() - start:.0f} s) and kept in {folder()}.")
