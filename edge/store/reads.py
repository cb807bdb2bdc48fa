"""Reading units. Every query is inside a scope, or names the owner."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime

from edge.engine.ports import Page, Scope
from edge.errors import MemoryNotFound
from edge.memory.units import Kind, OwnerId, SessionId, Unit, UnitId
from edge.store.database import Database
from edge.store.rows import UNIT_COLUMNS, json_ids, micros, unit_from
from edge.store.scopes import LIVED_THEN, LIVES_NOW, in_scope, of_kinds, visible


def read_unit(db: Database, owner: OwnerId, unit: UnitId) -> Unit:
    """A unit in any state. Raises MemoryNotFound."""
    row = db.row(f"SELECT {UNIT_COLUMNS} FROM units u WHERE u.id = ? AND u.owner = ?", (unit, owner))
    if row is None:
        raise MemoryNotFound(f"There is no memory {unit}.", id=unit)
    return unit_from(row)


def read_units(db: Database, scope: Scope, ids: Collection[UnitId]) -> dict[UnitId, Unit]:
    """Those that are visible."""
    rows = db.rows(
        f"SELECT {UNIT_COLUMNS} FROM units u WHERE u.id IN (SELECT value FROM json_each(:ids)) AND {visible(scope)}",
        in_scope(scope, ids=json_ids(ids)),
    )
    return {UnitId(row[0]): unit_from(row) for row in rows}


def read_page(
    db: Database,
    owner: OwnerId,
    *,
    session: SessionId | None,
    kinds: frozenset[Kind] | None,
    before: UnitId | None,
    limit: int,
    as_of: datetime,
    include_past: bool,
    present: bool,
) -> Page:
    """Newest first; with a session, what that session sees."""
    conditions = ["u.owner = :owner"]
    if before is not None:
        conditions.append("u.id < :before")
    if session is not None:
        conditions.append("(u.session IS NULL OR u.session = :session)")
    if not include_past:
        conditions.append(LIVES_NOW if present else LIVED_THEN)
    rows = db.rows(
        f"""
        SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_of_owner
        WHERE {" AND ".join(conditions)}{of_kinds(kinds)} ORDER BY u.id DESC LIMIT :limit
        """,
        {"owner": owner, "session": session, "before": before, "limit": limit + 1, "as_of": micros(as_of)},
    )
    units = tuple(unit_from(row) for row in rows[:limit])
    return Page(units, units[-1].id if units and len(rows) > limit else None)


def read_known(db: Database, scope: Scope, keys: Collection[str]) -> dict[str, UnitId]:
    """Visible units by key, the newest of each."""
    rows = db.rows(
        f"""
        SELECT u.key, u.id FROM units u INDEXED BY units_by_key
        WHERE u.key IN (SELECT value FROM json_each(:keys)) AND {visible(scope)} ORDER BY u.id
        """,
        in_scope(scope, keys=json.dumps(list(keys))),
    )
    return {key: UnitId(unit) for key, unit in rows}


def read_slot_units(db: Database, scope: Scope, slots: Sequence[str], subject: str | None) -> list[Unit]:
    """Newest first."""
    rows = db.rows(
        f"""
        SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_by_slot
        WHERE u.slot IN (SELECT value FROM json_each(:slots)) AND {visible(scope)}
            {"" if subject is None else "AND u.subject = :subject"} ORDER BY u.id DESC
        """,
        in_scope(scope, slots=json.dumps(list(slots)), subject=subject),
    )
    return [unit_from(row) for row in rows]
