"""`SqliteNights`: the engine's NightStore in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime

from edge.engine.night_ports import Night, NightId, NightState, Part, PartState
from edge.memory.nights import Seen, StepName, Trigger
from edge.memory.units import OwnerId
from edge.store.archive import read_owners
from edge.store.database import Database
from edge.store.rows import Row, micros, moment, optional_moment

_KEPT = 30
"""Nights whose records are kept."""
_COUNT = """
    SELECT (SELECT count(*) FROM units WHERE owner = :owner),
        (SELECT count(*) FROM turns WHERE owner = :owner),
        (SELECT count(*) - count(DISTINCT session) FROM topics WHERE owner = :owner),
        (SELECT count(*) FROM units INDEXED BY units_archived WHERE owner = :owner AND archived_at IS NOT NULL),
        (SELECT count(*) FROM units INDEXED BY units_ended
            WHERE owner = :owner AND superseded IN (0, 1) AND valid_until <= :at AND archived_at IS NULL)
"""
"""Each from an index alone. What has a successor has ended too."""
_KEEP = """
    INSERT INTO night_parts (night, place, step, owner, state, seconds, tokens, works, counts, failure)
    VALUES (:night, :place, :step, :owner, :state, :seconds, :tokens, :works, :counts, :failure)
    ON CONFLICT (night, step, owner) DO UPDATE SET state = excluded.state, seconds = excluded.seconds,
        tokens = excluded.tokens, works = excluded.works, counts = excluded.counts, failure = excluded.failure
"""
_PARTS = """
    SELECT step, owner, state, seconds, tokens, works, counts, failure
    FROM night_parts WHERE night = ? ORDER BY place, owner
"""


class SqliteNights:
    """See NightStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def owners(self) -> list[OwnerId]:
        return read_owners(self._db)

    def last(self) -> Night | None:
        return self._newest("true")

    def last_open(self) -> Night | None:
        return self._newest("state = 'open'")

    def last_scheduled(self) -> Night | None:
        return self._newest("owner IS NULL")

    def begin(
        self, trigger: Trigger, owner: OwnerId | None, parts: Sequence[Part], seen: Mapping[OwnerId, Seen], at: datetime
    ) -> Night:
        with self._db.transaction() as db:
            night = db.execute(
                "INSERT INTO nights (why, owner, began_at, state) VALUES (?, ?, ?, 'open')",
                (trigger.value, owner, micros(at)),
            ).lastrowid
            assert night is not None
            db.executemany(_KEEP, [_row(NightId(night), part) for part in parts])
            _keep_counts(db, seen)
            db.execute("DELETE FROM nights WHERE id <= ?", (night - _KEPT,))
        return self._read(NightId(night))

    def keep_parts(self, night: NightId, parts: Sequence[Part]) -> None:
        with self._db.relaxed_transaction() as db:
            db.executemany(_KEEP, [_row(night, part) for part in parts])

    def end(self, night: NightId, state: NightState, at: datetime) -> None:
        with self._db.transaction() as db:
            db.execute("UPDATE nights SET state = ?, ended_at = ? WHERE id = ?", (state.value, micros(at), night))

    def reopen(self, night: NightId, parts: Sequence[Part], seen: Mapping[OwnerId, Seen]) -> Night:
        with self._db.transaction() as db:
            db.execute("UPDATE nights SET state = 'open', ended_at = NULL WHERE id = ?", (night,))
            db.executemany(_KEEP, [_row(night, part) for part in parts])
            _keep_counts(db, seen)
        return self._read(night)

    def count(self, owner: OwnerId, at: datetime) -> Seen:
        row = self._db.row(_COUNT, {"owner": owner, "at": micros(at)})
        assert row is not None
        units, turns, tasks, archived, ended = row
        return Seen(units, turns, tasks, units - archived - ended, units - archived)

    def seen(self, owner: OwnerId) -> Seen:
        row = self._db.row("SELECT units, turns, tasks FROM night_counts WHERE owner = ?", (owner,))
        return Seen() if row is None else Seen(*row)

    def _read(self, night: NightId) -> Night:
        found = self._newest("id = ?", night)
        assert found is not None
        return found

    def _newest(self, condition: str, *parameters: int) -> Night | None:
        columns = "id, why, owner, began_at, ended_at, state"
        row = self._db.row(f"SELECT {columns} FROM nights WHERE {condition} ORDER BY id DESC LIMIT 1", parameters)
        return None if row is None else self._night(row)

    def _night(self, row: Row) -> Night:
        number, why, owner, began_at, ended_at, state = row
        parts = tuple(_part(each) for each in self._db.rows(_PARTS, (number,)))
        return Night(
            NightId(number),
            Trigger(why),
            owner,
            moment(began_at),
            optional_moment(ended_at),
            NightState(state),
            parts,
        )


def _keep_counts(db: sqlite3.Connection, seen: Mapping[OwnerId, Seen]) -> None:
    db.executemany(
        "INSERT OR REPLACE INTO night_counts VALUES (?, ?, ?, ?)",
        [(owner, each.units, each.turns, each.tasks) for owner, each in seen.items()],
    )


def _row(night: NightId, part: Part) -> dict[str, object]:
    return {
        "night": night,
        "place": list(StepName).index(part.step),
        "step": part.step.value,
        "owner": part.owner or "",
        "state": part.state.value,
        "seconds": part.seconds,
        "tokens": part.tokens,
        "works": part.works,
        "counts": json.dumps(dict(part.counts)),
        "failure": part.failure,
    }


def _part(row: Row) -> Part:
    step, owner, state, seconds, tokens, works, counts, failure = row
    whose = OwnerId(owner) if owner else None
    return Part(StepName(step), whose, PartState(state), seconds, tokens, works, json.loads(counts), failure)
