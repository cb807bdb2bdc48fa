"""`SqliteArchive`: the engine's ArchiveStore in SQLite."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import datetime

from edge.engine.archive_ports import Standing
from edge.engine.ports import Page
from edge.memory.archive import BY_TIME, Decay, Restored, Why
from edge.memory.relevance import FIRST, LEAST
from edge.memory.units import Kind, OwnerId, SessionId, UnitId
from edge.store.database import Database
from edge.store.rows import UNIT_COLUMNS, json_ids, micros, optional_micros, unit_from
from edge.store.scopes import of_kinds

_OWNERS = """
    WITH RECURSIVE owners (owner) AS (
        SELECT min(owner) FROM units
        UNION ALL
        SELECT (SELECT min(u.owner) FROM units u WHERE u.owner > owners.owner) FROM owners WHERE owners.owner NOTNULL)
    SELECT owner FROM owners WHERE owner NOTNULL
"""
"""One look into the index for each owner, however many units they have."""
_STANDING = f"SELECT {UNIT_COLUMNS}, u.superseded FROM units u"
_BY_ID = f"{_STANDING} WHERE u.id IN (SELECT value FROM json_each(:ids)) AND u.owner = :owner ORDER BY u.id"
_ENDED = f"""
    {_STANDING} INDEXED BY units_ended
    WHERE u.owner = :owner AND u.superseded = :superseded AND u.valid_until <= :before AND u.archived_at IS NULL
    ORDER BY u.valid_until LIMIT :limit
"""
_LOWERED = f"""
    {_STANDING} INDEXED BY units_lowered
    WHERE u.owner = :owner AND u.relevance < {FIRST} AND u.relevance <= {LEAST} AND u.archived_at IS NULL
        AND u.kind NOT IN ('{Kind.USER_PROFILE.value}', '{Kind.BATCH_OPERATION.value}')
        AND ifnull(u.slot, '') NOT IN (SELECT value FROM json_each(:standing))
        AND ifnull(u.last_accessed, u.created_at) <= :before AND (u.valid_until IS NULL OR u.valid_until > :at)
    LIMIT :limit
"""
_LATER = f"""
    SELECT u.id FROM units u INDEXED BY units_archived
    WHERE u.owner = :owner AND u.archived_at > :at AND u.created_at <= :at
        AND u.archived_why IN ({", ".join(f"'{why.value}'" for why in sorted(BY_TIME))})
    LIMIT :limit
"""
_ARCHIVE = "UPDATE units SET archived_at = ?, archived_why = ? WHERE id = ? AND owner = ? AND archived_at IS NULL"
_RESTORE = """
    UPDATE units SET archived_at = NULL, archived_why = NULL, valid_until = ?, relevance = ?
    WHERE id = ? AND owner = ? AND archived_at IS NOT NULL
"""
_UNDO = "UPDATE units SET archived_at = NULL, archived_why = NULL WHERE id = ? AND owner = ?"


def read_owners(db: Database) -> list[OwnerId]:
    """All that have units."""
    return [OwnerId(owner) for (owner,) in db.rows(_OWNERS)]


class SqliteArchive:
    """See ArchiveStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def owners(self) -> list[OwnerId]:
        return read_owners(self._db)

    def standing(self, owner: OwnerId, ids: Collection[UnitId]) -> list[Standing]:
        return self._standing(_BY_ID, {"owner": owner, "ids": json_ids(ids)})

    def archive(self, owner: OwnerId, ids: Collection[UnitId], why: Why, at: datetime) -> tuple[UnitId, ...]:
        with self._db.transaction() as writing:
            return tuple(
                unit
                for unit in sorted(ids)
                if writing.execute(_ARCHIVE, (micros(at), why.value, unit, owner)).rowcount == 1
            )

    def restore(self, owner: OwnerId, unit: UnitId, how: Restored) -> bool:
        with self._db.transaction() as writing:
            row = (optional_micros(how.valid_until), how.relevance, unit, owner)
            return writing.execute(_RESTORE, row).rowcount == 1

    def leaving(self, owner: OwnerId, at: datetime, decay: Decay, limit: int) -> list[Standing]:
        found: list[Standing] = []
        for superseded, stays in ((False, decay.expired), (True, decay.superseded)):
            asked = {"owner": owner, "superseded": superseded, "before": micros(at - stays), "limit": limit}
            found += self._standing(_ENDED, asked)
        asked = {"owner": owner, "at": micros(at), "before": micros(at - decay.unused), "limit": limit}
        found += self._standing(_LOWERED, {**asked, "standing": json.dumps(sorted(decay.standing))})
        return found[:limit]

    def undo_later(self, owner: OwnerId, at: datetime, limit: int) -> int:
        later = self._db.rows(_LATER, {"owner": owner, "at": micros(at), "limit": limit})
        if later:
            with self._db.transaction() as writing:
                writing.executemany(_UNDO, [(unit, owner) for (unit,) in later])
        return len(later)

    def weigh(self, owner: OwnerId, relevance: Mapping[UnitId, float]) -> None:
        with self._db.relaxed_transaction() as writing:
            writing.executemany(
                "UPDATE units SET relevance = ? WHERE id = ? AND owner = ?",
                [(value, unit, owner) for unit, value in relevance.items()],
            )

    def page(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        kinds: frozenset[Kind] | None,
        before: UnitId | None,
        limit: int,
    ) -> Page:
        rows = self._db.rows(
            f"""
            SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_archived
            WHERE u.owner = :owner AND u.archived_at IS NOT NULL AND (:before IS NULL OR u.id < :before)
                AND (:session IS NULL OR u.session IS NULL OR u.session = :session){of_kinds(kinds)}
            ORDER BY u.id DESC LIMIT :limit
            """,
            {"owner": owner, "session": session, "before": before, "limit": limit + 1},
        )
        units = tuple(unit_from(row) for row in rows[:limit])
        return Page(units, units[-1].id if units and len(rows) > limit else None)

    def _standing(self, query: str, parameters: Mapping[str, object]) -> list[Standing]:
        return [Standing(unit_from(row), bool(row[-1])) for row in self._db.rows(query, parameters)]
