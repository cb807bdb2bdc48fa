"""Units that say what another says in other words: found one after the other, and joined to the older one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from datetime import datetime

from edge.memory.units import Ending, Kind, OwnerId, Unit, UnitId
from edge.store.confirming import confirm, hand_on
from edge.store.database import Database
from edge.store.rows import UNIT_COLUMNS, json_ids, micros, unit_from

DISTILLED = (Kind.USER_PROFILE, Kind.FACT_REFERENCE, Kind.SESSION_STATE, Kind.TOOL_RESULT)
"""Kinds that say something in the runtime's or an agent's words; a turn's own words are never joined to others."""

_MARK = "compared"
_NEXT = f"""
    SELECT {UNIT_COLUMNS} FROM units u
    WHERE u.id > ifnull((SELECT value FROM meta WHERE name = '{_MARK}'), 0) AND u.slot IS NULL AND u.superseded = 0
        AND u.archived_at IS NULL AND u.kind IN (SELECT value FROM json_each(?))
    ORDER BY u.id LIMIT ?
"""
_LAST = (
    f"SELECT max(ifnull((SELECT value FROM meta WHERE name = '{_MARK}'), 0), ifnull((SELECT max(id) FROM units), 0))"
)
_END = f"""
    UPDATE units SET superseded_by = :kept, superseded = 1, ended_why = '{Ending.SAME.value}',
        valid_until = CASE WHEN valid_until < :at THEN valid_until ELSE :at END
    WHERE id = :double AND owner = :owner AND superseded = 0 AND EXISTS (
        SELECT 1 FROM units k WHERE k.id = :kept AND k.owner = :owner AND k.id <> :double AND k.superseded = 0)
"""
_SAYING_THE_SAME = f"""
    WITH RECURSIVE same (id) AS (
        SELECT value FROM json_each(:ids)
        UNION SELECT u.superseded_by FROM units u JOIN same s ON u.id = s.id
            WHERE u.ended_why = '{Ending.SAME.value}' AND u.superseded_by IS NOT NULL
        UNION SELECT u.id FROM units u JOIN same s ON u.superseded_by = s.id
            WHERE u.ended_why = '{Ending.SAME.value}')
    SELECT u.id FROM units u WHERE u.id IN (SELECT id FROM same) AND u.owner = :owner ORDER BY u.id
"""


def read_uncompared(db: Database, limit: int) -> tuple[list[Unit], UnitId]:
    """The next ones, and up to which unit there are no others."""
    kinds = json.dumps([kind.value for kind in DISTILLED])
    units = [unit_from(row) for row in db.rows(_NEXT, (kinds, limit))]
    if len(units) == limit:
        return units, units[-1].id
    row = db.row(_LAST)
    assert row is not None
    return units, UnitId(row[0])


def write_compared(db: Database, through: UnitId) -> None:
    """Remember how far it has come; no wait for the disk."""
    with db.relaxed_transaction() as writing:
        writing.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MARK, through))


def merge(db: sqlite3.Connection, owner: OwnerId, kept: UnitId, double: UnitId, at: datetime) -> bool:
    """Join a unit to the one that says the same. Inside the caller's transaction."""
    parameters = {"owner": owner, "kept": kept, "double": double, "at": micros(at)}
    if db.execute(_END, parameters).rowcount != 1:
        return False
    hand_on(db, owner, double, kept)
    return confirm(db, owner, kept, None, at)


def with_doubles(db: Database, owner: OwnerId, ids: Collection[UnitId]) -> list[UnitId]:
    """The owner's units among the ids, and all that were found to say the same as one of them."""
    return [UnitId(row[0]) for row in db.rows(_SAYING_THE_SAME, {"owner": owner, "ids": json_ids(ids)})]
