"""Forgetting for good: what `edge.memory.erasure` names leaves rows, full text and embeddings in one transaction, and
the files with its last traces (see `edge.store.traces`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from edge.memory.erasure import Erasure, Statement, Words, erasure, identifying_values
from edge.memory.units import Kind, OwnerId, Source, TurnId, UnitId
from edge.store.cluster_applying import recentre
from edge.store.cluster_forgetting import clear_clusters
from edge.store.database import Database
from edge.store.doubles import with_doubles
from edge.store.embeddings import note_forgotten
from edge.store.holding import holding, value_held
from edge.store.leftovers import clear_leftovers
from edge.store.reserve import Reserve
from edge.store.rows import Row, json_ids
from edge.store.ties import with_told
from edge.store.topics import clear_topics
from edge.store.traces import Traces, note_traces

_STATEMENT = """
    SELECT u.id, u.kind, u.source, u.content, u.value, u.quote, u.source_turn,
        (SELECT group_concat(c.turn) FROM confirmations c WHERE c.unit = u.id),
        (SELECT group_concat(d.asked_turn) FROM contradictions d WHERE d.older = u.id OR d.newer = u.id)
    FROM units u
"""
_NAMED = f"{_STATEMENT} WHERE u.owner = :owner AND u.id IN (SELECT value FROM json_each(:ids))"
_FROM_TURNS = f"""
    {_STATEMENT} WHERE u.owner = :owner AND u.id IN (
        SELECT id FROM units WHERE source_turn IN (SELECT value FROM json_each(:turns))
        UNION SELECT unit FROM confirmations WHERE turn IN (SELECT value FROM json_each(:turns)))
"""
_HOLDING = f"""
    {_STATEMENT} WHERE u.owner = :owner AND
        ({holding("u.content")} OR {holding("u.value")} OR {holding("u.quote")})
"""
_WORDS = "SELECT id, message, reply FROM turns WHERE owner = :owner"
_WORDS_OF_TURNS = f"{_WORDS} AND id IN (SELECT value FROM json_each(:turns))"
_WORDS_HOLDING = f"{_WORDS} AND ({holding('message')} OR {holding('reply')})"


@dataclass(frozen=True, slots=True)
class Remover:
    """Removes for good what was decided on, on a full disk too, and its traces in the files."""

    db: Database
    traces: Traces
    reserve: Reserve

    def forget(self, owner: OwnerId, ids: Collection[UnitId]) -> tuple[UnitId, ...]:
        """Remove units and what repeats them. Ascending ids of all that was removed."""
        gone = what_goes(self.db, owner, ids)
        if gone.units:
            self.carry_out(lambda writing: remove(writing, owner, gone))
        return tuple(sorted(gone.units))

    def carry_out(self, removal: Callable[[sqlite3.Connection], None]) -> None:
        """A removal, in one transaction. Raises DiskFull where the room that is kept for it is not enough."""

        def work() -> None:
            with self.db.transaction() as writing:
                removal(writing)

        self.reserve.with_room(work)
        self.traces.remove_in_time()


def what_goes(db: Database, owner: OwnerId, ids: Collection[UnitId]) -> Erasure:
    """What goes with those of the ids that are the owner's."""
    named = _statements(
        db.rows(_NAMED, {"owner": owner, "ids": json_ids(with_told(db, owner, with_doubles(db, owner, ids)))})
    )
    return _what_goes(db, owner, list(named.values()))


def said_in(db: Database, owner: OwnerId, turns: Collection[TurnId]) -> list[Statement]:
    """Units that were said, or said again, in some turns."""
    return list(_statements(db.rows(_FROM_TURNS, {"owner": owner, "turns": json_ids(sorted(turns))})).values())


def _what_goes(db: Database, owner: OwnerId, named: list[Statement]) -> Erasure:
    values = identifying_values(named)
    words = _words(db, owner, {turn for each in named for turn in each.said_in | each.asked_in}, values)
    parameters = {"owner": owner, "turns": json_ids(sorted(words))}
    others = _statements(db.rows(_FROM_TURNS, parameters))
    for value in values:
        others |= _statements(db.rows(_HOLDING, {"owner": owner, **value_held(value)}))
    return erasure(named, list(others.values()), list(words.values()))


def _words(db: Database, owner: OwnerId, turns: set[TurnId], values: Iterable[str]) -> dict[TurnId, Words]:
    rows = db.rows(_WORDS_OF_TURNS, {"owner": owner, "turns": json_ids(sorted(turns))})
    for value in values:
        rows += db.rows(_WORDS_HOLDING, {"owner": owner, **value_held(value)})
    return {TurnId(turn): Words(TurnId(turn), message, reply) for turn, message, reply in rows}


def _statements(rows: list[Row]) -> dict[UnitId, Statement]:
    return {UnitId(row[0]): _statement(row) for row in rows}


def _statement(row: Row) -> Statement:
    unit, kind, source, content, value, quote, source_turn, confirmed_in, asked_in = row
    said_in = _turns(confirmed_in) | (frozenset() if source_turn is None else {TurnId(source_turn)})
    return Statement(
        UnitId(unit), Kind(kind), Source(source), content, value, quote, source_turn, said_in, _turns(asked_in)
    )


def _turns(listed: str | None) -> frozenset[TurnId]:
    return frozenset(TurnId(int(turn)) for turn in (listed or "").split(",") if turn)


def remove(db: sqlite3.Connection, owner: OwnerId, gone: Erasure) -> None:
    """Remove it, but for the traces in the file. Inside the caller's transaction."""
    clear_leftovers(db, owner, gone.units)
    clear_topics(db, owner, gone.messages | gone.turns)
    shrunk = clear_clusters(db, owner, gone.units)
    note_forgotten(db, json_ids(sorted(gone.units)))
    db.executemany("DELETE FROM units_text WHERE rowid = ?", _each(gone.units))
    db.executemany("DELETE FROM units WHERE id = ?", _each(gone.units))
    recentre(db, owner, shrunk)
    db.executemany("UPDATE units SET quote = NULL WHERE id = ?", _each(gone.quotes))
    db.executemany("UPDATE turns SET message = '' WHERE id = ?", _each(gone.messages))
    db.executemany("UPDATE turns SET reply = '' WHERE id = ?", _each(gone.replies))
    note_traces(db)


def _each(ids: Iterable[int]) -> list[tuple[int]]:
    return [(number,) for number in sorted(ids)]
