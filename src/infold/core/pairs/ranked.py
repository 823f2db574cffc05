"""MI and p-values of columns of numbers without ties: all pairs at once."""

from __future__ import annotations

import numpy as np

from .given import LOG_WORTH, LocalNull, inflation
from .null import grid, ksg_score
from .rank_ksg import rank_ksg_of_pairs, rank_scores
from .smooth import wave_scores, waves_of_ranks
from .work import AUTO, LOG_P, LOG_WORTH_AUTO, MI, RANKED, Work, estimate_auto


def fill_ranked(
    work: Work, x: np.ndarray, y: np.ndarray, wanted: np.ndarray, out: np.ndarray, local: LocalNull | None
) -> None:
    """Fill out (2, p, q) with MI and log p of the wanted pairs of columns (p, n) and (q, n)."""
    if not wanted.any():
        return  # with a single column there may be no law
    n = x.shape[1]
    orders = np.argsort(x, axis=1)
    ranks_x, ranks_y = np.argsort(orders, axis=1), np.argsort(np.argsort(y, axis=1), axis=1)
    waves_x, waves_y = waves_of_ranks(ranks_x), waves_of_ranks(ranks_y)
    same, laws = rank_scores(n, work.k), work.laws[n if n in work.laws else grid(n)]
    first, second = np.nonzero(wanted)
    mi = np.empty(first.size)
    rank_ksg_of_pairs(same, orders, ranks_y, first, second, mi)
    by_neighbors = laws.neighbors.log_pvalue(ksg_score(mi, n))
    by_waves = laws.smooth.log_pvalue(wave_scores(waves_x, waves_y)[first, second])
    log_p = laws.log_pvalue(by_waves, by_neighbors)
    if local is not None:
        for p in np.flatnonzero(log_p < LOG_WORTH):
            i, j = first[p], second[p]
            if by_waves[p] <= by_neighbors[p]:
                log_p[p] /= inflation(local.of_waves(waves_x[i], waves_y[j], laws))
            else:
                log_p[p] /= inflation(local.of_ranks(orders[i], ranks_y[j], same, laws))
    if work.method == AUTO:
        mi[:] = 0.0
        for p in np.flatnonzero(log_p < LOG_WORTH_AUTO):
            mi[p] = estimate_auto(work, [(RANKED, x[first[p]])], [(RANKED, y[second[p]])])[0]
    out[MI][wanted], out[LOG_P][wanted] = mi, log_p
