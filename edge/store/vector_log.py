"""The log of embeddings that an index follows; see `edge.engine.vector_ports.VectorLog`.

Numbers are AUTOINCREMENT keys: SQLite notes the greatest it gave in the same transaction, so none is given twice, not
even when the row with the greatest was deleted.
"""

from __future__ import annotations

import numpy as np

from edge.engine.ports import Ids
from edge.engine.vector_ports import VectorRows
from edge.store.database import Database
from edge.store.embeddings import embedder_number, name_embedder
from edge.store.rows import Row, json_ids

_ROWS = """
    SELECT v.number, v.unit, v.vector,
        EXISTS (SELECT 1 FROM units u INDEXED BY units_superseded WHERE u.id = v.unit AND u.superseded = 1)
    FROM embeddings v
"""
_BETWEEN = f"{_ROWS} INDEXED BY embeddings_by_number WHERE v.embedder = ? AND v.number > ? AND v.number <= ?"
_OF_UNITS = f"""
    {_ROWS} INDEXED BY embeddings_of_unit
    WHERE v.unit IN (SELECT value FROM json_each(?)) AND v.embedder = ? ORDER BY v.unit, v.chunk
"""
_SUPERSEDED = """
    SELECT u.id FROM units u INDEXED BY units_superseded
    WHERE u.superseded = 1 AND EXISTS (SELECT 1 FROM embeddings v WHERE v.unit = u.id AND v.embedder = ?) ORDER BY u.id
"""
_LAST = "SELECT number FROM embeddings WHERE embedder = ? ORDER BY number DESC LIMIT 1"
_FORGOTTEN = "SELECT number, unit FROM forgotten WHERE embedder = ? AND number > ? ORDER BY number"
_MARKED = "SELECT 1 FROM marks m JOIN embedders e ON e.id = m.embedder WHERE e.name = ? AND m.mark = ?"
_GREATEST = 2**63 - 1


def read_last_number(db: Database, embedder: str) -> int:
    """0 where there is none."""
    row = db.row(_LAST, (embedder_number(db, embedder),))
    return 0 if row is None else row[0]


def read_between(db: Database, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
    """The first of an interval, ascending."""
    return _between(db, embedder, after, _GREATEST if through is None else through, limit, "ASC")


def read_newest_between(db: Database, embedder: str, after: int, through: int, limit: int) -> VectorRows:
    """The last of an interval, descending."""
    return _between(db, embedder, after, through, limit, "DESC")


def read_of_units(db: Database, embedder: str, units: Ids) -> VectorRows:
    """By unit, and the chunks of a unit in their order."""
    return _vector_rows(db, embedder, db.rows(_OF_UNITS, (json_ids(units.tolist()), embedder_number(db, embedder))))


def read_superseded(db: Database, embedder: str) -> Ids:
    """Ascending."""
    return np.array([unit for (unit,) in db.rows(_SUPERSEDED, (embedder_number(db, embedder),))], dtype=np.int64)


def _between(db: Database, embedder: str, after: int, through: int, limit: int, order: str) -> VectorRows:
    parameters = (embedder_number(db, embedder), after, through, limit)
    return _vector_rows(db, embedder, db.rows(f"{_BETWEEN} ORDER BY v.number {order} LIMIT ?", parameters))


def _vector_rows(db: Database, embedder: str, rows: list[Row]) -> VectorRows:
    if not rows:
        return _no_rows(db, embedder)
    numbers, units, vectors, superseded = zip(*rows, strict=True)
    return VectorRows(
        np.array(numbers, dtype=np.int64),
        np.array(units, dtype=np.int64),
        np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(rows), -1),
        np.array(superseded, dtype=np.bool_),
    )


def _no_rows(db: Database, embedder: str) -> VectorRows:
    row = db.row("SELECT dimension FROM embedders WHERE name = ?", (embedder,))
    dimension = (row and row[0]) or 0
    none = np.zeros(0, dtype=np.int64)
    return VectorRows(none, none, np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=np.bool_))


def read_forgotten(db: Database, embedder: str, number: int) -> tuple[int, Ids]:
    """Units in the order in which they were forgotten, and the number of the last."""
    rows = db.rows(_FORGOTTEN, (embedder_number(db, embedder), number))
    return (rows[-1][0] if rows else number), np.array([unit for _, unit in rows], dtype=np.int64)


def write_mark(db: Database, embedder: str, mark: str) -> None:
    """In a transaction that waits for the disk, and so for all that was appended to the write-ahead log before it.
    It writes also a mark that is there already: without a change there would be nothing to wait for."""
    with db.transaction() as writing:
        writing.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (name_embedder(writing, embedder), mark))


def read_mark(db: Database, embedder: str, mark: str) -> bool:
    """Whether it was kept and not pruned."""
    return db.row(_MARKED, (embedder, mark)) is not None


def prune_log(db: Database, embedder: str, keep: str, forgotten: int) -> None:
    """A power cut may undo it: the rest is pruned with the next."""
    number = embedder_number(db, embedder)
    with db.relaxed_transaction() as writing:
        writing.execute("DELETE FROM marks WHERE embedder = ? AND mark <> ?", (number, keep))
        writing.execute("DELETE FROM forgotten WHERE embedder = ? AND number <= ?", (number, forgotten))
