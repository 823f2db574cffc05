"""Columns as a few orthonormal functions of their ranks or labels, (functions, columns, n), tested by matrix products.

For numbers these are a linear, a quadratic and two wave-like functions of the normal scores. If all columns are jointly
Gaussian after increasing transformations, the mean of a linear or quadratic function given other columns is a sum of
their linear and quadratic functions and products of two linear ones: exactly what `given` regresses out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from ..copula.labels import indicators

PER_COLUMN = 4
ORDERS = (1, 2, 4)  # nested tests: linear; and quadratic; and waves
OF_TARGET = 2  # linear and quadratic: the target's mean and spread
FEWEST_ROWS = 5  # a function that is large in fewer rows describes those rows alone
FLAT = 1e-3  # relative length of a residual below which a function counts as a combination of others
SOME = 256  # columns at a time, so that memory stays small


class Target(NamedTuple):
    """Functions (m, n) of one column of the target, and whether it is nominal."""

    functions: np.ndarray
    nominal: bool


def column_functions(columns: np.ndarray, nominal: np.ndarray) -> np.ndarray:
    """Return (4, p, n) functions of columns (p, n), centred and orthonormal, in float32; 0 where a column has fewer."""
    p, n = columns.shape
    out = np.zeros((PER_COLUMN, p, n), np.float32)
    numbers = np.flatnonzero(~nominal)
    for start in range(0, numbers.size, SOME):
        some = numbers[start : start + SOME]
        u = (rankdata(columns[some], axis=1) - 0.5) / n
        z = ndtri(u)
        out[:, some] = orthonormal(np.stack((z, z**2, np.cos(3 * np.pi * u), np.cos(4 * np.pi * u))))
    for c in np.flatnonzero(nominal):
        labels = label_functions(columns[c])[:PER_COLUMN]
        out[: len(labels), c] = labels
    return out


def label_functions(codes: np.ndarray) -> np.ndarray:
    """Return (m, n) orthonormal functions that span the indicators of the labels, frequent ones first."""
    found = indicators(codes)
    order = np.argsort(-found.sum(axis=0), kind="stable")
    functions = orthonormal(found.T[order][:, None])[:, 0]
    return functions[functions.any(axis=1)]


def target_functions(columns: np.ndarray, nominal: np.ndarray) -> list[Target]:
    """Return the functions of each column of the target (q, n): those of all labels, or linear and quadratic.

    Columns without any, such as one of labels that are all rare, are left out.
    """
    lines = column_functions(columns, nominal)[:OF_TARGET]
    found = [
        Target(label_functions(column).astype(np.float32) if is_nominal else lines[:, c], bool(is_nominal))
        for c, (column, is_nominal) in enumerate(zip(columns, nominal, strict=True))
    ]
    present = [one._replace(functions=one.functions[one.functions.any(axis=1)]) for one in found]
    return [one for one in present if len(one.functions)]


def orthonormal(functions: np.ndarray) -> np.ndarray:
    """Return functions (m, p, n), each centred and orthogonal to those before it, of length 1; overwrites them.

    Functions that are combinations of earlier ones become 0, and so do those that are large in a few rows only.
    """
    functions -= functions.mean(axis=2, keepdims=True)
    for j, one in enumerate(functions):
        whole = np.sqrt(np.einsum("pn,pn->p", one, one))
        for before in functions[:j]:
            one -= np.einsum("pn,pn->p", before, one)[:, None] * before
        lengths = np.sqrt(np.einsum("pn,pn->p", one, one))
        one /= np.where(lengths > FLAT * whole, lengths, np.inf)[:, None]
        squares = one**2
        one[FEWEST_ROWS * np.einsum("pn,pn->p", squares, squares) > 1] = 0  # effective number of rows
    return functions
