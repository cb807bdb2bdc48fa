"""What forgetting leaves in the files, and its removal: copies nothing finds any more, which must go all the same.

A removed row's terms stand in the full text beside a mark until its segments are merged. SQLite's secure_delete blanks
the rows it removes, but not the copies that stayed in the unused part of a page when neighbouring rows were moved to
another: those go when the database is written anew. Earlier versions of pages stand in the write-ahead log until that
is emptied.

All this takes time in proportion to what is kept, not to what is forgotten. So it is done at once for one who forgets
now and then, and in a long row of forgettings as often as a tenth of the time allows.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress

from edge.clock import Clock
from edge.errors import DiskFull
from edge.store.database import Database
from edge.store.full_text import merge_terms

REWRITTEN_AT_ONCE = 32 * 1024 * 1024
"""Bytes of a database up to which it is written anew when something was forgotten: under a second. A larger one waits
for `remove`."""
SECONDS_IN_HAND = 2.0
"""What removal may take at once after a while in which nothing was forgotten."""
SHARE = 0.1
"""Of the time, that removal may take after that."""

_TERMS_AND_PAGES, _PAGES = 2, 1
"""What is due, as it is noted in `meta`."""


def note_traces(db: sqlite3.Connection) -> None:
    """Note that something was forgotten. Inside the transaction that does."""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('traces', ?)", (_TERMS_AND_PAGES,))


class Traces:
    """The traces in the files of one database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._in_hand = SECONDS_IN_HAND
        self._counted = clock.monotonic()

    def remove_in_time(self) -> bool:
        """Remove them where that is quick and its share of the time allows it; else they stay due. True where some are
        due. What was forgotten is forgotten all the same where there is no room for their removal."""
        if self._due() is None or not self._has_time():
            return self._due() is not None
        began = self._clock.monotonic()
        with suppress(DiskFull):
            self._remove(pages=self._db.size() <= REWRITTEN_AT_ONCE)
        self._in_hand -= self._clock.monotonic() - began
        return self._due() is not None

    def remove(self) -> bool:
        """Remove them, however long that takes; whether there were any."""
        if self._due() is None:
            return False
        self._remove(pages=True)
        return True

    def _has_time(self) -> bool:
        """Whether some is in hand, with what has come since the last look."""
        now = self._clock.monotonic()
        self._in_hand = min(SECONDS_IN_HAND, self._in_hand + SHARE * (now - self._counted))
        self._counted = now
        return self._in_hand > 0

    def _due(self) -> int | None:
        row = self._db.row("SELECT value FROM meta WHERE name = 'traces'")
        return None if row is None else int(row[0])

    def _remove(self, *, pages: bool) -> None:
        if self._due() == _TERMS_AND_PAGES:
            with self._db.relaxed_transaction() as writing:
                merge_terms(writing)
                writing.execute("INSERT OR REPLACE INTO meta VALUES ('traces', ?)", (_PAGES,))
        self._db.checkpoint()
        if pages:
            self._db.rewrite()
            with self._db.relaxed_transaction() as writing:
                writing.execute("DELETE FROM meta WHERE name = 'traces'")
