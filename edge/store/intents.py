"""`SqliteIntents`: the engine's IntentStore in SQLite. All of it comes beside a turn, so nothing waits for the disk."""

from __future__ import annotations

import math
from collections.abc import Collection

from edge.memory.intent_vectors import IntentVector, packed, unpacked
from edge.memory.topics import TopicId
from edge.memory.units import OwnerId, TurnId, UnitId
from edge.store.database import Database
from edge.store.rows import json_ids
from edge.store.search import count_holding

_TOPIC = "UPDATE topics SET intent = :vector WHERE id = :topic AND owner = :owner AND last_turn = :turn"
_UNITS = """
    UPDATE units SET intent_vector = :vector WHERE source_turn = :turn AND owner = :owner
        AND EXISTS (SELECT 1 FROM topics t WHERE t.id = :topic AND t.owner = :owner AND t.last_turn = :turn)
"""
_OF_UNITS = """
    SELECT id, intent_vector FROM units
    WHERE id IN (SELECT value FROM json_each(?)) AND owner = ? AND intent_vector IS NOT NULL
"""
_COMMON, _MOST_COMMON = 1000, 1000
"""Units that hold a term from which on it is counted seldom: that takes time for each of them. So many are known."""
_AGAIN = 1.2
"""Times as many units as when it was counted, from which on it is counted again."""
_ALL = "SELECT seq FROM sqlite_sequence WHERE name = 'units'"


class SqliteIntents:
    """See IntentStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._common: dict[str, tuple[int, int]] = {}

    def keep(self, owner: OwnerId, topic: TopicId, turn: TurnId, vector: IntentVector) -> None:
        kept = {"owner": owner, "topic": topic, "turn": turn, "vector": packed(vector)}
        with self._db.relaxed_transaction() as writing:
            writing.execute(_UNITS, kept)
            writing.execute(_TOPIC, kept)

    def of_units(self, owner: OwnerId, units: Collection[UnitId]) -> dict[UnitId, IntentVector]:
        rows = self._db.rows(_OF_UNITS, (json_ids(units), owner))
        vectors = {UnitId(unit): unpacked(stored) for unit, stored in rows}
        return {unit: vector for unit, vector in vectors.items() if vector is not None}

    def rarities(self, terms: Collection[str]) -> dict[str, float]:
        row = self._db.row(_ALL)
        total = 0 if row is None else int(row[0])
        return {term: max(0.0, math.log((total + 1) / (self._holding(term, total) + 0.5))) for term in sorted(terms)}

    def _holding(self, term: str, total: int) -> float:
        """How many of all units hold a term; of a common one about as many, by the share that was counted before."""
        known = self._common.get(term)
        if known is not None and total <= _AGAIN * known[1]:
            return known[0] * total / known[1]
        count = count_holding(self._db, term)
        if count >= _COMMON:
            if len(self._common) >= _MOST_COMMON:
                self._common.clear()
            self._common[term] = (count, total)
        return count
