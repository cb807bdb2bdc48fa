"""The ninth change of the schema: what was compared with the others of its cluster. Released changes are never
edited."""

from __future__ import annotations

MERGING = (
    # In which cluster a unit was compared with the others.
    """
    CREATE TABLE merged (
        unit INTEGER PRIMARY KEY REFERENCES units (id) ON DELETE CASCADE,
        cluster INTEGER NOT NULL
    ) STRICT
    """,
)
