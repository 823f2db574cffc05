"""Blocks: columns of both sides that depend on each other; the MI of blocks that do not is a sum.

If the parts of one side are independent of each other, I(X; Y) ≥ Σ I(X_b; Y_b), whatever the other side is like. So
blocks are joined where their parts depend on each other on *both* sides, as copies, clusters and common factors do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.stats import gamma, norm

from .coordinates import curved, draw_centres, ridge_cca
from .gaussian import pairing_moments, spread_of
from .neighbors import Tables, ksg_local, mean_error
from .ratios import counted_twice, kernel_critic, log_normalisation
from .scores import Scores
from .screen import ALPHA_COLUMN, MAX_PRODUCT_COLUMNS, ORDERS, pair_pvalues, product_pvalues, rank_waves

Block = tuple[np.ndarray, np.ndarray]  # columns of x, and of y

ALPHA_APART = 0.05  # chance of joining blocks needlessly: it costs accuracy, but makes no answer too high
RATIO_ROWS, RATIO_NEIGHBORS = 350, 15  # that kernel ratios are fitted on, and asked of; that are within their width
MOST_WAVES = 100  # that are compared in threes: the time grows with the third power
N_SUMMARY = 4  # coordinates of either side of a block that are compared with other blocks'
SUMMARY_RIDGE = 0.1
MOST_MERGED, MERGE_ROWS = 10, 2000  # blocks that are tried together; rows that blocks are compared on
SURELY_MORE = 2.5  # standard errors of the difference


def linked_blocks(
    x: np.ndarray,
    y: np.ndarray,
    columns_x: np.ndarray,
    columns_y: np.ndarray,
    owners: tuple[np.ndarray, np.ndarray] | None = None,
) -> list[Block]:
    """Return blocks of columns, each joined to the column of the other side that it depends on most.

    Two columns whose product carries more information about a column than either does are in one block with it, and so
    are columns with the same owner: indicators of one label.
    """
    p, q = columns_x.size, columns_y.size
    waves = [rank_waves(side, max(ORDERS)) for side in (x[:, columns_x], y[:, columns_y])]
    pvalues = pair_pvalues(*waves)
    # Strong links all have p = 0; correlations tell them apart.
    correlations = np.abs(np.corrcoef(x[:, columns_x].T, y[:, columns_y].T)[:p, p:])
    strength = -np.log(np.maximum(pvalues, 1e-300)) + 1e-3 * correlations
    proven = pvalues * pvalues.size < ALPHA_COLUMN
    link = np.zeros((p + q, p + q), bool)
    for i, j in [*enumerate(strength.argmax(axis=1)), *((i, j) for j, i in enumerate(strength.argmax(axis=0)))]:
        link[i, p + j] |= proven[i, j]
    for own, other, single, start, end in (
        (waves[0], waves[1], pvalues, 0, p),
        (waves[1], waves[0], pvalues.T, p, 0),
    ):
        if 2 <= own.shape[2] <= MAX_PRODUCT_COLUMNS:
            of_products, i, j = product_pvalues(own, other)
            for m, c in np.argwhere(of_products * of_products.size < ALPHA_COLUMN):
                if of_products[m, c] < min(single[i[m], c], single[j[m], c]):
                    link[start + i[m], end + c] = link[start + j[m], end + c] = True
    if owners is not None:
        for side, own in ((slice(0, p), owners[0][columns_x]), (slice(p, p + q), owners[1][columns_y])):
            link[side, side] |= own[:, None] == own
    _, label = connected_components(link, directed=False)
    found = [(columns_x[label[:p] == b], columns_y[label[p:] == b]) for b in np.unique(label)]
    return [block for block in found if block[0].size and block[1].size]


def join(blocks: Sequence[Block], groups: Sequence[Sequence[int]]) -> list[Block]:
    """Return one block for each group of blocks."""
    return [
        (np.concatenate([blocks[g][0] for g in group]), np.concatenate([blocks[g][1] for g in group]))
        for group in groups
    ]


def overlapping_joined(blocks: Sequence[Block]) -> list[Block]:
    """Return blocks with their columns in order, joining those that have a column of x in common."""
    shares = np.array([[np.intersect1d(a, b).size > 0 for b, _ in blocks] for a, _ in blocks], bool)
    _, label = connected_components(shares.reshape(len(blocks), len(blocks)), directed=False)
    groups = [np.flatnonzero(label == g).tolist() for g in np.unique(label)]
    return [(np.unique(x), np.unique(y)) for x, y in join(blocks, groups)]


def apart(pairs: Sequence[Tables], owners: np.ndarray | None = None) -> list[list[int]]:
    """Return groups of pairs (a, b) such that pairs of different groups are independent on one side at least.

    Pairs with the same owner are in one group. Every wave of one column is compared with every wave of another, and
    with products of two. Dependence too weak to be seen in single columns may add up, as when rare classes exclude each
    other: if the sum of the remaining correlations is too large, on both sides, all pairs are one group.
    """
    count = len(pairs)
    linked, in_threes, compared = np.ones((count, count), bool), np.ones((count, count), bool), []
    for sides in zip(*pairs, strict=True):
        owner = np.repeat(np.arange(count), [side.shape[1] for side in sides])
        waves = rank_waves(np.hstack(sides), max(ORDERS))
        correlations = np.abs(np.einsum("inp,jnq->ijpq", waves, waves, optimize=True))
        largest = np.zeros((count, count))
        np.maximum.at(largest, (owner[:, None], owner), correlations.max(axis=(0, 1)))
        compared.append((np.hstack(list(waves)), np.tile(owner, len(waves))))
        n_tests = len(waves) ** 2 * np.triu(owner[:, None] < owner).sum()
        linked &= largest > norm.isf(ALPHA_APART / 2 / max(n_tests, 1)) / math.sqrt(waves.shape[1])
        in_threes &= linked_in_threes(waves[:2], owner)
    linked |= in_threes
    if owners is not None:
        linked |= owners[:, None] == owners
    _, label = connected_components(linked, directed=False)
    if count > 1 and all(_correlation_pvalue(columns, label[owner]) < ALPHA_APART for columns, owner in compared):
        return [list(range(count))]
    return [list(np.flatnonzero(label == g)) for g in np.unique(label)]


def _correlation_pvalue(columns: np.ndarray, label: np.ndarray) -> float:
    """Return the p-value of no correlation between columns (n, p), centred and of length 1, with different labels (p,).

    The sum of squared correlations has a gamma law with the moments that it has if the rows of each group are in random
    order: columns of a group may be correlated as they are, in which case it scatters far more than if they were not.
    """
    spreads = [spread_of(columns[:, label == group]) for group in np.unique(label)]
    moments = [pairing_moments(a, b, len(columns)) for a, b in itertools.combinations(spreads, 2)]
    mean, variance = np.sum(moments, axis=0) if moments else (0.0, 0.0)
    if not variance > 0:
        return 1.0
    squares = (columns.T @ columns)[np.triu(label[:, None] != label)] ** 2
    return float(gamma.sf(squares.sum(), mean**2 / variance, scale=variance / mean))


def linked_in_threes(waves: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return which two owners (count, count) depend on each other once a third is known, as in sums modulo a number.

    Waves (order, n, p) have owners (p,). The product of two owners' waves is compared with the waves of a third.
    """
    order, n, p = waves.shape
    count, n_waves = int(owner.max()) + 1, order * p
    linked = np.zeros((count, count), bool)
    if count < 3 or n_waves > MOST_WAVES:
        return linked
    step = -(-n // MERGE_ROWS)
    columns = waves[:, ::step].transpose(1, 0, 2).reshape(-1, n_waves) * math.sqrt(n)  # of variance 1
    n = len(columns)
    of = np.tile(owner, order)
    least = norm.isf(ALPHA_APART / 2 / (n_waves**3 / 6)) / math.sqrt(n)
    for i in range(n_waves):
        later = np.flatnonzero(of > of[i])
        found = np.abs((columns[:, i, None] * columns[:, later]).T @ columns / n) > least
        second, third = np.nonzero(found & (of[later][:, None] < of))
        of_three = np.broadcast_to(of[i], second.size), of[later[second]], of[third]
        for one, other in itertools.product(of_three, repeat=2):
            linked[one, other] = True
    return linked


def share_counted_twice(pairs: Sequence[Tables]) -> float:
    """Return the share of a sum over pairs (a, b) that is counted twice; no test of two sees it in codes and parities.

    Each pair gets a kernel ratio, fitted on some rows and evaluated on all pairings of others. Each has its own
    normalisation; that of their sum is 0 if the pairs are independent of each other, on at least one side. Kernels blur
    the information and what is counted twice in the same way, hence a share.
    """
    if len(pairs) < 2:
        return 0.0
    n = len(pairs[0][0])
    step = -(-n // (2 * RATIO_ROWS))
    fit, use = np.arange(0, n, step)[::2], np.arange(0, n, step)[1::2]
    total = np.zeros((use.size, use.size))
    for a, b in pairs:
        ratios = kernel_critic(a[fit], b[fit], (RATIO_NEIGHBORS,))(a[use], b[use])[0].astype(float)
        total += ratios - log_normalisation(ratios)[0]
    twice, said = counted_twice(total), float(np.trace(total)) / use.size
    return min(twice / max(said, twice), 1.0) if twice > 0 else 0.0


def summary(a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> Tables:
    """Return a few coordinates of two sides that carry most of what they share: the columns, or learned ones.

    If each part of X has a sufficient summary for its part of Y, it is the summaries that must be independent.
    """
    if max(a.shape[1], b.shape[1]) <= N_SUMMARY:
        return a, b
    fit = rng.permutation(len(a))[: len(a) // 2]
    centres = draw_centres(fit, rng)
    features = curved(a, centres), curved(b, centres)
    maps = ridge_cca(features[0][fit], features[1][fit], N_SUMMARY, SUMMARY_RIDGE)
    u, v = (side if side.shape[1] <= N_SUMMARY else one(f) for side, one, f in zip((a, b), maps, features, strict=True))
    return u, v


def merged_blocks(a: np.ndarray, b: np.ndarray, blocks: Sequence[Block], k: int) -> list[Block]:
    """Return blocks, joining two wherever KSG on both together clearly exceeds the sum of its estimates."""
    parts = list(blocks)
    if not 2 <= len(parts) <= MOST_MERGED:
        return parts
    step = -(-len(a) // MERGE_ROWS)
    a, b = a[::step], b[::step]

    def local(block: Block) -> np.ndarray:
        return ksg_local((a[:, block[0]], b[:, block[1]]), k)

    locals_, joint = [local(part) for part in parts], {}
    while True:
        gains = {}
        for i in range(len(parts)):
            for j in range(i):
                key = tuple(parts[i][0]), tuple(parts[j][0])
                if key not in joint:
                    (both,) = join([parts[i], parts[j]], [[0, 1]])
                    joint[key] = both, local(both)
                more = joint[key][1] - locals_[i] - locals_[j]
                if more.mean() > SURELY_MORE * mean_error(more):
                    gains[i, j] = float(more.mean()), key
        if not gains:
            return parts
        i, j = max(gains, key=lambda pair: gains[pair][0])
        both, values = joint[gains[i, j][1]]
        parts = [part for t, part in enumerate(parts) if t not in (i, j)] + [both]
        locals_ = [one for t, one in enumerate(locals_) if t not in (i, j)] + [values]


def partitions(scores: Scores, columns_x: np.ndarray, columns_y: np.ndarray, k: int, seed: int) -> list[list[Block]]:
    """Return partitions of some columns into two or more blocks whose MI may be added up."""
    if not (columns_x.size and columns_y.size):
        return []
    even_x, even_y = scores.even_x, scores.even_y
    owners = scores.origin_x.owner, scores.origin_y.owner
    first = linked_blocks(even_x, even_y, columns_x, columns_y, owners)
    found: list[list[Block]] = []
    joined: list[Block] = []
    for blocks in (first, merged_blocks(even_x, even_y, first, k)):
        rng = np.random.default_rng(seed)
        groups = apart([summary(even_x[:, i], even_y[:, j], rng) for i, j in blocks]) if blocks else []
        # What depends on each other does so in larger blocks too, though their summaries may no longer show it.
        joined = overlapping_joined([*joined, *join(blocks, groups)])
        if len(joined) > 1 and not any(len(joined) == len(other) for other in found):  # coarser, or the same
            found.append(joined)
    return found
