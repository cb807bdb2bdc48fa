"""`SqliteBatches`: the engine's BatchStore in SQLite. A batch lives with its unit: who forgets that forgets both."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from edge.engine.batch_ports import SHOWN_FAILURES, BatchPage, FailurePage
from edge.errors import BatchNotFound
from edge.memory.batches import Batch, BatchId, BatchState, Failure
from edge.memory.units import Insert, OwnerId, SessionId, UnitId
from edge.store.changes import apply_changes
from edge.store.database import Database
from edge.store.rows import Row, micros, moment, optional_micros
from edge.store.scopes import LIVES_NOW

_NO_ITEM = 2**63 - 1
"""After every item."""
_SELECT = """
    SELECT b.id, b.owner, b.session, b.task, u.content, b.unit, b.total, b.handled,
        (SELECT count(*) FROM batch_failures f WHERE f.batch = b.id),
        b.last_success, b.state, b.started_at, b.updated_at
    FROM batches b JOIN units u ON u.id = b.unit
"""


class SqliteBatches:
    """See BatchStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add_batch(self, owner: OwnerId, task: str, total: int, unit: Insert, at: datetime) -> Batch:
        with self._db.transaction() as writing:
            (added,) = apply_changes(writing, owner, None, [unit], at).added
            cursor = writing.execute(
                """
                INSERT INTO batches (owner, session, task, unit, total, state, started_at, updated_at)
                VALUES (?, ?, ?, ?, ?, 'running', ?, ?)
                """,
                (owner, unit.session, task, added, total, micros(at), micros(at)),
            )
            assert cursor.lastrowid is not None
        return self.batch(owner, BatchId(cursor.lastrowid))

    def save_batch(self, batch: Batch, unit_until: datetime | None) -> None:
        """Raises BatchNotFound for one that was forgotten meanwhile."""
        with self._db.transaction() as writing:
            changed = writing.execute(
                """
                UPDATE batches SET handled = ?, last_success = ?, state = ?, updated_at = ?
                WHERE id = ? AND owner = ?
                """,
                (
                    *(batch.handled, batch.last_success, batch.state.value, micros(batch.updated_at)),
                    *(batch.id, batch.owner),
                ),
            )
            if changed.rowcount != 1:
                raise _unknown(batch.id)
            _insert_failure(writing, batch)
            until = optional_micros(unit_until)
            writing.execute(
                "UPDATE units SET valid_until = ? WHERE id = ? AND owner = ?", (until, batch.unit, batch.owner)
            )

    def find_batch(self, owner: OwnerId, session: SessionId, task: str) -> Batch | None:
        row = self._db.row(f"{_SELECT} WHERE b.owner = ? AND b.session = ? AND b.task = ?", (owner, session, task))
        return None if row is None else _batch(self._db, row)

    def batch(self, owner: OwnerId, batch: BatchId) -> Batch:
        row = self._db.row(f"{_SELECT} WHERE b.id = ? AND b.owner = ?", (batch, owner))
        if row is None:
            raise _unknown(batch)
        return _batch(self._db, row)

    def failures(self, owner: OwnerId, batch: BatchId, *, before: int | None, limit: int) -> FailurePage:
        if self._db.row("SELECT 1 FROM batches WHERE id = ? AND owner = ?", (batch, owner)) is None:
            raise _unknown(batch)
        found = _failures(self._db, batch, limit + 1, before)
        return FailurePage(found[:limit], found[limit - 1].item if len(found) > limit else None)

    def batches(
        self,
        owner: OwnerId,
        *,
        session: SessionId | None,
        state: BatchState | None,
        before: BatchId | None,
        limit: int,
    ) -> BatchPage:
        conditions = ["b.owner = :owner"]
        conditions += ["b.session = :session"] if session is not None else []
        conditions += ["b.state = :state"] if state is not None else []
        conditions += ["b.id < :before"] if before is not None else []
        rows = self._db.rows(
            f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY b.id DESC LIMIT :limit",
            {"owner": owner, "session": session, "state": state, "before": before, "limit": limit + 1},
        )
        found = tuple(_batch(self._db, row) for row in rows[:limit])
        return BatchPage(found, found[-1].id if found and len(rows) > limit else None)

    def live_batches(self, owner: OwnerId, session: SessionId, at: datetime, limit: int) -> list[Batch]:
        rows = self._db.rows(
            f"""
            {_SELECT} WHERE b.owner = :owner AND b.session = :session AND {LIVES_NOW}
            ORDER BY b.state = 'running' DESC, b.updated_at DESC, b.id DESC LIMIT :limit
            """,
            {"owner": owner, "session": session, "as_of": micros(at), "limit": limit},
        )
        return [_batch(self._db, row) for row in rows]


def _insert_failure(writing: sqlite3.Connection, batch: Batch) -> None:
    """The failure of the item that was handled last, where it failed; earlier ones are kept already."""
    if batch.failures and batch.failures[-1].item == batch.handled:
        failure = batch.failures[-1]
        writing.execute(
            "INSERT OR IGNORE INTO batch_failures VALUES (?, ?, ?)", (batch.id, failure.item, failure.reason)
        )


def _unknown(batch: BatchId) -> BatchNotFound:
    return BatchNotFound(f"There is no batch {batch}.", id=batch)


def _batch(db: Database, row: Row) -> Batch:
    return Batch(
        id=BatchId(row[0]),
        owner=OwnerId(row[1]),
        session=SessionId(row[2]),
        task=row[3],
        title=row[4],
        unit=UnitId(row[5]),
        total=row[6],
        handled=row[7],
        failed=row[8],
        last_success=row[9],
        state=BatchState(row[10]),
        started_at=moment(row[11]),
        updated_at=moment(row[12]),
        failures=_failures(db, BatchId(row[0]), SHOWN_FAILURES)[::-1] if row[8] else (),
    )


def _failures(db: Database, batch: BatchId, most: int, before: int | None = None) -> tuple[Failure, ...]:
    """Newest first."""
    rows = db.rows(
        "SELECT item, reason FROM batch_failures WHERE batch = ? AND item < ? ORDER BY item DESC LIMIT ?",
        (batch, _NO_ITEM if before is None else before, most),
    )
    return tuple(Failure(item, reason) for item, reason in rows)
