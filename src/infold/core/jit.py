"""The two decorators of all kernels, and their cache on disk.

A kernel is compiled on its first call and kept on disk, so only the very first run waits.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_checked_folders: set[str] = set()
_announces = sys.stderr.isatty()


@functools.cache
def _fingerprint() -> str:
    """Return a hash of all kernels' sources."""
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def _drop_stale(folder: Path) -> None:
    """Remove compiled kernels of other sources from a cache folder.

    numba asks only whether the file of a kernel has changed, not those of the kernels that it calls: after an upgrade
    it could run old code. So a folder's stamp must name exactly these sources.
    """
    stamp = folder / f"infold-{_fingerprint()}.stamp"
    if stamp.exists():
        return
    try:
        for old in [*folder.glob("*.nbi"), *folder.glob("infold-*.stamp")]:
            old.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    except OSError:  # a folder that cannot be written cannot have been filled by other sources either
        pass
    if _announces:
        _say_why()


@functools.cache  # once
def _say_why() -> None:
    sys.stderr.write("infold: compiling kernels, once (up to half a minute); later runs start at once.\n")


def announce_compilation() -> None:
    """From now on, tell a user who waits for kernels to be compiled why, also without a terminal."""
    global _announces
    _announces = True


def _compiled(**flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's decorator: no GIL, division by IEEE rules without a branch, kept on disk where possible."""
    jit = functools.partial(numba.njit, nogil=True, error_model="numpy", **flags)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            compiled = jit(cache=True)(function)
        except RuntimeError:  # neither the package's folder nor the user's can be written: every process compiles
            return jit()(function)
        folder = compiled.stats.cache_path if hasattr(compiled, "stats") else None  # without the JIT there is none
        if folder is not None and folder not in _checked_folders:
            _checked_folders.add(folder)
            _drop_stale(Path(folder))
        return compiled

    return decorate


kernel = _compiled()
kernel_without_nan = _compiled(fastmath={"nnan", "nsz"})
"""For loops whose values are never NaN: minima and maxima then run several at a time."""
