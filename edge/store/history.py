"""What took the place of what, what a slot ever held, and the words that units come from."""

from __future__ import annotations

import json
from collections.abc import Sequence

from edge.engine.ports import Scope
from edge.engine.truth_ports import Provenance
from edge.memory.archive import BY_TIME
from edge.memory.units import OwnerId, Turn, Unit, UnitId
from edge.store.database import Database
from edge.store.reads import read_unit
from edge.store.rows import TURN_COLUMNS, UNIT_COLUMNS, turn_from, unit_from

_CHAIN = f"""
    WITH RECURSIVE chain (id) AS (
        SELECT :unit
        UNION SELECT u.superseded_by FROM units u JOIN chain c ON u.id = c.id WHERE u.superseded_by IS NOT NULL
        UNION SELECT u.id FROM units u JOIN chain c ON u.superseded_by = c.id)
    SELECT {UNIT_COLUMNS} FROM units u WHERE u.id IN (SELECT id FROM chain) AND u.owner = :owner ORDER BY u.id
"""
_VERSIONS = f"""
    SELECT {UNIT_COLUMNS} FROM units u INDEXED BY units_by_slot
    WHERE u.owner = :owner AND u.slot IN (SELECT value FROM json_each(:slots)) AND u.subject = :subject
        AND (u.session IS NULL OR u.session = :session)
        AND (u.archived_at IS NULL OR u.archived_why IN (SELECT value FROM json_each(:by_time)))
    ORDER BY u.id
"""
_CONFIRMING = f"""
    SELECT {TURN_COLUMNS} FROM turns WHERE owner = :owner
        AND id IN (SELECT turn FROM confirmations WHERE unit = :unit) AND id IS NOT :source ORDER BY id
"""


def read_history(db: Database, owner: OwnerId, unit: UnitId) -> list[Unit]:
    """Oldest first. Raises MemoryNotFound."""
    read_unit(db, owner, unit)
    return [unit_from(row) for row in db.rows(_CHAIN, {"unit": unit, "owner": owner})]


def read_versions(db: Database, scope: Scope, slots: Sequence[str], subject: str) -> list[Unit]:
    """Current and ended, oldest first."""
    parameters = {
        "owner": scope.owner, "session": scope.session, "slots": json.dumps(list(slots)), "subject": subject,
        "by_time": json.dumps([why.value for why in sorted(BY_TIME)]),
    }  # fmt: skip
    found = [unit_from(row) for row in db.rows(_VERSIONS, parameters)]
    return [unit for unit in found if scope.kinds is None or unit.kind in scope.kinds]


def read_provenance(db: Database, owner: OwnerId, unit: UnitId) -> Provenance:
    """Raises MemoryNotFound."""
    found = read_unit(db, owner, unit)
    row = db.row("SELECT quote FROM units WHERE id = ?", (unit,))
    parameters = {"owner": owner, "unit": unit, "source": found.source_turn}
    confirming = [turn_from(row) for row in db.rows(_CONFIRMING, parameters)]
    return Provenance(found, None if row is None else row[0], _source(db, found), tuple(confirming))


def _source(db: Database, unit: Unit) -> Turn | None:
    if unit.source_turn is None:
        return None
    row = db.row(f"SELECT {TURN_COLUMNS} FROM turns WHERE id = ?", (unit.source_turn,))
    return None if row is None else turn_from(row)
