"""Random numbers of kernels: splitmix64, one stream per task, seeded before any thread starts.

So neither the number of threads nor their order can change a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .jit import kernel


@kernel
def next_random(state):
    """Advance `state` (one uint64 in an array) and return 64 random bits."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def random_below(state, bound):
    """Return a random integer in [0, bound), for bound < 2**32."""
    return np.int64(((next_random(state) >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


def draw_seeds(random_state: Any, count: int) -> np.ndarray:
    """Return `count` seeds from None, an int, a RandomState or a Generator: one per task, drawn up front."""
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(0, 2**63, size=count).astype(np.uint64)
    if isinstance(random_state, np.random.RandomState):
        high, low = random_state.randint(0, 2**31, size=(2, count), dtype=np.int64)
        return ((high << 31) | low).astype(np.uint64)
    return np.random.SeedSequence(random_state).generate_state(count, np.uint64)


@kernel
def random_orders(seeds, rows, starts, length):
    """Return (B, n): for each seed, which row takes the place of each.

    Blocks of `length` rows (the last of a group may be shorter) change places within groups: group g has
    rows[starts[g]:starts[g + 1]]. Fisher and Yates, from the last block down.
    """
    n = rows.size
    orders, blocks, state = np.empty((seeds.size, n), np.intp), np.empty(n, np.intp), np.empty(1, np.uint64)
    for b in range(seeds.size):
        state[0] = seeds[b]
        for g in range(starts.size - 1):
            first, stop = starts[g], starts[g + 1]
            count = (stop - first + length - 1) // length
            for i in range(count):
                blocks[i] = first + i * length
            for i in range(count - 1, 0, -1):
                j = random_below(state, i + 1)
                blocks[i], blocks[j] = blocks[j], blocks[i]
            place = first
            for i in range(count):
                source = blocks[i]
                end = source + length
                while source < end and source < stop:
                    orders[b, rows[place]] = rows[source]
                    place += 1
                    source += 1
    return orders
