"""`SqliteMerging`: the engine's MergingStore in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from edge.engine.merging_ports import MERGED_KINDS, Double, Merged, Replaced
from edge.memory.units import ClusterId, Ending, OwnerId, Unit
from edge.store.database import Database
from edge.store.doubles import merge
from edge.store.rows import UNIT_COLUMNS, micros, unit_from

_TOLD = f"""
    u.superseded = 0 AND u.archived_at IS NULL AND u.slot IS NULL
    AND u.kind IN ({", ".join(f"'{kind.value}'" for kind in sorted(MERGED_KINDS))})
"""
_NEW = f"""
    FROM clusters c JOIN units u INDEXED BY units_in_cluster ON u.owner = c.owner AND u.cluster = c.id
    LEFT JOIN merged m ON m.unit = u.id
    WHERE c.owner = :owner AND c.gone = 0 AND c.archived_at IS NULL AND {_TOLD} AND m.cluster IS NOT u.cluster
"""
_UNMERGED = f"""
    SELECT {UNIT_COLUMNS} FROM units u
    WHERE u.id IN (SELECT u.id {_NEW} AND c.id = (SELECT c.id {_NEW} LIMIT 1)) ORDER BY u.id LIMIT :limit
"""
_FELLOWS = f"""
    SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_in_cluster
    WHERE u.owner = :owner AND u.cluster = :cluster AND {_TOLD} ORDER BY u.id
"""
_NOTE = """
    INSERT INTO merged (unit, cluster) SELECT id, cluster FROM units WHERE id = ? AND owner = ? AND cluster = ?
    ON CONFLICT (unit) DO UPDATE SET cluster = excluded.cluster
"""
_CURRENT = "SELECT 1 FROM units WHERE id = :newer AND owner = :owner AND superseded = 0"
_REPLACE = f"""
    UPDATE units SET superseded_by = :newer, superseded = 1, ended_why = '{Ending.NEWER.value}',
        valid_until = (SELECT CASE WHEN units.valid_until < n.valid_from THEN units.valid_until
            ELSE max(n.valid_from, units.valid_from) END FROM units n WHERE n.id = :newer)
    WHERE id = :older AND owner = :owner AND superseded = 0 AND id <> :newer AND EXISTS ({_CURRENT})
"""
_DOUBT = "INSERT INTO contradictions (owner, older, newer, marked_at) VALUES (:owner, :older, :newer, :at)"


class SqliteMerging:
    """See MergingStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def unmerged(self, owner: OwnerId, limit: int) -> list[Unit]:
        return [unit_from(row) for row in self._db.rows(_UNMERGED, {"owner": owner, "limit": limit})]

    def fellows(self, owner: OwnerId, cluster: ClusterId) -> list[Unit]:
        return [unit_from(row) for row in self._db.rows(_FELLOWS, {"owner": owner, "cluster": cluster})]

    def keep_merged(
        self, owner: OwnerId, compared: Sequence[Unit], changes: Sequence[Double | Replaced], at: datetime
    ) -> Merged:
        doubles = replaced = 0
        with self._db.transaction() as writing:
            for change in changes:
                if isinstance(change, Double):
                    doubles += merge(writing, owner, change.kept, change.double, at)
                else:
                    replaced += _replace(writing, owner, change, at)
            writing.executemany(_NOTE, [(unit.id, owner, unit.cluster) for unit in compared])
        return Merged(doubles, replaced)


def _replace(db: sqlite3.Connection, owner: OwnerId, change: Replaced, at: datetime) -> bool:
    named = {"owner": owner, "older": change.older, "newer": change.newer, "at": micros(at)}
    if db.execute(_REPLACE, named).rowcount != 1:
        return False
    if change.is_doubted:
        db.execute(_DOUBT, named)
    return True
