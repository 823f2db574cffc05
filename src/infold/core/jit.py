"""The one decorator of all kernels, and the randomness that they share.

A kernel is compiled on its first call and kept on disk, so only the very first run waits. Random numbers come
from splitmix64, one stream a tree, seeded before any thread starts: threads cannot change a result.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event

from .fragment import FragmentCompiler, KernelCompiler


def _fingerprint() -> str:
    """Return a hash of all kernels' sources."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


SOURCES = _fingerprint()


def compiled(**flags: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: compiled, kept on disk, without the GIL; division follows IEEE rules, without a branch."""

    jit = uncached(**flags)

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            dispatcher = jit(cache=True)(function)
        except RuntimeError:  # neither the package's folder nor the user's can be written: every process compiles
            return jit()(function)
        # numba asks only whether the file of a kernel has changed, not those of the kernels it calls: after an upgrade
        # it could run old code. So what is on disk counts only for exactly these sources.
        file: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
        if hasattr(file, "_source_stamp"):
            file._source_stamp = SOURCES
        return dispatcher

    return decorate


def uncached(compiler: Any = KernelCompiler, **flags: Any) -> Any:
    """Return numba's decorator with the flags of all kernels."""
    # No C function has to call a kernel, so numba need not make it callable from there.
    return functools.partial(
        numba.njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True, pipeline_class=compiler, **flags
    )


def fragment(**flags: Any) -> Any:
    """Return a decorator for what only kernels call."""
    return uncached(FragmentCompiler, no_cpython_wrapper=True, **flags)()


kernel = compiled()
part = fragment()
"""A kernel that only kernels can call: not Python, nor other functions of numba's."""
inlined = fragment(forceinline=True)
"""A part that takes a tuple of many arrays: a call would copy seven numbers for each of them, every time."""
part_without_nan = fragment(fastmath={"nnan", "nsz"})
"""For loops whose values are never NaN: minima and maxima then run several at a time."""


FIRST: Any = np.int64(0)  # for numba every number that is written out is a type of its own, and compiled for anew
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@inlined
def next_random(state):
    """Advance `state` (one uint64 in an array) and return 64 random bits."""
    state[0] += _GOLDEN
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return bits ^ (bits >> np.uint64(31))


@inlined
def random_below(state, bound):
    """Return a random integer in [0, bound), for bound < 2**32."""
    return np.int64(((next_random(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


def draw_seeds(random_state: Any, count: int) -> np.ndarray:
    """Return `count` seeds from None, an int, a RandomState or a Generator: one a tree, drawn up front."""
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**63, size=count).astype(np.uint64)
    if isinstance(random_state, np.random.RandomState):
        high, low = random_state.randint(0, 2**31, size=(2, count), dtype=np.int64)
        return ((high << 31) | low).astype(np.uint64)
    return np.random.SeedSequence(random_state).generate_state(count, np.uint64)


class _Pause(event.Listener):  # type: ignore[misc]
    """Keeps Python from looking for garbage while a kernel is compiled: a tenth of the time, and next to none found."""

    depth, was_enabled = 0, False  # numba compiles one kernel at a time, those that it calls within it

    def on_start(self, happened: Any) -> None:
        """Stop looking when the first kernel of ours is begun."""
        if _is_ours(happened):
            if self.depth == 0:
                self.was_enabled = gc.isenabled()
                gc.disable()
            self.depth += 1

    def on_end(self, happened: Any) -> None:
        """Look again when it is done."""
        if _is_ours(happened):
            self.depth -= 1
            if self.depth == 0 and self.was_enabled:
                if gc.get_freeze_count() == 0:  # nobody else's are: call all that was made old, without a look at it
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()


class _Announcer(event.Listener):  # type: ignore[misc]
    """Says once that kernels are being compiled, when the first of them really is."""

    said = False

    def on_start(self, happened: Any) -> None:
        """Speak up, if this is a kernel of ours."""
        if not self.said and _is_ours(happened):
            self.said = True
            sys.stderr.write("infold: compiling kernels, once (up to half a minute); later runs start at once.\n")

    def on_end(self, happened: Any) -> None:
        """Nothing to say."""


def _is_ours(happened: Any) -> bool:
    # What `exec` makes, numba's constructors of classes among them, has no module.
    return (happened.data["dispatcher"].py_func.__module__ or "").startswith("infold.")


@functools.cache
def announce_compilation() -> None:
    """From now on, tell a user who waits for kernels to be compiled why."""
    event.register("numba:compile", _Announcer())


event.register("numba:compile", _Pause())
if sys.stderr.isatty():
    announce_compilation()
