"""The one decorator of all kernels, and the randomness that they share.

A kernel is compiled on its first call and kept on disk, so only the very first run waits. Random numbers come
from splitmix64, one stream a tree, seeded before any thread starts: threads cannot change a result.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

kernel = numba.njit(cache=True, nogil=True, error_model="numpy")
"""Compile for nopython mode, cache on disk, release the GIL; division follows IEEE rules, without a branch."""

kernel_without_nan = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz"})
"""The same for loops whose values are never NaN: minima and maxima then run several at a time."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@kernel
def next_random(state):
    """Advance `state` (one uint64 in an array) and return 64 random bits."""
    state[0] += _GOLDEN
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX_1
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX_2
    return bits ^ (bits >> np.uint64(31))


@kernel
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


def announce_compilation() -> None:
    """Tell on stderr that the first run compiles, unless compiled kernels newer than their source are on disk."""
    from . import tree

    source = Path(tree.__file__)
    cached = Path(str(tree.grow_tree.stats.cache_path)).glob(f"{source.stem}.grow_tree-*.nbi")
    if not any(index.stat().st_mtime >= source.stat().st_mtime for index in cached):
        sys.stderr.write("infold: compiling its kernels, once (about 20 s); later runs start at once.\n")
