"""`SqliteVectorLog`: the log of embeddings that an index follows.

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


class SqliteVectorLog:
    """See VectorLog for what each method means. Where there are no rows, `vectors` is (0, dimension) all the same,
    (0, 0) before the embedder's first."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def last_number(self, embedder: str) -> int:
        row = self._db.row(_LAST, (embedder_number(self._db, embedder),))
        return 0 if row is None else row[0]

    def vectors_between(self, embedder: str, after: int, through: int | None, limit: int) -> VectorRows:
        return self._between(embedder, after, _GREATEST if through is None else through, limit, "ASC")

    def newest_between(self, embedder: str, after: int, through: int, limit: int) -> VectorRows:
        return self._between(embedder, after, through, limit, "DESC")

    def vectors_of(self, embedder: str, units: Ids) -> VectorRows:
        """The chunks of a unit come in their order."""
        parameters = (json_ids(units.tolist()), embedder_number(self._db, embedder))
        return self._vector_rows(embedder, self._db.rows(_OF_UNITS, parameters))

    def superseded(self, embedder: str) -> Ids:
        rows = self._db.rows(_SUPERSEDED, (embedder_number(self._db, embedder),))
        return np.array([unit for (unit,) in rows], dtype=np.int64)

    def forgotten_after(self, embedder: str, number: int) -> tuple[int, Ids]:
        """The units come in the order in which they were forgotten."""
        rows = self._db.rows(_FORGOTTEN, (embedder_number(self._db, embedder), number))
        return (rows[-1][0] if rows else number), np.array([unit for _, unit in rows], dtype=np.int64)

    def keep_mark(self, embedder: str, mark: str) -> None:
        """In a transaction that waits for the disk, and so for all that was appended to the write-ahead log before it.
        It writes also a mark that is there already: without a change there would be nothing to wait for."""
        with self._db.transaction() as db:
            db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (name_embedder(db, embedder), mark))

    def has_mark(self, embedder: str, mark: str) -> bool:
        return self._db.row(_MARKED, (embedder, mark)) is not None

    def prune(self, embedder: str, *, keep: str, forgotten: int) -> None:
        """A power cut may undo it: the rest is pruned with the next. No wait for the disk."""
        number = embedder_number(self._db, embedder)
        with self._db.relaxed_transaction() as db:
            db.execute("DELETE FROM marks WHERE embedder = ? AND mark <> ?", (number, keep))
            db.execute("DELETE FROM forgotten WHERE embedder = ? AND number <= ?", (number, forgotten))

    def _between(self, embedder: str, after: int, through: int, limit: int, order: str) -> VectorRows:
        parameters = (embedder_number(self._db, embedder), after, through, limit)
        return self._vector_rows(embedder, self._db.rows(f"{_BETWEEN} ORDER BY v.number {order} LIMIT ?", parameters))

    def _vector_rows(self, embedder: str, rows: list[Row]) -> VectorRows:
        if not rows:
            return self._no_rows(embedder)
        numbers, units, vectors, superseded = zip(*rows, strict=True)
        return VectorRows(
            np.array(numbers, dtype=np.int64),
            np.array(units, dtype=np.int64),
            np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(rows), -1),
            np.array(superseded, dtype=np.bool_),
        )

    def _no_rows(self, embedder: str) -> VectorRows:
        row = self._db.row("SELECT dimension FROM embedders WHERE name = ?", (embedder,))
        dimension = (row and row[0]) or 0
        none = np.zeros(0, dtype=np.int64)
        return VectorRows(none, none, np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=np.bool_))
