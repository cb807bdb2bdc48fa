"""An IntentStore over the dictionaries of a FakeMemoryStore."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from edge.memory.intent_vectors import IntentVector, packed, unpacked
from edge.memory.text import text_terms
from edge.memory.topics import TopicId
from edge.memory.units import OwnerId, Turn, TurnId, Unit, UnitId
from tests.fakes.topics import FakeTopics


class FakeIntents:
    """See IntentStore. `last_unit` gives the greatest id of a unit so far."""

    def __init__(self, units: Mapping[UnitId, Unit], topics: FakeTopics, last_unit: Callable[[], int]) -> None:
        self._units = units
        self._topics = topics
        self._last_unit = last_unit
        self._kept: dict[UnitId, bytes] = {}

    def keep(self, owner: OwnerId, topic: TopicId, turn: TurnId, vector: IntentVector) -> None:
        stored = packed(vector)
        if self._topics.lean(owner, topic, turn, unpacked(stored)):
            mine = [unit for unit in self._units.values() if (unit.owner, unit.source_turn) == (owner, turn)]
            self._kept |= {unit.id: stored for unit in mine}

    def of_units(self, owner: OwnerId, units: Collection[UnitId]) -> dict[UnitId, IntentVector]:
        mine = [unit for unit in units if unit in self._units and self._units[unit].owner == owner]
        vectors = {unit: unpacked(self._kept.get(unit)) for unit in mine}
        return {unit: vector for unit, vector in vectors.items() if vector is not None}

    def rarities(self, terms: Collection[str]) -> dict[str, float]:
        held = [text_terms(unit.content) for unit in self._units.values()]
        total = self._last_unit()
        found = {term: sum(term in each for each in held) for term in terms}
        return {term: max(0.0, math.log((total + 1) / (count + 0.5))) for term, count in found.items()}

    def clear(self, owner: OwnerId, silenced: Collection[TurnId], turns: Mapping[TurnId, Turn]) -> None:
        """Take the vectors from what was said in the sessions of these turns since."""
        since = [(turn, turns[turn].session) for turn in silenced if turn in turns and turns[turn].owner == owner]
        for unit in list(self._kept):
            said = None if unit not in self._units else self._units[unit].source_turn
            if said is None or any(said >= turn and turns[said].session == session for turn, session in since):
                del self._kept[unit]
