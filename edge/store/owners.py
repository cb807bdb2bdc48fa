"""`SqliteOwners`: the engine's OwnerStore in SQLite. Everything of an owner, some at a time."""

from __future__ import annotations

import hashlib
import sqlite3
from functools import partial

from edge.engine.owner_ports import Gone, Holdings
from edge.memory.erasure import Erasure
from edge.memory.units import OwnerId, UnitId
from edge.store.forgetting import Remover, remove
from edge.store.health import TALLY
from edge.store.rows import json_ids
from edge.store.traces import note_traces

_AT_ONCE = 200
_HELD = """
    SELECT u.*, t.* FROM (SELECT count(*), ifnull(max(id), 0) FROM units WHERE owner = :owner) u,
        (SELECT count(*), ifnull(max(id), 0), count(DISTINCT session) FROM turns WHERE owner = :owner) t
"""
_UNITS = "SELECT id FROM units WHERE owner = ? ORDER BY id LIMIT ?"
_TURNS = "SELECT id FROM turns WHERE owner = ? AND state <> 'open' ORDER BY id LIMIT ?"
_IN_TURNS = "IN (SELECT value FROM json_each(:turns))"
_TABLES = (
    "contradictions", "session_contexts", "batches", "cluster_runs", "clusters", "distilling", "night_counts", "nights",
)  # fmt: skip
_BESIDE = (
    *(f"DELETE FROM {table} WHERE owner = :owner" for table in _TABLES),
    "DELETE FROM night_parts WHERE owner = :owner",
    f"DELETE FROM meta WHERE name = '{TALLY}' || :owner",
    # One that runs is ended by those who run it, and finds its words gone.
    "UPDATE turns SET message = '' WHERE owner = :owner AND state = 'open'",
)
_WITHOUT_TURNS = (
    "DELETE FROM topics WHERE owner = :owner",
    f"UPDATE units SET source_turn = NULL WHERE source_turn {_IN_TURNS}",
    f"DELETE FROM confirmations WHERE turn {_IN_TURNS}",
    f"UPDATE contradictions SET asked_turn = NULL WHERE asked_turn {_IN_TURNS}",
    f"DELETE FROM turns WHERE id {_IN_TURNS}",
)


class SqliteOwners:
    """See OwnerStore for what each method means."""

    def __init__(self, remover: Remover) -> None:
        self._db = remover.db
        self._remover = remover

    def holdings(self, owner: OwnerId) -> Holdings:
        row = self._db.row(_HELD, {"owner": owner})
        assert row is not None
        token = hashlib.blake2b(repr((owner, row)).encode(), digest_size=16).hexdigest()
        return Holdings(row[0], row[2], row[4], token)

    def forget_beside(self, owner: OwnerId) -> None:
        self._remover.carry_out(partial(_remove_beside, owner=owner))

    def forget_some(self, owner: OwnerId) -> Gone:
        units = {UnitId(number) for (number,) in self._db.rows(_UNITS, (owner, _AT_ONCE))}
        if units:
            self._remover.carry_out(lambda writing: remove(writing, owner, Erasure(units=units)))
            return Gone(tuple(sorted(units)), 0)
        turns = [number for (number,) in self._db.rows(_TURNS, (owner, _AT_ONCE))]
        self._remover.carry_out(partial(_remove_turns, owner=owner, turns=json_ids(turns)))
        return Gone((), len(turns))


def _remove_beside(db: sqlite3.Connection, owner: OwnerId) -> None:
    for statement in _BESIDE:
        db.execute(statement, {"owner": owner})
    note_traces(db)


def _remove_turns(db: sqlite3.Connection, owner: OwnerId, turns: str) -> None:
    for statement in _WITHOUT_TURNS:
        db.execute(statement, {"owner": owner, "turns": turns})
    note_traces(db)
