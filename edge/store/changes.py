"""Writing what `edge.memory.lifecycle` decided: new units, what they end, and confirmations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime

from edge.engine.ports import Written
from edge.memory.text import draft_terms
from edge.memory.units import Change, Confirm, Draft, Ending, Insert, OwnerId, Settle, TurnId, UnitId
from edge.store.confirming import confirm
from edge.store.contradictions import mark_doubts, settle
from edge.store.rows import micros, optional_micros
from edge.store.ties import tie, tied_to

_INSERT_UNIT = """
    INSERT INTO units (owner, session, kind, content, subject, slot, value, entities, source, source_turn, quote,
        confidence, importance, task_type, created_at, valid_from, valid_until, key)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_END = """
    UPDATE units SET superseded_by = :by, superseded = 1, ended_why = :why,
        valid_until = CASE WHEN valid_until < :at THEN valid_until ELSE :at END
    WHERE id = :unit AND owner = :owner AND id <> :by
"""


def apply_changes(
    db: sqlite3.Connection, owner: OwnerId, turn: TurnId | None, changes: Sequence[Change], at: datetime
) -> Written:
    """Make changes inside the caller's transaction. `turn` is where they were said, if in one."""
    added: list[UnitId] = []
    confirmed: list[UnitId] = []
    superseded: list[UnitId] = []
    told: list[tuple[UnitId, Insert]] = []
    for change in changes:
        if isinstance(change, Settle):
            settle(db, owner, change, at)
        elif isinstance(change, Confirm):
            if confirm(db, owner, change.unit, turn, at):
                confirmed.append(change.unit)
        else:
            unit = _insert(db, owner, turn, change, at)
            added.append(unit)
            superseded += _end_all(db, owner, unit, change)
            mark_doubts(db, owner, unit, change, at)
            told += [(unit, change)] if change.draft.ties else []
    tie(db, owner, told, [*added, *confirmed])
    return Written(turn, tuple(added), tuple(confirmed), tuple(superseded))


def _insert(db: sqlite3.Connection, owner: OwnerId, turn: TurnId | None, change: Insert, at: datetime) -> UnitId:
    draft = change.draft
    entities = json.dumps(draft.entities, ensure_ascii=False, separators=(",", ":"))
    cursor = db.execute(
        _INSERT_UNIT,
        (
            *(owner, change.session, draft.kind.value, draft.content, draft.subject, draft.slot, draft.value, entities),
            *(draft.source.value, turn, draft.quote, draft.confidence, draft.importance, draft.task_type),
            *(micros(at), micros(change.valid_from), optional_micros(change.valid_until), change.key),
        ),
    )
    assert cursor.lastrowid is not None
    unit = UnitId(cursor.lastrowid)
    make_findable(db, unit, draft)
    return unit


def make_findable(db: sqlite3.Connection, unit: int, draft: Draft) -> None:
    """Put a new unit into the full text, and into the backlog of each embedder."""
    db.execute("INSERT INTO units_text (rowid, terms) VALUES (?, ?)", (unit, " ".join(draft_terms(draft))))
    db.execute("INSERT INTO backlog (embedder, unit) SELECT id, ? FROM embedders WHERE dropping = 0", (unit,))


def _end_all(db: sqlite3.Connection, owner: OwnerId, by: UnitId, change: Insert) -> list[UnitId]:
    """End what a new unit supersedes, with what is tied to it; those of it that there were."""
    ended = []
    for number, fact in enumerate(change.supersedes):
        why = change.endings[number] if number < len(change.endings) else Ending.NEWER
        for unit in (fact, *(tied_to(db, owner, fact) if why is not Ending.CONFIRMED else ())):
            parameters = {"by": by, "at": micros(change.valid_from), "unit": unit, "owner": owner, "why": why.value}
            if db.execute(_END, parameters).rowcount == 1:
                ended.append(unit)
    return ended
