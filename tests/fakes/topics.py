"""A TopicStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from edge.engine.topic_ports import KEPT_TOPICS
from edge.memory.archive import Why
from edge.memory.intent_vectors import IntentVector
from edge.memory.topics import FROZEN_KINDS, Topic, TopicId, Vector
from edge.memory.units import OwnerId, SessionId, TurnId, Unit, UnitId


@dataclass(slots=True)
class _Kept:
    owner: OwnerId
    session: SessionId
    topic: Topic
    turns: list[TurnId]
    units: set[UnitId] = field(default_factory=set)


class FakeTopics:
    """See TopicStore. `is_superseded` says of a unit whether it was replaced."""

    def __init__(self, units: dict[UnitId, Unit], is_superseded: Callable[[UnitId], bool]) -> None:
        self._units = units
        self._is_superseded = is_superseded
        self._topics: dict[TopicId, _Kept] = {}

    def topics(self, owner: OwnerId, session: SessionId) -> list[Topic]:
        return [kept.topic for kept in self._of(owner, session)]

    def begin_topic(self, owner: OwnerId, session: SessionId, turn: TurnId, terms: Mapping[str, int]) -> TopicId:
        number = TopicId(max(self._topics, default=0) + 1)
        self._topics[number] = _Kept(owner, session, Topic(number, dict(terms)), [turn])
        self.claim(owner, turn)
        for kept in self._of(owner, session)[KEPT_TOPICS:]:
            del self._topics[kept.topic.id]
        return number

    def go_on(self, owner: OwnerId, topic: TopicId, turn: TurnId, terms: Mapping[str, int]) -> None:
        kept = self._owned(owner, topic)
        if kept is not None:
            kept.topic = replace(kept.topic, terms=dict(terms))
            kept.turns.append(turn)
            self.claim(owner, turn)

    def smooth(self, owner: OwnerId, topic: TopicId, vector: Vector) -> None:
        kept = self._owned(owner, topic)
        if kept is not None:
            kept.topic = replace(kept.topic, vector=vector)

    def lean(self, owner: OwnerId, topic: TopicId, turn: TurnId, intent: IntentVector | None) -> bool:
        """Set the intent of a topic whose last turn it is; whether it is."""
        kept = self._owned(owner, topic)
        if kept is None or kept.turns[-1] != turn:
            return False
        kept.topic = replace(kept.topic, intent=intent)
        return True

    def claim(self, owner: OwnerId, turn: TurnId) -> None:
        for kept in self._topics.values():
            if (kept.owner, kept.turns[-1]) == (owner, turn):
                kept.units |= {
                    unit.id
                    for unit in self._units.values()
                    if unit.source_turn == turn and unit.session is not None and unit.kind in FROZEN_KINDS
                }

    def freeze(self, owner: OwnerId, topic: TopicId, at: datetime) -> tuple[UnitId, ...]:
        active = [unit for unit in self._belonging(owner, topic) if unit.archived_at is None]
        return self._set([unit for unit in active if not self._is_superseded(unit.id)], at, Why.TOPIC.value)

    def thaw(self, owner: OwnerId, topic: TopicId) -> tuple[UnitId, ...]:
        frozen = [unit for unit in self._belonging(owner, topic) if unit.archived_why == Why.TOPIC]
        return self._set(frozen, None, None)

    def clear(self, owner: OwnerId, silenced: Collection[TurnId]) -> None:
        for kept in self._topics.values():
            if kept.owner == owner and any(min(kept.turns) <= turn <= max(kept.turns) for turn in silenced):
                kept.topic = Topic(kept.topic.id)

    def _of(self, owner: OwnerId, session: SessionId) -> list[_Kept]:
        mine = [kept for kept in self._topics.values() if (kept.owner, kept.session) == (owner, session)]
        return sorted(mine, key=lambda kept: (-kept.turns[-1], -kept.topic.id))

    def _owned(self, owner: OwnerId, topic: TopicId) -> _Kept | None:
        kept = self._topics.get(topic)
        return kept if kept is not None and kept.owner == owner else None

    def _belonging(self, owner: OwnerId, topic: TopicId) -> list[Unit]:
        kept = self._owned(owner, topic)
        return [] if kept is None else [self._units[unit] for unit in sorted(kept.units) if unit in self._units]

    def _set(self, units: list[Unit], at: datetime | None, why: str | None) -> tuple[UnitId, ...]:
        for unit in units:
            self._units[unit.id] = replace(unit, archived_at=at, archived_why=why)
        return tuple(unit.id for unit in units)
