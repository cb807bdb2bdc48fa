"""The sixth change of the schema: nights, and the count of forgettings. Released changes are never edited."""

from __future__ import annotations

_NOTE = """
    INSERT INTO meta VALUES ('forgettings', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
"""

NIGHTS: tuple[str, ...] = (
    """
    CREATE TABLE nights (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        why TEXT NOT NULL,
        owner TEXT,
        began_at INTEGER NOT NULL,
        ended_at INTEGER,
        state TEXT NOT NULL CHECK (state IN ('open', 'done', 'spent'))
    ) STRICT
    """,
    # Its steps; `owner` is empty for those of the whole store. `place` is their order.
    """
    CREATE TABLE night_parts (
        night INTEGER NOT NULL REFERENCES nights (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        step TEXT NOT NULL,
        owner TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'failed')),
        seconds REAL NOT NULL,
        tokens INTEGER NOT NULL,
        works INTEGER NOT NULL,
        counts TEXT NOT NULL CHECK (json_valid(counts)),
        failure TEXT,
        PRIMARY KEY (night, step, owner)
    ) STRICT, WITHOUT ROWID
    """,
    # What an owner had when the last night began.
    """
    CREATE TABLE night_counts (
        owner TEXT PRIMARY KEY,
        units INTEGER NOT NULL,
        turns INTEGER NOT NULL,
        tasks INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    # A backup tells by it whether it holds what was forgotten since, whichever way it was removed.
    f"CREATE TRIGGER units_removed AFTER DELETE ON units BEGIN {_NOTE}; END",
    f"CREATE TRIGGER turns_removed AFTER DELETE ON turns BEGIN {_NOTE}; END",
)
