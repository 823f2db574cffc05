"""The two decorators of all kernels, and their cache on disk.

A kernel is compiled on its first call and kept on disk, so only the very first run waits. A line on stderr says once
why; INFOLD_QUIET=1 in the environment hides it.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

ONCE = "compiling kernels, once (up to half a minute); later runs start at once (INFOLD_QUIET=1 hides this line)."
EVERY_TIME = (
    "compiling kernels (up to half a minute), for this process alone: no folder to keep them in can be written; set "
    "NUMBA_CACHE_DIR to one that can."
)
NO_SPACE = (
    "compiling kernels (up to half a minute), for this process alone: the disk that keeps them is full; make some "
    "space, or set NUMBA_CACHE_DIR to a folder on another."
)
NOT_COMPILED = "NUMBA_DISABLE_JIT is set: kernels run as plain Python, a hundred times slower or more."
LEAST_SPACE = 20_000_000  # bytes; all kernels together take about 8 MB
PICKLE = b"\x80", b"."  # the first and the last byte of what numba keeps

_checked_folders: set[str] = set()


@functools.cache
def _fingerprint() -> str:
    """Return a hash of all kernels' sources."""
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def _drop_stale(folder: Path) -> None:
    """Remove compiled kernels of other sources, and damaged ones, from a cache folder.

    numba asks only whether the file of a kernel has changed, not those of the kernels that it calls: after an upgrade
    it could run old code. So a folder's stamp must name exactly these sources. A file that numba cannot read is an
    error, and one that was cut short, or never filled, can crash Python.
    """
    stamp = folder / f"infold-{_fingerprint()}.stamp"
    try:
        if stamp.exists():
            for broken in filter(_is_broken, folder.glob("*.nb[ci]")):
                broken.unlink(missing_ok=True)
                _say(ONCE)
            return
        for old in [*folder.glob("*.nbi"), *folder.glob("infold-*.stamp")]:
            old.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:  # a folder that cannot be written cannot have been filled by other sources either
        _say(EVERY_TIME)
    else:
        _say(ONCE)


def _is_broken(file: Path) -> bool:
    """Return whether a file lacks the right first or last byte: reading all of it would take too long."""
    try:
        with file.open("rb") as stream:
            first = stream.read(1)
            stream.seek(-1, os.SEEK_END)
            return (first, stream.read(1)) != PICKLE
    except OSError:  # it is empty, or gone
        return file.exists()


@functools.cache
def _is_full(folder: str) -> bool:
    """Return whether the disk of a cache folder, which may not exist yet, has no space for kernels."""
    there = next(path for path in (Path(folder), *Path(folder).parents) if path.exists())
    return shutil.disk_usage(there).free < LEAST_SPACE


@functools.cache  # each sentence once, and not from each of many processes
def _say(sentence: str) -> None:
    if os.environ.get("INFOLD_QUIET", "0") in ("", "0") and multiprocessing.parent_process() is None:
        sys.stderr.write(f"infold: {sentence}\n")


def _compiled(**flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator: no GIL, division by IEEE rules without a branch, kept on disk where possible."""
    jit = functools.partial(numba.njit, nogil=True, error_model="numpy", **flags)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            compiled = jit(cache=True)(function)
        except RuntimeError:  # neither the package's folder nor the user's can be written: every process compiles
            _say(EVERY_TIME)
            return jit()(function)
        if not hasattr(compiled, "stats"):
            _say(NOT_COMPILED)
            return compiled
        folder = compiled.stats.cache_path
        if folder is not None and _is_full(folder) and not any(Path(folder).glob(f"*.{function.__name__}-*.nbi")):
            # numba would compile, and then fail to write.
            _say(NO_SPACE)
            return jit()(function)
        if folder is not None and folder not in _checked_folders:
            _checked_folders.add(folder)
            _drop_stale(Path(folder))
        return compiled

    return decorate


kernel = _compiled()
kernel_without_nan = _compiled(fastmath={"nnan", "nsz"})
"""For loops whose values are never NaN: minima and maxima then run several at a time."""
