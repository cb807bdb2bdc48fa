"""Embeddings: derived from the units, kept so that an index can be built without the embedder."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from edge.engine.ports import EmbeddingRow
from edge.memory.units import UnitId
from edge.store.database import Database

_WAITING = """
    SELECT b.unit, u.content FROM backlog b CROSS JOIN units u ON u.id = b.unit
    WHERE b.embedder = ? ORDER BY b.unit DESC LIMIT ?
"""
_SAVE = """
    INSERT INTO embeddings (embedder, unit, chunk, vector, codes)
    SELECT :embedder, id, :chunk, :vector, :codes FROM units WHERE id = :unit
"""
_NAME = """
    INSERT INTO embedders (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET dropping = 0 RETURNING id
"""
_UNEMBEDDED = """
    SELECT {} FROM units u WHERE NOT EXISTS (SELECT 1 FROM embeddings v WHERE v.unit = u.id AND v.embedder = ?1)
"""
_RETIRED = """
    SELECT name FROM embedders e
    WHERE name IS NOT (SELECT value FROM meta WHERE name = 'embedder')
        AND (EXISTS (SELECT 1 FROM embeddings WHERE embedder = e.id)
            OR EXISTS (SELECT 1 FROM backlog WHERE embedder = e.id))
    ORDER BY id
"""
_DROP_SOME = """
    DELETE FROM embeddings WHERE number IN (SELECT number FROM embeddings WHERE embedder = ? ORDER BY number LIMIT ?)
"""
_STOP_WAITING = """
    DELETE FROM backlog WHERE embedder = :embedder AND unit < ifnull(
        (SELECT unit FROM backlog WHERE embedder = :embedder ORDER BY unit LIMIT 1 OFFSET :limit), 9223372036854775807)
"""
_WAITING_SHARE = 16
"""A unit that waits takes so much less to delete than an embedding."""
_NOTE_FORGOTTEN = """
    INSERT INTO forgotten (embedder, unit)
    SELECT DISTINCT embedder, unit FROM embeddings WHERE unit IN (SELECT value FROM json_each(?)) ORDER BY unit
"""


# --- embedders ---


def read_embedder(db: Database) -> str | None:
    """Whose vectors are searched."""
    row = db.row("SELECT value FROM meta WHERE name = 'embedder'")
    return None if row is None else row[0]


def write_embedder(db: Database, embedder: str) -> None:
    """Search this one's vectors from now on."""
    with db.transaction() as writing:
        name_embedder(writing, embedder)
        writing.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (embedder,))


def embedder_number(db: Database, embedder: str) -> int | None:
    """How the tables call it; None for one that was never named."""
    row = db.row("SELECT id FROM embedders WHERE name = ?", (embedder,))
    return None if row is None else row[0]


def name_embedder(db: sqlite3.Connection, embedder: str) -> int:
    """How the tables call it. All units without embeddings wait for one that is named for the first time, or again
    while it is being dropped."""
    known = db.execute("SELECT id FROM embedders WHERE name = ? AND dropping = 0", (embedder,)).fetchone()
    if known is not None:
        number: int = known[0]
        return number
    (number,) = db.execute(_NAME, (embedder,)).fetchone()
    db.execute("INSERT OR IGNORE INTO backlog (embedder, unit) " + _UNEMBEDDED.format("?1, u.id"), (number,))
    return number


def read_retired(db: Database) -> list[str]:
    """See `SqliteStore.retired_embedders`."""
    return [name for (name,) in db.rows(_RETIRED)]


def drop_some(db: Database, embedder: str, limit: int) -> bool:
    """See `SqliteStore.drop_embedder`. A power cut may undo it; it is retired again then."""
    if embedder == read_embedder(db):
        raise ValueError(f"the vectors of {embedder} are searched")
    number = embedder_number(db, embedder)
    if number is None:
        return False
    with db.relaxed_transaction() as writing:
        writing.execute("UPDATE embedders SET dropping = 1 WHERE id = ?", (number,))
        for table in ("marks", "forgotten"):  # first: no index fits any more
            writing.execute(f"DELETE FROM {table} WHERE embedder = ?", (number,))
        writing.execute(_DROP_SOME, (number, limit))
        writing.execute(_STOP_WAITING, {"embedder": number, "limit": limit * _WAITING_SHARE})
        for table in ("embeddings", "backlog"):
            if writing.execute(f"SELECT 1 FROM {table} WHERE embedder = ? LIMIT 1", (number,)).fetchone():
                return True
        writing.execute("DELETE FROM embedders WHERE id = ?", (number,))
    return False


# --- what waits ---


def read_backlog(db: Database, embedder: str, limit: int) -> list[tuple[UnitId, str]]:
    """Units that wait, newest first."""
    number = _serving(db, embedder)
    if number is None:
        with db.relaxed_transaction() as writing:
            number = name_embedder(writing, embedder)
    return [(UnitId(unit), content) for unit, content in db.rows(_WAITING, (number, limit))]


def count_backlog(db: Database, embedder: str) -> int:
    """How many wait, or would if it were named."""
    number = _serving(db, embedder)
    if number is None:
        row = db.row(_UNEMBEDDED.format("count(*)"), (embedder_number(db, embedder),))
    else:
        row = db.row("SELECT count(*) FROM backlog WHERE embedder = ?", (number,))
    assert row is not None
    return int(row[0])


def _serving(db: Database, embedder: str) -> int | None:
    row = db.row("SELECT id FROM embedders WHERE name = ? AND dropping = 0", (embedder,))
    return None if row is None else row[0]


# --- saving and forgetting ---


def write_embeddings(db: Database, embedder: str, rows: Sequence[EmbeddingRow]) -> None:
    """Keep them, without waiting for the disk: after a power cut a lost one is computed again. Raises ValueError for
    vectors of another dimension than the embedder's others."""
    with db.relaxed_transaction() as writing:
        number = name_embedder(writing, embedder)
        _check_dimension(writing, number, {len(row.vector) for row in rows})
        wanted = {row.unit for row in rows if not _has_embeddings(writing, number, row.unit)}
        writing.executemany(_SAVE, [_parameters(number, row) for row in rows if row.unit in wanted])
        writing.executemany("DELETE FROM backlog WHERE embedder = ? AND unit = ?", [(number, unit) for unit in wanted])


def _check_dimension(db: sqlite3.Connection, embedder: int, dimensions: set[int]) -> None:
    (known,) = db.execute("SELECT dimension FROM embedders WHERE id = ?", (embedder,)).fetchone()
    if not dimensions:
        return
    if len(dimensions) > 1 or known not in {None, *dimensions}:
        raise ValueError(f"vectors of {sorted(dimensions)} dimensions from an embedder of {known}")
    db.execute("UPDATE embedders SET dimension = ? WHERE id = ? AND dimension IS NULL", (*dimensions, embedder))


def _has_embeddings(db: sqlite3.Connection, embedder: int, unit: UnitId) -> bool:
    found = db.execute("SELECT 1 FROM embeddings WHERE unit = ? AND embedder = ? LIMIT 1", (unit, embedder))
    return found.fetchone() is not None


def _parameters(embedder: int, row: EmbeddingRow) -> dict[str, object]:
    vector = np.ascontiguousarray(row.vector, dtype="<f4").tobytes()
    return {"embedder": embedder, "unit": row.unit, "chunk": row.chunk, "vector": vector, "codes": row.codes}


def note_forgotten(db: sqlite3.Connection, units_json: str) -> None:
    """Tell those who follow the log, inside the transaction that removes the units, before it does."""
    db.execute(_NOTE_FORGOTTEN, (units_json,))
