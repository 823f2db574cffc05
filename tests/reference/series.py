"""Slow definitions for series: rows with a past, and transfer entropy by whole distance matrices."""

import numpy as np
from scipy.special import digamma


def past_rows(source, target, *, delay, source_history, target_history, given=None, given_lags=()):
    """(X, Y, Z, times) of every time at which all values are there, by one loop over time."""
    x, y, z, times = [], [], [], []
    for t in range(len(target)):
        back = [t - delay - j for j in range(source_history)], [t - 1 - j for j in range(target_history)]
        known = [t - lag for lag in given_lags]
        if min((*back[0], *back[1], *known, 0)) < 0:
            continue
        past = [source[s] for s in back[0]]
        own = [target[s] for s in back[1]] + [given[s] for s in known]
        if np.isfinite([*past, *own, target[t]]).all():
            x.append(past)
            y.append([target[t]])
            z.append(own)
            times.append(t)
    return np.array(x), np.array(y), np.array(z), np.array(times)


def transfer_entropy(x, y, z, times, k, theiler=0):
    """Frenzel and Pompe's estimate with strict inequalities; rows up to `theiler` apart are left out."""
    values = []
    for i in range(len(x)):
        far = np.abs(times - times[i]) > theiler
        d_x, d_y, d_z = (np.abs(block[far] - block[i]).max(axis=1) for block in (x, y, z))
        radius = np.sort(np.maximum(np.maximum(d_x, d_y), d_z))[k - 1]
        n_xz, n_yz, n_z = (np.sum(d < radius) for d in (np.maximum(d_x, d_z), np.maximum(d_y, d_z), d_z))
        values.append(digamma(k) - digamma(n_xz + 1) - digamma(n_yz + 1) + digamma(n_z + 1))
    return np.array(values)


def distant_counts(distances, spaces, k, times, window, strict):
    """Counts of the rows more than `window` apart in time, and of the row itself: k, then each space."""
    from .neighbors import counts

    n = len(times)
    out = np.empty((1 + len(spaces), n))
    for i in range(n):
        kept = np.flatnonzero((np.abs(times - times[i]) > window) | (np.arange(n) == i))
        here = [d[np.ix_(kept, kept)] for d in distances]
        row = int(np.flatnonzero(kept == i)[0])
        out[:, i] = counts(here, spaces, k)[:, row]
        joint = np.delete(np.max([d[row] for d in here], axis=0), row)
        radius = np.sort(joint)[k - 1]
        if strict and radius > 0:
            out[0, i] = k
            out[1:, i] = [np.sum(np.max([here[b][row] for b in blocks], axis=0) < radius) for blocks in spaces]
    return out
