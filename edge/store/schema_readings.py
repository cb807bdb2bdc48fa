"""The seventh change of the schema: how a language model read units. Released changes are never edited."""

from __future__ import annotations

READINGS: tuple[str, ...] = (
    # Numbers that can be made again, gone with the unit.
    """
    CREATE TABLE readings (
        unit INTEGER PRIMARY KEY REFERENCES units (id) ON DELETE CASCADE,
        reader TEXT NOT NULL,
        numbers BLOB NOT NULL
    ) STRICT
    """,
)
