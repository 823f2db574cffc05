"""How strongly smooth functions of two columns are related: sums of squared correlations, for all pairs at once.

A column is represented by a *basis*: centred, orthonormal functions of it. Those of a column of numbers are waves of
its ranks, slow ones first; those of a column of classes tell classes apart. Neyman's smooth test uses the first few.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, log_ndtr

from ..copula.screen import TINY, rank_waves

ORDERS = (1, 2, 4)  # nested tests; eight waves would take four times as long for all pairs of many columns
N_WAVES = max(ORDERS)


class Basis(NamedTuple):
    """Functions (m, n) of one column, and how many of them the tests of increasing order use."""

    functions: np.ndarray
    sizes: tuple[int, ...]


@functools.lru_cache(maxsize=64)
def wave_table(n: int) -> np.ndarray:
    """Return the waves (N_WAVES, n) of ranks 0 … n − 1 without ties."""
    return rank_waves(np.arange(float(n))[:, None], N_WAVES)[:, :, 0]


def waves_of_ranks(ranks: np.ndarray) -> np.ndarray:
    """Return the waves (p, N_WAVES, n) of columns of ranks (p, n) without ties."""
    return np.ascontiguousarray(wave_table(ranks.shape[1])[:, ranks].transpose(1, 0, 2))


def basis_of_numbers(values: np.ndarray) -> Basis:
    """Return the waves of a column (n,) with ties, as many as its distinct values can tell apart."""
    waves = rank_waves(values[:, None], N_WAVES)[:, :, 0]
    there = np.asarray(waves.any(axis=1))
    return Basis(waves[there], tuple(int(there[:m].sum()) for m in ORDERS))


def basis_of_classes(codes: np.ndarray) -> Basis:
    """Return functions that tell the classes of a column (n,) apart; any such choice gives the same sums."""
    _, own, counts = np.unique(codes, return_inverse=True, return_counts=True)
    # Orthonormal contrasts of the classes, weighted by their sizes: the complement of the constant.
    root = np.sqrt(counts / counts.sum())
    left = np.linalg.qr(np.column_stack([root, np.eye(root.size)[:, 1:]]))[0][:, 1:]
    functions = (left / np.sqrt(counts)[:, None])[own].T
    return Basis(np.ascontiguousarray(functions), (len(functions),) * len(ORDERS))


def wave_scores(waves_x: np.ndarray, waves_y: np.ndarray) -> np.ndarray:
    """Return −log of the smallest p of the nested tests, (p, q), for waves (p, N_WAVES, n) and (q, N_WAVES, n)."""
    (p, m, n), q = waves_x.shape, len(waves_y)
    z = (waves_x.reshape(p * m, n) @ waves_y.reshape(q * m, n).T).reshape(p, m, q, m)
    z *= math.sqrt(n - 1)
    scores = -log_ndtr(-np.abs(z[:, 0, :, 0])) - math.log(2)
    np.square(z, out=z)
    for order in ORDERS[1:]:
        np.maximum(scores, even_chi2_score(z[:, :order, :, :order].sum(axis=(1, 3)), order**2), out=scores)
    return scores


def even_chi2_score(sums: np.ndarray, degrees: int) -> np.ndarray:
    """Return −log P(χ² ≥ sums) for an even number of degrees, where it is a finite series; never infinite."""
    half = sums / 2
    series = np.ones_like(half)
    for i in range(degrees // 2 - 1, 0, -1):
        series *= half / i
        series += 1
    return half - np.log(series)


def basis_scores(x: Basis, functions_y: np.ndarray, sizes_y: tuple[int, ...]) -> np.ndarray:
    """Return the same (b,) for one column and each of b others of one kind: functions_y (b, m, n)."""
    products = np.einsum("in,bjn->bij", x.functions, functions_y, optimize=True)
    return nested_scores(products, x.functions.shape[1], x.sizes, sizes_y)


def nested_scores(products: np.ndarray, n: int, sizes_x: tuple[int, ...], sizes_y: tuple[int, ...]) -> np.ndarray:
    """Return the scores (b,) of inner products (b, i, j) of functions of n rows."""
    squares = (n - 1) * products**2
    smallest = np.ones(len(products))
    for a, b in zip(sizes_x, sizes_y, strict=True):
        if a and b:
            np.minimum(smallest, chdtrc(a * b, squares[:, :a, :b].sum(axis=(1, 2))), out=smallest)
    return -np.log(np.maximum(smallest, TINY))


def permuted_scores(x: Basis, y: Basis, draws: int, seed: int) -> np.ndarray:
    """Return scores of x against y in random order, (draws,)."""
    rng, n = np.random.default_rng(seed), x.functions.shape[1]
    some = max(1, 2**21 // (n * max(1, len(y.functions))))
    out = []
    for start in range(0, draws, some):
        orders = rng.permuted(np.tile(np.arange(n), (min(some, draws - start), 1)), axis=1)
        out.append(basis_scores(x, y.functions[:, orders].transpose(1, 0, 2), y.sizes))
    return np.concatenate(out) if out else np.empty(0)
