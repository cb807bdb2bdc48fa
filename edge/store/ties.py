"""Words that are kept beside the facts drawn from them: they end with the first of these, and are forgotten with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence

from edge.memory.units import Insert, OwnerId, UnitId
from edge.store.database import Database
from edge.store.rows import json_ids

_TIE = """
    INSERT OR IGNORE INTO told_together (fact, words)
    SELECT id, :words FROM units
    WHERE id IN (SELECT value FROM json_each(:facts)) AND owner = :owner AND slot = :slot AND subject = :subject
"""
_TIED = """
    SELECT u.id FROM told_together t JOIN units u ON u.id = t.words
    WHERE t.fact = ? AND u.owner = ? AND u.superseded = 0
"""
_TOLD_WITH = """
    SELECT u.id FROM units u WHERE u.owner = :owner AND u.id IN (
        SELECT value FROM json_each(:ids)
        UNION SELECT words FROM told_together WHERE fact IN (SELECT value FROM json_each(:ids))
        UNION SELECT fact FROM told_together WHERE words IN (SELECT value FROM json_each(:ids)))
    ORDER BY u.id
"""


def tie(db: sqlite3.Connection, owner: OwnerId, told: Iterable[tuple[UnitId, Insert]], units: Sequence[UnitId]) -> None:
    """Tie new units to those among `units`, which one write added or confirmed, that fill a slot they name. Inside the
    caller's transaction."""
    parameters = [
        {"words": unit, "facts": json_ids(units), "owner": owner, "slot": slot, "subject": subject}
        for unit, insert in told
        for slot, subject in insert.draft.ties
    ]
    db.executemany(_TIE, parameters)


def tied_to(db: sqlite3.Connection, owner: OwnerId, fact: UnitId) -> list[UnitId]:
    """Units of the owner that hold no longer than a fact, and were not replaced yet."""
    return [UnitId(row[0]) for row in db.execute(_TIED, (fact, owner)).fetchall()]


def with_told(db: Database, owner: OwnerId, ids: Collection[UnitId]) -> list[UnitId]:
    """The owner's units among the ids, the words that facts among them were drawn from, and the facts that were drawn
    from words among them."""
    return [UnitId(row[0]) for row in db.rows(_TOLD_WITH, {"owner": owner, "ids": json_ids(ids)})]
