"""The intent of a thread of talk: followed from turn to turn, stored with units, and weighed in where they are ranked.

Lives on the memory thread. What is known is in the store, so a restart changes nothing; each thread has its own, so
that another session, or another subject of the same, begins without one and comes back to its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from edge.engine.intent_ports import IntentStore
from edge.engine.topics import Thread
from edge.memory.intent_vectors import IntentVector, agreement, confidence, followed, led, of_turn
from edge.memory.intents import Intent
from edge.memory.language import language_of
from edge.memory.rules import Rules
from edge.memory.topics import content_terms
from edge.memory.units import OwnerId, Recalled, TurnId

_READ = 400
"""Characters of a message that are read for what it is about."""
_COMPARED = 60
"""Of the units in order, so many of the best are compared with the intent."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The intent behind a turn: what it is for, the vector of its thread before it, None where there is none, the
    turn's own, and how sure it is that the turn goes on with it, from 0 to 1."""

    store: IntentStore
    owner: OwnerId
    intent: Intent
    before: IntentVector | None
    turn: IntentVector
    confidence: float

    def ordered(self, units: Sequence[Recalled]) -> list[Recalled]:
        """Units, best first, in their order when agreement with the intent is weighed in. Raises the store's errors."""
        before = self.before
        if before is None or not self.confidence:
            return list(units)
        compared = units[:_COMPARED]
        vectors = self.store.of_units(self.owner, [each.unit.id for each in compared])
        agreed = [agreement(before, vectors[each.unit.id]) if each.unit.id in vectors else None for each in compared]
        order, scores = led([each.score for each in compared], agreed, self.confidence)
        moved = [_as(compared[row], score, agreed[row]) for row, score in zip(order, scores, strict=True)]
        return [*moved, *units[_COMPARED:]]


class Intentions:
    """Follows the intent of threads."""

    def __init__(self, store: IntentStore, rules: Rules) -> None:
        self._store = store
        self._rules = rules

    def lead(self, owner: OwnerId, thread: Thread, message: str, intent: Intent | None = None) -> Lead:
        """What leads a turn of a thread; it is for `intent`, else for what the rules say. Raises the store's errors."""
        intent = intent or self._rules.intent_of(message)
        terms = content_terms(message[:_READ])
        turn = of_turn(intent, self._store.rarities(terms))
        before = None if thread.topic is None else thread.topic.intent
        sure = confidence(before, turn, len(terms), language_of(message))
        return Lead(self._store, owner, intent, before, turn, sure)

    def written(self, thread: Thread, lead: Lead, turn: TurnId) -> None:
        """A turn has words or a reply in the store: they carry the intent they came from, and the thread has it. Raises
        the store's errors."""
        if thread.id is not None:
            self._store.keep(lead.owner, thread.id, turn, followed(lead.before, lead.turn))


def _as(recalled: Recalled, score: float, agreed: float | None) -> Recalled:
    signals = recalled.signals if agreed is None else {**recalled.signals, "intent": agreed}
    return replace(recalled, score=score, signals=signals)
