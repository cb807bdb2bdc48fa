"""`SqliteReadings`: the engine's ReadingStore in SQLite."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from edge.engine.ports import Vector
from edge.memory.units import OwnerId, UnitId
from edge.store.database import Database
from edge.store.rows import json_ids

_READINGS = """
    SELECT r.unit, r.numbers FROM readings r JOIN units u ON u.id = r.unit
    WHERE r.unit IN (SELECT value FROM json_each(?)) AND r.reader = ? AND u.owner = ?
"""
_KEEP = """
    INSERT INTO readings (unit, reader, numbers) SELECT id, ?, ? FROM units WHERE id = ? AND owner = ?
    ON CONFLICT (unit) DO UPDATE SET reader = excluded.reader, numbers = excluded.numbers
"""


class SqliteReadings:
    """See ReadingStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def readings(self, owner: OwnerId, reader: str, ids: Collection[UnitId]) -> dict[UnitId, Vector]:
        rows = self._db.rows(_READINGS, (json_ids(ids), reader, owner))
        return {UnitId(unit): np.frombuffer(numbers, dtype="<f2").astype(np.float32) for unit, numbers in rows}

    def keep_readings(self, owner: OwnerId, reader: str, readings: Mapping[UnitId, Vector]) -> None:
        rows = [(reader, numbers.astype("<f2").tobytes(), unit, owner) for unit, numbers in readings.items()]
        with self._db.transaction() as writing:
            writing.executemany(_KEEP, rows)
