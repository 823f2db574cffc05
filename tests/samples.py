"""Data that several tests draw: a Gaussian pair among noise, an autoregressive series."""

import math

import numpy as np


def gaussian(n, rho, seed, columns=1):
    """X and Y; their first columns have the correlation `rho`."""
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal((2, n, columns))
    y = rng.standard_normal((n, columns))
    y[:, 0] = rho * x[:, 0] + math.sqrt(1 - rho**2) * z[:, 0]
    return x, y


def walk(n, phi, seed):
    """An autoregressive series."""
    steps = np.random.default_rng(seed).standard_normal(n)
    for i in range(1, n):
        steps[i] += phi * steps[i - 1]
    return steps
