"""`SqliteContexts`: the engine's ContextStore in SQLite. One row a session, replaced whole."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from edge.engine.context_ports import StoredContext
from edge.engine.ports import NewContext, Written
from edge.memory.units import OwnerId, SessionId
from edge.store.changes import apply_changes
from edge.store.database import Database
from edge.store.rows import micros, moment


def write_context(
    db: sqlite3.Connection, owner: OwnerId, session: SessionId, context: NewContext, at: datetime
) -> Written:
    """Put a context in the place of a session's, inside the caller's transaction."""
    db.execute("DELETE FROM session_contexts WHERE owner = ? AND session = ?", (owner, session))
    if context.text is not None:
        db.execute("INSERT INTO session_contexts VALUES (?, ?, ?, ?)", (owner, session, context.text, micros(at)))
    return apply_changes(db, owner, None, context.changes, at)


class SqliteContexts:
    """See ContextStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save_context(self, owner: OwnerId, session: SessionId, context: NewContext, at: datetime) -> Written:
        with self._db.transaction() as writing:
            return write_context(writing, owner, session, context, at)

    def context(self, owner: OwnerId, session: SessionId) -> StoredContext | None:
        row = self._db.row(
            "SELECT context, updated_at FROM session_contexts WHERE owner = ? AND session = ?", (owner, session)
        )
        return None if row is None else StoredContext(row[0], moment(row[1]))
