"""Upkeep of the full text: its terms merged after forgetting, and the levels that this leaves behind.

FTS5 keeps its terms in levels of segments; a small record says which there are. In SQLite 3.40, which Debian 12 has,
each `optimize` adds two levels to it, empty but for the last, and a record of over 2,000 levels is taken for damage:
then nothing can be searched or written any more. `rebuild` begins at the first level again, and is dearer.
"""

from __future__ import annotations

import sqlite3

_MANY_BYTES = 1024
"""Of the record, in which an empty level takes two bytes and a segment about six: half way to where it is damage."""
_MERGED_PAGES = 100
"""Pages of 4 KiB that one step of merging writes: a few milliseconds, and a few tens on a card."""
_RECORD_BYTES = "SELECT length(block) FROM units_text_data WHERE id = 10"
_COMMAND = "INSERT INTO units_text (units_text) VALUES (?)"
_BEGIN_ANEW = (
    "DELETE FROM units_text_data",
    "DELETE FROM units_text_idx",
    "INSERT INTO units_text_data VALUES (1, x''), (10, x'00000000000000')",
)
"""What FTS5 itself writes for a table without rows: sums and levels of nothing."""


def merge_terms(db: sqlite3.Connection) -> None:
    """Write the segments anew: before it, a removed row's terms stand in them beside a mark. Inside a transaction."""
    db.execute(_COMMAND, ("rebuild" if _record_bytes(db) > _MANY_BYTES else "optimize",))


def merge_some(db: sqlite3.Connection) -> bool:
    """Write up to `_MERGED_PAGES` pages of merged segments; True where there was something to merge.

    Where a level has two segments they become one of the next level, which adds no empty ones as `optimize` does.
    Inside a transaction.
    """
    db.execute("INSERT INTO units_text (units_text, rank) VALUES ('usermerge', 2)")
    before = db.total_changes
    db.execute("INSERT INTO units_text (units_text, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))
    return db.total_changes - before >= 2


def mend_levels(db: sqlite3.Connection) -> None:
    """Build the full text anew from its rows, where an earlier version let the levels grow until FTS5 refuses it."""
    if _record_bytes(db) <= 2 * _MANY_BYTES:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in _BEGIN_ANEW:
            db.execute(statement)
        db.execute(_COMMAND, ("rebuild",))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _record_bytes(db: sqlite3.Connection) -> int:
    row = db.execute(_RECORD_BYTES).fetchone()
    return 0 if row is None else int(row[0])
