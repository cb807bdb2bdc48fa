"""What topics need from the store."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from edge.memory.topics import Topic, TopicId, Vector
from edge.memory.units import OwnerId, SessionId, TurnId, UnitId

KEPT_TOPICS = 12
"""Topics of a session that can be returned to. What was frozen with an older one stays in the archive."""


class TopicStore(Protocol):
    """The topics of sessions, and which of a session's own units belong to them. A power cut may take the newest
    writes back. A method that is given a topic of another owner changes nothing."""

    def topics(self, owner: OwnerId, session: SessionId) -> list[Topic]:
        """The session's, that of its last turn first."""

    def begin_topic(self, owner: OwnerId, session: SessionId, turn: TurnId, terms: Mapping[str, int]) -> TopicId:
        """A new topic, with the turn that opens it; of more than KEPT_TOPICS the oldest go."""

    def go_on(self, owner: OwnerId, topic: TopicId, turn: TurnId, terms: Mapping[str, int]) -> None:
        """Put a turn into a topic, with the topic's terms as they are then."""

    def smooth(self, owner: OwnerId, topic: TopicId, vector: Vector) -> None:
        """Set a topic's vector."""

    def claim(self, owner: OwnerId, turn: TurnId) -> None:
        """Let the units that a turn made for its session alone belong to the topic that the turn was the last of."""

    def freeze(self, owner: OwnerId, topic: TopicId, at: datetime) -> tuple[UnitId, ...]:
        """Archive what belongs to a topic; ascending ids of what was active."""

    def thaw(self, owner: OwnerId, topic: TopicId) -> tuple[UnitId, ...]:
        """Make active again what was archived because its topic was left; ascending ids."""
