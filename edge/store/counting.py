"""How much there is, of an owner or of everyone."""

from __future__ import annotations

from edge.memory.units import OwnerId
from edge.store.database import Database

_OF_OWNER = """
    SELECT (SELECT count(*) FROM units WHERE owner = :owner),
        (SELECT count(*) FROM turns WHERE owner = :owner),
        (SELECT count(DISTINCT session) FROM turns WHERE owner = :owner),
        (SELECT count(*) FROM backlog b JOIN units u ON u.id = b.unit WHERE u.owner = :owner),
        (SELECT ifnull(sum(length(CAST(content AS BLOB))), 0) FROM units WHERE owner = :owner)
        + (SELECT ifnull(sum(length(CAST(message AS BLOB)) + length(CAST(reply AS BLOB))), 0)
            FROM turns WHERE owner = :owner)
"""
_OF_EVERYONE = """
    SELECT (SELECT count(*) FROM units), (SELECT count(*) FROM turns),
        (SELECT count(*) FROM (SELECT DISTINCT owner, session FROM turns)), (SELECT count(*) FROM backlog), :size
"""


def read_counts(db: Database, owner: OwnerId | None) -> dict[str, int]:
    """See `SqliteStore.counts`."""
    row = db.row(_OF_EVERYONE, {"size": db.size()}) if owner is None else db.row(_OF_OWNER, {"owner": owner})
    assert row is not None
    return dict(zip(("units", "turns", "sessions", "unembedded", "bytes"), row, strict=True))
