"""`SqliteHealth`: the engine's HealthStore in SQLite. A tally is one row of `meta`."""

from __future__ import annotations

import logging

from edge.memory.health import Tally
from edge.memory.units import OwnerId
from edge.store.database import Database

_log = logging.getLogger(__name__)
TALLY = "health:"
"""What stands before an owner in the name of their row."""


class SqliteHealth:
    """See HealthStore for what each method means. One that cannot be read begins anew."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def tally(self, owner: OwnerId) -> Tally:
        row = self._db.row("SELECT value FROM meta WHERE name = ?", (TALLY + owner,))
        return Tally() if row is None else _read(row[0])

    def tallies(self) -> list[Tally]:
        rows = self._db.rows("SELECT value FROM meta WHERE name GLOB ? ORDER BY name", (f"{TALLY}*",))
        return [_read(value) for (value,) in rows]

    def keep(self, owner: OwnerId, tally: Tally) -> None:
        with self._db.relaxed_transaction() as writing:
            writing.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (TALLY + owner, tally.text))


def _read(value: object) -> Tally:
    try:
        return Tally.read(str(value))
    except ValueError:
        _log.warning("a count of recalls in the database is not valid; it begins anew")
        return Tally()
