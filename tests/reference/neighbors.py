"""Slow definitions of neighbour counts and of what follows from them, by whole distance matrices."""

from collections import Counter
from math import comb, log

import numpy as np
from scipy.special import digamma


def block_distance(columns, metric="chebyshev"):
    """(n, n) distances between the rows of columns (d, n)."""
    difference = np.abs(columns[:, :, None] - columns[:, None, :])
    return difference.max(axis=0) if metric == "chebyshev" else np.sqrt(np.sum(difference**2, axis=0))


def class_distance(columns, nominal, far, metric="chebyshev"):
    """(n, n) distances of a block in which rows with another label in a nominal column are `far` apart."""
    numeric, labels = columns[~nominal], columns[nominal]
    distance = block_distance(numeric, metric) if len(numeric) else np.zeros((columns.shape[1],) * 2)
    return np.where((labels[:, :, None] != labels[:, None, :]).any(axis=0), far, distance)


def strict_counts(distances, spaces, k):
    """(1 + spaces, n) counts from a list of (n, n) distances, one per block; spaces are sets of block numbers."""
    n = len(distances[0])
    out = np.empty((1 + len(spaces), n), int)
    for i in range(n):
        joint = np.delete(np.max([d[i] for d in distances], axis=0), i)
        radius = np.sort(joint)[k - 1]
        out[0, i] = k if radius > 0 else 1 + np.sum(joint == 0)
        for s, blocks in enumerate(spaces):
            own = np.max([distances[b][i] for b in blocks], axis=0)
            out[1 + s, i] = np.sum(own < radius) if radius > 0 else np.sum(own == 0)
    return out


def counts(distances, spaces, k, far=np.inf, strict=False):
    """The same where ties count: their mean over all orders of tied rows. Rows at `far` are no neighbours.

    With `strict` rows as far as the k-th neighbour do not count.
    """
    n = len(distances[0])
    out = np.empty((1 + len(spaces), n))
    for i in range(n):
        joint = np.delete(np.max([d[i] for d in distances], axis=0), i)
        others = np.sort(joint[joint < far])
        k_here = min(k, others.size)
        radius = others[k_here - 1] if k_here else far
        tied, turn = np.sum(joint == radius), k_here - np.sum(joint < radius)
        out[0, i] = max(k_here, 1) if radius > 0 else 1 + np.sum(joint == 0)
        for s, blocks in enumerate(spaces):
            own = np.max([distances[b][i] for b in blocks], axis=0)
            if radius == 0:
                out[1 + s, i] = np.sum(own == 0)
            else:
                out[1 + s, i] = np.sum(own < radius)
                if k_here and not strict:
                    out[1 + s, i] = settled(out[1 + s, i], np.sum(own == radius), tied, turn)
    return out


def settled(nearer, at, tied, turn):
    """The count whose ψ is the mean of ψ, up to third powers, if rows at the radius come in any order."""
    at, tied, turn = int(at), int(tied), int(turn)
    same = min(at, tied)
    between = at - same  # rows that may come before the neighbour and are not tied with it in the joint space
    chances = [
        comb(h + turn - 1, h) * comb(between - h + tied - turn, between - h) / comb(between + tied, between)
        for h in range(between + 1)
    ]
    before = np.arange(between + 1)
    mean = np.dot(chances, before)
    variance = np.dot(chances, (before - mean) ** 2)
    count = nearer + same * (turn - 1) / tied + mean
    return count - variance / (2 * count)


def mutual_information(counts, n):
    """Local values of Kraskov et al."""
    return digamma(counts[0]) + digamma(n) - digamma(counts[1]) - digamma(counts[2])


def conditional_information(counts):
    """Local values of Frenzel and Pompe, of counts in XZ, YZ and Z."""
    return digamma(counts[0]) - digamma(counts[1]) - digamma(counts[2]) + digamma(counts[3])


def total_correlation(counts, n):
    """Local values of the first estimator of Kraskov et al. for several blocks."""
    m = len(counts) - 1
    return digamma(counts[0]) + (m - 1) * digamma(n) - sum(digamma(row) for row in counts[1:])


def plug_in(blocks, spaces, signs, *, miller_madow):
    """Plug-in information of discrete blocks (lists of rows): −H(joint) − Σ sign × H(space)."""
    rows = list(zip(*blocks, strict=True))
    everything = tuple(range(len(blocks)))
    total = 0.0
    for space, sign in ((everything, 1), *zip(spaces, signs, strict=True)):
        counts = Counter(tuple(row[b] for b in space) for row in rows)
        entropy = -sum(c / len(rows) * log(c / len(rows)) for c in counts.values())
        total -= sign * (entropy + miller_madow * (len(counts) - 1) / (2 * len(rows)))
    return total


def standardized(columns):
    """Columns (d, n) with mean 0 and standard deviation 1."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=1, keepdims=True))
