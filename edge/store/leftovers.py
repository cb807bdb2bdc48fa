"""What a forgotten unit said, where it stands outside the units: contexts of sessions, and what is told of batches."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from edge.memory.batches import reports_on
from edge.memory.leftovers import Gone, context_mentions, mentions
from edge.memory.units import Kind, OwnerId, UnitId
from edge.store.rows import json_ids

_FAILURES = "FROM batches b JOIN batch_failures f ON f.batch = b.id WHERE b.owner = :owner AND f.reason <> ''"
_WITH_REASON = f"SELECT f.batch, f.item {_FAILURES} AND f.reason = :reason"

FORGOTTEN_TASK = "forgotten-"
"""What the task of a batch begins with whose own name held a forgotten value; its id follows."""


def clear_leftovers(db: sqlite3.Connection, owner: OwnerId, units: Collection[UnitId]) -> None:
    """Before the units are removed, in the same transaction."""
    rows = db.execute(
        "SELECT kind, content, value, session FROM units WHERE id IN (SELECT value FROM json_each(?))",
        (json_ids(sorted(units)),),
    ).fetchall()
    gone = [Gone(Kind(kind), content, value) for kind, content, value, _ in rows]
    _clear_contexts(db, owner, gone)
    _clear_reasons(db, owner, gone)
    _clear_tasks(db, owner, gone)
    for kind, title, _, session in rows:
        if kind == Kind.BATCH_OPERATION:
            _clear_reports(db, owner, session, title)


def _clear_contexts(db: sqlite3.Connection, owner: OwnerId, gone: list[Gone]) -> None:
    rows = db.execute("SELECT session, context FROM session_contexts WHERE owner = ?", (owner,)).fetchall()
    held = [(owner, session) for session, context in rows if context_mentions(context, gone)]
    db.executemany("DELETE FROM session_contexts WHERE owner = ? AND session = ?", held)


def _clear_reasons(db: sqlite3.Connection, owner: OwnerId, gone: list[Gone]) -> None:
    reasons = db.execute(f"SELECT DISTINCT reason {_FAILURES}", {"owner": owner}).fetchall()
    held = [{"owner": owner, "reason": reason} for (reason,) in reasons if mentions(reason, gone)]
    db.executemany(f"UPDATE batch_failures SET reason = '' WHERE (batch, item) IN ({_WITH_REASON})", held)


def _clear_tasks(db: sqlite3.Connection, owner: OwnerId, gone: list[Gone]) -> None:
    rows = db.execute("SELECT id, task FROM batches WHERE owner = ?", (owner,)).fetchall()
    held = [(f"{FORGOTTEN_TASK}{batch}", batch) for batch, task in rows if mentions(task, gone)]
    db.executemany("UPDATE batches SET task = ? WHERE id = ?", held)


def _clear_reports(db: sqlite3.Connection, owner: OwnerId, session: str | None, title: str) -> None:
    rows = db.execute(
        "SELECT id, reply FROM turns WHERE owner = ? AND session = ? AND instr(reply, ?)", (owner, session, title)
    ).fetchall()
    told = [(turn,) for turn, reply in rows if reports_on(reply, title)]
    db.executemany("UPDATE turns SET reply = '' WHERE id = ?", told)
