"""The contract of TopicStore on SQLite and on the fake, and what only a disk can do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge.engine.forgetting_ports import Selection
from edge.memory.units import TurnState
from edge.store.sqlite import SqliteStore, open_store
from tests.fakes.memory_store import FakeMemoryStore
from tests.store.conftest import NoonClock
from tests.store.making import ANN, MAIN, NOON, WORK
from tests.store.topics_contract import Stores, TopicStoreContract, begun, say, state


class TestSqliteStore(TopicStoreContract):
    @pytest.fixture
    def store(self, sqlite_store: SqliteStore) -> Stores:
        return sqlite_store


class TestFakeStore(TopicStoreContract):
    @pytest.fixture
    def store(self) -> Stores:
        return FakeMemoryStore()


def test_topics_are_there_after_a_restart(database: Path) -> None:
    store = open_store(database, NoonClock())
    bill, units = begun(store, state("step: payment"))
    store.topics.smooth(ANN, bill, np.array([0.6, 0.8], dtype=np.float32))
    store.topics.freeze(ANN, bill, NOON)
    store.close()
    store = open_store(database, NoonClock())
    (topic,) = store.topics.topics(ANN, MAIN)
    assert (topic.id, topic.terms) == (bill, {"bill": 2})
    assert store.topics.thaw(ANN, bill) == units
    store.close()


def test_a_forgotten_session_takes_its_topics(sqlite_store: SqliteStore) -> None:
    turn, _ = say(sqlite_store, "the bill", state("step: payment"))
    sqlite_store.topics.begin_topic(ANN, MAIN, turn, {"bill": 2})
    sqlite_store.finish_turn(ANN, turn, "", TurnState.DONE, [], NOON)
    other, _ = say(sqlite_store, "elsewhere", session=WORK)
    kept = sqlite_store.topics.begin_topic(ANN, WORK, other, {"els": 2})
    sqlite_store.forgetting.forget_selection(ANN, Selection(session=MAIN), None)
    assert sqlite_store.topics.topics(ANN, MAIN) == []
    assert [topic.id for topic in sqlite_store.topics.topics(ANN, WORK)] == [kept]


def test_no_trace_of_forgotten_words_is_left_in_any_file(sqlite_store: SqliteStore, database: Path) -> None:
    _, units = begun(sqlite_store, state("zabaglione 账单编号"), words="zabaglione 账单编号")
    (topic,) = sqlite_store.topics.topics(ANN, MAIN)
    turn, _ = say(sqlite_store, "go on")
    sqlite_store.topics.go_on(ANN, topic.id, turn, {"zabaglion": 2, "单编": 2})
    assert b'"zabaglion"' in b"".join(path.read_bytes() for path in database.parent.iterdir())
    sqlite_store.forget(ANN, units)
    left = b"".join(path.read_bytes() for path in database.parent.iterdir())
    assert not any(word in left for word in (b"zabaglion", "单编".encode()))
