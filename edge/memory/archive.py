"""Which units leave the active set and why, and how one comes back.

What is archived is not forgotten: it can be listed, found where nothing else is, and restored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from edge.memory.lifecycle import Lifespans
from edge.memory.relevance import LEAST
from edge.memory.units import Kind, Unit


class Why(StrEnum):
    """Why a unit was archived."""

    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    DECAYED = "decayed"
    """It kept misleading, or was ignored, and nothing used it since."""
    BY_HAND = "by hand"
    TOPIC = "topic"
    """It belongs to a topic that the session has left."""
    COLD = "cold"
    """Its cluster was not touched for long, and left as a whole."""


BY_TIME = frozenset({Why.EXPIRED, Why.SUPERSEDED, Why.DECAYED, Why.COLD})
"""What only the clock decides, and undoes where the clock turns out to have been wrong."""


@dataclass(frozen=True, slots=True)
class Decay:
    """How long a unit stays where it is once nothing needs it. `standing` are slots whose units never decay: rules
    that the person gave hold until they take them back."""

    expired: timedelta = timedelta(days=7)
    superseded: timedelta = timedelta(days=30)
    unused: timedelta = timedelta(days=90)
    standing: Collection[str] = ()


def due(unit: Unit, at: datetime, decay: Decay, *, superseded: bool) -> Why | None:
    """Why a unit leaves the active set now; None for one that stays. `superseded` also where what replaced it is gone.

    What holds of the person never leaves by time alone: a profile, and standing rules. Nor does unfinished work.
    """
    if unit.archived_at is not None:
        return None
    if unit.valid_until is not None and unit.valid_until <= at:
        why, stays = (Why.SUPERSEDED, decay.superseded) if superseded else (Why.EXPIRED, decay.expired)
        return why if unit.valid_until + stays <= at else None
    if unit.kind in (Kind.USER_PROFILE, Kind.BATCH_OPERATION) or unit.slot in decay.standing:
        return None
    last = unit.last_accessed or unit.created_at
    return Why.DECAYED if unit.relevance <= LEAST and last + decay.unused <= at else None


STAYS_WARM = frozenset({Kind.USER_PROFILE, Kind.BATCH_OPERATION})
"""Kinds that do not leave with a cold cluster: what holds of the person, and unfinished work."""


@dataclass(frozen=True, slots=True)
class Restored:
    """How a unit comes back: with what end, and with what relevance."""

    valid_until: datetime | None
    relevance: float


def restored(unit: Unit, at: datetime, lifespans: Lifespans, *, superseded: bool) -> Restored:
    """A unit that comes back lives as a new one of its kind does, and is trusted as one again.

    One that another replaced becomes history again and no more: what replaced it still holds.
    """
    relevance = max(unit.relevance, 1.0)
    if superseded:
        return Restored(unit.valid_until, unit.relevance)
    if unit.valid_until is not None and unit.valid_until > at:
        return Restored(unit.valid_until, relevance)
    life = lifespans.of(unit.kind)
    return Restored(None if life is None else at + life, relevance)
