"""The tables of what was told in the same words."""

from __future__ import annotations

TOLD = (
    # `words` say more than the `fact` that was drawn from them, and hold no longer than it does.
    """
    CREATE TABLE told_together (
        fact INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
        words INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
        PRIMARY KEY (fact, words)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX told_by_words ON told_together (words)",
)
