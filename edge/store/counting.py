"""How much there is, of an owner or of everyone."""

from __future__ import annotations

from edge.memory.units import OwnerId
from edge.store.database import Database
from edge.store.embeddings import count_backlog, embedder_number, read_embedder

_OF_OWNER = """
    SELECT (SELECT count(*) FROM units WHERE owner = :owner),
        (SELECT count(*) FROM turns WHERE owner = :owner),
        (SELECT count(DISTINCT session) FROM turns WHERE owner = :owner),
        (SELECT ifnull(sum(length(CAST(content AS BLOB))), 0) FROM units WHERE owner = :owner)
        + (SELECT ifnull(sum(length(CAST(message AS BLOB)) + length(CAST(reply AS BLOB))), 0)
            FROM turns WHERE owner = :owner)
"""
_OF_EVERYONE = """
    SELECT (SELECT count(*) FROM units), (SELECT count(*) FROM turns),
        (SELECT count(*) FROM (SELECT DISTINCT owner, session FROM turns)), :size
"""
_WAITING_OF_OWNER = """
    SELECT count(*) FROM backlog b CROSS JOIN units u ON u.id = b.unit WHERE b.embedder = ? AND u.owner = ?
"""


def read_counts(db: Database, owner: OwnerId | None) -> dict[str, int]:
    """See `SqliteStore.counts`."""
    row = db.row(_OF_EVERYONE, {"size": db.size()}) if owner is None else db.row(_OF_OWNER, {"owner": owner})
    assert row is not None
    counts = dict(zip(("units", "turns", "sessions", "bytes"), row, strict=True))
    return {**counts, "unembedded": _waiting(db, owner, counts["units"])}


def _waiting(db: Database, owner: OwnerId | None, units: int) -> int:
    embedder = read_embedder(db)
    if embedder is None:
        return units
    if owner is None:
        return count_backlog(db, embedder)
    row = db.row(_WAITING_OF_OWNER, (embedder_number(db, embedder), owner))
    assert row is not None
    return int(row[0])
