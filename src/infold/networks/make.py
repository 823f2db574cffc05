"""`network`: tiles of the matrix, computed anywhere, in any order, and kept in a folder if there is one."""

from __future__ import annotations

import hashlib
import math
import numbers
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

from infold.data.checks import check_choice, check_count, warn
from infold.data.kinds import CONTINUOUS, NOMINAL
from infold.parallel.scheduler import in_order, one_blas_thread
from infold.results import NATS_PER_UNIT

from .inputs import Columns, gather
from .result import ROWS_AT_A_TIME, Network
from .store import Folder, Memory

METHODS = ("ksg", "auto")
FEWEST_ROWS = 8
SURELY_SERIES, LOOKED_AT = 5.0, 50  # standard errors of a lag-1 correlation; columns whose median it is


def network(
    X: Any,
    Y: Any = None,
    *,
    given: Any = None,
    nodes: Any = None,
    method: str = "ksg",
    n_neighbors: int = 3,
    units: str = "nats",
    random_state: Any = 0,
    n_jobs: int | None = -1,
    verbose: int = 1,
    discrete_x: Any = None,
    discrete_y: Any = None,
    missing: str = "error",
    folder: Any = None,
) -> Network:
    """Estimate the mutual information of all pairs of columns, and test each pair.

    Parameters
    ----------
    X : array, pandas or polars table, of shape (n_samples, n_columns)
        Rows are samples, independent of each other.
    Y : the same, or None, default=None
        A second table: then pairs have one column of X and one of Y.
    given : names or positions of columns of X, a table, or None, default=None
        Confounders that all columns may share. A smooth function of them is regressed out of each column first.
    nodes : mapping or None, default=None
        Groups of columns by name, such as ``{"weather": ["rain", "wind"], "yield": "tons"}``: pairs are then of groups.
        None takes each column by itself.
    method : {"ksg", "auto"}, default="ksg"
        How the MI of a pair is estimated. "ksg" takes ranks as normal scores, a twentieth of a millisecond per pair of
        500 rows. "auto" is :class:`Adaptive`, more accurate, and some 10 milliseconds for each pair with p < .001; to
        all others it answers 0. The p-values of single columns are the same.
    n_neighbors : int, default=3
        k of both methods.
    units : {"nats", "bits"}, default="nats"
        Natural logarithm or base 2.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order of tied values, of permutations, and of "auto". None draws one, or takes that
        of a folder that was begun earlier.
    n_jobs : int or None, default=-1
        Tiles of the matrix computed at a time; −1 uses all cores. The answer is the same to the bit, also on a
        cluster, with ``joblib.parallel_config("dask")``.
    verbose : int, default=1
        1 shows a progress bar on a terminal when the work takes more than a second; 0 is silent.
    discrete_x, discrete_y : None, bool, name, position, or several of these, default=None
        Which columns are nominal, as in :func:`mutual_information`.
    missing : {"error", "drop", "pairwise"}, default="error"
        Whether missing values are refused, rows with one are left out, or each pair uses all rows that both have.
    folder : path or None, default=None
        Where to keep the matrix, tile by tile. The same call resumes where it was interrupted, and matrices too
        large for memory stay on disk.

    Returns
    -------
    Network
        `mi`, `pvalues` and `qvalues` as frames, `edges()`, `prune()`, `to_networkx()`, `plot()`, `write_html()`.

    Notes
    -----
    A pair is tested by two statistics of its ranks: Neyman's smooth test (sums of squared correlations of the first
    cosines, for dependence that is smooth but weak) and KSG's estimate (for sharp dependence of any shape). The smaller
    p-value is used, and compared with its own null distribution. Without ties all these distributions depend on n
    alone, so one null sample serves all pairs: up to 10 million pairs of random columns, and an exponential tail beyond
    them. Tied numbers are put in random order. Classes, and columns with fewer distinct values than half of the rows,
    have their own null distributions, given how often each value occurs: exact if few tables are possible, else from
    random draws. Groups of columns are permuted.

    Given confounders, the same is done with residuals, and p-values below .05 are checked by 99 re-pairings among
    rows with similar confounders: −log p is divided by its mean over these, where that exceeds the expected 1.

    References
    ----------
    Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", JRSS B 1995.

    A. A. Margolin et al., "ARACNE", BMC Bioinformatics 2006.

    Examples
    --------
    >>> import infold
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b, c = rng.normal(size=(3, 300))
    >>> found = infold.network(np.column_stack([a, np.cos(2 * a) + 0.3 * b, c]))
    >>> [(edge["source"], edge["target"]) for edge in found.edge_list()]
    [('0', '1')]
    """
    check_choice("method", method, METHODS)
    check_choice("units", units, NATS_PER_UNIT)
    k = check_count("n_neighbors", n_neighbors)
    columns = gather(X, Y, given, nodes, discrete_x, discrete_y, missing)
    n = columns.values.shape[1]
    if method == "auto" and columns.given is not None and any(stop - first > 1 for first, stop in columns.nodes):
        raise ValueError(
            "method='auto' does not take nodes of several columns together with given; pass method='ksg', or leave "
            "given out."
        )
    if n < fewest_rows(k):
        raise ValueError(
            f"n_neighbors={k} needs at least {fewest_rows(k)} samples, but X has {n}; lower n_neighbors or add samples."
        )
    _warn_of_series(columns)
    seed = _seed(random_state)
    settings: dict[str, Any] = {"method": method, "n_neighbors": k, "missing": missing, "random_state": seed}
    shape = _shape(columns)
    store: Memory | Folder = Memory(shape) if folder is None else Folder(Path(folder), shape)
    is_fixed = isinstance(random_state, numbers.Integral)
    seed = settings["random_state"] = store.begin({"data": _digest(columns), **settings}, is_fixed)
    if not store.is_complete:
        laws = make_laws(columns, k, n_jobs, verbose)
        work = make_work(columns, method, k, seed, laws)
        _fill(store, columns, work, n_jobs, verbose)
    mi, pvalues = store.matrices()
    return Network(
        mi_matrix=mi, pvalue_matrix=pvalues, names=columns.names[: columns.n_rows],
        other_names=None if columns.is_square else columns.names[columns.n_rows :],
        units=units, method=method, n_samples=n, kinds=columns.kinds, given=columns.given_names,
        n_dropped=columns.n_dropped, settings=settings, columns=columns,
    )  # fmt: skip


def _warn_of_series(columns: Columns) -> None:
    """Warn if most columns of measurements resemble the row before: p-values are for independent rows."""
    table = columns.values[[kind == CONTINUOUS for kind in columns.kinds]]
    table = table[:: -(-len(table) // LOOKED_AT) or 1]
    table = table[:, ~np.isnan(table).any(axis=0)]
    if len(table) < 2 or table.shape[1] < FEWEST_ROWS:
        return
    ranks = rankdata(table, axis=1)
    ranks = (ranks - ranks.mean(axis=1, keepdims=True)) / ranks.std(axis=1, keepdims=True)
    memory = (ranks[:, 1:] * ranks[:, :-1]).mean(axis=1)
    if np.median(memory) * math.sqrt(table.shape[1]) > SURELY_SERIES:
        warn(
            f"Rows resemble the row before (lag-1 correlation {np.median(memory):.2f}), but p-values take them as "
            f"independent: for series see lagged_mutual_information and transfer_entropy_matrix; if the table is "
            f"merely sorted, nothing is wrong."
        )


def _seed(random_state: Any) -> int:
    """Return a number that, as `random_state`, gives the same answer again."""
    from infold.core.random import draw_seeds

    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return int(random_state)
    return int(draw_seeds(random_state, 1)[0] >> np.uint64(1))


def _shape(columns: Columns) -> tuple[int, int]:
    return columns.n_rows, len(columns.nodes) - (0 if columns.is_square else columns.n_rows)


def _digest(columns: Columns) -> str:
    """Return a hash of the data, so that a folder is not continued with others."""
    digest = hashlib.sha256(columns.values.tobytes())
    digest.update(repr((columns.kinds, columns.nodes, columns.names, columns.n_rows, columns.given_kinds)).encode())
    if columns.given is not None:
        digest.update(np.ascontiguousarray(columns.given).tobytes())
    return digest.hexdigest()


def fewest_rows(k: int) -> int:
    """Return the minimum number of rows for a pair to be tested."""
    return max(FEWEST_ROWS, k + 2)


def make_laws(
    columns: Columns, k: int, n_jobs: int | None, verbose: int, is_given: bool | None = None
) -> dict[int, Any]:
    """Return the null laws of columns without ties, by the rows that pairs of them have."""
    from infold.core.copula.residuals import is_smooth
    from infold.core.pairs.null import FEW_DRAWS, draws_for, grid, pair_laws

    is_ranked = np.array([kind == CONTINUOUS for kind in columns.kinds])
    if columns.given is not None if is_given is None else is_given:  # residuals have no ties
        is_ranked |= is_smooth(columns.values.T, np.array([kind == NOMINAL for kind in columns.kinds]))
    single = [(c, first) for c, (first, stop) in enumerate(columns.nodes) if stop - first == 1 and is_ranked[first]]
    rows = [first for c, first in single if c < columns.n_rows]
    others = rows if columns.is_square else [first for c, first in single if c >= columns.n_rows]
    if not others or len(rows) < (2 if columns.is_square else 1):
        return {}
    counts = {count for count in _common_rows(columns.values, rows, others) if count >= fewest_rows(k)}
    if len(counts) == 1:
        draws = draws_for(math.prod(_shape(columns)) // (2 if columns.is_square else 1), max(counts))
    else:
        counts, draws = {grid(count) for count in counts}, FEW_DRAWS
    return {count: pair_laws(count, k, draws, n_jobs, verbose) for count in sorted(counts)}


def _common_rows(values: np.ndarray, rows: list[int], others: list[int]) -> set[int]:
    """Return how many rows the pairs of some columns with others have in common: the numbers that there are."""
    if not np.isnan(values).any():
        return {values.shape[1]}
    there = (~np.isnan(values[others])).astype(np.float32).T
    counts: set[int] = set()
    for start in range(0, len(rows), ROWS_AT_A_TIME):
        some = ~np.isnan(values[rows[start : start + ROWS_AT_A_TIME]])
        counts.update(np.unique(some.astype(np.float32) @ there).astype(int).tolist())
    return counts


def make_work(columns: Columns, method: str, k: int, seed: int, laws: dict[int, Any]) -> Any:
    """Return what all tiles need: columns as ranks, and the rows that may change places given Z."""
    from infold.core.pairs.work import NOMINAL as CLASSES
    from infold.core.pairs.work import RANKED, TIED, Node, Work, as_ranks

    values, neighbors = columns.values, None
    kinds = np.array([{CONTINUOUS: RANKED, NOMINAL: CLASSES}.get(kind, TIED) for kind in columns.kinds])
    if columns.given is not None:
        values, neighbors, smooth = _without_given(columns, seed)
        kinds[smooth] = RANKED  # what is left of a count with many values has no ties
    ranked = [
        as_ranks(column, np.random.default_rng((seed, c))) if kind == RANKED else column
        for c, (column, kind) in enumerate(zip(values, kinds, strict=True))
    ]
    nodes = tuple(Node(*bounds) for bounds in columns.nodes)
    return Work(np.array(ranked), kinds, nodes, laws, method, k, fewest_rows(k), seed, neighbors)


def _without_given(columns: Columns, seed: int) -> tuple[np.ndarray, Any, np.ndarray]:
    """Return what confounders leave of the columns, the rows that may change places, and a mask of residuals."""
    from infold.core.copula.null_given import unconfounded
    from infold.core.pairs.given import without_rows_in_place

    assert columns.given is not None
    table = np.ascontiguousarray(columns.values.T)
    masks = np.array([kind == NOMINAL for kind in columns.kinds])
    of_z = np.array([kind == NOMINAL for kind in columns.given_kinds])
    varies = columns.given.min(axis=0) < columns.given.max(axis=0)
    if not varies.any():
        return columns.values, None, np.zeros(len(columns.kinds), bool)
    masks_of = masks, masks[:1], of_z[varies]
    with one_blas_thread():
        found = unconfounded(table, table[:, :1], columns.given[:, varies], masks_of, seed, labels=False)
    return np.ascontiguousarray(found.x.values.T), without_rows_in_place(found.neighbors), found.x.smooth


def _fill(store: Memory | Folder, columns: Columns, work: Any, n_jobs: int | None, verbose: int) -> None:
    """Compute the tiles that are not there yet."""
    from infold.core.pairs.tile import tile_values, tiles

    p, total = columns.n_rows, len(columns.nodes)
    todo = [tile for tile in tiles((0, p), (0, p) if columns.is_square else (p, total)) if not store.has(tile)]
    answers = in_order(
        tile_values, [(work, tile) for tile in todo], n_jobs=n_jobs, label="tiles of pairs", verbose=verbose
    )
    for tile, values in zip(todo, answers, strict=True):
        store.put(tile, values)
