"""Memory read out as records, page by page, so that a million units take the room of their ids alone.

Ids in records count from 1 in the order of the store's: what was brought into an empty memory goes out the same again.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

from edge.memory.portable import VERSION, Record
from edge.memory.units import OwnerId
from edge.store.database import Database
from edge.store.rows import Row

_PAGE = 200
_IDS_PAGE = 20_000
_IDS = {
    "turns": "SELECT id FROM turns WHERE owner = ? AND id > ? AND state <> 'open' ORDER BY id LIMIT ?",
    "units": "SELECT id FROM units WHERE owner = ? AND id > ? ORDER BY id LIMIT ?",
}
_CONTEXTS = "SELECT session, context, updated_at FROM session_contexts WHERE owner = ? ORDER BY session"
_CLUSTERS = """
    SELECT key, description, tags, named_by, coarse, made_at, archived_at FROM clusters
    WHERE owner = ? AND gone = 0 ORDER BY id
"""
_PAGED = "IN (SELECT value FROM json_each(:ids))"
_TURNS = f"""
    SELECT id, session, message, reply, state, started_at, ended_at FROM turns
    WHERE owner = :owner AND id {_PAGED} AND state <> 'open' ORDER BY id
"""
_UNITS = f"""
    SELECT u.id, u.session, u.kind, u.content, u.subject, u.slot, u.value, u.entities, u.source, u.source_turn, u.quote,
        u.confidence, u.importance, u.task_type, u.created_at, u.valid_from, u.valid_until, u.relevance, c.key,
        u.access_count, u.last_accessed, u.superseded, u.ended_why, u.archived_at, u.archived_why
    FROM units u LEFT JOIN clusters c ON c.id = u.cluster AND c.owner = u.owner AND c.gone = 0
    WHERE u.owner = :owner AND u.id {_PAGED} ORDER BY u.id
"""
_LINKS = {
    "replaced": f"""
        SELECT id, superseded_by FROM units
        WHERE owner = :owner AND id {_PAGED} AND superseded_by IS NOT NULL ORDER BY id
    """,
    "confirmed": f"""
        SELECT c.unit, c.turn FROM confirmations c JOIN units u ON u.id = c.unit
        WHERE u.owner = :owner AND c.unit {_PAGED} ORDER BY c.unit, c.turn
    """,
    "told": f"""
        SELECT t.fact, t.words FROM told_together t JOIN units u ON u.id = t.fact
        WHERE u.owner = :owner AND t.fact {_PAGED} ORDER BY t.fact, t.words
    """,
    "doubt": f"""
        SELECT older, newer, marked_at, asked_turn, settled_at, outcome FROM contradictions
        WHERE owner = :owner AND newer {_PAGED} ORDER BY newer, older, id
    """,
}


class Outgoing:
    """One export. Iterate over it on the thread of the database."""

    def __init__(self, db: Database, owner: OwnerId) -> None:
        self._db = db
        self._owner = owner
        self._turns: array[int] = array("q")
        self._units: array[int] = array("q")

    def __iter__(self) -> Iterator[list[Record]]:
        yield [Record("edge", {"version": VERSION})]
        yield [_context(row) for row in self._db.rows(_CONTEXTS, (self._owner,))]
        yield [_cluster(row) for row in self._db.rows(_CLUSTERS, (self._owner,))]
        for name, ids in (("turns", self._turns), ("units", self._units)):
            while self._learn(name, ids):
                yield []
        yield from self._paged(self._turns, _TURNS, self._turn)
        yield from self._paged(self._units, _UNITS, self._unit)
        yield from self._paged(self._units, _LINKS["replaced"], self._pair("replaced", "memory", "by"))
        yield from self._paged(self._units, _LINKS["confirmed"], self._confirmed)
        yield from self._paged(self._units, _LINKS["told"], self._pair("told", "fact", "words"))
        yield from self._paged(self._units, _LINKS["doubt"], self._doubt)
        yield [Record("end", {"turns": len(self._turns), "memories": len(self._units)})]

    def _learn(self, name: str, ids: array[int]) -> bool:
        found = self._db.rows(_IDS[name], (self._owner, ids[-1] if ids else 0, _IDS_PAGE))
        ids.extend(number for (number,) in found)
        return len(found) == _IDS_PAGE

    def _paged(self, ids: array[int], sql: str, made: Callable[[Row], Record | None]) -> Iterator[list[Record]]:
        for begin in range(0, len(ids), _PAGE):
            page = json.dumps(ids[begin : begin + _PAGE].tolist())
            rows = self._db.rows(sql, {"owner": self._owner, "ids": page})
            yield [record for row in rows if (record := made(row)) is not None]

    def _turn(self, row: Row) -> Record:
        names = ("session", "message", "reply", "state", "started_at", "ended_at")
        return Record("turn", {"id": _place(self._turns, row[0]), **_named(names, row[1:]), "keep_secrets": False})

    def _unit(self, row: Row) -> Record:
        values = _named(_UNIT_FIELDS, row[1:])
        values["entities"] = json.loads(values["entities"])
        values["turn"] = _place(self._turns, values["turn"])
        values["superseded"] = bool(values["superseded"])
        return Record("memory", {"id": _place(self._units, row[0]), **values, "keep_secrets": False})

    def _pair(self, name: str, one: str, other: str) -> Callable[[Row], Record | None]:
        def made(row: Row) -> Record | None:
            first, second = _place(self._units, row[0]), _place(self._units, row[1])
            return None if first is None or second is None else Record(name, {one: first, other: second})

        return made

    def _confirmed(self, row: Row) -> Record | None:
        turn = _place(self._turns, row[1])
        return None if turn is None else Record("confirmed", {"memory": _place(self._units, row[0]), "turn": turn})

    def _doubt(self, row: Row) -> Record | None:
        values = _named(("older", "newer", "marked_at", "asked_turn", "settled_at", "outcome"), row)
        values |= {name: _place(self._units, values[name]) for name in ("older", "newer")}
        values["asked_turn"] = _place(self._turns, values["asked_turn"])
        return None if values["older"] is None else Record("doubt", values)


_UNIT_FIELDS = (
    "session", "kind", "content", "subject", "slot", "value", "entities", "source", "turn", "quote", "confidence",
    "importance", "task_type", "created_at", "valid_from", "valid_until", "relevance", "cluster", "access_count",
    "last_accessed", "superseded", "ended_why", "archived_at", "archived_why",
)  # fmt: skip


def _place(ids: array[int], number: int | None) -> int | None:
    """Which of the ids a number is, from 1; None for one that is not among them."""
    if number is None:
        return None
    place = bisect_left(ids, number)
    return place + 1 if place < len(ids) and ids[place] == number else None


def _named(names: tuple[str, ...], row: Row) -> dict[str, Any]:
    return dict(zip(names, row, strict=True))


def _context(row: Row) -> Record:
    return Record("context", {"session": row[0], "context": json.loads(row[1]), "updated_at": row[2]})


def _cluster(row: Row) -> Record:
    names = ("key", "description", "tags", "named_by", "coarse", "made_at", "archived_at")
    return Record("cluster", {**_named(names, row), "tags": json.loads(row[2])})
