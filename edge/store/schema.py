"""The schema, as the sequence of changes that made it.

A change that was released is never edited: what comes later is a new one at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge.store.schema_clusters import CLUSTERS
from edge.store.schema_evolving import EVOLVING
from edge.store.schema_merging import MERGING
from edge.store.schema_nights import NIGHTS
from edge.store.schema_readings import READINGS
from edge.store.schema_sessions import SESSIONS
from edge.store.schema_told import TOLD

APPLICATION_ID = 0x45444745
"""`EDGE`: marks a database file as one of ours."""


@dataclass(frozen=True, slots=True)
class Migration:
    """A named change of the schema. It imports no enums: they may grow, what was released does not."""

    name: str
    statements: tuple[str, ...]


_KINDS = "'user_profile', 'session_state', 'tool_result', 'fact_reference', 'batch_operation', 'episode'"
_SOURCES = "'user', 'tool', 'assistant', 'import'"
_STATES = "'open', 'done', 'cut', 'cancelled', 'failed', 'interrupted'"

_FIRST = Migration(
    "001_turns_units_embeddings",
    (
        "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL, version TEXT NOT NULL) STRICT",
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID",
        "INSERT INTO meta VALUES ('generation', 0)",
        f"""
        CREATE TABLE turns (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            session TEXT NOT NULL,
            message TEXT NOT NULL,
            reply TEXT NOT NULL DEFAULT '',
            state TEXT NOT NULL CHECK (state IN ({_STATES})),
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            CHECK ((state = 'open') = (ended_at IS NULL))
        ) STRICT
        """,
        "CREATE INDEX turns_of_session ON turns (owner, session, id, started_at)",
        "CREATE INDEX turns_open ON turns (state) WHERE state = 'open'",
        f"""
        CREATE TABLE units (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            owner TEXT NOT NULL,
            session TEXT,
            kind TEXT NOT NULL CHECK (kind IN ({_KINDS})),
            content TEXT NOT NULL,
            subject TEXT NOT NULL,
            slot TEXT,
            value TEXT,
            entities TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(entities)),
            source TEXT NOT NULL CHECK (source IN ({_SOURCES})),
            source_turn INTEGER REFERENCES turns (id),
            quote TEXT,
            confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
            importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
            task_type TEXT,
            created_at INTEGER NOT NULL,
            valid_from INTEGER NOT NULL,
            valid_until INTEGER,
            relevance REAL NOT NULL DEFAULT 1.0,
            cluster INTEGER,
            intent_vector BLOB,
            access_count INTEGER NOT NULL DEFAULT 0 CHECK (access_count >= 0),
            last_accessed INTEGER,
            superseded_by INTEGER REFERENCES units (id) ON DELETE SET NULL,
            archived_at INTEGER,
            key TEXT NOT NULL
        ) STRICT
        """,
        "CREATE INDEX units_of_owner ON units (owner)",
        "CREATE INDEX units_visible ON units (owner, kind, session, valid_from, valid_until, archived_at)",
        "CREATE INDEX units_by_key ON units (owner, key)",
        "CREATE INDEX units_by_slot ON units (owner, slot, subject) WHERE slot IS NOT NULL",
        "CREATE INDEX units_by_turn ON units (source_turn) WHERE source_turn IS NOT NULL",
        "CREATE INDEX units_by_successor ON units (superseded_by)",
        """
        CREATE TABLE confirmations (
            unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            turn INTEGER NOT NULL REFERENCES turns (id),
            PRIMARY KEY (unit, turn)
        ) STRICT, WITHOUT ROWID
        """,
        # Terms come ready-made from edge.memory.text, separated by spaces; ascii takes them exactly as they are.
        """CREATE VIRTUAL TABLE units_text USING fts5(terms, tokenize = "ascii tokenchars '.@'")""",
        "CREATE VIRTUAL TABLE units_terms USING fts5vocab(units_text, row)",
        """
        CREATE TABLE embeddings (
            unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            chunk INTEGER NOT NULL,
            embedder TEXT NOT NULL,
            vector BLOB NOT NULL,
            codes BLOB NOT NULL
        ) STRICT
        """,
        "CREATE UNIQUE INDEX embeddings_by_unit ON embeddings (embedder, unit, chunk)",
        "CREATE INDEX embeddings_of_unit ON embeddings (unit)",
        # Units that wait for an embedding by the embedder that `meta` names.
        "CREATE TABLE backlog (unit INTEGER PRIMARY KEY REFERENCES units (id) ON DELETE CASCADE) STRICT",
        f"PRAGMA application_id = {APPLICATION_ID}",
    ),
)

_KEY = "embedder || '/' || (length(vector) / 4)"
"""What the engine calls an embedder since: with its dimension, so that another one under the same name never mixes."""

_SECOND = Migration(
    "002_numbered_embeddings",
    (
        # Whether it was replaced, also when what replaced it is forgotten.
        "ALTER TABLE units ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0 CHECK (superseded IN (0, 1))",
        "UPDATE units SET superseded = 1 WHERE superseded_by IS NOT NULL",
        "CREATE INDEX units_superseded ON units (id) WHERE superseded = 1",
        # All that decides whether a unit is visible: what ended is passed over, the rest is read from the index alone.
        "DROP INDEX units_visible",
        """
        CREATE INDEX units_alive
        ON units (owner, session, valid_until, kind, valid_from, created_at, archived_at, superseded)
        """,
        "CREATE INDEX units_dated ON units (owner, valid_from) WHERE valid_from <> created_at",
        # The old rows are copied and dropped. Blanking their pages would write each vector once more for nothing: what
        # stays in unused pages is of units that live, and forgetting one writes the database anew.
        "PRAGMA secure_delete = FAST",
        "ALTER TABLE embeddings RENAME TO embeddings_unnumbered",
        """
        CREATE TABLE embedders (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            dimension INTEGER,
            dropping INTEGER NOT NULL DEFAULT 0 CHECK (dropping IN (0, 1))
        ) STRICT
        """,
        f"""
        INSERT INTO embedders (name, dimension)
        SELECT {_KEY}, length(vector) / 4 FROM embeddings_unnumbered GROUP BY 1, 2
        """,
        """
        CREATE TABLE embeddings (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            embedder INTEGER NOT NULL REFERENCES embedders (id),
            unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            chunk INTEGER NOT NULL,
            vector BLOB NOT NULL,
            codes BLOB NOT NULL
        ) STRICT
        """,
        # In the order of an index: sorting a million vectors would take as much room again.
        f"""
        INSERT INTO embeddings (embedder, unit, chunk, vector, codes)
        SELECT (SELECT id FROM embedders WHERE name = {_KEY}), unit, chunk, vector, codes
        FROM embeddings_unnumbered INDEXED BY embeddings_by_unit ORDER BY embedder, unit, chunk
        """,
        "DELETE FROM meta WHERE name = 'generation'",
        # Without vectors its dimension is not known; the engine names it anew.
        """
        DELETE FROM meta WHERE name = 'embedder'
            AND NOT EXISTS (SELECT 1 FROM embeddings_unnumbered WHERE embedder = value)
        """,
        f"""
        UPDATE meta SET value = (
            SELECT {_KEY} FROM embeddings_unnumbered WHERE embedder = value ORDER BY unit DESC, chunk DESC LIMIT 1)
        WHERE name = 'embedder'
        """,
        "DROP TABLE embeddings_unnumbered",
        "CREATE UNIQUE INDEX embeddings_of_unit ON embeddings (unit, embedder, chunk)",
        # Every index ends in the rowid, which is the number here.
        "CREATE INDEX embeddings_by_number ON embeddings (embedder)",
        # Units that wait for an embedding, by each embedder that was named.
        "DROP TABLE backlog",
        """
        CREATE TABLE backlog (
            embedder INTEGER NOT NULL REFERENCES embedders (id),
            unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
            PRIMARY KEY (embedder, unit)
        ) STRICT, WITHOUT ROWID
        """,
        """
        INSERT INTO backlog (embedder, unit) SELECT e.id, u.id FROM embedders e CROSS JOIN units u
        WHERE NOT EXISTS (SELECT 1 FROM embeddings v WHERE v.unit = u.id AND v.embedder = e.id)
        """,
        "CREATE INDEX backlog_of_unit ON backlog (unit)",
        # Units whose embeddings are gone, until no index needs to be told.
        """
        CREATE TABLE forgotten (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            embedder INTEGER NOT NULL REFERENCES embedders (id),
            unit INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX forgotten_by_number ON forgotten (embedder)",
        # What indexes leave here to know this history of the store by.
        """
        CREATE TABLE marks (
            embedder INTEGER NOT NULL REFERENCES embedders (id),
            mark TEXT NOT NULL,
            PRIMARY KEY (embedder, mark)
        ) STRICT, WITHOUT ROWID
        """,
        "PRAGMA secure_delete = ON",
    ),
)

_THIRD = Migration("003_lives_contexts_batches", SESSIONS)
_FOURTH = Migration("004_clusters", CLUSTERS)

_FIFTH = Migration(
    "005_distilling",
    (
        # Up to which unit the words of an owner were read for what they tell of the person.
        "CREATE TABLE distilling (owner TEXT PRIMARY KEY, through INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    ),
)

_SIXTH = Migration("006_nights", NIGHTS)
_SEVENTH = Migration("007_readings", READINGS)
_EIGHTH = Migration("008_told_together", TOLD)
_NINTH = Migration("009_merging", MERGING)
_TENTH = Migration("010_evolving", EVOLVING)
_ELEVENTH = Migration(
    "011_intents",
    (
        # What the last turns of a topic were for and about (edge.memory.intent_vectors); units.intent_vector is that of
        # the turn which a unit came from.
        "ALTER TABLE topics ADD COLUMN intent BLOB",
    ),
)

MIGRATIONS = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH, _SEVENTH, _EIGHTH, _NINTH, _TENTH, _ELEVENTH)
