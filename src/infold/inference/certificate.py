"""How much is certain: a lower bound that assumes nothing about the distribution."""

from __future__ import annotations

from typing import NamedTuple

from infold.data.question import Question
from infold.measures import NOT_CERTIFIED, certified_nats

from .notes import Note, autocorrelation_note
from .resampling import Settings, Shuffle


class Certificate(NamedTuple):
    """The bound in the units asked for, or None and a note that says why there is none."""

    low: float | None
    note: Note | None = None


def certify(question: Question, settings: Settings, shuffle: Shuffle) -> Certificate:
    """Return the certified bound; none given Z, or where rows are not independent draws, which the bound requires."""
    if "Z" in question.blocks:
        return Certificate(None, Note("No lower bound is certified: it would be for X and Y alone, not given Z."))
    if not shuffle.is_free:
        return Certificate(None, Note("No lower bound is certified: rows in groups or blocks are not independent."))
    hint = autocorrelation_note(question, shuffle)
    if hint is not None and hint.urgent:
        return Certificate(None, Note(NOT_CERTIFIED))
    low = certified_nats(question, settings.random_state, settings.n_jobs, settings.verbose)
    return Certificate(low / settings.unit)
