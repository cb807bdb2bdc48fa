"""`SqliteDistilling`: the engine's DistillingStore in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from edge.engine.distilling_ports import Distilled, Unread
from edge.memory.units import Kind, OwnerId, Source, UnitId
from edge.store.changes import apply_changes
from edge.store.database import Database
from edge.store.rows import UNIT_COLUMNS, unit_from

_LOOKED_AT = 500
"""Units that one call passes over at most: a few milliseconds."""
_THROUGH = "SELECT through FROM distilling WHERE owner = ?"
_NEXT = """
    SELECT id FROM units INDEXED BY units_of_owner
    WHERE owner = :owner AND id > :through ORDER BY id LIMIT :most
"""
_FORCE = "u.superseded = 0 AND u.archived_at IS NULL"
_WORDS = f"""
    SELECT {UNIT_COLUMNS} FROM units u
    WHERE u.id > :through AND u.id <= :last AND u.owner = :owner AND u.kind = '{Kind.EPISODE.value}'
        AND u.source = '{Source.USER.value}' AND u.source_turn IS NOT NULL AND {_FORCE}
        AND NOT EXISTS (SELECT 1 FROM units f WHERE f.source_turn = u.source_turn
            AND f.kind <> '{Kind.EPISODE.value}' AND f.source = '{Source.USER.value}')
        AND NOT EXISTS (SELECT 1 FROM confirmations c WHERE c.turn = u.source_turn)
    ORDER BY u.id LIMIT :limit
"""
_STILL = f"SELECT 1 FROM units u WHERE u.id = ? AND u.owner = ? AND u.source_turn = ? AND {_FORCE}"
_NOTE = """
    INSERT INTO distilling (owner, through) VALUES (:owner, :through)
    ON CONFLICT (owner) DO UPDATE SET through = excluded.through WHERE excluded.through > through
"""


class SqliteDistilling:
    """See DistillingStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def unread(self, owner: OwnerId, limit: int) -> Unread | None:
        through = self._through(owner)
        ids = [row[0] for row in self._db.rows(_NEXT, {"owner": owner, "through": through, "most": _LOOKED_AT})]
        if not ids:
            return None
        rows = self._db.rows(_WORDS, {"owner": owner, "through": through, "last": ids[-1], "limit": limit})
        episodes = tuple(unit_from(row) for row in rows)
        if len(episodes) == limit:
            return Unread(episodes, episodes[-1].id, more=True)
        return Unread(episodes, UnitId(ids[-1]), more=len(ids) == _LOOKED_AT)

    def keep_distilled(
        self, owner: OwnerId, through: UnitId, distilled: Sequence[Distilled], at: datetime
    ) -> tuple[UnitId, ...]:
        with self._db.transaction() as writing:
            if writing.execute(_NOTE, {"owner": owner, "through": through}).rowcount != 1:
                return ()
            return tuple(unit for each in distilled for unit in _keep(writing, owner, each, at))

    def _through(self, owner: OwnerId) -> int:
        row = self._db.row(_THROUGH, (owner,))
        return 0 if row is None else int(row[0])


def _keep(db: sqlite3.Connection, owner: OwnerId, distilled: Distilled, at: datetime) -> tuple[UnitId, ...]:
    """Make the changes of one episode, if its words are still there."""
    if db.execute(_STILL, (distilled.episode, owner, distilled.turn)).fetchone() is None:
        return ()
    return apply_changes(db, owner, distilled.turn, distilled.changes, at).added
