"""Embeddings: derived from the units, kept so that an index can be built without the embedder."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence

import numpy as np

from edge.engine.ports import EmbeddingRow, Ids, Vector
from edge.memory.units import UnitId
from edge.store.database import Database

_BATCH = 4096
_RANDOM_BITS = 20
_SAVE = """
    INSERT INTO embeddings (unit, chunk, embedder, vector, codes) SELECT id, ?, ?, ?, ? FROM units WHERE id = ?
    ON CONFLICT (embedder, unit, chunk) DO UPDATE SET vector = excluded.vector, codes = excluded.codes
"""


def read_backlog(db: Database, embedder: str, limit: int) -> list[tuple[UnitId, str]]:
    """Units that wait, newest first. Naming another embedder than before counts anew who waits."""
    if _current_embedder(db) != embedder:
        with db.transaction() as writing:
            _count_anew(writing, embedder)
    rows = db.rows(
        "SELECT b.unit, u.content FROM backlog b JOIN units u ON u.id = b.unit ORDER BY b.unit DESC LIMIT ?", (limit,)
    )
    return [(UnitId(unit), content) for unit, content in rows]


def _current_embedder(db: Database) -> str | None:
    row = db.row("SELECT value FROM meta WHERE name = 'embedder'")
    return None if row is None else row[0]


def _count_anew(db: sqlite3.Connection, embedder: str) -> None:
    db.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder,))
    db.execute("DELETE FROM backlog")
    db.execute(
        "INSERT INTO backlog SELECT id FROM units WHERE id NOT IN (SELECT unit FROM embeddings WHERE embedder = ?)",
        (embedder,),
    )


def write_embeddings(db: Database, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
    """Keep them, without waiting for the disk: after a power cut a lost one is computed again."""
    serves_backlog = _current_embedder(db) == embedder
    with db.relaxed_transaction() as writing:
        saved = False
        for row in rows:
            vector = np.ascontiguousarray(row.vector, dtype="<f4").tobytes()
            done = writing.execute(_SAVE, (row.chunk, embedder, vector, row.codes, row.unit)).rowcount == 1
            saved = saved or done
            if done and serves_backlog:
                writing.execute("DELETE FROM backlog WHERE unit = ?", (row.unit,))
        if saved:
            bump_generation(writing)


def iterate_embeddings(db: Database, embedder: str, after: UnitId | None) -> Iterator[tuple[Ids, Vector]]:
    """Batches by ascending unit; what is written meanwhile behind the last one returned is seen."""
    unit, chunk = (0 if after is None else int(after)), 2**62
    while rows := db.rows(
        """
        SELECT unit, chunk, vector FROM embeddings WHERE embedder = ? AND (unit, chunk) > (?, ?)
        ORDER BY unit, chunk LIMIT ?
        """,
        (embedder, unit, chunk, _BATCH),
    ):
        unit, chunk = rows[-1][0], rows[-1][1]
        ids: Ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))
        vectors = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), -1)
        yield ids, vectors


def read_generation(db: Database) -> int:
    """The number that the last change of the embeddings left."""
    row = db.row("SELECT value FROM meta WHERE name = 'generation'")
    assert row is not None
    generation: int = row[0]
    return generation


def bump_generation(db: sqlite3.Connection) -> None:
    """A greater number, whose low bits are random: a generation that a power cut undid is not reached again by other
    changes, so an index that was saved for it does not pass for one that fits."""
    noise = secrets.randbits(_RANDOM_BITS)
    db.execute(
        f"UPDATE meta SET value = (((value >> {_RANDOM_BITS}) + 1) << {_RANDOM_BITS}) | ? WHERE name = 'generation'",
        (noise,),
    )
