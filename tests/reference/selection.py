"""Tests of one column and information criteria by their definitions, without linear algebra on many columns."""

import numpy as np
from scipy.stats import chi2, norm, rankdata


def functions_of(column, waves=True):
    """Return a line, an arch and two waves of a column's normal scores, orthonormal, one after the other."""
    n = len(column)
    u = (rankdata(column) - 0.5) / n
    z = norm.ppf(u)
    rows = [z, z**2, *([np.cos(3 * np.pi * u), np.cos(4 * np.pi * u)] if waves else [])]
    out = [np.ones(n) / np.sqrt(n)]
    for row in rows:
        for before in out:
            row = row - (before @ row) * before
        out.append(row / np.sqrt(row @ row))
    return out[1:]


def smallest_pvalue(column, target):
    """Return the smallest p-value of the three nested tests of two columns of numbers without ties."""
    phi, psi = functions_of(column), functions_of(target, waves=False)
    smallest = 1.0
    for order in (1, 2, 4):
        total, degrees = 0.0, 0
        for one in phi[:order]:
            for other in psi[:order]:
                products = one * other
                total += products.sum() ** 2 / (products**2).sum()
                degrees += 1
        smallest = min(smallest, chi2.sf(total, degrees))
    return smallest


def product_pvalue(first, second, target):
    """Return the p-value of the product of two columns' lines against the line of the target."""
    products = functions_of(first)[0] * functions_of(second)[0] * functions_of(target)[0]
    return chi2.sf(products.sum() ** 2 / (products**2).sum(), 1)
