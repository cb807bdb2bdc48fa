"""Two statements of equal standing that cannot both hold: marked, asked about once, settled."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from edge.engine.truth_ports import MOST_OPEN, Contradiction
from edge.memory.units import Insert, OwnerId, SessionId, Settle, TurnId, UnitId
from edge.store.confirming import hand_on
from edge.store.database import Database
from edge.store.reads import read_unit
from edge.store.rows import Row, micros

_OPEN = """
    SELECT c.id, c.older, c.newer FROM contradictions c JOIN units n ON n.id = c.newer
    WHERE c.owner = :owner AND c.settled_at IS NULL AND n.superseded = 0 AND n.archived_at IS NULL
"""


def mark_doubts(db: sqlite3.Connection, owner: OwnerId, unit: UnitId, change: Insert, at: datetime) -> None:
    """Mark what a new unit replaced of which it is not clear that it changed. Inside the caller's transaction."""
    db.executemany(
        "INSERT INTO contradictions (owner, older, newer, marked_at) SELECT owner, id, ?, ? FROM units "
        "WHERE id = ? AND owner = ?",
        [(unit, micros(at), older, owner) for older in change.doubts],
    )
    if change.restores is not None:
        hand_on(db, owner, change.restores, unit)


def settle(db: sqlite3.Connection, owner: OwnerId, change: Settle, at: datetime) -> None:
    """Keep what the person said. Inside the caller's transaction."""
    db.execute(
        "UPDATE contradictions SET settled_at = ?, outcome = ? WHERE id = ? AND owner = ? AND settled_at IS NULL",
        (micros(at), change.outcome.value, change.contradiction, owner),
    )


def read_open(db: Database, owner: OwnerId, session: SessionId) -> list[Contradiction]:
    """Those that nobody was asked about, the newest mark first."""
    rows = db.rows(
        f"""
        {_OPEN} AND c.asked_turn IS NULL AND (n.session IS NULL OR n.session = :session)
        ORDER BY c.id DESC LIMIT :limit
        """,
        {"owner": owner, "session": session, "limit": MOST_OPEN},
    )
    return [_contradiction(db, owner, row) for row in rows]


def read_unsettled(db: Database, owner: OwnerId, session: SessionId | None) -> list[Contradiction]:
    """Those that nobody settled, the newest mark first."""
    rows = db.rows(
        f"{_OPEN} AND (n.session IS NULL OR n.session = :session) ORDER BY c.id DESC LIMIT :limit",
        {"owner": owner, "session": session, "limit": MOST_OPEN},
    )
    return [_contradiction(db, owner, row) for row in rows]


def read_asked_in(db: Database, owner: OwnerId, turn: TurnId) -> Contradiction | None:
    """The open one that was asked about in a turn."""
    row = db.row(f"{_OPEN} AND c.asked_turn = :turn", {"owner": owner, "turn": turn})
    return None if row is None else _contradiction(db, owner, row)


def write_asked(db: Database, owner: OwnerId, contradiction: int, turn: TurnId) -> None:
    """Note in which turn the person was asked."""
    with db.transaction() as writing:
        writing.execute(
            "UPDATE contradictions SET asked_turn = (SELECT id FROM turns WHERE id = ? AND owner = ?) "
            "WHERE id = ? AND owner = ? AND asked_turn IS NULL",
            (turn, owner, contradiction, owner),
        )


def _contradiction(db: Database, owner: OwnerId, row: Row) -> Contradiction:
    number, older, newer = row
    return Contradiction(number, read_unit(db, owner, UnitId(older)), read_unit(db, owner, UnitId(newer)))
