"""That something was said again: a unit is surer by it, and knows the turns in which it was said."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from edge.memory.units import OwnerId, TurnId, UnitId
from edge.store.rows import micros

_CONFIRM = """
    UPDATE units SET access_count = access_count + 1, last_accessed = ?, confidence = 1.0 - (1.0 - confidence) / 2.0
    WHERE id = ? AND owner = ?
"""
"""Each confirmation halves the doubt."""
_HAND_ON = """
    INSERT OR IGNORE INTO confirmations (unit, turn)
    SELECT :to, source_turn FROM units WHERE id = :of AND owner = :owner AND source_turn IS NOT NULL
    UNION SELECT :to, turn FROM confirmations WHERE unit = (SELECT id FROM units WHERE id = :of AND owner = :owner)
"""


def confirm(db: sqlite3.Connection, owner: OwnerId, unit: UnitId, turn: TurnId | None, at: datetime) -> bool:
    """Confirm a unit, in a turn if it was in one. False where the owner has no such unit. Inside the caller's
    transaction."""
    if db.execute(_CONFIRM, (micros(at), unit, owner)).rowcount != 1:
        return False
    if turn is not None:
        db.execute("INSERT OR IGNORE INTO confirmations VALUES (?, ?)", (unit, turn))
    return True


def hand_on(db: sqlite3.Connection, owner: OwnerId, of: UnitId, to: UnitId) -> None:
    """Let the turns that said one unit count as saying another. Inside the caller's transaction."""
    db.execute(_HAND_ON, {"owner": owner, "of": of, "to": to})
