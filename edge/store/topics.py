"""`SqliteTopics`: the engine's TopicStore in SQLite. All of it can be made again, so nothing waits for the disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from datetime import datetime

from edge.engine.topic_ports import KEPT_TOPICS
from edge.memory.archive import Why
from edge.memory.intent_vectors import unpacked
from edge.memory.topics import FROZEN_KINDS, Topic, TopicId, Vector
from edge.memory.units import OwnerId, SessionId, TurnId, UnitId
from edge.store.database import Database
from edge.store.rows import json_ids, micros, vector_blob, vector_from
from edge.store.scopes import of_kinds

_TOPICS = (
    "SELECT id, terms, vector, intent FROM topics WHERE owner = ? AND session = ? ORDER BY last_turn DESC, id DESC"
)
_CLAIM = f"""
    UPDATE units AS u SET topic = (SELECT t.id FROM topics t WHERE t.owner = :owner AND t.last_turn = :turn)
    WHERE source_turn = :turn AND owner = :owner AND session IS NOT NULL{of_kinds(FROZEN_KINDS)}
"""
_ACTIVE = "SELECT id FROM units WHERE topic = ? AND owner = ? AND archived_at IS NULL AND superseded = 0 ORDER BY id"
_FROZEN = f"SELECT id FROM units WHERE topic = ? AND owner = ? AND archived_why = '{Why.TOPIC.value}' ORDER BY id"
_DROP_OLDEST = f"""
    DELETE FROM topics WHERE id IN (
        SELECT id FROM topics WHERE owner = ? AND session = ?
        ORDER BY last_turn DESC, id DESC LIMIT -1 OFFSET {KEPT_TOPICS})
"""
_CLEAR = """
    UPDATE topics SET terms = '{}', vector = NULL, intent = NULL WHERE owner = :owner AND EXISTS (
        SELECT 1 FROM turns t WHERE t.id IN (SELECT value FROM json_each(:turns))
            AND t.owner = topics.owner AND t.session = topics.session
            AND t.id BETWEEN topics.started_turn AND topics.last_turn)
"""
_CLEAR_UNITS = """
    UPDATE units SET intent_vector = NULL WHERE intent_vector IS NOT NULL AND source_turn IN (
        SELECT later.id FROM turns t
        JOIN turns later ON later.owner = t.owner AND later.session = t.session AND later.id >= t.id
        WHERE t.owner = :owner AND t.id IN (SELECT value FROM json_each(:turns)))
"""
"""A smoothed vector holds something of the words of the turns before it."""


class SqliteTopics:
    """See TopicStore for what each method means."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def topics(self, owner: OwnerId, session: SessionId) -> list[Topic]:
        return [
            Topic(TopicId(number), json.loads(terms), vector_from(vector), unpacked(intent))
            for number, terms, vector, intent in self._db.rows(_TOPICS, (owner, session))
        ]

    def begin_topic(self, owner: OwnerId, session: SessionId, turn: TurnId, terms: Mapping[str, int]) -> TopicId:
        with self._db.relaxed_transaction() as writing:
            cursor = writing.execute(
                "INSERT INTO topics (owner, session, started_turn, last_turn, terms) VALUES (?, ?, ?, ?, ?)",
                (owner, session, turn, turn, _json(terms)),
            )
            assert cursor.lastrowid is not None
            _claim(writing, owner, turn)
            writing.execute(_DROP_OLDEST, (owner, session))
            return TopicId(cursor.lastrowid)

    def go_on(self, owner: OwnerId, topic: TopicId, turn: TurnId, terms: Mapping[str, int]) -> None:
        with self._db.relaxed_transaction() as writing:
            writing.execute(
                "UPDATE topics SET last_turn = ?, terms = ? WHERE id = ? AND owner = ?",
                (turn, _json(terms), topic, owner),
            )
            _claim(writing, owner, turn)

    def smooth(self, owner: OwnerId, topic: TopicId, vector: Vector) -> None:
        with self._db.relaxed_transaction() as writing:
            changed = (vector_blob(vector), topic, owner)
            writing.execute("UPDATE topics SET vector = ? WHERE id = ? AND owner = ?", changed)

    def claim(self, owner: OwnerId, turn: TurnId) -> None:
        with self._db.relaxed_transaction() as writing:
            _claim(writing, owner, turn)

    def freeze(self, owner: OwnerId, topic: TopicId, at: datetime) -> tuple[UnitId, ...]:
        return self._set(_ACTIVE, owner, topic, (micros(at), Why.TOPIC.value))

    def thaw(self, owner: OwnerId, topic: TopicId) -> tuple[UnitId, ...]:
        return self._set(_FROZEN, owner, topic, (None, None))

    def _set(
        self, which: str, owner: OwnerId, topic: TopicId, archived: tuple[int | None, str | None]
    ) -> tuple[UnitId, ...]:
        units = [UnitId(unit) for (unit,) in self._db.rows(which, (topic, owner))]
        if units:
            with self._db.relaxed_transaction() as writing:
                writing.executemany(
                    "UPDATE units SET archived_at = ?, archived_why = ? WHERE id = ?",
                    [(*archived, unit) for unit in units],
                )
        return tuple(units)


def clear_topics(db: sqlite3.Connection, owner: OwnerId, silenced: Collection[TurnId]) -> None:
    """Take the words out of the topics in which a person's words are forgotten, and the vectors of intent from their
    units, inside the caller's transaction. What was frozen stays so; the topic at hand gathers words anew."""
    touched = {"owner": owner, "turns": json_ids(sorted(silenced))}
    db.execute(_CLEAR_UNITS, touched)
    db.execute(_CLEAR, touched)


def _claim(db: sqlite3.Connection, owner: OwnerId, turn: TurnId) -> None:
    db.execute(_CLAIM, {"owner": owner, "turn": turn})


def _json(terms: Mapping[str, int]) -> str:
    return json.dumps(terms, ensure_ascii=False, separators=(",", ":"))
