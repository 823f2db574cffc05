"""Neighbour counts → local information: the only place with KSG's formula and its rule for atoms.

Kraskov, Stögbauer & Grassberger (2004) for mutual information, Frenzel & Pompe (2007) for the conditional one:

    I(X; Y)            ψ(k) + ψ(n) − ψ(n_x) − ψ(n_y)
    I(X; Y | Z)        ψ(k) − ψ(n_xz) − ψ(n_yz) + ψ(n_z)
    total correlation  ψ(k) + (m − 1) ψ(n) − Σ ψ(n_j)

Counts are of rows strictly nearer than the k-th neighbour, the row itself included. That is for continuous data, in
which no two rows are equally far. Where rows tie at the distance of the k-th neighbour, in the joint space or in one of
the others, tied rows could come in any order, so the count is its mean over all orders: what adding tiny noise to the
data would give on average. Where that distance is 0, k and all counts are those of copies, the row itself included:
again the mean over all noise, and the plug-in estimate of a discrete distribution, with ψ in place of log.

The mean assumes that rows tie within one block, as they do if each block has its own units. Where asked for (`strict`),
rows at the distance of the k-th neighbour do not count, as in other packages; the rule for copies holds as well.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from ..jit import kernel

FEW_DIGAMMAS = 4096


class Spaces(NamedTuple):
    """Which spaces to count in, and with which sign the digamma of a count enters the local value."""

    masks: tuple[int, ...]
    signs: tuple[int, ...]


def shared_spaces(n_blocks: int) -> Spaces:
    """Return the spaces of the total correlation of all blocks; of two blocks it is their mutual information."""
    return Spaces(tuple(1 << b for b in range(n_blocks)), (-1,) * n_blocks)


CONDITIONAL = Spaces((0b101, 0b110, 0b100), (-1, -1, 1))
"""The spaces XZ, YZ and Z of the blocks X, Y, Z."""


@kernel
def expected_counts(k, nearer, within, counts):
    """Fill counts (1 + spaces,) of one row: k, and how many rows to take as nearer than its k-th neighbour.

    `nearer` and `within` count the rows nearer than that neighbour and those no farther, in the joint space and then in
    each space. The `tied` rows of the joint space come in random order, and the neighbour is that in place `turn`. In a
    space, as many of those at its distance are taken for the same rows as can be; the others come between them, in a
    number that has a negative hypergeometric distribution. ψ is about a logarithm, so that its mean over this number is
    its value at mean − variance / (2 mean).

    A row that is alone in its class (k = 0) is compared with its class as a whole.
    """
    tied, turn = within[0] - nearer[0], k + 1 - nearer[0]
    counts[0] = k if k > 0 else 1
    for s in range(1, counts.size):
        counts[s] = nearer[s]
    if nearer[0] == 0:
        for s in range(counts.size):
            counts[s] = within[s]
    elif k > 0:
        for s in range(1, counts.size):
            at = within[s] - nearer[s]
            if at > 0 and (at > 1 or tied > 1):
                same = min(at, tied)
                others = at - same
                counts[s] += same * (turn - 1) / tied + others * turn / (tied + 1)
                variance = others * turn * (tied + 1 - turn) * (others + tied + 1) / ((tied + 1) ** 2 * (tied + 2))
                counts[s] -= variance / (2 * counts[s])


@kernel
def forget_ties(nearer, within):
    """Let no row count that is as far as the k-th neighbour, unless they are copies: as if there were no ties."""
    if nearer[0] > 0:
        for s in range(1, nearer.size):
            within[s] = nearer[s]


@kernel
def settle_counts(k, nearer, within, strict, counts):
    """Fill counts (n, 1 + spaces) of all rows, given k (n,), nearer and within (n, 1 + spaces); may change `within`."""
    for i in range(k.size):
        plain = k[i] > 0 and nearer[i, 0] > 0
        if not strict:
            for s in range(counts.shape[1]):
                plain &= within[i, s] - nearer[i, s] <= 1
        if plain:  # as in all rows of continuous data, so without a call
            counts[i, 0] = k[i]
            for s in range(1, counts.shape[1]):
                counts[i, s] = nearer[i, s]
        else:
            if strict:
                forget_ties(nearer[i], within[i])
            expected_counts(k[i], nearer[i], within[i], counts[i])


def local_information(counts: np.ndarray, spaces: Spaces, n: int) -> np.ndarray:
    """Return the local values (m,), whose mean is the estimate, from counts (1 + spaces, m) among n rows."""
    psi, signs, local = digammas(n), np.array(spaces.signs), np.empty(counts.shape[1])
    add_digammas(counts, signs, -(1 + np.add.reduce(signs)) * psi[n], psi, local)
    return local


@kernel
def digamma_of(x, psi):
    """Return ψ(x) of x > 0, given psi, its values at whole numbers."""
    whole = int(x)
    if whole == x:
        return psi[whole]
    shift = 0.0
    while x < 10.0:
        shift += 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return np.log(x) - 0.5 / x - series - shift


@kernel
def add_digammas(counts, signs, offset, psi, local):
    """Fill local[i] with ψ(counts[0, i]) + offset + Σ signs[s] ψ(counts[1 + s, i])."""
    for i in range(local.size):
        minus, plus = 0.0, 0.0
        for s in range(signs.size):
            value = digamma_of(counts[1 + s, i], psi)
            if signs[s] < 0:
                minus += value
            else:
                plus += value
        # In this order, terms that cancel, as in I(X; Y | Y), leave exactly 0.
        local[i] = digamma_of(counts[0, i], psi) + offset + plus - minus


def digammas(largest: int) -> np.ndarray:
    """Return ψ(0 … largest), or more, with ψ(0), which is never used, set to 0. Not to be written to."""
    return _few_digammas() if largest < FEW_DIGAMMAS else _digamma_table(largest)


def _digamma_table(largest: int) -> np.ndarray:
    return np.concatenate(([0.0], digamma(np.arange(1.0, largest + 1))))


@functools.cache
def _few_digammas() -> np.ndarray:
    """Return those that many small estimates share."""
    return _digamma_table(FEW_DIGAMMAS)
