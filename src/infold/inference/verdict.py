"""From the evidence of a diagnosis to a few plain sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from infold.display import percent
from infold.results import rounded_down

ALPHA = 0.05
# How far, in standard errors, an estimate may move from a quarter of the rows to all, or over k. Without bias such
# moves have a standard deviation of about 0.8 and are correlated with the estimate's own error (an estimate that is too
# high by chance has come from below). So a drift shows where the truth is only if it is too large to be chance.
DRIFT, SURE_DRIFT = 2.5, 3.5
APART = 2.0  # standard errors between two methods that agree; methods share most of their noise
WIDTH = 2.3  # standard errors on either side that cover 95 %, if the error comes from eight pairs of halves
MANY_COLUMNS = 6  # with so many, KSG and G-KSG are known to lose signal at usual n
MATTERS = 0.1  # share of the estimate below which a difference does not matter


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on; MI in `units`."""

    mi: float
    units: str
    n_samples: int
    n_columns: int  # of X and Y together
    pvalue: float  # of independence
    null: tuple[int, float, float]  # the number of random pairings of the rows, their mean MI and standard deviation
    error: float  # standard error of mi; NaN if the rows are too few to tell
    over_size: Sequence[float]  # means, from few rows to all
    smallest: int  # how few
    over_neighbors: Sequence[float]  # from few neighbours to many
    own: int  # where among these the estimate's own k is
    methods: Mapping[str, float]
    method: str
    planted: Sequence[Mapping[str, float]]
    near_ceiling: bool
    mostly_tied: bool
    block: int | None  # length of blocks to permute, if rows are autocorrelated
    certified: float | None  # lower bound whatever the distribution; None if the rows are not independent
    given: bool = False  # whether all this is given Z


def verdict(e: Evidence) -> tuple[str, ...]:
    """Return whether there is dependence, whether the number can be trusted, and what to do."""
    return (*_judgement(e), *_certain(e))


def _judgement(e: Evidence) -> tuple[str, ...]:
    """Return the same without the certified bound."""
    if e.pvalue > ALPHA:
        return (f"These data show no clear dependence{_given(e)}: {_beside_null(e)}.", _power(e), *_advice(e, 0))
    if e.mi == 0:
        return _too_weak(e)
    first = f"X and Y are dependent{_given(e)}: {_beside_null(e)}."
    doubts, direction = _doubts(e)
    if not doubts:
        return (first, f"The number looks sound, to about ± {WIDTH * e.error:.2g}: {_sound(e)}.", *_advice(e, 0))
    second = f"Take the number with care: {'; '.join(doubts)}."
    return (first, second, *_advice(e, direction))


def _certain(e: Evidence) -> tuple[str, ...]:
    """Return the certified bound, as one sentence or none: no other number may be called a bound."""
    if e.given:  # a note says that nothing is certified
        return ()
    if e.block:
        return ("No lower bound can be certified, since the rows may not be independent.",)
    if not e.certified:
        return ()
    return (f"At least {rounded_down(e.certified, 2)} {e.units} is certified (95 %), whatever the distribution.",)


def _beside_null(e: Evidence) -> str:
    """Return the estimate, what it would be without dependence, and how sure it is that there is some."""
    count, mean, deviation = e.null
    draws = "draws without dependence" if e.given else "random pairings of the rows"
    smallest = f", the smallest that {count} can show" if e.pvalue * (count + 1) < 1.5 else ""
    return (
        f"{e.mi:.3g} {e.units}, where {count} {draws} give {mean:.2g} ± {deviation:.1g} (p = {e.pvalue:.2g}{smallest})"
    )


def _given(e: Evidence) -> str:
    return " given Z" if e.given else ""


def _too_weak(e: Evidence) -> tuple[str, ...]:
    """Return the verdict where a test at 5 % rejects, but a method with a stricter test of its own answers 0."""
    return (
        f"X and Y seem dependent{_given(e)} (p = {e.pvalue:.2g}), but too weakly for the stricter test of {e.method}, "
        f"which answers 0.",
        _power(e),
        *(_advice(e, 0) or ("For a number, add samples.",)),
    )


def _power(e: Evidence) -> str:
    """Return what could have been detected."""
    if e.mostly_tied:
        return f"With {e.n_samples} samples and many tied values, only a strong dependence can be detected."
    power = ", one of ".join(
        f"{p['true']:.2g} {e.units}{' would have been detected' if i == 0 else ''} in {percent(p['power'])} of cases"
        for i, p in enumerate(e.planted[1:3])
    )
    return f"With {e.n_samples} samples and these columns, a simple dependence of {power}."


def _matters(e: Evidence, difference: float, errors: float) -> bool:
    """Return whether a difference is more than chance, and more than a detail."""
    error = 0.0 if math.isnan(e.error) else e.error
    return abs(difference) > max(errors * error, MATTERS * abs(e.mi))


def _doubts(e: Evidence) -> tuple[list[str], int]:
    """Return reasons for doubt, and whether the truth is probably higher (1), lower (−1) or neither."""
    doubts, votes = [], []
    if math.isnan(e.error):
        doubts.append("there are too few samples for a standard error")
    if e.certified and not e.block and e.mi < e.certified:
        doubts.append(f"it is below the certified bound ({rounded_down(e.certified, 2)} {e.units})")
        votes.append(1)
    if e.near_ceiling:
        doubts.append("it is near the maximum that so many samples can show")
        votes.append(1)
    by_rows = e.over_size[-1] - e.over_size[0]
    if _matters(e, by_rows, DRIFT):
        moves = "grows" if by_rows > 0 else "falls"
        doubts.append(f"it {moves} with the sample size ({by_rows:+.2g} from {e.smallest} rows to all)")
    by_neighbors = e.over_neighbors[e.own] - e.over_neighbors[-1]
    if _matters(e, by_neighbors, DRIFT):
        doubts.append(f"it depends on the number of neighbours ({e.over_neighbors[-1]:.2g} with more of them)")
    drifts = [by_rows, by_neighbors] if e.method == "ksg" else [by_rows]  # KSG's bias is known to depend on k / n
    votes += [_sign(drift) for drift in drifts if _matters(e, drift, SURE_DRIFT)]
    same = e.planted[-1]
    if not e.mostly_tied and same["true"] <= 1.5 * e.mi and abs(same["bias"]) > 2 * MATTERS * same["true"]:
        doubts.append(f"a planted MI of {same['true']:.2g} is estimated at {same['mean']:.2g} on data like these")
        votes.append(-_sign(same["bias"]))
    apart = _apart(e)
    if apart:
        said = ", ".join(f"{name} {mi:.2g}" for name, mi in apart.items())
        doubts.append(f"other methods disagree ({said})")
        # Auto is the most accurate; against auto it takes both others.
        if "auto" in apart or {"ksg", "gksg"} <= apart.keys():
            votes += [_sign(mi - e.mi) for mi in apart.values()]
    if e.mostly_tied:
        doubts.append("many values are tied, but the method is made for continuous data")
    if e.block:
        doubts.append("neighbouring rows are not independent, so they may be worth fewer that are")
    # A tied column carries no more than its entropy, which no method here takes into account.
    return doubts, votes[0] if len(set(votes)) == 1 and not e.mostly_tied else 0


def _sign(difference: float) -> int:
    return 1 if difference > 0 else -1


def _apart(e: Evidence) -> dict[str, float]:
    """Return the methods that disagree with the estimate; CCA, which sees the linear part only, if it is higher."""
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
    """Return the methods that many columns bias downwards: a lower answer of theirs is no argument against auto's."""
    if e.method != "auto" or e.n_columns < MANY_COLUMNS or _matters(e, e.methods.get("cca", math.inf) - e.mi, APART):
        return []
    return [
        name for name in ("ksg", "gksg") if name in e.methods and _matters(e, min(0.0, e.methods[name] - e.mi), APART)
    ]


def _sound(e: Evidence) -> str:
    """Return what supports an estimate that raises no doubts."""
    same = e.planted[-1]
    agree = "the methods agree"
    if drowned := _drowned(e):
        said = ", ".join(f"{name} {e.methods[name]:.2g}" for name in drowned)
        agree = f"the Gaussian part alone agrees (plain neighbours find less in so many columns: {said})"
    steady = f"it is stable over rows and neighbours, and {agree}"
    if same["true"] <= 1.5 * e.mi:
        return f"{steady}; a planted MI of {same['true']:.2g} is estimated at {same['mean']:.2g} ± {same['sd']:.1g}"
    return steady


def _advice(e: Evidence, direction: int) -> tuple[str, ...]:
    """Return what to do, as one sentence or none."""
    if e.block and e.given:
        return ("If the rows form a time series, thin them.",)
    if e.block:
        return (f"If the rows form a time series, pass block={e.block} to the test and the interval, or thin them.",)
    higher = {name: e.methods[name] for name in ("auto", "gksg", "ksg") if name in e.methods}
    best = max(higher, key=lambda name: higher[name])
    if direction > 0 and best != e.method and _matters(e, higher[best] - e.mi, APART):
        return (f"The truth is probably higher; method={best!r} finds {higher[best]:.2g} here.",)
    if direction > 0:
        return ("The truth is probably higher than the estimate; add samples.",)
    if direction < 0:
        return ("The truth is probably lower than the estimate; add samples.",)
    return ()
