"""`SqliteForgetting`: the engine's ForgettingStore in SQLite."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass, field

from edge.engine.forgetting_ports import Leaving, Selection
from edge.errors import ForgettingChanged, MemoryNotFound, SessionNotFound
from edge.memory.erasure import Erasure, session_erasure
from edge.memory.text import query_terms
from edge.memory.units import OwnerId, SessionId, TurnId, UnitId
from edge.store.forgetting import Remover, remove, said_in, what_goes
from edge.store.rows import json_ids
from edge.store.search import QUERY_TERM_LIMIT, as_match

_HOLDING = """
    SELECT u.id FROM units_text CROSS JOIN units u ON u.id = units_text.rowid
    WHERE units_text MATCH :match AND u.owner = :owner ORDER BY units_text.rowid DESC LIMIT :limit
"""
_TURNS = "SELECT id FROM turns WHERE owner = ? AND session = ?"
_BOUND = "SELECT id FROM units INDEXED BY units_alive WHERE owner = ? AND session = ?"
_CONTEXT = "SELECT 1 FROM session_contexts WHERE owner = ? AND session = ?"
_MINE = "SELECT id FROM units WHERE owner = :owner AND id IN (SELECT value FROM json_each(:ids))"
_IN_TURNS = "IN (SELECT value FROM json_each(:turns))"
_WITHOUT_TURNS = (
    f"UPDATE units SET source_turn = NULL WHERE source_turn {_IN_TURNS}",
    f"DELETE FROM confirmations WHERE turn {_IN_TURNS}",
    f"UPDATE contradictions SET asked_turn = NULL WHERE asked_turn {_IN_TURNS}",
    "DELETE FROM topics WHERE owner = :owner AND session = :session",
    "DELETE FROM batches WHERE owner = :owner AND session = :session",
    "DELETE FROM session_contexts WHERE owner = :owner AND session = :session",
    # One that runs is ended by those who run it, and finds its words gone.
    f"UPDATE turns SET message = '' WHERE id {_IN_TURNS} AND state = 'open'",
    f"DELETE FROM turns WHERE id {_IN_TURNS} AND state <> 'open'",
)


@dataclass(slots=True)
class _Going:
    erasure: Erasure
    kept: set[UnitId] = field(default_factory=set)

    def leaving(self) -> Leaving:
        gone = self.erasure
        turns = gone.turns | gone.messages | gone.replies
        return Leaving(tuple(sorted(gone.units)), len(turns), tuple(sorted(self.kept)), self._token())

    def _token(self) -> str:
        gone = self.erasure
        parts = (gone.units, gone.quotes, gone.messages, gone.replies, gone.turns, self.kept)
        return hashlib.blake2b(repr([sorted(part) for part in parts]).encode(), digest_size=16).hexdigest()


class SqliteForgetting:
    """See ForgettingStore for what each method means."""

    def __init__(self, remover: Remover) -> None:
        self._db = remover.db
        self._remover = remover

    def leaving(self, owner: OwnerId, selection: Selection) -> Leaving:
        return self._going(owner, selection).leaving()

    def forget_selection(self, owner: OwnerId, selection: Selection, token: str | None) -> Leaving:
        going = self._going(owner, selection)
        leaving = going.leaving()
        if token is not None and token != leaving.token:
            raise ForgettingChanged("What would be forgotten is no longer what was shown.")
        self._remover.carry_out(lambda writing: _remove(writing, owner, selection, going.erasure))
        return leaving

    def holding(self, owner: OwnerId, query: str, limit: int) -> list[UnitId]:
        terms = query_terms(query)[:QUERY_TERM_LIMIT]
        if not terms:
            return []
        match = as_match(terms, "AND")
        return [UnitId(row[0]) for row in self._db.rows(_HOLDING, {"owner": owner, "match": match, "limit": limit})]

    def _going(self, owner: OwnerId, selection: Selection) -> _Going:
        if selection.session is not None:
            return self._going_with(owner, selection.session, facts=selection.facts)
        mine = {row[0] for row in self._db.rows(_MINE, {"owner": owner, "ids": json_ids(selection.ids)})}
        for unit in selection.ids:
            if unit not in mine:
                raise MemoryNotFound(f"There is no memory {unit}.", id=unit)
        return _Going(what_goes(self._db, owner, selection.ids))

    def _going_with(self, owner: OwnerId, session: SessionId, *, facts: bool) -> _Going:
        turns = {TurnId(row[0]) for row in self._db.rows(_TURNS, (owner, session))}
        bound = [UnitId(row[0]) for row in self._db.rows(_BOUND, (owner, session))]
        if not turns and not bound and self._db.row(_CONTEXT, (owner, session)) is None:
            raise SessionNotFound(f"There is no session {session}.", session=session)
        gone, known = session_erasure(turns, bound, said_in(self._db, owner, turns))
        ids = {fact.unit for fact in known}
        if not facts:
            return _Going(gone, ids)
        gone.join(what_goes(self._db, owner, ids))
        return _Going(gone)


def _remove(db: sqlite3.Connection, owner: OwnerId, selection: Selection, erasure: Erasure) -> None:
    remove(db, owner, erasure)
    if selection.session is not None:
        _remove_session(db, owner, selection.session, erasure.turns)


def _remove_session(db: sqlite3.Connection, owner: OwnerId, session: SessionId, turns: Collection[TurnId]) -> None:
    parameters = {"owner": owner, "session": session, "turns": json_ids(sorted(turns))}
    for statement in _WITHOUT_TURNS:
        db.execute(statement, parameters)
