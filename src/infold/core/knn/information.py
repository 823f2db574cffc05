"""Counts of neighbours → local information: the one home of KSG's formula and of its rule for atoms.

Kraskov, Stögbauer & Grassberger (2004) for mutual information, Frenzel & Pompe (2007) for the conditional one:

    I(X; Y)            ψ(k) + ψ(n) − ψ(n_x) − ψ(n_y)
    I(X; Y | Z)        ψ(k) − ψ(n_xz) − ψ(n_yz) + ψ(n_z)
    total correlation  ψ(k) + (m − 1) ψ(n) − Σ ψ(n_j)

Counts are of rows strictly nearer than the k-th neighbour, the row itself included. Where the k-th neighbour is a copy
of the row (distance 0), no row is strictly nearer, and the row is an atom of a discrete distribution: k and all counts
are then those of copies, the row itself included.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

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


def local_information(counts: np.ndarray, spaces: Spaces, n: int) -> np.ndarray:
    """Return the local values (m,), whose mean is the estimate, from counts (1 + spaces, m) among n rows."""
    psi = _digammas(n)
    added = sum(1 for sign in spaces.signs if sign > 0)
    taken = len(spaces.signs) - added
    local = psi[counts[0]] + (taken - added - 1) * psi[n]
    minus = [psi[count] for count, sign in zip(counts[1:], spaces.signs, strict=True) if sign < 0]
    plus = [psi[count] for count, sign in zip(counts[1:], spaces.signs, strict=True) if sign > 0]
    local -= functools.reduce(np.add, minus)
    return functools.reduce(np.add, plus, local)


def _digammas(largest: int) -> np.ndarray:
    """Return ψ(0 … largest), or more, with ψ(0), which is never used, set to 0. Not to be written to."""
    return _few_digammas() if largest < FEW_DIGAMMAS else _digamma_table(largest)


def _digamma_table(largest: int) -> np.ndarray:
    return np.concatenate(([0.0], digamma(np.arange(1.0, largest + 1))))


@functools.cache
def _few_digammas() -> np.ndarray:
    """Return those that many small estimates share."""
    return _digamma_table(FEW_DIGAMMAS)
