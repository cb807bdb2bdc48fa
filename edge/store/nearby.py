"""What ranking reads of units beside their rows: their token codes, and where in the talk they were said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edge.memory.places import Place
from edge.memory.units import OwnerId, SessionId, UnitId
from edge.store.database import Database
from edge.store.embeddings import embedder_number
from edge.store.rows import json_ids

_SIZES = """
    SELECT v.unit, sum(length(v.codes)) FROM embeddings v INDEXED BY embeddings_of_unit
    WHERE v.unit IN (SELECT value FROM json_each(:ids)) AND v.embedder = :embedder
        AND EXISTS (SELECT 1 FROM units u WHERE u.id = v.unit AND u.owner = :owner)
    GROUP BY v.unit
"""
_CODES = """
    SELECT v.unit, v.codes FROM embeddings v INDEXED BY embeddings_of_unit
    WHERE v.unit IN (SELECT value FROM json_each(:ids)) AND v.embedder = :embedder ORDER BY v.unit, v.chunk
"""
_IN_TURN = "SELECT {}(n.id) FROM units n WHERE n.kind = 'episode' AND n.source_turn = "
_BEFORE = "(SELECT max(id) FROM turns WHERE owner = :owner AND session = t.session AND id < t.id)"
_AFTER = "(SELECT min(id) FROM turns WHERE owner = :owner AND session = t.session AND id > t.id)"
_PLACES = f"""
    SELECT u.id, t.session,
        coalesce(({_IN_TURN.format("max")} t.id AND n.id < u.id), ({_IN_TURN.format("max")} {_BEFORE})),
        coalesce(({_IN_TURN.format("min")} t.id AND n.id > u.id), ({_IN_TURN.format("min")} {_AFTER}))
    FROM units u JOIN turns t ON t.id = u.source_turn
    WHERE u.id IN (SELECT value FROM json_each(:ids)) AND u.owner = :owner
"""


def read_sizes(db: Database, owner: OwnerId, embedder: str, ids: Sequence[UnitId]) -> dict[UnitId, int]:
    """Bytes of the codes of those units that are the owner's and have some: a blob that is not wanted is not read."""
    if not ids:
        return {}
    asked = {"owner": owner, "embedder": embedder_number(db, embedder), "ids": json_ids(ids)}
    return {UnitId(unit): size for unit, size in db.rows(_SIZES, asked)}


def read_codes(db: Database, embedder: str, ids: Sequence[UnitId]) -> dict[UnitId, tuple[bytes, ...]]:
    """Chunk by chunk."""
    codes: dict[UnitId, tuple[bytes, ...]] = {}
    asked = {"embedder": embedder_number(db, embedder), "ids": json_ids(ids)}
    for unit, code in db.rows(_CODES, asked) if ids else ():
        codes[UnitId(unit)] = (*codes.get(UnitId(unit), ()), code)
    return codes


def within(sizes: Mapping[UnitId, int], ids: Sequence[UnitId], limit: int) -> list[UnitId]:
    """The first of the ids whose sizes are within the limit together."""
    chosen: list[UnitId] = []
    for unit in ids:
        limit -= sizes[unit]
        if limit < 0:
            break
        chosen.append(unit)
    return chosen


def read_places(db: Database, owner: OwnerId, ids: Sequence[UnitId]) -> dict[UnitId, Place]:
    """Those that were said in a turn."""
    rows = db.rows(_PLACES, {"owner": owner, "ids": json_ids(ids)})
    return {UnitId(unit): Place(SessionId(session), before, after) for unit, session, before, after in rows}
