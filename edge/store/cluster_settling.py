"""Settling a run: it is undone no more, and most of where it put units is dropped. Works inside the caller's
transaction.

A placement goes that says nothing but what the unit says itself: it came from nowhere and is still where the run put
it. The others stay, for the person's placements hold (see `HELD` in `cluster_applying`), what was looked at in vain is
counted, and of a unit that is forgotten its words leave all clusters where it ever was.
"""

from __future__ import annotations

import sqlite3

from edge.memory.clusters import RunId, Why
from edge.memory.units import OwnerId

_OLDEST = """
    SELECT id FROM cluster_runs WHERE owner = :owner AND state = 'done' AND settled = 0 AND sequence <= (
        SELECT sequence FROM cluster_runs WHERE owner = :owner AND state = 'done'
        ORDER BY sequence DESC LIMIT 1 OFFSET :kept)
    ORDER BY sequence LIMIT 1
"""
_DROP = f"""
    DELETE FROM cluster_placements AS p WHERE p.run = :run AND p.before IS NULL
        AND p.cluster = (SELECT u.cluster FROM units u WHERE u.id = p.unit)
        AND NOT EXISTS (SELECT 1 FROM cluster_placements o WHERE o.unit = p.unit AND o.why = '{Why.PERSON.value}')
"""


def settle(db: sqlite3.Connection, owner: OwnerId, kept: int) -> RunId | None:
    """Settle the oldest run in force that is neither settled nor among the newest in force, of which as many are kept;
    None where there is none."""
    found = db.execute(_OLDEST, {"owner": owner, "kept": kept}).fetchone()
    if found is None:
        return None
    run = RunId(found[0])
    db.execute(_DROP, {"run": run})
    db.execute("UPDATE cluster_changes SET before_centroid = NULL WHERE run = ?", (run,))
    db.execute("UPDATE cluster_runs SET settled = 1 WHERE id = ?", (run,))
    return run
