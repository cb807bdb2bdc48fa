"""What the vector of intent needs from the store."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from edge.memory.intent_vectors import IntentVector
from edge.memory.topics import TopicId
from edge.memory.units import OwnerId, TurnId, UnitId


class IntentStore(Protocol):
    """The vectors of intent of topics and of units, and what words are worth in them. A power cut may take the newest
    back."""

    def keep(self, owner: OwnerId, topic: TopicId, turn: TurnId, vector: IntentVector) -> None:
        """The vector of a topic, and of all units that came from its turn. Changes nothing of another owner's."""

    def of_units(self, owner: OwnerId, units: Collection[UnitId]) -> dict[UnitId, IntentVector]:
        """Of the units those that have one."""

    def rarities(self, terms: Collection[str]) -> dict[str, float]:
        """How much each search term tells, from 0 for one that stands nearly everywhere: the logarithm of all units to
        those that hold it."""
