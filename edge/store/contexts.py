"""`SqliteContexts`: the engine's ContextStore in SQLite. One row a session, replaced whole."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from edge.engine.context_ports import StoredContext
from edge.engine.ports import Written
from edge.memory.units import Change, OwnerId, SessionId
from edge.store.changes import apply_changes
from edge.store.database import Database
from edge.store.rows import micros, moment


class SqliteContexts:
    """See ContextStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def save_context(
        self, owner: OwnerId, session: SessionId, context: str | None, changes: Sequence[Change], at: datetime
    ) -> Written:
        with self._db.transaction() as writing:
            writing.execute("DELETE FROM session_contexts WHERE owner = ? AND session = ?", (owner, session))
            if context is not None:
                row = (owner, session, context, micros(at))
                writing.execute("INSERT INTO session_contexts VALUES (?, ?, ?, ?)", row)
            return apply_changes(writing, owner, None, changes, at)

    def context(self, owner: OwnerId, session: SessionId) -> StoredContext | None:
        row = self._db.row(
            "SELECT context, updated_at FROM session_contexts WHERE owner = ? AND session = ?", (owner, session)
        )
        return None if row is None else StoredContext(row[0], moment(row[1]))
