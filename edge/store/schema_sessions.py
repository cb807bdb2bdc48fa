"""The third change of the schema: why units ended, and what sessions are about and busy with."""

from __future__ import annotations

SESSIONS: tuple[str, ...] = (
    # Why a unit ended (Ending of edge.memory.units) or left the active set (Why of edge.memory.archive).
    "ALTER TABLE units ADD COLUMN ended_why TEXT",
    "ALTER TABLE units ADD COLUMN archived_why TEXT",
    "CREATE INDEX units_archived ON units (owner, archived_at) WHERE archived_at IS NOT NULL",
    # What may be due to leave it.
    """
        CREATE INDEX units_ended ON units (owner, superseded, valid_until)
        WHERE archived_at IS NULL AND valid_until IS NOT NULL
        """,
    "CREATE INDEX units_lowered ON units (owner, relevance) WHERE archived_at IS NULL AND relevance < 1.0",
    # Turns that are removed are looked for here.
    "CREATE INDEX confirmations_by_turn ON confirmations (turn)",
    # What a session is doing, as its agent told it: compact JSON.
    """
        CREATE TABLE session_contexts (
            owner TEXT NOT NULL,
            session TEXT NOT NULL,
            context TEXT NOT NULL CHECK (json_valid(context)),
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (owner, session)
        ) STRICT, WITHOUT ROWID
        """,
    # Threads of a session; its state belongs to the one that runs. `terms`: the person's words, each with a count.
    """
        CREATE TABLE topics (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            session TEXT NOT NULL,
            terms TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(terms)),
            vector BLOB,
            started_turn INTEGER NOT NULL REFERENCES turns (id),
            last_turn INTEGER NOT NULL REFERENCES turns (id)
        ) STRICT
        """,
    "CREATE INDEX topics_of_session ON topics (owner, session, last_turn)",
    "CREATE INDEX topics_by_start ON topics (started_turn)",
    "CREATE INDEX topics_by_turn ON topics (last_turn)",
    "ALTER TABLE units ADD COLUMN topic INTEGER REFERENCES topics (id) ON DELETE SET NULL",
    "CREATE INDEX units_of_topic ON units (topic) WHERE topic IS NOT NULL",
    # Two statements of equal standing that cannot both hold, until the person says which does.
    """
        CREATE TABLE contradictions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            older INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            newer INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            marked_at INTEGER NOT NULL,
            asked_turn INTEGER REFERENCES turns (id),
            settled_at INTEGER,
            outcome TEXT
        ) STRICT
        """,
    "CREATE INDEX contradictions_open ON contradictions (owner, asked_turn) WHERE settled_at IS NULL",
    "CREATE INDEX contradictions_by_question ON contradictions (asked_turn) WHERE asked_turn IS NOT NULL",
    "CREATE INDEX contradictions_by_older ON contradictions (older)",
    "CREATE INDEX contradictions_by_newer ON contradictions (newer)",
    # Work on many items: `handled` of `total` were tried, in order; those that failed are listed.
    """
        CREATE TABLE batches (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            session TEXT NOT NULL,
            task TEXT NOT NULL,
            unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            total INTEGER NOT NULL CHECK (total > 0),
            handled INTEGER NOT NULL DEFAULT 0 CHECK (handled BETWEEN 0 AND total),
            last_success INTEGER,
            state TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled')),
            started_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            UNIQUE (owner, session, task)
        ) STRICT
        """,
    "CREATE INDEX batches_by_unit ON batches (unit)",
    """
        CREATE TABLE batch_failures (
            batch INTEGER NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            item INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (batch, item)
        ) STRICT, WITHOUT ROWID
        """,
)
