"""The command `infold compile`."""

from __future__ import annotations

import os
import time

import typer

from .messages import UserError, check_processes
from .options import Processes


def compile_kernels(jobs: Processes = -1) -> None:
    """Compile all kernels now, so that later runs need not wait (for container images)."""
    check_processes(jobs)
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise UserError("NUMBA_DISABLE_JIT is set, so there is nothing to compile; unset it.")
    from .kernels import compile_all, folder

    if folder() is None:
        raise UserError("no folder for compiled kernels is writable; set NUMBA_CACHE_DIR to one that is.")
    start = time.perf_counter()
    compile_all(jobs)
    typer.echo(f"All kernels are compiled ({time.perf_counter() - start:.0f} s) and kept in {folder()}.")
