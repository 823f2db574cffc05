"""Random orders of rows, many at a time: the one definition of a permutation that resampling uses."""

from __future__ import annotations

import numpy as np

from .jit import kernel, random_below


@kernel
def random_orders(seeds, rows, starts, length):
    """Return (B, n): for each seed, which row takes the place of each, in one stream of splitmix64.

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
