"""Series with known couplings."""

import numpy as np
from scipy.signal import lfilter


def autoregression(rng, n, memory, count=2):
    """Independent AR(1) series, (count, n)."""
    return lfilter([1], [1, -memory], rng.standard_normal((count, n + 300)))[:, 300:]


def driven(rng, n, *, alpha=0.5, gamma=0.4, memory=0.6):
    """x, an AR(1) series, drives y."""
    x, noise = autoregression(rng, n + 100, memory, 1)[0], rng.standard_normal(n + 100)
    y = np.zeros(n + 100)
    for t in range(1, n + 100):
        y[t] = alpha * y[t - 1] + gamma * x[t - 1] + noise[t]
    return x[100:], y[100:]


def logistic(n, coupling):
    """The first of two logistic maps drives the second."""
    x, y = np.empty(n + 100), np.empty(n + 100)
    x[0], y[0] = 0.3, 0.4
    for t in range(1, n + 100):
        mixed = (1 - coupling) * y[t - 1] + coupling * x[t - 1]
        x[t], y[t] = 4 * x[t - 1] * (1 - x[t - 1]), 4 * mixed * (1 - mixed)
    return x[100:], y[100:]
