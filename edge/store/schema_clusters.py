"""The fourth change of the schema: clusters, and the runs that change them. Released changes are never edited."""

from __future__ import annotations

CLUSTERS: tuple[str, ...] = (
    # Topics of an owner. One that is `gone` was dissolved or undone; undoing may bring it back under its id.
    """
    CREATE TABLE clusters (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        key TEXT NOT NULL,
        description TEXT NOT NULL,
        tags TEXT NOT NULL CHECK (json_valid(tags)),
        named_by TEXT NOT NULL,
        coarse TEXT,
        centroid BLOB,
        embedder TEXT,
        made_at INTEGER NOT NULL,
        archived_at INTEGER,
        gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1))
    ) STRICT
    """,
    "CREATE INDEX clusters_of_owner ON clusters (owner, gone)",
    # All that is counted of a cluster's members; and what is in none, by id.
    """
    CREATE INDEX units_in_cluster ON units (owner, cluster, superseded, archived_at, last_accessed, created_at)
    """,
    """
    CREATE INDEX units_unplaced ON units (owner)
    WHERE cluster IS NULL AND superseded = 0 AND archived_at IS NULL
    """,
    # What organised them, and the person's edits. `sequence` is the order in which runs came into force.
    """
    CREATE TABLE cluster_runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        owner TEXT NOT NULL,
        trigger TEXT NOT NULL,
        seed INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        model TEXT,
        prompts TEXT,
        embedder TEXT,
        state TEXT NOT NULL CHECK (state IN ('open', 'done', 'abandoned', 'undone')),
        phase TEXT NOT NULL DEFAULT '',
        note TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(note)),
        why TEXT NOT NULL DEFAULT '',
        counts TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(counts)),
        sequence INTEGER,
        began_at INTEGER NOT NULL,
        ended_at INTEGER,
        CHECK ((state = 'open') = (ended_at IS NULL))
    ) STRICT
    """,
    "CREATE INDEX cluster_runs_of_owner ON cluster_runs (owner, id)",
    "CREATE UNIQUE INDEX cluster_runs_open ON cluster_runs (owner) WHERE state = 'open'",
    "CREATE UNIQUE INDEX cluster_runs_in_force ON cluster_runs (owner, sequence) WHERE state = 'done'",
    # What a run does to clusters: prepared while it is open, what was and what came once it is done. Profiles are
    # JSON; `before` and its centroid are what undoing restores. A new cluster has a number before it has an id.
    """
    CREATE TABLE cluster_changes (
        id INTEGER PRIMARY KEY,
        run INTEGER NOT NULL REFERENCES cluster_runs (id) ON DELETE CASCADE,
        action TEXT NOT NULL CHECK (action IN ('create', 'reprofile', 'dissolve')),
        cluster INTEGER,
        number INTEGER,
        before TEXT CHECK (before IS NULL OR json_valid(before)),
        before_centroid BLOB,
        before_embedder TEXT,
        after TEXT CHECK (after IS NULL OR json_valid(after)),
        centroid BLOB,
        into_cluster INTEGER,
        into_number INTEGER,
        why TEXT NOT NULL
    ) STRICT
    """,
    "CREATE UNIQUE INDEX cluster_changes_of_cluster ON cluster_changes (run, cluster)",
    "CREATE UNIQUE INDEX cluster_changes_of_number ON cluster_changes (run, number)",
    "CREATE INDEX cluster_changes_by_cluster ON cluster_changes (cluster) WHERE cluster IS NOT NULL",
    # Where a run puts units, and where they were.
    """
    CREATE TABLE cluster_placements (
        run INTEGER NOT NULL REFERENCES cluster_runs (id) ON DELETE CASCADE,
        unit INTEGER NOT NULL REFERENCES units (id) ON DELETE CASCADE,
        before INTEGER,
        cluster INTEGER,
        number INTEGER,
        why TEXT NOT NULL,
        score REAL NOT NULL,
        checked INTEGER CHECK (checked IN (0, 1)),
        PRIMARY KEY (run, unit)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX cluster_placements_of_unit ON cluster_placements (unit)",
)
