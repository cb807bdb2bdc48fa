"""What distilling needs from the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from edge.memory.units import Change, OwnerId, TurnId, Unit, UnitId


@dataclass(frozen=True, slots=True)
class Unread:
    """The next words to read, oldest first, and the unit up to which that is all there are. `more` may be behind it."""

    episodes: tuple[Unit, ...]
    through: UnitId
    more: bool


@dataclass(frozen=True, slots=True)
class Distilled:
    """What is drawn from the words of an episode, as changes."""

    episode: UnitId
    turn: TurnId
    changes: tuple[Change, ...]


class DistillingStore(Protocol):
    """How far the words of turns were read for what they tell of the person. Belongs to the memory thread."""

    def unread(self, owner: OwnerId, limit: int) -> Unread | None:
        """Of the next units that were not looked at, the person's own words, said in a turn from which nothing else is
        known: no rule drew a fact from it or found one confirmed. None where all were looked at."""

    def keep_distilled(
        self, owner: OwnerId, through: UnitId, distilled: Sequence[Distilled], at: datetime
    ) -> tuple[UnitId, ...]:
        """Note that all units up to this one were read, and make the changes, in one transaction; ids of new units.

        Left out is what was drawn from words that were forgotten or put out of force meanwhile. Where another call got
        as far already, nothing is done.
        """
