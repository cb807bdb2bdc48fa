"""Records brought into memory, a batch in a transaction, and each of them once.

What is there already is known by what never changes of it: of a turn its session, its beginning and the person's words,
of a unit its words and when they were said. Equal ones count: the second in a file is the second in the memory.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from edge.engine.transfer_ports import Added
from edge.errors import ImportInvalid
from edge.memory.portable import Record
from edge.memory.text import content_key
from edge.memory.units import Draft, Kind, OwnerId, Source
from edge.store.changes import make_findable
from edge.store.database import Database
from edge.store.exporting import Outgoing

_LEARNED = 2000
_SEEN = {
    "turn": "SELECT id, session, started_at, message FROM turns WHERE owner = ? AND id > ? ORDER BY id LIMIT ?",
    "memory": """
        SELECT id, session, kind, content, subject, slot, value, source, created_at, valid_from FROM units
        WHERE owner = ? AND id > ? ORDER BY id LIMIT ?
    """,
}
_IDENTITY = {
    "turn": ("session", "started_at", "message"),
    "memory": ("session", "kind", "content", "subject", "slot", "value", "source", "created_at", "valid_from"),
}
_TURN = """
    INSERT INTO turns (owner, session, message, reply, state, started_at, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_UNIT = """
    INSERT INTO units (owner, session, kind, content, subject, slot, value, entities, source, source_turn, quote,
        confidence, importance, task_type, created_at, valid_from, valid_until, relevance, cluster, access_count,
        last_accessed, superseded, ended_why, archived_at, archived_why, key)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_CLUSTER = """
    INSERT INTO clusters (owner, key, description, tags, named_by, coarse, made_at, archived_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_DOUBT = """
    INSERT INTO contradictions (owner, older, newer, marked_at, asked_turn, settled_at, outcome)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
    WHERE NOT EXISTS (SELECT 1 FROM contradictions WHERE older = ?2 AND newer = ?3 AND marked_at = ?4)
"""


@dataclass(slots=True)
class _Seen:
    """What an owner had before the import, by identity: hashes in order, with the ids that have them. 17 bytes each."""

    hashes: array[int] = field(default_factory=lambda: array("q"))
    ids: array[int] = field(default_factory=lambda: array("q"))
    is_taken: bytearray = field(default_factory=bytearray)
    taken: list[int] = field(default_factory=list)
    """Places that were taken since the last `keep`."""

    def sort(self) -> None:
        order = np.argsort(np.array(self.hashes, dtype=np.int64), kind="stable")
        for name in ("hashes", "ids"):
            ordered = np.array(getattr(self, name), dtype=np.int64)[order]
            setattr(self, name, array("q", ordered.tobytes()))
        self.is_taken = bytearray(len(self.hashes))

    def take(self, identity: int) -> int | None:
        """The id of the next that has it, in their order."""
        place = bisect_left(self.hashes, identity)
        while place < len(self.hashes) and self.hashes[place] == identity:
            if not self.is_taken[place]:
                self.is_taken[place] = 1
                self.taken.append(place)
                return self.ids[place]
            place += 1
        return None

    def keep(self) -> None:
        self.taken.clear()

    def give_back(self) -> None:
        for place in self.taken:
            self.is_taken[place] = 0
        self.taken.clear()


@dataclass(slots=True)
class _Numbers:
    """Ids of a file, ascending, and those of the memory for them."""

    theirs: array[int] = field(default_factory=lambda: array("q"))
    ours: array[int] = field(default_factory=lambda: array("q"))

    def put(self, theirs: int, ours: int) -> None:
        if self.theirs and theirs <= self.theirs[-1]:
            raise ImportInvalid(f"id must be greater than {self.theirs[-1]}, the one before.", field="id")
        self.theirs.append(theirs)
        self.ours.append(ours)

    def get(self, name: str, theirs: int | None) -> int | None:
        if theirs is None:
            return None
        place = bisect_left(self.theirs, theirs)
        if place == len(self.theirs) or self.theirs[place] != theirs:
            raise ImportInvalid(f"{name} is {theirs}, which no line before has as its id.", field=name)
        return self.ours[place]

    def cut(self, length: int) -> None:
        del self.theirs[length:]
        del self.ours[length:]


class SqliteIncoming:
    """See Incoming for what each method means."""

    def __init__(self, db: Database, owner: OwnerId) -> None:
        self._db = db
        self._owner = owner
        self._seen = {"turn": _Seen(), "memory": _Seen()}
        self._numbers = {"turn": _Numbers(), "memory": _Numbers()}
        self._last = {"turn": 0, "memory": 0}
        self._clusters: dict[str, int] = {}
        self._adders: dict[str, Callable[[sqlite3.Connection, Record], bool]] = {
            "context": self._context, "cluster": self._cluster, "turn": self._turn, "memory": self._memory,
            "replaced": self._replaced, "confirmed": self._confirmed, "told": self._told, "doubt": self._doubt,
        }  # fmt: skip

    def learn(self) -> bool:
        for name, seen in self._seen.items():
            rows = self._db.rows(_SEEN[name], (self._owner, self._last[name], _LEARNED))
            if rows:
                seen.hashes.extend(_hashed(row[1:]) for row in rows)
                seen.ids.extend(row[0] for row in rows)
                self._last[name] = rows[-1][0]
                return True
        for seen in self._seen.values():
            seen.sort()
        rows = self._db.rows("SELECT key, id FROM clusters WHERE owner = ? AND gone = 0", (self._owner,))
        self._clusters = dict(rows)
        return False

    def add(self, records: Sequence[Record]) -> Added:
        before = {name: len(numbers.theirs) for name, numbers in self._numbers.items()}
        clusters = dict(self._clusters)
        try:
            with self._db.transaction() as db:
                added = self._add(db, records)
        except BaseException:
            for name, numbers in self._numbers.items():
                numbers.cut(before[name])
                self._seen[name].give_back()
            self._clusters = clusters
            raise
        for seen in self._seen.values():
            seen.keep()
        return added

    def _add(self, db: sqlite3.Connection, records: Sequence[Record]) -> Added:
        added: Counter[str] = Counter()
        known = 0
        for place, record in enumerate(records):
            if record.type not in self._adders:
                continue
            try:
                is_new = self._adders[record.type](db, record)
            except ImportInvalid as error:
                error.details["record"] = place
                raise
            added[record.type] += is_new
            known += not is_new
        return Added({name: count for name, count in added.items() if count}, known)

    # --- one of each type: whether it is new ---

    def _context(self, db: sqlite3.Connection, record: Record) -> bool:
        text = json.dumps(record["context"], ensure_ascii=False, separators=(",", ":"))
        values = (self._owner, record["session"], text, record["updated_at"])
        return db.execute("INSERT OR IGNORE INTO session_contexts VALUES (?, ?, ?, ?)", values).rowcount == 1

    def _cluster(self, db: sqlite3.Connection, record: Record) -> bool:
        key = record["key"]
        if key in self._clusters:
            return False
        tags = json.dumps(record["tags"], ensure_ascii=False)
        values = _of(record, "named_by", "coarse", "made_at", "archived_at")
        made = db.execute(_CLUSTER, (self._owner, key, record["description"], tags, *values)).lastrowid
        assert made is not None
        self._clusters[key] = made
        return True

    def _turn(self, db: sqlite3.Connection, record: Record) -> bool:
        known = self._seen["turn"].take(_identity(record))
        ours = known or _inserted(
            db, _TURN, (self._owner, *_of(record, "session", "message", "reply", "state", "started_at", "ended_at"))
        )
        self._numbers["turn"].put(record["id"], ours)
        return known is None

    def _memory(self, db: sqlite3.Connection, record: Record) -> bool:
        turn = self._numbers["turn"].get("turn", record["turn"])
        known = self._seen["memory"].take(_identity(record))
        ours = known or self._insert(db, record, turn)
        self._numbers["memory"].put(record["id"], ours)
        return known is None

    def _insert(self, db: sqlite3.Connection, record: Record, turn: int | None) -> int:
        texts = ("content", "subject", "slot", "value")
        draft = Draft(
            Kind(record["kind"]), source=Source(record["source"]), entities=tuple(record["entities"]),
            **{name: record[name] for name in texts},
        )  # fmt: skip
        key = content_key(draft.kind, draft.subject, draft.source, draft.content)
        values = (
            *(self._owner, *_of(record, "session", "kind", *texts)),
            *(json.dumps(record["entities"], ensure_ascii=False, separators=(",", ":")), record["source"], turn),
            *_of(record, "quote", "confidence", "importance", "task_type", "created_at", "valid_from", "valid_until"),
            *(record["relevance"], self._clusters.get(record["cluster"])),
            *_of(record, "access_count", "last_accessed", "superseded", "ended_why", "archived_at", "archived_why"),
            key,
        )
        unit = _inserted(db, _UNIT, values)
        make_findable(db, unit, draft)
        return unit

    def _replaced(self, db: sqlite3.Connection, record: Record) -> bool:
        unit, by = self._units(record, "memory", "by")
        if unit == by:
            raise ImportInvalid("A memory cannot replace itself.", field="by")
        sql = "UPDATE units SET superseded_by = ? WHERE id = ? AND superseded = 1 AND superseded_by IS NULL"
        return db.execute(sql, (by, unit)).rowcount == 1

    def _confirmed(self, db: sqlite3.Connection, record: Record) -> bool:
        (unit,), turn = self._units(record, "memory"), self._numbers["turn"].get("turn", record["turn"])
        return db.execute("INSERT OR IGNORE INTO confirmations VALUES (?, ?)", (unit, turn)).rowcount == 1

    def _told(self, db: sqlite3.Connection, record: Record) -> bool:
        pair = self._units(record, "fact", "words")
        return db.execute("INSERT OR IGNORE INTO told_together VALUES (?, ?)", pair).rowcount == 1

    def _doubt(self, db: sqlite3.Connection, record: Record) -> bool:
        turn = self._numbers["turn"].get("asked_turn", record["asked_turn"])
        older, newer = self._units(record, "older", "newer")
        values = (self._owner, older, newer, record["marked_at"], turn, record["settled_at"], record["outcome"])
        return db.execute(_DOUBT, values).rowcount == 1

    def _units(self, record: Record, *names: str) -> tuple[int | None, ...]:
        return tuple(self._numbers["memory"].get(name, record[name]) for name in names)


class SqliteTransfer:
    """See TransferStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def outgoing(self, owner: OwnerId) -> Outgoing:
        return Outgoing(self._db, owner)

    def incoming(self, owner: OwnerId) -> SqliteIncoming:
        return SqliteIncoming(self._db, owner)


def _inserted(db: sqlite3.Connection, sql: str, values: Sequence[object]) -> int:
    number = db.execute(sql, values).lastrowid
    assert number is not None
    return number


def _of(record: Record, *names: str) -> tuple[object, ...]:
    return tuple(record[name] for name in names)


def _identity(record: Record) -> int:
    return _hashed(_of(record, *_IDENTITY[record.type]))


def _hashed(values: Sequence[object]) -> int:
    said = repr(tuple(values)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(said, digest_size=8).digest(), "big", signed=True)
