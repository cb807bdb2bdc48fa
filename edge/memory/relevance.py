"""Relevance: how far a unit has proved useful, from 0.1 to 2.0; a new one has 1.0.

It changes only by what a unit did in a turn, as the table says. Being found, or even read by the model, is no merit and
no fault: nothing about a unit changes by it, and its life is what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from edge.memory.units import Kind

LEAST, FIRST, MOST = 0.1, 1.0, 2.0


class Event(StrEnum):
    """What may happen to a unit. What is corrected is replaced by another unit and needs no event here."""

    FOUND = "found"
    """Recall returned it."""
    SERVED = "served"
    """The reply used it, or was made from it."""
    CONFIRMED = "confirmed"
    """The person said that it is right, or said it again."""
    MISLED = "misled"
    """The reply used it, and the person said that this was wrong."""
    IGNORED = "ignored"
    """The person said not to use it."""


_KINDS = (
    Kind.USER_PROFILE, Kind.FACT_REFERENCE, Kind.SESSION_STATE, Kind.TOOL_RESULT, Kind.BATCH_OPERATION, Kind.EPISODE,
)  # fmt: skip
_TABLE = {
    #                 profile  fact  state  tool  batch  words
    Event.FOUND:     (   0.0,  0.0,   0.0,  0.0,   0.0,   0.0),
    Event.SERVED:    (   0.1,  0.1,   0.1,  0.1,   0.0,   0.1),
    Event.CONFIRMED: (   0.1,  0.1,   0.0,  0.0,   0.0,   0.0),
    Event.MISLED:    (  -0.3, -0.3,  -0.3, -0.3,   0.0,  -0.3),
    Event.IGNORED:   (  -0.3, -0.3,  -0.3, -0.3,   0.0,  -0.3),
}  # fmt: skip
"""A confirmation keeps what lives a day or stands as it was said, and raises what is known for good. A batch is as
relevant as the work is unfinished."""

EFFECTS: Mapping[Event, Mapping[Kind, float]] = {
    event: dict(zip(_KINDS, row, strict=True)) for event, row in _TABLE.items()
}
"""What each event adds to the relevance of a unit of each kind."""


def after(relevance: float, event: Event, kind: Kind) -> float:
    """The relevance of a unit to which something happened."""
    changed = relevance + EFFECTS[event][kind]
    return round(min(MOST, max(LEAST, changed)), 3)
