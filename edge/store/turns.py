"""Turns and sessions. Their order is that of their ids: a clock may go back."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from edge.errors import TurnNotOpen
from edge.memory.units import OwnerId, SessionId, SessionInfo, Turn, TurnId, TurnState
from edge.store.database import Database
from edge.store.rows import TURN_COLUMNS, micros, moment, turn_from


def insert_turn(db: sqlite3.Connection, owner: OwnerId, session: SessionId, message: str, at: datetime) -> TurnId:
    """An open turn, inside the caller's transaction."""
    cursor = db.execute(
        "INSERT INTO turns (owner, session, message, state, started_at) VALUES (?, ?, ?, 'open', ?)",
        (owner, session, message, micros(at)),
    )
    assert cursor.lastrowid is not None
    return TurnId(cursor.lastrowid)


def end_turn(db: sqlite3.Connection, owner: OwnerId, turn: TurnId, reply: str, state: TurnState, at: datetime) -> None:
    """Raises TurnNotOpen for a turn of another owner, one that ended, or none."""
    cursor = db.execute(
        "UPDATE turns SET reply = ?, state = ?, ended_at = ? WHERE id = ? AND owner = ? AND state = 'open'",
        (reply, state.value, micros(at), turn, owner),
    )
    if cursor.rowcount != 1:
        raise TurnNotOpen(f"There is no open turn {turn}.", turn=turn)


def end_abandoned(db: Database, at: datetime) -> int:
    """Mark what an earlier process left open as interrupted, and count it."""
    with db.transaction() as writing:
        return writing.execute(
            "UPDATE turns SET state = 'interrupted', ended_at = ? WHERE state = 'open'", (micros(at),)
        ).rowcount


def read_turns(db: Database, owner: OwnerId, session: SessionId, last: int) -> list[Turn]:
    """The last that ended, oldest first."""
    rows = db.rows(
        f"""
        SELECT {TURN_COLUMNS} FROM turns WHERE owner = ? AND session = ? AND state <> 'open'
        ORDER BY id DESC LIMIT ?
        """,
        (owner, session, last),
    )
    return [turn_from(row) for row in reversed(rows)]


def read_sessions(db: Database, owner: OwnerId) -> list[SessionInfo]:
    """Last used first."""
    rows = db.rows(
        """
        WITH spans AS (SELECT session, count(*) AS turns, min(id) AS first, max(id) AS last
            FROM turns WHERE owner = ? GROUP BY session)
        SELECT s.session, s.turns, a.started_at, b.started_at
        FROM spans s JOIN turns a ON a.id = s.first JOIN turns b ON b.id = s.last ORDER BY s.last DESC
        """,
        (owner,),
    )
    return [SessionInfo(SessionId(name), turns, moment(first), moment(last)) for name, turns, first, last in rows]
