"""The tenth change of the schema: clusters that were looked at since they grew, and runs that are settled. Released
changes are never edited."""

from __future__ import annotations

EVOLVING = (
    # How many members a cluster had, and its newest, when its words were last looked at.
    """
    CREATE TABLE evolved (
        cluster INTEGER PRIMARY KEY REFERENCES clusters (id) ON DELETE CASCADE,
        members INTEGER NOT NULL,
        newest INTEGER NOT NULL
    ) STRICT
    """,
    # A run that is settled is undone no more, and what undoing alone needs is not kept of it.
    "ALTER TABLE cluster_runs ADD COLUMN settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1))",
)
