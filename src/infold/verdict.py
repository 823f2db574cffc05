"""From the evidence of a diagnosis to two or three plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Standard errors that an estimate may move from a quarter of the rows to all, or over k. Without any bias such moves
# have a deviation of about .8, and go with the estimate's own error: a value too high by chance has come from below. So
# a drift tells where the truth is only if chance cannot have made it.
DRIFT, SURE_DRIFT = 2.5, 3.5
APART = 2.0  # standard errors between two methods that agree; methods share most of their noise
WIDTH = 2.3  # standard errors to either side that hold 95 %, with errors known from eight pairs of halves
MANY_COLUMNS = 6  # from here on KSG and G-KSG are known to lose signal at usual n
MATTERS = 0.1  # share of the estimate below which a difference does not matter


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on; MI in `units`."""

    mi: float
    units: str
    n_samples: int
    n_columns: int  # of X and Y together
    detected: bool  # above all 19 independent re-pairings
    error: float  # standard error of mi
    over_size: Sequence[float]  # means, from few rows to all
    over_neighbors: Sequence[float]  # from few neighbours to many
    own: int  # where among these the estimate's own k is
    methods: Mapping[str, float]
    method: str
    planted: Sequence[Mapping[str, float]]
    near_ceiling: bool
    mostly_tied: bool
    block: int | None  # length of blocks to permute, if rows are autocorrelated


def verdict(e: Evidence) -> tuple[str, ...]:
    """Return whether there is dependence, whether the number can be trusted, and what to do."""
    if not e.detected:
        return _nothing_found(e)
    if e.mi == 0:
        return _too_weak(e)
    null = e.planted[0]
    first = (
        f"X and Y are dependent: {e.mi:.3g} {e.units} is more than each of 19 random pairings of the rows shows "
        f"({null['mean']:.2g} ± {null['sd']:.2g})."
    )
    doubts, direction = _doubts(e)
    if not doubts:
        return (first, f"The number looks sound, to about ± {WIDTH * e.error:.2g}: {_sound(e)}.", *_advice(e, 0))
    second = f"Take the number with care: {'; '.join(doubts)}."
    return (first, second, *_advice(e, direction))


def _nothing_found(e: Evidence) -> tuple[str, ...]:
    """Return the verdict on data that look independent, with what could have been seen."""
    null = e.planted[0]
    return (
        f"These data show no dependence: {e.mi:.2g} {e.units} is what random pairings of the rows also give "
        f"({null['mean']:.2g} ± {null['sd']:.2g}).",
        _power(e),
        *_advice(e, 0),
    )


def _too_weak(e: Evidence) -> tuple[str, ...]:
    """Return the verdict where a test at 5 % sees something, and a method with a stricter test of its own answers 0."""
    return (
        f"X and Y look dependent, more so than in each of 19 random pairings of the rows, but so weakly that "
        f"{e.method} answers 0.",
        _power(e),
        *(_advice(e, 0) or ("For a p-value run the independence test; for a number add samples.",)),
    )


def _power(e: Evidence) -> str:
    """Return what could have been seen."""
    power = " and ".join(f"{p['true']:.2g} {e.units} in {p['power']:.0%}" for p in e.planted[1:3])
    return (
        f"With {e.n_samples} samples and these columns, a simple dependence of {power} of cases would have been seen."
    )


def _matters(e: Evidence, difference: float, errors: float) -> bool:
    """Return whether a difference is more than chance, and more than a detail."""
    return abs(difference) > max(errors * e.error, MATTERS * abs(e.mi))


def _doubts(e: Evidence) -> tuple[list[str], int]:
    """Return reasons for doubt, and whether the truth is probably higher (1), lower (−1) or neither."""
    doubts, votes = [], []
    if e.near_ceiling:
        doubts.append("it is near the most that so many samples can show")
        votes.append(1)
    by_rows = e.over_size[-1] - e.over_size[0]
    if _matters(e, by_rows, DRIFT):
        doubts.append(
            f"it {'grows' if by_rows > 0 else 'falls'} with the number of rows ({by_rows:+.2g} from a quarter to all)"
        )
    by_neighbors = e.over_neighbors[e.own] - e.over_neighbors[-1]
    if _matters(e, by_neighbors, DRIFT):
        doubts.append(f"it depends on the number of neighbours ({e.over_neighbors[-1]:.2g} with more of them)")
    drifts = [by_rows, by_neighbors] if e.method == "ksg" else [by_rows]  # KSG's bias is known to depend on k / n
    votes += [_sign(drift) for drift in drifts if _matters(e, drift, SURE_DRIFT)]
    same = e.planted[-1]
    if same["true"] <= 1.5 * e.mi and abs(same["bias"]) > 2 * MATTERS * same["true"]:
        doubts.append(f"a planted MI of {same['true']:.2g} comes out as {same['mean']:.2g} on data like these")
        votes.append(-_sign(same["bias"]))
    apart = _apart(e)
    if apart:
        said = ", ".join(f"{name} {mi:.2g}" for name, mi in apart.items())
        doubts.append(f"other methods say otherwise ({said})")
        # Auto is the most accurate; against auto it takes both others.
        if "auto" in apart or {"ksg", "gksg"} <= apart.keys():
            votes += [_sign(mi - e.mi) for mi in apart.values()]
    if e.mostly_tied:
        doubts.append("many values are tied, and the method is made for continuous data")
    if e.block:
        doubts.append("rows are autocorrelated, so they count as fewer than they are")
    return doubts, votes[0] if len(set(votes)) == 1 else 0


def _sign(difference: float) -> int:
    return 1 if difference > 0 else -1


def _apart(e: Evidence) -> dict[str, float]:
    """Return the methods that speak against the estimate. CCA sees the linear part only, so it can speak from above."""
    drowned = _drowned(e)
    return {
        name: mi
        for name, mi in e.methods.items()
        if name not in (e.method, *drowned)
        and math.isfinite(mi)
        and _matters(e, mi - e.mi, APART)
        and (name != "cca" or mi > e.mi)
    }


def _drowned(e: Evidence) -> list[str]:
    """Return the methods whose lower answer is no argument against auto's: many columns drown them, but not CCA."""
    if e.method != "auto" or e.n_columns < MANY_COLUMNS or _matters(e, e.methods.get("cca", math.inf) - e.mi, APART):
        return []
    return [
        name for name in ("ksg", "gksg") if name in e.methods and _matters(e, min(0.0, e.methods[name] - e.mi), APART)
    ]


def _sound(e: Evidence) -> str:
    """Return what speaks for an estimate without doubts."""
    same = e.planted[-1]
    agree = "the methods agree"
    if drowned := _drowned(e):
        said = ", ".join(f"{name} {e.methods[name]:.2g}" for name in drowned)
        agree = f"the Gaussian part alone agrees (plain neighbours see less in so many columns: {said})"
    steady = f"steady over rows and neighbours, and {agree}"
    if same["true"] <= 1.5 * e.mi:
        return f"{steady}; a planted MI of {same['true']:.2g} comes out as {same['mean']:.2g} ± {same['sd']:.1g}"
    return steady


def _advice(e: Evidence, direction: int) -> tuple[str, ...]:
    """Return what to do, as one sentence or none."""
    if e.block:
        return (f"If the order of rows is time, pass block={e.block} to the test and the interval, or thin the rows.",)
    higher = {name: e.methods[name] for name in ("auto", "gksg", "ksg") if name in e.methods}
    best = max(higher, key=lambda name: higher[name])
    if direction > 0 and best != e.method and _matters(e, higher[best] - e.mi, APART):
        return (f"The truth is probably higher; method={best!r} sees {higher[best]:.2g} here.",)
    if direction > 0:
        return ("The truth is probably higher: read the number as a lower bound, or add samples.",)
    if direction < 0:
        return ("The truth is probably lower: read the number as an upper bound, or add samples.",)
    return ()
